// swift-iap2 · Apache-2.0

import Basics

/// Deviations of real implementations that an endpoint can emulate. By default there are none.
package struct EndpointQuirks: Sendable, Hashable {
  /// Whether EAK packets are sent without the ACK bit: 20 instead of 60 (Reliability.md#eak-control: WIO, LIVI).
  package var sendsBareExtendedAcknowledge = false
  /// Whether only the first message of each control packet is read, as some cars do (Sessions.md#first-message-only;
  /// medium).
  package var readsFirstMessageOnly = false
  /// Whether messages that wait together are sent in one packet as far as they fit. This is legal
  /// (FieldBehavior.md#f15), but no iPhone does it.
  package var packsMessages = false
  /// The rate of messages above which the link is reset; nil for none. Unverified: no public trace shows such a reset.
  package var resetsAbove: MessageRate?

  /// Creates quirks with no deviation.
  package init() {}
}

/// A number of messages within a time.
package struct MessageRate: Sendable, Hashable {
  /// The number of messages, at least 1.
  package let messages: Int
  /// The time in milliseconds.
  package let milliseconds: Int

  /// Creates a rate; `messages` below 1 becomes 1.
  package init(messages: Int, milliseconds: Int) {
    self.messages = max(1, messages)
    self.milliseconds = milliseconds
  }
}

/// A meter that checks whether messages arrive faster than a rate.
struct MessageRateMeter: Sendable {
  let rate: MessageRate
  /// The arrival times of the latest messages, at most as many as the rate allows.
  private var arrivals: [MonotonicTime] = []

  init(_ rate: MessageRate) { self.rate = rate }

  /// Records a message; returns false if it exceeds the rate.
  mutating func note(at now: MonotonicTime) -> Bool {
    arrivals.removeAll { $0.adding(milliseconds: rate.milliseconds) <= now }
    guard arrivals.count < rate.messages else { return false }
    arrivals.append(now)
    return true
  }

  mutating func reset() { arrivals = [] }
}
