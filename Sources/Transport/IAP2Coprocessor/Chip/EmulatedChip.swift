// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Authentication
public import IAP2Transport

/// An emulated coprocessor for tests. It models the registers and signs with the project's own test key, by any clock.
///
/// 3.0 signs as the test accessory does. 2.0C has a certificate of the old form. Its response has only the right
/// length, because the certificate's key is not available and nothing here verifies the response.
public actor EmulatedChip: RegisterPort {
  /// The behavior of the chip and its faults. Times are in milliseconds.
  public struct Behavior: Sendable {
    /// The emulated version.
    public var version = ChipVersion.version3
    /// The duration of a signature, during which the chip acknowledges nothing (Authentication.md#signing-time; 2.0C
    /// and 3.0, medium).
    public var signMilliseconds = 440
    /// The busy time after each transfer.
    public var busyMilliseconds = 0
    /// The busy times after particular transfers, by the transfer's number; 0 is the time before the first one.
    public var busyAfter: [Int: Int] = [:]
    /// Whether the chip never acknowledges.
    public var isDead = false
    /// Whether the chip never reports a signature as done.
    public var neverFinishes = false
    /// The error with which each signature fails; nil for none.
    public var failure: ChipError?
    /// The error that is in the register after each signature that has not failed; nil for none.
    public var lateError: ChipError?
    /// A false value of the response length register; nil for the true value.
    public var responseLength: Int?
    /// A false value of the certificate length register; nil for the true value.
    public var certificateLength: Int?
    /// The number of bytes that each read lacks.
    public var missingByteCount = 0
    /// The result of the self test.
    public var selfTest: UInt8 = 0xC0
    /// A false value of the device version register; nil for the true value.
    public var deviceVersion: UInt8?

    /// Creates the behavior of a chip without faults.
    public init(_ version: ChipVersion = .version3) { self.version = version }
  }

  private let behavior: Behavior
  private let clock: any RuntimeClock
  private let signer: any Authenticator
  private var busyUntil: MonotonicTime
  private var transferCount = 0
  private var error: UInt8 = 0
  private var challengeLength: Int
  private var responseLength: Int
  private var challenge: [UInt8] = []
  private var response: [UInt8] = []
  private var status: UInt8 = 0
  private var hasStartedSelfTest = false
  /// The address in the form that `--authenticator` accepts.
  public nonisolated let address: String

  /// Creates a chip.
  ///
  /// - Parameters:
  ///   - behavior: The behavior of the chip and its faults.
  ///   - clock: The clock for the times during which the chip is busy.
  ///   - signer: The authenticator that supplies the serial number and, for 3.0, certificate and signatures.
  public init(_ behavior: Behavior, clock: any RuntimeClock, signer: any Authenticator = SoftwareAuthenticator.test) {
    self.behavior = behavior
    self.clock = clock
    self.signer = signer
    busyUntil = clock.now.adding(milliseconds: behavior.busyAfter[0] ?? 0)
    challengeLength = behavior.version.challengeByteCount
    responseLength = behavior.version.isReported ? behavior.version.responseByteCount : 0
    address = "emulated:\(behavior.version.name)"
  }

  /// Does nothing.
  public func close() {}

  /// The number of acknowledged transfers.
  public var transfers: Int { transferCount }

  // MARK: The bus

  /// Reads from a register. Throws `notAcknowledged` while the chip is busy.
  public func read(_ register: UInt8, count: Int) async throws(RegisterPortError) -> [UInt8] {
    try acknowledge()
    let bytes = await block(from: register)
    if register == Register.errorCode.address { error = 0 }
    var answer = Array(bytes.prefix(count))
    // The bus stays high after the end of a block.
    answer += [UInt8](repeating: 0xFF, count: count - answer.count)
    return answer.dropLast(behavior.missingByteCount)
  }

  /// Writes to a register. Throws `notAcknowledged` while the chip is busy.
  public func write(_ register: UInt8, _ bytes: [UInt8]) async throws(RegisterPortError) {
    try acknowledge()
    let number = bytes.reduce(0) { ($0 << 8 | Int($1)) & 0xFFFF }
    switch register {
    case Register.control.address: await command(bytes.first ?? 0)
    case Register.challenge.address: challenge = Array(bytes.prefix(Register.challenge.byteCount))
    // 3.0 has fixed lengths; writing them has no effect.
    case Register.challengeLength.address: if behavior.version.isReported { challengeLength = number }
    case Register.responseLength.address where behavior.version.isReported: responseLength = number
    case Register.selfTest.address where behavior.version.isReported:
      hasStartedSelfTest = bytes == [Register.SelfTest.start]
    default: error = ChipError.badWriteRegister.code
    }
  }

  private func acknowledge() throws(RegisterPortError) {
    guard !behavior.isDead, clock.now >= busyUntil else { throw .notAcknowledged }
    transferCount += 1
    let busy = behavior.busyAfter[transferCount] ?? behavior.busyMilliseconds
    busyUntil = clock.now.adding(milliseconds: busy)
  }

  // MARK: The registers

  /// Returns the bytes from a register to the end of its block.
  private func block(from register: UInt8) async -> [UInt8] {
    let blocks: [[(Register, [UInt8])]] = [
      [
        (.deviceVersion, [behavior.deviceVersion ?? behavior.version.rawValue]),
        (.revision, [behavior.version.isReported ? 1 : 0]), (.protocolMajor, [behavior.version.protocolMajor]),
        (.protocolMinor, [0]), (.deviceID, Self.bigEndian(Int(behavior.version.deviceID), 4)), (.errorCode, [error]),
      ],
      [
        (.control, [behavior.neverFinishes ? 0 : status]),
        (.responseLength, Self.bigEndian(behavior.responseLength ?? responseLength, 2)), (.response, response),
      ],
      [(.challengeLength, Self.bigEndian(challengeLength, 2)), (.challenge, challenge)],
      await certificateBlock(),
      [
        (.selfTest, [behavior.version.isReported && !hasStartedSelfTest ? 0 : behavior.selfTest]),
        // Unverified: the events that raise the counter. Here it stays 0.
        (.systemEventCounter, [0]), (.serialNumber, await serialNumber()),
      ],
    ]
    for block in blocks {
      if let first = block.firstIndex(where: { $0.0.address == register }) {
        return block[first...].flatMap { $0.1 }
      }
    }
    // 3.0 has no code for this error (Authentication.md#register-error: ADK, medium).
    if behavior.version.isReported { error = ChipError.badReadRegister.code }
    return []
  }

  private func certificateBlock() async -> [(Register, [UInt8])] {
    let bytes = await certificate()
    let size = Register.certificate(part: 0).byteCount
    let parts = (0..<behavior.version.certificatePartCount).map { part in
      let rest = Array(bytes.dropFirst(part * size).prefix(size))
      return (Register.certificate(part: part), rest + [UInt8](repeating: 0, count: size - rest.count))
    }
    return [(.certificateLength, Self.bigEndian(behavior.certificateLength ?? bytes.count, 2))] + parts
  }

  private func certificate() async -> [UInt8] {
    guard !behavior.version.isReported else { return AccessoryCertificate.oldTestChip }
    // A signer without a certificate stands for a chip with an empty memory.
    do { return try await signer.certificate() } catch { return [] }
  }

  private func serialNumber() async -> [UInt8] {
    let count = behavior.version.serialByteCount
    do {
      let text = try await signer.serialNumber().prefix(count)
      return text + [UInt8](repeating: 0, count: count - text.count)
    } catch { return [UInt8](repeating: 0, count: count) }
  }

  private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }

  // MARK: Commands

  private func command(_ number: UInt8) async {
    guard number == Register.Control.sign else { return fail(ChipError(code: 0x0A)) }
    guard !challenge.isEmpty else { return fail(.outOfSequence) }
    guard challengeLength == behavior.version.challengeByteCount, challenge.count == challengeLength else {
      return fail(behavior.version.isReported ? .badChallengeLength : .signingFailed)
    }
    guard !behavior.version.isReported || responseLength == behavior.version.responseByteCount else {
      return fail(.badResponseLength)
    }
    busyUntil = max(busyUntil, clock.now.adding(milliseconds: behavior.signMilliseconds))
    if let failure = behavior.failure { return fail(failure) }
    if behavior.version.isReported {
      response = (0..<behavior.version.responseByteCount).map { challenge[$0 % challenge.count] ^ UInt8($0) }
    } else {
      do { response = try await signer.sign(challenge: challenge) } catch { return fail(.signingFailed) }
    }
    responseLength = response.count
    challenge = []
    status = Register.Status.done
    error = behavior.lateError?.code ?? 0
  }

  private func fail(_ error: ChipError) {
    self.error = error.code
    status = Register.Status.failedBit
  }
}
