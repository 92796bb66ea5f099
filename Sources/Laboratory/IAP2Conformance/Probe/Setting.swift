// swift-iap2 · Apache-2.0

public import IAP2Authentication
public import IAP2Capture
import IAP2Runtime
public import IAP2Transport

/// The settings of a suite: the connections to the peer, and the probe's own identity.
public struct Setting: Sendable {
  /// The clock of all waits.
  public var clock: any RuntimeClock
  /// A function that returns the next connection to the peer, or nil when no further connection is possible. Each check
  /// has its own connection, and some reconnect.
  public var connect: @Sendable () async throws(TransportError) -> (any ByteTransport)?
  /// A function that ends a wait of ``connect`` permanently. The default has no effect.
  public var giveUp: @Sendable () async -> Void = {}
  /// A function that starts a peer again that has not connected within the time of an answer; nil, the default, if
  /// nothing can.
  public var restart: (@Sendable () async -> Void)?
  /// The authenticator of the probe as a head unit; the software test authenticator by default.
  public var authenticator: any Authenticator = SoftwareAuthenticator.test
  /// Whether the peer trusts the certificate of ``authenticator``; true by default. If not, its rejection of a correct
  /// response is inconclusive.
  public var isTrusted = true
  /// The EA protocol in the probe's identification as a head unit.
  public var protocolName = Setting.defaultProtocolName
  /// Whether all checks share one transport that stays open, such as a ``SharedLine``; false by default. Each check
  /// then starts with a reset.
  public var keepsTransport = false
  /// A function that returns the capture for the bytes of a check, or nil for none.
  public var capture: @Sendable (Check) -> CaptureLog? = { _ in nil }

  /// The default EA protocol, `com.example.conformance`.
  public static let defaultProtocolName = "com.example.conformance"
  /// The time limit for an answer of the peer in milliseconds; 5000 by default. The limits for the peer's first bytes,
  /// for its next connection and for a whole check are multiples of it.
  public var answerMilliseconds = Setting.defaultAnswerMilliseconds
  /// The certificates and responses that the probe accepts from a head unit; ``AccessoryTrust/certificateKey`` by
  /// default.
  public var accessoryTrust = AccessoryTrust.certificateKey

  /// The default of ``answerMilliseconds``. The slowest coprocessor needs 1.65 s for a signature
  /// (Authentication.md#signing-time).
  public static let defaultAnswerMilliseconds = 5000
  /// The time limit for a new connection of the peer, in milliseconds. Cars and phones reconnect within seconds.
  public var comeBackMilliseconds: Int { 6 * answerMilliseconds }
  /// The time limit of a check in milliseconds.
  var checkMilliseconds: Int { Check.limitMilliseconds / Self.defaultAnswerMilliseconds * answerMilliseconds }
  /// The time after the reset on a shared transport in which received bytes belong to the previous link, in
  /// milliseconds.
  static let drainMilliseconds = 300

  /// Creates settings with the defaults of the other properties.
  public init(
    clock: any RuntimeClock,
    connect: @escaping @Sendable () async throws(TransportError) -> (any ByteTransport)?
  ) {
    self.clock = clock
    self.connect = connect
  }
}

/// The certificates and responses that the probe accepts as a phone.
public enum AccessoryTrust: Sendable {
  /// Any certificate, and a response by its key.
  case certificateKey
  /// Any certificate and any response: their contents are not checked.
  case any
  /// A certificate that the verifier trusts, and a response by its key.
  case verifier(AuthenticationVerifier)
}

/// The result of a request for a connection.
enum Connected: Sendable {
  case transport(any ByteTransport)
  case failed(String)
  case error(TransportError)
}
