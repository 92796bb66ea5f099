// swift-iap2 · Apache-2.0

import IAP2

/// An assembler of the packets on a USB cable to transfers (CaptureFormats.md#usb-wire).
///
/// A transaction is a token, data and a handshake. Data count when the receiver acknowledged them; data that are sent
/// again because the acknowledgement was lost count once. If the capture lacks the handshake, data with the other toggle
/// on the same endpoint show that those before them were taken. On bulk and interrupt endpoints each transaction is
/// passed on alone, because link packets are a stream; the stages of a control transfer are joined.
struct USBWire: Sendable {
  /// The identifiers of packets (USB 2.0, table 8-1), with their complement in the upper half.
  private enum PacketID {
    static let out: UInt8 = 0xE1
    static let `in`: UInt8 = 0x69
    static let setup: UInt8 = 0x2D
    static let split: UInt8 = 0x78
    static let acknowledge: UInt8 = 0xD2
    static let notYet: UInt8 = 0x96
    static let stall: UInt8 = 0x1E
    static let notAcknowledged: UInt8 = 0x5A
    static let data: [UInt8] = [0xC3, 0x4B, 0x87]
  }

  private struct Token {
    var id: UInt8
    var device: UInt8
    var number: UInt8
    /// Whether a high-speed hub carries the transaction for a slower device. Data to the host have no handshake then.
    var isSplit: Bool

    /// The endpoint address; bit 7 is set towards the host.
    var endpoint: UInt8 { number | (id == PacketID.in ? 0x80 : 0) }
    var key: UInt16 { UInt16(device) << 8 | UInt16(endpoint) }
  }

  private struct Data: Equatable {
    var id: UInt8
    var bytes: [UInt8]
  }

  /// A control transfer whose stages are being read.
  private struct Control {
    var id: UInt64
    var setup: [UInt8]
    var data: [UInt8] = []
    var isDone = false

    var isToHost: Bool { setup[0] & 0x80 != 0 }
    var length: Int { Int(setup[6]) | Int(setup[7]) << 8 }
  }

  private var token: Token?
  private var data: Data?
  private var isSplit = false
  /// The last data of each endpoint, by ``Token/key``.
  private var last: [UInt16: Data] = [:]
  /// The last data of endpoints whose handshake the capture lacks, by ``Token/key``.
  private var unconfirmed: [UInt16: (token: Token, data: Data)] = [:]
  /// The control transfer of each device.
  private var controls: [UInt8: Control] = [:]
  /// The transfer types of endpoints, by ``Token/key``, as their content shows them.
  private var kinds: [UInt16: UInt8] = [:]
  private var count: UInt64 = 0
  /// The bytes of the last transfer.
  private(set) var bytes: [UInt8] = []

  private static let setupByteCount = 8
  /// The bytes of a data packet around its payload: identifier and check sequence.
  private static let dataOverhead = 3
  /// The maximum payload of a data packet at high speed.
  private static let maximumPayload = 1024

  /// Takes a packet from its identifier to its check sequence. Returns the transfer that it completes; its bytes are
  /// ``bytes``.
  mutating func take(_ packet: RawSpan) -> USBTransfer? {
    guard packet.byteCount > 0 else { return nil }
    let id = packet.byte(0)
    guard id >> 4 == ~id & 0x0F else { return nil }
    switch id {
    case PacketID.split: isSplit = true
    case PacketID.out, PacketID.in, PacketID.setup:
      defer { isSplit = false }
      keepUnconfirmed()
      (token, data) = (nil, nil)
      guard packet.byteCount == 3 else { return nil }
      let word: UInt16 = packet.integer(1, isLittleEndian: true)
      token = Token(id: id, device: UInt8(word & 0x7F), number: UInt8(word >> 7 & 0x0F), isSplit: isSplit)
    case _ where PacketID.data.contains(id): return takeData(id, packet)
    case PacketID.acknowledge, PacketID.notYet: return commit()
    case PacketID.stall: return stall()
    case PacketID.notAcknowledged: (isSplit, data) = (false, nil)
    // Start of frame and PING.
    default:
      keepUnconfirmed()
      (isSplit, data) = (false, nil)
    }
    return nil
  }

  /// Keeps data without a handshake, until the next data of their endpoint show whether they were taken.
  private mutating func keepUnconfirmed() {
    // There are 128 devices with 30 such endpoints at most.
    if let token, let data, token.number != 0 { unconfirmed[token.key] = (token, data) }
  }

  private mutating func takeData(_ id: UInt8, _ packet: RawSpan) -> USBTransfer? {
    data = nil
    guard let token, packet.byteCount >= Self.dataOverhead,
      packet.byteCount <= Self.maximumPayload + Self.dataOverhead, Self.isValid(packet)
    else { return nil }
    data = Data(id: id, bytes: [UInt8](copying: packet.extracting(1..<(packet.byteCount - 2))))
    if let earlier = unconfirmed.removeValue(forKey: token.key), earlier.data.id != id {
      return accept(earlier.data, of: earlier.token)
    }
    return token.isSplit && token.id == PacketID.in ? commit() : nil
  }

  /// Returns whether the check sequence of a data packet is right: CRC-16 with the polynomial x¹⁶+x¹⁵+x²+1 (USB 2.0,
  /// section 8.3.5.2).
  private static func isValid(_ packet: RawSpan) -> Bool {
    var crc: UInt16 = 0xFFFF
    for index in 1..<packet.byteCount {
      crc ^= UInt16(packet.byte(index))
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 }
    }
    // The remainder over data and check sequence is constant.
    return crc == 0xB001
  }

  /// Handles data that the receiver acknowledged.
  private mutating func commit() -> USBTransfer? {
    guard let token, let data else { return nil }
    self.data = nil
    return accept(data, of: token)
  }

  private mutating func accept(_ data: Data, of token: Token) -> USBTransfer? {
    // There are 128 devices with 32 endpoints at most.
    guard token.id == PacketID.setup || last[token.key] != data || data.bytes.isEmpty else { return nil }
    last[token.key] = data
    return token.number == 0 ? control(token, data.bytes) : transfer(token, data.bytes)
  }

  private mutating func transfer(_ token: Token, _ payload: [UInt8]) -> USBTransfer? {
    guard !payload.isEmpty else { return nil }
    let kind = kinds[token.key] ?? Self.kind(payload)
    if kinds[token.key] == nil, let kind { kinds[token.key] = kind }
    bytes = payload
    count += 1
    return USBTransfer(
      id: count, device: token.device, endpoint: token.endpoint, kind: kind ?? USBTransfer.Kind.bulk,
      isCompletion: token.id == PacketID.in, data: 0..<payload.count)
  }

  /// Returns the transfer type that link bytes show: HID reports have two bytes before them. Returns nil for others.
  private static func kind(_ payload: [UInt8]) -> UInt8? {
    if LinkContent.begins(payload.rawBytes) { return USBTransfer.Kind.bulk }
    guard payload.count > 2, LinkContent.begins(payload.rawBytes.extracting(2..<payload.count)) else { return nil }
    return USBTransfer.Kind.interrupt
  }
}

// MARK: - Control transfers

extension USBWire {
  /// Requests after which data of an endpoint begin with DATA0 again: CLEAR_FEATURE, SET_ADDRESS, SET_CONFIGURATION and
  /// SET_INTERFACE.
  private static let resets: Set<UInt8> = [1, 5, 9, 11]

  private mutating func control(_ token: Token, _ payload: [UInt8]) -> USBTransfer? {
    if token.id == PacketID.setup { return begin(token, payload) }
    guard var control = controls[token.device], !control.isDone else { return nil }
    defer { controls[token.device] = control }
    if (token.id == PacketID.in) == control.isToHost, control.data.count < control.length {
      control.data += payload
      guard !control.isToHost, control.data.count >= control.length else { return nil }
      return submission(control, token.device)
    }
    // Data against the direction of the transfer are its status stage.
    control.isDone = true
    return completion(control, token.device, succeeded: true)
  }

  private mutating func begin(_ token: Token, _ payload: [UInt8]) -> USBTransfer? {
    guard payload.count == Self.setupByteCount else { return nil }
    if payload[0] & 0x60 == 0, Self.resets.contains(payload[1]) {
      last = last.filter { UInt8($0.key >> 8) != token.device }
      unconfirmed = unconfirmed.filter { UInt8($0.key >> 8) != token.device }
    }
    last[token.key & 0xFF00] = nil
    last[token.key | 0x80] = nil
    count += 1
    let control = Control(id: count, setup: payload)
    controls[token.device] = control
    return control.isToHost || control.length == 0 ? submission(control, token.device) : nil
  }

  /// Handles a STALL, by which a device refuses a request.
  private mutating func stall() -> USBTransfer? {
    data = nil
    guard let token, token.number == 0, let control = controls[token.device], !control.isDone else { return nil }
    controls[token.device]?.isDone = true
    return completion(control, token.device, succeeded: false)
  }

  private mutating func submission(_ control: Control, _ device: UInt8) -> USBTransfer {
    bytes = control.setup + (control.isToHost ? [] : control.data)
    return USBTransfer(
      id: control.id, device: device, endpoint: control.isToHost ? 0x80 : 0, kind: USBTransfer.Kind.control,
      isCompletion: false, data: Self.setupByteCount..<bytes.count, setup: 0..<Self.setupByteCount)
  }

  private mutating func completion(_ control: Control, _ device: UInt8, succeeded: Bool) -> USBTransfer {
    bytes = control.isToHost ? control.data : []
    return USBTransfer(
      id: control.id, device: device, endpoint: control.isToHost ? 0x80 : 0, kind: USBTransfer.Kind.control,
      isCompletion: true, succeeded: succeeded, data: 0..<bytes.count)
  }
}
