// swift-iap2 · Apache-2.0

import Foundation
import IAP2Coprocessor
import IAP2Runtime
import IAP2Transport
import Testing

@testable import CommandSupport
@testable import iap2

/// Tests of the command with an emulated chip, in this process and in another one.
@Suite(.ownTurn) struct CoprocessorTests {
  /// Shares an emulated chip on a free port, and returns its value for `--authenticator`.
  static func server(_ chip: String) async throws -> (Command, String) {
    let server = try Command(["coprocessor", "serve", "--authenticator", chip, "--listen", "127.0.0.1:0"])
    let address = try await server.address(after: "serving at ")
    return (server, address.replacing("tcp-listen:", with: "tcp:"))
  }

  static func stop(_ server: Command) async throws -> Command.Outcome {
    server.process.interrupt()
    let outcome = try await server.finish()
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome
  }

  @Test func theSelfTestOfAVersionThreeChipVerifiesItsSignature() async throws {
    let outcome = try await Command.run("coprocessor", "--authenticator", "emulated", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let line = try #require(try TwoProcessTests.events(outcome.output).first)
    #expect(line["ok"] as? Bool == true)
    let signature = try #require(line["signature"] as? [String: Any])
    #expect(signature["verified"] as? Bool == true)
    #expect(signature["byteCount"] as? Int == 64)
    let information = try #require(line["information"] as? [String: Any])
    #expect(information["version"] as? String == "3.0")
    #expect(information["deviceID"] as? String == "00000300")
    let certificate = try #require(line["certificate"] as? [String: Any])
    #expect(certificate["subject"] as? String == "CN=swift-iap2 TEST ACCESSORY,O=swift-iap2")
  }

  @Test func aVersionTwoChipSignsAndIsNotVerified() async throws {
    let outcome = try await Command.run("coprocessor", "test", "--authenticator", "emulated:2.0C")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("128 bytes over 20"))
    #expect(outcome.output.contains("not verified"))
  }

  @Test func anUnreachableCoprocessorHasItsExitStatusAndNextStep() async throws {
    // No program listens at port 1. The kernel gives a port that was just closed to another test, but never this one.
    let address = "tcp:127.0.0.1:1"
    for (arguments, status, text) in [
      (["coprocessor", "--authenticator", address], Int32(69), "coprocessor serve"),
      (["coprocessor", "--authenticator", "i2c:/dev/i2c-does-not-exist"], 69, "modprobe i2c-dev"),
      (["coprocessor", "--authenticator", "i2c:/dev/null"], 69, "not an I2C adapter; give i2c:/dev/i2c-N"),
      (["coprocessor", "--authenticator", "i2c:/dev"], 69, "not an I2C adapter; give i2c:/dev/i2c-N"),
      (["coprocessor", "--authenticator", "spi:/dev/x"], 64, "i2c:/dev/i2c-N"),
      (["coprocessor", "serve", "--authenticator", "emulated", "--listen", "nowhere"], 64, "HOST:PORT"),
      (["coprocessor", "serve", "--authenticator", "emulated", "--listen", "256.1.1.1:0"], 69, "check the name"),
      (["headunit", "--transport", "pty", "--authenticator", address], 69, "connection refused"),
      (
        ["headunit", "--transport", "pty", "--authenticator", "emulated", "--certificate", "a", "--key", "b"], 64, "own"
      ),
    ] {
      let outcome = try await Command(arguments).finish()
      #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }
  }

  /// A chip that returns its version and fails at everything else.
  private struct LostChip: CoprocessorAccess {
    let error: CoprocessorError
    var address: String { "tcp:127.0.0.1:7020" }

    func information() async throws(CoprocessorError) -> CoprocessorInformation {
      CoprocessorInformation(deviceVersion: 7, revision: 1, protocolMajor: 3, protocolMinor: 0, deviceID: 0x300)
    }
    func certificate() async throws(CoprocessorError) -> [UInt8] { throw error }
    func serialNumber() async throws(CoprocessorError) -> [UInt8] { throw error }
    func sign(challenge: [UInt8]) async throws(CoprocessorError) -> [UInt8] { throw error }
    func selfTest() async throws(CoprocessorError) -> ChipSelfTest { throw error }
    func close() async {}
  }

  @Test(arguments: [CoprocessorError.transport(.closed), .noReply(milliseconds: 100), .badFrame(.truncated)])
  func aLostConnectionDuringTheSelfTestIsNotReportedAsAChipFailure(error: CoprocessorError) async throws {
    await #expect(throws: error) { try await CoprocessorCheck.run(LostChip(error: error), clock: WallClock()) }
    let address = try CoprocessorAddress(parsing: "tcp:127.0.0.1:7020")
    #expect(CoprocessorFailure.of(error, address).status == .unavailable)
  }

  @Test func aChipThatDoesNotAnswerInTheMiddleFailsItsTest() async throws {
    let chip = LostChip(error: .neverAnswered(milliseconds: 100))
    let check = try await CoprocessorCheck.run(chip, clock: WallClock())
    #expect(!check.ok && check.problems.count == 4, "\(check.problems)")
  }

  @Test func anotherProgramAtThePortIsDistinguished() async throws {
    let echo = try EchoServer()
    let outcome = try await Command.run("coprocessor", "--authenticator", "tcp:127.0.0.1:\(echo.port)")
    #expect(outcome.status == 69, "\(outcome.errors)")
  }

  @Test func aPeerThatEndsTheConnectionIsDistinguished() async throws {
    let server = try EchoServer(ending: 2)
    let run = try await Command.run("coprocessor", "--authenticator", "tcp:127.0.0.1:\(server.port)")
    #expect(run.status == 69 && run.errors.contains("before its answer; start iap2 coprocessor serve"), "\(run.errors)")
  }

  @Test func aSharedChipAuthenticatesAWholeSession() async throws {
    let (server, chip) = try await Self.server("emulated")
    for transport in ["tcp", "unix"] {
      let (headUnit, address) = try await TwoProcessTests.headUnit(
        transport, ["--once", "--authenticator", chip, "--external-accessory", "com.example.echo=echo"])
      let phone = try await Command(
        ["phone", "--transport", address, "--once", "--open", "com.example.echo", "--expect-echo"], input: "hello"
      ).finish()
      let other = try await headUnit.finish()
      #expect(phone.status == 0 && other.status == 0, "\(phone.errors) \(other.errors)")
      #expect(phone.output == "hello")
    }
    let outcome = try await Self.stop(server)
    #expect(outcome.output.split(separator: "\n").count { $0.hasSuffix(" sign") } == 2)
    #expect(outcome.output.split(separator: "\n").count { $0.hasSuffix(" disconnected") } == 2)
  }

  @Test func anOldSharedChipIsAcceptedOnlyByAPhoneThatAcceptsAny() async throws {
    let (server, chip) = try await Self.server("emulated:2.0C")
    for (trusted, status) in [("any", Int32(0)), ("test", 1)] {
      let (headUnit, address) = try await TwoProcessTests.headUnit(
        "tcp", ["--once", "--authenticator", chip, "--external-accessory", "com.example.echo=echo"])
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
    _ = try await Self.stop(server)
  }

  @Test func twoClientsAreServedAtOnce() async throws {
    let (server, chip) = try await Self.server("emulated")
    let clients = try (0..<2).map { _ in try Command(["coprocessor", "--authenticator", chip]) }
    for client in clients {
      let outcome = try await client.finish()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("verified with the certificate"))
    }
    _ = try await Self.stop(server)
  }

  @Test func aClientAboveTheLimitIsRejected() async throws {
    let (server, chip) = try await Self.server("emulated")
    let port = try #require(chip.split(separator: ":").last.flatMap { UInt16($0) })
    var idle: [Int32] = []
    defer { for descriptor in idle { Glibc.close(descriptor) } }
    // The clients connect one after another, because a listener's queue is short.
    for count in 1...32 {
      idle.append(try EchoServer.connect(to: port))
      let isServed = try await Command.wait {
        try server.outputText.split(separator: "\n").count { $0.hasSuffix(" connected") } == count
      }
      try #require(isServed)
    }
    let outcome = try await Command.run("coprocessor", "--authenticator", chip)
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("it serves 32 clients already; end one of them"), "\(outcome.errors)")
    _ = try await Self.stop(server)
  }

  /// A reader of the warning may stop the command: a signal that follows at once is not lost.
  @Test func listeningOnAllInterfacesPrintsAWarning() async throws {
    let server = try Command(["coprocessor", "serve", "--authenticator", "emulated", "--listen", "0.0.0.0:0"])
    let isWarned = try await Command.wait { try server.errorText.contains("warning: every client that reaches") }
    #expect(isWarned)
    _ = try await Self.stop(server)
  }

  @Test func aChipThatTheServerLosesEndsTheSession() async throws {
    let (server, chip) = try await Self.server("emulated")
    let (headUnit, address) = try await TwoProcessTests.headUnit("tcp", ["--once", "--json", "--authenticator", chip])
    _ = try await Self.stop(server)
    let phone = try await Command.run("phone", "--transport", address, "--once", "--json")
    let other = try await headUnit.finish()
    #expect(phone.status == 1 && other.status == 1, "\(phone.errors) \(other.errors)")
    #expect(try TwoProcessTests.causes(other.output) == ["authenticationFailed"])
  }
}
