// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A checker of the invariants of every session, with and without faults. It checks each step and each event.
///
/// - Packets and memory: the invariants of an endpoint hold (`Endpoint.invariantViolation`).
/// - Verdicts: connected, suspected, cleared and disconnected occur in a valid order, each once.
/// - Messages: the messages received on a link are the ones that the other side sent on one link, in order, each once.
/// - Agreement: when both sides are ready, they have negotiated the same link parameters.
package final class InvariantChecker: Sendable {
  /// A violated invariant.
  package struct Violation: Sendable, Hashable, CustomStringConvertible {
    package var time: MonotonicTime
    /// The side that violates the invariant; nil for both.
    package var side: Side?
    package var text: String

    package var description: String { "\(time.seconds) s, \(side.map { "\($0)" } ?? "both"): \(text)" }
  }

  /// The state of a connection by one side's verdicts.
  private enum Verdict: Sendable { case idle, opening, connected, suspected }

  private struct View {
    var verdict = Verdict.idle
    /// Whether authentication is complete on the current link.
    var isAuthenticated = false
    var isIdentified = false
    var local: LinkSynchronization?
    var remote: LinkSynchronization?
    /// The hashes of the messages of each link.
    var sent: [[UInt64]] = [[]]
    var received: [[UInt64]] = [[]]
  }

  private struct State {
    var accessory = View()
    var device = View()
    var violations: [Violation] = []
    var batteryLevel: Int?
    var artwork: [UInt8] = []

    subscript(side: Side) -> View {
      get { side == .accessory ? accessory : device }
      _modify { if side == .accessory { yield &accessory } else { yield &device } }
    }
  }

  private let state = Mutex(State())
  private let clock: any RuntimeClock
  /// The maximum number of recorded violations, because one defect usually causes many.
  private static let violationLimit = 20

  init(clock: any RuntimeClock) { self.clock = clock }

  package var violations: [Violation] { state.withLock { $0.violations } }
  var isBroken: Bool { state.withLock { !$0.violations.isEmpty } }
  func isConnected(_ side: Side) -> Bool {
    state.withLock { $0[side].verdict == .connected || $0[side].verdict == .suspected }
  }
  /// Returns whether this side has reported authentication and identification on its current link.
  func isReady(_ side: Side) -> Bool { state.withLock { $0[side].isAuthenticated && $0[side].isIdentified } }
  /// The battery level in percent that the phone last reported on this connection.
  var batteryLevel: Int? { state.withLock { $0.batteryLevel } }
  var hasPower: Bool { batteryLevel != nil }
  /// The artwork that was last transferred on this connection.
  var artwork: [UInt8] { state.withLock { $0.artwork } }

  /// Clears the values of the previous connection.
  func begin() {
    state.withLock { state in
      for side in Side.allCases {
        state[side].isAuthenticated = false
        state[side].isIdentified = false
      }
      state.batteryLevel = nil
      state.artwork = []
    }
  }

  func broken(_ text: String, _ side: Side? = nil) {
    let now = clock.now
    state.withLock { state in
      guard state.violations.count < Self.violationLimit else { return }
      let violation = Violation(time: now, side: side, text: text)
      // A violation that recurs in every step is recorded once.
      if !state.violations.contains(where: { $0.side == side && $0.text == text }) {
        state.violations.append(violation)
      }
    }
  }

  // MARK: Each step

  func inspect(_ endpoint: Endpoint) {
    if let text = endpoint.invariantViolation { broken(text, endpoint.side) }
  }

  // MARK: Each event

  func note(_ event: RoleEvent, _ side: Side) {
    switch event {
    case .transportOpened, .detected: open(side)
    case .linkUp(let local, let remote):
      open(side)
      state.withLock { state in
        state[side].isAuthenticated = false
        state[side].isIdentified = false
        state[side].local = local
        state[side].remote = remote
        state[side].sent.append([])
        state[side].received.append([])
      }
    case .message(let direction, _, let bytes):
      let hash = bytes.fnv1a
      state.withLock { state in
        let last = state[side].sent.count - 1
        switch direction {
        case .sent: state[side].sent[last].append(hash)
        case .received: state[side].received[last].append(hash)
        }
      }
    case .connected: changeVerdict(side, from: [.opening], .connected, "connected")
    case .suspected: changeVerdict(side, from: [.connected], .suspected, "suspected")
    case .cleared: changeVerdict(side, from: [.suspected], .connected, "cleared")
    case .disconnected: changeVerdict(side, from: [.opening, .connected, .suspected], .idle, "disconnected")
    case .authenticated: state.withLock { $0[side].isAuthenticated = true }
    case .identified: state.withLock { $0[side].isIdentified = true }
    case .powerChanged(let update):
      if let level = update.batteryChargeLevel { state.withLock { $0.batteryLevel = Int(level) } }
    case .feature(.artwork(let bytes)): state.withLock { $0.artwork = bytes }
    case .eventsLost(let count): broken("\(count) events lost", side)
    default: break
    }
  }

  private func open(_ side: Side) { state.withLock { if $0[side].verdict == .idle { $0[side].verdict = .opening } } }

  private func changeVerdict(_ side: Side, from: [Verdict], _ next: Verdict, _ name: String) {
    let verdict = state.withLock { state in
      defer { state[side].verdict = next }
      return state[side].verdict
    }
    if !from.contains(verdict) { broken("\(name) out of turn, after \(verdict)", side) }
  }

  // MARK: Checks of both sides

  /// Checks that both sides have negotiated the same link parameters. Both must be ready.
  func checkAgreement() {
    let (accessory, device) = state.withLock { ($0.accessory, $0.device) }
    guard let mine = accessory.local, let peer = accessory.remote, let theirs = device.local, let own = device.remote
    else { return }
    // The remote value is the peer's last proposal. Only its declared values, window and packet length, are binding.
    let isDeclared =
      (own.maxOutstandingPackets, own.maxPacketLength) == (mine.maxOutstandingPackets, mine.maxPacketLength)
      && (peer.maxOutstandingPackets, peer.maxPacketLength) == (theirs.maxOutstandingPackets, theirs.maxPacketLength)
    if !mine.agrees(with: theirs) || !isDeclared { broken("the sides disagree about the link") }
  }

  /// Checks that all received messages were sent, in order, each once. Call it after all events were processed.
  func checkMessages() {
    let (accessory, device) = state.withLock { ($0.accessory, $0.device) }
    Self.check(accessory.received, device.sent).map { broken($0, .accessory) }
    Self.check(device.received, accessory.sent).map { broken($0, .device) }
  }

  /// Checks that the messages of each link are the first ones of one link of the peer, with links in order.
  private static func check(_ received: [[UInt64]], _ sent: [[UInt64]]) -> String? {
    var next = 0
    for (number, messages) in received.enumerated() where !messages.isEmpty {
      guard let found = sent[next...].firstIndex(where: { $0.starts(with: messages) }) else {
        return "the \(messages.count) messages of link \(number) differ from the sent ones"
      }
      next = found + 1
    }
    return nil
  }
}
