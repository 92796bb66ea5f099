// swift-iap2 · Apache-2.0

package import CarPlaySession
import Synchronization

/// A phone that is checked: how it reaches a probe, and what the probe is.
package struct ProbedPhone: Sendable {
  /// The line of the whole run, on which the phone's connections arrive.
  package var line: any ProbeLine
  /// Starts the phone again, or lets it connect again; nil if it connects on its own.
  package var restart: (@Sendable () async -> Void)?
  /// The way to the phone's control port; nil if it is not known.
  package var calls: ProbeCalls?
  /// The identity of the probe, and that of a second head unit.
  package var identity: PairingIdentity, otherIdentity: PairingIdentity
  /// The answer to `/info`.
  package var info: SessionInfo
  /// A source of random bytes.
  package var random: @Sendable (Int) -> [UInt8]
  /// The time limit of a step of the phone.
  package var answer = Duration.seconds(5)
  /// The time for which the ordinary session is live before the probe sends commands.
  package var ordinary = Duration.seconds(3)
  /// The phones that are paired with the probe, in all checks of a run.
  let pairings = PairedPhones()
  /// The experience of the run with this peer.
  let experience = SessionExperience()

  /// Creates a phone to be checked.
  package init(
    line: any ProbeLine, restart: (@Sendable () async -> Void)? = nil, identity: PairingIdentity,
    otherIdentity: PairingIdentity,
    info: SessionInfo = .standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 800, height: 480)]),
    random: @escaping @Sendable (Int) -> [UInt8]
  ) {
    (self.line, self.restart, self.info, self.random) = (line, restart, info, random)
    (self.identity, self.otherIdentity) = (identity, otherIdentity)
  }
}

/// The phones that are paired with each identity of a probe.
final class PairedPhones: Sendable {
  private let keys = Mutex<[String: [String: [UInt8]]]>([:])

  /// Returns the key of a phone that is paired with an identity; nil for an unknown phone.
  func key(of phone: String, with identity: PairingIdentity) -> [UInt8]? {
    keys.withLock { $0[Self.name(identity)]?[phone] }
  }

  /// Stores a phone.
  func add(_ phone: PairedPeer, with identity: PairingIdentity) {
    keys.withLock { $0[Self.name(identity), default: [:]][phone.identifier] = phone.publicKey }
  }

  /// Removes the phones of an identity.
  func removeAll(of identity: PairingIdentity) { keys.withLock { $0[Self.name(identity)] = nil } }

  /// The name of an identity. Two identities may have the same identifier.
  private static func name(_ identity: PairingIdentity) -> String { "\(identity.identifier) \(identity.publicKey)" }
}
