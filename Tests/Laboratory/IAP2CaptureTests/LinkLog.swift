// swift-iap2 · Apache-2.0

import IAP2

@testable import IAP2Capture

/// A Bluetooth log in btsnoop that begins in mid-session: packets of two ends in RFCOMM frames. End 0 is the host of
/// the log.
struct LinkLog {
  private(set) var bytes = BTSnoop.magic + big(1, 4) + big(1002, 4)
  private(set) var records = 0
  private var sequences: [UInt8] = [0x20, 0x60]
  /// The connection handle of the frames.
  var handle: UInt16 = 0x2A

  static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

  /// Adds a record.
  ///
  /// - Parameter time: the time as the format has it; nil for 10 ms after the record before.
  mutating func add(hci packet: [UInt8], end: Int, time: Int64? = nil) {
    let usual = BTSnoop.epochMicroseconds + 1_700_000_000_000_000 + Int64(records) * 10_000
    bytes += Self.big(packet.count, 4) + Self.big(packet.count, 4) + Self.big(end, 4) + Self.big(0, 4)
    bytes += Self.big(Int(time ?? usual), 8) + packet
    records += 1
  }

  mutating func event(_ code: UInt8, _ parameters: [UInt8]) {
    add(hci: [HCIPacket.event, code, UInt8(parameters.count)] + parameters, end: 1)
  }

  /// Adds link bytes of an end.
  mutating func send(_ data: [UInt8], end: Int, time: Int64? = nil) {
    let frame = RFCOMMFrame.frame(data, channel: 1)
    let l2cap = Self.little(frame.count, 2) + Self.little(0x40, 2) + frame
    let header = Self.little(Int(handle) | (end == 0 ? 0 : 0x2000), 2) + Self.little(l2cap.count, 2)
    add(hci: [HCIPacket.acl] + header + l2cap, end: end, time: time)
  }

  /// Returns a packet of an end: data of an EA session, or a pure ACK.
  mutating func packet(_ payload: [UInt8] = [], end: Int, usesNext: Bool = false, session: UInt8 = 3) -> [UInt8] {
    if !payload.isEmpty { sequences[end] &+= 1 }
    let number = sequences[end] &+ (payload.isEmpty && usesNext ? 1 : 0)
    var packet: [UInt8] = []
    LinkPacket.append(
      to: &packet, control: .acknowledge, sequence: SequenceNumber(number),
      acknowledgement: SequenceNumber(sequences[1 - end]), session: payload.isEmpty ? 0 : session,
      payload: payload.rawBytes)
    return packet
  }

  /// Adds data of an EA session and the ACK of the other end.
  mutating func exchange(from end: Int, usesNext: Bool = false) {
    send(packet([0, 1, 0x11, 0x22], end: end), end: end)
    send(packet(end: 1 - end, usesNext: usesNext), end: 1 - end)
  }

  static func read(_ bytes: [UInt8], swapped: Bool = false, piece: Int = 1 << 20) -> CaptureAnalyzer<LineSink> {
    var options = CaptureAnalyzerOptions()
    options.swapsSides = swapped
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    for start in stride(from: 0, to: bytes.count, by: piece) {
      analyzer.append(Array(bytes[start..<min(start + piece, bytes.count)]))
    }
    analyzer.finish()
    return analyzer
  }
}
