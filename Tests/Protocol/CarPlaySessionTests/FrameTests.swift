// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import Testing
import WireSupport

@Suite struct FrameTests {
  private let key = Secret([UInt8](repeating: 7, count: 32))

  @Test func framesComeBackHoweverTheyAreCut() throws {
    let text = (0..<5000).map { UInt8($0 & 0xFF) }
    var sealer = FrameSealer(key: key)
    let frames = sealer.seal(text)
    #expect(sealer.count == 5 && frames.count == text.count + 5 * 18)
    for piece in [1, 7, 1023, 4096, 10_000] {
      var opener = FrameOpener(key: key)
      var opened: [UInt8] = []
      for start in stride(from: 0, to: frames.count, by: piece) {
        opened += try opener.open(frames[start..<min(start + piece, frames.count)])
      }
      #expect(opened == text && opener.count == 5)
    }
  }

  @Test func aFrameOfAnotherKeyOrAnotherPlaceIsRefused() throws {
    var sealer = FrameSealer(key: key)
    let (first, second) = (sealer.seal([1, 2]), sealer.seal([3]))
    var reordered = FrameOpener(key: key)
    #expect(throws: FrameOpener.WrongFrame(number: 0, before: [])) { try reordered.open(second) }
    var replayed = FrameOpener(key: key)
    #expect(throws: FrameOpener.WrongFrame(number: 1, before: [1, 2])) { try replayed.open(first + first) }
    for index in first.indices where index != 1 {
      var flipped = first
      flipped[index] ^= 1
      var opener = FrameOpener(key: key)
      // A longer length waits for its bytes.
      let isRefused = (try? opener.open(flipped)) == nil
      #expect(isRefused || index == 0)
    }
  }

  @Test func anEmptyFrameCounts() throws {
    // Computed with Python's cryptography package.
    let tag = hex("f75dbb14764b532c9a9a742646ebab3f")
    var sealer = FrameSealer(key: key)
    _ = sealer.seal([9])
    var opener = FrameOpener(key: key)
    #expect(try opener.open([0, 0] + tag) == [] && opener.count == 1)
    #expect(try opener.open(sealer.seal([1, 2])) == [1, 2])
  }
}
