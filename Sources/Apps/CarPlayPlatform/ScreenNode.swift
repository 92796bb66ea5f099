// swift-iap2 · Apache-2.0

/// A part of the car's screen as a value, for tests, for text and for drawing.
public struct ScreenNode: Sendable, Hashable {
  /// A kind of part. The raw names appear in the text form.
  public enum Kind: String, Sendable, Codable, Hashable, CaseIterable {
    // Whole screens.
    case off, locked, home, list, grid, tabs
    case nowPlaying = "now playing"
    case map, search, voice, information
    case pointsOfInterest = "points of interest"
    case contact, alert, sheet, content, error, dashboard, cluster
    // Parts of several screens.
    case icon, back, button, title, text, image, spinner, banner, option
    // Parts of lists and grids.
    case section, row, header, picture
    case siri = "siri row"
    case empty, page
    // Parts of other templates.
    case tab, artwork, progress, command, field, keyboard, result, item, point, action
    case mapButton = "map button"
    case pan = "pan button"
    case trip, route, guidance, maneuver, estimates
  }

  /// The kind.
  public var kind: Kind
  /// The text as it is shown.
  public var title: String
  /// The second text as it is shown.
  public var detail: String
  /// Whether the part reacts.
  public var isEnabled: Bool
  /// Whether the focus of a knob or touchpad is on the part.
  public var isFocused: Bool
  /// Whether the part is the selected one of several.
  public var isSelected: Bool
  /// Whether a text of the part did not fit and was shortened.
  public var isCut: Bool
  /// Whether a spinner turns in the part.
  public var hasSpinner: Bool
  /// Further marks, such as `playing`, `explicit`, `>` or the name of an image.
  public var marks: [ScreenMark]
  /// The images of the part and at its end, by ``CarImage/id``; nil if the bytes are unknown or not requested.
  public var image, accessory: String?
  /// The parts inside.
  public var children: [ScreenNode]
  /// The index of the part in ``all`` of its screen, in a numbered screen; 0 in others.
  package private(set) var number = 0

  /// Creates a part.
  public init(
    _ kind: Kind, _ title: String = "", detail: String = "", isEnabled: Bool = true, isFocused: Bool = false,
    isSelected: Bool = false, isCut: Bool = false, hasSpinner: Bool = false, marks: [ScreenMark] = [],
    children: [ScreenNode] = []
  ) {
    self.kind = kind
    self.title = title
    self.detail = detail
    self.isEnabled = isEnabled
    self.isFocused = isFocused
    self.isSelected = isSelected
    self.isCut = isCut
    self.hasSpinner = hasSpinner
    self.marks = marks
    self.children = children
  }
}

extension ScreenNode {
  /// This part and every part inside it, the outer ones first.
  public var all: [ScreenNode] { [self] + children.flatMap(\.all) }

  /// The screen whose parts know their index in ``all``.
  package var numbered: ScreenNode {
    var count = 0
    return numbered(from: &count)
  }

  private func numbered(from count: inout Int) -> ScreenNode {
    var part = self
    part.number = count
    count += 1
    part.children = children.map { $0.numbered(from: &count) }
    return part
  }

  /// Returns the first part of a kind.
  public func first(_ kind: Kind) -> ScreenNode? { all.first { $0.kind == kind } }

  /// Returns every part of a kind.
  public func all(_ kind: Kind) -> [ScreenNode] { all.filter { $0.kind == kind } }

  /// Returns the first part that shows a text as its title or its detail.
  public func part(_ text: String) -> ScreenNode? { all.first { $0.title == text || $0.detail == text } }

  /// Returns whether a text is shown as a title or a detail.
  public func shows(_ text: String) -> Bool { part(text) != nil }

  /// The part with the focus.
  public var focus: ScreenNode? { all.first(where: \.isFocused) }

  /// The titles of list rows, including image rows, and of search results, from the top.
  public var rows: [String] { all.filter { $0.kind == .row || $0.kind == .result }.map(\.title) }

  /// The titles of buttons: bar buttons, map buttons, grid buttons, actions.
  public var buttons: [String] {
    all.filter { [.button, .mapButton, .action, .option].contains($0.kind) }.map(\.title)
  }
}

extension ScreenNode: CustomStringConvertible {
  /// The screen as indented lines, one a part.
  public var description: String { lines(depth: 0).joined(separator: "\n") }

  private func lines(depth: Int) -> [String] {
    [String(repeating: "  ", count: depth) + line] + children.flatMap { $0.lines(depth: depth + 1) }
  }

  /// The part without the parts inside, as one line.
  public var line: String {
    var words = [kind.rawValue]
    if !title.isEmpty { words.append("\"\(title)\"") }
    if !detail.isEmpty { words.append("- \"\(detail)\"") }
    words += marks.map(\.text)
    if isSelected { words.append("(selected)") }
    if isFocused { words.append("(focused)") }
    if hasSpinner { words.append("(spinner)") }
    if isCut { words.append("(cut)") }
    if !isEnabled { words.append("(disabled)") }
    return words.joined(separator: " ")
  }

  /// Returns the lines that differ between an earlier screen and this one, marked with `-` and `+`; empty for equal
  /// screens.
  ///
  /// Equal lines around a difference are omitted. The first line of the screen is kept as its name.
  public func difference(from earlier: ScreenNode) -> String {
    Self.difference(from: earlier.description, to: description)
  }

  /// Returns the lines that differ between two texts of screens.
  public static func difference(from earlier: String, to later: String) -> String {
    guard earlier != later else { return "" }
    let old = earlier.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let new = later.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let (removed, inserted) = changes(from: old, to: new)
    var lines: [String] = []
    var left = 0
    var right = 0
    while left < old.count || right < new.count {
      if left < old.count, removed.contains(left) {
        lines.append("- " + old[left])
        left += 1
      } else if right < new.count, inserted.contains(right) {
        lines.append("+ " + new[right])
        right += 1
      } else {
        if left == 0 { lines.append("  " + old[left]) }
        left += 1
        right += 1
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension ScreenNode {
  /// The limit of pairs of lines that are compared one by one, about a second of work. A car shows some hundred lines.
  private static let maximumPairCount = 16_000_000

  /// Returns the indices of the lines that were removed and inserted. If too many differ, all between the equal lines
  /// at the start and at the end count.
  private static func changes(from old: [String], to new: [String]) -> (removed: Set<Int>, inserted: Set<Int>) {
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
    let (left, right) = (start..<old.count - end, start..<new.count - end)
    guard left.count * right.count <= maximumPairCount else { return (Set(left), Set(right)) }
    let change = new[right].difference(from: old[left])
    return (Set(change.removals.map { $0.offset + start }), Set(change.insertions.map { $0.offset + start }))
  }
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
