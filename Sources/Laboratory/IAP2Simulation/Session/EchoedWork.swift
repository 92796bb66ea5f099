// swift-iap2 · Apache-2.0

import IAP2

/// One end of an EA session of a simulation: the app or the accessory.
///
/// The app sends an order and as many bytes as the order says, and gets as many as the order asks for. When it has
/// everything, it sends a zero, and the accessory ends the session.
struct EchoedWork: Sendable {
  private enum Part: Sendable { case app, accessory }

  private let part: Part
  /// The order's bytes, until they are complete.
  private var orderBytes: [UInt8] = []
  private var outgoing: [UInt8]
  private var sentCount = 0
  private var check: SimulatedContent.Check?
  private var hasSentLast = false
  /// Something that was not sent has arrived.
  private(set) var isDifferent = false

  /// The app's end.
  init(app order: SimulatedContent.Order) {
    part = .app
    outgoing = order.bytes + SimulatedContent.bytes(order.toAccessory, seed: order.seed)
    check = SimulatedContent.Check(count: order.toApp, seed: ~order.seed)
  }

  /// The accessory's end, which reads what it has to do.
  static var accessory: EchoedWork { EchoedWork() }

  private init() {
    part = .accessory
    outgoing = []
  }

  /// Everything that was to come has come.
  var isWhole: Bool { check?.isWhole ?? false }
  /// Everything that was to be sent was taken.
  var isSent: Bool { sentCount == outgoing.count }
  /// Both directions are done.
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
    // Nothing may come behind the end.
    if check?.isWhole == true || check?.take(bytes) == false { isDifferent = true }
  }

  /// Offers what is to be sent to `send`, which gives the number of bytes it took, or nil when the session takes no more.
  ///
  /// - Returns: true when something was taken.
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
