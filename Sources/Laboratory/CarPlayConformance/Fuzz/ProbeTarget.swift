// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography
import IAP2Conformance

/// The fuzz target for what the probes read from a peer: answers, commands, pictures, sound, packages and the clock.
/// Whatever arrives, the probe does not crash, each wait ends in its time, and what is kept has bounds.
///
/// Input: a byte for the probe, then steps: a byte for the operation, and its arguments.
package enum ProbeTarget {
  /// A guarantee that an input breaks.
  package struct Finding: Error, Sendable {
    /// The guarantee in words.
    package let reason: String
  }

  /// The name of the target in `iap2-fuzz`, and of the file of its kept inputs.
  package static let name = "carplay-probe"
  /// The longest input. Longer programs only repeat themselves.
  package static let maximumByteCount = 4096
  /// The most steps of a program.
  private static let stepLimit = 200

  /// Checks the guarantees with an input.
  package static func check(_ bytes: [UInt8]) async throws(Finding) {
    var program = ProbeProgram(bytes.prefix(maximumByteCount))
    let kind = program.byte()
    if kind & 1 == 0 {
      try await checkPhone(&program, isVerified: kind & 2 == 0, accepts: kind & 4 == 0)
    } else {
      try await checkHeadUnit(&program, isVerified: kind & 2 == 0)
    }
  }

  private static let secret = Secret([UInt8](repeating: 7, count: 32))
  private static let random: @Sendable (Int) -> [UInt8] = { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

  private static func identity(_ byte: UInt8) throws(Finding) -> PairingIdentity {
    do throws(PairingProblem) {
      return try PairingIdentity(identifier: "probe \(byte)", privateKey: Secret([UInt8](repeating: byte, count: 32)))
    } catch { throw Finding(reason: "32 bytes are no key: \(error)") }
  }

  // MARK: A phone that reads a head unit

  private static func checkPhone(
    _ program: inout ProbeProgram, isVerified: Bool, accepts: Bool
  ) async throws(Finding) {
    let line = ProgramLine(accepts: accepts)
    let peer = ProbedHeadUnit(
      identity: try identity(1), otherIdentity: try identity(2), random: random, judge: { _ in .trusted },
      dial: { line })
    let phone = ScriptedPhone(peer, as: peer.identity, on: line)
    line.add([.connected(.control(0))])
    var wire = ProbeWire(isVerified ? secret : nil, from: .headUnit)
    if isVerified {
      phone.encrypt(with: secret)
      wire.open(phone)
    }
    var count = 0
    while !program.isOver, count < stepLimit {
      count += 1
      let operation = program.byte()
      if operation < 0x40 {
        line.add([wire.occurrence(operation, &program)])
        await phone.pass(.milliseconds(2))
      } else {
        // The answers of a step arrive before its requests, as those of a hasty peer.
        line.add([wire.answer(&program)])
        await play(operation, phone)
      }
      let kept = phone.received.values.map(\.count).max() ?? 0
      try require(kept <= 256, "\(kept) pieces of a socket are kept")
      try require(phone.commands.count <= count * maximumByteCount, "\(phone.commands.count) commands")
    }
    let before = await line.now
    _ = await phone.answerOrEnd()
    let waited = before.duration(to: await line.now)
    try require(waited <= .seconds(6), "an answer was waited for \(waited)")
    try check(phone.record, count)
  }

  private static func play(_ operation: UInt8, _ phone: ScriptedPhone) async {
    do throws(Stop) {
      switch operation & 0x0F {
      case 0: try await phone.pair()
      case 1: try await phone.verify()
      case 2: try await phone.authenticate()
      case 3: try await phone.setUp()
      case 4: try await phone.openEvents()
      case 5: try await phone.inform()
      case 6: try await phone.openScreen()
      case 7: try await phone.openSound(wantsMicrophone: true)
      case 8: await phone.playSound(2)
      case 9: _ = try await phone.end(Array(phone.streams.keys))
      case 10: try await phone.open(await phone.body(of: .data))
      case 11: try await phone.goLiveWithModes()
      case 12: _ = await phone.playOrdinarySession()
      case 13: try await phone.tearDown()
      default: try await phone.demandLife(after: "the program")
      }
    } catch {}
  }

  // MARK: A head unit that reads a phone

  private static func checkHeadUnit(_ program: inout ProbeProgram, isVerified: Bool) async throws(Finding) {
    let line = ProgramLine(accepts: true)
    let peer = ProbedPhone(line: line, identity: try identity(1), otherIdentity: try identity(2), random: random)
    let headUnit = ScriptedHeadUnit(peer)
    line.add([.connected(.control(0))])
    await headUnit.pass(.milliseconds(2))
    var wire = ProbeWire(isVerified ? secret : nil, from: .phone)
    if isVerified { wire.open(headUnit) }
    var count = 0
    while !program.isOver, count < stepLimit {
      count += 1
      let operation = program.byte()
      if operation < 0x40 {
        line.add([wire.occurrence(operation, &program)])
        await headUnit.pass(.milliseconds(2))
      } else {
        await play(operation, headUnit)
      }
      for content in headUnit.streams.values {
        try require(content.packets.count <= 32, "\(content.packets.count) packets are kept")
      }
    }
    let before = await line.now
    _ = await headUnit.playOrdinarySession()
    let waited = before.duration(to: await line.now)
    try require(waited <= .seconds(600), "an ordinary session took \(waited)")
    try check(headUnit.record, count)
  }

  private static func play(_ operation: UInt8, _ headUnit: ScriptedHeadUnit) async {
    do throws(Stop) {
      switch operation & 0x07 {
      case 0: _ = try await headUnit.command(.forceKeyFrame(uuid: nil))
      case 1: await headUnit.askClock()
      case 2: try await headUnit.ask(for: ModeRequest(reason: "fuzz")) { _ in true }
      case 3: await headUnit.send(DataPackage(sequence: 1))
      case 4: _ = await headUnit.hears(headUnit.music ?? .mainAudio, within: .milliseconds(10))
      case 5: try await headUnit.demandLife(after: "the program")
      default: await headUnit.pass(.seconds(1))
      }
    } catch {}
  }

  // MARK: Guarantees

  private static func check(_ record: SessionRecord, _ count: Int) throws(Finding) {
    let limit = 64 + count * maximumByteCount
    try require(record.breaches.count <= limit, "\(record.breaches.count) breaches")
  }

  private static func require(_ condition: Bool, _ reason: String) throws(Finding) {
    if !condition { throw Finding(reason: reason) }
  }
}
