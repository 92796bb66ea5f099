// swift-iap2 · Apache-2.0

import Foundation
import PortingSupport
import Testing

struct MainQueueTests {
  @Test("The main actor and blocks of the main queue run on the main queue, other code does not")
  func mainQueue() async {
    #expect(await MainActor.run { MainQueue.isCurrent })
    let isCurrentInABlock = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: MainQueue.isCurrent) }
    }
    #expect(isCurrentInABlock)
    #expect(await !Task.detached { MainQueue.isCurrent }.value)
  }
}
