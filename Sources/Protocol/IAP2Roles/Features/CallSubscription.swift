// swift-iap2 · Apache-2.0

import IAP2

/// A subscription to calls. Each call has its own messages, which carry the changes of that call.
struct CallSubscription: Sendable {
  private var template = Subscription<CallStateUpdate>()
  private var calls: [String: Subscription<CallStateUpdate>] = [:]

  var isActive: Bool { template.isActive }

  /// The identity of the call, parameter 4. An update needs it and the status, parameter 2, to have a meaning.
  private static let identity = AttributeTable.Key(id: 4)

  mutating func start(_ start: RawSpan) throws(WireError) {
    calls = [:]
    try template.start(start, always: [2, 4])
  }

  mutating func stop() {
    calls = [:]
    template.stop()
  }

  mutating func update(to call: Call) throws(WireError) -> [UInt8]? {
    var subscription = calls[call.identifier] ?? template
    defer { calls[call.identifier] = subscription }
    return try subscription.update(to: call.update, with: Self.identity)
  }

  mutating func forget(except live: Set<String>) { calls = calls.filter { live.contains($0.key) } }
}
