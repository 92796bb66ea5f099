// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import Glibc

/// The app's end of the connection to the program that drives it.
final class ControlWire: Sendable {
  private let descriptor: Int32

  /// The time in seconds within which an app must end after the connection is closed. Its main thread may hang.
  private static let secondsToEnd = 2

  /// Creates an end from an inherited descriptor; nil if it is not an open stream socket.
  init?(_ descriptor: Int32) {
    var kind: Int32 = 0
    var count = socklen_t(MemoryLayout<Int32>.size)
    guard descriptor > STDERR_FILENO, unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &count) == 0,
      kind == Int32(SOCK_STREAM.rawValue)
    else { return nil }
    // Child processes of the app must not inherit the connection; otherwise the peer would not see its end.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
  }

  /// Writes a line. Ends the process if the line cannot be sent, such as after the peer closed the connection.
  func send(_ report: CarReport) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line: [UInt8]
    do { line = Array(try encoder.encode(report)) + [0x0A] } catch {
      preconditionFailure("a report has no JSON: \(error)")
    }
    var sent = 0
    while sent < line.count {
      let count = unsafe line.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { exit(0) }
      sent += count
    }
  }

  /// Returns the lines of the other program, until it closes the connection.
  func lines() -> AsyncStream<[UInt8]> {
    let (stream, lines) = AsyncStream<[UInt8]>.makeStream()
    let thread = Thread { [self] in
      var line: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        for byte in buffer[..<count] {
          if byte != 0x0A {
            line.append(byte)
          } else {
            lines.yield(line)
            line = []
          }
        }
        guard line.count <= CarControl.maximumLineByteCount else { break }
      }
      lines.finish()
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.secondsToEnd)) { _exit(0) }
    }
    thread.start()
    return stream
  }
}
