// swift-iap2 · Apache-2.0

/// A register of the authentication coprocessor: an address of one byte, with one to 128 bytes of data.
///
/// The chip's 7-bit bus address is 10 if its reset pin is low at start, and 11 if the pin is high. After a register's
/// last byte, a transfer continues with the next register of the same block. Numbers are big-endian. Unless stated
/// otherwise, the evidence is the driver of ADK and two accessory implementations that sign for real phones
/// (Authentication.md#coprocessor; high).
public struct Register: Sendable, Hashable {
  /// The address of the register.
  public let address: UInt8
  /// The size of the register in bytes; the largest one if versions differ.
  public let byteCount: Int
  /// The name of the register for messages.
  public let name: String

  private init(_ address: UInt8, _ byteCount: Int, _ name: String) {
    (self.address, self.byteCount, self.name) = (address, byteCount, name)
  }

  /// The device version: 05 for 2.0C, 07 for 3.0.
  public static let deviceVersion = Register(0x00, 1, "device version")
  /// The authentication revision; in 2.0C the firmware version.
  public static let revision = Register(0x01, 1, "authentication revision")
  /// The major version of the authentication protocol.
  public static let protocolMajor = Register(0x02, 1, "protocol major version")
  /// The minor version of the authentication protocol.
  public static let protocolMinor = Register(0x03, 1, "protocol minor version")
  /// The device id.
  public static let deviceID = Register(0x04, 4, "device id")
  /// The code of the last error. Reading the register clears it (Authentication.md#register-error: ADK reads it for
  /// that purpose, medium).
  public static let errorCode = Register(0x05, 1, "error code")

  /// The command register on writing, the status register on reading: see ``Control`` and ``Status``.
  public static let control = Register(0x10, 1, "control and status")
  /// The length of the response in bytes. 2.0C needs it before the command.
  public static let responseLength = Register(0x11, 2, "response length")
  /// The response.
  public static let response = Register(0x12, 128, "response")
  /// The length of the challenge in bytes. 2.0C needs it before the command; 3.0 has a fixed length.
  public static let challengeLength = Register(0x20, 2, "challenge length")
  /// The challenge.
  public static let challenge = Register(0x21, 128, "challenge")
  /// The length of the certificate in bytes.
  public static let certificateLength = Register(0x30, 2, "certificate length")

  /// Returns the register of a part of the certificate, counted from 0.
  public static func certificate(part: Int) -> Register {
    Register(0x31 + UInt8(truncatingIfNeeded: part), 128, "certificate part \(part + 1)")
  }

  /// The self test: see ``SelfTest``.
  public static let selfTest = Register(0x40, 1, "self test")
  /// The event counter of 2.0C. It decreases by one each second. A program that switches off the chip's power first
  /// waits for 0 (Authentication.md#register-event-counter: ADK, medium).
  public static let systemEventCounter = Register(0x4D, 1, "system event counter")
  /// The serial number of the certificate.
  public static let serialNumber = Register(0x4E, 32, "certificate serial number")
  /// The length of an Apple device's certificate, in 2.0C only. Registers 51 to 58 are its parts. Not used here.
  public static let deviceCertificateLength = Register(0x50, 2, "device certificate length")
  /// The sleep register. A write sends the chip to sleep (medium). Not used here.
  public static let sleep = Register(0x60, 1, "sleep")

  /// The commands of ``control``.
  public enum Control {
    /// The command to sign the challenge.
    public static let sign: UInt8 = 0x01
  }

  /// The values of ``control`` on reading.
  public enum Status {
    /// The command is done.
    public static let done: UInt8 = 0x10
    /// The bit of a failed command. ``Register/errorCode`` has the reason.
    public static let failedBit: UInt8 = 0x80
  }

  /// The values of ``selfTest``, and the command that 2.0C needs first.
  public enum SelfTest {
    /// The command that starts the self test of 2.0C.
    public static let start: UInt8 = 0x01
    /// The bit of a certificate that was found.
    public static let certificateBit: UInt8 = 0x80
    /// The bit of a key that was found.
    public static let keyBit: UInt8 = 0x40
  }

  /// The possible bus addresses of the chip, seven bits.
  public static let addresses: [UInt8] = [0x10, 0x11]
}

/// The version of a chip, by the value of register 00.
public enum ChipVersion: UInt8, Sendable, CaseIterable {
  /// Version 2.0C.
  case version2C = 0x05
  /// Version 3.0.
  case version3 = 0x07

  /// The usual name of the version.
  public var name: String {
    switch self {
    case .version2C: "2.0C"
    case .version3: "3.0"
    }
  }

  /// The major version of the authentication protocol.
  public var protocolMajor: UInt8 {
    switch self {
    case .version2C: 2
    case .version3: 3
    }
  }

  /// The device id.
  public var deviceID: UInt32 {
    switch self {
    case .version2C: 0x0000_0200
    case .version3: 0x0000_0300
    }
  }

  /// The length of a challenge in bytes. 2.0C takes the size of a SHA-1 digest; 3.0 uses the challenge as a SHA-256
  /// digest (high).
  public var challengeByteCount: Int {
    switch self {
    case .version2C: 20
    case .version3: 32
    }
  }

  /// The length of a response in bytes. 2.0C returns an RSA-1024 signature, 3.0 the raw r‖s of P-256 (high).
  public var responseByteCount: Int {
    switch self {
    case .version2C: 128
    case .version3: 64
    }
  }

  /// The number of certificate registers, from 31 on, with 128 bytes each. Real 3.0 certificates have 607 to 609 bytes
  /// (Authentication.md#certificate: ADK rejects others), real 2.0 ones about 910. This driver requires neither.
  public var certificatePartCount: Int {
    switch self {
    case .version2C: 10
    case .version3: 5
    }
  }

  /// The size of the serial number register in bytes.
  public var serialByteCount: Int {
    switch self {
    case .version2C: 31
    case .version3: 32
    }
  }

  /// Whether the chip needs the lengths before a command and a start of its self test. 2.0C does; 3.0 has fixed
  /// lengths.
  public var isReported: Bool { self == .version2C }
}

/// An error code from register 05. 3.0 uses only 2, 5 and 6 (Authentication.md#register-error: ADK, medium).
public struct ChipError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of register 05.
  public let code: UInt8

  /// Creates an error from a value of register 05.
  public init(code: UInt8) { self.code = code }

  /// The register cannot be read.
  public static let badReadRegister = ChipError(code: 0x01)
  /// The register cannot be written.
  public static let badWriteRegister = ChipError(code: 0x02)
  /// The response length is wrong.
  public static let badResponseLength = ChipError(code: 0x03)
  /// The challenge length is wrong.
  public static let badChallengeLength = ChipError(code: 0x04)
  /// The command is out of sequence, or the certificate length is wrong.
  public static let outOfSequence = ChipError(code: 0x05)
  /// Signing failed in the chip.
  public static let signingFailed = ChipError(code: 0x06)

  private static let names: [UInt8: String] = [
    0x01: "no such register to read", 0x02: "no such register to write", 0x03: "wrong response length",
    0x04: "wrong challenge length", 0x05: "command out of sequence, or wrong certificate length",
    0x06: "internal error while signing", 0x07: "internal error while making a challenge",
    0x08: "internal error while verifying a response", 0x09: "internal error while validating a certificate",
    0x0A: "no such command", 0x0B: "command out of sequence",
  ]

  /// All codes with a known meaning.
  public static let known = names.keys.sorted().map { ChipError(code: $0) }

  /// A description for users.
  public var description: String {
    let digits = String(code, radix: 16, uppercase: true)
    return "error \(code < 16 ? "0" : "")\(digits), \(Self.names[code] ?? "of unknown meaning")"
  }
}
