// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Ends of sessions, and the sessions behind them.
  static let endsOfPhones: [SessionCheck] = [
    .phone(
      "CEN-71", .sessionEnds, "control connection lost",
      "A phone ends a session whose control connection is closed: it closes the event connection, too.", "order: ours",
      .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      await headUnit.closeControl()
      try await headUnit.demandEnd(after: "the end of the control connection", within: headUnit.peer.answer * 2)
    },
    .phone(
      "CEN-72", .sessionEnds, "event connection lost",
      "A phone ends a session whose event connection is closed.", "event-channel: ours", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      await headUnit.close([.events])
      let isOver = { headUnit.isClosed || headUnit.handled.contains(.tearDown) }
      let limit = headUnit.peer.answer * 2
      guard await headUnit.wait(limit, for: isOver) else {
        throw .failed("\(limit.seconds) after the end of the event connection the phone still has the session")
      }
    },
    .phone(
      "CEN-73", .sessionEnds, "second session", "A phone starts a second session after the first one ended.", "order",
      .high, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      try await headUnit.reconnect()
      try await headUnit.demand(.record, after: "a second connection")
      try await headUnit.demandLife(after: "a second connection")
    },
    .phone(
      "CEN-74", .sessionEnds, "session after a refusal", "A phone starts a session after it was refused once.", "order",
      .high, .recommended
    ) { headUnit throws(Stop) in
      headUnit.change(.setUp) { $0.refused(453) }
      try await headUnit.until(.setUp, within: headUnit.peer.answer * 3)
      headUnit.restore(.setUp)
      try await headUnit.reconnect()
      try await headUnit.demand(.record, after: "a session after a refused one")
    },
    .phone(
      "CEN-75", .sessionEnds, "head unit that vanished in pairing",
      "A phone pairs or verifies anew after the connection ended in the middle of it.", "pair-setup-order", .high,
      .recommended
    ) { headUnit throws(Stop) in
      headUnit.change(.pairVerify(2)) { _ in nil }
      try await headUnit.until(.pairVerify(2), within: headUnit.peer.answer * 3)
      headUnit.restore(.pairVerify(2))
      try await headUnit.reconnect()
      try await headUnit.demand(.setUp, after: "a new connection")
    },
  ]
}
