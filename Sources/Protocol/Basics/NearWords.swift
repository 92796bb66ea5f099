// swift-iap2 · Apache-2.0

/// Words that a user may have meant.
package enum NearWords {
  private static let maximumCount = 3
  /// The wrong letters of a long word at most.
  private static let maximumErrors = 4
  /// The letters of a word that is looked at. The names of messages have up to 45.
  private static let maximumLength = 64

  /// Returns up to three of `known` that differ from `word` by few letters, or that begin with it, the nearest first.
  package static func of(_ word: String, among known: some Sequence<String>) -> [String] {
    let wanted = Array(word.lowercased())
    guard (2...maximumLength).contains(wanted.count) else { return [] }
    // A third of the letters may be wrong. Two exchanged letters count as one error.
    let limit = min(max(1, wanted.count / 3), maximumErrors)
    let near = known.compactMap { name -> (name: String, errors: Int)? in
      let letters = Array(name.lowercased())
      let errors = letters.starts(with: wanted) ? 1 : distance(wanted, letters)
      return errors <= limit ? (name, errors) : nil
    }
    return near.sorted { ($0.errors, $0.name) < ($1.errors, $1.name) }.prefix(maximumCount).map(\.name)
  }

  /// Returns the question for an error, such as `did you mean phone or fuzz?`; nil if no word is near.
  package static func question(_ word: String, among known: some Sequence<String>) -> String? {
    let near = of(word, among: known)
    return near.isEmpty ? nil : "did you mean \(near.joined(separator: " or "))?"
  }

  /// Returns the question for the nearest known word, such as `, did you mean "wait"?`; empty if none is near.
  package static func hint(_ word: String, _ known: some Sequence<String>) -> String {
    of(word, among: known).first.map { ", did you mean \"\($0)\"?" } ?? ""
  }

  /// Returns the number of letters to insert, remove, replace or exchange with the next one.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...b.count)
    for (row, letter) in a.enumerated() {
      var next = [row + 1]
      for (column, other) in b.enumerated() {
        var errors = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, letter == b[column - 1], a[row - 1] == other {
          errors = min(errors, before[column - 1] + 1)
        }
        next.append(errors)
      }
      (before, last) = (last, next)
    }
    return last[b.count]
  }

  /// Returns the error of the first option that a command's help does not have; nil if it has all of them, or if no
  /// option of the help is near.
  package static func unknownOption(in arguments: [String], help: String) -> String? {
    let known = Set(help.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.output) })
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    guard let unknown = options.first(where: { !known.contains($0) }) else { return nil }
    return question(unknown, among: known.sorted()).map { "Error: Unknown option '\(unknown)'; \($0)" }
  }
}
