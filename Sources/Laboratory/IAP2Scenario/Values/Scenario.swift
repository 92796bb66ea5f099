// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Faults
public import IAP2Formats
public import IAP2Roles
package import IAP2Runtime
import IAP2Simulation
public import IAP2Sockets

/// A scripted session of a head unit and a phone: the initial states of both, and the steps with their expected events.
public struct Scenario: Sendable {
  /// The behavior of an accessory in the EA sessions of a protocol.
  public enum Service: Sendable, Equatable {
    /// The accessory sends back the bytes it reads.
    case echo
    /// The accessory reads and discards all bytes.
    case discard
    /// The accessory never reads.
    case stall
    /// The accessory sends the bytes of a script: as answers, and at intervals.
    case script(ServiceScript)
    /// A program that listens on a socket answers, over one connection for each session.
    case program(TransportAddress)
  }

  /// The services that have a name in YAML.
  static let services: [String: Service] = ["echo": .echo, "discard": .discard, "stall": .stall]

  /// A change of the phone's state that returns nil, or the reason when it is impossible.
  public typealias PhoneChange = @Sendable (inout PhoneState) -> String?

  /// A step of a scenario with its place in the file.
  public struct Step: Sendable {
    /// The action of a step.
    public enum Action: Sendable {
      /// Waits this number of milliseconds on the session's clock.
      case wait(Int)
      /// Waits for an event, and fails when it does not arrive in time.
      case expect(Expectation)
      /// Waits for a time, and fails when an event arrives in it. Its time limit is that time.
      case never(Expectation)
      /// Changes the phone's state.
      case phone(PhoneChange)
      /// Changes the head unit's state.
      case headUnit(@Sendable (inout HeadUnitState) -> Void)
      /// Sends a message from the head unit; fails if the head unit's identification does not list it.
      case send(any ControlMessage)
      /// Presses keys of one of the head unit's HID components.
      case press([HIDUsage], component: UInt16)
      /// Presses a button of the head unit's media remote.
      case button(MediaButton)
      /// Sends an output report of the phone with these usage values to a HID component of the accessory.
      case lights([HIDUsage: Int], component: UInt16)
      /// Sends NMEA sentences from the head unit; fails if the phone has requested none of them.
      case report([String])
      /// Sends a message with this identifier and these parameter bytes, also if no identification lists it.
      case raw(Role, id: UInt16, body: [UInt8])
      /// Opens an EA session on the phone, writes bytes, waits until the same bytes have come back, and closes the
      /// session.
      case exchange(protocolName: String, byteCount: Int, withinMilliseconds: Int)
      /// Opens an EA session of this protocol on the phone and keeps it open.
      case open(String)
      /// Writes bytes in the EA session that ``open(_:)`` or a running app opened.
      case write(protocolName: String, byteCount: Int)
      /// Writes these bytes in an open EA session of the phone: that of the protocol, or the only open one.
      case writeData([UInt8], protocolName: String?)
      /// Waits until the accessory has sent expected bytes in an open EA session of the phone.
      case expectData(DataExpectation)
      /// Closes the EA session that ``open(_:)`` or a running app opened.
      case close(String)
      /// Closes every EA session of this protocol on the head unit.
      case closeByAccessory(String)
      /// Disconnects by request of this role.
      case disconnect(Role)
      /// Waits until the effects of the live peer's step have arrived on this side. ``LiveScenario`` inserts this step.
      case settle(Expectation?)
      /// Changes the phones on the car's access point.
      case wiFi(WiFiChange)
      /// Acts in the CarPlay session.
      case session(CarPlayStep)
      /// Runs a step of a higher layer, see ``ScenarioVocabulary``.
      case added(ScenarioVocabulary.Action)
      /// Delivers a disconnect notification of the platform to this role, whether the connection has ended or not.
      case notice(Role)
      /// Changes the conditions of the cable.
      case faults(ConditionChange)
      /// Loses the next disconnect notification of this role's platform.
      case loseNotice(Role)
      /// Pulls the cable while both transports stay open.
      case halfOpen
      /// Pulls the cable, which both transports report.
      case cut
      /// Plugs the cable in again.
      case plug
    }
    /// The action of the step.
    public var action: Action
    /// The role that acts or whose event is expected; nil for steps of the cable and for waits.
    public var role: Role?
    /// The name of the file that contains the step.
    public var file: String
    /// The line of the step in the file, from 1; nil when unknown.
    public var line: Int?
    /// The human-readable name of the step.
    public var text: String
  }

  /// A change of the phones on the car's access point.
  public enum WiFiChange: String, Sendable, CaseIterable {
    /// The phone leaves the range without a word.
    case lost
    /// The phone is back in the range.
    case back
    /// Another phone joins, and offers itself to the head unit.
    case other
  }

  /// An event with values that must occur after the events of earlier expectations.
  public struct Expectation: Sendable {
    /// The role that reports the event.
    public var role: Role
    /// The name of the event, one of `RoleEvent.names` or of a ``ScenarioVocabulary``.
    public var event: String
    /// The values that the event must have, by the names of the message catalog; other values are ignored.
    public var values: [String: String]
    /// The time limit in milliseconds from the start of the step; 5000 by default in YAML.
    public var withinMilliseconds: Int
    /// Whether events before those of earlier expectations count, too. Such an expectation takes no event.
    public var allowsEarlier = false
  }

  /// Bytes that must arrive in an EA session of the phone after those of earlier expectations.
  public struct DataExpectation: Sendable {
    /// The protocol of the session; nil for the only open one.
    public var protocolName: String?
    /// The time limit in milliseconds from the start of the step; 5000 by default in YAML.
    public var withinMilliseconds: Int
    let pattern: DataPattern
  }

  /// The name of the scenario; its file name by default.
  public var name: String
  /// A short description of the scenario; empty by default.
  public var summary: String
  /// The head unit with its initial state.
  public var headUnit: HeadUnitProfile
  /// The services of the head unit's EA protocols by protocol name.
  public var services: [String: Service]
  /// The phone with its initial state.
  public var phone: PhoneProfile
  /// The link, the deviations and the timing of the head unit.
  public var headUnitBehavior = Behavior()
  /// The link, the deviations and the timing of the phone. The default accepts retransmission timeouts from 500 to 1500
  /// ms.
  public var phoneBehavior = Behavior.plainPhone
  /// The CarPlay sessions on the network beside the link; nil for none.
  package var carPlay: CarPlaySettings?
  /// The disconnect policy and the injected faults.
  public var life = LifecycleConditions()
  /// The steps in their order.
  public var steps: [Step]
}

/// Options for the disconnect policy, for injected faults and for injected notification loss.
public struct LifecycleConditions: Sendable {
  /// The policy by which both sides judge disconnects; `LifecyclePolicy.evidence` by default.
  public var policy = LifecyclePolicy.evidence
  /// The silence of the peer in milliseconds after which the link is probed; nil, the default, when silence is not
  /// evidence.
  public var silenceMilliseconds: Int?
  /// The time in milliseconds that probes stay unanswered after a sign before the disconnect is reported; 800 by
  /// default.
  public var confirmationMilliseconds = LifecycleTimes().confirmationMilliseconds
  /// The probability, 0…1, that the platform loses a disconnect notification; 0 by default.
  public var noticeLoss = 0.0
  /// The faults of the cable; nil for none.
  public var fault: FaultPlan?
  /// The seed of the notification loss, equal to the seed of the fault plan when the scenario has one; 1 by default.
  public var seed: UInt64 = 1
  /// Whether the scenario's fault plan names the seed. If not, a command may choose another seed.
  public var hasSeed = false

  /// Creates conditions without faults and with the policy `LifecyclePolicy.evidence`.
  public init() {}

  /// Sets the lifecycle and the notification loss of a role's options.
  ///
  /// - Parameters:
  ///   - options: the options to change.
  ///   - number: the number of the side, so that each side loses different notifications.
  package func apply(to options: inout RoleOptions, number: UInt64 = 0) {
    var times = LifecycleTimes()
    times.silenceMilliseconds = silenceMilliseconds
    times.confirmationMilliseconds = confirmationMilliseconds
    options.lifecycle = Lifecycle(policy: policy, times: times)
    guard noticeLoss > 0 else { return }
    let loss = NoticeLoss(probability: noticeLoss, seed: seed &+ number)
    options.losesNotice = { loss.isLost() }
  }
}
