// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The invariants of the machines of a simulation.
struct SessionChecks {
  private(set) var violations: [String] = []
  private(set) var phoneEnds: [SessionEnd?]
  private(set) var wasLive = false
  /// The phone of each control connection by its number.
  var phoneOfConnection: [Int: Int] = [:]
  /// Whether the session is encrypted with the secret of a phone of the simulation, so that nothing can be forged.
  private(set) var isEncrypted = false

  /// Whether the head unit has a session whose end was not reported.
  private var hasSession = false
  /// Whether the head unit has reported an end and has no connection since.
  private var isOver = false
  private var hasEnded = false
  private var modes: ModeSnapshot?
  /// The commands that each side has reported in the present session, by their sender and the side that reports.
  private var commands: [SessionSide: [SessionSide: [SessionCommand]]] = [:]
  private let phoneCount: Int

  init(phoneCount: Int) {
    self.phoneCount = phoneCount
    phoneEnds = Array(repeating: nil, count: phoneCount)
  }

  mutating func violate(_ text: String) { violations.append(text) }

  // MARK: Events

  mutating func take(_ event: SessionEvent, of node: Int, _ headUnit: HeadUnitSession) {
    if node == 0 { takeHeadUnit(event, headUnit) } else { takePhone(event, node - 1) }
    if case .command(let command, _, let sender) = event, phoneCount == 1 {
      commands[sender, default: [:]][node == 0 ? .headUnit : .phone, default: []].append(command)
      if isEncrypted { compareCommands(of: sender) }
    }
  }

  private mutating func takePhone(_ event: SessionEvent, _ index: Int) {
    if let end = phoneEnds[index] { violate("phone \(index) reports \(event) behind its end \(end)") }
    switch event {
    case .ended(let end, _): phoneEnds[index] = end
    case .state(.live): if index == 0 { wasLive = true }
    default: break
    }
  }

  private mutating func takeHeadUnit(_ event: SessionEvent, _ headUnit: HeadUnitSession) {
    if isOver {
      if case .state(.connected) = event {
        (isOver, hasEnded) = (false, false)
      } else {
        violate("the head unit reports \(event) behind its end")
      }
    }
    switch event {
    case .state(.setUp):
      if hasSession { violate("a second session is set up") }
      let view = headUnit.inspection
      hasSession = true
      isEncrypted = view.connection.map { view.secrets[$0] != nil && phoneOfConnection[$0] != nil } ?? false
      (modes, commands) = (nil, [:])
    case .modes(let new): modes = new
    case .ended:
      hasSession = false
      hasEnded = true
    default: break
    }
  }

  /// Checks that the commands that arrived are a prefix of those that were sent. An encrypted channel guarantees that
  /// for any damage of its bytes.
  private mutating func compareCommands(of sender: SessionSide) {
    guard let all = commands[sender], let received = all[sender.other], let last = received.last else { return }
    let sent = all[sender] ?? []
    if received.count > sent.count || sent[received.count - 1] != last {
      violate("command \(received.count) of the \(sender) is \(last), which was not sent")
    }
  }

  // MARK: State

  /// The largest number of unread bytes: a header, a body and an encrypted frame, with one piece of a connection.
  private static let maximumUnread = (1 << 20) + (16 << 10) + (64 << 10) + (1 << 17)

  private mutating func examine(_ queues: SessionQueues, _ name: String) {
    if queues.unreadByteCount > Self.maximumUnread { violate("\(name): \(queues.unreadByteCount) bytes wait") }
    if queues.commandCount > 256 { violate("\(name): \(queues.commandCount) commands wait") }
    if queues.soundCount > AudioReceiver.maximumWaitingCount { violate("\(name): \(queues.soundCount) packets wait") }
    if queues.pictureCount > 16 { violate("\(name): \(queues.pictureCount) pictures wait") }
    if queues.requestCount > 1000 { violate("\(name): \(queues.requestCount) requests wait") }
  }

  mutating func examine(_ headUnit: HeadUnitSession, _ network: FaultyNetwork) {
    examine(headUnit.queues, "the head unit")
    let (own, open) = (headUnit.inspection.sockets, network.sockets(of: 0))
    // Several connections may end at one moment.
    isOver = hasEnded && own.isEmpty
    // A TCP connection exists before it is reported.
    let left = open.subtracting(own).filter { if case .control = $0 { false } else { true } }
    if !left.isEmpty { violate("the head unit leaves \(left) open") }
  }

  mutating func examine(_ phone: PhoneSession, _ index: Int, _ network: FaultyNetwork) {
    examine(phone.queues, "phone \(index)")
    guard phone.isEnded else { return }
    if phoneEnds[index] == nil { violate("phone \(index) has ended without a report") }
    let open = network.sockets(of: index + 1)
    if !open.isEmpty { violate("phone \(index) has ended and leaves \(open) open") }
    if let deadline = phone.nextDeadline { violate("phone \(index) has ended and waits for \(deadline)") }
  }

  // MARK: The end

  mutating func requireModes(_ expected: ModeSnapshot) {
    guard var modes else { return violate("a live session without modes") }
    modes.reason = ""
    if modes != expected { violate("modes \(expected) of the phone, \(modes) of the head unit") }
  }

  mutating func finish(_ headUnit: HeadUnitSession, _ phones: [PhoneSession], _ network: FaultyNetwork) {
    guard violations.isEmpty else { return }
    for (index, end) in phoneEnds.enumerated() where end == nil { violate("phone \(index) has no end") }
    if hasSession { violate("the head unit's session has no end") }
    if let deadline = headUnit.nextDeadline { violate("the head unit waits for \(deadline)") }
    for node in 0...phones.count {
      let open = network.sockets(of: node)
      if !open.isEmpty { violate("node \(node) leaves \(open) open") }
    }
  }

  /// Checks a simulation without faults: one phone ends its session in order, and the others are refused because
  /// another session is active.
  mutating func requireOrderlyEnds(_ plan: SimulationPlan) {
    guard violations.isEmpty else { return }
    let isOne = phoneEnds.count { $0 == .teardown } == 1
    if !isOne || !phoneEnds.allSatisfy({ $0 == .teardown || $0 == .busy }) { violate("ends \(phoneEnds)") }
    if isEncrypted, commands.values.contains(where: { $0[.phone]?.count != $0[.headUnit]?.count }) {
      violate("commands are missing")
    }
  }
}
