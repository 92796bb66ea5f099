// swift-iap2 · Apache-2.0

public import IAP2

/// A capture in memory. The format is detected from the content; ``IAP2Capture`` lists the formats.
///
///     let capture = Capture([UInt8](try Data(contentsOf: file)))
///     for line in try capture.lines(matching: "power") { print(line.record, line.layer) }
public struct Capture: Sendable {
  /// The content of the file.
  public var bytes: [UInt8]
  /// The side that sent raw bytes; nil for a file whose format names the sides.
  public var sender: Side?
  /// Whether the side that looks like the accessory is treated as the device, and the reverse.
  public var swapsSides = false

  /// Creates a capture from the content of a file.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file, in any format that the module reads.
  ///   - sender: The side that sent the bytes if they have no format; nil to detect the format.
  public init(_ bytes: [UInt8], sender: Side? = nil) {
    self.bytes = bytes
    self.sender = sender
  }

  /// Returns all findings in the order of the file. Damage is a finding with the content
  /// ``DecodedLine/Content/error(message:offset:)``.
  public func lines() -> [DecodedLine] { decode(nil) }

  /// Returns the findings that match a filter.
  ///
  /// - Parameter expression: A filter as in `iap2 decode --filter`; ``IAP2Capture`` has its grammar.
  /// - Throws: The place and the reason if `expression` is not a filter.
  public func lines(matching expression: String) throws(CaptureFilterProblem) -> [DecodedLine] {
    let filter: FindingFilter
    do throws(FilterError) { filter = try FindingFilter(parsing: expression) } catch {
      throw CaptureFilterProblem(column: error.column + 1, description: FilterText.text(error))
    }
    return decode(filter)
  }

  /// Passes the whole capture to a sink and returns the analyzer.
  package func analyzed<Sink: DecodedSink>(by sink: Sink) -> CaptureAnalyzer<Sink> {
    var options = CaptureAnalyzerOptions()
    if let sender { options.format = .raw(sender) }
    options.swapsSides = swapsSides
    var analyzer = CaptureAnalyzer(options: options, sink: sink)
    analyzer.append(bytes)
    analyzer.finish()
    return analyzer
  }

  private func decode(_ filter: FindingFilter?) -> [DecodedLine] {
    var analyzer = analyzed(by: FilterSink(LineSink(), filter: filter))
    return analyzer.sink.base.take()
  }
}

/// The reason why a text is not a filter.
public struct CaptureFilterProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The column of the problem, from 1.
  public let column: Int
  /// The column and the problem, with similar names if a name is unknown.
  public let description: String
}
