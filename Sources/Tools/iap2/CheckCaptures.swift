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
