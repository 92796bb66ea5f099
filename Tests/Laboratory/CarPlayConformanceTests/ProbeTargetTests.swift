// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Foundation
import IAP2Fuzzing
import Synchronization
import Testing

@testable import CarPlayConformance

/// What the probes read from a peer, with random and with damaged bytes.
@Suite(.serialized) struct ProbeTargetTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

  private func check(_ input: [UInt8], _ name: String) async {
    do throws(ProbeTarget.Finding) { try await ProbeTarget.check(input) } catch {
      Issue.record("\(name): \(error.reason)")
    }
  }

  @Test func `the probes hold their guarantees for the seeds and for kept inputs`() async throws {
    for (name, input) in ProbeTarget.seeds { await check(input, name) }
    let kept = try KeptInputs.all(named: ProbeTarget.name, in: Self.repository)
    for (number, input) in kept.enumerated() { await check(input, "kept \(number)") }
  }

  @Test func `the probes hold their guarantees for the shortest inputs`() async {
    for input in [[]] + (0...255).flatMap({ [[$0], [0, $0], [1, $0], [2, $0, 0xFF], [3, $0, 0xFF]] }) {
      await check(input.map { UInt8($0) }, "\(input)")
    }
  }

  @Test(arguments: 0..<8) func `the probes hold their guarantees for damaged seeds`(round: Int) async {
    let random = SeededBytes(UInt64(round))
    for (name, seed) in ProbeTarget.seeds.sorted(by: { $0.key < $1.key }) {
      for number in 0..<12 { await check(Self.damaged(seed, random.bytes), "\(name), \(round)-\(number)") }
    }
  }

  @Test(arguments: 0..<4) func `the probes hold their guarantees for random bytes`(round: Int) async {
    let random = SeededBytes(100 + UInt64(round))
    for number in 0..<60 {
      let size = random.bytes(2)
      await check(random.bytes(Int(size[0]) + Int(size[1] & 3) << 8), "random \(round)-\(number)")
    }
  }

  /// Returns bytes with one to four changes: a flipped, removed or repeated part, or a number at a limit.
  private static func damaged(_ bytes: [UInt8], _ random: @Sendable (Int) -> [UInt8]) -> [UInt8] {
    var bytes = bytes
    let choices = random(12)
    for number in 0...Int(choices[0] & 3) where !bytes.isEmpty {
      let place = (Int(choices[number * 3]) << 8 | Int(choices[number * 3 + 1])) % bytes.count
      let size = Int(choices[number * 3 + 2] & 15) + 1
      switch choices[number * 3 + 2] >> 5 {
      case 0, 1, 2: bytes[place] ^= choices[number * 3 + 2] | 1
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + size))
      case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + size)], at: place)
      case 5: for index in place..<min(bytes.count, place + 8) { bytes[index] = 0xFF }
      case 6: bytes[place] = 0x7F
      default: bytes = Array(bytes.prefix(place))
      }
    }
    return bytes
  }

  @Test(arguments: 0..<12)
  func `damaged answers of a real head unit neither crash nor hang a probe`(round: Int) async throws {
    let random = SeededBytes(200 + UInt64(round))
    // Each fifth answer is damaged, from a place on that differs by the round.
    let count = Mutex(0)
    let tamper = Tamper.answering { _, answer in
      let isChanged = count.withLock { count in
        count += 1
        return count > round && count % 5 == round % 5
      }
      if isChanged { answer.body = Self.damaged(answer.body, random.bytes) }
    }
    let peer = try SessionReference.headUnit { TamperedHeadUnit($0, tamper) }
    for _ in 0..<4 {
      guard let phone = await ScriptedPhone.connect(to: peer) else { continue }
      let begin = await phone.line.now
      _ = await phone.playOrdinarySession()
      let time = begin.duration(to: await phone.line.now)
      #expect(time < .seconds(300))
      await phone.leave()
    }
  }

  @Test(arguments: 0..<12)
  func `damaged messages of a real phone neither crash nor hang a probe`(round: Int) async throws {
    let random = SeededBytes(300 + UInt64(round))
    let count = Mutex(0)
    var phone = OwnPhone()
    phone.fault.change = { _, message, _, _ in
      let isChanged = count.withLock { count in
        count += 1
        return count > round && count % 6 == round % 6
      }
      return isChanged ? message.replacing(body: Self.damaged(message.body, random.bytes)) : message
    }
    phone.fault.changeContent = { _, bytes in
      random.bytes(1)[0] < 16 ? Self.damaged(bytes, random.bytes) : bytes
    }
    let outcomes = try await phone.outcomes(of: ["CRQ-01", "CCM-78", "CEN-73"])
    #expect(outcomes.count == 3)
  }
}
