// swift-iap2 · Apache-2.0

import CarPlayCommand
import CommandSupport
import Foundation
import IAP2
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import Synchronization

/// The file of `--capture`. Every record is one write, so the file is readable even if the process is killed. An
/// existing file is replaced when the first record is written, not before.
final class CaptureFile: Sendable {
  let log: CaptureLog
  private let path: String
  private let problem: ProblemBox

  private final class ProblemBox: Sendable {
    let text = Mutex<String?>(nil)
  }

  /// - Parameters:
  ///   - hasSockets: Whether the sockets of a CarPlay session are written, too: those of ``tap``.
  ///   - now: nanoseconds since the Unix epoch.
  init(
    _ path: String, hasSockets: Bool = false, now: @escaping @Sendable () -> Int64 = CaptureFile.wallClock
  ) throws {
    self.path = path
    let format = CaptureWriter.Format(path: path) ?? .pcapng
    let file = try OutputFile.open(path)
    if hasSockets, format == .pcapng {
      OutputFile.hide(file)
      SocketTap.report(path)
    } else if hasSockets {
      Output.note("\(path) gets the link alone; a name in .pcapng has the sockets of the CarPlay session, too")
    }
    // If the file has content, the header waits for the first record.
    let header = Mutex<Data?>(nil)
    let isNew = OutputFile.byteCount(file) == 0
    let isStarted = Atomic(isNew)
    let problem = ProblemBox()
    self.problem = problem
    log = CaptureLog(format, hasPackets: hasSockets, now: now) { bytes in
      do {
        guard isStarted.load(ordering: .relaxed) else {
          guard let held = header.withLock({ $0 }) else {
            header.withLock { $0 = Data(bytes) }
            return true
          }
          isStarted.store(true, ordering: .relaxed)
          OutputFile.empty(file)
          try file.write(contentsOf: held + Data(bytes))
          return true
        }
        try file.write(contentsOf: Data(bytes))
      } catch {
        problem.text.withLock { $0 = InputFile.reason(error) }
        return false
      }
      return true
    }
    try check()
  }

  /// The function that receives what passes the sockets of a CarPlay session.
  var tap: SocketTap { SocketTap { [log] in log.add($0, on: $1) } }

  static func wallClock() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Writes the comment for an event, with the time of the event.
  ///
  /// - Parameter now: the time on the clock of the event.
  func note(_ timed: TimedEvent, of side: Side, now: MonotonicTime) {
    guard let note = timed.event.record?.note else { return }
    log.note(note, from: side, age: now.nanoseconds - timed.time.nanoseconds)
  }

  /// Throws if a record could not be written.
  func check() throws {
    guard let reason = problem.text.withLock({ $0 }) else { return }
    throw CommandFailure(.failed, "cannot write \(path): \(reason); the records written so far are readable")
  }
}

extension CaptureWriter.Format {
  /// The format of a file name's extension; nil for an unknown one.
  init?(path: String) {
    switch path.split(separator: ".").last?.lowercased() {
    case "pcapng", "ntar": self = .pcapng
    case "btsnoop", "log": self = .btsnoop
    case "txt": self = .text
    default: return nil
    }
  }
}
