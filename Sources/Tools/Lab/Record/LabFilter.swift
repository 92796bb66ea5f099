// swift-iap2 · Apache-2.0

import Foundation
import IAP2Capture

/// A filter of the page: the language of `iap2 decode --filter` for what was decoded from bytes. Other entries match if
/// their name or text has the words.
struct LabFilter: Sendable {
  private let filter: FindingFilter
  private let words: String
  private let costs: [PatternCost]

  /// The longest filter in characters.
  private static let maximumCount = 1000

  /// The reason why a text is no filter.
  struct Problem: Error {
    var text: String
  }

  init(_ text: String) throws(Problem) {
    guard text.count <= Self.maximumCount else {
      throw Problem(text: "a filter has at most \(Self.maximumCount) characters")
    }
    do throws(FilterError) { filter = try Self.filter(text) } catch {
      throw Problem(text: FilterText.text(error))
    }
    var costs: [PatternCost] = []
    for (pattern, column) in Self.patterns(in: text) {
      do throws(PatternCost.Problem) { costs.append(try PatternCost(pattern)) } catch {
        throw Problem(text: "character \(column + 1): \(error.text)")
      }
    }
    self.costs = costs
    words = text.trimmingCharacters(in: CharacterSet(charactersIn: "\"")).lowercased()
  }

  private static func filter(_ text: String) throws(FilterError) -> FindingFilter {
    do { return try FindingFilter(parsing: text) } catch {
      // A word that no field or message has may be the name of a method.
      guard case .unknownWord = error.reason, text.allSatisfy({ $0.isLetter || $0.isNumber || "()_:.".contains($0) })
      else { throw error }
      return try FindingFilter(parsing: "\"\(text)\"")
    }
  }

  /// Returns the regular expressions of a correct filter, which stand behind `~`, with the columns of their first
  /// characters.
  private static func patterns(in text: String) -> [(pattern: String, column: Int)] {
    let signs = Array(text)
    var found: [(pattern: String, column: Int)] = []
    var index = 0
    var isPattern = false
    while index < signs.count {
      let start = index
      let sign = signs[index]
      index += 1
      if sign == "~" {
        isPattern = true
        continue
      }
      guard !sign.isWhitespace else { continue }
      var value = ""
      if sign == "\"" || sign == "'" {
        while index < signs.count, signs[index] != sign {
          // A backslash escapes the quote and itself.
          if signs[index] == "\\", index + 1 < signs.count, signs[index + 1] == sign || signs[index + 1] == "\\" {
            index += 1
          }
          value.append(signs[index])
          index += 1
        }
        index += 1
      } else if isPattern {
        value = String(signs[start...].prefix { !$0.isWhitespace && !"()~=!<>\"'".contains($0) })
        index = start + max(1, value.count)
      }
      if isPattern { found.append((value, start)) }
      isPattern = false
    }
    return found
  }

  /// Returns whether an entry matches. One that is too long for a pattern of the filter does not.
  func matches(_ entry: LabEntry) -> Bool {
    guard case .line(let line) = entry.detail else {
      return entry.name.lowercased().contains(words) || entry.text.lowercased().contains(words)
    }
    guard !isTooLong(entry) else { return false }
    return filter.matches([line])
  }

  /// The result of a filter for some entries.
  struct Result: Sendable {
    /// The numbers of the entries that match.
    var numbers: [Int] = []
    /// Whether an entry was too long for a pattern.
    var hasLeftOut = false
    /// Whether all entries were looked at in time.
    var isInTime = true
  }

  /// Holds entries against the filter for a time.
  func result(of entries: [NumberedEntry], within time: Duration) -> Result {
    let deadline = ContinuousClock.now + time
    var result = Result()
    for entry in entries {
      guard ContinuousClock.now < deadline else {
        result.isInTime = false
        return result
      }
      if matches(entry.entry) { result.numbers.append(entry.number) }
      if isTooLong(entry.entry) { result.hasLeftOut = true }
    }
    return result
  }

  /// Whether a pattern of the filter could take too long for an entry.
  private func isTooLong(_ entry: LabEntry) -> Bool {
    guard !costs.isEmpty, case .line = entry.detail else { return false }
    // Bytes are two digits each as text.
    let count = 2 * (entry.byteCount - LabEntry.rowByteCount)
    return costs.contains { $0.isTooLong(count) }
  }
}
