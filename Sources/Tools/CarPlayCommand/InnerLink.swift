// swift-iap2 · Apache-2.0

import CarPlayLive
import CarPlaySession
import CommandSupport
import IAP2
package import IAP2Authentication
package import IAP2Roles
package import IAP2Runtime
import IAP2Transport
import Synchronization

/// iAP2 inside a CarPlay session over the air: a link of its own between the two sides, which begins anew in each
/// session (CarPlayStart.md#tunnel).
///
/// It is identified like every link, and then Bluetooth is not needed any more (CarPlayStart.md#disable-bluetooth).
package final class InnerLink: Sendable {
  private struct State: Sendable {
    var transport: InnerTransport?
    var task: Task<Void, Never>?
    var send: (@Sendable ([UInt8]) async -> Bool)?
    var whenIdentified: (@Sendable () async -> Void)?
  }

  private let role: any LiveRole
  private let side: SessionSide
  private let isJSON: Bool
  private let clock: any RuntimeClock
  private let state = Mutex(State())
  private let following = Mutex<Task<Void, Never>?>(nil)

  /// Creates the link of a head unit. The car is the one of the profile.
  package convenience init(
    _ profile: HeadUnitProfile, authenticator: any Authenticator, options: RoleOptions, json: Bool
  ) {
    var profile = profile
    // The session is there already.
    profile.state.carPlay = nil
    let role = HeadUnit(profile: profile, authenticator: authenticator, options: Self.options(options))
    self.init(role, of: .headUnit, json: json, clock: options.clock)
  }

  /// Creates the link of a phone.
  package convenience init(
    _ profile: PhoneProfile, verifier: AuthenticationVerifier, options: RoleOptions, json: Bool
  ) {
    var profile = profile
    (profile.state.offersCarPlay, profile.state.offersWirelessCarPlay) = (false, false)
    let role = Phone(profile: profile, verifier: verifier, options: Self.options(options))
    self.init(role, of: .phone, json: json, clock: options.clock)
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

  private init(_ role: any LiveRole, of side: SessionSide, json: Bool, clock: any RuntimeClock) {
    (self.role, self.side, isJSON, self.clock) = (role, side, json, clock)
    let task = Task { [self] in
      for await event in role.events {
        switch event.event {
        case .identified:
          show("identified", nil)
          await state.withLock { $0.whenIdentified }?()
        case .disconnected(let end): show("ended", end.cause.rawValue)
        default: break
        }
      }
    }
    following.withLock { $0 = task }
  }

  private func show(_ state: String, _ cause: String?) {
    CarPlayLine.show(CarPlayLine.innerLink(state, cause), of: side, at: clock.now, json: isJSON)
  }

  /// Sets what follows when the link is identified.
  func whenIdentified(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.whenIdentified = body } }

  /// Sets the way to the other side, for the next session.
  func sends(_ send: @escaping @Sendable ([UInt8]) async -> Bool) { state.withLock { $0.send = send } }

  /// Takes an event of the session.
  func take(_ event: CarPlaySession.SessionEvent) {
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
      let (last, transport) = (state.task, InnerTransport(send: send))
      state.transport?.end()
      state.transport = transport
      state.task = Task { [role] in
        await last?.value
        _ = await role.run(on: transport)
      }
    }
  }

  /// Ends the link. Its session has ended before.
  package func close() async {
    let (transport, task) = state.withLock { ($0.transport, $0.task) }
    transport?.end()
    await task?.value
    role.finish()
    await following.withLock { $0 }?.value
  }
}

/// The bytes of a link inside a session.
private final class InnerTransport: ByteTransport {
  let address = "session"
  private let inbox = Inbox()
  private let sending: @Sendable ([UInt8]) async -> Bool

  init(send: @escaping @Sendable ([UInt8]) async -> Bool) { sending = send }

  /// A peer that sends faster than the link reads ends it: the session itself must go on.
  func arrived(_ bytes: [UInt8]) { if !inbox.append(bytes.rawBytes) { inbox.finish(.closed) } }

  func end() { inbox.finish() }

  func receive() async throws(TransportError) -> [UInt8]? { try await inbox.take() }

  func send(_ bytes: [UInt8]) async throws(TransportError) { guard await sending(bytes) else { throw .closed } }

  func close() async { inbox.finish() }
}
