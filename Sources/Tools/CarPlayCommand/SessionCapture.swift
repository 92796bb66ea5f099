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
    file = try OutputFile.open(path, isSole: true)
  }

  /// Starts the file. Other users cannot read it, because a session carries the content of the phone's screen.
  func begin() throws {
    if FileIdentity(descriptor: file.fileDescriptor) != nil { fchmod(file.fileDescriptor, 0o600) }
    OutputFile.empty(file)
    state.withLock { write($0.writer.header, &$0.problem) }
    try check()
    Output.note("\(path) gets every byte of the session's sockets; what is encrypted stays encrypted in it")
  }

  /// The function that receives the records of the sockets.
  var tap: @Sendable (SocketRecord) -> Void { { self.take($0) } }

  private func take(_ record: SocketRecord) {
    let path = NetworkCaptureWriter.Path(local: Self.end(record.local), remote: Self.end(record.remote))
    let content: NetworkCaptureWriter.Record =
      switch record.content {
      case .opened(let isOwn): .opened(isOwn: isOwn)
      case .bytes(let bytes, let isOwn):
        record.socket.isDatagram ? .datagram(bytes, isOwn: isOwn) : .bytes(bytes, isOwn: isOwn)
      case .closed(let isOwn): .closed(isOwn: isOwn)
      }
    state.withLock { state in
      let bytes = state.writer.record(content, on: path, nanoseconds: now)
      write(bytes, &state.problem)
    }
  }

  private static func end(_ end: SocketRecord.Endpoint) -> NetworkCaptureWriter.Endpoint {
    NetworkCaptureWriter.Endpoint(address: bytes(of: end.host), port: end.port)
  }

  /// Returns the bytes of an address: 4 for IPv4, 16 for IPv6.
  private static func bytes(of host: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET6, host, &bytes) == 1 { return bytes }
    _ = unsafe inet_pton(AF_INET, host, &bytes)
    return Array(bytes.prefix(4))
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
