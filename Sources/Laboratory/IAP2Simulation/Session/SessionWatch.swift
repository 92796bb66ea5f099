// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// What must hold in every session, whatever goes wrong on its way; looks at each step and at each event.
///
/// - Packets and memory: what any endpoint promises (`Endpoint.brokenPromise`).
/// - Verdicts: connected, suspected, cleared and disconnected each in their turn, each once.
/// - Messages: what a side receives on a link is what the other has sent on one, in order, each once.
/// - Both ends: when both are ready, they have agreed on the same link.
package final class SessionWatch: Sendable {
  package struct Violation: Sendable, Hashable, CustomStringConvertible {
    package var time: MonotonicTime
    package var side: Side?
    package var text: String

    package var description: String { "\(time.seconds) s, \(side.map { "\($0)" } ?? "both"): \(text)" }
  }

  /// What a side's verdicts have made of its connection.
  private enum Belief: Sendable { case idle, opening, connected, suspected }

  private struct View {
    var belief = Belief.idle
    /// Of the link that is up, if any.
    var isAuthenticated = false
    var isIdentified = false
    var local: LinkSynchronization?
    var remote: LinkSynchronization?
    /// Of each link, the hashes of its messages.
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
  /// A session that breaks a rule once breaks it often.
  private static let violationLimit = 20

  init(clock: any RuntimeClock) { self.clock = clock }

  package var violations: [Violation] { state.withLock { $0.violations } }
  var isBroken: Bool { state.withLock { !$0.violations.isEmpty } }
  func isConnected(_ side: Side) -> Bool {
    state.withLock { $0[side].belief == .connected || $0[side].belief == .suspected }
  }
  /// Both sides' part of getting ready is done, as this one sees it.
  func isReady(_ side: Side) -> Bool { state.withLock { $0[side].isAuthenticated && $0[side].isIdentified } }
  /// What the head unit was told of the phone's battery, and the artwork it has.
  var batteryLevel: Int? { state.withLock { $0.batteryLevel } }
  var hasPower: Bool { batteryLevel != nil }
  var artwork: [UInt8] { state.withLock { $0.artwork } }

  /// Another cable: what was told over the last one is old.
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
      // One is enough of what every step would tell again.
      if !state.violations.contains(where: { $0.side == side && $0.text == text }) {
        state.violations.append(violation)
      }
    }
  }

  // MARK: Each step

  func inspect(_ endpoint: Endpoint) {
    if let text = endpoint.brokenPromise { broken(text, endpoint.side) }
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
      let hash = Self.hash(bytes)
      state.withLock { state in
        let last = state[side].sent.count - 1
        switch direction {
        case .sent: state[side].sent[last].append(hash)
        case .received: state[side].received[last].append(hash)
        }
      }
    case .connected: believe(side, from: [.opening], .connected, "connected")
    case .suspected: believe(side, from: [.connected], .suspected, "suspected")
    case .cleared: believe(side, from: [.suspected], .connected, "cleared")
    case .disconnected: believe(side, from: [.opening, .connected, .suspected], .idle, "disconnected")
    case .authenticated: state.withLock { $0[side].isAuthenticated = true }
    case .identified: state.withLock { $0[side].isIdentified = true }
    case .powerChanged(let update):
      if let level = update.batteryChargeLevel { state.withLock { $0.batteryLevel = Int(level) } }
    case .feature(.artwork(let bytes)): state.withLock { $0.artwork = bytes }
    case .eventsLost(let count): broken("\(count) events lost", side)
    default: break
    }
  }

  private func open(_ side: Side) { state.withLock { if $0[side].belief == .idle { $0[side].belief = .opening } } }

  private func believe(_ side: Side, from: [Belief], _ next: Belief, _ name: String) {
    let belief = state.withLock { state in
      defer { state[side].belief = next }
      return state[side].belief
    }
    if !from.contains(belief) { broken("\(name) out of turn, after \(belief)", side) }
  }

  /// FNV-1a: the same on every machine.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  // MARK: At moments of the session

  /// Both are ready: they must have agreed.
  func checkAgreement() {
    let (accessory, device) = state.withLock { ($0.accessory, $0.device) }
    guard let mine = accessory.local, let peer = accessory.remote, let theirs = device.local, let own = device.remote
    else { return }
    // What the peer proposed last may not be what was agreed; what it declared of itself is.
    let isDeclared =
      (own.maxOutstandingPackets, own.maxPacketLength) == (mine.maxOutstandingPackets, mine.maxPacketLength)
      && (peer.maxOutstandingPackets, peer.maxPacketLength) == (theirs.maxOutstandingPackets, theirs.maxPacketLength)
    if !mine.agrees(with: theirs) || !isDeclared { broken("the sides disagree about the link") }
  }

  /// Everything was read: what came must have been sent, in order, each once.
  func checkMessages() {
    let (accessory, device) = state.withLock { ($0.accessory, $0.device) }
    Self.check(accessory.received, device.sent).map { broken($0, .accessory) }
    Self.check(device.received, accessory.sent).map { broken($0, .device) }
  }

  /// Each link's messages are the first ones of a link of the peer's, and links come in order.
  private static func check(_ received: [[UInt64]], _ sent: [[UInt64]]) -> String? {
    var next = 0
    for (number, messages) in received.enumerated() where !messages.isEmpty {
      guard let found = sent[next...].firstIndex(where: { $0.starts(with: messages) }) else {
        return "the \(messages.count) messages of link \(number) are not what was sent"
      }
      next = found + 1
    }
    return nil
  }
}
