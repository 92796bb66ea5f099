// swift-iap2 · Apache-2.0

import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import IAP2Sockets
import IAP2Transport
import Synchronization
import Testing

extension AccessoryAppTests {
  @Suite struct Transports {
    @Test func anAccessoryOverASocketAppearsAndItsSessionCarriesBytes() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let path = FileManager.default.temporaryDirectory.appending(path: "ea\(UUID())").path()
      let source = try await TransportAddress(parsing: "unix-listen:\(path)").open()
      let headUnit = HeadUnit(profile: .standard(name: "Socket", protocols: [echoName], features: []))
      await headUnit.serve(echoName, echo)
      let attached = try AccessoryBench.attach(transport: "unix:\(path)")
      let transport = try #require(try await source.next())
      async let result = headUnit.run(on: transport)
      try await until { attached.eaAccessory != nil }
      let accessory = try #require(attached.eaAccessory)
      #expect(accessory.name == "Socket")
      let client = Client(
        try #require(EASession(accessory: accessory, forProtocol: echoName)), sending: pattern(100_000))
      client.begin(in: .main)
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(100_000))
      client.end()
      await headUnit.disconnect()
      #expect(await result.wasIdentified)
      try await until { !accessory.isConnected }
      #expect(!accessory.isConnected)
      await source.close()
      await AccessoryBench.reset()
    }

    @Test func theTestSaysWhichAccessoriesATransportTrusts() async throws {
      await AccessoryBench.reset()
      for (authentication, appears) in [
        ("test", true), ("any", true),
        (repository.appending(path: "Tests/Tools/CommandTests/Fixtures/other-ca.pem").path(), false),
      ] {
        let path = FileManager.default.temporaryDirectory.appending(path: "ea\(UUID())")
          .path()
        let source = try await TransportAddress(parsing: "unix-listen:\(path)").open()
        let headUnit = HeadUnit(profile: .standard(name: "Socket", protocols: [echoName], features: []))
        let attached = try AccessoryBench.attach(transport: "unix:\(path)", authentication: authentication)
        let transport = try #require(try await source.next())
        async let result = headUnit.run(on: transport)
        if appears {
          try await until { attached.eaAccessory != nil }
          #expect(attached.eaAccessory != nil, "\(authentication)")
          await headUnit.disconnect()
          _ = await result
        } else {
          #expect(await !result.wasIdentified && attached.eaAccessory == nil)
        }
        await source.close()
        await AccessoryBench.reset()
      }
      #expect { try AccessoryBench.attach(transport: "unix:/none", authentication: "/none.pem") } throws: {
        "\($0)".hasPrefix("/none.pem: no such file; the value is test, any or the file of")
      }
    }

    @Test(arguments: [
      (66_000, ["a"], "has more than 1024 bytes"),
      (3, (0..<256).map { "p\($0)" }, "256 protocols: an accessory has at most 255"),
      (3, ["a", "a"], "the protocol a is there more than once"), (3, ["a", ""], "a protocol has no name"),
    ])
    func anAccessoryThatIsNoIdentificationIsAnErrorOfTheTest(letters: Int, protocols: [String], text: String) async {
      let name = String(repeating: "x", count: letters)
      await AccessoryBench.reset()
      await #expect { try await AccessoryBench.attach(name: name, protocols: protocols) } throws: {
        "\($0)".contains(text)
      }
      let scripts = Dictionary(protocols.map { ($0, "echo") }) { $1 }
      guard scripts.count == protocols.count else { return }
      await #expect { try await AccessoryBench.attach(name: name, scripts: scripts) } throws: { "\($0)".contains(text) }
    }

    @Test func anUnknownTransportIsAnErrorOfTheTest() async {
      await AccessoryBench.reset()
      #expect(throws: AccessoryBenchError.self) { try AccessoryBench.attach(transport: "pigeon:1") }
    }
  }
}
