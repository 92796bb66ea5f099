// swift-iap2 · Apache-2.0

import CommandSupport
package import IAP2Conformance
import Synchronization

/// The progress of the checks, as a line on stderr.
package final class CheckProgress: Sendable {
  private let count: Int
  private let line: ProgressLine
  private let current = Mutex<(number: Int, check: Check?)>((0, nil))
  private let ticks = Mutex<Task<Void, Never>?>(nil)

  /// Nil if stderr is not a terminal.
  package init?(_ count: Int) {
    guard let line = ProgressLine() else { return nil }
    self.count = count
    self.line = line
    let task = Task { [weak self] in
      while !Task.isCancelled, let self {
        self.show()
        do { try await Task.sleep(for: .milliseconds(300)) } catch { return }
      }
    }
    ticks.withLock { $0 = task }
  }

  /// Shows the next check.
  package func begin(_ check: Check) {
    current.withLock { $0 = ($0.number + 1, check) }
    show()
  }

  /// Removes the line until the next check.
  package func clear() { line.clear() }

  /// Removes the line for good.
  package func end() {
    ticks.withLock { $0?.cancel() }
    line.clear()
  }

  private func show() {
    let (number, check) = current.withLock { $0 }
    line.show { elapsed in
      let time = "\(elapsed.components.seconds) s"
      guard let check else { return "looking for the peer, \(time)" }
      return "check \(number) of \(count), \(time): \(check.id) \(check.title)"
    }
  }
}
