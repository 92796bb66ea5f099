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
  private let store: Store
  private let hasSockets, hasSecrets: Bool

  /// The writer of the bytes. The header waits for ``begin()``, or for the first record if the file has content.
  private final class Store: Sendable {
    private struct State {
      var header: Data?
      var problem: String?
    }

    let file: FileHandle
    private let state = Mutex(State())

    init(_ file: FileHandle) { self.file = file }

    var problem: String? { state.withLock { $0.problem } }

    /// Keeps the header, which comes first, or writes a record. Returns false if it cannot.
    func take(_ bytes: [UInt8], isHeader: Bool) -> Bool {
      state.withLock { state in
        guard !isHeader else {
          state.header = Data(bytes)
          return true
        }
        return write(Data(bytes), &state)
      }
    }

    /// Writes the header into a new file.
    func begin() { state.withLock { if OutputFile.byteCount(file) == 0 { _ = write(Data(), &$0) } } }

    private func write(_ bytes: Data, _ state: inout State) -> Bool {
      do {
        if let header = state.header {
          state.header = nil
          OutputFile.empty(file)
          try file.write(contentsOf: header + bytes)
        } else {
          try file.write(contentsOf: bytes)
        }
      } catch {
        state.problem = InputFile.reason(error)
        return false
      }
      return true
    }
  }

  /// Opens or creates the file.
  ///
  /// - Parameters:
  ///   - hasSockets: Whether the sockets of a CarPlay session are written, too: those of ``tap``.
  ///   - hasSecrets: Whether the secrets of the sessions are written, too.
  ///   - now: nanoseconds since the Unix epoch.
  init(
    _ path: String, hasSockets: Bool = false, hasSecrets: Bool = false,
    now: @escaping @Sendable () -> Int64 = CaptureFile.wallClock
  ) throws {
    self.path = path
    let format = CaptureWriter.Format(path: path) ?? .pcapng
    (self.hasSockets, self.hasSecrets) = (hasSockets && format == .pcapng, hasSecrets)
    let store = Store(
      try OutputFile.open(path, isSole: hasSockets, isPrivate: hasSockets && format == .pcapng))
    self.store = store
    let hasHeader = Atomic(false)
    log = CaptureLog(format, hasPackets: hasSockets, now: now) { bytes in
      store.take(bytes, isHeader: !hasHeader.exchange(true, ordering: .relaxed))
    }
    if hasSockets, format != .pcapng {
      Output.note("\(path) gets the link alone; to capture the session's sockets, too, end the name in .pcapng")
    }
    if !hasSockets { try begin() }
  }

  /// The function that receives the records of the sockets of a CarPlay session.
  var tap: SocketTap { SocketTap(secrets: { [log] in log.add(secrets: $0) }, { [log] in log.add($0, on: $1) }) }

  /// Starts a file with sockets, when all files of the command are known; it gets mode 0600. Others are started already.
  func begin() throws {
    if hasSockets {
      try OutputFile.hide(store.file, path)
      SocketTap.report(path, hasSecrets: hasSecrets)
    }
    store.begin()
    try check()
  }

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
    guard let reason = store.problem else { return }
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
