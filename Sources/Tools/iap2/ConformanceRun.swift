// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2Capture
import IAP2Conformance
import Synchronization

/// The captures of the checks, one file each.
final class CheckCaptures: Sendable {
  private struct State {
    var current: CaptureFile?
    var failure: CommandFailure?
  }

  private let folder: String?
  private let state = Mutex(State())

  init(_ folder: String?) { self.folder = folder }

  private func path(_ check: IAP2Conformance.Check) -> String? { folder.map { "\($0)/\(check.id).pcapng" } }

  func begin(_ check: IAP2Conformance.Check, now: @escaping @Sendable () -> Int64) -> CaptureLog? {
    guard let path = path(check) else { return nil }
    return state.withLock { state in
      do {
        let file = try CaptureFile(path, now: now)
        state.current = file
        return file.log
      } catch {
        state.failure = error as? CommandFailure ?? CommandFailure(.failed, "cannot write \(path)")
        return nil
      }
    }
  }

  /// Ends the capture of a check and returns its file.
  func end(_ check: IAP2Conformance.Check) -> String? {
    state.withLock { state in
      defer { state.current = nil }
      do { try state.current?.check() } catch { state.failure = error as? CommandFailure }
      return state.current == nil ? nil : path(check)
    }
  }

  func check() throws { if let failure = state.withLock({ $0.failure }) { throw failure } }

  /// Throws if an older capture of a check cannot be replaced, before an hour of checks.
  static func checkWritable(_ checks: [IAP2Conformance.Check], in folder: String) throws {
    for check in checks {
      let path = "\(folder)/\(check.id).pcapng"
      guard unsafe access(path, F_OK) == 0, unsafe access(path, W_OK) != 0 else { continue }
      let reason = unsafe String(cString: strerror(errno))
      throw CommandFailure(.noPermission, "cannot write \(path): \(reason); name another folder")
    }
  }
}

/// The progress of the checks, as a line on stderr.
final class CheckProgress: Sendable {
  private let count: Int
  private let line: ProgressLine
  private let current = Mutex<(number: Int, check: IAP2Conformance.Check?)>((0, nil))
  private let ticks = Mutex<Task<Void, Never>?>(nil)

  /// Nil if stderr is not a terminal.
  init?(_ count: Int) {
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

  func begin(_ check: IAP2Conformance.Check) {
    current.withLock { $0 = ($0.number + 1, check) }
    show()
  }

  func clear() { line.clear() }

  func end() {
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
