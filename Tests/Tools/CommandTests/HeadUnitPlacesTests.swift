// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import CarPlayCommand

@Suite struct HeadUnitPlacesTests {
  private static func address(wired: [String]?, wireless: [String]? = nil, port: UInt32) -> String? {
    var start = CarPlayStartSession()
    if let wired {
      var attributes = CarPlayStartSession.WiredAttributes()
      attributes.ipAddress = wired
      start.wiredAttributes = attributes
    }
    if let wireless {
      var attributes = CarPlayStartSession.WirelessAttributes()
      attributes.ipAddress = wireless
      start.wirelessAttributes = attributes
    }
    start.port = port
    return HeadUnitPlaces(start)?.present().first?.description
  }

  @Test func theFirstIPAddressOfAStartMessageIsTaken() {
    #expect(Self.address(wired: ["::1", "127.0.0.1"], port: 7000) == "[::1]:7000")
    #expect(Self.address(wired: ["head.unit", "127.0.0.1"], port: 65535) == "127.0.0.1:65535")
    #expect(Self.address(wired: [], wireless: ["10.0.0.1"], port: 1) == "10.0.0.1:1")
    #expect(Self.address(wired: nil, wireless: ["10.0.0.1"], port: 1) == "10.0.0.1:1")
  }

  @Test(arguments: [0, 65536, 72536, UInt32.max]) func aPortBeyondTheRangeIsNone(port: UInt32) {
    #expect(Self.address(wired: ["127.0.0.1"], port: port) == nil)
  }

  @Test func aNetworkThatMustComeFirstIsWaitedFor() throws {
    func patience(_ wired: [String]?, _ wireless: [String]?) throws -> Duration {
      var start = CarPlayStartSession()
      start.port = 7000
      if let wired {
        start.wiredAttributes = CarPlayStartSession.WiredAttributes()
        start.wiredAttributes?.ipAddress = wired
      }
      if let wireless {
        start.wirelessAttributes = CarPlayStartSession.WirelessAttributes()
        start.wirelessAttributes?.ipAddress = wireless
      }
      return try #require(HeadUnitPlaces(start)).patience
    }
    #expect(try patience(["127.0.0.1"], nil) == .zero)
    #expect(try patience(["FE80::1"], nil) > .seconds(10))
    #expect(try patience(nil, ["192.0.2.1"]) > .seconds(10))
  }

  @Test func aLinkLocalAddressIsOneOnEachInterface() throws {
    var start = CarPlayStartSession()
    start.port = 7000
    start.wiredAttributes = CarPlayStartSession.WiredAttributes()
    start.wiredAttributes?.ipAddress = ["fe80::1", "127.0.0.1"] + (1...20).map { "192.0.2.\($0)" }
    let places = try #require(HeadUnitPlaces(start)).present().map(\.host)
    #expect(places.filter { $0.hasPrefix("fe80") }.allSatisfy { $0.hasPrefix("fe80::1%") })
    #expect(places.filter { !$0.hasPrefix("fe80") } == ["127.0.0.1"] + (1...6).map { "192.0.2.\($0)" })
  }

  @Test func namesAreNoAddresses() {
    #expect(Self.address(wired: ["localhost", "", "127.0.0.1:7000", "[::1]"], port: 7000) == nil)
    #expect(Self.address(wired: nil, port: 7000) == nil)
  }
}
