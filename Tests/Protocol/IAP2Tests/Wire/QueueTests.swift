// swift-iap2 · Apache-2.0

import Testing

@testable import IAP2

@Suite struct QueueTests {
  /// Any order of appending and removing gives what an array gives.
  @Test(arguments: 1...20) func aQueueKeepsItsOrder(seed: UInt64) {
    var random = seed &* 0x9E37_79B9_7F4A_7C15
    var queue = Queue<UInt64>()
    var array: [UInt64] = []
    for step in 0..<5000 as Range<UInt64> {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Phases in which the queue grows and in which it shrinks.
      if random >> 33 & 7 < (step / 700 % 2 == 0 ? 5 : 3) {
        queue.append(step)
        array.append(step)
      } else {
        queue.removeFirst()
        if !array.isEmpty { array.removeFirst() }
      }
      #expect(queue.first == array.first && queue.isEmpty == array.isEmpty)
    }
    queue.removeAll()
    #expect(queue.isEmpty && queue.first == nil)
  }

  /// A removed element is released at once, and the places of removed elements are freed.
  @Test func removedElementsAreReleased() {
    final class Element: Sendable {}
    var queue = Queue<Element>()
    weak var first: Element?
    do {
      let element = Element()
      first = element
      queue.append(element)
    }
    for _ in 0..<1000 { queue.append(Element()) }
    #expect(first != nil)
    queue.removeFirst()
    #expect(first == nil)
    for _ in 0..<900 { queue.removeFirst() }
    #expect(queue.placeCount < 300)
  }
}
