// swift-iap2 · Apache-2.0

public import Foundation

/// The lines about a transport that the driver of an app opens for the app's phone. It replaces the head unit in
/// memory.
///
/// The driver sends the step `transport` with an ``Input``; the app sends ``CarReport/transport(_:)``. Each side sends
/// the next bytes only after the other side has passed on the previous ones, so a slow side slows down the other one.
public enum CarTransport {
  /// The maximum number of bytes in one line to the app. Longer input of a transport is split.
  public static let maximumByteCount = 1 << 16
  /// The largest connection number. A run has far fewer connections.
  public static let maximumConnection = 1_000_000_000

  /// A report of the driver about the transport.
  public enum Input: String, Sendable, Codable, Hashable, CaseIterable {
    /// The phone uses a transport from now on, and time is real.
    case use
    /// A connection is open. The line has its address and the time in seconds within which the head unit must be
    /// identified.
    case opened
    /// The head unit sent bytes.
    case received
    /// The last bytes of the phone were sent.
    case sent
    /// The result of a check: the challenge as bytes, or the reason why the certificate is rejected.
    case checked
    /// The result of a verification: the reason if the response is wrong.
    case verified
    /// The phone ends the connection cleanly.
    case disconnect
    /// The connection has ended.
    case ended
  }

  /// Work of the app for the driver.
  public struct Work: Sendable, Hashable, Codable {
    /// The kind of work.
    public enum Kind: String, Sendable, Codable, Hashable {
      /// The driver sends the bytes.
      case send
      /// The app processed the last bytes of the head unit.
      case taken
      /// The driver checks the certificate.
      case check
      /// The driver verifies the bytes as the response to the challenge.
      case verify
      /// The driver closes the connection.
      case close
    }

    /// The kind of work.
    public var work: Kind
    /// The number of the connection, assigned by the driver.
    public var connection: Int
    /// The bytes to send, or the response.
    public var bytes: Data?
    /// The challenge.
    public var challenge: Data?
    /// The certificate.
    public var certificate: Data?

    /// Creates work.
    public init(
      _ work: Kind, connection: Int, bytes: Data? = nil, challenge: Data? = nil, certificate: Data? = nil
    ) {
      self.work = work
      self.connection = connection
      self.bytes = bytes
      self.challenge = challenge
      self.certificate = certificate
    }
  }
}
