// swift-iap2 · Apache-2.0

public import IAP2Authentication

/// What can be asked of a coprocessor, whether it is on this machine or shared by another. May be called by several tasks
/// at once; they take turns.
public protocol CoprocessorAccess: Sendable {
  func information() async throws(CoprocessorError) -> CoprocessorInformation
  /// The accessory's certificate, PKCS#7 in DER.
  func certificate() async throws(CoprocessorError) -> [UInt8]
  /// The certificate's serial number, as the chip has it, without what fills it up.
  func serialNumber() async throws(CoprocessorError) -> [UInt8]
  /// - Parameter challenge: 20 bytes for 2.0C, 32 for 3.0.
  /// - Returns: 128 bytes, or 64.
  func sign(challenge: [UInt8]) async throws(CoprocessorError) -> [UInt8]
  func selfTest() async throws(CoprocessorError) -> ChipSelfTest
  func close() async
  /// As `--authenticator` takes it, with what was found of it.
  var address: String { get }
}

/// What a chip says it is.
public struct CoprocessorInformation: Sendable, Equatable {
  public var deviceVersion: UInt8
  public var revision: UInt8
  public var protocolMajor: UInt8
  public var protocolMinor: UInt8
  public var deviceID: UInt32

  public init(
    deviceVersion: UInt8, revision: UInt8, protocolMajor: UInt8, protocolMinor: UInt8, deviceID: UInt32
  ) {
    self.deviceVersion = deviceVersion
    self.revision = revision
    self.protocolMajor = protocolMajor
    self.protocolMinor = protocolMinor
    self.deviceID = deviceID
  }

  /// Nil for a version that is not known.
  public var version: ChipVersion? { ChipVersion(rawValue: deviceVersion) }
}

/// What a chip found in its memory, as register 40 has it.
public struct ChipSelfTest: Sendable, Equatable {
  public var status: UInt8

  public init(status: UInt8) { self.status = status }

  public var hasCertificate: Bool { status & Register.SelfTest.certificateBit != 0 }
  public var hasKey: Bool { status & Register.SelfTest.keyBit != 0 }
}

/// A coprocessor as a head unit's authenticator.
public struct CoprocessorAuthenticator: Authenticator {
  private let chip: any CoprocessorAccess

  public init(_ chip: any CoprocessorAccess) { self.chip = chip }

  public func certificate() async throws(AuthenticationError) -> [UInt8] {
    do { return try await chip.certificate() } catch { throw .coprocessorFailed(reason: "\(error)") }
  }

  public func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    do { return try await chip.sign(challenge: challenge) } catch { throw .coprocessorFailed(reason: "\(error)") }
  }

  public func serialNumber() async throws(AuthenticationError) -> [UInt8] {
    do { return try await chip.serialNumber() } catch { throw .coprocessorFailed(reason: "\(error)") }
  }
}
