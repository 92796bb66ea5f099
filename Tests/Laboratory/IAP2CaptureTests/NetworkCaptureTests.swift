// swift-iap2 · Apache-2.0

import IAP2Capture
import Testing

/// Tests of captures of sockets, with a reader of their own.
@Suite struct NetworkCaptureTests {
  /// A TCP or UDP packet in a file of this machine's byte order.
  struct Packet {
    var nanoseconds: UInt64
    var ip: [UInt8]
    var headerByteCount: Int { ip[0] >> 4 == 4 ? 20 : 40 }
    var isTCP: Bool { (ip[0] >> 4 == 4 ? ip[9] : ip[6]) == 6 }
    var body: [UInt8] { Array(ip[headerByteCount...]) }
    var ports: [Int] { [Int(body[0]) << 8 | Int(body[1]), Int(body[2]) << 8 | Int(body[3])] }
    var sequence: Int { body[4..<8].reduce(0) { $0 << 8 | Int($1) } }
    var acknowledged: Int { body[8..<12].reduce(0) { $0 << 8 | Int($1) } }
    var flags: UInt8 { body[13] }
    var payload: [UInt8] { Array(body[(isTCP ? 20 : 8)...]) }

    /// The sum of RFC 1071 over a range with its checksum, which is 0xFFFF for a right one.
    static func sum(_ bytes: [UInt8]) -> Int {
      var sum = 0
      for (index, byte) in bytes.enumerated() { sum += index.isMultiple(of: 2) ? Int(byte) << 8 : Int(byte) }
      while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
      return sum
    }

    var hasRightSums: Bool {
      let addresses = ip[0] >> 4 == 4 ? Array(ip[12..<20]) : Array(ip[8..<40])
      let pseudo = addresses + [0, isTCP ? 6 : 17, UInt8(body.count >> 8), UInt8(body.count & 255)]
      let isHeaderRight = ip[0] >> 4 == 6 || Self.sum(Array(ip[..<20])) == 0xFFFF
      return isHeaderRight && Self.sum(pseudo + body) == 0xFFFF
    }
  }

  static func packets(_ file: [UInt8]) -> [Packet] {
    func number(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) } }
    var packets: [Packet] = []
    var place = 0
    while place < file.count {
      let length = number(place + 4)
      if number(place) == 6 {
        let count = number(place + 20)
        packets.append(
          Packet(
            nanoseconds: UInt64(number(place + 12)) << 32 | UInt64(number(place + 16)),
            ip: Array(file[(place + 28)..<(place + 28 + count)])))
      }
      place += length
    }
    return packets
  }

  static let four = NetworkCaptureWriter.Path(
    local: .init(address: [127, 0, 0, 1], port: 7000), remote: .init(address: [127, 0, 0, 1], port: 50_123))
  static let six = NetworkCaptureWriter.Path(
    local: .init(address: [0xFE, 0x80] + [UInt8](repeating: 1, count: 14), port: 7000),
    remote: .init(address: [0xFE, 0x80] + [UInt8](repeating: 2, count: 14), port: 6001))

  @Test(arguments: [four, six]) func aConnectionHasItsHandshakeItsBytesAndItsEnd(path: NetworkCaptureWriter.Path) {
    var writer = NetworkCaptureWriter()
    var file = writer.header
    let long = (0..<100_001).map { UInt8(truncatingIfNeeded: $0) }
    for (index, record) in [
      NetworkCaptureWriter.Record.opened(isOwn: false), .bytes(Array("GET".utf8), isOwn: false),
      .bytes(long, isOwn: true),
      .closed(isOwn: false), .closed(isOwn: true),
    ].enumerated() { file += writer.record(record, on: path, nanoseconds: 1_700_000_000_000_000_000 + Int64(index)) }
    let packets = Self.packets(file)
    #expect(packets.allSatisfy { $0.hasRightSums && $0.isTCP && $0.nanoseconds >= 1_700_000_000_000_000_000 })
    #expect(packets.map(\.flags).prefix(3) == [2, 18, 16])
    #expect(packets[0].ports == [Int(path.remote.port), 7000])
    // Each side's sequence numbers are those of its bytes, and each packet acknowledges what came before it.
    var next: [[Int]: Int] = [:]
    var payloads: [[Int]: [UInt8]] = [:]
    for packet in packets {
      let ports = packet.ports
      let reversed = Array(ports.reversed())
      if let expected = next[ports] { #expect(packet.sequence == expected) }
      if packet.flags & 16 != 0 { #expect(packet.acknowledged == next[reversed]) }
      next[ports] = packet.sequence + packet.payload.count + (packet.flags & 3 != 0 ? 1 : 0)
      payloads[ports, default: []] += packet.payload
    }
    #expect(payloads[[7000, Int(path.remote.port)]] == long)
    #expect(payloads[[Int(path.remote.port), 7000]] == Array("GET".utf8))
    #expect(packets.count { $0.flags & 1 != 0 } == 2)
  }

  @Test func aDatagramIsAPacketOfItsDirection() {
    var writer = NetworkCaptureWriter()
    let file = writer.header + writer.record(.datagram([1, 2, 3], isOwn: true), on: Self.six, nanoseconds: 5)
    let packets = Self.packets(file)
    #expect(packets.count == 1 && packets[0].hasRightSums && !packets[0].isTCP)
    #expect(packets[0].ports == [7000, 6001] && packets[0].payload == [1, 2, 3] && packets[0].nanoseconds == 5)
  }
}
