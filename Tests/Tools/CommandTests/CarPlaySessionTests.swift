// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// `iap2 carplay`, `iap2 pairings`, and CarPlay sessions of `iap2 headunit` and `iap2 phone`.
///
/// `tools/peers/carplay/agree` plays both sides against other implementations.
@Suite(.ownTurn) struct CarPlaySessionCommandTests {
  /// A folder with the state of both roles.
  static func inFolder(_ body: (URL, [String: String]) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "carplay-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await body(folder, ["XDG_STATE_HOME": folder.appending(path: "state").path()])
    try FileManager.default.removeItem(at: folder)
  }

  /// Waits for the address of a head unit that prints JSON.
  static func address(of headUnit: Command) async throws -> String {
    var address: String?
    _ = try await Command.wait {
      address =
        try TwoProcessTests.events(String(headUnit.outputText.split(separator: "\n").first ?? "")).first {
          $0["event"] as? String == "carPlayListening"
        }?["address"] as? String
      return address != nil || !headUnit.process.isRunning
    }
    return try #require(address)
  }

  private static let clip = "Tests/Protocol/CarPlaySessionTests/Fixtures/clip.h264"

  /// A scenario whose head unit ends the link once the session is live on both sides: a phone then tells its modes.
  private static func shortScenario(in folder: URL) throws -> String {
    let file = folder.appending(path: "short.yaml")
    try """
    carPlay: true
    steps:
      - expect: {headUnit: carPlaySession, values: {state: live}, within: 60}
      - expect: {headUnit: carPlayModes, within: 60}
      - headUnit: disconnect
    """.write(to: file, atomically: true, encoding: .utf8)
    return file.path()
  }

  @Test("Two commands carry a film and music, and the second meeting pairs no more")
  func wholeSession() async throws {
    try await Self.inFolder { folder, environment in
      let music = Data((0..<19_200).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try music.write(to: folder.appending(path: "music.pcm"))
      for meeting in 1...2 {
        let headUnit = try Command(
          [
            "carplay", "headunit", "--once", "--json", "--screen", folder.appending(path: "out.h264").path(),
            "--audio", folder.appending(path: "sounds").path(), "--key-log", folder.appending(path: "unit.keys").path(),
          ], environment: environment)
        let phone = try await Command(
          [
            "carplay", "phone", "--connect", try await Self.address(of: headUnit), "--once", "--json", "--video",
            Self.clip, "--rate", "120", "--music", folder.appending(path: "music.pcm").path(), "--key-log",
            folder.appending(path: "phone.keys").path(),
          ], environment: environment
        ).finish()
        let unit = try await headUnit.finish()
        #expect(phone.status == 0 && unit.status == 0, "\(phone.errors) \(unit.errors)")
        let events = try TwoProcessTests.events(unit.output)
        #expect(events.contains { $0["event"] as? String == "carPlayPaired" } == (meeting == 1))
        #expect(events.contains { $0["type"] as? String == "screen" && $0["pictures"] as? Int == 30 }, "\(unit.output)")
        #expect(try Data(contentsOf: folder.appending(path: "sounds/mainAudio-1.wav")).dropFirst(44) == music)
        #expect(try !Data(contentsOf: folder.appending(path: "out.h264")).isEmpty)
        #expect(unit.errors.contains("unit.keys gets the secrets of the sessions"))
      }
      let keys = try String(contentsOf: folder.appending(path: "unit.keys"), encoding: .utf8)
      #expect(try keys == String(contentsOf: folder.appending(path: "phone.keys"), encoding: .utf8))
      #expect(
        keys.split(separator: "\n").map { $0.prefix { $0 != " " } } == [
          "CARPLAY_PAIR_SETUP", "CARPLAY_PAIR_VERIFY", "CARPLAY_AUTH_SETUP", "CARPLAY_PAIR_VERIFY",
          "CARPLAY_AUTH_SETUP",
        ])
      let logged = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "unit.keys").path())
      #expect(logged[.posixPermissions] as? Int == 0o600)
      let file = folder.appending(path: "state/iap2/carplay-phone.json").path()
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let listed = try await Command(["pairings", "list", "--json"], environment: environment).finish()
      let pairings = try TwoProcessTests.events(listed.output)
      #expect(pairings.compactMap { $0["role"] as? String } == ["headUnit", "phone"])
      #expect(!listed.output.contains("privateKey"))
      let forgotten = try await Command(["pairings", "forget", "--all"], environment: environment).finish()
      #expect(forgotten.status == 0 && forgotten.errors.contains("forgot 2 pairings"))
      let empty = try await Command(["pairings", "list"], environment: environment).finish()
      #expect(empty.status == 0 && empty.output.isEmpty && empty.errors.contains("no pairings"))
    }
  }

  /// Programs in place of the players of `--audio device`, and whether sound is heard; nil without a player.
  private static let players: [(String?, Bool)] = [
    ("[ \"$1\" = -h ] && echo --raw && exit 0; exec cat > \"$PLAYED\"", true), ("exit 1", false), (nil, false),
  ]

  @Test("The mix of a session goes to a file and a device, and a session without a device goes on", arguments: players)
  func mix(player: String?, isHeard: Bool) async throws {
    try await Self.inFolder { folder, environment in
      let music = Data((0..<19_200).map { UInt8(truncatingIfNeeded: $0 &* 7 | 1) })
      try music.write(to: folder.appending(path: "music.pcm"))
      let programs = folder.appending(path: "bin")
      try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
      // Where a program fails, the next one is tried, and ffplay ends well without a device.
      for (name, script) in [("pw-cat", player), ("aplay", player), ("ffplay", player.map { _ in "exit 0" })] {
        guard let script else { continue }
        let file = programs.appending(path: name).path()
        try "#!/bin/sh\n\(script)\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
      }
      let played = folder.appending(path: "played")
      let mix = folder.appending(path: "mix.wav")
      let path = player == nil ? programs.path() : "\(programs.path()):/usr/bin:/bin"
      let headUnit = try Command(
        ["carplay", "headunit", "--once", "--json", "--audio", "mix:\(mix.path())", "--audio", "device"],
        environment: environment.merging(["PATH": path, "PLAYED": played.path()]) { $1 })
      let phone = try await Command(
        [
          "carplay", "phone", "--connect", try await Self.address(of: headUnit), "--once", "--music",
          folder.appending(path: "music.pcm").path(),
        ], environment: environment
      ).finish()
      let unit = try await headUnit.finish()
      #expect(phone.status == 0 && unit.status == 0, "\(phone.errors) \(unit.errors)")
      #expect(unit.errors.contains("--audio device") != isHeard && unit.errors.contains("goes on") != isHeard)
      let mixed = try Data(contentsOf: mix)
      #expect(mixed.dropFirst(44).prefix(music.count) == music)
      #expect(mixed[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) } == mixed.count - 44)
      if isHeard {
        let heard = try Data(contentsOf: played)
        #expect(heard.prefix(music.count) == music && heard.dropFirst(music.count).allSatisfy { $0 == 0 })
      }
    }
  }

  @Test("A capture has the sockets as packets, also with faults, and a disconnection ends both sides")
  func captureAndFaults() async throws {
    try await Self.inFolder { folder, environment in
      let file = folder.appending(path: "session.pcapng")
      let headUnit = try Command(
        ["carplay", "headunit", "--once", "--json", "--capture", file.path()], environment: environment)
      let address = try await Self.address(of: headUnit)
      let phone = try await Command(
        [
          "carplay", "phone", "--connect", address, "--once", "--json", "--video",
          Self.clip, "--fault", "delay=2,to-headunit:jitter=5,disconnect=carPlayStream,seed=3",
        ], environment: environment
      ).finish()
      let unit = try await headUnit.finish()
      #expect(phone.status == 1 && unit.status == 1, "\(phone) \(unit)")
      #expect(phone.errors.contains("again with --fault") && phone.errors.contains("seed=3"))
      #expect(unit.errors.contains("what is encrypted stays encrypted"))
      for output in [phone.output, unit.output] {
        let ends = try TwoProcessTests.events(output).filter { $0["event"] as? String == "carPlayEnded" }
        #expect(ends.count == 1, "\(ends)")
      }
      let mode = try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int
      #expect(mode == 0o600)
      guard WiresharkTests.tshark != nil else { return }
      let (status, text) = try WiresharkTests.show(
        [
          "-r", file.path(), "-Y", "tcp", "-o", "tcp.check_checksum:TRUE", "-T", "fields", "-e", "tcp.flags.str", "-e",
          "tcp.checksum.status", "-e", "tcp.analysis.flags", "-e", "tcp.payload", "-e", "tcp.dstport",
        ], home: folder)
      #expect(status == 0)
      let segments = text.split(separator: "\n").filter { $0.contains("\t") }.map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      // Checksum status 1 is good. No packet is lost, repeated or out of order.
      #expect(segments.count > 20 && segments.allSatisfy { $0[1] == "1" && $0[2].isEmpty }, "\(segments.prefix(9))")
      // The phone opens the connections, so the first segment goes to the port that listened.
      #expect(segments.first?[0].contains("S") == true && address.hasSuffix(":\(segments.first?[4] ?? "")"))
      let first = try #require(segments.first { !$0[3].isEmpty })[3]
      #expect(
        first.hasPrefix(Array("POST /pair-setup RTSP/1.0".utf8).map { String($0, radix: 16) }.joined()), "\(first)")
    }
  }

  @Test("A capture that is another file of the command is refused before anything is written")
  func captureOverOtherFiles() async throws {
    try await Self.inFolder { folder, environment in
      let music = folder.appending(path: "m.pcm")
      let pairings = folder.appending(path: "p.json")
      try Data(repeating: 7, count: 64).write(to: music)
      let made = try await Command(
        ["carplay", "headunit", "--seconds", "0.1", "--pairings", pairings.path()], environment: environment
      ).finish()
      #expect(made.status == 0)
      let identity = try Data(contentsOf: pairings)
      for (arguments, text) in [
        (["headunit", "--pairings", pairings.path(), "--capture", pairings.path()], "an input of this command"),
        (["headunit", "--microphone", music.path(), "--capture", music.path()], "an input of this command"),
        (["headunit", "--screen", music.path(), "--capture", music.path()], "another output of this command"),
        (["headunit", "--key-log", music.path(), "--capture", music.path()], "another output of this command"),
        (["headunit", "--pairings", pairings.path(), "--key-log", pairings.path()], "an input of this command"),
      ] {
        let outcome = try await Command(["carplay"] + arguments, environment: environment).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(text), "\(outcome)")
      }
      #expect(try Data(contentsOf: pairings) == identity)
      #expect(try Data(contentsOf: music) == Data(repeating: 7, count: 64))
    }
  }

  @Test("A touch of a scenario reaches the phone over iAP2 and sockets, and the end of the link ends both sides once")
  func touchOverLink() async throws {
    try await Self.inFolder { folder, environment in
      let scenario = folder.appending(path: "touch.yaml")
      try """
      carPlay: true
      steps:
        - expect: {headUnit: carPlaySession, values: {state: live}, within: 60}
        - headUnit: {session: {touch: [320, 200]}}
        - headUnit: {session: {take: audio}}
        - expect: {headUnit: carPlayModesAnswered, values: {isGranted: "true"}, within: 60}
        - headUnit: disconnect
      """.write(to: scenario, atomically: true, encoding: .utf8)
      let headUnit = try Command(
        [
          "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--carplay", "--once", "--json", "--scenario",
          scenario.path(),
        ], environment: environment)
      let address = try await headUnit.address(after: "waiting at ").replacing("tcp-listen", with: "tcp")
      let phone = try await Command(
        ["phone", "--transport", address, "--carplay", "--once", "--json"], environment: environment
      ).finish()
      let unit = try await headUnit.finish()
      #expect(phone.status == 0 && unit.status == 0, "\(phone.errors) \(unit.errors)")
      let events = try TwoProcessTests.events(phone.output)
      let touches = events.filter { $0["kind"] as? String == "touch" }
      #expect(touches.map { $0["isDown"] as? Bool } == [true, false])
      #expect(touches.first?["x"] as? Int == 320 && touches.first?["y"] as? Int == 200)
      for output in [phone.output, unit.output] {
        let lines = try TwoProcessTests.events(output)
        let ends = lines.filter { $0["event"] as? String == "carPlayEnded" }
        let link = lines.first { $0["event"] as? String == "disconnected" }
        #expect(ends.count == 1 && ends.first?["cause"] as? String == link?["cause"] as? String, "\(ends)")
      }
    }
  }

  @Test("A capture of a linked session has link and sockets, and a link's fault may begin at an event of the session")
  func linkedCaptureAndFaults() async throws {
    try await Self.inFolder { folder, environment in
      let file = folder.appending(path: "both.pcapng").path()
      let headUnit = try Command(
        [
          "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--carplay", "--once", "--json", "--capture", file,
          "--session-fault", "delay=2,seed=5",
        ], environment: environment)
      let address = try await headUnit.address(after: "waiting at ").replacing("tcp-listen", with: "tcp")
      let phone = try await Command(
        [
          "phone", "--transport", address, "--carplay", "--once", "--json", "--video", Self.clip, "--fault",
          "disconnect=carPlayStream", "--session-fault", "jitter=2", "--seed", "4", "--key-log",
          folder.appending(path: "keys").path(),
        ], environment: environment
      ).finish()
      let unit = try await headUnit.finish()
      #expect(phone.status == 1 && unit.status == 1, "\(phone) \(unit)")
      #expect(unit.errors.contains("again with --session-fault delay=2,seed=5"))
      #expect(phone.errors.contains("again with --session-fault jitter=2,seed=4"))
      #expect(phone.errors.contains("again with --fault disconnect=carPlayStream,seed=4"))
      let events = try TwoProcessTests.events(phone.output)
      let link = events.first { $0["event"] as? String == "disconnected" }
      let ends = events.filter { $0["event"] as? String == "carPlayEnded" }
      #expect(link?["cause"] as? String == "transportClosed" && ends.count == 1, "\(events)")
      #expect(ends.first?["cause"] as? String == "transportClosed")
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let keys = try String(contentsOf: folder.appending(path: "keys"), encoding: .utf8)
      #expect(keys.hasPrefix("CARPLAY_PAIR_SETUP ") && keys.contains("\nCARPLAY_PAIR_VERIFY "))
      let decoded = try await Command(["decode", file], environment: environment).finish()
      #expect(decoded.status == 0 && decoded.output.contains("CarPlayStartSession"), "\(decoded)")
      guard WiresharkTests.tshark != nil else { return }
      let (status, text) = try WiresharkTests.show(
        ["-r", file, "-Y", "tcp.payload", "-T", "fields", "-e", "tcp.payload"], home: folder)
      let pairing = Array("POST /pair-setup RTSP/1.0".utf8).map { String($0, radix: 16) }.joined()
      #expect(status == 0 && text.contains(pairing), "\(text.prefix(200))")
    }
  }

  @Test("A program that is no app ends a phone with a link, and one without what draws does not begin")
  func linkedSessionWithoutApp() async throws {
    try await Self.inFolder { _, environment in
      let headUnit = try Command(
        ["headunit", "--transport", "tcp-listen:127.0.0.1:0", "--carplay", "--json"], environment: environment)
      let address = try await headUnit.address(after: "waiting at ").replacing("tcp-listen", with: "tcp")
      for (drawing, status, words) in [("/bin/cat", 1, "CarApplication.run"), ("/nowhere", 69, "/nowhere is missing")] {
        var environment = environment
        environment["IAP2_SCREEN"] = drawing
        let phone = try await Command(
          ["phone", "--transport", address, "--carplay", "--app", "/bin/true"], environment: environment
        ).finish()
        #expect(phone.status == status && phone.errors.contains(words), "\(phone)")
      }
      try await headUnit.interruptWhenListening()
      _ = try await headUnit.finish()
    }
  }

  @Test("A fault of the session beside a link ends the session, and not the link")
  func linkedSessionFault() async throws {
    try await Self.inFolder { folder, environment in
      let headUnit = try Command(
        [
          "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--carplay", "--json", "--session-fault",
          "disconnect=carPlayStream",
        ], environment: environment)
      let address = try await headUnit.address(after: "waiting at ").replacing("tcp-listen", with: "tcp")
      let phone = try await Command(
        [
          "phone", "--transport", address, "--carplay", "--once", "--json", "--video", Self.clip, "--capture",
          folder.appending(path: "phone.pcapng").path(),
        ], environment: environment
      ).finish()
      #expect(phone.status == 1, "\(phone)")
      let events = try TwoProcessTests.events(phone.output)
      let ends = events.filter { $0["event"] as? String == "carPlayEnded" }
      #expect(ends.count == 1 && ["controlLost", "streamLost", "eventLost"].contains(ends[0]["cause"] as? String))
      // The phone ends the link itself after its session.
      #expect(events.first { $0["event"] as? String == "disconnected" }?["cause"] as? String == "requested")
      headUnit.process.interrupt()
      #expect(try await headUnit.finish().status == 0)
    }
  }

  @Test("A linked session's options are checked, and a capture of another format has the link alone")
  func linkedOptions() async throws {
    try await Self.inFolder { folder, environment in
      for (arguments, text) in [
        (["--session-fault", "loss=1"], "need --carplay"),
        (["--carplay", "--session-fault", "loss=2"], "--session-fault: loss"),
        (["--carplay", "--session-fault", "disconnect=identified"], "--session-fault: disconnect"),
        (["--carplay", "--fault", "disconnect=carPlayNothing"], "--fault: disconnect"),
        (["--fault", "disconnect=carPlayStream"], "add --carplay"),
        (["--carplay", "--seed", "4"], "--seed is the seed"),
        (["--carplay", "--session-fault", "loss=0.1,seed=5", "--seed", "4"], "--session-fault says seed=5"),
      ] {
        let outcome = try await Command(
          ["headunit", "--transport", "tcp:127.0.0.1:1"] + arguments, environment: environment
        ).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(text), "\(arguments) \(outcome)")
      }
      let film = folder.appending(path: "film.h264")
      try FileManager.default.copyItem(at: URL(filePath: Self.clip), to: film)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: film.path())
      for option in ["--capture", "--key-log"] {
        let outcome = try await Command(
          ["phone", "--transport", "tcp:127.0.0.1:1", "--carplay", "--video", film.path(), option, film.path()],
          environment: environment
        ).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("an input of this command"), "\(outcome)")
      }
      let mode = try FileManager.default.attributesOfItem(atPath: film.path())[.posixPermissions] as? Int
      #expect(mode == 0o644)
      #expect(try Data(contentsOf: film) == Data(contentsOf: URL(filePath: Self.clip)))
      let file = folder.appending(path: "link.txt").path()
      let outcome = try await Command(
        ["phone", "--transport", "tcp:127.0.0.1:1", "--carplay", "--once", "--capture", file], environment: environment
      ).finish()
      #expect(outcome.errors.contains("\(file) gets the link alone"), "\(outcome)")
    }
  }

  @Test("Each link of a phone has a session, and each session its own end")
  func secondLink() async throws {
    try await Self.inFolder { folder, environment in
      let scenario = try Self.shortScenario(in: folder)
      let phone = try Command(
        ["phone", "--transport", "tcp-listen:127.0.0.1:0", "--carplay", "--json"], environment: environment)
      let address = try await phone.address(after: "waiting at ").replacing("tcp-listen", with: "tcp")
      for _ in 1...2 {
        let headUnit = try await Command(
          ["headunit", "--transport", address, "--carplay", "--once", "--scenario", scenario],
          environment: environment
        ).finish()
        #expect(headUnit.status == 0, "\(headUnit.errors)")
      }
      _ = try await Command.wait { try phone.outputText.components(separatedBy: "carPlayEnded").count == 3 }
      phone.process.interrupt()
      let events = try TwoProcessTests.events(try await phone.finish().output)
      #expect(events.count { $0["event"] as? String == "carPlayEnded" } == 2)
      #expect(events.count { $0["event"] as? String == "carPlaySession" && $0["state"] as? String == "live" } == 2)
    }
  }

  @Test("A phone that connects before the start message of iAP2 is served after it")
  func earlyPhone() async throws {
    try await Self.inFolder { folder, environment in
      let scenario = try Self.shortScenario(in: folder)
      let headUnit = try Command(
        ["headunit", "--transport", "tcp-listen:127.0.0.1:0", "--carplay", "--once", "--json", "--scenario", scenario],
        environment: environment)
      let port = try #require(try await Self.address(of: headUnit).split(separator: ":").last)
      let said = folder.appending(path: "said")
      let early = Process()
      early.executableURL = URL(filePath: "/bin/bash")
      let request = #"printf 'OPTIONS * RTSP/1.0\r\nCSeq: 7\r\n\r\n' >&3"#
      let steps = [
        "exec 3<>/dev/tcp/127.0.0.1/\(port) >\(said.path())", request, "read -t 0.3 -u 3 one", "echo early $one",
        "read -t 60 -u 3 two", "echo late $two",
      ]
      early.arguments = ["-c", steps.joined(separator: "; ")]
      try early.run()
      func words() -> String {
        String(decoding: FileManager.default.contents(atPath: said.path()) ?? Data(), as: UTF8.self)
      }
      _ = try await Command.wait { words().contains("early") }
      let address = try await headUnit.address(after: "waiting at ").replacing("tcp-listen", with: "tcp")
      let phone = try await Command(
        ["phone", "--transport", address, "--carplay", "--once", "--json"], environment: environment
      ).finish()
      #expect(phone.status == 0, "\(phone.errors)")
      #expect(try await headUnit.finish().status == 0)
      early.waitUntilExit()
      #expect(words().hasPrefix("early\nlate RTSP/1.0 "), "\(words())")
    }
  }

  @Test("A pairing that was forgotten does not come back when another phone pairs")
  func forgottenPairing() async throws {
    try await Self.inFolder { folder, environment in
      let headUnit = try Command(["carplay", "headunit", "--json"], environment: environment)
      let address = try await Self.address(of: headUnit)
      for name in ["a", "b"] {
        let arguments = ["--connect", address, "--once", "--pairings", folder.appending(path: "\(name).json").path()]
        let phone = try await Command(["carplay", "phone"] + arguments, environment: environment).finish()
        #expect(phone.status == 0, "\(phone.errors)")
        guard name == "a" else { continue }
        let forgotten = try await Command(["pairings", "forget", "--all"], environment: environment).finish()
        #expect(forgotten.errors.contains("forgot 1 pairing"))
      }
      headUnit.process.interrupt()
      _ = try await headUnit.finish()
      let listed = try await Command(["pairings", "list", "--json"], environment: environment).finish()
      #expect(try TwoProcessTests.events(listed.output).count == 1)
    }
  }

  @Test(
    "Wrong arguments and files have their exit codes",
    arguments: [
      (["carplay", "phone"], 64, "--connect"), (["carplay", "headunit", "--display", "800"], 64, "--display"),
      (["carplay", "headunit", "--display", "1x1@60"], 64, "--display"),
      (["carplay", "headunit", "--display", "853x480@60"], 64, "take 852x480"),
      (["carplay", "headunit", "--display", "800x480@144"], 64, "1 to 120 pictures a second, not 144"),
      (["carplay", "headunit", "--display", "800x480@60:0x90"], 64, "1 to 10000 mm a side, not 0x90"),
      (["carplay", "headunit", "--car", "./missing.yaml"], 66, "no such file"),
      (["carplay", "headunit", "--car", "README.md"], 65, "README.md"),
      (
        ["carplay", "headunit", "--car", "Tests/Tools/CommandTests/Fixtures/odd-car.yaml"], 65,
        "even sides, not 801x480: take 800x480"
      ),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--set-up-keys", "all"], 64, "today"),
      (["carplay", "headunit", "--listen", "nowhere"], 64, "--listen"),
      (["carplay", "headunit", "--fault", "los=1"], 64, "unknown fault"),
      (["carplay", "headunit", "--seed", "1"], 64, "name a fault"),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--fault", "stall=identified+5"], 64, "an event's name"),
      (["carplay", "headunit", "--capture", "/nowhere/a.pcapng"], 66, "cannot write"),
      (["carplay", "headunit", "--key-log", "/nowhere/keys.txt"], 66, "cannot write"),
      (["carplay", "headunit", "--car", "truck"], 66, "no such car"),
      (["carplay", "headunit", "--screen", "pipe:"], 64, "pipe:"),
      (["carplay", "headunit", "--audio", "mix:"], 64, "mix: needs a file"),
      (["carplay", "headunit", "--generation", "400"], 64, "--generation"),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--profile", "wired,wireless"], 64, "--profile"),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--profile", "280", "--generation", "210"], 64, "leave out"),
      (["carplay", "headunit", "--screen", "/nowhere/film.h264"], 66, "cannot write"),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--video", "README.md"], 65, "H.264"),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--video", "missing.h264"], 66, "no such file"),
      (
        [
          "carplay", "phone", "--connect", "127.0.0.1:1", "--video",
          "Tests/Protocol/CarPlaySessionTests/Fixtures/bidirectional.h264",
        ], 65, "-bf 0"
      ),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--music", "LICENSE"], 65, "4 for each sample"),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--music", "/dev/null"], 65, "0 bytes"),
      (["carplay", "phone", "--connect", "127.0.0.1:1", "--pairings", "README.md"], 65, "pairings"),
      (["carplay", "phone", "--connect", "127.0.0.1:1"], 69, "no head unit"),
      (["pairings", "forget"], 64, "--all"), (["pairings", "forget", "unknown"], 66, "iap2 pairings list"),
      (["pairings", "list", "--pairings", "missing.json"], 66, "no such file"),
      (["headunit", "--transport", "pty", "--screen", "film.h264"], 64, "--carplay"),
      (["phone", "--transport", "pty", "--music", "music.pcm"], 64, "--carplay"),
      (["phone", "--transport", "tcp:127.0.0.1:1", "--carplay", "--music", "missing.pcm"], 66, "no such file"),
      (["carplay", "headunit", "--display", "+800x480@60"], 64, "--display"),
      (["carplay", "headunit", "--pairings", ""], 66, "No such file"),
    ])
  func wrongUse(arguments: [String], status: Int32, words: String) async throws {
    try await Self.inFolder { _, environment in
      let outcome = try await Command(arguments, environment: environment).finish()
      #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome.status) \(outcome.errors)")
    }
  }
}
