// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let endsOfHeadUnits: [SessionCheck] = [
    .headUnit(
      "CEN-51", .sessionEnds, "the next session", "After TEARDOWN a session on a new connection works.", "teardown",
      .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.tearDown()
      try await phone.demandNewSession(after: "TEARDOWN")
    },
    .headUnit(
      "CEN-52", .sessionEnds, "a pulled cable", "After connections that end without TEARDOWN a new session works.",
      "teardown", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      do throws(Stop) { try await phone.openScreen() } catch {}
      try await phone.demandNewSession(after: "a pulled cable")
    },
    .headUnit(
      "CEN-53", .sessionEnds, "a second phone", "A session of another phone does not end the first one.",
      "states: LIVI serves both", .medium, .recommended
    ) { phone throws(Stop) in
      let other = try await phone.pairedOther()
      try await phone.goLive()
      _ = await phone.serves(other)
      try await phone.demandLife(after: "a second phone")
    },
    .headUnit(
      "CEN-59", .sessionEnds, "the refusal of a second phone", "A session of another phone is refused.",
      "states: LIVI serves both", .medium, .observed
    ) { phone throws(Stop) in
      let other = try await phone.pairedOther()
      try await phone.goLive()
      guard await !phone.serves(other) else { throw .failed("a second phone got a session beside the first one") }
    },
    .headUnit(
      "CEN-54", .sessionEnds, "the same phone again",
      "The phone of the session may come back on a new connection before the old one ended.", "states: as LIVI does",
      .medium, .observed
    ) { phone throws(Stop) in
      try await phone.goLive()
      let again = try await phone.another()
      again.headUnit = phone.headUnit
      do throws(Stop) {
        try await again.verify()
        try await again.setUp()
        try await again.openEvents()
        await again.leave()
      } catch {
        await again.leave()
        throw .failed("the phone cannot come back: \(error.reason)")
      }
    },
    .headUnit(
      "CEN-55", .sessionEnds, "five sessions", "Five sessions, one after the other, work.", "teardown", .high
    ) { phone throws(Stop) in
      var present = phone
      for number in 1...5 {
        do throws(Stop) {
          try await present.goLive()
          try await present.openScreen()
          _ = try await present.end([.screen])
          try await present.tearDown()
        } catch {
          await present.leave()
          if case .notApplicable = error { throw error }
          throw .failed("session \(number): \(error.reason)")
        }
        await present.leave()
        if number < 5 { present = try await phone.another() }
      }
    },
    .headUnit(
      "CEN-56", .sessionEnds, "a lost event connection", "After the loss of the event connection a new session works.",
      "event-channel", .low, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      await phone.line.act([.close(.events)])
      await phone.pass(.seconds(4))
      try await phone.demandNewSession(after: "the loss of the event connection")
    },
    .headUnit(
      "CEN-57", .sessionEnds, "an idle session", "A session without streams continues for 20 s.", "feedback", .medium
    ) { phone throws(Stop) in
      try await phone.goLive()
      await phone.pass(.seconds(20))
      try await phone.demandLife(after: "20 s")
    },
    .headUnit(
      "CEN-58", .sessionEnds, "a phone that says nothing",
      "A connection on which nothing is said keeps no other phone out.", "session-times", .low, .recommended
    ) { phone throws(Stop) in
      await phone.pass(.seconds(1))
      let other = try await phone.another(as: phone.peer.otherIdentity)
      do throws(Stop) { try await other.prepare() } catch {
        await other.leave()
        throw .failed("no session beside a silent connection: \(error.reason)")
      }
      await other.leave()
    },
  ]
}

extension ScriptedPhone {
  /// Pairs the second phone, and returns its pairing.
  fileprivate func pairedOther() async throws(Stop) -> PairedPeer? {
    let other = try await another(as: peer.otherIdentity)
    do throws(Stop) { try await other.pair() } catch {
      await other.leave()
      throw error.before("before the check")
    }
    await other.leave()
    return other.headUnit
  }

  /// Whether the second phone, which is paired, gets a session beside this one.
  fileprivate func serves(_ pairing: PairedPeer?) async -> Bool {
    do throws(Stop) {
      let other = try await another(as: peer.otherIdentity)
      other.headUnit = pairing
      do throws(Stop) {
        try await other.verify()
        try await other.setUp()
        try await other.openEvents()
        try await other.inform()
      } catch {
        await other.leave()
        return false
      }
      await other.leave()
      return true
    } catch { return false }
  }
}
