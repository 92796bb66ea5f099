// swift-iap2 · Apache-2.0

/// A register of the authentication coprocessor: a pointer of one byte, behind which one to 128 bytes lie.
///
/// The chip answers at the 7-bit address 10 or 11 (its reset pin low or high when it starts). After a register's last byte
/// a transfer goes on with the next register of the same block. Numbers are big-endian. Evidence for the whole map:
/// HomeKitADK's driver and two accessory implementations that sign for real phones, high, where nothing else is said.
public struct Register: Sendable, Hashable {
  public let address: UInt8
  /// The most bytes it has in any version.
  public let byteCount: Int
  public let name: String

  private init(_ address: UInt8, _ byteCount: Int, _ name: String) {
    (self.address, self.byteCount, self.name) = (address, byteCount, name)
  }

  public static let deviceVersion = Register(0x00, 1, "device version")
  /// Firmware version in 2.0C.
  public static let revision = Register(0x01, 1, "authentication revision")
  public static let protocolMajor = Register(0x02, 1, "protocol major version")
  public static let protocolMinor = Register(0x03, 1, "protocol minor version")
  public static let deviceID = Register(0x04, 4, "device id")
  /// Reading it clears it (HomeKitADK reads it for that, medium).
  public static let errorCode = Register(0x05, 1, "error code")

  /// Written, a command; read, how it went: see ``Control`` and ``Status``.
  public static let control = Register(0x10, 1, "control and status")
  public static let responseLength = Register(0x11, 2, "response length")
  public static let response = Register(0x12, 128, "response")
  public static let challengeLength = Register(0x20, 2, "challenge length")
  public static let challenge = Register(0x21, 128, "challenge")
  public static let certificateLength = Register(0x30, 2, "certificate length")

  /// Part of the certificate, from 0 on.
  public static func certificate(part: Int) -> Register {
    Register(0x31 + UInt8(truncatingIfNeeded: part), 128, "certificate part \(part + 1)")
  }

  public static let selfTest = Register(0x40, 1, "self test")
  /// 2.0C only: falls by one a second; whoever switches the chip's power waits for 0 (HomeKitADK, medium).
  public static let systemEventCounter = Register(0x4D, 1, "system event counter")
  public static let serialNumber = Register(0x4E, 32, "certificate serial number")
  /// Of the certificate of an Apple device, 2.0C only; 51 to 58 are its parts. Not used here.
  public static let deviceCertificateLength = Register(0x50, 2, "device certificate length")
  /// Written, sends the chip to sleep (medium). Not used here.
  public static let sleep = Register(0x60, 1, "sleep")

  /// What ``control`` takes.
  public enum Control {
    /// Sign the challenge.
    public static let sign: UInt8 = 0x01
  }

  /// What ``control`` shows.
  public enum Status {
    public static let done: UInt8 = 0x10
    /// The command failed; ``Register/errorCode`` says why.
    public static let failedBit: UInt8 = 0x80
  }

  /// What ``selfTest`` shows, and what 2.0C has to be given first.
  public enum SelfTest {
    public static let start: UInt8 = 0x01
    public static let certificateBit: UInt8 = 0x80
    public static let keyBit: UInt8 = 0x40
  }

  /// Where the chip answers.
  public static let addresses: [UInt8] = [0x10, 0x11]
}

/// The kinds of chip, by their register 00.
public enum ChipVersion: UInt8, Sendable, CaseIterable {
  case version2C = 0x05
  case version3 = 0x07

  public var name: String {
    switch self {
    case .version2C: "2.0C"
    case .version3: "3.0"
    }
  }

  public var protocolMajor: UInt8 {
    switch self {
    case .version2C: 2
    case .version3: 3
    }
  }

  public var deviceID: UInt32 {
    switch self {
    case .version2C: 0x0000_0200
    case .version3: 0x0000_0300
    }
  }

  /// Made for a SHA-1 digest, or used as a SHA-256 digest (high).
  public var challengeByteCount: Int {
    switch self {
    case .version2C: 20
    case .version3: 32
    }
  }

  /// An RSA-1024 signature, or the raw r‖s of P-256 (high).
  public var responseByteCount: Int {
    switch self {
    case .version2C: 128
    case .version3: 64
    }
  }

  /// Registers from 31 on with 128 bytes each. Real 3.0 certificates have 607 to 609 bytes (HomeKitADK turns others
  /// down), real 2.0 ones about 910; neither is demanded here.
  public var certificatePartCount: Int {
    switch self {
    case .version2C: 10
    case .version3: 5
    }
  }

  public var serialByteCount: Int {
    switch self {
    case .version2C: 31
    case .version3: 32
    }
  }

  /// 2.0C wants to be told lengths before a command, and to start its self test; 3.0 has them fixed.
  public var isTold: Bool { self == .version2C }
}

/// What register 05 says. 3.0 knows 2, 5 and 6 only (HomeKitADK, medium).
public struct ChipError: Error, Sendable, Hashable, CustomStringConvertible {
  public let code: UInt8

  public init(code: UInt8) { self.code = code }

  public static let badReadRegister = ChipError(code: 0x01)
  public static let badWriteRegister = ChipError(code: 0x02)
  public static let badResponseLength = ChipError(code: 0x03)
  public static let badChallengeLength = ChipError(code: 0x04)
  public static let outOfSequence = ChipError(code: 0x05)
  public static let signingFailed = ChipError(code: 0x06)

  private static let names: [UInt8: String] = [
    0x01: "no such register to read", 0x02: "no such register to write", 0x03: "wrong response length",
    0x04: "wrong challenge length", 0x05: "command out of sequence, or wrong certificate length",
    0x06: "internal error while signing", 0x07: "internal error while making a challenge",
    0x08: "internal error while verifying a response", 0x09: "internal error while validating a certificate",
    0x0A: "no such command", 0x0B: "command out of sequence",
  ]

  /// Every code with a known meaning.
  public static let known = names.keys.sorted().map { ChipError(code: $0) }

  public var description: String {
    let digits = String(code, radix: 16, uppercase: true)
    return "error \(code < 16 ? "0" : "")\(digits), \(Self.names[code] ?? "of unknown meaning")"
  }
}
