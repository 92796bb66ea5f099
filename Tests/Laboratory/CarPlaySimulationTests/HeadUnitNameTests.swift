// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySimulation
import Testing

@Suite("The head unit that the iAP2 link named")
struct HeadUnitNameTests {
  private static let identity = Result { try Sessions.identity("head unit") }

  private func network(_ name: HeadUnitName?, knows: Bool) throws -> SessionNetwork {
    let identity = try Self.identity.get()
    let phone = try Sessions.identity("phone")
    var network = try Sessions.network(
      headUnit: { if knows { $0.phones = ["phone": phone.publicKey] } },
      phone: {
        $0.expectedHeadUnit = name
        if knows { $0.headUnits = [identity.identifier: identity.publicKey] }
      })
    network.run(for: .seconds(1))
    return network
  }

  @Test("The right key, the right identifier and no name go live", arguments: [false, true])
  func right(knows: Bool) throws {
    let identity = try Self.identity.get()
    for name in [HeadUnitName.publicKey(identity.publicKey), .identifier(identity.identifier.uppercased()), nil] {
      #expect(try network(name, knows: knows).states(of: .phone(0)).last == .live)
    }
  }

  @Test("Another one is neither paired with nor verified", arguments: [false, true])
  func wrong(knows: Bool) throws {
    for name in [HeadUnitName.publicKey([UInt8](repeating: 7, count: 32)), .identifier("ANOTHER")] {
      let network = try network(name, knows: knows)
      #expect(network.ends(of: .phone(0)) == [.wrongPeer])
      #expect(network.states(of: .phone(0)) == [.connected])
      let isPaired = network.events(of: .phone(0)).contains { if case .paired = $0 { true } else { false } }
      #expect(!isPaired)
    }
  }

  @Test("A field is a key, a UUID, or nothing that can be compared")
  func fields() {
    let key = String(repeating: "0aF9", count: 16)
    #expect(HeadUnitName(field: key) == .publicKey((0..<32).map { $0 % 2 == 0 ? 0x0A : 0xF9 }))
    let uuid = "5a0b5b3f-3c2e-4bd2-9c0f-0f6b0e0f9c51"
    #expect(HeadUnitName(field: uuid) == .identifier(uuid.uppercased()))
    let others = [
      "", "0", String(key.dropLast()), key + "0", "g" + key.dropFirst(), "02:00:00:00:00:01", uuid + "0",
      "５" + key.dropFirst(), String(repeating: "-", count: 36), "5a0b5b3-f3c2e-4bd2-9c0f-0f6b0e0f9c51",
    ]
    for other in others { #expect(HeadUnitName(field: other) == nil, "\(other)") }
  }
}
