// swift-iap2 · Apache-2.0

import IAP2Capture

extension NearWords {
  /// Returns the question for the nearest known word, such as `, did you mean "wait"?`; empty if none is near.
  static func hint(_ word: String, _ known: some Sequence<String>) -> String {
    of(word, among: known).first.map { ", did you mean \"\($0)\"?" } ?? ""
  }
}
