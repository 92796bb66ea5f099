// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// `iap2 car --transport`: the phone of an app meets a head unit of another process.
@Suite(.ownTurn) struct CarTransportTests {
  private let probe = Command.folder.appending(path: "car-probe").path()

  private func play(_ steps: String, _ options: String...) async throws -> Command.Outcome {
    let file = FileManager.default.temporaryDirectory.appending(path: "car-\(UUID().uuidString).yaml")
    try "steps:\n\(steps)".write(to: file, atomically: true, encoding: .utf8)
    let outcome = try await Command(["car", probe, "--scenario", file.path()] + options).finish()
    try FileManager.default.removeItem(at: file)
    return outcome
  }

  @Test("An independent head unit shows the app's song, and its key plays the next one")
  func keysOfAPeer() async throws {
    // A key before the app plays has no effect, and a busy machine may start the app late.
    let keys = ["1", "5", "20", "60", "180"].flatMap { ["--after", $0, "next"] }
    let peer = try await Peer(["--behavior", "media"] + keys)
    let outcome = try await play(
      """
        - launch: true
        - expect: {front: app, connected: true}
        - tap: Song
        # A key that came during the tap does not count.
        - wait: 0.1
        - expect: {called: remote command nextTrack, within: 300}
        # The car's time: the next song has been sent after it, before the end of the connection.
        - wait: 0.5
      """, "--transport", peer.transport, "--authentication", "any", "--json")
    let seen = try await peer.finish()
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(seen.contains("  title: Blue\n") && seen.contains("  artist: Band\n"), "\(seen)")
    #expect(seen.contains("  title: Green\n"), "\(seen)")
    // The run ends its connection in order.
    #expect(seen.contains("  reset\n"), "\(seen)")
    let events = try TwoProcessTests.events(outcome.output).filter { $0["object"] as? String == "head unit" }
    let names = events.compactMap { $0["name"] as? String }
    #expect(names == ["detected", "linkUp", "authenticated", "identified"])
    #expect(events.last?["detail"] as? String == "Python peer")
  }

  @Test("Our head unit in another process shows the song of the app")
  func ourHeadUnit() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("tcp", ["--once", "--profile", "test-head-unit"])
    async let run = play(
      "  - launch: true\n  - tap: Song\n  - expect: {connected: false, within: 600}\n", "--transport", address)
    _ = try await Command.wait {
      try headUnit.outputText.contains("MediaItemTitle \"Blue\"") || !headUnit.process.isRunning
    }
    headUnit.process.interrupt()
    let other = try await headUnit.finish()
    let outcome = try await run
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    #expect(outcome.output.contains("head unit identified swift-iap2 Head Unit\n"), "\(outcome.output)")
    #expect(other.status == 0 && other.output.contains("MediaItemTitle \"Blue\""), "\(other)")
  }

  @Test("A head unit that closes the transport unplugs the phone, and the next one plugs it in")
  func nextHeadUnit() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "car-\(UUID().uuidString).yaml")
    try """
    steps:
      - launch: true
      - expect: {connected: false, called: templateApplicationScene(_:didDisconnectInterfaceController:), within: 60}
      - plug: true
      - expect: {connected: true, front: app, within: 60}
    """.write(to: file, atomically: true, encoding: .utf8)
    let car = try Command(["car", probe, "--scenario", file.path(), "--transport", "tcp-listen:127.0.0.1:0"])
    let transport = try await car.address(after: "waiting at ").replacing("tcp-listen:", with: "tcp:")
    let first = try Command(["headunit", "--transport", transport, "--json"])
    _ = try await Command.wait { try car.outputText.contains("didConnect:") }
    first.process.interrupt()
    let ended = try await first.finish()
    let second = try await Command.run("headunit", "--transport", transport, "--once")
    let outcome = try await car.finish()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(ended.status == 0 && second.status == 0, "\(ended) \(second)")
    #expect(outcome.output.contains("phone regards the car as disconnected"), "\(outcome.output)")
    try FileManager.default.removeItem(at: file)
  }

  @Test("A head unit that is not trusted never connects")
  func untrusted() async throws {
    let peer = try await Peer()
    let outcome = try await play("  - launch: true\n", "--transport", peer.transport)
    _ = try await peer.finish()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("head unit authenticationFailed "), "\(outcome.output)")
    #expect(outcome.errors.contains("no head unit connects any more"), "\(outcome.errors)")
  }

  @Test(
    "Steps that pull the cable in memory or use the head unit in memory are refused",
    arguments: [
      ("unplug: true", "end the connection there"), ("policy: charging", "all evidence ends its connection"),
      ("headUnit: next", "use its own keys"),
    ])
  func refusedSteps(step: String, text: String) async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("tcp", ["--once"])
    let outcome = try await play("  - launch: true\n  - \(step)\n", "--transport", address)
    _ = try await headUnit.finish()
    #expect(outcome.status == 1 && outcome.errors.contains("the head unit is on a transport: \(text)"), "\(outcome)")
  }

  @Test("A transport that is not there ends the run with 69, and a wrong one with 64")
  func noTransport() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString)").path()
    let outcome = try await play("  - launch: true\n", "--transport", "unix:\(path)", "--json")
    #expect(outcome.status == 69 && outcome.errors.contains("no such socket"), "\(outcome)")
    #expect(try TwoProcessTests.events(outcome.output).last?["ok"] as? Bool == false)
    for (options, text) in [
      (["--transport", "usb-gadget"], "this machine is an accessory"), (["--transport", "x:1"], "unknown transport"),
      (["--authentication", "any"], "name one with --transport"),
    ] {
      let refused = try await Command(["car", probe, "--scenario", "first-connect"] + options).finish()
      #expect(refused.status == 64 && refused.errors.contains(text), "\(refused)")
    }
  }

  @Test("Noise without an end neither connects a head unit nor keeps the run from its end")
  func noise() async throws {
    let server = """
      import os, socket
      listener = socket.create_server(("127.0.0.1", 0))
      print("listening at 127.0.0.1:%d" % listener.getsockname()[1], flush=True)
      peer, _ = listener.accept()
      noise = os.urandom(65536)
      try:
          while True: peer.sendall(noise)
      except OSError: pass
      """
    let peer = try await Peer(program: ["python3", "-c", server])
    let car = try Command(["car", probe, "--scenario", "first-connect", "--transport", peer.transport])
    _ = try await Command.wait { try car.outputText.contains("head unit violation") }
    car.process.interrupt()
    let outcome = try await car.finish()
    _ = try await peer.finish()
    #expect(outcome.status == 1 && outcome.errors.hasSuffix("iap2: stopped\n"), "\(outcome)")
    #expect(outcome.output.split(separator: "\n").count { $0.contains("violation") } <= 100)
  }

  @Test("Ctrl-C ends the connection in order")
  func interruptedConnection() async throws {
    let (headUnit, address) = try await TwoProcessTests.headUnit("tcp", ["--once", "--json"])
    let file = FileManager.default.temporaryDirectory.appending(path: "car-\(UUID().uuidString).yaml")
    try "steps:\n  - launch: true\n  - wait: 600\n".write(to: file, atomically: true, encoding: .utf8)
    let car = try Command(["car", probe, "--scenario", file.path(), "--transport", address])
    _ = try await Command.wait { try car.outputText.contains("didConnect:") }
    car.process.interrupt()
    let outcome = try await car.finish()
    let other = try await headUnit.finish()
    #expect(outcome.status == 1 && outcome.errors.hasSuffix("iap2: stopped\n"), "\(outcome)")
    #expect(other.status == 0, "\(other)")
    #expect(try TwoProcessTests.causes(other.output) == ["linkReset"])
    try FileManager.default.removeItem(at: file)
  }

  @Test("Ctrl-C ends a run that waits for a head unit, and leaves no socket")
  func interrupt() async throws {
    let socket = FileManager.default.temporaryDirectory.appending(path: "car-\(UUID().uuidString).sock").path()
    let car = try Command(
      ["car", probe, "--scenario", "first-connect", "--transport", "unix-listen:\(socket)"])
    _ = try await car.address(after: "waiting at ")
    try await car.interruptWhenListening()
    let outcome = try await car.finish()
    #expect(outcome.status == 1 && outcome.errors.hasSuffix("iap2: stopped\n"), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: socket))
  }
}
