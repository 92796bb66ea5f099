// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Faults
public import IAP2Formats
public import IAP2Roles
package import IAP2Runtime
import IAP2Simulation

/// A play for two: what a car and a phone are, what happens to them step by step, and what must be seen.
public struct Scenario: Sendable {
  public enum Role: String, Sendable, Hashable, CaseIterable { case headUnit, phone }
  static let roles = Dictionary(uniqueKeysWithValues: Role.allCases.map { ($0.rawValue, $0) })

  /// What an accessory does with the sessions of a protocol.
  public enum Service: String, Sendable, Hashable, CaseIterable {
    case echo, discard
    /// Never reads.
    case stall
  }

  /// What happens to the phone; the text says why it could not.
  public typealias PhoneChange = @Sendable (inout PhoneState) -> String?

  public struct Step: Sendable {
    public enum Action: Sendable {
      /// Milliseconds of the connection's own time.
      case wait(Int)
      case expect(Expectation)
      case phone(PhoneChange)
      case headUnit(@Sendable (inout HeadUnitState) -> Void)
      /// A message of the head unit's, if its identification lists it.
      case send(any ControlMessage)
      case press([HIDUsage], component: UInt16)
      case button(MediaButton)
      case lights([HIDUsage: Int], component: UInt16)
      case report([String])
      /// Bytes of a whole message, whatever the lists say.
      case raw(Role, id: UInt16, body: [UInt8])
      case exchange(protocolName: String, byteCount: Int, withinMilliseconds: Int)
      case open(String)
      case write(protocolName: String, byteCount: Int)
      case close(String)
      /// The head unit ends every session of a protocol.
      case closeByAccessory(String)
      case disconnect(Role)
      /// Waits until what the other side of a live connection does has shown here.
      case settle(Expectation?)
      /// The platform's notice of a disconnect, rightly or not.
      case notice(Role)
      /// Pulls the cable unnoticed: its end is not told to anybody.
      case halfOpen
      /// Pulls the cable, and puts it in again.
      case cut
      case plug
    }
    public var action: Action
    /// Whose step it is; nil for the cable's and time's.
    public var role: Role?
    public var file: String
    public var line: Int?
    /// What the step says, for people.
    public var text: String
  }

  /// An event that must come after what was expected before it, with these values.
  public struct Expectation: Sendable {
    public var role: Role
    public var event: String
    public var values: [String: String]
    public var withinMilliseconds: Int
  }

  public var name: String
  public var summary: String
  public var headUnit: HeadUnitProfile
  public var services: [String: Service]
  public var phone: PhoneProfile
  public var headUnitConduct = Conduct()
  public var phoneConduct = Conduct.plainPhone
  public var life = LifeConditions()
  public var steps: [Step]
}

/// What a connection's end is judged by, and what goes wrong.
public struct LifeConditions: Sendable {
  public var policy = LifecyclePolicy.evidence
  /// Silence that is evidence; nil: none is.
  public var silenceMilliseconds: Int?
  /// With which probability the platform's notices get lost.
  public var noticeLoss = 0.0
  public var fault: FaultPlan?
  public var seed: UInt64 = 1
  /// The seed is one that the scenario names, and not just any.
  public var hasSeed = false

  public init() {}

  /// - Parameter number: which side it is; each loses its own notices.
  package func apply(to options: inout RoleOptions, number: UInt64 = 0) {
    var times = LifecycleTimes()
    times.silenceMilliseconds = silenceMilliseconds
    options.lifecycle = Lifecycle(policy: policy, times: times)
    guard noticeLoss > 0 else { return }
    let loss = NoticeLoss(probability: noticeLoss, seed: seed &+ number)
    options.losesNotice = { loss.isLost() }
  }
}
