// swift-iap2 · Apache-2.0

package import CarPlayLive
import CarPlaySession
import CarPlaySimulation
import CommandSupport
import Glibc
package import IAP2Capture
package import IAP2Scenario

/// A function that receives the records of a session's sockets, in the form of captures.
package struct SocketTap: Sendable {
  private let write: @Sendable (NetworkCaptureWriter.Record, NetworkCaptureWriter.Path) -> Void
  /// Writes secrets into the capture, as the text of a key log.
  package let writeSecrets: @Sendable (_ text: [UInt8]) -> Void

  package init(
    secrets: @escaping @Sendable (_ text: [UInt8]) -> Void,
    _ write: @escaping @Sendable (NetworkCaptureWriter.Record, NetworkCaptureWriter.Path) -> Void
  ) {
    (self.write, writeSecrets) = (write, secrets)
  }

  /// Reports on stderr that a capture has the bytes of the sockets.
  ///
  /// - Parameter hasSecrets: Whether it gets the secrets of the sessions, too.
  package static func report(_ path: String, hasSecrets: Bool) {
    Output.note(
      "\(path) gets every byte of the session's sockets"
        + (hasSecrets
          ? ", and the secrets that open them: who has the file can read the session"
          : "; what is encrypted stays encrypted in it"))
  }

  /// The function, as a runner takes it.
  package var receive: @Sendable (SocketRecord) -> Void { { take($0) } }

  private func take(_ record: SocketRecord) {
    let content: NetworkCaptureWriter.Record =
      switch record.content {
      case .opened(let isOwn): .opened(isOwn: isOwn)
      case .bytes(let bytes, let isOwn):
        record.socket.isDatagram ? .datagram(bytes, isOwn: isOwn) : .bytes(bytes, isOwn: isOwn)
      case .closed(let isOwn): .closed(isOwn: isOwn)
      }
    write(content, NetworkCaptureWriter.Path(local: Self.end(record.local), remote: Self.end(record.remote)))
  }

  /// Takes a record of a network in memory, in which each side has an address of its own.
  fileprivate func take(_ record: NetworkRecord) {
    let content: NetworkCaptureWriter.Record =
      switch record.content {
      case .opened(let isOwn): .opened(isOwn: isOwn)
      case .bytes(let bytes, let isOwn): .bytes(bytes, isOwn: isOwn)
      case .datagram(let bytes, let isOwn): .datagram(bytes, isOwn: isOwn)
      case .closed(let isOwn): .closed(isOwn: isOwn)
      }
    write(
      content,
      NetworkCaptureWriter.Path(
        local: NetworkCaptureWriter.Endpoint(address: Self.bytes(of: "fe80::1"), port: record.path.port),
        remote: NetworkCaptureWriter.Endpoint(
          address: Self.bytes(of: "fe80::\(record.path.phone + 2)"), port: record.path.phonePort)))
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
}

extension SessionTap {
  /// Creates a tap that writes into a capture and a key log; nil for none. The keys of a scenario are those of tests, so
  /// the capture always gets the secrets.
  package init?(capture: SocketTap?, keyLog: KeyLog?) {
    guard capture != nil || keyLog != nil else { return nil }
    self.init(
      record: { capture?.take($0) },
      secret: { secret in
        capture?.writeSecrets(Array((secret.keyLogLine + "\n").utf8))
        keyLog?.receive(secret)
      })
  }
}
