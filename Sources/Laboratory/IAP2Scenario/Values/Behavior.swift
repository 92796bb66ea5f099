// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Runtime
public import IAP2Transport

/// The behavior of one side below its messages: link, deviations and timing.
public struct Behavior: Sendable {
  /// The link preferences of the side.
  public var link: LinkPreferences
  /// The deviations of the endpoint; none by default.
  package var quirks = EndpointQuirks()
  /// The delays of the side's control messages; none by default.
  package var pacing = MessagePacing()
  /// The time that the authentication chip takes for a signature, in milliseconds; 0 by default.
  public var signMilliseconds = 0

  /// Creates a behavior without deviations and delays.
  public init(link: LinkPreferences = LinkPreferences()) { self.link = link }

  /// The behavior of a phone without a profile. It accepts a shorter retransmission timeout than a head unit offers, so
  /// that the negotiation has one counter-offer.
  static var plainPhone: Behavior {
    var link = LinkPreferences()
    link.retransmissionTimeouts = 500...1500
    return Behavior(link: link)
  }

  /// Sets the link preferences, quirks and pacing of a role's options.
  public func apply(to options: inout RoleOptions) {
    options.preferences = link
    options.quirks = quirks
    options.pacing = pacing
  }

  /// Returns an authenticator that delays each signature of another one by ``signMilliseconds``, or that authenticator
  /// itself without a delay.
  public func authenticator(_ inner: any Authenticator, clock: any RuntimeClock) -> any Authenticator {
    signMilliseconds == 0 ? inner : SlowAuthenticator(inner: inner, milliseconds: signMilliseconds, clock: clock)
  }
}

/// An authenticator that delays signatures. Real authentication chips need hundreds of milliseconds for one.
struct SlowAuthenticator: Authenticator {
  let inner: any Authenticator
  let milliseconds: Int
  let clock: any RuntimeClock

  private func wait() async {
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  func certificate() async throws(AuthenticationError) -> [UInt8] { try await inner.certificate() }
  func serialNumber() async throws(AuthenticationError) -> [UInt8] { try await inner.serialNumber() }

  func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    await wait()
    return try await inner.sign(challenge: challenge)
  }
}
