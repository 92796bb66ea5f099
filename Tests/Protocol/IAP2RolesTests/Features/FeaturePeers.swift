// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// The value of a text parameter: UTF-8 and a zero.
func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

/// The results of one input to a policy.
struct PolicyOutput: Equatable {
  /// The messages that the policy sends, in order.
  var sent: [[UInt8]] = []
  var violations: [ProtocolViolation] = []
  var features: [FeatureEvent] = []
  var actions: [RoleAction] = []

  init(_ actions: [RoleAction]) {
    self.actions = actions
    for action in actions {
      switch action {
      case .send(let message): sent.append(message)
      case .event(.violation(let violation)): violations.append(violation)
      case .event(.feature(let feature)): features.append(feature)
      default: break
      }
    }
  }
}

/// A role that is ready. The test plays its peer with bytes.
protocol PolicyBench {
  associatedtype Policy: RolePolicy
  var policy: Policy { get set }
}

extension PolicyBench {
  @discardableResult
  mutating func receive(_ id: UInt16, _ parameters: [UInt8] = []) -> PolicyOutput {
    PolicyOutput(policy.handle(.message(id: id, bytes: controlMessage(id, parameters))))
  }

  @discardableResult
  mutating func wait(milliseconds: Int) -> PolicyOutput {
    PolicyOutput(policy.handle(.tick(milliseconds: milliseconds)))
  }
}

/// A phone that is ready. The test plays its accessory with bytes.
struct PhoneBench: PolicyBench {
  var policy: PhonePolicy
  /// The output when the phone became ready, behind the acceptance of the identification.
  let ready: PolicyOutput

  /// - Parameter identification: the accessory's 0x1D01, which the phone must accept.
  init(_ identification: [UInt8], _ prepare: (inout PhoneState) -> Void = { _ in }) throws {
    var profile = PhoneProfile()
    prepare(&profile.state)
    policy = PhonePolicy(profile: profile)
    _ = policy.handle(.linkUp(.standard))
    _ = policy.handle(.message(id: 0xAA01, bytes: controlMessage(0xAA01, parameter(0, [1]))))
    _ = policy.handle(.certificateChecked(challenge: [2], reason: nil))
    _ = policy.handle(.message(id: 0xAA03, bytes: controlMessage(0xAA03, parameter(0, [3]))))
    _ = policy.handle(.responseChecked(isValid: true, reason: nil))
    let actions = policy.handle(.message(id: 0x1D01, bytes: identification))
    try #require(policy.isReady && actions.first == .send(controlMessage(0x1D02, [])))
    ready = PolicyOutput(Array(actions.dropFirst()))
  }

  init(
    _ features: HeadUnitFeatures, protocols: [String] = [],
    _ prepare: (inout PhoneState) -> Void = { _ in }, change: (inout IdentificationInformation) -> Void = { _ in }
  ) throws {
    var identification = HeadUnitProfile.standard(protocols: protocols, features: features).identification
    change(&identification)
    try self.init(try identification.encoded(), prepare)
  }

  @discardableResult
  mutating func change(_ body: (inout PhoneState) -> Void) -> PolicyOutput { PolicyOutput(policy.change(body)) }
}

/// A head unit that is ready. The test plays its phone with bytes.
struct HeadUnitBench: PolicyBench {
  var policy: HeadUnitPolicy
  /// The output when the head unit became ready.
  let ready: PolicyOutput

  init(_ features: HeadUnitFeatures, _ prepare: (inout HeadUnitProfile) -> Void = { _ in }) throws {
    var profile = HeadUnitProfile.standard(features: features)
    prepare(&profile)
    policy = HeadUnitPolicy(profile: profile)
    _ = policy.handle(.signatureReady([1]))
    _ = policy.handle(.message(id: 0x1D00, bytes: controlMessage(0x1D00, [])))
    _ = policy.handle(.message(id: 0xAA05, bytes: controlMessage(0xAA05, [])))
    ready = PolicyOutput(policy.handle(.message(id: 0x1D02, bytes: controlMessage(0x1D02, []))))
    try #require(policy.isReady)
  }

  @discardableResult
  mutating func change(_ body: (inout HeadUnitState) -> Void) -> PolicyOutput { PolicyOutput(policy.change(body)) }
}

/// A Stop ends a subscription, and a second Stop is named.
func expectStops(_ phone: inout PhoneBench, _ stop: UInt16, _ change: (inout PhoneState) -> Void) {
  #expect(phone.receive(stop) == PolicyOutput([]))
  #expect(phone.change(change).sent.isEmpty)
  #expect(phone.receive(stop).violations == [.notStarted(stop)])
}
