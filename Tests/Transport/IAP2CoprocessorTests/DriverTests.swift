// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Coprocessor
import IAP2Runtime
import IAP2Testing
import IAP2Transport
import Testing

/// Tests of the driver against the register model, in virtual time.
@Suite struct DriverTests {
  typealias Behavior = EmulatedChip.Behavior

  /// Runs the body with a chip of this behavior and with its driver.
  @discardableResult
  static func with<Value: Sendable>(
    _ behavior: Behavior, _ body: @escaping @Sendable (Coprocessor, EmulatedChip, VirtualTime) async throws -> Value
  ) throws -> Value {
    try VirtualTime.run { time in
      let chip = EmulatedChip(behavior, clock: time)
      return try await body(Coprocessor(port: chip, clock: time), chip, time)
    }
  }

  static func failure<Value: Sendable>(
    _ behavior: Behavior, _ body: @escaping @Sendable (Coprocessor) async throws(CoprocessorError) -> Value
  ) throws -> CoprocessorError? {
    try with(behavior) { driver, _, _ in
      do throws(CoprocessorError) {
        _ = try await body(driver)
        return nil
      } catch { return error }
    }
  }

  static let challenge = [UInt8](1...32)

  @Test func aVersionThreeChipSignsWithItsCertificate() throws {
    try Self.with(Behavior()) { driver, _, time in
      let certificate = try AccessoryCertificate(try await driver.certificate())
      #expect(certificate.subject == "CN=swift-iap2 TEST ACCESSORY,O=swift-iap2")
      let start = time.now
      let response = try await driver.sign(challenge: Self.challenge)
      #expect(response.count == 64)
      try certificate.verify(response: response, challenge: Self.challenge)
      #expect((time.now.nanoseconds - start.nanoseconds) / 1_000_000 >= 440)
      let information = try await driver.information()
      #expect(
        information
          == CoprocessorInformation(
            deviceVersion: 7, revision: 0, protocolMajor: 3, protocolMinor: 0, deviceID: 0x0300))
      let found = try await driver.selfTest()
      #expect(found.hasCertificate && found.hasKey)
      #expect(try await driver.serialNumber() == Array("1A9200000000000000000000000000A1".utf8))
    }
  }

  @Test func aVersionTwoChipSignsTwentyBytesAndRequiresLengths() throws {
    try Self.with(Behavior(.version2C)) { driver, _, _ in
      let certificate = try AccessoryCertificate(try await driver.certificate())
      #expect(certificate.isOldForm && certificate.challengeByteCount == 20)
      #expect(try await driver.sign(challenge: [UInt8](1...20)).count == 128)
      let information = try await driver.information()
      #expect(information.version == .version2C && information.protocolMajor == 2 && information.deviceID == 0x0200)
      let found = try await driver.selfTest()
      #expect(found.hasCertificate && found.hasKey)
      #expect(try await driver.serialNumber().count == 31)
    }
  }

  @Test(arguments: ChipVersion.allCases) func busyAfterAnyTransferCostsOnlyTime(version: ChipVersion) throws {
    let challenge = [UInt8](repeating: 9, count: version.challengeByteCount)
    @Sendable func everything(_ driver: Coprocessor) async throws {
      _ = try await driver.information()
      _ = try await driver.selfTest()
      _ = try await driver.certificate()
      _ = try await driver.serialNumber()
      _ = try await driver.sign(challenge: challenge)
    }
    let count = try Self.with(Behavior(version)) { driver, chip, _ in
      try await everything(driver)
      return await chip.transfers
    }
    #expect(count > 20)
    for transfer in 0...count {
      var behavior = Behavior(version)
      behavior.busyAfter = [transfer: 1_650]
      try Self.with(behavior) { driver, _, _ in try await everything(driver) }
    }
    var always = Behavior(version)
    always.busyMilliseconds = 20
    try Self.with(always) { driver, _, _ in try await everything(driver) }
  }

  @Test func aChipThatNeverAnswersIsAbandoned() throws {
    var behavior = Behavior()
    behavior.isDead = true
    let milliseconds = try Self.with(behavior) { driver, _, time in
      await #expect(throws: CoprocessorError.neverAnswered(milliseconds: 3_000)) { try await driver.information() }
      return time.now.nanoseconds / 1_000_000
    }
    #expect((3_000...3_010).contains(milliseconds))
  }

  @Test func aChipThatStopsAnsweringAtAnyTransferIsAbandoned() throws {
    let count = try Self.with(Behavior()) { driver, chip, _ in
      _ = try await driver.sign(challenge: Self.challenge)
      return await chip.transfers
    }
    for transfer in 0..<count {
      var behavior = Behavior()
      behavior.busyAfter = [transfer: 1_000_000]
      #expect(
        try Self.failure(behavior) { (driver) throws(CoprocessorError) in
          try await driver.sign(challenge: Self.challenge)
        }
          == .neverAnswered(milliseconds: 3_000))
    }
  }

  @Test func aSignatureThatNeverFinishesIsAbandoned() throws {
    var behavior = Behavior()
    behavior.neverFinishes = true
    #expect(
      try Self.failure(behavior) { (driver) throws(CoprocessorError) in try await driver.sign(challenge: Self.challenge)
      }
        == .neverFinished(milliseconds: 5_000))
  }

  @Test(arguments: ChipVersion.allCases, ChipError.known + [ChipError(code: 0x0C), ChipError(code: 0xFF)])
  func everyErrorOfTheChipIsReported(version: ChipVersion, error: ChipError) throws {
    let challenge = [UInt8](repeating: 9, count: version.challengeByteCount)
    var failing = Behavior(version)
    failing.failure = error
    var late = Behavior(version)
    late.lateError = error
    for behavior in [failing, late] {
      #expect(
        try Self.failure(behavior) { (driver) throws(CoprocessorError) in try await driver.sign(challenge: challenge) }
          == .chip(error))
    }
    // An operation does not inherit the error of the previous one.
    try Self.with(failing) { driver, _, _ in
      await #expect(throws: CoprocessorError.chip(error)) { try await driver.sign(challenge: challenge) }
      let certificate = try await driver.certificate()
      #expect(certificate.count > 100)
    }
  }

  @Test func errorCodesHaveTheirNames() {
    #expect(ChipError(code: 4).description == "error 04, wrong challenge length")
    #expect(ChipError(code: 0x0B).description == "error 0B, command out of sequence")
    #expect(ChipError(code: 0x7E).description == "error 7E, of unknown meaning")
    #expect(ChipError.known.map(\.code) == Array(1...0x0B))
  }

  @Test(arguments: [0, 1, 63, 65, 128, 129, 65_535]) func invalidResponseLengthsAreReported(length: Int) throws {
    var behavior = Behavior()
    behavior.responseLength = length
    #expect(
      try Self.failure(behavior) { (driver) throws(CoprocessorError) in try await driver.sign(challenge: Self.challenge)
      }
        == .badLength(.responseLength, found: length, allowed: 64...64))
  }

  @Test(arguments: ChipVersion.allCases) func certificateLengthsBeyondItsPartsAreNamed(version: ChipVersion) throws {
    let limit = version == .version3 ? 640 : 1_280
    for length in [0, limit + 1, 65_535] {
      var behavior = Behavior(version)
      behavior.certificateLength = length
      #expect(
        try Self.failure(behavior) { (driver) throws(CoprocessorError) in try await driver.certificate() }
          == .badLength(.certificateLength, found: length, allowed: 1...limit))
    }
    for length in [1, 127, 128, 129, limit] {
      var behavior = Behavior(version)
      behavior.certificateLength = length
      #expect(try Self.with(behavior) { driver, _, _ in try await driver.certificate().count } == length)
    }
  }

  @Test func shortReadsAndOtherVersionsAreNamed() throws {
    var short = Behavior()
    short.missingByteCount = 1
    #expect(
      try Self.failure(short) { (driver) throws(CoprocessorError) in try await driver.certificate() }
        == .shortRead(.deviceVersion, byteCount: 0, wanted: 1))
    for number: UInt8 in [0x00, 0x03, 0x06, 0xFF] {
      var other = Behavior()
      other.deviceVersion = number
      #expect(
        try Self.failure(other) { (driver) throws(CoprocessorError) in try await driver.sign(challenge: Self.challenge)
        }
          == .unknownVersion(number))
      #expect(try Self.with(other) { driver, _, _ in try await driver.information().deviceVersion } == number)
    }
  }

  @Test(arguments: ChipVersion.allCases, [0, 1, 19, 20, 21, 31, 32, 33, 128, 1_000])
  func challengesOfOtherLengthsDoNotReachTheChip(version: ChipVersion, count: Int) throws {
    let wanted = version == .version3 ? 32 : 20
    let found = try Self.failure(Behavior(version)) { (driver) throws(CoprocessorError) in
      try await driver.sign(challenge: [UInt8](repeating: 1, count: count))
    }
    #expect(found == (count == wanted ? nil : .wrongChallengeLength(found: count, wanted: wanted)))
  }

  @Test func severalTasksTakeTurnsAtTheChip() throws {
    var behavior = Behavior()
    behavior.busyMilliseconds = 3
    try Self.with(behavior) { driver, _, _ in
      let certificate = try AccessoryCertificate(try await driver.certificate())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for seed in UInt8(0)..<8 {
          group.addTask {
            let challenge = [UInt8](repeating: seed, count: 32)
            try certificate.verify(response: try await driver.sign(challenge: challenge), challenge: challenge)
          }
          group.addTask {
            let again = try await driver.certificate()
            #expect(again.count == certificate.byteCount)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func aHeadUnitReportsWhyItsChipDidNotSign() throws {
    var behavior = Behavior()
    behavior.failure = .signingFailed
    try Self.with(behavior) { driver, _, _ in
      await #expect(
        throws: AuthenticationError.coprocessorFailed(reason: "error 06, internal error while signing")
      ) { try await CoprocessorAuthenticator(driver).sign(challenge: Self.challenge) }
    }
  }
}

/// Tests of the register model as a bus sees it.
@Suite struct EmulatedChipTests {
  @Test func registersAreWhereThePublicMapHasThem() throws {
    try DriverTests.with(EmulatedChip.Behavior()) { _, chip, time in
      #expect(try await chip.read(0x00, count: 9) == [0x07, 0x00, 0x03, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00])
      #expect(try await chip.read(0x04, count: 4) == [0, 0, 3, 0])
      // A long read continues from the first part into the others.
      let length = try await chip.read(0x30, count: 2)
      let count = Int(length[0]) << 8 | Int(length[1])
      let whole = try await chip.read(0x31, count: count)
      #expect(whole == (try await SoftwareAuthenticator.test.certificate()))
      #expect(try await chip.read(0x33, count: 1) == [whole[256]])
      // After the sign command the chip acknowledges nothing for 440 ms.
      try await chip.write(0x21, DriverTests.challenge)
      try await chip.write(0x10, [1])
      await #expect(throws: RegisterPortError.notAcknowledged) { try await chip.read(0x10, count: 1) }
      try await time.sleep(until: time.now.adding(milliseconds: 439))
      await #expect(throws: RegisterPortError.notAcknowledged) { try await chip.read(0x10, count: 1) }
      try await time.sleep(until: time.now.adding(milliseconds: 1))
      #expect(try await chip.read(0x10, count: 3) == [0x10, 0, 64])
      let response = try await chip.read(0x12, count: 64)
      try AccessoryCertificate(whole).verify(response: response, challenge: DriverTests.challenge)
    }
  }

  @Test func aVersionTwoChipReportsMissingLengths() throws {
    try DriverTests.with(EmulatedChip.Behavior(.version2C)) { _, chip, time in
      func fails(_ writes: [(UInt8, [UInt8])], _ error: UInt8) async throws {
        for (register, bytes) in writes { try await chip.write(register, bytes) }
        if writes.last?.0 == 0x10 {
          try await time.sleep(until: time.now.adding(milliseconds: 440))
        }
        #expect(try await chip.read(0x05, count: 1) == [error])
        #expect(try await chip.read(0x05, count: 1) == [0])
      }
      try await fails([(0x10, [1])], 5)
      try await fails([(0x21, [1, 2, 3]), (0x10, [1])], 4)
      try await fails([(0x20, [0, 32]), (0x21, DriverTests.challenge), (0x10, [1])], 4)
      try await fails([(0x20, [0, 20]), (0x21, [UInt8](1...20)), (0x11, [0, 64]), (0x10, [1])], 3)
      try await fails([(0x10, [9])], 0x0A)
      try await fails([(0x00, [9])], 2)
      #expect(try await chip.read(0x77, count: 2) == [0xFF, 0xFF])
      try await fails([], 1)
      // The self test must be started first.
      #expect(try await chip.read(0x40, count: 1) == [0])
      try await chip.write(0x40, [1])
      #expect(try await chip.read(0x40, count: 1) == [0xC0])
    }
  }
}
