// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Runtime
import IAP2Scenario
import Synchronization
import Testing

@Suite struct ProfileTests {
  /// What both sides told.
  static func play(_ yaml: String) throws -> (outcome: ScenarioPlayer.Outcome, events: [(Scenario.Role, TimedEvent)]) {
    let scenario = try Scenario(yaml: yaml, file: "test.yaml")
    let told = Mutex<[(Scenario.Role, TimedEvent)]>([])
    let outcome = try VirtualTime.run { time in
      await ScenarioPlayer(scenario, clock: time, show: { role, event in told.withLock { $0.append((role, event)) } })
        .play()
    }
    return (outcome, told.withLock { $0 })
  }

  @Test(arguments: ShippedProfiles.names) func everyShippedAccessoryIsTakenByThePhone(name: String) throws {
    let profile = try #require(try ShippedProfiles.profile(name))
    #expect(profile.name == name && !profile.summary.isEmpty && !profile.evidence.isEmpty)
    let served = profile.services.filter { $0.value == .echo }.keys.sorted()
    let exchanges = served.map { "  - phone: {exchange: {protocol: \($0), bytes: 20000}}\n" }.joined()
    let (outcome, events) = try Self.play(
      "headUnit: {profile: \(name)}\nsteps:\n  - expect: {headUnit: identified}\n  - wait: 3\n\(exchanges)  - phone: disconnect\n"
    )
    #expect(outcome == .complete)
    for (_, timed) in events {
      if case .violation(let violation) = timed.event { Issue.record("\(name): \(violation)") }
      if case .identificationRejected(let parameters) = timed.event { Issue.record("\(name): \(parameters)") }
    }
    // Its own window, packets and sessions; the timeouts are what both agreed on.
    let up = events.compactMap { role, timed in
      if role == .headUnit, case .linkUp(let local, _) = timed.event { local } else { nil }
    }
    #expect(up.first?.maxOutstandingPackets == profile.link.offer.maxOutstandingPackets)
    #expect(up.first?.maxPacketLength == profile.link.offer.maxPacketLength)
    #expect(up.first?.sessions == profile.link.offer.sessions)
  }

  @Test func aSlowChipIsWaitedFor() throws {
    let (_, events) = try Self.play(
      "headUnit: {profile: thermal-camera}\nsteps:\n  - expect: {headUnit: authenticated}\n")
    let time = events.first { $0.1.event == .authenticated }?.1.time.seconds
    #expect(try #require(time) >= 0.7)
  }

  @Test func aCarThatWaitsAsksForNothingBefore() throws {
    let (_, events) = try Self.play(
      "headUnit: {profile: patient-car}\nsteps:\n  - expect: {headUnit: identified}\n  - wait: 1\n")
    let messages = events.compactMap { role, timed -> UInt16? in
      if role == .headUnit, case .message(_, let id, _) = timed.event { id } else { nil }
    }
    let asked = try #require(messages.firstIndex(of: 0x5000))
    #expect(try #require(messages.firstIndex(of: 0x4E0E)) < asked && messages.firstIndex(of: 0x4E0A) ?? 99 < asked)
  }

  @Test(arguments: [
    ("identification: {sends: [xyz]}\n", 1, "identification.sends.0"), ("link:\n  window: 0\n", 2, "link.window"),
    ("link: {sessions: [{type: music}]}\n", 1, "link.sessions.0.type"), ("colour: red\n", 1, "colour"),
    ("quirks: {waitFor: [1]}\ntiming: {sign: -1}\n", 2, "timing.sign"),
  ]) func whatIsWrongIsNamedWithItsPlace(yaml: String, line: Int, key: String) {
    do {
      _ = try AccessoryProfile(yaml: yaml, file: "mine.yaml")
      Issue.record("read: \(yaml)")
    } catch { #expect(error.line == line && error.key == key, "\(error.description)") }
  }

  @Test func theExampleOfTheArticleIsPlayedToItsEnd() throws {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/IAP2Scenario/IAP2Scenario.docc/IAP2Scenario.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
    let example = lines.filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }.joined(separator: "\n")
    #expect(example.hasPrefix("name: mine"))
    #expect(try Self.play(example).outcome == .complete)
  }
}
