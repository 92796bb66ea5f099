// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Head unit and phone as two processes.
@Suite struct TwoProcessTests {
  static let transports = ["tcp", "unix", "pty"]

  /// Listens as head unit; gives the phone's transport.
  static func headUnit(_ transport: String, _ arguments: [String]) async throws -> (Command, String) {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).sock").path()
    let listening =
      switch transport {
      case "tcp": "tcp-listen:127.0.0.1:0"
      case "unix": "unix-listen:\(path)"
      default: "pty"
      }
    let command = try Command(["headunit", "--transport", listening] + arguments)
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
      "phone", "--transport", address, "--once", "--json", "--order", order, "--open", "com.example.echo", "--send",
      source.path(), "--receive", target.path())
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
        ["phone", "--transport", address, "--once", "--open", "com.example.echo"], input: "hello"
      ).finish()
      #expect(phone.status == 0, "\(phone.errors)")
      #expect(phone.output == "hello")
    }
    headUnit.process.interrupt()
    let outcome = try await headUnit.finish()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Self.causes(outcome.output) == ["linkReset", "linkReset"])
  }

  @Test func anUnknownAuthorityIsRefusedOnBothSides() async throws {
    // Another authority than the test accessory's: a certificate made for nobody.
    let ca = Command.root.appending(path: "Tests/CommandTests/Fixtures/other-ca.pem").path()
    let (headUnit, address) = try await Self.headUnit("tcp", ["--once", "--json"])
    let phone = try await Command.run("phone", "--transport", address, "--once", "--json", "--authentication", ca)
    let other = try await headUnit.finish()
    #expect(phone.status == 1 && other.status == 1)
    #expect(try Self.causes(phone.output) == ["authenticationFailed"])
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
}
