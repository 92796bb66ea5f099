// swift-iap2 · Apache-2.0

import Foundation
import Testing

@Suite(.ownTurn) struct ReplayCommandTests {
  /// Every shipped scenario.
  static let scenarios = InterfaceTests.scenarios
  static let sides = ["headunit", "phone"]

  /// A capture of a scenario, while a test needs it.
  private static func capture(of scenario: String, _ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng").path()
    #expect(try await Command.run("run", scenario, "--json", "--capture", path).status == 0)
    try await body(path)
    try FileManager.default.removeItem(atPath: path)
  }

  /// The last line of `--json`.
  private static func verdict(_ outcome: Command.Outcome) throws -> [String: Any] {
    let last = try #require(TwoProcessTests.events(outcome.output).last)
    #expect(last["event"] as? String == "finished")
    return last
  }

  private static func differences(_ outcome: Command.Outcome) throws -> [[String: Any]] {
    try TwoProcessTests.events(outcome.output).filter { $0["event"] as? String == "difference" }
  }

  private static func kinds(_ outcome: Command.Outcome) throws -> [String] {
    try differences(outcome).compactMap { $0["difference"] as? String }
  }

  // MARK: Loopback

  @Test(arguments: scenarios, sides) func aRunIsReplayedAsRecorded(scenario: String, side: String) async throws {
    try await Self.capture(of: scenario) { path in
      let outcome = try await Command.run(
        "replay", path, "--as", side, "--transport", "loopback", "--scenario", scenario, "--json")
      let found = try Self.differences(outcome)
      #expect(outcome.status == 0, "\(found) \(outcome.errors)")
      let verdict = try Self.verdict(outcome)
      #expect(verdict["ok"] as? Bool == true && verdict["differences"] as? Int == 0)
      #expect((verdict["matched"] as? Int ?? 0) == verdict["received"] as? Int)
      #expect((verdict["sent"] as? Int ?? 0) > 2)
    }
  }

  /// Tolerated differences, because the project's roles have another certificate, send no app data of their own and no
  /// unannounced file.
  private static let worked: [String: [String]] = [
    "headunit": ["missing", "missing"], "phone": ["data", "file", "parameter"],
  ]

  private static func formats() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Command.root.appending(path: "captures/formats").path())
      .sorted().map { "captures/formats/\($0)" }
  }

  @Test(arguments: sides) func aSessionIsTheSameWhateverItsFormat(side: String) async throws {
    for capture in ["captures/synthetic/worked-session.txt"] + (try Self.formats()) {
      let outcome = try await Command.run("replay", capture, "--as", side, "--transport", "loopback", "--json")
      #expect(outcome.status == 1, "\(capture)")
      #expect(try Self.kinds(outcome).sorted() == Self.worked[side], "\(capture)")
      let tolerated = try await Command.run(
        "replay", capture, "--as", side, "--transport", "loopback", "--tolerate", "certificate", "--tolerate",
        "data", "--tolerate", "file", "--tolerate", "missing")
      #expect(tolerated.status == 0, "\(capture): \(tolerated.output)")
    }
  }

  @Test(arguments: ["real/boya-mini2", "real/detect", "real/canon-ivy", "synthetic/damaged"], sides)
  func aReplayOfAPartialRecordingEnds(capture: String, side: String) async throws {
    let outcome = try await Command.run(
      "replay", "captures/\(capture).txt", "--as", side, "--transport", "loopback")
    // The recording has no messages to play, or the peer differs from it.
    #expect([0, 1, 65].contains(outcome.status), "\(outcome.errors)")
  }

  @Test func theLadderMarksDifferencesAndNamesTheFirst() async throws {
    try await Self.capture(of: "music") { path in
      let outcome = try await Command.run(
        "replay", path, "--as", "headunit", "--transport", "loopback", "--scenario",
        "Tests/Tools/CommandTests/Fixtures/other-music.yaml")
      #expect(outcome.status == 1)
      try expectGolden(outcome.output, "replay.txt")
      let json = try await Command.run(
        "replay", path, "--as", "headunit", "--transport", "loopback", "--scenario",
        "Tests/Tools/CommandTests/Fixtures/other-music.yaml", "--json")
      try expectGolden(json.output, "replay.jsonl")
      for difference in try Self.differences(json) {
        #expect(difference["id"] != nil || difference["file"] != nil)
        #expect(difference["role"] as? String == "headUnit")
      }
      let tolerated = try await Command.run(
        "replay", path, "--as", "headunit", "--transport", "loopback", "--scenario",
        "Tests/Tools/CommandTests/Fixtures/other-music.yaml", "--tolerate", "NowPlayingUpdate", "--tolerate", "file")
      #expect(tolerated.status == 0, "\(tolerated.output)")
    }
  }

  @Test func aReplayIsACaptureThatIsEqualToItsRecording() async throws {
    try await Self.capture(of: "devices") { path in
      let again = path + ".again.pcapng"
      let outcome = try await Command.run(
        "replay", path, "--as", "headunit", "--transport", "loopback", "--scenario", "devices", "--capture", again)
      #expect(outcome.status == 0)
      // The replay creates the end itself, so the end may differ.
      let diff = try await Command.run("diff", path, again, "--json")
      let found = try TwoProcessTests.events(diff.output).filter { $0["difference"] != nil }
      #expect(found.allSatisfy { $0["name"] as? String == "RST" || $0["field"] != nil && $0["id"] == nil }, "\(found)")
      try FileManager.default.removeItem(atPath: again)
    }
  }

  @Test func aReplayIsRepeatedAsOftenAsRequested() async throws {
    try await Self.capture(of: "library") { path in
      let outcome = try await Command.run(
        "replay", path, "--as", "phone", "--transport", "loopback", "--scenario", "library", "--loop", "3", "--json",
        "--speed", "asap")
      let verdict = try Self.verdict(outcome)
      #expect(outcome.status == 0 && verdict["loops"] as? Int == 3)
      let ups = try TwoProcessTests.events(outcome.output).count { $0["event"] as? String == "linkUp" }
      #expect(ups == 3)
    }
  }

  @Test func eachStepWaitsForALine() async throws {
    try await Self.capture(of: "apps") { path in
      let all = try await Command.run(
        "replay", path, "--as", "headunit", "--transport", "loopback", "--scenario", "apps", "--step", "--speed",
        "asap", input: String(repeating: "\n", count: 20))
      #expect(all.output.contains("as recorded"), "\(all.output)")
      // The end of the input ends the session.
      let one = try await Command.run(
        "replay", path, "--as", "headunit", "--transport", "loopback", "--scenario", "apps", "--step", input: "\n")
      #expect(one.status == 1 && one.output.contains("ended before"), "\(one.output)")
      #expect(one.errors.contains("press Return to send it"))
    }
  }

  // MARK: Live peers

  /// The `--timeout` of replays whose peer does not answer some step. It also limits the time for the link, which a busy
  /// machine must not exceed. A replay waits for it twice at most, and a link detects a silent peer after 6 s.
  private static let timeout = "3"

  @Test(arguments: TwoProcessTests.transports) func aLivePeerIsComparedWithItsRecording(transport: String) async throws
  {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).btsnoop").path()
    let echo = ["--once", "--external-accessory", "com.example.echo=echo"]
    let (headUnit, address) = try await TwoProcessTests.headUnit(transport, echo)
    let phone = try await Command(
      ["phone", "--transport", address, "--once", "--open", "com.example.echo", "--expect-echo", "--capture", path],
      input: "hello"
    ).finish()
    #expect(phone.status == 0)
    _ = try await headUnit.finish()

    let (again, second) = try await TwoProcessTests.headUnit(transport, echo)
    let replay = try await Command.run("replay", path, "--as", "phone", "--transport", second, "--json")
    #expect(replay.status == 0, "\(replay.output) \(replay.errors)")
    #expect(try await again.finish().status == 0)

    let (other, third) = try await TwoProcessTests.headUnit(transport, ["--once", "--name", "Another"])
    let differing = try await Command.run(
      "replay", path, "--as", "phone", "--transport", third, "--json", "--timeout", Self.timeout)
    #expect(differing.status == 1)
    let fields = try Self.differences(differing).compactMap { $0["field"] as? String }
    #expect(fields.contains("Name"), "\(differing.output)")
    #expect(try Self.kinds(differing).contains("missing"))
    _ = try await other.finish()
    try FileManager.default.removeItem(atPath: path)
  }

  /// Plays both sides of one recording in two processes, at full speed.
  @Test(arguments: [
    "run day", "run accessory", "captures/synthetic/worked-session.txt", "captures/synthetic/damaged.txt",
  ])
  func twoReplaysOfOneRecordingFindNoDifference(recording: String) async throws {
    func play(_ path: String) async throws {
      let headUnit = try Command([
        "replay", path, "--as", "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--json", "--speed", "asap",
      ])
      let address = try await headUnit.address(after: "waiting at ").replacing("tcp-listen:", with: "tcp:")
      // The head unit signs for itself, with the project's certificate.
      let phone = try await Command.run(
        "replay", path, "--as", "phone", "--transport", address, "--json", "--speed", "asap", "--tolerate",
        "certificate", "--authentication", "test")
      for outcome in [phone, try await headUnit.finish()] {
        let found = try Self.differences(outcome)
        #expect(outcome.status == 0 && found.isEmpty, "\(found) \(outcome.errors)")
      }
    }
    guard recording.hasPrefix("run ") else { return try await play(recording) }
    try await Self.capture(of: String(recording.dropFirst(4)), play)
  }

  @Test func aPhoneJudgesALiveAccessoryAndAHeadUnitHasAChipOfItsOwn() async throws {
    let (certificate, key) = (
      TwoProcessTests.fixture("other-accessory.pem"), TwoProcessTests.fixture("other-accessory.key")
    )
    try await Self.capture(of: "library") { path in
      for (trusted, isAccepted) in [("test", false), (TwoProcessTests.fixture("other-ca.pem"), true), ("any", true)] {
        let (headUnit, address) = try await TwoProcessTests.headUnit(
          "tcp", ["--once", "--certificate", certificate, "--key", key])
        let replay = try await Command.run(
          "replay", path, "--as", "phone", "--transport", address, "--json", "--authentication", trusted, "--timeout",
          Self.timeout)
        let found = try Self.differences(replay).filter { $0["difference"] as? String == "authentication" }
        #expect(found.isEmpty == isAccepted, "\(trusted): \(replay.output)")
        #expect(replay.status == 1)
        _ = try await headUnit.finish()
      }
      let own = try Command([
        "replay", path, "--as", "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--json", "--timeout",
        Self.timeout, "--certificate", certificate, "--key", key,
      ])
      let address = try await own.address(after: "waiting at ").replacing("tcp-listen:", with: "tcp:")
      let phone = try await Command.run(
        "phone", "--transport", address, "--once", "--json", "--authentication", TwoProcessTests.fixture("other-ca.pem")
      )
      #expect(try TwoProcessTests.events(phone.output).contains { $0["event"] as? String == "authenticated" })
      _ = try await own.finish()
    }
  }

  @Test func aListeningReplayAcceptsOnePeerForEachLoop() async throws {
    try await Self.capture(of: "apps") { path in
      let replay = try Command([
        "replay", path, "--as", "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--loop", "2", "--json",
        "--tolerate", "parameter", "--tolerate", "missing", "--tolerate", "extra", "--timeout", Self.timeout,
      ])
      let address = try await replay.address(after: "waiting at ").replacing("tcp-listen:", with: "tcp:")
      for _ in 0..<2 { _ = try await Command.run("phone", "--transport", address, "--once") }
      let outcome = try await replay.finish()
      #expect(outcome.status == 0, "\(outcome.output)")
      #expect(try Self.verdict(outcome)["loops"] as? Int == 2)
    }
  }

  @Test func aPeerThatBecomesSilentHasMissingMessages() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("tcp", ["--once"])
    try await Self.capture(of: "apps") { path in
      let keyboard = Pipe()
      let replay = try Command(
        ["replay", path, "--as", "phone", "--transport", address, "--step", "--timeout", Self.timeout],
        input: .silent(keyboard))
      let isUp = try await Command.wait { try replay.errorText.contains("next: RequestAuthenticationCertificate") }
      #expect(isUp)
      try await headUnit.suspend()
      try keyboard.fileHandleForWriting.write(contentsOf: Data(repeating: 0x0A, count: 20))
      let outcome = try await replay.finish()
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("no longer waiting for AuthenticationCertificate 0xAA01"))
      #expect(outcome.output.contains("- AuthenticationCertificate 0xAA01: missing"), "\(outcome.output)")
    }
    #expect(headUnit.process.resume())
    _ = try await headUnit.finish()
  }

  @Test func ctrlCEndsTheSessionInOrder() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("tcp", ["--once", "--json"])
    try await Self.capture(of: "music") { path in
      let keyboard = Pipe()
      let replay = try Command(
        ["replay", path, "--as", "phone", "--transport", address, "--step"], input: .silent(keyboard))
      let isUp = try await Command.wait { try replay.errorText.contains("next: RequestAuthenticationCertificate") }
      #expect(isUp)
      replay.process.interrupt()
      let outcome = try await replay.finish()
      #expect(outcome.status == 1 && outcome.output.contains("ended before 20 steps were sent"), "\(outcome.output)")
    }
    #expect(try TwoProcessTests.causes(try await headUnit.finish().output) == ["linkReset"])
  }

  // MARK: Invalid usage

  @Test func invalidUsageHasItsExitCode() async throws {
    let capture = "captures/synthetic/worked-session.txt"
    let cases: [([String], Int32)] = [
      ([capture, "--as", "headunit"], 64), ([capture, "--as", "car", "--transport", "loopback"], 64),
      ([capture, "--as", "phone", "--transport", "nowhere"], 64),
      ([capture, "--as", "phone", "--transport", "loopback", "--tolerate", "all"], 64),
      ([capture, "--as", "phone", "--transport", "loopback", "--speed", "0"], 64),
      ([capture, "--as", "phone", "--transport", "loopback", "--speed", "nan"], 64),
      ([capture, "--as", "phone", "--transport", "loopback", "--timeout", "nan"], 64),
      ([capture, "--as", "phone", "--transport", "loopback", "--loop", "0"], 64),
      ([capture, "--as", "phone", "--transport", "pty", "--profile", "printer"], 64),
      ([capture, "--as", "phone", "--transport", "loopback", "--connection", "2"], 65),
      (["README.md", "--as", "phone", "--transport", "loopback"], 65),
      (["captures/real/detect.txt", "--as", "phone", "--transport", "loopback"], 65),
      (["nothing.pcap", "--as", "phone", "--transport", "loopback"], 66),
      ([capture, "--as", "phone", "--transport", "tcp:127.0.0.1:1"], 69),
    ]
    for (arguments, status) in cases {
      let outcome = try await Command(["replay"] + arguments).finish()
      #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      #expect(!outcome.errors.isEmpty)
    }
    let rules = try await Command.run("replay", capture, "--as", "phone", "--transport", "loopback", "--tolerate", "x")
    for word in ["certificate", "playback-position", "missing", "connection"] { #expect(rules.errors.contains(word)) }
  }
}
