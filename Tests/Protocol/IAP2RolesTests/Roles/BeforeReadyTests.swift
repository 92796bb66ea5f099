// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import Testing
import WireSupport

/// Tests of what a head unit says before authentication and identification are both complete, with a phone of bytes.
@Suite struct BeforeReadyTests {
  /// A step of a phone: a message, or the answer of the authenticator that a message asked for.
  enum Step: Sendable {
    case message(UInt16)
    case signature
  }

  /// A wireless head unit with every feature and a Wi-Fi.
  private static func headUnit() -> HeadUnitPolicy {
    HeadUnitPolicy(profile: .standard(protocols: ["com.example.echo"], features: .all))
  }

  private static func output(_ policy: inout HeadUnitPolicy, _ step: Step) -> PolicyOutput {
    switch step {
    case .message(let id): PolicyOutput(policy.handle(.message(id: id, bytes: controlMessage(id, parameters(of: id)))))
    case .signature: PolicyOutput(policy.handle(.signatureReady([1])))
    }
  }

  /// The smallest valid body of a message.
  private static func parameters(of id: UInt16) -> [UInt8] {
    switch id {
    case 0xAA02: parameter(0, [UInt8](repeating: 1, count: 32))
    case 0x4300: parameter(0, parameter(0, [1])) + parameter(1, parameter(0, [1]))
    case 0xA100: parameter(3, [])
    case 0xFFFA: parameter(1, [])
    case 0xEA00: parameter(0, [1]) + parameter(1, [0, 1])
    case 0x4E09: parameter(0, text("phone"))
    default: []
    }
  }

  /// Messages whose answer, or whose effect, is one of a feature. The request for the credentials of the Wi-Fi is first.
  private static let questions: [UInt16] = [0x5702, 0x4300, 0xA100, 0xFFFA, 0xEA00]

  /// Every order in which a phone leaves out a step.
  private static let incomplete: [(name: String, steps: [Step])] = [
    ("nothing", []),
    ("no identification", [.message(0xAA00), .message(0xAA02), .signature, .message(0xAA05)]),
    ("no authentication", [.message(0x1D00), .message(0x1D02)]),
    ("no challenge", [.message(0x1D00), .message(0x1D02), .message(0xAA00), .message(0xAA05)]),
    ("no signature", [.message(0x1D00), .message(0x1D02), .message(0xAA02), .message(0xAA05)]),
    ("no success", [.message(0x1D00), .message(0x1D02), .message(0xAA02), .signature]),
    ("not accepted", [.message(0xAA02), .signature, .message(0xAA05), .message(0x1D00)]),
    ("accepted before it was sent", [.message(0x1D02), .message(0xAA02), .signature, .message(0xAA05)]),
    (
      "success before the signature",
      [.message(0x1D00), .message(0x1D02), .message(0xAA05), .message(0xAA02), .signature]
    ),
  ]

  @Test func aPhoneThatLeavesOutAStepGetsNoAnswer() {
    for (name, steps) in Self.incomplete {
      var policy = Self.headUnit()
      for step in steps { _ = Self.output(&policy, step) }
      #expect(!policy.isReady, "\(name)")
      for question in Self.questions {
        let output = Self.output(&policy, .message(question))
        #expect(output.actions == [.event(.violation(.outOfTurn(question)))], "\(name), \(String(question, radix: 16))")
      }
    }
  }

  /// Authentication.md#order-both: after both steps in either order, the same questions are answered.
  @Test(arguments: [true, false]) func aPhoneThatTakesEachStepGetsTheWiFi(authenticationFirst: Bool) {
    let authentication: [Step] = [.message(0xAA00), .message(0xAA02), .signature, .message(0xAA05)]
    let identification: [Step] = [.message(0x1D00), .message(0x1D02)]
    var policy = Self.headUnit()
    for step in authenticationFirst ? authentication + identification : identification + authentication {
      #expect(Self.output(&policy, step).violations.isEmpty)
    }
    #expect(policy.isReady)
    #expect(Self.output(&policy, .message(0x5702)).sent.map { ControlHeader.id(of: $0) } == [0x5703])
  }

  /// Authentication.md#unasked-before-both
  @Test func whatThePhoneTellsAboutItselfIsReadBetweenTheTwo() {
    var policy = Self.headUnit()
    #expect(Self.output(&policy, .message(0x4E09)).violations == [.outOfTurn(0x4E09)])
    for step in [Step.message(0x1D00), .message(0x1D02)] { _ = Self.output(&policy, step) }
    let output = Self.output(&policy, .message(0x4E09))
    #expect(output.features.count == 1 && output.violations.isEmpty && output.sent.isEmpty)
  }
}
