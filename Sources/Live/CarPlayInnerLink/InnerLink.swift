// swift-iap2 · Apache-2.0

package import CarPlaySession
import IAP2
package import IAP2Authentication
package import IAP2Roles
package import IAP2Runtime
import IAP2Transport
import Synchronization

/// iAP2 inside a CarPlay session over the air: a link of its own between the two sides, which starts again in each
/// session (CarPlayStart.md#tunnel).
///
/// The link is identified as every link is. After that the sides do not need Bluetooth any more
/// (CarPlayStart.md#disable-bluetooth). The owner passes the events of the session to ``take(_:)``, and gives the link a
/// function that sends bytes in the session. The clock of the options may be virtual.
package final class InnerLink: Sendable {
  private struct State: Sendable {
    var transport: InnerTransport?
    var send: (@Sendable ([UInt8]) async -> Bool)?
    var report: (@Sendable (InnerLinkEvent) async -> Void)?
  }

  private let role: any LiveRole
  private let side: SessionSide
  private let state = Mutex(State())
  /// The transports of the sessions, one at a time.
  private let transports: AsyncStream<InnerTransport>
  private let started: AsyncStream<InnerTransport>.Continuation

  /// Creates the link of a head unit. The car is the one of the profile.
  package convenience init(_ profile: HeadUnitProfile, authenticator: any Authenticator, options: RoleOptions) {
    var profile = profile
    // The session is there already.
    profile.state.carPlay = nil
    self.init(
      HeadUnit(profile: profile, authenticator: authenticator, options: Self.options(options)), of: .headUnit)
  }

  /// Creates the link of a phone.
  package convenience init(_ profile: PhoneProfile, verifier: AuthenticationVerifier, options: RoleOptions) {
    var profile = profile
    (profile.state.offersCarPlay, profile.state.offersWirelessCarPlay) = (false, false)
    self.init(Phone(profile: profile, verifier: verifier, options: Self.options(options)), of: .phone)
  }

  /// The link has zero-acknowledgement mode (CarPlayStart.md#tunnel-link; medium).
  private static func options(_ options: RoleOptions) -> RoleOptions {
    var options = options
    options.preferences.offer.retransmissionTimeout = 0
    options.preferences.offer.cumulativeAckTimeout = 0
    options.preferences.offer.maxRetransmissions = 0
    options.preferences.offer.maxCumulativeAcks = 0
    return options
  }

  private init(_ role: any LiveRole, of side: SessionSide) {
    (self.role, self.side) = (role, side)
    (transports, started) = AsyncStream.makeStream()
  }

  /// Sets the function that sends bytes to the other side, for the next session. It returns false if the session does
  /// not take them, which ends the link.
  package func sends(_ send: @escaping @Sendable ([UInt8]) async -> Bool) { state.withLock { $0.send = send } }

  /// Sets the function that receives the events of the link.
  package func reports(_ report: @escaping @Sendable (InnerLinkEvent) async -> Void) {
    state.withLock { $0.report = report }
  }

  /// Takes an event of this side's session.
  package func take(_ event: CarPlaySession.SessionEvent) {
    switch event {
    case .state(.live): begin()
    case .iAP(let bytes, let sender) where sender != side: state.withLock { $0.transport }?.arrived(bytes)
    case .ended: state.withLock { $0.transport }?.end()
    default: break
    }
  }

  private func begin() {
    state.withLock { state in
      guard let send = state.send else { return }
      let transport = InnerTransport(send: send)
      state.transport?.end()
      state.transport = transport
      started.yield(transport)
    }
  }

  /// Runs the link of each session, until ``finish()``.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.follow() }
      for await transport in transports { _ = await role.run(on: transport) }
      role.finish()
    }
  }

  /// Ends the link and ``run()``.
  package func finish() {
    state.withLock { $0.transport }?.end()
    started.finish()
  }

  private func follow() async {
    for await event in role.events {
      switch event.event {
      case .identified: await report(.identified)
      case .disconnected(let end): await report(.ended(cause: end.cause.rawValue))
      default: break
      }
    }
  }

  private func report(_ event: InnerLinkEvent) async { await state.withLock { $0.report }?(event) }
}

/// The bytes of a link inside a session.
private final class InnerTransport: ByteTransport {
  let address = "session"
  private let inbox = Inbox()
  private let sending: @Sendable ([UInt8]) async -> Bool

  init(send: @escaping @Sendable ([UInt8]) async -> Bool) { sending = send }

  /// Appends received bytes. A peer that sends faster than the link reads ends the link, and the session goes on.
  func arrived(_ bytes: [UInt8]) { if !inbox.append(bytes.rawBytes) { inbox.finish(.closed) } }

  func end() { inbox.finish() }

  func receive() async throws(TransportError) -> [UInt8]? { try await inbox.take() }

  func send(_ bytes: [UInt8]) async throws(TransportError) { guard await sending(bytes) else { throw .closed } }

  func close() async { inbox.finish() }
}
