// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests of head unit and phone as two processes.
@Suite(.ownTurn) struct TwoProcessTests {
  static let transports = ["tcp", "unix", "pty"]

  /// Starts a listening head unit and returns the phone's transport.
  static func headUnit(
    _ transport: String, _ arguments: [String], input: Command.Input = ""
  ) async throws -> (Command, String) {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).sock").path()
    let listening =
      switch transport {
      case "tcp": "tcp-listen:127.0.0.1:0"
      case "unix": "unix-listen:\(path)"
      default: "pty"
      }
    let command = try Command(["headunit", "--transport", listening] + arguments, input: input)
    let address = try await command.address(after: "waiting at ")
    switch transport {
    case "tcp": return (command, address.replacing("tcp-listen:", with: "tcp:"))
    case "unix": return (command, "unix:\(path)")
    default: return (command, "serial:" + address.replacing("pty:", with: ""))
    }
  }

  static func events(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  static func causes(_ text: String) throws -> [String] {
    try events(text).filter { $0["event"] as? String == "disconnected" }.compactMap { $0["cause"] as? String }
  }

  @Test(arguments: transports, ["authentication-first", "identification-first"])
  func aFileComesBackByteForByte(transport: String, order: String) async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    let sent = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
    let (source, target) = (scratch.appending(path: "in"), scratch.appending(path: "out"))
    try sent.write(to: source)
    let (headUnit, address) = try await Self.headUnit(
      transport, ["--once", "--json", "--external-accessory", "com.example.echo=echo"])
    let phone = try await Command.run(
      "phone", "--transport", address, "--once", "--json", "--order", order, "--open", "com.example.echo",
      "--expect-echo", "--send", source.path(), "--receive", target.path())
    let other = try await headUnit.finish()
    #expect(phone.status == 0, "\(phone.errors)")
    #expect(other.status == 0, "\(other.errors)")
    #expect(try Data(contentsOf: target) == sent)
    #expect(try Self.causes(phone.output) == ["requested"])
    #expect(try Self.causes(other.output) == ["linkReset"])
    #expect(try Self.events(phone.output).last?["ok"] as? Bool == true)
    try FileManager.default.removeItem(at: scratch)
  }

  @Test func aListenerServesOnePeerAfterAnotherUntilStopped() async throws {
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--json", "--external-accessory", "com.example.echo=echo"])
    for _ in 0..<2 {
      let phone = try await Command(
        ["phone", "--transport", address, "--once", "--open", "com.example.echo", "--expect-echo"], input: "hello"
      ).finish()
      #expect(phone.status == 0, "\(phone.errors)")
      #expect(phone.output == "hello")
    }
    headUnit.process.interrupt()
    let outcome = try await headUnit.finish()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Self.causes(outcome.output) == ["linkReset", "linkReset"])
  }

  static func fixture(_ name: String) -> String {
    Command.root.appending(path: "Tests/Tools/CommandTests/Fixtures/\(name)").path()
  }

  @Test func aUsersCertificateIsTrustedByItsAuthorityOnly() async throws {
    let own = ["--certificate", Self.fixture("other-accessory.pem"), "--key", Self.fixture("other-accessory.key")]
    for (trusted, status) in [(Self.fixture("other-ca.pem"), Int32(0)), ("any", 0), ("test", 1)] {
      let (headUnit, address) = try await Self.headUnit(
        "tcp", ["--once", "--external-accessory", "com.example.echo=echo"] + own)
      let phone = try await Command(
        [
          "phone", "--transport", address, "--once", "--authentication", trusted, "--open", "com.example.echo",
          "--expect-echo",
        ],
        input: "hello"
      ).finish()
      let other = try await headUnit.finish()
      #expect(phone.status == status && other.status == status, "\(trusted): \(phone.errors) \(other.errors)")
    }
  }

  @Test func aKeyOfAnotherCertificateFailsAuthentication() async throws {
    let wrong = ["--certificate", Self.fixture("other-ca.pem"), "--key", Self.fixture("other-accessory.key")]
    let command = try await Command(["headunit", "--transport", "pty"] + wrong).finish()
    #expect(command.status == 65, "\(command.errors)")
  }

  @Test func linkValuesOfTheCommandLineAreAgreedOn() async throws {
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--json", "--link", "max-outstanding=7,max-length=600,cumulative-ack-timeout=50"])
    let phone = try Command(
      ["phone", "--transport", address, "--json", "--once", "--link", "max-outstanding=3,max-length=500"])
    let isReady = try await Command.wait { try phone.outputText.contains("\"identified\"") }
    #expect(isReady)
    phone.process.interrupt()
    for (outcome, window, length) in [(try await headUnit.finish(), 7, 600), (try await phone.finish(), 3, 500)] {
      let up = try #require(try Self.events(outcome.output).first { $0["event"] as? String == "linkUp" })
      #expect(up["maxOutstandingPackets"] as? Int == window)
      #expect(up["maxPacketLength"] as? Int == length)
      #expect(up["cumulativeAckTimeout"] as? Int == 50)
    }
  }

  @Test func standardInputAndOutputCanBeTheAccessory() async throws {
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.talk=stdio"], input: "from the accessory")
    let phone = try Command(
      ["phone", "--transport", address, "--once", "--open", "com.example.talk"], input: "from the phone    ")
    let outcome = try await phone.finish()
    let other = try await headUnit.finish()
    #expect(outcome.status == 0 && outcome.output == "from the accessory", "\(outcome.errors)")
    #expect(other.output == "from the phone    ", "\(other.errors)")
  }

  @Test func anAnswerMayBeLongerOrShorterThanTheRequest() async throws {
    for (request, answer) in [("?", "a long answer\n"), ("a long request\n", "ok\n")] {
      let (headUnit, address) = try await Self.headUnit(
        "tcp", ["--once", "--external-accessory", "com.example.talk=stdio"], input: .text(answer))
      let phone = try await Command(
        ["phone", "--transport", address, "--once", "--open", "com.example.talk"], input: .text(request)
      ).finish()
      #expect(phone.status == 0 && phone.output == answer, "\(phone.errors)")
      let other = try await headUnit.finish()
      #expect(other.status == 0 && other.output == request, "\(other.errors)")
    }
  }

  @Test func anEchoThatDiffersFailsWithItsFirstByte() async throws {
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.talk=stdio"], input: "heLlo")
    let phone = try await Command(
      ["phone", "--transport", address, "--once", "--open", "com.example.talk", "--expect-echo"], input: "hello"
    ).finish()
    #expect(phone.status == 1 && phone.output == "heLlo", "\(phone.errors)")
    // The answer does not wait for the request.
    let differs = phone.errors.contains("the echo differs: byte 3 was sent as 0x6C and came back as 0x4C")
    #expect(differs || phone.errors.contains("more bytes came back than were sent"), "\(phone.errors)")
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func anUnusedStandardInputKeepsNoSessionOpen() async throws {
    let keyboards = (Pipe(), Pipe())
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.talk=stdio"], input: .silent(keyboards.0))
    let phone = try Command(
      ["phone", "--transport", address, "--open", "com.example.talk"], input: .silent(keyboards.1))
    let isOpen = try await Command.wait { try phone.errorText.contains("open as session") }
    #expect(isOpen)
    phone.process.interrupt()
    #expect(try await phone.finish().status == 0)
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func anotherProgramOverTCPCanBeTheAccessory() async throws {
    // The service forwards to an echo server over plain TCP.
    let echo = try EchoServer()
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.far=tcp:127.0.0.1:\(echo.port)"])
    let phone = try await Command(
      ["phone", "--transport", address, "--once", "--open", "com.example.far", "--expect-echo"], input: "there and back"
    ).finish()
    #expect(phone.status == 0 && phone.output == "there and back", "\(phone.errors)")
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func aSessionThatTheAccessoryEndsAtOnceEndsThePhoneToo() async throws {
    // No program listens at the address of the accessory's service.
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.far=tcp:127.0.0.1:1"])
    let phone = try await Command(
      ["phone", "--transport", address, "--once", "--json", "--open", "com.example.far"], input: "hello"
    ).finish()
    #expect(phone.status == 1)
    #expect(phone.errors.contains("\"ok\":false"))
    let word = "com.example.far: the accessory closed EA session 1 after"
    #expect(phone.errors.contains(word), "\(phone.errors)")
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func aListeningPhoneOpensItsSessionForEachPeer() async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    let phone = try Command([
      "phone", "--transport", "tcp-listen:127.0.0.1:0", "--open", "com.example.echo", "--expect-echo", "--send",
      "LICENSE",
      "--receive", scratch.path(),
    ])
    let address = try await phone.address(after: "waiting at ").replacing("tcp-listen:", with: "tcp:")
    let license = try Data(contentsOf: Command.root.appending(path: "LICENSE"))
    for _ in 0..<2 {
      try Data().write(to: scratch)
      let headUnit = try Command(
        ["headunit", "--transport", address, "--external-accessory", "com.example.echo=echo"])
      let isBack = try await Command.wait { try Data(contentsOf: scratch) == license }
      #expect(isBack)
      headUnit.process.interrupt()
      #expect(try await headUnit.finish().status == 0)
    }
    phone.process.interrupt()
    #expect(try await phone.finish().status == 0)
    try FileManager.default.removeItem(at: scratch)
  }

  @Test(arguments: [([], 0), (["--once"], 1)] as [([String], Int32)])
  func anInterruptedListenerFailsOnlyWithOnce(options: [String], status: Int32) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).sock").path()
    let headUnit = try Command(["headunit", "--transport", "unix-listen:\(path)"] + options)
    #expect(try await Command.wait { try headUnit.errorText.contains("waiting at") })
    #expect(FileManager.default.fileExists(atPath: path))
    headUnit.process.interrupt()
    #expect(try await headUnit.finish().status == status)
  }

  @Test func aProtocolThatTheAccessoryLacksIsAnsweredWithThoseItHas() async throws {
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.echo=echo"])
    let phone = try await Command.run("phone", "--transport", address, "--once", "--open", "com.example.other")
    #expect(phone.status == 1)
    #expect(
      phone.errors.contains("com.example.other: the accessory has no such protocol; it has com.example.echo"),
      "\(phone.errors)")
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func discardedBytesAreNotReturned() async throws {
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.null=discard"])
    let outcome = try await Command(
      ["phone", "--transport", address, "--once", "--open", "com.example.null", "--linger", "0.2"], input: "hello"
    ).finish()
    #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome.errors)")
    #expect(outcome.errors.contains("com.example.null: no answer to 5 bytes within 0.2 s; --linger"))
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func withoutAWaitNoAnswerIsExpected() async throws {
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--once", "--external-accessory", "com.example.null=discard"])
    let outcome = try await Command(
      ["phone", "--transport", address, "--once", "--open", "com.example.null", "--linger", "0"], input: "hello"
    ).finish()
    #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.errors)")
    #expect(try await headUnit.finish().status == 0)
  }

  @Test func aScenarioIsPlayedByTwoProcesses() async throws {
    let (headUnit, address) = try await Self.headUnit("tcp", ["--once", "--json", "--scenario", "music"])
    let phone = try await Command.run("phone", "--transport", address, "--json", "--scenario", "music")
    let other = try await headUnit.finish()
    // The phone ends the connection as its last step.
    #expect(other.status == 0, "\(other.errors)")
    #expect(phone.errors.isEmpty, "\(phone.errors)")
    let titles = try Self.events(other.output).filter { $0["event"] as? String == "nowPlaying" }
    #expect(titles.count > 3)
    let values = try #require(titles.last?["values"] as? [String: Any])
    #expect((values["MediaItemAttributes"] as? [String: Any])?["MediaItemTitle"] as? String == "One")
  }

  @Test func checkSessionComparesALiveSessionWithItsLists() async throws {
    for (scenario, status) in [("apps", Int32(0)), ("rules", 1)] {
      let (headUnit, address) = try await Self.headUnit("tcp", ["--once", "--scenario", scenario])
      let phone = try await Command.run("phone", "--transport", address, "--once", "--check", "--scenario", scenario)
      _ = try await headUnit.finish()
      #expect(phone.status == status, "\(phone.errors)")
      #expect(phone.errors.contains("listed and never sent by the device") == (scenario == "apps"))
      #expect(phone.errors.contains("0x5000 StartNowPlayingUpdates") == (scenario == "rules"))
    }
  }

  @Test func aProfileSelectsTheAccessory() async throws {
    let (headUnit, address) = try await Self.headUnit("tcp", ["--once", "--profile", "microphone", "--json"])
    let phone = try await Command(
      ["phone", "--transport", address, "--once", "--open", "BOYA.DeviceLink.com", "--expect-echo"], input: "hello"
    ).finish()
    #expect(phone.status == 0 && phone.output == "hello", "\(phone.errors)")
    let other = try await headUnit.finish()
    let up = try #require(try Self.events(other.output).first { $0["event"] as? String == "linkUp" })
    #expect(up["maxOutstandingPackets"] as? Int == 5 && up["maxPacketLength"] as? Int == 1024)
  }

  @Test func aSecondCtrlCEndsAtOnce() async throws {
    let keyboard = Pipe()
    // The link must not detect the silent peer itself.
    let (headUnit, address) = try await Self.headUnit(
      "tcp", ["--external-accessory", "com.example.echo=echo", "--silence", "0"])
    let phone = try Command(
      ["phone", "--transport", address, "--open", "com.example.echo"], input: .silent(keyboard))
    let isOpen = try await Command.wait { try phone.errorText.contains("open as session") }
    #expect(isOpen)
    // A phone that does not answer keeps the head unit's orderly end waiting for two seconds. A separate process sends
    // the signals, because parallel tests may delay this one for longer. Signals within 100 ms are one request; SIGTERM
    // counts as SIGINT.
    try await phone.suspend()
    let fingers = Process()
    fingers.executableURL = URL(filePath: "/bin/sh")
    fingers.arguments = [
      "-c",
      """
      kill -INT $0; until grep -q 'again to end at once' "$1" || ! kill -0 $0; do sleep 0.02; done; sleep 0.15; kill \
      -TERM $0
      """,
      "\(headUnit.process.processIdentifier)", headUnit.errors.path(),
    ]
    try fingers.run()
    #expect(try await headUnit.finish().status == 130)
    #expect(phone.process.resume())
    _ = try await phone.finish()
  }

  @Test func anUnknownAuthorityIsRefusedOnBothSides() async throws {
    let ca = Self.fixture("other-ca.pem")
    let (headUnit, address) = try await Self.headUnit("tcp", ["--once", "--json"])
    let phone = try await Command.run("phone", "--transport", address, "--once", "--json", "--authentication", ca)
    let other = try await headUnit.finish()
    #expect(phone.status == 1 && other.status == 1)
    #expect(try Self.causes(phone.output) == ["authenticationFailed"])
    #expect(phone.errors.contains("the accessory's certificate was not accepted"), "\(phone.errors)")
    #expect(phone.errors.contains("--authentication any"))
    #expect(other.errors.contains("the phone did not accept the certificate"), "\(other.errors)")
    #expect(try Self.causes(other.output) == ["authenticationFailed"])
  }

  @Test func ctrlCEndsAnOpenConnectionInOrder() async throws {
    let (headUnit, address) = try await Self.headUnit("unix", ["--once", "--json"])
    let phone = try Command(["phone", "--transport", address, "--json"])
    let isReady = try await Command.wait { try phone.outputText.contains("\"identified\"") }
    #expect(isReady)
    phone.process.interrupt()
    let outcome = try await phone.finish()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Self.causes(outcome.output) == ["requested"])
    let other = try await headUnit.finish()
    #expect(other.status == 0)
    #expect(try Self.causes(other.output) == ["linkReset"])
  }

  /// A process that was started by `nohup` ignores SIGHUP, and so do the processes that it starts.
  private static var ignoresHangUp: Bool {
    var action = sigaction()
    guard unsafe sigaction(SIGHUP, nil, &action) == 0 else { return false }
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  @Test(.enabled(if: !ignoresHangUp, "the tests ignore SIGHUP, as under nohup"))
  func aClosedTerminalEndsTheSessionInOrder() async throws {
    let (headUnit, address) = try await Self.headUnit("unix", ["--once", "--json"])
    let phone = try Command(["phone", "--transport", address, "--json"])
    let isReady = try await Command.wait { try phone.outputText.contains("\"identified\"") }
    // A shell sends SIGHUP, and the kernel sends it after the shell has exited. The phone may have ended before the second.
    #expect(isReady && kill(phone.process.processIdentifier, SIGHUP) == 0)
    kill(phone.process.processIdentifier, SIGHUP)
    let outcome = try await phone.finish()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Self.causes(outcome.output) == ["requested"])
    #expect(try Self.causes(try await headUnit.finish().output) == ["linkReset"])
  }

  /// The other side still receives the end of the connection.
  @Test func aReaderThatClosesTheOutputEndsTheConnectionInOrder() async throws {
    let (headUnit, address) = try await Self.headUnit("unix", ["--once", "--json"])
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    let line = "\"$0\" phone --transport \"$1\" --json | sed /identified/q"
    shell.arguments = ["-c", line, Command.program.path(), address]
    shell.standardOutput = FileHandle.nullDevice
    try shell.run()
    let other = try await headUnit.finish()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    #expect(try Self.causes(other.output) == ["linkReset"])
  }
}
