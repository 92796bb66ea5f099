// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Transport

/// The time limits of the driver, in milliseconds.
public struct CoprocessorTimeouts: Sendable, Equatable {
  /// The pause between two attempts while the chip does not acknowledge. Implementations use 0.5 to 5 ms
  /// (Authentication.md#chip-busy; high).
  public var retryMilliseconds = 2
  /// The time limit of an acknowledgement. A chip is busy for at most 1.65 s (signing with 2.0B;
  /// Authentication.md#signing-time; medium), and wakes up sooner.
  public var answerMilliseconds = 3_000
  /// The pause between two readings of a signature's status.
  public var pollMilliseconds = 5
  /// The time limit from the command to the signature: three times the slowest signature.
  public var signMilliseconds = 5_000

  /// Creates the default limits.
  public init() {}
}

/// The driver of an authentication coprocessor of version 2.0C or 3.0, on any port that moves bytes to its registers.
///
/// Operations run one at a time. Each one except ``information()`` first reads the error register, which clears it, and
/// checks it at the end. A transfer that is not acknowledged is repeated, because a busy chip does not acknowledge.
public struct Coprocessor: CoprocessorAccess {
  private let port: any RegisterPort
  private let clock: any RuntimeClock
  private let timeouts: CoprocessorTimeouts
  private let turns = Turns()

  /// Creates a driver.
  public init(port: any RegisterPort, clock: any RuntimeClock, timeouts: CoprocessorTimeouts = CoprocessorTimeouts()) {
    self.port = port
    self.clock = clock
    self.timeouts = timeouts
  }

  /// The address of the port.
  public var address: String { port.address }

  /// Closes the port.
  public func close() async { await port.close() }

  // MARK: Operations

  /// Returns the contents of the identification registers.
  public func information() async throws(CoprocessorError) -> CoprocessorInformation {
    try await turns.take { () throws(CoprocessorError) in
      CoprocessorInformation(
        deviceVersion: try await byte(.deviceVersion), revision: try await byte(.revision),
        protocolMajor: try await byte(.protocolMajor), protocolMinor: try await byte(.protocolMinor),
        deviceID: try await read(.deviceID, 4).reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  /// Returns the accessory's certificate, PKCS#7 in DER.
  public func certificate() async throws(CoprocessorError) -> [UInt8] {
    try await checked { (version) throws(CoprocessorError) in
      let part = Register.certificate(part: 0).byteCount
      let count = try await number(.certificateLength)
      let limit = version.certificatePartCount * part
      guard (1...limit).contains(count) else {
        throw .badLength(.certificateLength, found: count, allowed: 1...limit)
      }
      var bytes: [UInt8] = []
      while bytes.count < count {
        bytes += try await read(.certificate(part: bytes.count / part), min(part, count - bytes.count))
      }
      return bytes
    }
  }

  /// Returns the certificate's serial number without padding.
  public func serialNumber() async throws(CoprocessorError) -> [UInt8] {
    try await checked { (version) throws(CoprocessorError) in
      let bytes = try await read(.serialNumber, version.serialByteCount)
      return Array(bytes.prefix { $0 != 0 })
    }
  }

  /// Runs the self test and returns its result.
  public func selfTest() async throws(CoprocessorError) -> ChipSelfTest {
    try await checked { (version) throws(CoprocessorError) in
      if version.isReported { try await write(.selfTest, [Register.SelfTest.start]) }
      return ChipSelfTest(status: try await byte(.selfTest))
    }
  }

  /// Signs a challenge. Its length must be ``ChipVersion/challengeByteCount``.
  public func sign(challenge: [UInt8]) async throws(CoprocessorError) -> [UInt8] {
    try await checked { (version) throws(CoprocessorError) in
      guard challenge.count == version.challengeByteCount else {
        throw .wrongChallengeLength(found: challenge.count, wanted: version.challengeByteCount)
      }
      if version.isReported { try await write(.challengeLength, [0, UInt8(challenge.count)]) }
      try await write(.challenge, challenge)
      if version.isReported { try await write(.responseLength, [0, UInt8(version.responseByteCount)]) }
      try await write(.control, [Register.Control.sign])
      try await waitForSignature()
      let count = try await number(.responseLength)
      guard count == version.responseByteCount else {
        let wanted = version.responseByteCount
        throw .badLength(.responseLength, found: count, allowed: wanted...wanted)
      }
      return try await read(.response, count)
    }
  }

  // MARK: Steps

  private func checked<Value: Sendable>(
    _ body: (ChipVersion) async throws(CoprocessorError) -> Value
  ) async throws(CoprocessorError) -> Value {
    try await turns.take { () throws(CoprocessorError) in
      let number = try await byte(.deviceVersion)
      guard let version = ChipVersion(rawValue: number) else { throw .unknownVersion(number) }
      _ = try await byte(.errorCode)
      let value = try await body(version)
      try await checkError()
      return value
    }
  }

  private func checkError() async throws(CoprocessorError) {
    let code = try await byte(.errorCode)
    if code != 0 { throw .chip(ChipError(code: code)) }
  }

  private func waitForSignature() async throws(CoprocessorError) {
    let end = clock.now.adding(milliseconds: timeouts.signMilliseconds)
    while true {
      let status = try await byte(.control)
      if status & Register.Status.failedBit != 0 {
        let code = try await byte(.errorCode)
        throw .chip(ChipError(code: code))
      }
      if status == Register.Status.done { return }
      guard clock.now < end else { throw .neverFinished(milliseconds: timeouts.signMilliseconds) }
      try await sleep(timeouts.pollMilliseconds)
    }
  }

  private func byte(_ register: Register) async throws(CoprocessorError) -> UInt8 { try await read(register, 1)[0] }

  private func number(_ register: Register) async throws(CoprocessorError) -> Int {
    try await read(register, 2).reduce(0) { $0 << 8 | Int($1) }
  }

  private func read(_ register: Register, _ count: Int) async throws(CoprocessorError) -> [UInt8] {
    let bytes = try await acknowledged { () throws(RegisterPortError) in
      try await port.read(register.address, count: count)
    }
    guard bytes.count == count else { throw .shortRead(register, byteCount: bytes.count, wanted: count) }
    return bytes
  }

  private func write(_ register: Register, _ bytes: [UInt8]) async throws(CoprocessorError) {
    try await acknowledged { () throws(RegisterPortError) in try await port.write(register.address, bytes) }
  }

  /// Repeats a transfer until it is acknowledged.
  private func acknowledged<Value: Sendable>(
    _ transfer: () async throws(RegisterPortError) -> Value
  ) async throws(CoprocessorError) -> Value {
    let end = clock.now.adding(milliseconds: timeouts.answerMilliseconds)
    while true {
      do { return try await transfer() } catch {
        switch error {
        case .notAcknowledged:
          guard clock.now < end else { throw .neverAnswered(milliseconds: timeouts.answerMilliseconds) }
        case .tooLong(let count, let limit): throw .transferTooLong(byteCount: count, limit: limit)
        case .failed(let failure): throw .transport(failure)
        }
      }
      try await sleep(timeouts.retryMilliseconds)
    }
  }

  private func sleep(_ milliseconds: Int) async throws(CoprocessorError) {
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch { throw .cancelled }
  }
}
