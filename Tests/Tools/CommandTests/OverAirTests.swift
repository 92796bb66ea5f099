// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// CarPlay over the air by `iap2 headunit` and `iap2 phone`, with a socket in the place of Bluetooth.
@Suite(.ownTurn) struct OverAirTests {
  private static func count(_ command: Command, _ words: String...) throws -> Int {
    try command.outputText.split(separator: "\n").count { line in words.allSatisfy { line.contains($0) } }
  }

  @Test("The session goes on without the link, which ends behind iAP2 inside the session")
  func aSessionOutlivesItsLink() async throws {
    try await CarPlaySessionCommandTests.inFolder { folder, environment in
      let headUnit = try Command(
        [
          "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--carplay", "--json", "--scenario", "wireless",
          "--listen", "127.0.0.1:0", "--wifi", "A car's", "--wifi-passphrase", "not secret",
        ], environment: environment)
      let address = try await headUnit.address(after: "waiting at ").replacing("tcp-listen", with: "tcp")
      let joined = folder.appending(path: "joined")
      let phone = try Command(
        [
          "phone", "--transport", address, "--carplay", "--json", "--video",
          "Tests/Protocol/CarPlaySessionTests/Fixtures/clip.h264", "--rate", "1", "--wifi-join",
          "printf %s \"$WIFI_SSID/$WIFI_PASSPHRASE\" >'\(joined.path())'; exec sleep 600",
        ], environment: environment)
      for side in [headUnit, phone] {
        #expect(try await Command.wait { try Self.count(side, "carPlayInnerLink", "identified") == 1 })
        #expect(try await Command.wait { try Self.count(side, "\"event\":\"disconnected\"") == 1 })
      }
      #expect(try Self.count(headUnit, "disableBluetooth") == 1)
      #expect(try String(contentsOf: joined, encoding: .utf8) == "A car's/not secret")
      for side in [headUnit, phone] { #expect(try Self.count(side, "carPlayEnded") == 0 && side.process.isRunning) }
      phone.process.interrupt()
      let said = try await phone.finish()
      #expect(said.status == 0, "\(said)")
      #expect(try await Command.wait { try Self.count(headUnit, "carPlayEnded", "teardown") == 1 })
      headUnit.process.interrupt()
      #expect(try await headUnit.finish().status == 0)
    }
  }

  @Test(
    "Options of the access point and of discovery are checked",
    arguments: [
      (["headunit", "--transport", "pty", "--wifi", "Car"], "--carplay"),
      (["headunit", "--transport", "pty", "--carplay", "--wifi", "Car"], "over the air"),
      (["headunit", "--transport", "pty", "--carplay", "--wifi-passphrase", "12345678"], "--wifi"),
      (["headunit", "--transport", "pty", "--carplay", "--wifi", "Car", "--wifi-passphrase", "short"], "8 to 63"),
      (["headunit", "--transport", "pty", "--carplay", "--wifi", "C\u{1B}r"], "control characters"),
      (["phone", "--transport", "pty", "--announce"], "--carplay"),
      (["phone", "--transport", "pty", "--carplay", "--announce", "--once"], "--once"),
      (["phone", "--transport", "pty", "--carplay", "--announce", "--name", "a\u{1B}b"], "control characters"),
      (["phone", "--transport", "pty", "--carplay", "--find", "any", "--connect", "127.0.0.1:7000"], "--connect"),
      (["phone", "--transport", "pty", "--carplay", "--wifi-join", ""], "a command"),
    ])
  func wrongUse(arguments: [String], words: String) async throws {
    let outcome = try await Command(arguments).finish()
    #expect(outcome.status == 64 && outcome.errors.contains(words), "\(outcome.status) \(outcome.errors)")
  }
}
