// swift-iap2 · Apache-2.0

/// A row of a table as text: cells between commas, semicolons or tabs, with or without quotes.
struct TableRow {
  var cells: [Substring]

  /// The marks between cells, in the order in which they are tried.
  static let marks: [Character] = ["\t", ";", ","]

  /// - Parameter mark: The mark between cells.
  init(_ line: Substring, mark: Character) {
    cells = []
    var rest = line.prefix { $0 != "\r" }
    while true {
      rest = rest.drop { $0 == " " }
      if rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
        cells.append(rest[rest.index(after: rest.startIndex)..<end])
        rest = rest[end...].drop { $0 != mark }
      } else {
        let end = rest.firstIndex(of: mark) ?? rest.endIndex
        cells.append(rest[..<end].trimmingSuffix(while: \.isWhitespace))
        rest = rest[end...]
      }
      guard !rest.isEmpty else { return }
      rest = rest.dropFirst()
    }
  }

  /// Returns a cell. If it is in the last column, the surplus cells of the row belong to it, each behind a space.
  func tail(from column: Int, of count: Int) -> Substring {
    guard column == count - 1, cells.count > count else { return self[column] }
    return cells[column...].joined(separator: " ")[...]
  }

  /// Returns a cell; empty for a missing one.
  subscript(_ index: Int) -> Substring { cells.indices.contains(index) ? cells[index] : "" }
}

/// The head of a table: the row with the names of its columns.
struct TableHead {
  /// The mark between cells.
  var mark: Character
  /// The names of the columns as they are written, without what stands in parentheses or brackets.
  var names: [Substring]
  /// The names in lowercase, without anything but letters.
  var keys: [String]

  /// The maximum number of columns of a table that is read; logic analyzers have at most 32 channels.
  private static let maximumColumnCount = 64

  /// Returns nil for a line that has no column of times.
  init?(_ line: Substring) {
    guard let mark = TableRow.marks.first(where: { line.contains($0) }) else { return nil }
    let cells = TableRow(line, mark: mark).cells
    guard cells.count > 1, cells.count <= Self.maximumColumnCount else { return nil }
    self.mark = mark
    names = cells.map { cell in
      cell.prefix { !"([".contains($0) }.trimmingSuffix(while: \.isWhitespace)
    }
    keys = names.map { $0.lowercased().filter(\.isLetter) }
    guard time != nil else { return nil }
  }

  private static let times = [
    "time", "starttime", "start", "timestamp", "times", "begin", "begintime", "timems", "timeus",
  ]

  /// The column of the time.
  var time: Int? { keys.firstIndex { Self.times.contains($0) } }
}

extension Substring {
  fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, matches(last) { text.removeLast() }
    return text
  }
}
