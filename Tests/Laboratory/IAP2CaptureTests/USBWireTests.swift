// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// Captures of a USB cable, with the packets of the USB 2.0 specification.
@Suite struct USBWireTests {
  private struct Cable {
    var packets: [[UInt8]] = []
    private var toggles: [UInt8: Bool] = [:]

    static func data(_ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
      var crc: UInt16 = 0xFFFF
      for byte in payload {
        crc ^= UInt16(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 }
      }
      return [id] + payload + [UInt8(~crc & 0xFF), UInt8(~crc >> 8)]
    }

    static func token(_ id: UInt8, _ endpoint: UInt8) -> [UInt8] { [id, 5 | endpoint << 7, endpoint >> 1] }

    /// Adds the transactions of a transfer.
    ///
    /// - Parameter handshake: The last packet; nil without one.
    mutating func send(
      _ payload: [UInt8], toHost: Bool, endpoint: UInt8 = 1, size: Int = 512, handshake: UInt8? = 0xD2
    ) {
      for start in stride(from: 0, to: max(1, payload.count), by: size) {
        let key = endpoint | (toHost ? 0x80 : 0)
        let toggle = toggles[key] ?? false
        packets.append(Self.token(toHost ? 0x69 : 0xE1, endpoint))
        packets.append(Self.data(toggle ? 0x4B : 0xC3, Array(payload[start..<min(start + size, payload.count)])))
        if let handshake { packets.append([handshake]) }
        if handshake != 0x5A { toggles[key] = !toggle }
      }
    }

    mutating func setup(_ setup: [UInt8]) { packets += [Self.token(0x2D, 0), Self.data(0xC3, setup), [0xD2]] }

    mutating func control(_ id: UInt8, _ token: UInt8, _ payload: [UInt8], _ handshake: UInt8 = 0xD2) {
      packets += [Self.token(token, 0)] + (handshake == 0x1E ? [] : [Self.data(id, payload)]) + [[handshake]]
    }

    func file(_ linkType: Int) -> [UInt8] {
      let header = [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65_535, linkType].flatMap { LinkLog.little($0, 4) }
      return header
        + packets.enumerated().flatMap { number, packet in
          [0, number, packet.count, packet.count].flatMap { LinkLog.little($0, 4) } + packet
        }
    }
  }

  private static func session(size: Int) -> Cable {
    var cable = Cable()
    for record in WorkedSession.records { cable.send(record.bytes, toHost: record.from == .accessory, size: size) }
    return cable
  }

  /// The check sequences of data in the published examples of CRC-16 for USB.
  @Test func theCheckSequenceIsThatOfUSB() {
    // A SETUP of GET_DESCRIPTOR for the device, as captures of cables show it.
    let get: [UInt8] = [0x80, 0x06, 0x00, 0x01, 0x00, 0x00, 0x40, 0x00]
    #expect(Cable.data(0xC3, get) == [0xC3] + get + [0xDD, 0x94])
    #expect(Cable.data(0x4B, []) == [0x4B, 0, 0])
  }

  @Test(arguments: [288, 293, 294, 295], [8, 64, 512]) func theSessionOfACableIsRead(linkType: Int, size: Int) {
    let analyzer = LinkLog.read(Self.session(size: size).file(linkType))
    #expect(WorkedSession.findings(analyzer) == WorkedSession.findings)
    #expect(analyzer.flowKeys == [.usb(bus: 0, device: 5)])
    #expect(analyzer.counts.usb == analyzer.counts.records && analyzer.counts.unsupported.isEmpty)
  }

  @Test func dataCountOnceAndOnlyIfTheyWereTaken() {
    var cable = Cable()
    for record in WorkedSession.records {
      let toHost = record.from == .accessory
      // Start of frame, a poll without data, data that are refused, and packets that are none.
      cable.packets += [[0xA5, 0x12, 0x30], Cable.token(0x69, 1), [0x5A], [0x00], [0xFF, 0xFF], []]
      cable.send([1, 2, 3], toHost: toHost, endpoint: 2, handshake: 0x5A)
      cable.send(record.bytes, toHost: toHost, size: 2048, handshake: 0x5A)
      let start = cable.packets.count
      cable.send(record.bytes, toHost: toHost, handshake: 0x96)
      // The handshake of the last data was lost at their sender.
      guard cable.packets.count == start + 3 else { continue }
      cable.packets += cable.packets[start...]
    }
    #expect(WorkedSession.findings(LinkLog.read(cable.file(295))) == WorkedSession.findings)
  }

  /// The analyzer missed handshakes, not those who sent and received.
  @Test func dataWithoutAHandshakeAreReadIfTheNextOnesShowThatTheyWereTaken() {
    var cable = Cable()
    for (number, record) in WorkedSession.records.enumerated() {
      let isLost = number % 3 == 0 && number < WorkedSession.records.count - 4
      cable.send(record.bytes, toHost: record.from == .accessory, handshake: isLost ? nil : 0xD2)
      cable.packets.append([0xA5, 0x12, 0x30])
    }
    let analyzer = LinkLog.read(cable.file(288))
    #expect(analyzer.counts.decoded == WorkedSession.records.count)
    for side in Side.allCases {
      let found = WorkedSession.findings(analyzer).filter { $0.from == side }
      #expect(found == WorkedSession.findings.filter { $0.from == side })
    }
  }

  @Test func dataWithAWrongCheckSequenceAreDropped() {
    var cable = Cable()
    cable.send(WorkedSession.records[0].bytes, toHost: true)
    cable.packets[1][3] ^= 1
    #expect(LinkLog.read(cable.file(295)).counts.decoded == 0)
  }

  /// Data to the host through a high-speed hub have no handshake.
  @Test func dataThroughAHubAreRead() {
    var cable = Cable()
    for record in WorkedSession.records {
      for start in stride(from: 0, to: record.bytes.count, by: 64) {
        cable.packets.append([0x78, 1, 2, 3])
        let toHost = record.from == .accessory
        let part = Array(record.bytes[start..<min(start + 64, record.bytes.count)])
        cable.send(part, toHost: toHost, handshake: toHost ? nil : 0xD2)
      }
    }
    #expect(WorkedSession.findings(LinkLog.read(cable.file(288))) == WorkedSession.findings)
  }

  @Test func reportsOfAPhoneAreJoined() {
    var cable = Cable()
    let detect: [UInt8] = [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10]
    // The accessory is the host: SET_REPORT to the device, interrupt transfers to the host.
    cable.setup([0x21, 9, 1, 2, 0, 0, 8, 0])
    cable.control(0x4B, 0xE1, [1, 0] + detect)
    cable.control(0x4B, 0x69, [])
    cable.send([2, 0] + detect, toHost: true)
    let analyzer = LinkLog.read(cable.file(295))
    #expect(analyzer.flowKeys == [.usbReports(bus: 0, device: 5)])
    #expect(analyzer.sink.lines.map(\.content) == [.detect, .detect])
    #expect(analyzer.sink.lines.map(\.from) == [.accessory, .device])
  }

  @Test(arguments: [(0xD2 as UInt8, USBObservation.Request.accepted), (0x1E, .refused)])
  func theRoleSwitchIsSeen(handshake: UInt8, outcome: USBObservation.Request) {
    var cable = Cable()
    cable.setup([0x40, 0x51, 1, 0, 0, 0, 0, 0])
    cable.control(0x4B, 0x69, [], handshake)
    #expect(LinkLog.read(cable.file(295)).usb.devices.map(\.roleSwitch) == [outcome])
  }

  /// The configuration is read in packets of 16 bytes.
  @Test func theConfigurationOfADeviceIsRead() {
    var cable = Cable()
    let interface: [UInt8] = [9, 4, 0, 0, 2, 0xFF, 0xF0, 0, 0, 7, 5, 0x81, 2, 0, 2, 0, 7, 5, 2, 2, 0, 2, 0]
    let length = UInt8(9 + interface.count)
    let configuration: [UInt8] = [9, 2, length, 0, 1, 1, 0, 0x80, 50] + interface
    cable.setup([0x80, 6, 0, 2, 0, 0, length, 0])
    cable.control(0x4B, 0x69, Array(configuration.prefix(16)))
    cable.control(0xC3, 0x69, Array(configuration.dropFirst(16)))
    cable.control(0x4B, 0xE1, [])
    #expect(LinkLog.read(cable.file(295)).usb.devices.map(\.hasInterface) == [true])
  }
}
