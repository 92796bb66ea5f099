// swift-iap2 · Apache-2.0

import Foundation
import IAP2Capture

/// A filter of the page: the language of `iap2 decode --filter` for what was decoded from bytes. Other entries match if
/// their name or text has the words.
struct LabFilter: Sendable {
  private let filter: FindingFilter
  private let words: String

  init(_ text: String) throws(FilterError) {
    do { filter = try FindingFilter(parsing: text) } catch {
      // A word that no field or message has may be the name of a method.
      guard case .unknownWord = error.reason, text.allSatisfy({ $0.isLetter || $0.isNumber || "()_:.".contains($0) })
      else { throw error }
      filter = try FindingFilter(parsing: "\"\(text)\"")
    }
    words = text.trimmingCharacters(in: CharacterSet(charactersIn: "\"")).lowercased()
  }

  func matches(_ entry: LabEntry) -> Bool {
    if case .line(let line) = entry.detail { return filter.matches([line]) }
    return entry.name.lowercased().contains(words) || entry.text.lowercased().contains(words)
  }
}
