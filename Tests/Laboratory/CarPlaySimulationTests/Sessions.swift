// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Cryptography

/// A head unit and phones without a certificate. The signature is a hash of the signed bytes.
enum Sessions {
  static func identity(_ name: String) throws -> PairingIdentity {
    try PairingIdentity(identifier: name, privateKey: Secret(HashFunction.sha256.hash(Array(name.utf8))))
  }

  static func sign(_ bytes: [UInt8]) -> AccessoryEvidence? {
    AccessoryEvidence(certificate: Array("certificate".utf8), signature: HashFunction.sha256.hash(bytes))
  }

  static func judge(_ evidence: AuthSetupPhone.Evidence) -> PhoneConfiguration.Verdict {
    guard evidence.certificate == Array("certificate".utf8) else { return .badCertificate }
    return evidence.signature == HashFunction.sha256.hash(evidence.signed) ? .trusted : .badSignature
  }

  static func headUnit(
    _ generation: Generation = .current, _ change: (inout HeadUnitConfiguration) -> Void = { _ in }
  ) throws -> HeadUnitSession {
    let info = SessionInfo.standard(
      generation: generation, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    var configuration = HeadUnitConfiguration(identity: try identity("head unit"), info: info, generation: generation)
    change(&configuration)
    let random = SeededBytes(1)
    return HeadUnitSession(configuration, random: random.bytes)
  }

  static func phone(
    _ name: String = "phone", generation: Generation = .current,
    _ change: (inout PhoneConfiguration) -> Void = { _ in }
  ) throws -> PhoneSession {
    var configuration = PhoneConfiguration(identity: try identity(name), generation: generation, judge: judge)
    configuration.request.name = name
    change(&configuration)
    let random = SeededBytes(UInt64(name.utf8.count) + 2)
    return PhoneSession(configuration, random: random.bytes)
  }

  /// Returns a network with one phone, which is connected.
  static func network(
    _ generation: Generation = .current, headUnit change: (inout HeadUnitConfiguration) -> Void = { _ in },
    phone changePhone: (inout PhoneConfiguration) -> Void = { _ in }
  ) throws -> SessionNetwork {
    var network = SessionNetwork(
      headUnit: try headUnit(generation, change), phones: [try phone(generation: generation, changePhone)], sign: sign)
    network.start()
    return network
  }
}

extension MachineNetwork {
  func events(of node: Node) -> [SessionEvent] { entries.filter { $0.node == node }.map(\.event) }

  func states(of node: Node) -> [SessionState] {
    events(of: node).compactMap { if case .state(let state) = $0 { state } else { nil } }
  }

  func ends(of node: Node) -> [SessionEnd] {
    events(of: node).compactMap { if case .ended(let end, _) = $0 { end } else { nil } }
  }
}
