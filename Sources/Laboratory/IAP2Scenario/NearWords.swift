// swift-iap2 · Apache-2.0

/// The known word that a wrong word is probably meant to be.
enum NearWords {
  /// The differences between two words at most. A third of a word's letters is the limit for short words.
  private static let maximumDistance = 3
  private static let maximumLength = 64

  /// Returns the question for the nearest known word, such as `, did you mean "wait"?`; empty if none is near.
  static func hint(_ word: String, _ known: some Sequence<String>) -> String {
    let letters = Array(word.lowercased())
    guard (1...maximumLength).contains(letters.count) else { return "" }
    let limit = min(maximumDistance, max(1, letters.count / 3))
    let near = known.map { (distance: distance(letters, Array($0.lowercased())), word: $0) }
      .filter { $0.distance <= limit }.min { ($0.distance, $0.word) < ($1.distance, $1.word) }
    return near.map { ", did you mean \"\($0.word)\"?" } ?? ""
  }

  /// Returns the letters to insert, remove, replace or exchange with the next one to make one word of the other.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [Array(0...b.count)]
    for (index, letter) in a.enumerated() {
      let last = rows[rows.count - 1]
      var row = [index + 1]
      for (column, other) in b.enumerated() {
        var next = min(last[column + 1] + 1, row[column] + 1, last[column] + (letter == other ? 0 : 1))
        if index > 0, column > 0, letter == b[column - 1], a[index - 1] == other {
          next = min(next, rows[rows.count - 2][column - 1] + 1)
        }
        row.append(next)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
