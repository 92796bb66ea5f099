// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Capture

/// Decoding a pcapng of link packets with usbmon headers, as from a file in memory.
enum CaptureBenchmarks {
  /// Payloads of a session: most packets are small, some are as large as EA streams make them.
  private static let sizes = [16, 16, 32, 16, 64, 16, 512, 16, 24, 4096]

  /// A session's beginning, then EA data from the accessory and acknowledgements from the device.
  static func file(packets: Int) -> [UInt8] {
    var bytes = Array(section)
    let offer = LinkSynchronization.standard
    var sequence = SequenceNumber(0)
    func add(_ from: Side, _ control: LinkControl, _ session: UInt8, _ payload: [UInt8]) {
      var packet: [UInt8] = []
      LinkPacket.append(
        to: &packet, control: control, sequence: sequence, acknowledgement: sequence, session: session,
        payload: unsafe payload.span.bytes)
      bytes += block(packet, from: from)
    }
    add(.accessory, .synchronize, 0, offer.bytes)
    add(.device, [.synchronize, .acknowledge], 0, offer.bytes)
    for number in 0..<(packets / 2) {
      let size = sizes[number % sizes.count]
      sequence = sequence.next
      add(.accessory, .acknowledge, 3, [0, 1] + (0..<(size - 2)).map { UInt8(truncatingIfNeeded: $0 &+ number) })
      add(.device, .acknowledge, 0, [])
    }
    return bytes
  }

  private static var section: [UInt8] {
    let head: [UInt32] = [0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, 0xFFFF_FFFF, 0xFFFF_FFFF, 28]
    let interface: [UInt32] = [1, 20, 220, 0, 20]
    return (head + interface).flatMap(little)
  }

  private static func little(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// An enhanced packet block with one bulk transfer: from the accessory on 82, to it on 02.
  private static func block(_ packet: [UInt8], from: Side) -> [UInt8] {
    var usb = [UInt8](repeating: 0, count: 64)
    usb[8] = from == .accessory ? UInt8(ascii: "C") : UInt8(ascii: "S")
    usb[9] = 3
    usb[10] = from == .accessory ? 0x82 : 0x02
    usb[11] = 5
    usb[12] = 1
    usb[14] = UInt8(ascii: "-")
    usb.replaceSubrange(36..<40, with: little(UInt32(packet.count)))
    let data = usb + packet
    let padded = (data.count + 3) / 4 * 4
    let length = UInt32(32 + padded)
    let head: [UInt32] = [6, length, 0, 0x60000, 0x1234, UInt32(data.count), UInt32(data.count)]
    return head.flatMap(little) + data + [UInt8](repeating: 0, count: padded - data.count) + little(length)
  }

  private static let chunkByteCount = 1 << 20

  private static func analyze<Sink: DecodedSink>(
    _ bytes: [UInt8], _ sink: Sink, _ take: (inout Sink) -> Int
  ) -> Int {
    var analyzer = CaptureAnalyzer(sink: sink)
    var total = 0
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + chunkByteCount)
      analyzer.append(Array(bytes[start..<end]))
      total += take(&analyzer.sink)
      start = end
    }
    analyzer.finish()
    return total + take(&analyzer.sink)
  }

  static func run() -> [Figure] {
    let packets = 200_000
    let bytes = file(packets: packets)
    let count = Double(packets + 2)
    let summary = Measure.rate(count) {
      use(analyze(bytes, SummarySink()) { $0.summary.connections.first?.traffic.accessory.packets ?? 0 })
    }
    let timed = Measure.rate(count) {
      use(analyze(bytes, SummarySink(timing: TimingStatistics(gapLimit: 1))) { $0.summary.connections.count })
    }
    let json = Measure.rate(count) { use(analyze(bytes, JSONSink()) { $0.takeBytes().count }) }
    let lines = Measure.rate(count) { use(analyze(bytes, LineSink()) { $0.take().count }) }
    return [
      Figure(name: "capture to summary, \(bytes.count / (packets + 2)) B a record", rate: summary, unit: "packets"),
      Figure(
        name: "capture to summary, with times", rate: timed, unit: "packets", ratio: timed / summary, limit: "summary"),
      Figure(name: "capture to JSON", rate: json, unit: "packets", ratio: json / summary, limit: "summary"),
      Figure(name: "capture to lines", rate: lines, unit: "packets", ratio: lines / summary, limit: "summary"),
    ]
  }
}
