// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Runtime
public import IAP2Transport

/// How one side behaves below its messages: its link, its quirks and its pace.
public struct Conduct: Sendable {
  public var link: LinkPreferences
  public var quirks = EndpointQuirks()
  public var pacing = MessagePacing()
  /// How long the authentication chip takes for a signature, in milliseconds.
  public var signMilliseconds = 0

  public init(link: LinkPreferences = LinkPreferences()) { self.link = link }

  /// The phone of a plain scenario: it wants to hear of a lost packet sooner than a head unit offers, which makes one
  /// counter-offer.
  static var plainPhone: Conduct {
    var link = LinkPreferences()
    link.retransmissionTimeouts = 500...1500
    return Conduct(link: link)
  }

  /// What a role is given, with this side's behaviour.
  public func apply(to options: inout RoleOptions) {
    options.preferences = link
    options.quirks = quirks
    options.pacing = pacing
  }

  /// The authenticator with the chip's own slowness.
  public func authenticator(_ inner: any Authenticator, clock: any RuntimeClock) -> any Authenticator {
    signMilliseconds == 0 ? inner : SlowAuthenticator(inner: inner, milliseconds: signMilliseconds, clock: clock)
  }
}

/// A chip that takes its time: real ones need hundreds of milliseconds for a signature.
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
