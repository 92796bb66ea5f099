// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Authentication
public import IAP2Roles
import IAP2Runtime
import IAP2Transport

/// The configuration of one side of simulated sessions.
public struct SimulationSide<Profile: Sendable>: Sendable {
  /// The profile of the role, which includes its initial state.
  public var profile: Profile
  /// The link preferences; nil to draw them from each seed.
  public var link: LinkPreferences?
  /// The deviations of the endpoint; none by default.
  package var quirks = EndpointQuirks()
  /// The delays of the side's control messages; none by default.
  package var pacing = MessagePacing()

  /// Creates a side with this profile and the defaults of the other properties.
  public init(_ profile: Profile) { self.profile = profile }
}

/// The settings that all seeds of a simulation share.
public struct SimulationSettings: Sendable {
  /// The configuration of the head unit.
  public var headUnit: SimulationSide<HeadUnitProfile>
  /// The configuration of the phone.
  public var phone: SimulationSide<PhoneProfile>
  /// The policy by which both sides judge disconnects; `LifecyclePolicy.evidence` by default.
  public var policy = LifecyclePolicy.evidence
  /// The kinds of faults that seeds may draw; all by default.
  public var faults = Set(FaultKind.allCases)

  /// Creates settings with a standard head unit that has the EA protocol `com.example.simulation` and the features
  /// power, CarPlay, device notifications and now playing, and with a standard phone.
  public init() {
    headUnit = SimulationSide(
      .standard(
        protocols: ["com.example.simulation"], features: [.power, .carPlay, .deviceNotifications, .nowPlaying]))
    phone = SimulationSide(PhoneProfile())
  }

  /// The EA protocol that sessions use; nil when every protocol of the head unit has a native transport.
  var protocolName: String? {
    headUnit.profile.identification.supportedExternalAccessoryProtocol.first {
      $0.nativeTransportComponentIdentifier == nil
    }?.externalAccessoryProtocolName
  }
}

/// An authenticator with a placeholder certificate and signature of the correct sizes, without cryptography.
struct StubAuthenticator: Authenticator {
  let signMilliseconds: Int
  let clock: any RuntimeClock

  func certificate() async throws(AuthenticationError) -> [UInt8] { Self.bytes(610) }
  func serialNumber() async throws(AuthenticationError) -> [UInt8] { Self.bytes(32) }

  func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    // The sleep throws only when the connection has ended.
    if signMilliseconds > 0 {
      do { try await clock.sleep(until: clock.now.adding(milliseconds: signMilliseconds)) } catch {}
    }
    return Self.bytes(64)
  }

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) } }
}
