// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2Capture

/// The pairing of a control connection, as far as the secrets of a key log open it.
struct PairingTrace: Sendable {
  /// The secret of each procedure that has begun; nil if the key log has none.
  private var setup: Secret?, verify: Secret?
  /// The values of the present pair-setup.
  private var known = PairingInspection.SetupProofs()
  /// The short-lived keys of pair-verify.
  private var phoneKey: [UInt8] = [], headUnitKey: [UInt8] = []

  /// The secret from which the keys of the session follow; nil before pair-verify, and without the secret.
  var secret: Secret? { verify }
  /// The secrets that are known.
  var secrets: [AgreedSecret] {
    let setup = setup.map { AgreedSecret(procedure: .pairSetup, phoneKey: known.phoneKey, secret: $0) }
    let verify = verify.map { AgreedSecret(procedure: .pairVerify, phoneKey: phoneKey, secret: $0) }
    return [setup, verify].compactMap(\.self)
  }

  /// Whether the capture lacks the message of pair-verify with the phone's key, which names the secret in a key log.
  var lacksPhoneKey: Bool { phoneKey.isEmpty }

  /// Takes a secret of pair-verify that opens frames.
  mutating func take(_ secret: AgreedSecret) { (phoneKey, verify) = (secret.phoneKey, secret.secret) }

  /// Reads a message of pairing.
  ///
  /// - Parameter known: The long-term keys of the sides of all connections, by their identifiers.
  /// - Returns: The number of the message, its fields and its body.
  mutating func read(
    _ body: [UInt8], isSetup: Bool, from side: SessionSide, _ secrets: SessionSecrets, known: inout [String: [UInt8]],
    _ budget: inout SearchBudget
  ) -> Reading? {
    let list: TLV8
    do { list = try TLV8(bytes: body) } catch { return nil }
    guard let state = list.byte(.state) else { return nil }
    note(list, state, isSetup, secrets, &budget)
    var fields: [SessionFinding.Field] = [
      .init(.procedure, .text(isSetup ? "pair-setup" : "pair-verify")), .init(.state, .integer(Int128(state))),
    ]
    var tree = FindingTree(list)
    var words = "M\(state)"
    if let error = list.byte(.error) {
      words += ", refused: \(PairingError(rawValue: error).map { "\($0)" } ?? "error \(error)")"
    }
    guard let sealed = list[.encryptedData] else {
      let isProved = isSetup && state == 4 ? self.isProved(by: list[.proof]) : nil
      if let isProved {
        fields.append(.init(.proof, .text("proof \(isProved ? "right" : "wrong")")))
        words += ", proof \(isProved ? "right" : "wrong")"
      }
      // M4 that refuses the proof of M3: the secret shows whether the proof is wrong.
      let isRefused = isSetup && state == 4 && list.byte(.error) == PairingError.authentication.rawValue
      let isPhoneProved = isRefused ? setup.flatMap { PairingInspection.isPhoneProved(self.known, secret: $0) } : nil
      if let isPhoneProved {
        let text = "proof of the phone \(isPhoneProved ? "right" : "wrong")"
        fields.append(.init(.proof, .text(text)))
        words += ", \(text)"
      }
      return Reading(
        state: state, fields: fields, words: words, tree: tree, proof: .unknown, isProved: isProved,
        isPhoneProved: isPhoneProved)
    }
    guard let secret = isSetup ? setup : verify,
      let opened = PairingInspection.open(sealed, isSetup: isSetup, state: state, secret: secret)
    else {
      let lacksKey = (isSetup ? self.known.phoneKey : phoneKey).isEmpty
      let reason =
        (isSetup ? setup : verify) != nil
        ? "the key log's key does not open it"
        : lacksKey ? "the phone's key, which names the secret, was not captured" : "no key in the key log"
      let isKnown = (isSetup ? setup : verify) != nil
      return Reading(
        state: state, fields: fields + [.init(.reason, .text(reason))], words: words + ", sealed identity", tree: tree,
        proof: isKnown ? .sealedOtherwise : .unknown)
    }
    let proof = self.proof(of: opened, isSetup, side, secret, &known)
    fields.append(.init(.proof, .text(proof.text)))
    words +=
      ", identity \(opened[.identifier].map { String(decoding: $0, as: UTF8.self) } ?? "without a name"), \(proof.text)"
    tree = tree.adding(.init("opened", FindingTree(opened)), behind: "encryptedData")
    return Reading(state: state, fields: fields, words: words, tree: tree, proof: proof)
  }

  /// Reads a message of pairing for what later messages need.
  mutating func note(_ body: [UInt8], isSetup: Bool, _ secrets: SessionSecrets, _ budget: inout SearchBudget) {
    do {
      let list = try TLV8(bytes: body)
      if let state = list.byte(.state) { note(list, state, isSetup, secrets, &budget) }
    } catch {
      // It has nothing that later messages need.
    }
  }

  /// Keeps what later messages need. A capture has its secrets behind the message that leads to them.
  private mutating func note(
    _ list: TLV8, _ state: UInt8, _ isSetup: Bool, _ secrets: SessionSecrets, _ budget: inout SearchBudget
  ) {
    switch (isSetup, state) {
    case (true, 1): known = PairingInspection.SetupProofs()
    case (true, 2): (known.salt, known.headUnitKey) = (list[.salt] ?? [], list[.publicKey] ?? [])
    case (true, 3): (known.phoneKey, known.phoneProof) = (list[.publicKey] ?? [], list[.proof] ?? [])
    case (false, 1): (phoneKey, headUnitKey) = (list[.publicKey] ?? [], [])
    case (false, 2): headUnitKey = list[.publicKey] ?? []
    default: break
    }
    // Without the message that has the phone's key, an identity shows which secret is right.
    if list[.encryptedData] != nil, (isSetup ? known.phoneKey : phoneKey).isEmpty,
      let found = secrets.find(isSetup ? .pairSetup : .pairVerify, &budget, { isRight($0, list, state, isSetup) })
    {
      if isSetup { known.phoneKey = found.phoneKey } else { phoneKey = found.phoneKey }
    }
    if isSetup {
      setup = secrets.secret(of: .pairSetup, known.phoneKey, present: setup) { isRight($0, list, state, isSetup) }
    } else {
      verify = secrets.secret(of: .pairVerify, phoneKey, present: verify) { isRight($0, list, state, isSetup) }
    }
  }

  /// Returns whether a message shows that a secret is the one of its procedure.
  private func isRight(_ secret: Secret, _ list: TLV8, _ state: UInt8, _ isSetup: Bool) -> Bool {
    if let sealed = list[.encryptedData] {
      return PairingInspection.open(sealed, isSetup: isSetup, state: state, secret: secret) != nil
    }
    guard isSetup, state == 4, let proof = list[.proof] else { return false }
    return PairingInspection.isProved(by: proof, known, secret: secret) != nil
  }

  /// Returns whether the head unit proved the password; nil if the secret is not known, or is another one.
  private func isProved(by proof: [UInt8]?) -> Bool? {
    guard let setup, let proof else { return nil }
    return PairingInspection.isProved(by: proof, known, secret: setup)
  }

  /// Returns what the signature of an identity proves, and keeps its long-term key.
  private mutating func proof(
    of list: TLV8, _ isSetup: Bool, _ side: SessionSide, _ secret: Secret, _ known: inout [String: [UInt8]]
  ) -> SessionJudge.Proof {
    let name = list[.identifier].map { String(decoding: $0, as: UTF8.self) } ?? ""
    if isSetup {
      known[name] = list[.publicKey]
      return PairingInspection.isSigned(setup: list, by: side, secret: secret) ? .right : .wrong
    }
    // In a capture with gaps the keys of pair-verify may be missing.
    guard let key = known[name], !phoneKey.isEmpty, !headUnitKey.isEmpty else { return .unknown }
    let keys = side == .phone ? (phoneKey, headUnitKey) : (headUnitKey, phoneKey)
    return PairingInspection.isSigned(verify: list, own: keys.0, other: keys.1, publicKey: key)
      ? .right : .wrong
  }

  /// A message of pairing.
  struct Reading {
    /// The number of the message.
    let state: UInt8
    let fields: [SessionFinding.Field]
    let words: String
    let tree: FindingTree
    /// The proof of its sealed identity.
    let proof: SessionJudge.Proof
    /// Whether the head unit proved the password in it; nil for another message, and without the secret.
    var isProved: Bool?
    /// Whether the phone proved the password before a message that refuses its proof; nil for another message, and
    /// without the secret.
    var isPhoneProved: Bool?
  }
}

extension SessionJudge.Proof {
  /// The words of a finding.
  fileprivate var text: String {
    switch self {
    case .right: "signature right"
    case .wrong: "signature wrong"
    case .sealedOtherwise: "sealed with another key"
    case .unknown: "signature not checked: a key of it is not in this capture"
    }
  }
}
