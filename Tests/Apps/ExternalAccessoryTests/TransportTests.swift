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
      let path = FileManager.default.temporaryDirectory.appending(path: "ea\(UInt32.random(in: 0...UInt32.max))").path()
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

    @Test func anUnknownTransportIsAnErrorOfTheTest() async {
      await AccessoryBench.reset()
      #expect(throws: AccessoryBenchError.self) { try AccessoryBench.attach(transport: "pigeon:1") }
    }
  }
}
