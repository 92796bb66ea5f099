// swift-iap2 · Apache-2.0

package import CarPlaySession

/// A head unit that is checked: how a probe reaches it, and what the probe is.
package struct ProbedHeadUnit: Sendable {
  /// Opens a connection; nil if the head unit accepts none.
  package var dial: @Sendable () async -> (any ProbeLine)?
  /// The control port of the probe, which is announced as a phone; nil if it is not announced.
  package var control: ProbeControl?
  /// The identity of the probe, and that of a second phone.
  package var identity: PairingIdentity, otherIdentity: PairingIdentity
  /// The judgement about the evidence of auth-setup.
  package var judge: @Sendable (AuthSetupPhone.Evidence) -> PhoneConfiguration.Verdict
  /// Whether that judgement is about the signature, too.
  package var checksSignature = true
  /// A source of random bytes.
  package var random: @Sendable (Int) -> [UInt8]
  /// The time limit of an answer.
  package var answer = Duration.seconds(5)

  /// Whether the head unit accepted a connection and answered nothing. Only the rules of the ordinary session are judged
  /// then, because each check that provokes would wait for answers in vain.
  package var isMute = false

  /// The experience of the run with this peer.
  let experience = SessionExperience()

  /// The time for which the ordinary session is live with all its streams. In it a user may touch the screen.
  package var ordinary = Duration.seconds(3)

  /// Creates a head unit to be checked.
  package init(
    identity: PairingIdentity, otherIdentity: PairingIdentity, random: @escaping @Sendable (Int) -> [UInt8],
    judge: @escaping @Sendable (AuthSetupPhone.Evidence) -> PhoneConfiguration.Verdict,
    dial: @escaping @Sendable () async -> (any ProbeLine)?
  ) {
    (self.identity, self.otherIdentity, self.random) = (identity, otherIdentity, random)
    (self.judge, self.dial) = (judge, dial)
  }
}
