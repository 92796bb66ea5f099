// swift-iap2 · Apache-2.0

/// Ways in which real implementations differ, to emulate them; by default there are none.
public struct EndpointQuirks: Sendable, Hashable {
  /// EAK packets leave without the ACK bit: 20 instead of 60 (FieldBehavior.md#f10: wiomoc; LIVI).
  public var sendsBareExtendedAcknowledge = false
  /// Of each control packet only the first message is read, as some cars do (Sessions.md#first-message-only; medium).
  public var readsFirstMessageOnly = false
  /// Messages that wait together leave in one packet as far as they fit: legal (FieldBehavior.md#f15), but no iPhone
  /// does.
  public var packsMessages = false
  /// Messages that come faster reset the link; nobody has published a trace of it (unverified).
  public var resetsAbove: MessageRate?

  public init() {}
}

/// So many messages within so much time.
public struct MessageRate: Sendable, Hashable {
  /// From 1.
  public let messages: Int
  public let milliseconds: Int

  public init(messages: Int, milliseconds: Int) {
    self.messages = max(1, messages)
    self.milliseconds = milliseconds
  }
}

/// Whether messages came faster than a rate.
struct MessageRateMeter: Sendable {
  let rate: MessageRate
  /// When the last ones came, at most as many as the rate allows.
  private var arrivals: [MonotonicTime] = []

  init(_ rate: MessageRate) { self.rate = rate }

  /// Notes a message; false if it is one too many.
  mutating func note(at now: MonotonicTime) -> Bool {
    arrivals.removeAll { $0.adding(milliseconds: rate.milliseconds) <= now }
    guard arrivals.count < rate.messages else { return false }
    arrivals.append(now)
    return true
  }

  mutating func reset() { arrivals = [] }
}
