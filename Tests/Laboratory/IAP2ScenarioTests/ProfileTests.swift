// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import Synchronization
import Testing

@Suite struct ProfileTests {
  /// Runs a scenario and returns its outcome and the events of both sides.
  static func play(
    _ yaml: String, files: ScenarioFiles = .none
  ) throws -> (outcome: ScenarioPlayer.Outcome, events: [(Role, TimedEvent)]) {
    let scenario = try Scenario(yaml: yaml, file: "test.yaml", files: files)
    let reported = Mutex<[(Role, TimedEvent)]>([])
    let outcome = try VirtualTime.run { time in
      await ScenarioPlayer(
        scenario, clock: time, show: { role, event in reported.withLock { $0.append((role, event)) } }
      )
      .play()
    }
    return (outcome, reported.withLock { $0 })
  }

  static func shipped(_ role: Role) -> [String] {
    BundledProfiles.names.filter { name in
      do { return try BundledProfiles.profile(name)?.role == role } catch { return false }
    }
  }

  static func problems(_ events: [(Role, TimedEvent)]) -> [RoleEvent] {
    events.map(\.1.event).filter {
      switch $0 {
      case .violation, .identificationRejected: true
      default: false
      }
    }
  }

  @Test func everyBundledProfileIsReadAndHasEvidence() throws {
    for name in BundledProfiles.names {
      let profile = try #require(try BundledProfiles.profile(name))
      #expect(profile.name == name && !profile.summary.isEmpty && !profile.evidence.isEmpty)
    }
  }

  @Test(arguments: shipped(.headUnit)) func thePhoneAcceptsEveryBundledAccessory(name: String) throws {
    let profile = try #require(try BundledProfiles.profile(name))
    guard case .headUnit(_, let services) = profile.subject else { return }
    let served = services.filter { $0.value == .echo }.keys.sorted()
    let exchanges = served.map { "  - phone: {exchange: {protocol: \($0), bytes: 20000}}\n" }.joined()
    // A separate test covers messages above the maximum rate of the car.
    let phone = name == "impatient-car" ? "phone: {profile: slow-phone}\n" : ""
    let (outcome, events) = try Self.play(
      "headUnit: {profile: \(name)}\n\(phone)steps:\n  - expect: {headUnit: identified}\n  - wait: 3\n\(exchanges)"
        + "  - phone: disconnect\n")
    #expect(outcome == .complete)
    #expect(Self.problems(events) == [])
    // The profile determines window, packet length and sessions. The timeouts are negotiated.
    let up = events.compactMap { role, timed in
      if role == .headUnit, case .linkUp(let local, _) = timed.event { local } else { nil }
    }
    let offer = profile.behavior.link.offer
    #expect(up.first?.maxOutstandingPackets == offer.maxOutstandingPackets)
    #expect(up.first?.maxPacketLength == offer.maxPacketLength)
    #expect(up.first?.sessions == offer.sessions)
  }

  @Test(arguments: shipped(.phone)) func everyBundledPhoneAcceptsAHeadUnit(name: String) throws {
    let (outcome, events) = try Self.play(
      """
      headUnit: {features: all, protocols: {com.example.echo: echo}}
      phone: {profile: \(name), queue: [{title: A Song, seconds: 60, artwork: 3000}]}
      steps:
        - expect: {headUnit: identified, within: 20}
        - wait: 10
        - phone: {play: true}
        - expect: {headUnit: nowPlaying, values: {PlaybackStatus: Playing}}
        - phone: {exchange: {protocol: com.example.echo, bytes: 20000}}
        - phone: disconnect
      """)
    #expect(outcome == .complete, "\(outcome)")
    #expect(Self.problems(events) == [])
  }

  @Test func aPhoneWaitsBetweenItsStepsAndItsMessages() throws {
    let (_, events) = try Self.play(
      "phone: {profile: slow-phone}\nsteps:\n  - expect: {headUnit: identified, within: 20}\n  - wait: 3\n")
    var times: [(id: UInt16, time: Double)] = []
    for (role, timed) in events {
      if role == .phone, case .message(.sent, let id, _) = timed.event { times.append((id, timed.time.seconds)) }
    }
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(later.time - earlier.time >= 0.0499) }
    let up = events.first { role, timed in
      if role == .phone, case .linkUp = timed.event { true } else { false }
    }?.1.time.seconds
    #expect(times.first?.id == 0xAA00)
    #expect(try #require(times.first).time - (try #require(up)) >= 0.8)
    let accepted = try #require(times.first { $0.id == 0x1D02 })
    let started = try #require(times.first { $0.id == 0x1D00 })
    #expect(accepted.time - started.time >= 1.5)
  }

  @Test func aCarThatReadsOneMessagePerPacketFailsWithAPhoneThatJoinsMessages() throws {
    let steps = "steps:\n  - expect: {headUnit: identified, within: 5}\n  - phone: disconnect\n"
    let car = "headUnit: {profile: first-message-car}\n"
    #expect(try Self.play(car + steps).outcome == .complete)
    let (outcome, _) = try Self.play(car + "phone: {profile: wide-phone}\n" + steps)
    guard case .failed(_, 4, _, let reason) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(reason.hasPrefix("expected identified"))
  }

  @Test func anImpatientCarResetsTheLinkAndStartsAgain() throws {
    let (outcome, events) = try Self.play(
      """
      headUnit: {profile: impatient-car}
      steps:
        - expect: {headUnit: disconnected, values: {cause: linkReset}}
        - expect: {headUnit: detected, within: 3}
      """)
    #expect(outcome == .complete, "\(outcome)")
    #expect(events.contains { $0.0 == .headUnit && $0.1.event == .violation(.messagesTooFast) })
    #expect(events.contains { $0.0 == .phone && $0.1.event.disconnectCause == .linkReset })
  }

  @Test func aPhoneOffersToFindAnAppIfTheAccessoryRequestsIt() throws {
    let profile = """
      identification:
        receives: [EA00, EA01]
        sends: [EA03]
        protocols:
          - {name: com.example.none, match: 0}
          - {name: com.example.alert, match: 1}
          - {name: com.example.settings, match: 2}
          - {name: com.example.known, match: 1}
      """
    let files = ScenarioFiles { (_) throws(ScenarioFiles.Problem) in Array(profile.utf8) }
    let (outcome, events) = try Self.play(
      """
      headUnit: {profile: mine.yaml}
      phone: {apps: [{name: App, protocols: [com.example.known]}]}
      steps:
        - expect: {phone: appWanted, values: {protocol: com.example.alert, alert: true}}
        - expect: {phone: appWanted, values: {protocol: com.example.settings, alert: false}}
      """, files: files)
    #expect(outcome == .complete, "\(outcome)")
    let wanted = events.filter {
      if case .feature(.appWanted) = $0.1.event { true } else { false }
    }
    #expect(wanted.count == 2)
  }

  @Test(arguments: [
    ("  - phone: {launch: Nobody}\n", "no app Nobody"), ("  - phone: {hangUp: normal}\n", "there is no call"),
    ("  - phone: {removeItem: 7}\n", "the first library has no item 7"),
    ("  - headUnit: {close: no.such}\n", "no session of no.such is open"),
    ("  - phone: {lights: {component: 77, usages: [[8, 1]]}}\n", "the accessory has not started the HID device 77"),
    ("  - cut: true\n  - wait: 1\n  - phone: {send: {id: AE01}}\n", "there is no connection"),
    (
      "  - phone: {exchange: {protocol: com.example.discard, bytes: 100, within: 5}}\n",
      "0 of 100 bytes came back, or with different values"
    ),
    ("  - wait: 1\n  - headUnit: {press: play}\n", "the head unit's identification does not list 0x6802"),
    ("  - phone: {exchange: {protocol: no.such, bytes: 1}}\n", "no.such: the accessory has no such protocol"),
  ]) func aStepThatCannotBeDoneFails(step: String, reason: String) throws {
    let (outcome, _) = try Self.play(
      "headUnit: {protocols: {com.example.discard: discard}}\nsteps:\n  - expect: {phone: identified}\n" + step)
    guard case .failed(_, _, _, let reported) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(reported == reason)
  }

  @Test func messagesOutOfTurnAreReported() throws {
    let (outcome, events) = try Self.play(
      """
      headUnit: {features: all}
      steps:
        - expect: {headUnit: linkUp}
        - headUnit: {send: {id: StartPowerUpdates}}
        - expect: {phone: violation, values: {kind: outOfTurn, id: "0xAE00"}}
        - expect: {headUnit: identified}
        - wait: 1
        - headUnit: {send: {id: StopHID, hex: "0006 0000 0063"}}
        - expect: {phone: violation, values: {kind: unknownDevice}}
        - headUnit: {send: {id: StartMediaLibraryUpdates, hex: "0006 0000 7800"}}
        - expect: {phone: violation, values: {kind: unknownTarget, id: "0x4C03"}}
        - headUnit: {send: {id: StartRouteGuidanceUpdates, hex: "0006 0000 0063"}}
        - expect: {phone: violation, values: {kind: unknownTarget, id: "0x5200"}}
        - phone: {send: {id: StopLocationInformation}}
        - phone: {send: {id: StopLocationInformation}}
        - expect: {headUnit: violation, values: {kind: notStarted, id: "0xFFFC"}}
        - phone: {send: {id: StartVehicleStatusUpdates, hex: "0004 0077"}}
        - expect: {headUnit: violation, values: {kind: unknownAttributes, id: "0xA100"}}
        - headUnit: {send: {id: AuthenticationResponse}}
        - expect: {phone: violation, values: {kind: outOfTurn, id: "0xAA03"}}
        - phone: disconnect
      """)
    #expect(outcome == .complete, "\(outcome)")
    // The session continued to its requested end.
    #expect(events.contains { $0.1.event.disconnectCause == .requested })
  }

  @Test func aSongThatReplacesAnotherIsReportedCompletely() throws {
    let (outcome, _) = try Self.play(
      """
      headUnit: {features: [nowPlaying]}
      phone: {queue: [{title: One, seconds: 60, artwork: 1000}]}
      steps:
        - phone: {play: true}
        - expect: {headUnit: artwork, values: {byteCount: 1000}}
        - wait: 2
        - phone: {queue: [{title: Two, seconds: 60, artwork: 999}]}
        - expect: {headUnit: nowPlaying, values: {MediaItemTitle: Two, PlaybackElapsedTimeInMilliseconds: 0}}
        - expect: {headUnit: artwork, values: {byteCount: 999}}
        - phone: {queue: []}
        - expect: {headUnit: nowPlaying, values: {MediaItemTitle: "", PlaybackStatus: Stopped, PlaybackQueueCount: 0}}
      """)
    #expect(outcome == .complete, "\(outcome)")
  }

  @Test func aLibraryThatReplacesAnotherIsSentCompletely() throws {
    let (outcome, _) = try Self.play(
      """
      headUnit: {features: [mediaLibrary]}
      phone: {libraries: [{items: [{title: One}]}, {items: [{title: Other}]}]}
      steps:
        - expect: {headUnit: mediaLibrary, values: {MediaLibraryUniqueIdentifier: library-1, MediaLibraryRevision: 1}}
        - expect: {headUnit: mediaLibrary, values: {MediaLibraryUniqueIdentifier: library-2, MediaLibraryRevision: 1}}
        - phone: {libraries: [{items: [{title: New}]}, {items: [{title: Other}]}]}
        - expect: {headUnit: mediaLibrary, values: {MediaLibraryReset: "true"}}
        - expect: {headUnit: mediaLibrary, values: {MediaItemTitle: New, MediaLibraryRevision: 2}}
      """)
    #expect(outcome == .complete, "\(outcome)")
  }

  @Test func aSessionEndsWithTheAppThatOpenedIt() throws {
    let (outcome, events) = try Self.play(
      """
      headUnit: {protocols: {com.example.one: echo}}
      phone: {apps: [{name: App, protocols: [com.example.one], carPlay: [com.example.one], running: true}]}
      steps:
        - expect: {headUnit: externalAccessoryOpened}
        - phone: {quit: App}
        - expect: {headUnit: externalAccessoryClosed}
        - phone: {launch: App}
        - expect: {headUnit: externalAccessoryOpened}
        - phone: {apps: []}
        - expect: {phone: appHidden, values: {app: App}}
        - expect: {headUnit: externalAccessoryClosed}
      """)
    #expect(outcome == .complete, "\(outcome)")
    #expect(Self.problems(events) == [])
  }

  @Test func aProfileOfTheOtherSideIsRefused() {
    for (yaml, key) in [
      ("headUnit: {profile: slow-phone}\nsteps: []\n", "headUnit.profile"),
      ("phone: {profile: microphone}\nsteps: []\n", "phone.profile"),
    ] {
      do {
        _ = try Scenario(yaml: yaml, file: "mine.yaml")
        Issue.record("read: \(yaml)")
      } catch { #expect(error.key == key, "\(error.description)") }
    }
  }

  @Test func aSlowChipIsWaitedFor() throws {
    let (_, events) = try Self.play(
      "headUnit: {profile: thermal-camera}\nsteps:\n  - expect: {headUnit: authenticated}\n")
    let time = events.first { $0.1.event == .authenticated }?.1.time.seconds
    #expect(try #require(time) >= 0.7)
  }

  @Test func aWaitingCarRequestsNothingBeforeItsMessages() throws {
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
    ("link: {sessions: [{type: music}]}\n", 1, "link.sessions.0.type"), ("color: red\n", 1, "color"),
    ("quirks: {waitFor: [1]}\ntiming: {sign: -1}\n", 2, "timing.sign"),
    ("role: tv\n", 1, "role"), ("role: phone\nfeatures: all\n", 2, "features"),
    ("role: phone\ntiming: {sign: 1}\n", 2, "timing.sign"), ("quirks: {eak: 40}\n", 1, "quirks.eak"),
    ("timing:\n  delays:\n    Nonsense: 1\n", 3, "timing.delays.Nonsense"),
    ("quirks: {resetsAbove: {messages: 0, within: 1}}\n", 1, "quirks.resetsAbove.messages"),
    ("role: phone\nlink: {retransmission: [9, 3]}\n", 2, "link.retransmission.1"),
    ("role: phone\nlink: {sessions: []}\n", 2, "link.sessions"),
    ("link: {sessions: [{id: 1, type: control}, {id: 1, type: externalAccessory}]}\n", 1, "link.sessions.1"),
    ("role: phone\nstate: {battery: {level: 101}}\n", 2, "state.battery.level"),
  ]) func invalidYAMLIsRejectedWithItsPlace(yaml: String, line: Int, key: String) {
    do {
      _ = try Profile(yaml: yaml, file: "mine.yaml")
      Issue.record("read: \(yaml)")
    } catch { #expect(error.line == line && error.key == key, "\(error.description)") }
  }

  @Test func theExamplesOfTheArticleAreRight() throws {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Laboratory/IAP2Scenario/IAP2Scenario.docc/IAP2Scenario.md")
    let parts = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n## ")
    let examples = parts.map { part in
      part.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }.joined(separator: "\n")
    }
    .filter { !$0.isEmpty }
    try #require(examples.count == 3)
    #expect(examples[0].hasPrefix("name: mine") && examples[2].hasPrefix("role: phone"))
    for example in examples.prefix(2) { #expect(try Self.play(example).outcome == .complete) }
    let profile = try Profile(yaml: examples[2], file: "mine.yaml")
    guard case .phone(let phone) = profile.subject else { return #expect(Bool(false), "no phone") }
    #expect(phone.order == .identificationFirst && phone.state.language == "de" && phone.state.battery.percent == 20)
    #expect(profile.behavior.quirks.packsMessages && profile.behavior.pacing.delays == [0x1D02: 300])
  }
}
