// swift-iap2 · Apache-2.0

public import Foundation

/// The lines about a transport that the driver of an app opens for the app's phone, in place of the head unit in memory.
///
/// The driver sends the step `transport` with an ``Input``; the app sends ``CarReport/transport(_:)``. Each side sends the
/// next bytes only when the other one has passed on those before, so a slow side slows the other one down.
public enum CarTransport {
  /// The bytes of one line to the app at most: a transport that gives more is read in pieces.
  public static let maximumByteCount = 1 << 16
  /// The number of the last connection; a run has far fewer.
  public static let maximumConnection = 1_000_000_000

  /// A report of the driver about the transport.
  public enum Input: String, Sendable, Codable, Hashable, CaseIterable {
    /// The phone is on a transport from now on, and time is real.
    case use
    /// A connection is open; its address, and the seconds in which the head unit must be identified.
    case opened
    /// The head unit sent bytes.
    case received
    /// The last bytes of the phone were sent.
    case sent
    /// The result of a check: the challenge as bytes, or the reason against the certificate.
    case checked
    /// The result of a verification: the reason if the response is wrong.
    case verified
    /// The phone ends the connection in order.
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
      /// The app took the last bytes of the head unit.
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
    /// The number of the connection, as the driver counts them.
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
