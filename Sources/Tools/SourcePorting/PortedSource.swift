// swift-iap2 · Apache-2.0

/// A Swift source that was written for Apple's systems, with the changes that let it compile on Linux.
///
/// Changes are made in code only, never in comments and strings. Each keeps the number of lines, so a compiler reports
/// the lines of the original.
public struct PortedSource: Sendable {
  /// A changed piece of code.
  public struct Change: Hashable, Sendable {
    /// The place in the original.
    public var position: SourcePosition
    /// The code before, on one line.
    public var was: String
    /// The code after it; empty if the code was removed.
    public var becomes: String
  }

  /// A piece of code that stays as it is and does not work on Linux.
  public struct Remainder: Hashable, Sendable {
    /// The place in the original.
    public var position: SourcePosition
    /// The code, on one line.
    public var code: String
    /// The reason, and what to do.
    public var reason: String
  }

  /// The source after the changes.
  public let text: String
  /// The changes, in the order of the source.
  public let changes: [Change]
  /// The code that was not carried over, in the order of the source.
  public let remainders: [Remainder]
  /// Whether the source imports OpenCombine.
  let needsOpenCombine: Bool

  /// Changes a source.
  ///
  /// - Parameter original: The text of the source.
  public init(porting original: String) {
    let source = SourceText(Array(original.utf8))
    self.init(porting: source, in: PortContext([source]))
  }

  /// Changes a source of several that belong together.
  init(porting source: SourceText, in context: PortContext) {
    var porter = Porter(source, in: context)
    porter.run()
    text = porter.edits.applied(to: source, 0..<source.bytes.count)
    changes = porter.changes
    remainders = porter.remainders
    needsOpenCombine = porter.importsCombine
  }
}

/// Replacements of parts of a source.
struct Edits {
  private var edits: [(range: Range<Int>, text: String)] = []

  /// - Parameter range: A part that no other edit touches.
  mutating func replace(_ range: Range<Int>, with text: String) { edits.append((range, text)) }

  /// The text of a range of a source after the edits in it.
  func applied(to source: SourceText, _ range: Range<Int>) -> String {
    var result: [UInt8] = []
    var position = range.lowerBound
    // Of two edits at one place, the insertion is the first one.
    let sorted = edits.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    for edit in sorted {
      result += source.bytes[position..<edit.range.lowerBound]
      result += edit.text.utf8
      position = edit.range.upperBound
    }
    return String(decoding: result + source.bytes[position..<range.upperBound], as: UTF8.self)
  }
}
