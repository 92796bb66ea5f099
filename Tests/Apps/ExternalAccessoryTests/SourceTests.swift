// swift-iap2 · Apache-2.0

import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import IAP2Sockets
import IAP2Transport
import Synchronization
import Testing

let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL

/// A text in a file of its own, which is removed with this value.
final class Scratch: Sendable {
  let path: String

  init(_ text: String, _ ending: String = "yaml") throws {
    path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).\(ending)").path()
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  deinit { do { try FileManager.default.removeItem(atPath: path) } catch {} }
}

let thermoName = "com.example.thermo"

/// Opens a session of the thermometer and sends a text. Waits until the client has read as many bytes as it sent.
func exchange(_ attached: AttachedAccessory, _ name: String, sending bytes: [UInt8]) async throws -> Client {
  let client = Client(try #require(try Carried(attached).open(name)), sending: bytes)
  client.begin(in: .main)
  #expect(await client.finishedInTime())
  return client
}

extension AccessoryAppTests {
  @Suite struct Services {
    private func thermometer(_ script: String) async throws -> AttachedAccessory {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [thermoName])
      return try await AccessoryBench.attach(name: "Thermometer", scripts: [thermoName: script])
    }

    @Test func aScriptAnswersTheApp() async throws {
      let attached = try await thermometer(
        #"[{expect: "TEMP?\n", reply: "23.5 C"}, {expect: {hex: "0001"}, reply: {hex: "0203"}}]"#)
      let client = try await exchange(attached, thermoName, sending: Array("TEMP?\n".utf8))
      #expect(client.received.withLock { $0 } == Array("23.5 C".utf8))
      client.end()
    }

    @Test func aScriptEndsTheSessionAfterItsReply() async throws {
      let attached = try await thermometer(#"[{expect: /BYE\d\n/, reply: "GO", close: true}]"#)
      let client = try await exchange(attached, thermoName, sending: Array("BYE7\n".utf8))
      #expect(client.received.withLock { $0 } == Array("GO".utf8))
      try await until { client.events.withLock { $0 }.contains("input end") }
      #expect(client.events.withLock { $0 }.contains("input end") && attached.eaAccessory?.isConnected == true)
      client.end()
    }

    @Test func aWrongScriptIsAnErrorWithItsPlace() async {
      await #expect {
        try await AccessoryBench.attach(name: "x", scripts: ["a.b": "[{reply: {hex: z}}]"])
      } throws: {
        "\($0)" == "the script of a.b:1: 0.reply.hex: expected pairs of hexadecimal digits"
      }
    }

    @Test func aProgramOnASocketAnswersTheAppAndItsEndEndsTheSession() async throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "ea\(UUID())").path()
      let program = try await TransportAddress(parsing: "unix-listen:\(path)").open()
      let attached = try await thermometer("unix:\(path)")
      let client = Client(try #require(try Carried(attached).open(thermoName)), sending: pattern(100_000))
      client.begin(in: .main)
      let session = try #require(try await program.next())
      var count = 0
      while count < 100_000, let bytes = try await session.receive() {
        count += bytes.count
        try await session.send(bytes)
      }
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(100_000))
      await session.close()
      try await until { client.events.withLock { $0 }.filter { $0.hasSuffix("end") }.count == 2 }
      #expect(client.events.withLock { $0 }.filter { $0.hasSuffix("end") }.sorted() == ["input end", "output end"])
      #expect(attached.eaAccessory?.isConnected == true)
      client.end()
      await program.close()
    }

    @Test func aProgramThatDoesNotListenEndsTheSession() async throws {
      let attached = try await thermometer("tcp:127.0.0.1:1")
      let client = try await exchange(attached, thermoName, sending: [1])
      #expect(client.received.withLock { $0 } == [] && attached.eaAccessory?.isConnected == true)
      client.end()
    }
  }

  @Suite struct Scenarios {
    private func attach(_ yaml: String, _ services: String = "echo") async throws -> AttachedAccessory {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let file = try Scratch("headUnit: {name: Staged, protocols: {\(echoName): \(services)}}\n\(yaml)")
      return try await AccessoryBench.attach(scenario: file.path)
    }

    @Test func theCableAndTheAccessoryFollowTheSteps() async throws {
      let attached = try await attach(
        """
        steps:
          - expect: {phone: connected}
          - expect: {phone: externalAccessoryOpened, values: {protocol: \(echoName)}, within: 60}
          - headUnit: {close: \(echoName)}
          - expect: {headUnit: externalAccessoryClosed}
          - cut: true
          - expect: {phone: disconnected, values: {cause: transportClosed}}
          - plug: true
          - expect: {phone: connected}
        """)
      let carried = try Carried(attached)
      let client = Client(try #require(carried.open()), sending: [])
      client.begin(in: .main)
      #expect(await client.finishedInTime())
      #expect(await attached.scenarioFailure() == nil)
      try await until { attached.eaAccessory != nil && attached.eaAccessory !== carried.accessory }
      let again = try #require(attached.eaAccessory)
      #expect(again.name == "Staged" && again !== carried.accessory && !carried.accessory.isConnected)
      #expect(AccessoryBench.log.contains { $0.event == .scenarioCompleted })
      client.end()
    }

    @Test func aLostNoticeKeepsTheAccessoryUntilTheNotice() async throws {
      let attached = try await attach(
        """
        noticeLoss: 1
        steps:
          - expect: {phone: externalAccessoryOpened, within: 60}
          - cut: true
          - expect: {phone: disconnected}
          - wait: 1
          - notice: phone
        """)
      let carried = try Carried(attached)
      let session = carried.open()
      #expect(session != nil)
      #expect(await attached.scenarioFailure() == nil)
      try await until { !carried.accessory.isConnected }
      #expect(!carried.accessory.isConnected && EAAccessoryManager.shared().connectedAccessories.isEmpty)
      let log = AccessoryBench.log
      let end = try #require(log.firstIndex { [.disconnectNotified, .disconnected].contains($0.event) })
      let opened = try #require(log.firstIndex { if case .sessionOpened = $0.event { true } else { false } })
      // The accessory was in the list during the wait before its notice, however late this test ran.
      #expect(opened < end && log[end].time >= .seconds(1))
      withExtendedLifetime(session) {}
    }

    @Test func aFailedStepIsOneLineAndOneEntry() async throws {
      let attached = try await attach("steps:\n  - expect: {phone: externalAccessoryOpened, within: 0.01}\n")
      let failure = try #require(await attached.scenarioFailure())
      #expect(
        failure.contains(":3: expect phone externalAccessoryOpened: expected externalAccessoryOpened; received: "))
      #expect(!failure.contains("\n") && AccessoryBench.log.map(\.event).contains(.scenarioFailed(failure)))
      #expect(attached.eaAccessory?.isConnected == true)
    }

    @Test func aScenarioThatBeginsWithoutACableHasNoAccessoryAtFirst() async throws {
      let attached = try await attach("steps:\n  - cut: true\n  - wait: 1\n  - plug: true\n")
      try await until { attached.eaAccessory != nil }
      #expect(attached.eaAccessory?.name == "Staged")
      // The log shows it however late this test ran: one connection, behind the wait.
      let connections = AccessoryBench.log.filter { $0.event == .connected("Staged") }
      #expect(connections.count == 1 && connections.allSatisfy { $0.time >= .seconds(1) })
      #expect(!AccessoryBench.log.contains { $0.event == .disconnected })
    }

    @Test(arguments: [
      ("phone: {write: {text: x}}", "phone write"), ("phone: disconnect", "phone disconnect"),
      ("expect: {data: x}", "expect data"), ("phone: {exchange: {protocol: a, bytes: 1}}", "phone exchange"),
    ])
    func aStepOfThePhoneIsRefusedWithItsLine(step: String, name: String) async throws {
      let file = try Scratch("steps:\n  - wait: 0\n  - \(step)\n")
      let text = "\(file.path):3: steps: the app is the phone, so \"\(name)\" is a step of the app's test: remove it"
      await #expect {
        try await AccessoryBench.attach(scenario: file.path)
      } throws: {
        "\($0)" == text
      }
    }

    @Test func resetEndsTheSteps() async throws {
      let attached = try await attach("steps:\n  - wait: 100000\n")
      await AccessoryBench.reset()
      #expect(await attached.scenarioFailure() == nil && attached.eaAccessory == nil)
    }
  }

  @Suite struct Replays {
    /// The bytes of an `exchange` step, which the recorded phone sent.
    private func recorded(_ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    private func attach(_ name: String, isLenient: Bool = false) async throws -> AttachedAccessory {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      return try await AccessoryBench.attach(
        replay: repository.appending(path: "captures/sessions/\(name)").path(), isLenient: isLenient)
    }

    private var differences: [String] {
      AccessoryBench.log.compactMap { if case .replayDiffered(let text) = $0.event { text } else { nil } }
    }

    @Test(arguments: ["pty.txt", "tcp.pcapng", "unix.btsnoop", "loopback.pcapng"])
    func theRecordedBytesFollowThoseOfTheApp(name: String) async throws {
      let attached = try await attach(name)
      #expect(attached.eaAccessory?.name == "swift-iap2 Head Unit")
      let client = try await exchange(attached, echoName, sending: recorded(100))
      #expect(client.received.withLock { $0 } == recorded(100) && differences == [])
      client.end()
    }

    @Test func theFirstDifferenceEndsTheSessionAndIsReported() async throws {
      let attached = try await attach("pty.txt")
      var bytes = recorded(100)
      bytes[60] ^= 0xFF
      let client = try await exchange(attached, echoName, sending: bytes)
      try await until { client.events.withLock { $0 }.contains("input end") }
      #expect(client.received.withLock { $0 }.count < 100 && client.events.withLock { $0 }.contains("input end"))
      #expect(differences.count == 1 && differences[0].contains("recorded session 1: after 60 equal bytes"))
      #expect(attached.eaAccessory?.isConnected == true)
      client.end()
    }

    @Test func aLenientSessionContinuesAfterADifference() async throws {
      let attached = try await attach("pty.txt", isLenient: true)
      let client = try await exchange(attached, echoName, sending: [UInt8](repeating: 7, count: 100))
      #expect(client.received.withLock { $0 } == recorded(100) && differences.count == 1)
      client.end()
    }

    @Test func moreBytesThanRecordedAreADifference() async throws {
      let attached = try await attach("pty.txt")
      let client = try await exchange(attached, echoName, sending: recorded(100) + [1])
      #expect(client.received.withLock { $0 } == recorded(100))
      #expect(differences.count == 1 && differences[0].contains("after all 100 recorded bytes, the app sent 01"))
      client.end()
    }

    @Test(arguments: [
      ("captures/real/boya-mini2.txt", "the capture has no identification of the accessory"),
      ("captures/failures/session-not-opened.txt", "no EA session of the capture has data; the accessory has"),
      ("captures/failures/not-iap2.pcap", "the file has no iAP2 session"),
      ("README.md", "the file has no iAP2 session"),
      ("captures/none.pcapng", "no such file"), ("captures", "is a folder, not a file"),
    ])
    func aCaptureWithoutARecordedAccessoryIsOneLine(name: String, text: String) async {
      let path = repository.appending(path: name).path()
      await #expect {
        try await AccessoryBench.attach(replay: path)
      } throws: { error in
        let line = "\(error)"
        return line.hasPrefix("\(path): ") && line.contains(text) && !line.contains("\n")
      }
    }
  }

  @Suite struct ConfigurationFiles {
    @Test func aFileHasAccessoriesWithServicesAndATimeForTheirPlug() async throws {
      await AccessoryBench.reset()
      let capture = repository.appending(path: "captures/sessions/pty.txt").path()
      let file = try Scratch(
        """
        accessories:
          - profile: printer
            services: {com.example.print: [{expect: "HELLO", reply: "READY"}]}
          - {replay: \(capture), lenient: true, plug: 2}
        """)
      AccessoryBench.declare(protocols: ["com.example.print"])
      let (accessories, transports) = try await AccessoryBench.attach(configuration: file.path)
      #expect(accessories.count == 2 && transports.isEmpty)
      let client = try await exchange(accessories[0], "com.example.print", sending: Array("HELLO".utf8))
      #expect(client.received.withLock { $0 } == Array("READY".utf8))
      client.end()
      try await until { accessories[1].eaAccessory != nil }
      #expect(accessories[1].eaAccessory?.name == "swift-iap2 Head Unit")
      let plug = try #require(AccessoryBench.log.first { $0.event == .connected("swift-iap2 Head Unit") })
      #expect(plug.time >= .seconds(2))
    }

    @Test(arguments: [
      ("- {profile: printer, scenario: x}", ":1: 0: expected one of transport, profile, scenario, replay"),
      ("- profile: printer\n  fualt: x", ":2: 0.fualt: unknown key, did you mean \"fault\"?"),
      ("- profile: printer\n  fault: loss=2", ":2: 0.fault: the fault plan \"loss=2\" is wrong"),
      ("- profile: printer\n  services: {a.b: echo}", ":2: 0.services.a.b: the accessory has no such protocol; it has"),
      ("- profile: printer\n  services: {com.example.print: [{on: x}]}", "expected reply or close"),
      ("- transport: usb\n  services: {a: echo}", ":2: 0.services: a transport leads to a real accessory"),
      ("- transport: pigeon:1", ":1: 0.transport: unknown transport \"pigeon\""),
      ("- profile: printer\n  lenient: true", ":2: 0.lenient: only replay is lenient"),
      ("- {profile: printer, plug: -1}", ":1: 0.plug: expected a number from 0.0"),
      ("- {scenario: day}", "the app is the phone"), ("- {replay: none.txt}", "none.txt: no such file"),
      ("{}", "expected a list of accessories"), ("", "the file is empty"), ("- [", "check the indentation"),
    ])
    func aFaultOfTheFileIsOneLineWithItsPlace(yaml: String, text: String) async throws {
      let file = try Scratch(yaml)
      await #expect {
        try await AccessoryBench.attach(configuration: file.path)
      } throws: { error in
        let line = "\(error)"
        return line.hasPrefix(file.path) && line.contains(text) && !line.contains("\n")
      }
    }
  }
}
