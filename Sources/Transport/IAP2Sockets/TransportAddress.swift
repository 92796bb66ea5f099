// swift-iap2 · Apache-2.0

public import IAP2Transport
import NIOCore

/// The address of a TCP or Unix socket, a pseudo-terminal or a serial line. Commands take it as one string.
public enum TransportAddress: Sendable, Equatable {
  /// A connection to a TCP server.
  case tcp(host: String, port: Int)
  /// A TCP listener. Port 0 lets the system choose one.
  case tcpListen(host: String, port: Int)
  /// A connection to a Unix socket.
  case unix(path: String)
  /// A listener on a Unix socket.
  case unixListen(path: String)
  /// A new pseudo-terminal.
  case pty
  /// A serial line with 8 data bits, no parity and one stop bit.
  case serial(device: String, baud: Int)

  /// The speed of a serial line if the address gives none. A real Lightning serial accessory uses it with iAP1 frames
  /// (USB.md#serial-speed; FREE, medium); for iAP2 it is unverified.
  public static let defaultBaud = 57_600

  /// The longest path of a Unix socket in bytes: `sun_path` of unix(7) has 108 bytes with the terminating zero.
  static let maximumPathByteCount = 107

  /// The reason why a text is not an address.
  public enum Problem: Error, Equatable, Sendable {
    /// The text has no known scheme.
    case unknownScheme(String)
    /// The scheme needs a path or a device and the text has none.
    case missingPath(scheme: String)
    /// The text after the scheme is not HOST:PORT with a port of 0…65535 (0 only to listen).
    case badHostAndPort(String)
    /// The text after the device's `@` is not a supported speed.
    case badBaud(String)
    /// The path of a socket is longer than the system's limit in bytes.
    case pathTooLong(limit: Int)
  }

  /// The accepted forms of an address.
  public static let forms =
    "tcp:HOST:PORT, tcp-listen:HOST:PORT, unix:PATH, unix-listen:PATH, pty, serial:DEVICE[@BAUD]"

  /// Parses one of ``forms``. An IPv6 address of a host may stand in brackets.
  public init(parsing text: String) throws(Problem) {
    if text == "pty" {
      self = .pty
      return
    }
    guard let colon = text.firstIndex(of: ":") else { throw .unknownScheme(text) }
    let scheme = String(text[..<colon])
    let rest = String(text[text.index(after: colon)...])
    switch scheme {
    case "tcp":
      let (host, port) = try Self.hostAndPort(rest, minimum: 1)
      self = .tcp(host: host, port: port)
    case "tcp-listen":
      let (host, port) = try Self.hostAndPort(rest, minimum: 0)
      self = .tcpListen(host: host, port: port)
    case "unix", "unix-listen":
      guard !rest.isEmpty else { throw .missingPath(scheme: scheme) }
      guard rest.utf8.count <= Self.maximumPathByteCount else { throw .pathTooLong(limit: Self.maximumPathByteCount) }
      self = scheme == "unix" ? .unix(path: rest) : .unixListen(path: rest)
    case "serial":
      guard !rest.isEmpty else { throw .missingPath(scheme: scheme) }
      guard let at = rest.lastIndex(of: "@") else {
        self = .serial(device: rest, baud: Self.defaultBaud)
        return
      }
      let digits = String(rest[rest.index(after: at)...])
      guard let baud = Int(digits), Terminal.speed(baud) != nil, at > rest.startIndex else { throw .badBaud(digits) }
      self = .serial(device: String(rest[..<at]), baud: baud)
    default: throw .unknownScheme(scheme)
    }
  }

  /// Returns whether a host is this machine: `localhost` or a loopback address. Other names are not resolved, so they
  /// give false.
  public static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" { return true }
    do {
      // Only complete addresses parse, so a name such as `127.example` is none.
      let address = try SocketAddress(ipAddress: host, port: 0).ipAddress ?? ""
      return address.hasPrefix("127.") || address == "::1"
    } catch { return false }
  }

  private static func hostAndPort(_ text: String, minimum: Int) throws(Problem) -> (String, Int) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (minimum...65_535).contains(port)
    else { throw .badHostAndPort(text) }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { throw .badHostAndPort(text) }
    return (host, port)
  }

  /// Opens the transport: connects, or starts listening.
  public func open() async throws(TransportError) -> any TransportSource { try await open(limitsSilence: false) }

  /// Opens the transport: connects, or starts listening.
  ///
  /// - Parameter limitsSilence: Whether a listener disconnects a peer that sends nothing for 5 s while other peers
  ///   wait. A listener for iAP2 does, because each side of a link sends bytes within a second.
  package func open(limitsSilence: Bool) async throws(TransportError) -> any TransportSource {
    switch self {
    case .tcp(let host, let port): return SingleSource(try await SocketTransport.dial(host: host, port: port))
    case .unix(let path): return SingleSource(try await SocketTransport.dial(path: path))
    case .tcpListen(let host, let port):
      return try await SocketListener.open(host: host, port: port, limitsSilence: limitsSilence)
    case .unixListen(let path): return try await SocketListener.open(path: path, limitsSilence: limitsSilence)
    case .pty: return SingleSource(try await Terminal.createPseudoTerminal())
    case .serial(let device, let baud): return SingleSource(try await Terminal.open(device, baud: baud))
    }
  }
}

/// A source with one connection that is already open.
actor SingleSource: TransportSource {
  private var transport: (any ByteTransport)?
  nonisolated let address: String

  init(_ transport: any ByteTransport) {
    self.transport = transport
    address = transport.address
  }

  func next() -> (any ByteTransport)? {
    defer { transport = nil }
    return transport
  }

  func close() async {
    await transport?.close()
    transport = nil
  }
}
