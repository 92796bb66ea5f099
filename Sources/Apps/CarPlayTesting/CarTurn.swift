// swift-iap2 · Apache-2.0

/// The turn of one car at a time: a verb of another car waits, so that tests can run side by side.
@MainActor
final class CarTurn {
  static let shared = CarTurn()

  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func begin() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func end() {
    if waiting.isEmpty {
      isTaken = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}
