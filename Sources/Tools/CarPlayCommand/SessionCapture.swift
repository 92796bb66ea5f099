// swift-iap2 · Apache-2.0

import Basics
import CarPlayLive
import CarPlaySession
import CommandSupport
import Foundation
import IAP2Capture
import Synchronization

/// The file of `--capture`: the sockets of a session as IP packets. Each record is one write, so the file is readable
/// even if the process is killed.
package final class SessionCapture: Sendable {
  private let path: String
  private let file: FileHandle
  /// The start of the capture on both clocks.
  private let start = (wall: Int64(Date().timeIntervalSince1970 * 1e9), session: SessionSystem.now)
  private let state = Mutex<(writer: NetworkCaptureWriter, problem: String?)>((NetworkCaptureWriter(), nil))

  /// Opens or creates the file. ``begin()`` empties it, when all files of the command are known.
  package init(_ path: String) throws {
    self.path = path
    file = try OutputFile.open(path, isSole: true, isPrivate: true)
  }

  /// Starts the file. Other users cannot read it.
  ///
  /// - Parameters:
  ///   - hasSecrets: Whether the secrets of the sessions are written, too.
  ///   - isQuiet: Whether the owner reports what the file gets.
  package func begin(hasSecrets: Bool, isQuiet: Bool = false) throws {
    try OutputFile.hide(file, path)
    OutputFile.empty(file)
    state.withLock { write($0.writer.header, &$0.problem) }
    try check()
    if !isQuiet { SocketTap.report(path, hasSecrets: hasSecrets) }
  }

  /// The function that receives the records of the sockets.
  package var tap: SocketTap {
    SocketTap(
      secrets: { text in self.state.withLock { self.write(DecryptionSecrets.bytes(text), &$0.problem) } },
      { record, path in
        self.state.withLock { state in
          let bytes = state.writer.record(record, on: path, nanoseconds: self.now)
          self.write(bytes, &state.problem)
        }
      })
  }

  /// The time in nanoseconds since the Unix epoch, on a clock that is never set back.
  private var now: Int64 { start.wall + SessionSystem.now.nanoseconds - start.session.nanoseconds }

  private func write(_ bytes: [UInt8], _ problem: inout String?) {
    guard problem == nil else { return }
    do { try file.write(contentsOf: Data(bytes)) } catch { problem = InputFile.reason(error) }
  }

  /// Throws if a record could not be written.
  package func check() throws {
    guard let reason = state.withLock({ $0.problem }) else { return }
    throw CommandFailure(.failed, "cannot write \(path): \(reason); the records written so far are readable")
  }
}
