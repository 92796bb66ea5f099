// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Wrong answers of pair-setup and pair-verify, and head units that the phone does not know.
  static let pairingOfPhones: [SessionCheck] = [
    setUpFault(
      71, "wrong proof of the head unit", "A phone compares the proof of M4, and does not go on after a wrong one.",
      "srp-padding", .pairSetup(4), "a wrong proof in M4"
    ) { _, list in list.flip(.proof) },
    setUpFault(
      72, "public key 0", "A phone refuses a public key of 0 in M2.", "srp", .pairSetup(2), "the public key 0 in M2"
    ) { _, list in list.set(.publicKey, [UInt8](repeating: 0, count: 384)) },
    setUpFault(
      73, "wrong tag of the head unit's identity", "A phone does not store an identity of M6 whose tag is wrong.",
      "pair-setup-identity", .pairSetup(6), "a wrong tag in M6"
    ) { _, list in list.flip(.encryptedData) },
    setUpFault(
      74, "wrong signature of the head unit's identity",
      "A phone does not store an identity of M6 whose signature is wrong.", "pair-setup-identity", .pairSetup(6),
      "a wrong signature in M6"
    ) { headUnit, list in
      headUnit.reseal(&list, headUnit.setupSecret.map { PairingCipher.setupKey($0) }, "PS-Msg06") {
        $0.flip(.signature)
      }
    },
    setUpFault(
      75, "pair-setup refused", "A phone does not go on when M2 has an error.", "tlv8-errors", .pairSetup(2),
      "error 7 in M2"
    ) { _, list in list = TLV8([(.state, [2]), (.error, [7])]) },
    setUpFault(
      76, "state out of order", "A phone does not go on when the answer to M1 has state 4.", "pair-setup-order",
      .pairSetup(2), "state 4 in place of 2", .recommended
    ) { _, list in list.set(.state, [4]) },
    setUpFault(
      77, "proof refused", "A phone whose proof is refused sends no identity.", "pair-setup-order", .pairSetup(4),
      "error 2 in M4"
    ) { _, list in list = TLV8([(.state, [4]), (.error, [2])]) },
    verifyFault(
      78, "new key 0", "A phone refuses a new key of zeros in M2.", "the key 0 in M2 of pair-verify"
    ) { _, list in list.set(.publicKey, [UInt8](repeating: 0, count: 32)) },
    verifyFault(
      79, "wrong tag in pair-verify", "A phone refuses an identity of M2 whose tag is wrong.",
      "a wrong tag in M2 of pair-verify"
    ) { _, list in list.flip(.encryptedData) },
    verifyFault(
      80, "wrong signature in pair-verify", "A phone refuses an identity of M2 whose signature is wrong.",
      "a wrong signature in M2 of pair-verify"
    ) { headUnit, list in
      headUnit.reseal(&list, headUnit.verifySecret.map { PairingCipher.verifyKey($0) }, "PV-Msg02") {
        $0.flip(.signature)
      }
    },
    verifyFault(
      81, "identity missing", "A phone does not go on when M2 of pair-verify has no sealed identity.",
      "M2 of pair-verify without an identity"
    ) { _, list in list.remove(.encryptedData) },
    verifyFault(
      89, "pair-verify refused at once", "A phone that is refused in M2 does not go on with pair-verify.",
      "error 2 in M2 of pair-verify"
    ) { _, list in list = TLV8([(.state, [2]), (.error, [2])]) },
    .phone(
      "CPA-82", .sessionPairing, "pair-verify refused", "A phone that is refused in M4 does not go on to SETUP.",
      "pair-verify-order", .high, .required
    ) { headUnit throws(Stop) in
      headUnit.change(.pairVerify(4)) { answer in
        answer.changingList { $0 = TLV8([(.state, [4]), (.error, [2])]) }
      }
      try await headUnit.until(.pairVerify(4), within: headUnit.peer.answer * 3)
      try await headUnit.demandStop(after: "error 2 in M4 of pair-verify")
    },
    .phone(
      "CPA-83", .sessionPairing, "head unit that forgot the phone",
      "A phone whose pairing is refused pairs again, at once or on its next connection.",
      "pair-verify-order: a rule of our own", .low
    ) { headUnit throws(Stop) in
      try await headUnit.until(.setUp, within: headUnit.peer.answer * 3)
      headUnit.peer.pairings.removeAll(of: headUnit.identity)
      try await headUnit.reconnect()
      try await headUnit.until(.pairVerify(4))
      if await headUnit.wait(headUnit.peer.answer, for: { headUnit.handled.contains(.pairSetup(6)) }) { return }
      try await headUnit.reconnect()
      try await headUnit.demand(.pairSetup(6), after: "the refused pairing")
    },
    .phone(
      "CPA-84", .sessionPairing, "another head unit at the same address",
      "A phone pairs with a head unit that it does not know before it sends more, or refuses it.", "order", .high,
      .required
    ) { headUnit throws(Stop) in
      try await headUnit.until(.setUp, within: headUnit.peer.answer * 3)
      headUnit.become(headUnit.peer.otherIdentity)
      try await headUnit.reconnect()
      try await headUnit.demandPairingFirst("a head unit with another identity")
    },
    .phone(
      "CPA-85", .sessionPairing, "known identifier with another key",
      "A phone does not accept the identifier of a known head unit with another key.", "pair-verify-order", .high,
      .required
    ) { headUnit throws(Stop) in
      try await headUnit.until(.setUp, within: headUnit.peer.answer * 3)
      headUnit.become(try headUnit.impostor())
      try await headUnit.reconnect()
      try await headUnit.demandPairingFirst("a head unit with a known identifier and another key")
    },
    .phone(
      "CPA-86", .sessionPairing, "another identity after the pairing",
      "A phone does not accept another identity than the one with which it has just paired.", "pair-verify-order",
      .high,
      .required
    ) { headUnit throws(Stop) in
      try await headUnit.untilPairing(.pairSetup(6))
      headUnit.forgetSteps()
      headUnit.verifySide = PairVerifyHeadUnit(headUnit.peer.otherIdentity)
      try await headUnit.until(.pairVerify(2))
      try await headUnit.demandStop(after: "another identity in pair-verify than in pair-setup")
    },
    refusal(87, "pair-setup", .pairSetup(2)),
    refusal(88, "pair-verify", .pairVerify(2)),
  ]

  /// Returns the check of a head unit that seems to have no pairing.
  private static func refusal(_ number: Int, _ name: String, _ step: ScriptedHeadUnit.Step) -> SessionCheck {
    .phone(
      "CPA-\(number)", .sessionPairing, "\(name) unknown",
      "A phone goes on in the clear with no head unit whose \(name) is not known.", "generation-fixed", .low
    ) { headUnit throws(Stop) in
      headUnit.change(step) { $0.refused(404) }
      if step == .pairSetup(2) { headUnit.peer.pairings.removeAll(of: headUnit.identity) }
      try await headUnit.until(step, within: headUnit.peer.answer * 3)
      // Older forms of the protocol send these in the clear.
      try await headUnit.demandStop(
        after: "status 404 for \(name)", allowing: [.pairSetup(2), .pairVerify(2), .authSetup, .information])
    }
  }

  /// Returns the check of a wrong answer of pair-setup.
  private static func setUpFault(
    _ number: Int, _ title: String, _ requirement: String, _ anchor: String, _ step: ScriptedHeadUnit.Step,
    _ what: String, _ strictness: Strictness = .required,
    _ change: @escaping @Sendable (ScriptedHeadUnit, inout TLV8) -> Void
  ) -> SessionCheck {
    .phone("CPA-\(number)", .sessionPairing, title, requirement, anchor, .high, strictness) { headUnit throws(Stop) in
      headUnit.change(step) { answer in answer.changingList { change(headUnit, &$0) } }
      try await headUnit.untilPairing(step)
      try await headUnit.demandStop(after: what)
    }
  }

  /// Returns the check of a wrong M2 of pair-verify.
  private static func verifyFault(
    _ number: Int, _ title: String, _ requirement: String, _ what: String,
    _ change: @escaping @Sendable (ScriptedHeadUnit, inout TLV8) -> Void
  ) -> SessionCheck {
    .phone("CPA-\(number)", .sessionPairing, title, requirement, "pair-verify-order", .high, .required) {
      headUnit throws(Stop) in
      headUnit.change(.pairVerify(2)) { answer in answer.changingList { change(headUnit, &$0) } }
      try await headUnit.until(.pairVerify(2), within: headUnit.peer.answer * 3)
      try await headUnit.demandStop(after: what)
    }
  }
}

extension ScriptedHeadUnit {
  /// Changes the sealed identity of a message of pairing, and seals it again.
  func reseal(_ list: inout TLV8, _ key: Secret?, _ nonce: String, _ change: (inout TLV8) -> Void) {
    guard let key else { return }
    do throws(PairingProblem) {
      var identity = try PairingCipher.open(list[.encryptedData], key: key, nonce: nonce)
      change(&identity)
      list.set(.encryptedData, PairingCipher.seal(identity, key: key, nonce: nonce))
    } catch {}
  }

  /// Plays another head unit from the next connection on.
  func become(_ other: PairingIdentity) { identity = other }

  /// Returns an identity with the identifier of the probe and another key.
  fileprivate func impostor() throws(Stop) -> PairingIdentity {
    do throws(PairingProblem) {
      return try PairingIdentity(identifier: peer.identity.identifier, privateKey: peer.otherIdentity.privateKey)
    } catch { throw .inconclusive("\(error)") }
  }

  /// Demands that the phone sends nothing but pairing before it has paired with the present identity.
  fileprivate func demandPairingFirst(_ what: String) async throws(Stop) {
    let isPast = { self.requests.contains { !$0.step.isPairing } }
    _ = await wait(peer.answer * 2) { isClosed || isPast() }
    guard let first = requests.firstIndex(where: { !$0.step.isPairing }) else { return }
    guard !requests[..<first].contains(where: { $0.step == .pairSetup(6) }) else { return }
    throw .failed("the phone sent \(requests[first].step.name) to \(what) without a new pairing")
  }
}
