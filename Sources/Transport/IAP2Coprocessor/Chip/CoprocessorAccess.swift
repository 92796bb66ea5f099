// swift-iap2 · Apache-2.0

public import IAP2Authentication

/// A coprocessor of this machine, or one that another program shares. Several tasks may call it at once; their calls
/// run one after another.
public protocol CoprocessorAccess: Sendable {
  /// Returns the chip's identification.
  func information() async throws(CoprocessorError) -> CoprocessorInformation
  /// Returns the accessory's certificate, PKCS#7 in DER.
  func certificate() async throws(CoprocessorError) -> [UInt8]
  /// Returns the certificate's serial number as the chip stores it, without padding.
  func serialNumber() async throws(CoprocessorError) -> [UInt8]
  /// Signs a challenge.
  ///
  /// - Parameter challenge: 20 bytes for 2.0C, 32 bytes for 3.0.
  /// - Returns: 128 bytes for 2.0C, 64 bytes for 3.0.
  func sign(challenge: [UInt8]) async throws(CoprocessorError) -> [UInt8]
  /// Runs the chip's self test and returns its result.
  func selfTest() async throws(CoprocessorError) -> ChipSelfTest
  /// Closes the connection to the chip.
  func close() async
  /// The address in the form that `--authenticator` accepts, with the chip that was found.
  var address: String { get }
}

/// The identification of a chip.
public struct CoprocessorInformation: Sendable, Equatable {
  /// The device version, register 00.
  public var deviceVersion: UInt8
  /// The authentication revision, register 01.
  public var revision: UInt8
  /// The major version of the authentication protocol, register 02.
  public var protocolMajor: UInt8
  /// The minor version of the authentication protocol, register 03.
  public var protocolMinor: UInt8
  /// The device id, register 04.
  public var deviceID: UInt32

  /// Creates an identification.
  public init(
    deviceVersion: UInt8, revision: UInt8, protocolMajor: UInt8, protocolMinor: UInt8, deviceID: UInt32
  ) {
    self.deviceVersion = deviceVersion
    self.revision = revision
    self.protocolMajor = protocolMajor
    self.protocolMinor = protocolMinor
    self.deviceID = deviceID
  }

  /// The chip's version; nil if it is unknown.
  public var version: ChipVersion? { ChipVersion(rawValue: deviceVersion) }
}

/// The result of a chip's self test.
public struct ChipSelfTest: Sendable, Equatable {
  /// The value of register 40.
  public var status: UInt8

  /// Creates a result from the value of register 40.
  public init(status: UInt8) { self.status = status }

  /// Whether the chip has found a certificate.
  public var hasCertificate: Bool { status & Register.SelfTest.certificateBit != 0 }
  /// Whether the chip has found a key.
  public var hasKey: Bool { status & Register.SelfTest.keyBit != 0 }
}

/// A head unit's authenticator that uses a coprocessor.
public struct CoprocessorAuthenticator: Authenticator {
  private let chip: any CoprocessorAccess

  /// Creates an authenticator.
  public init(_ chip: any CoprocessorAccess) { self.chip = chip }

  /// Returns the chip's certificate.
  public func certificate() async throws(AuthenticationError) -> [UInt8] {
    do { return try await chip.certificate() } catch { throw .coprocessorFailed(reason: "\(error)") }
  }

  /// Returns the chip's signature of a challenge.
  public func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    do { return try await chip.sign(challenge: challenge) } catch { throw .coprocessorFailed(reason: "\(error)") }
  }

  /// Returns the serial number of the chip's certificate.
  public func serialNumber() async throws(AuthenticationError) -> [UInt8] {
    do { return try await chip.serialNumber() } catch { throw .coprocessorFailed(reason: "\(error)") }
  }
}
