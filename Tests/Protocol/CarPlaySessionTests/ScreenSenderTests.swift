// swift-iap2 · Apache-2.0

import Cryptography
import Testing

@testable import CarPlaySession

/// The pictures of a phone whose head unit reads slowly.
@Suite struct ScreenSenderTests {
  private func frame(isKey: Bool) -> ScreenMessage { ScreenMessage(.frame, isKeyFrame: isKey, body: [1]) }

  @Test
  func `behind a dropped picture none is sent before the next key frame`() {
    var sender = ScreenSender(ScreenSealer(key: Secret([UInt8](repeating: 1, count: 32))))
    sender.isWritable = false
    var taken = (0...ScreenSender.maximumQueued).map { _ in sender.add(frame(isKey: false)) }
    #expect(taken == [Bool](repeating: true, count: ScreenSender.maximumQueued) + [false])
    // There is room again, but a picture needs those before it.
    sender.isWritable = true
    while sender.next(at: .zero) != nil {}
    #expect(sender.queuedCount == 0)
    taken = [frame(isKey: false), ScreenMessage(.heartbeat), frame(isKey: true), frame(isKey: false)].map {
      sender.add($0)
    }
    #expect(taken == [false, true, true, true])
  }
}
