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
        record.isDatagram ? .datagram(bytes, isOwn: isOwn) : .bytes(bytes, isOwn: isOwn)
      case .closed(let isOwn): .closed(isOwn: isOwn)
      }
    var (local, remote) = (Self.end(record.local), Self.end(record.remote))
    // A socket of both families has IPv4 as mapped addresses; on the network they are IPv4.
    if let one = Self.unmapped(local.address), let other = Self.unmapped(remote.address) {
      (local.address, remote.address) = (one, other)
    }
    write(content, NetworkCaptureWriter.Path(local: local, remote: remote))
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

  /// Returns the IPv4 address of a mapped one, `::ffff:192.0.2.1`; nil for another.
  private static func unmapped(_ address: [UInt8]) -> [UInt8]? {
    guard address.count == 16, address.prefix(10).allSatisfy({ $0 == 0 }), address[10] == 0xFF, address[11] == 0xFF
    else { return nil }
    return Array(address.suffix(4))
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
  /// Creates a tap that writes into captures and a key log; nil for none. The keys of a scenario are those of tests, so
  /// the captures always get the secrets.
  package init?(captures: [SocketTap], keyLog: KeyLog?) {
    guard !captures.isEmpty || keyLog != nil else { return nil }
    self.init(
      record: { record in for capture in captures { capture.take(record) } },
      secret: { secret in
        for capture in captures { capture.writeSecrets(Array((secret.keyLogLine + "\n").utf8)) }
        keyLog?.receive(secret)
      })
  }
}
