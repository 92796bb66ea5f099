// swift-iap2 · Apache-2.0

import Synchronization

/// A participant of a run in virtual time. Its waits are named when the run stalls.
package final class VirtualParty: Sendable {
  private struct State {
    var waits: [(number: Int, text: String)] = []
    var count = 0
    /// The participants that run inside this one.
    var innerCount = 0
  }

  /// The participant of the current task; nil outside of virtual time.
  @TaskLocal package static var current: VirtualParty?

  let name: String
  private let state = Mutex(State())

  init(_ name: String) { self.name = name }

  /// The lines about this participant; empty if it only waits for participants inside it.
  var lines: [String] {
    state.withLock { state in
      guard state.waits.isEmpty else { return state.waits.map { "\(name) waits for \($0.text)" } }
      guard state.innerCount == 0 else { return [] }
      return ["\(name) waits for something that is neither the clock nor an EA session"]
    }
  }

  /// Runs `body` and names it as a wait of the current participant.
  ///
  /// - Parameter text: What the task waits for, as a noun.
  package static func wait<Result>(
    for text: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation, _ body: () async -> Result
  ) async -> Result {
    guard let party = current else { return await body() }
    let number = party.begin(text())
    defer { party.end(number) }
    return await body()
  }

  private func begin(_ text: String) -> Int {
    state.withLock { state in
      state.count += 1
      state.waits.append((state.count, text))
      return state.count
    }
  }

  private func end(_ number: Int) { state.withLock { $0.waits.removeAll { $0.number == number } } }

  fileprivate func addInner(_ change: Int) { state.withLock { $0.innerCount += change } }
}

extension VirtualTime {
  /// Runs `body` as a participant of this name, whose waits are named when the run stalls.
  package func participant<Result: Sendable>(
    _ name: String, _ body: @Sendable () async throws -> Result
  ) async rethrows -> Result {
    let party = VirtualParty(name)
    let outer = VirtualParty.current
    outer?.addInner(1)
    add(party)
    defer {
      remove(party)
      outer?.addInner(-1)
    }
    return try await VirtualParty.$current.withValue(party) { try await body() }
  }
}
