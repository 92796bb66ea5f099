// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing

/// Messages that must not pair: changed, replayed and misplaced messages.
@Suite struct PairingFaultTests {
  private let phone = PairingVectorTests.phone
  private let headUnit = PairingVectorTests.headUnit

  private func random(_ seed: UInt8) -> RandomBytes { { count in (0..<count).map { UInt8($0 & 0xFF) ^ seed } } }

  private func error(_ body: [UInt8]) -> UInt8? {
    do { return try TLV8(bytes: body).byte(.error) } catch { return nil }
  }

  @Test func anotherPasswordIsRefusedAndKeepsNobodyOut() throws {
    var side = PairSetupHeadUnit(headUnit)
    var wrong = PairSetupPhone(phone, password: "3938")
    let second = try side.answer(wrong.begin(), random(1)).body
    guard case .send(let third) = try wrong.take(second, random(2)) else { return #expect(Bool(false)) }
    let fourth = try side.answer(third, random(1)).body
    #expect(error(fourth) == 2)
    #expect(throws: PairingProblem.refused(2)) { try wrong.take(fourth, random(2)) }
    var right = PairSetupPhone(phone)
    #expect(error(try side.answer(right.begin(), random(1)).body) == nil)
  }

  @Test func aPhoneThatBeginsAgainAndAgainIsRefused() throws {
    var side = PairSetupHeadUnit(headUnit)
    var phone = PairSetupPhone(phone)
    let first = phone.begin()
    for _ in 0..<PairSetupHeadUnit.maximumBeginnings { #expect(error(try side.answer(first, random(1)).body) == nil) }
    #expect(error(try side.answer(first, random(1)).body) == 5)
  }

  @Test func theNameOfAPairedPhoneIsNotTakenWithAnotherKey() throws {
    for (stored, isPaired) in [(phone.publicKey, true), ([UInt8](repeating: 7, count: 32), false)] {
      var (side, other) = (PairSetupHeadUnit(headUnit), PairSetupPhone(phone))
      var body = other.begin()
      for number in [1, 3, 5] {
        let answer = try side.answer(body, stored: { $0 == phone.identifier ? stored : nil }, random(1))
        guard number < 5 else {
          #expect((answer.result != nil) == isPaired && error(answer.body) == (isPaired ? nil : 2))
          #expect(answer.refusal == (isPaired ? nil : .nameTaken))
          break
        }
        guard case .send(let next) = try other.take(answer.body, random(2)) else { return #expect(Bool(false)) }
        body = next
      }
    }
  }

  @Test func aPublicKeyOfZeroOrOfThePrimeIsRefused() throws {
    for key in [[UInt8](), [0], [UInt8](repeating: 0, count: 384), [UInt8](repeating: 0xFF, count: 400)] {
      var side = PairSetupHeadUnit(headUnit)
      var first = PairSetupPhone(phone)
      _ = try side.answer(first.begin(), random(1))
      let body = TLV8([(.state, [3]), (.publicKey, key), (.proof, [UInt8](repeating: 1, count: 64))]).bytes
      #expect(error(try side.answer(body, random(1)).body) == 2)
    }
    var side = PairSetupPhone(phone)
    _ = side.begin()
    let zero = TLV8([(.state, [2]), (.publicKey, [0]), (.salt, [1])]).bytes
    #expect(throws: PairingProblem.badPublicKey) { try side.take(zero, random(1)) }
  }

  @Test func aChangedByteAnywhereIsRefused() throws {
    for step in [3, 5] {
      for place in [0, 40, 70] {
        var (side, other) = (PairSetupHeadUnit(headUnit), PairSetupPhone(phone))
        var body = other.begin()
        var peer: PairedPeer?
        for number in [1, 3, 5] {
          if number == step { body[body.count - 1 - place] ^= 4 }
          let answer = try side.answer(body, random(1))
          peer = answer.result
          if number == step {
            #expect(error(answer.body) != nil)
            break
          }
          guard case .send(let next) = try other.take(answer.body, random(2)) else { return #expect(Bool(false)) }
          body = next
        }
        #expect(peer == nil, "message \(step), byte \(place) from the end")
      }
    }
  }

  @Test func aNameWithoutBytesAndALongOneAreRefused() throws {
    for (count, isTaken) in [(0, false), (1, true), (255, true), (256, false), (400_000, false)] {
      let name = String(repeating: "n", count: count)
      var side = PairSetupHeadUnit(headUnit)
      var other = PairSetupPhone(try PairingIdentity(identifier: name, privateKey: phone.privateKey))
      var (body, peer) = (other.begin(), PairedPeer?.none)
      for number in [1, 3, 5] {
        let answer = try side.answer(body, random(1))
        peer = answer.result
        guard number < 5, case .send(let next) = try other.take(answer.body, random(2)) else { continue }
        body = next
      }
      #expect((peer != nil) == isTaken, "\(count)")
    }
  }

  @Test func stepsOutOfOrderGetErrorOneAndStartAgain() throws {
    var side = PairSetupHeadUnit(headUnit)
    #expect(error(try side.answer(TLV8([(.state, [5]), (.encryptedData, [1])]).bytes, random(1)).body) == 1)
    #expect(error(try side.answer(TLV8([(.state, [9])]).bytes, random(1)).body) == 1)
    var other = PairSetupPhone(phone)
    #expect(error(try side.answer(other.begin(), random(1)).body) == nil)
    #expect(throws: PairingProblem.malformed) { try side.answer([], random(1)) }
    #expect(throws: PairingProblem.malformed) { try side.answer([6, 2, 1], random(1)) }
    #expect(throws: PairingProblem.malformed) { try side.answer([6, 1, 1, 6, 1, 1], random(1)) }
  }

  @Test func anUnknownPhoneIsNotVerifiedAndAReplayedMessageNeither() throws {
    let known = PairedPeer(identifier: headUnit.identifier, publicKey: headUnit.publicKey)
    var first = PairVerifyPhone(phone, headUnits: [known.identifier: known.publicKey])
    var side = PairVerifyHeadUnit(headUnit)
    let stored: (String) -> [UInt8]? = { _ in phone.publicKey }
    guard
      case .send(let third) = try first.take(
        side.answer(try first.begin(random(3)), stored: stored, random(4)).body)
    else { return #expect(Bool(false)) }
    let unknown = try side.answer(third, stored: { _ in nil }, random(4))
    #expect(error(unknown.body) == 2 && unknown.result == nil)
    #expect(throws: PairingProblem.refused(2)) { try first.take(unknown.body) }
    // The message of an old connection arrives on a new one.
    var again = PairVerifyPhone(phone, headUnits: [known.identifier: known.publicKey])
    _ = try side.answer(try again.begin(random(5)), stored: stored, random(6))
    let replayed = try side.answer(third, stored: stored, random(6))
    #expect(error(replayed.body) == 2 && replayed.result == nil)
  }

  @Test func anotherHeadUnitIsNotTrusted() throws {
    let stranger = PairedPeer(identifier: headUnit.identifier, publicKey: phone.publicKey)
    var first = PairVerifyPhone(phone, headUnits: [stranger.identifier: stranger.publicKey])
    var side = PairVerifyHeadUnit(headUnit)
    let second = try side.answer(try first.begin(random(3)), stored: { _ in nil }, random(4)).body
    #expect(throws: PairingProblem.badSignature) { try first.take(second) }
    // A key of zeros gives a secret of zeros.
    let zero = TLV8([(.state, [1]), (.publicKey, [UInt8](repeating: 0, count: 32))]).bytes
    #expect(error(try side.answer(zero, stored: { _ in nil }, random(4)).body) == 2)
  }
}
