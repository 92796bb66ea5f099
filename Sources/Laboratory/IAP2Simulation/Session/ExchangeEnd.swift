// swift-iap2 · Apache-2.0

import IAP2

/// One end of an EA session in a simulation: the app or the accessory.
///
/// The app sends an order and the number of bytes that the order announces. The accessory sends the number of bytes
/// that the order requests. When the app has received them all, it sends a zero byte, and the accessory closes the
/// session.
struct ExchangeEnd: Sendable {
  private enum Part: Sendable { case app, accessory }

  private let part: Part
  /// The bytes of an incomplete order.
  private var orderBytes: [UInt8] = []
  private var outgoing: [UInt8]
  private var sentCount = 0
  private var check: SimulatedContent.Check?
  private var hasSentLast = false
  /// Whether received bytes differ from the sent ones.
  private(set) var isDifferent = false

  /// Creates the app's end.
  init(app order: SimulatedContent.Order) {
    part = .app
    outgoing = order.bytes + SimulatedContent.bytes(order.toAccessory, seed: order.seed)
    check = SimulatedContent.Check(count: order.toApp, seed: ~order.seed)
  }

  /// The accessory's end, which reads the order from the app.
  static var accessory: ExchangeEnd { ExchangeEnd() }

  private init() {
    part = .accessory
    outgoing = []
  }

  /// Whether all expected bytes have arrived.
  var isWhole: Bool { check?.isWhole ?? false }
  /// Whether the session has accepted all outgoing bytes.
  var isSent: Bool { sentCount == outgoing.count }
  /// Whether both directions are complete.
  var isDone: Bool { isWhole && isSent && (part == .accessory || hasSentLast) }

  mutating func take(_ bytes: [UInt8]) {
    var bytes = bytes
    if part == .accessory, check == nil {
      orderBytes += bytes
      guard let order = SimulatedContent.Order(orderBytes) else { return }
      guard order.isPlausible else {
        isDifferent = true
        orderBytes = []
        return
      }
      bytes = Array(orderBytes.dropFirst(SimulatedContent.Order.byteCount))
      orderBytes = []
      outgoing = SimulatedContent.bytes(order.toApp, seed: ~order.seed)
      check = SimulatedContent.Check(count: order.toAccessory, seed: order.seed, more: 1)
    }
    guard !bytes.isEmpty else { return }
    // No byte may follow the last expected one.
    if check?.isWhole == true || check?.take(bytes) == false { isDifferent = true }
  }

  /// Passes the outgoing bytes to `send`, which returns the number of bytes it accepted, or nil when the session
  /// accepts no more.
  ///
  /// - Returns: true when `send` accepted at least one byte.
  mutating func write(_ send: ([UInt8]) -> Int?) -> Bool {
    if part == .app, isWhole, isSent, !hasSentLast {
      hasSentLast = true
      outgoing.append(0)
    }
    guard !isSent, let taken = send(Array(outgoing[sentCount...])) else { return false }
    sentCount += taken
    return taken > 0
  }
}
