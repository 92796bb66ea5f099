// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let pairingOfHeadUnits: [SessionCheck] = [
    .headUnit(
      "CPA-51", .sessionPairing, "a wrong proof", "A wrong proof of the password is refused.", "tlv8-errors", .high
    ) { phone throws(Stop) in
      let answer = try await phone.pairUntilProof { list in list.flip(.proof) }
      try phone.demandRefusal(answer, of: "a wrong proof")
    },
    .headUnit(
      "CPA-52", .sessionPairing, "a public key of 0", "A public key of 0 in pair-setup is refused.", "srp", .high
    ) { phone throws(Stop) in
      let answer = try await phone.pairUntilProof { list in
        list.set(.publicKey, [UInt8](repeating: 0, count: 384))
      }
      try phone.demandRefusal(answer, of: "a public key of 0")
    },
    .headUnit(
      "CPA-53", .sessionPairing, "the last step first", "A message of pair-setup out of order is refused.",
      "pair-setup-order", .high
    ) { phone throws(Stop) in
      let sealed = phone.peer.random(64)
      let answer = await phone.askPairingOrEnd(
        "/pair-setup", TLV8([(.state, [5]), (.encryptedData, sealed)]).bytes)
      try phone.demandRefusal(answer, of: "state 5 before state 1")
    },
    .headUnit(
      "CPA-54", .sessionPairing, "an identity with a wrong tag", "A sealed identity that does not open is refused.",
      "pair-setup-identity", .high
    ) { phone throws(Stop) in
      let answer = try await phone.pairUntilIdentity { list in list.flip(.encryptedData) }
      try phone.demandRefusal(answer, of: "an identity with a wrong tag")
    },
    .headUnit(
      "CPA-55", .sessionPairing, "pairing after a wrong proof",
      "After a wrong proof a right pair-setup works on the same connection.", "pair-setup-faults", .low, .recommended
    ) { phone throws(Stop) in
      _ = try await phone.pairUntilProof { list in list.flip(.proof) }
      try await phone.pair()
    },
    .headUnit(
      "CPA-56", .sessionPairing, "unknown items", "Items of an unknown type in a pairing message are ignored.",
      "tlv8-types", .high, .recommended
    ) { phone throws(Stop) in
      let answer = try await phone.askPairing(
        "/pair-setup", [0x55, 3, 1, 2, 3] + TLV8([(.method, [0]), (.state, [1])]).bytes)
      guard answer.status == 200, answer.list?[.publicKey] != nil else {
        throw .failed("state 1 with an item of type 0x55 got no public key")
      }
    },
    .headUnit(
      "CPA-57", .sessionPairing, "items in another order", "The order of the items of a message has no meaning.",
      "tlv8-items", .high, .recommended
    ) { phone throws(Stop) in
      let answer = try await phone.pairUntilProof { list in list.items.reverse() }
      guard answer?.list?[.error] == nil, answer?.list?[.proof] != nil else {
        throw .failed("state 3 with its items in reverse order was refused")
      }
    },
    .headUnit(
      "CPA-58", .sessionPairing, "new numbers", "Each pair-setup has a new salt and a new public key.", "srp", .high,
      .recommended
    ) { phone throws(Stop) in
      let begin = TLV8([(.method, [0]), (.state, [1])]).bytes
      let first = try await phone.askPairing("/pair-setup", begin).list
      let second = try await phone.askPairing("/pair-setup", begin).list
      guard let key = first?[.publicKey], let next = second?[.publicKey] else {
        throw .inconclusive("state 1 got no public key twice")
      }
      guard key != next else { throw .failed("two beginnings of pair-setup got the same public key") }
    },
    .headUnit(
      "CPA-59", .sessionPairing, "after a body that lies about its lengths",
      "After a pairing message whose items are longer than it a new session works.", "tlv8-items", .high, .recommended
    ) { phone throws(Stop) in
      _ = await phone.sendLyingItems()
      try await phone.demandNewSession(after: "an item that is longer than the message")
    },
    .headUnit(
      "CPA-60", .sessionPairing, "a body that lies about its lengths",
      "A pairing message whose items are longer than it is refused.", "tlv8-items: LIVI cuts the item", .high, .observed
    ) { phone throws(Stop) in
      guard let answer = await phone.sendLyingItems() else { return }
      try phone.demandRefusal(answer, of: "an item that is longer than the message")
    },
    .headUnit(
      "CPA-61", .sessionPairing, "a pairing is kept",
      "A phone that paired on one connection verifies on the next, without pair-setup.", "pair-verify-order", .high
    ) { phone throws(Stop) in
      do throws(Stop) { try await phone.pair() } catch { throw error.before("before the check") }
      await phone.leave()
      let next = try await phone.another()
      next.headUnit = phone.headUnit
      do throws(Stop) { try await next.verify() } catch {
        await next.leave()
        throw error
      }
      await next.leave()
    },
    .headUnit(
      "CPA-62", .sessionPairing, "an unknown phone", "A phone that is not paired is refused in pair-verify.",
      "pair-verify-order", .high
    ) { phone throws(Stop) in
      try await phone.demandVerifyRefused(as: try phone.stranger(named: "C0FFEE00-0000-4000-8000-000000000001"))
    },
    .headUnit(
      "CPA-63", .sessionPairing, "another key of a known phone",
      "A phone with the identifier of a paired one and another key is refused in pair-verify.", "pair-verify-order",
      .high
    ) { phone throws(Stop) in
      try await phone.demandVerifyRefused(as: try phone.stranger(named: phone.identity.identifier))
    },
    .headUnit(
      "CPA-64", .sessionPairing, "the name of a known phone",
      "A pair-setup with the identifier of a paired phone and another key does not replace that phone.",
      "pair-setup-faults", .low
    ) { phone throws(Stop) in
      do throws(Stop) { try await phone.pair() } catch { throw error.before("before the check") }
      await phone.leave()
      let thief = try await phone.another(as: try phone.stranger(named: phone.identity.identifier))
      do throws(Stop) { try await thief.pair() } catch {}
      await thief.leave()
      let next = try await phone.another()
      next.headUnit = phone.headUnit
      do throws(Stop) { try await next.verify() } catch {
        await next.leave()
        try await phone.another().pairAgain()
        throw .failed("the first phone is not verified any more: \(error.reason)")
      }
      await next.leave()
    },
    .headUnit(
      "CPA-65", .sessionPairing, "a verify key of 0", "An X25519 key that gives a secret of zeros is refused.",
      "pair-verify-order: RFC 7748 leaves the check to each side", .high, .recommended
    ) { phone throws(Stop) in
      let answer = await phone.askPairingOrEnd(
        "/pair-verify", TLV8([(.state, [1]), (.publicKey, [UInt8](repeating: 0, count: 32))]).bytes)
      try phone.demandRefusal(answer, of: "an X25519 key of 0")
    },
    .headUnit(
      "CPA-66", .sessionPairing, "a new key for each connection", "Each pair-verify has a new X25519 key.",
      "pair-verify-order", .high
    ) { phone throws(Stop) in
      let first = try await phone.newVerifyKey()
      await phone.leave()
      let next = try await phone.another()
      let second = try await next.newVerifyKey()
      await next.leave()
      guard let first, let second else { throw .inconclusive("pair-verify got no public key twice") }
      guard first != second else { throw .failed("two connections got the same X25519 key") }
    },
    .headUnit(
      "CPA-67", .sessionPairing, "no session without pairing",
      "A head unit that pairs refuses a SETUP before pair-verify.", "states: LIVI does not", .medium, .recommended
    ) { phone throws(Stop) in
      let body = await phone.setUpBody(hasClock: false)
      await phone.send(phone.request("SETUP", list: .dictionary(body.values)))
      guard let answer = await phone.answerOrEnd() else { return }
      guard answer.status != 200 else { throw .failed("SETUP before pair-verify got status 200") }
    },
    .headUnit(
      "CPA-69", .sessionPairing, "no stream without pairing",
      "A head unit that pairs sets no stream up before pair-verify.", "states", .medium
    ) { phone throws(Stop) in
      let body = await phone.setUpBody(hasClock: false)
      await phone.send(phone.request("SETUP", list: .dictionary(body.values)))
      _ = await phone.answerOrEnd()
      guard !phone.isClosed else { return }
      await phone.send(phone.request("SETUP", list: .dictionary(StreamList([await phone.body(of: .screen)]).values)))
      guard let answer = await phone.answerOrEnd(), answer.status == 200 else { return }
      guard !phone.answers(in: answer).contains(where: { $0.dataPort != nil }) else {
        throw .failed("a screen was set up before pair-verify")
      }
    },
    .headUnit(
      "CPA-68", .sessionPairing, "many beginnings",
      "Many beginnings of pair-setup on one connection keep no phone out: a new session works.", "pair-setup-faults",
      .low, .recommended
    ) { phone throws(Stop) in
      let begin = TLV8([(.method, [0]), (.state, [1])]).bytes
      for _ in 0..<20 where !phone.isClosed {
        await phone.send(phone.request("POST", "/pair-setup", type: "application/pairing+tlv8", body: begin))
        guard await phone.answerOrEnd() != nil else { break }
      }
      try await phone.demandNewSession(after: "20 beginnings of pair-setup")
    },
  ]
}

extension ScriptedPhone {
  /// Demands that an answer of pairing refuses. The end of the connection and silence refuse, too.
  func demandRefusal(_ answer: RequestMessage?, of what: String) throws(Stop) {
    guard let answer, answer.status == 200, answer.list?[.error] == nil else { return }
    throw .failed("\(what) was accepted")
  }

  /// Sends a message of pair-setup whose last item is longer than the message.
  fileprivate func sendLyingItems() async -> RequestMessage? {
    await send(request("POST", "/pair-setup", type: "application/pairing+tlv8", body: [6, 1, 1, 0, 255, 0]))
    return await answerOrEnd()
  }

  /// Pairs and leaves.
  fileprivate func pairAgain() async throws(Stop) {
    do throws(Stop) { try await pair() } catch {}
    await leave()
  }

  /// Returns an identity with a name and a new key.
  func stranger(named name: String) throws(Stop) -> PairingIdentity {
    do throws(PairingProblem) {
      return try PairingIdentity(identifier: name, privateKey: Secret(peer.random(32)))
    } catch { throw .inconclusive("\(error)") }
  }

  /// Plays pair-setup as far as the answer to the proof, whose message is changed before it is sent.
  fileprivate func pairUntilProof(_ change: (inout TLV8) -> Void) async throws(Stop) -> RequestMessage? {
    let (_, proof) = try await proof()
    return await askPairingOrEnd("/pair-setup", try changed(proof, change))
  }

  /// Begins pair-setup and returns the message of the proof. Both public keys begin with another byte than zero, so that
  /// no head unit refuses the proof for its padding.
  private func proof() async throws(Stop) -> (side: PairSetupPhone, proof: [UInt8]) {
    for _ in 0..<8 {
      var side = PairSetupPhone(identity)
      let answer = try await askPairing("/pair-setup", side.begin())
      let message = try await step(&side, answer.body)
      let keys = [answer.list?[.publicKey]?.first, try list(in: message)[.publicKey]?.first]
      if !keys.contains(0) { return (side, message) }
    }
    throw .inconclusive("before the check: eight public keys of pair-setup begin with a zero byte")
  }

  /// Plays pair-setup as far as the answer to the identity, whose message is changed before it is sent.
  fileprivate func pairUntilIdentity(_ change: (inout TLV8) -> Void) async throws(Stop) -> RequestMessage? {
    var (side, proof) = try await proof()
    let next = try await step(&side, try await pairing("/pair-setup", proof))
    return await askPairingOrEnd("/pair-setup", try changed(next, change))
  }

  private func step(_ side: inout PairSetupPhone, _ body: [UInt8]) async throws(Stop) -> [UInt8] {
    do throws(PairingProblem) {
      if case .send(let next) = try side.take(body, peer.random) { return next }
    } catch { throw .inconclusive("before the check: pair-setup: \(error.words)") }
    throw .inconclusive("before the check: pair-setup ended early")
  }

  private func changed(_ body: [UInt8], _ change: (inout TLV8) -> Void) throws(Stop) -> [UInt8] {
    var list = try list(in: body)
    change(&list)
    return list.bytes
  }

  private func list(in body: [UInt8]) throws(Stop) -> TLV8 {
    do throws(TLV8.Problem) { return try TLV8(bytes: body) } catch { throw .inconclusive("\(error)") }
  }

  /// Begins pair-verify and returns the head unit's key.
  fileprivate func newVerifyKey() async throws(Stop) -> [UInt8]? {
    var side = PairVerifyPhone(identity, headUnits: [:])
    let body: [UInt8]
    do throws(PairingProblem) { body = try side.begin(peer.random) } catch { return nil }
    return try await askPairing("/pair-verify", body).list?[.publicKey]
  }

  /// Demands that pair-verify refuses an identity, which knows the head unit.
  fileprivate func demandVerifyRefused(as stranger: PairingIdentity) async throws(Stop) {
    do throws(Stop) { try await pair() } catch { throw error.before("before the check") }
    await leave()
    let other = try await another(as: stranger)
    other.headUnit = headUnit
    do throws(Stop) { try await other.verify() } catch {
      await other.leave()
      return
    }
    let isServed = await other.isServed()
    await other.leave()
    guard !isServed else { throw .failed("pair-verify accepted a phone that did not pair") }
  }

  /// Whether an encrypted request is answered.
  private func isServed() async -> Bool {
    await send(request("GET", "/info"))
    return await answerOrEnd() != nil
  }
}
