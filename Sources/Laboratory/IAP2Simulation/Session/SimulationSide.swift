// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Authentication
public import IAP2Roles
import IAP2Runtime
import IAP2Transport

/// A side of simulated sessions, as its profile has it.
public struct SimulationSide<Profile: Sendable>: Sendable {
  public var profile: Profile
  /// Nil: each seed draws one.
  public var link: LinkPreferences?
  public var quirks = EndpointQuirks()
  public var pacing = MessagePacing()

  public init(_ profile: Profile) { self.profile = profile }
}

/// What sessions are simulated with, beside their seeds.
public struct SimulationSettings: Sendable {
  public var headUnit: SimulationSide<HeadUnitProfile>
  public var phone: SimulationSide<PhoneProfile>
  public var policy = LifecyclePolicy.evidence
  public var faults = Set(FaultKind.allCases)

  public init() {
    headUnit = SimulationSide(
      .standard(
        protocols: ["com.example.simulation"], features: [.power, .carPlay, .deviceNotifications, .nowPlaying]))
    phone = SimulationSide(PhoneProfile())
  }

  /// The EA protocol that sessions use; nil where the head unit has none that goes through the link.
  var protocolName: String? {
    headUnit.profile.identification.supportedExternalAccessoryProtocol.first {
      $0.nativeTransportComponentIdentifier == nil
    }?.externalAccessoryProtocolName
  }
}

/// Certificate and signature of the right size that mean nothing: whole authentications at no cost.
struct StubAuthenticator: Authenticator {
  let signMilliseconds: Int
  let clock: any RuntimeClock

  func certificate() async throws(AuthenticationError) -> [UInt8] { Self.bytes(610) }
  func serialNumber() async throws(AuthenticationError) -> [UInt8] { Self.bytes(32) }

  func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    // A cancelled wait ends with the connection.
    if signMilliseconds > 0 {
      do { try await clock.sleep(until: clock.now.adding(milliseconds: signMilliseconds)) } catch {}
    }
    return Self.bytes(64)
  }

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) } }
}
