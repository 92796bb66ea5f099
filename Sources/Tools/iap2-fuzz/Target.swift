// swift-iap2 · Apache-2.0

import CarPlayConformance
import Foundation
import IAP2Fuzzing
import Synchronization

/// A target of this program: one of the library, or the probes of CarPlay sessions, whose module is above that of the
/// library's targets.
struct Target: Sendable {
  /// The name, as the command line and the folders of inputs have it.
  let name: String
  /// The longest input, in bytes.
  let maximumByteCount: Int
  /// Checks every invariant with an input. Returns false for an input of another target.
  let check: @Sendable ([UInt8]) throws -> Bool

  /// All targets, in the order of the list.
  static let all: [Target] =
    FuzzTarget.allCases.map { target in
      Target(name: target.rawValue, maximumByteCount: target.maximumByteCount) { try target.check($0) }
    } + [
      Target(name: ProbeTarget.name, maximumByteCount: ProbeTarget.maximumByteCount) { try ProbeCheck($0).outcome() }
    ]

  /// Returns the target with a name; nil if there is none.
  static func named(_ name: String) -> Target? { all.first { $0.name == name } }
}

/// A check of the probes with one input, in a task.
private final class ProbeCheck: Sendable {
  private let finding = Mutex<ProbeTarget.Finding?>(nil)
  private let done = DispatchSemaphore(value: 0)

  /// Starts the check.
  init(_ bytes: [UInt8]) {
    Task.detached {
      do throws(ProbeTarget.Finding) { try await ProbeTarget.check(bytes) } catch {
        self.finding.withLock { $0 = error }
      }
      self.done.signal()
    }
  }

  /// Waits for the end of the check, because libFuzzer calls a function that returns when an input is done. The probes
  /// have virtual time, so nothing else waits.
  ///
  /// - Returns: True, because each input is a program.
  /// - Throws: The invariant that failed.
  func outcome() throws -> Bool {
    done.wait()
    if let finding = finding.withLock(\.self) { throw finding }
    return true
  }
}
