// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography

/// The identities and settings of simulated head units and phones. The signature of the coprocessor is a hash.
enum SimulatedParties {
  static let maximumPhoneCount = 3

  private static func identity(_ name: String, _ byte: UInt8) -> PairingIdentity {
    do throws(PairingProblem) {
      return try PairingIdentity(identifier: name, privateKey: Secret((0..<32).map { byte &+ $0 }))
    } catch { preconditionFailure("32 bytes are a key: \(error)") }
  }

  static let headUnitIdentity = identity("head unit", 1)
  static let phoneIdentities = (0..<maximumPhoneCount).map { identity("phone \($0)", UInt8(2 + $0)) }

  private static let infos = Dictionary(
    uniqueKeysWithValues: Generation.allCases.map { generation in
      let displays = [DisplaySettings(width: 1280, height: 720), DisplaySettings(width: 800, height: 400)]
      return (
        generation, SessionInfo.standard(generation: generation, deviceID: "02:00:00:00:00:01", displays: displays)
      )
    })

  static func headUnit(_ plan: SimulationPlan, seed: UInt64) -> HeadUnitSession {
    var configuration = HeadUnitConfiguration(
      identity: headUnitIdentity, info: infos[plan.generation] ?? SessionInfo(), generation: plan.generation,
      features: ["viewAreas", "altScreen", "iAPChannel"])
    for (index, phone) in phoneIdentities.enumerated() where index > 0 || !(plan.pairs || plan.forgot) {
      configuration.phones[phone.identifier] = phone.publicKey
    }
    let random = SeededBytes(seed)
    return HeadUnitSession(configuration, random: random.bytes)
  }

  static func phone(_ index: Int, _ plan: SimulationPlan, seed: UInt64) -> PhoneSession {
    var configuration = PhoneConfiguration(
      identity: phoneIdentities[index], generation: plan.generation, judge: judge)
    if plan.generation.offersPairing, index > 0 || !plan.pairs {
      configuration.headUnits[headUnitIdentity.identifier] = headUnitIdentity.publicKey
    }
    configuration.hasClock = plan.hasClock
    configuration.authenticates = plan.authenticates
    configuration.request.name = "phone \(index)"
    configuration.request.features = ["viewAreas", "altScreen", "hevc", "iAPChannel"]
    let random = SeededBytes(seed)
    return PhoneSession(configuration, random: random.bytes)
  }

  static let certificate: [UInt8] = Array("certificate".utf8)

  static func signature(of bytes: [UInt8]) -> [UInt8] {
    var sum: UInt64 = 14_695_981_039_346_656_037
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211 }
    return (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) }
  }

  private static func judge(_ evidence: AuthSetupPhone.Evidence) -> PhoneConfiguration.Verdict {
    guard evidence.certificate == certificate else { return .badCertificate }
    return evidence.signature == signature(of: evidence.signed) ? .trusted : .badSignature
  }
}
