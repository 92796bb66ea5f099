// swift-iap2 · Apache-2.0

import Foundation
import IAP2

@testable import IAP2Analysis
@testable import IAP2Capture

/// A session that is written packet by packet, so that a test can change one place and compare.
struct SessionScript {
  enum Event {
    case message(Side, [UInt8])
    case data(Side, session: UInt16, [UInt8])
    case file(Side, UInt8, FileTransferOperation, [UInt8])
    case reset(Side)
    /// Bytes that are not a packet.
    case noise(Side)
    /// A repetition of the packets of the event before.
    case again
    /// A packet that only acknowledges.
    case acknowledge(Side)
    /// Seconds without a packet.
    case wait(Double)
  }

  var offer: [Side: LinkSynchronization] = [.accessory: .standard, .device: .standard]
  var events: [Event] = []
  /// The sequence number of the first data packet of each side.
  var sequence: UInt8 = 1
  /// The maximum number of payload bytes of a packet.
  var packetByteCount = 1000
  /// The number of times that detect and SYN are sent until they are answered.
  var tries = 1
  var start = 0.0
  var secondsPerRecord = 0.01

  static func parameter(_ id: UInt16, _ value: [UInt8]) -> [UInt8] {
    UInt16(value.count + 4).bigEndianBytes + id.bigEndianBytes + value
  }

  static func text(_ id: UInt16, _ text: String) -> [UInt8] { parameter(id, Array(text.utf8) + [0]) }

  static func message(_ id: UInt16, _ parameters: [UInt8]...) -> [UInt8] {
    ControlHeader.message(id, body: parameters.flatMap { $0 })
  }

  /// The session as a capture in the project's text form.
  var capture: [UInt8] {
    var lines: [String] = []
    var time = start
    func add(_ side: Side, _ bytes: [UInt8]) {
      lines.append("\(time) \(side == .accessory ? "A>D" : "D>A") \(Hex.text(bytes))")
      time += secondsPerRecord
    }
    for _ in 0..<tries { add(.accessory, [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10]) }
    add(.device, [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10])
    for _ in 0..<tries {
      add(.accessory, Self.packet(.synchronize, sequence &- 1, 0, offer[.accessory, default: .standard].bytes))
    }
    add(
      .device,
      Self.packet(
        [.synchronize, .acknowledge], sequence &- 1, acknowledging: sequence &- 1, 0,
        offer[.device, default: .standard].bytes))
    var next: [Side: UInt8] = [.accessory: sequence, .device: sequence]
    var latest: [(Side, [UInt8])] = []
    for event in events {
      switch event {
      case .wait(let seconds):
        time += seconds
        latest = []
      case .again: break
      default: latest = packets(event, &next)
      }
      for (side, bytes) in latest { add(side, bytes) }
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private func packets(_ event: Event, _ next: inout [Side: UInt8]) -> [(Side, [UInt8])] {
    switch event {
    case .message(let side, let bytes): return data(side, .control, prefix: [], bytes, &next)
    case .data(let side, let session, let bytes):
      return data(side, .externalAccessory, prefix: session.bigEndianBytes, bytes, &next)
    case .file(let side, let id, let operation, let bytes):
      return data(side, .fileTransfer, prefix: [id, operation.rawValue], bytes, &next)
    case .reset(let side): return [(side, Self.packet(.reset, next[side, default: 0], 0, []))]
    case .noise(let side): return [(side, [0x33, 0x33, 0x33])]
    case .acknowledge(let side):
      let numbers = (next[side, default: 0] &- 1, next[side.peer, default: 0] &- 1)
      return [(side, Self.packet(.acknowledge, numbers.0, acknowledging: numbers.1, 0, []))]
    case .again, .wait: return []
    }
  }

  private func data(
    _ side: Side, _ type: LinkSessionType, prefix: [UInt8], _ bytes: [UInt8], _ next: inout [Side: UInt8]
  ) -> [(Side, [UInt8])] {
    let session = offer[.accessory, default: .standard].sessionID(of: type) ?? 0
    let acknowledgement = next[side.peer, default: 0] &- 1
    var rest = bytes[...]
    var packets: [(Side, [UInt8])] = []
    repeat {
      let number = next[side, default: 0]
      let payload = prefix + rest.prefix(packetByteCount)
      packets.append((side, Self.packet(.acknowledge, number, acknowledging: acknowledgement, session, payload)))
      next[side] = number &+ 1
      rest = rest.dropFirst(packetByteCount)
    } while !rest.isEmpty
    return packets
  }

  private static func packet(
    _ control: LinkControl, _ sequence: UInt8, acknowledging acknowledgement: UInt8 = 0, _ session: UInt8,
    _ payload: [UInt8]
  ) -> [UInt8] {
    var packet: [UInt8] = []
    LinkPacket.append(
      to: &packet, control: control, sequence: SequenceNumber(sequence),
      acknowledgement: SequenceNumber(acknowledgement),
      session: session, payload: payload.rawBytes)
    return packet
  }

  /// Returns the session as the recorder records it.
  func record(
    rules: ComparisonRules = ComparisonRules(), limits: SessionRecordLimits = SessionRecordLimits()
  ) throws -> SessionRecord {
    try Self.record(of: capture, rules: rules, limits: limits)
  }

  static func record(
    of bytes: [UInt8], connection: Int? = nil, rules: ComparisonRules = ComparisonRules(),
    limits: SessionRecordLimits = SessionRecordLimits()
  ) throws -> SessionRecord {
    var analyzer = CaptureAnalyzer(sink: SessionRecorder(connection: connection, rules: rules, limits: limits))
    analyzer.append(bytes)
    analyzer.finish()
    guard let session = analyzer.sink.session else { throw NoSession() }
    return session
  }

  struct NoSession: Error {}
}

extension SessionScript {
  /// A session with every kind of step: authentication, identification, an EA session, a file and two calls.
  static let plain: SessionScript = {
    var script = SessionScript()
    script.events = [
      .message(.device, message(0xAA00)),
      .message(.accessory, message(0xAA01, parameter(0, [0x30, 0x82, 0, 36] + Array(5...40)))),
      .message(.device, message(0xAA02, parameter(0, Array(1...32)))),
      .message(.accessory, message(0xAA03, parameter(0, Array(1...64)))),
      .message(.device, message(0xAA05)), .message(.device, message(0x1D00)),
      .message(.accessory, identification()),
      .message(.device, message(0x1D02)),
      .message(
        .device, message(0x4E0B, parameter(0, [0, 0, 0, 0, 1, 2, 3, 4]), parameter(1, [0, 60]), parameter(2, [0]))),
      .message(.device, message(0xEA00, parameter(0, [1]), parameter(1, [0, 7]))),
      .message(.accessory, message(0xEA03, parameter(0, [0, 7]), parameter(1, [0]))),
      .data(.accessory, session: 7, Array(0..<100)), .data(.device, session: 7, Array(100..<200)),
      .message(.device, nowPlaying(title: "Song", artwork: 128)),
      .file(.device, 128, .setup, [0, 0, 0, 0, 0, 0, 0, 50, 0, 2]), .file(.accessory, 128, .start, []),
      .file(.device, 128, .onlyData, Array(0..<50)), .file(.accessory, 128, .success, []),
      .message(.device, call("one", status: 2)), .message(.device, call("two", status: 2)),
      .message(.accessory, message(0x415B, parameter(0, [0]), text(1, "two"))),
      .message(.device, call("two", status: 4)),
      .reset(.device),
    ]
    return script
  }()

  static func identification(serial: String = "3", sent: [UInt8] = [0xEA, 0x03, 0x41, 0x5B]) -> [UInt8] {
    message(
      0x1D01, text(0, "Car"), text(1, "M1"), text(2, "Acme"), text(3, serial), text(4, "1.0"), text(5, "1"),
      parameter(6, sent), parameter(7, [0xEA, 0x00, 0xEA, 0x01]), parameter(8, [0]), parameter(9, [0, 0]),
      parameter(10, parameter(0, [1]) + text(1, "com.acme.a") + parameter(2, [0])),
      parameter(10, parameter(0, [2]) + text(1, "com.acme.b") + parameter(2, [0])),
      text(12, "en"), text(13, "en"))
  }

  static func nowPlaying(title: String, artwork: UInt8) -> [UInt8] {
    message(0x5001, parameter(0, text(1, title) + parameter(26, [artwork])), parameter(1, parameter(1, [0, 0, 0, 9])))
  }

  static func call(_ identifier: String, status: UInt8) -> [UInt8] {
    message(0x4155, parameter(2, [status]), text(4, identifier))
  }
}
