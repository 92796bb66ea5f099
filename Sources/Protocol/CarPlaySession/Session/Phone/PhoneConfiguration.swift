// swift-iap2 · Apache-2.0

/// The settings of a phone's session.
public struct PhoneConfiguration: Sendable {
  /// The identity in pairings.
  public var identity: PairingIdentity
  /// The keys of paired head units by their identifiers. The phone pairs with a head unit that is not among them.
  public var headUnits: [String: [UInt8]]
  /// The key, or the identifier, that the head unit stated over iAP2 (`PublicKey` of CarPlayStartSession); nil if it
  /// stated none. A head unit with another key or identifier ends the session with ``SessionEnd/wrongPeer``.
  public var expectedHeadUnit: HeadUnitName?
  /// The generation that the phone assumes for the head unit. Only with ``Generation/old``, and without paired head
  /// units, a phone continues without pairing. Otherwise an attacker on the path could disable encryption.
  public var generation: Generation
  /// The name, the model and the addresses that the head unit sees.
  public var request: SessionSetUpRequest
  /// The other keys of requests.
  public var keys = SetUpKeys.today
  /// Whether the head unit must prove that it has a coprocessor. It is not known whether the newest phones leave the
  /// proof out.
  public var authenticates = true
  /// The judgement about the evidence of a head unit.
  public enum Verdict: Sendable, Hashable {
    /// The certificate is trusted, and its key has signed.
    case trusted
    /// The certificate is invalid or not trusted.
    case badCertificate
    /// The signature was made with another key.
    case badSignature
  }
  /// The function that judges the evidence of a head unit.
  public var judge: @Sendable (AuthSetupPhone.Evidence) -> Verdict
  /// Whether the session has a clock.
  public var hasClock = true
  /// The values of `X-Apple-HKP` in pair-setup and pair-verify. Test peers of AirPlay want 3 and 3. The values of
  /// CarPlay are inferred.
  public var pairingKinds = (setUp: 0, verify: 2)
  /// The status of the answer to a command without a known name. Ours.
  public var unknownCommandStatus = 200
  /// The seconds that clock datagrams add to the time since the start of this machine; 0 for none. Pictures and input
  /// have the time since the start alone. The default is that of one program, with a capture of a phone
  /// (CarPlaySession.md#clock).
  public var clockEpochSeconds = ClockPacket.epochSeconds
  /// The times.
  public var times = SessionTimes()

  /// Creates settings.
  public init(
    identity: PairingIdentity, headUnits: [String: [UInt8]] = [:], generation: Generation = .current,
    request: SessionSetUpRequest = SessionSetUpRequest(),
    judge: @escaping @Sendable (AuthSetupPhone.Evidence) -> Verdict
  ) {
    (self.identity, self.headUnits, self.generation) = (identity, headUnits, generation)
    (self.request, self.judge) = (request, judge)
  }
}
