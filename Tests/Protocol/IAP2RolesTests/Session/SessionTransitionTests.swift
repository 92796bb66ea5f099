// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Faults
import Testing
import WireSupport

@testable import IAP2Roles

/// Tests that compare the effect of every input in every state of a session with a reviewed file,
/// `Golden/session-transitions.txt`. IAP2_RECORD_GOLDEN=1 rewrites the file.
@Suite struct SessionTransitionTests {
  static let golden = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Golden/session-transitions.txt")

  typealias Input = (name: String, apply: (inout SessionPair) -> Void)

  /// The states of both sides, each with the inputs that lead to it.
  static func states(_ policy: LifecyclePolicy = .evidence) -> [(name: String, pair: SessionPair)] {
    func pair(_ build: (inout SessionPair) -> Void) -> SessionPair {
      var pair = SessionPair(
        headUnit: .standard(protocols: ["com.example.echo"], features: [.power]), identifyTimeout: .seconds(30),
        lifecycle: Lifecycle(policy: policy))
      build(&pair)
      for side in Side.allCases { _ = pair.takeEvents(of: side) }
      return pair
    }
    func isReady(_ pair: SessionPair) -> Bool { pair.headUnit.wasReady && pair.phone.wasReady }
    func ready(_ pair: inout SessionPair) {
      pair.start()
      _ = pair.exchange()
    }
    return [
      ("not started", pair { _ in }),
      ("detecting", pair { $0.start() }),
      (
        "link up, not authenticated",
        pair {
          $0.answersRequests = false
          $0.start()
          _ = $0.exchange()
        }
      ),
      (
        "authentication refused",
        pair {
          $0.accepts = false
          $0.start()
          _ = $0.exchange { $0.phone.cause == .authenticationFailed }
        }
      ),
      ("ready", pair(ready)),
      (
        "ready, EA session open",
        pair {
          ready(&$0)
          _ = try? $0.phone.openExternalAccessory("com.example.echo", at: $0.now)
          $0.collect()
          _ = $0.exchange()
        }
      ),
      (
        "ready, EA session requested",
        pair {
          ready(&$0)
          _ = try? $0.phone.openExternalAccessory("com.example.echo", at: $0.now)
          $0.collect()
        }
      ),
      (
        "end decided by both, EA session draining",
        pair {
          ready(&$0)
          _ = try? $0.phone.openExternalAccessory("com.example.echo", at: $0.now)
          $0.collect()
          _ = $0.exchange()
          let bytes = [UInt8](repeating: 0x41, count: 200_000)
          _ = $0.headUnit.send(bytes, in: 1, at: $0.now)
          _ = $0.phone.send(bytes, in: 1, at: $0.now)
          for side in Side.allCases { $0.submit(.disconnect, to: side) }
        }
      ),
      (
        "end decided by both",
        pair {
          ready(&$0)
          $0.perform([.send(controlMessage(0xAE03, []))], of: .accessory)
          $0.perform([.send(controlMessage(0xAE01, []))], of: .device)
          $0.submit(.disconnect, to: .accessory)
          $0.submit(.disconnect, to: .device)
        }
      ),
      (
        "ready, then refused by the peer",
        pair {
          ready(&$0)
          $0.perform([.send(controlMessage(0xAA04, []))], of: .device)
          while $0.deliver(from: .device) {}
        }
      ),
      (
        "ready, then identification rejected",
        pair {
          ready(&$0)
          $0.perform([.send(controlMessage(0x1D03, []))], of: .device)
          while $0.deliver(from: .device) {}
        }
      ),
      (
        "reset by the peer",
        pair {
          ready(&$0)
          $0.inject(packet(0x10, 0x40, 0), to: .accessory)
          $0.inject(packet(0x10, 0x40, 0), to: .device)
        }
      ),
      (
        "ready, DETECT from the peer",
        pair {
          ready(&$0)
          for side in Side.allCases { $0.inject(LinkScanner.detect, to: side) }
        }
      ),
      (
        "over",
        pair {
          ready(&$0)
          $0.submit(.disconnect, to: .accessory)
          $0.submit(.disconnect, to: .device)
          _ = $0.exchange()
          $0.expireAll {
            $0.headUnit.isOver && $0.phone.isOver
          } examine: {
            _ = $0.exchange()
          }
        }
      ),
    ]
  }

  static func inputs(_ side: Side) -> [Input] {
    [
      ("what is in flight", { _ = $0.deliver(from: side.peer) }),
      ("detect", { $0.inject(LinkScanner.detect, to: side) }),
      ("garbage", { $0.inject([1, 2, 3], to: side) }),
      ("RST", { $0.inject(packet(0x10, 0x40, 0), to: side) }),
      (
        "a refusal of the peer",
        { pair in
          let id: UInt16 = side == .accessory ? 0xAA04 : 0x1D05
          pair.perform([.send(controlMessage(id, []))], of: side.peer)
          while pair.deliver(from: side.peer) {}
        }
      ),
      (
        "a message out of turn",
        { pair in
          let id: UInt16 = side == .accessory ? 0xAA02 : 0xAA03
          pair.perform([.send(controlMessage(id, parameter(0, [1, 2])))], of: side.peer)
          while pair.deliver(from: side.peer) {}
        }
      ),
      ("deadline", { _ = $0.expire() }),
      ("disconnect", { $0.submit(.disconnect, to: side) }),
      ("notice", { $0.submit(.notice, to: side) }),
      ("transport closed", { $0.submit(.transportClosed, to: side) }),
      ("close EA session 1", { $0.submit(.closeExternalAccessory(session: 1), to: side) }),
      ("abort EA session 1", { $0.submit(.abortExternalAccessory(session: 1), to: side) }),
      ("100 bytes of EA session 1 were read", { $0.submit(.consumed(session: 1, byteCount: 100), to: side) }),
      ("the service of an EA session returned", { $0.submit(.serviceEnded, to: side) }),
      ("native stream of EA session 1 opened", { $0.submit(.nativeOpened(session: 1), to: side) }),
      ("no native stream for EA session 1", { $0.submit(.nativeUnavailable(session: 1), to: side) }),
      ("native stream of EA session 1 failed", { $0.submit(.nativeFailed(session: 1), to: side) }),
      ("native stream of EA session 1 drained", { $0.submit(.nativeDrained(session: 1), to: side) }),
      ("native stream of EA session 1 ended", { $0.submit(.nativeEnded(session: 1), to: side) }),
      (
        "charging stopped",
        { pair in
          switch side {
          case .accessory:
            pair.perform([.send(controlMessage(0xAE01, parameter(5, [0])))], of: .device)
            while pair.deliver(from: .device) {}
          case .device:
            pair.phone.act(at: pair.now) { policy in ((), policy.change { $0.battery.carCurrent = 0 }) }
            pair.collect()
          }
        }
      ),
      (
        "answer to an earlier connection",
        {
          let request = SessionRequest(action: .fetchCertificate, connection: 0)
          $0.submit(.answer(to: request, .authenticatorFailed("late")), to: side)
        }
      ),
    ]
  }

  static func text(_ event: SessionEvent) -> String? {
    switch event {
    case .role(.message(let direction, let id, _)):
      "\(direction.rawValue) \(MessageCatalog.text(id))"
    case .role(.disconnected(let end)):
      "disconnected(\(end.cause.rawValue): \(end.evidence.map(\.kind.rawValue).joined(separator: ", ")))"
    case .role(.violation(let violation)): "violation \(violation.name)"
    case .role(let event): event.name
    case .opened(let session, _, let isRequested, _): "opened \(session)\(isRequested ? ", requested" : "")"
    case .data(let session, let bytes): "data \(session), \(bytes.count) bytes"
    case .closed(let session): "closed \(session)"
    case .openNative(let session, _): "openNative \(session)"
    case .closeNative(let session): "closeNative \(session)"
    case .nativeClosed(let session, _): "nativeClosed \(session)"
    }
  }

  static func text<Policy>(_ session: Session<Policy>) -> String {
    let state =
      switch session.state {
      case .open: "open"
      case .draining(let cause): "draining(\(cause.rawValue))"
      case .ending(let cause): "ending(\(cause.rawValue))"
      case .ended(let cause): "ended(\(cause.rawValue))"
      case .over(let cause): "over(\(cause.rawValue))"
      }
    return "\(state), \(session.lifecycle.stateName)"
  }

  /// Replaces runs of equal texts by one text with their number.
  static func folded(_ texts: [String]) -> [String] {
    var runs: [(text: String, count: Int)] = []
    for text in texts {
      if runs.last?.text == text { runs[runs.count - 1].count += 1 } else { runs.append((text, 1)) }
    }
    return runs.map { $0.count == 1 ? $0.text : "\($0.count) × \($0.text)" }
  }

  static func table() -> String {
    var lines = ["state of the session, state of the lifecycle: input → states, events, transmissions"]
    for (name, pair) in states() {
      for side in Side.allCases {
        func state(_ pair: SessionPair) -> String {
          side == .accessory ? text(pair.headUnit) : text(pair.phone)
        }
        lines += ["", "\(side == .accessory ? "head unit" : "phone"), \(name): \(state(pair))"]
        for input in inputs(side) {
          var next = pair
          let before = next.inFlight[side]?.count ?? 0
          input.apply(&next)
          let events = folded(next.takeEvents(of: side).compactMap(text))
          let sent = max(0, (next.inFlight[side]?.count ?? 0) - before)
          var parts = [state(next)]
          if !events.isEmpty { parts.append(events.joined(separator: ", ")) }
          if sent > 0 { parts.append("\(sent) sent") }
          lines.append("  \(input.name) → \(parts.joined(separator: "; "))")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func everyInputInEveryStateMatchesTheTable() throws {
    let table = Self.table()
    if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
      try table.write(to: Self.golden, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: Self.golden, encoding: .utf8).split(separator: "\n")
    for (line, wanted) in zip(table.split(separator: "\n"), expected) where line != wanted {
      Issue.record("\(line)\nexpected: \(wanted)")
    }
    #expect(table.split(separator: "\n").count == expected.count)
  }

  /// The rules of the diagram in `Session`, which hold regardless of the table, after every two inputs in every state.
  @Test(arguments: LifecyclePolicy.allCases) func aDecidedEndKeepsItsCauseAndAnEndedSessionStaysEnded(
    policy: LifecyclePolicy
  ) {
    for (name, pair) in Self.states(policy) {
      let start = (Course(pair.headUnit.state), Course(pair.phone.state))
      for side in Side.allCases {
        let inputs = Self.inputs(side)
        for first in inputs {
          var once = pair
          first.apply(&once)
          let middle = (start.0.next(once.headUnit.state), start.1.next(once.phone.state))
          for second in inputs {
            var twice = once
            second.apply(&twice)
            let ends = (middle.0.next(twice.headUnit.state), middle.1.next(twice.phone.state))
            let what = "\(name): \(first.name), \(second.name)"
            #expect(ends.0.isValid, "head unit, \(what): \(ends.0)")
            #expect(ends.1.isValid, "phone, \(what): \(ends.1)")
          }
        }
      }
    }
  }

  /// The states of one side in order, and whether they keep the rules.
  struct Course {
    private(set) var states: [SessionState]
    private(set) var isValid = true
    /// The cause of an end that this side decided.
    private var decided: DisconnectCause?

    /// The causes that only a decision of this side has. With nothing left to send, the session is over at once.
    private static let decisions: Set<DisconnectCause> = [.requested, .authenticationFailed, .identificationRejected]

    init(_ state: SessionState) {
      states = [state]
      decided = Self.decision(state)
    }

    private static func decision(_ state: SessionState) -> DisconnectCause? {
      switch state {
      case .draining(let cause), .ending(let cause): cause
      case .over(let cause): decisions.contains(cause) ? cause : nil
      case .open, .ended: nil
      }
    }

    func next(_ state: SessionState) -> Course {
      var next = self
      next.states.append(state)
      next.decided = decided ?? Self.decision(state)
      next.isValid = isValid && isAllowed(state)
      return next
    }

    private func isAllowed(_ state: SessionState) -> Bool {
      if let decided { return [.draining(decided), .ending(decided), .over(decided)].contains(state) }
      guard case .over = states[states.count - 1] else { return true }
      // Without a decision of this side, a notification of the platform may still give the cause.
      return if case .over = state { true } else { false }
    }
  }
}
