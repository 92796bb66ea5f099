// swift-iap2 · Apache-2.0

import IAP2

/// A filter that finds iAP2 in Bluetooth captures: it reassembles ACL data packets to L2CAP frames and reads their
/// RFCOMM frames.
///
/// An RFCOMM channel carries iAP2 when an SDP answer says so, or when its content does, in a capture without that
/// answer (CaptureFormats.md#packetlogger, CaptureFormats.md#btsnoop; Bluetooth.md#channel).
struct BluetoothTap: Sendable {
  private typealias Direction = ServiceDiscovery.Direction

  private struct Channel: Hashable {
    var adapter: UInt16
    var handle: UInt16
    /// The server channel: the DLCI without its direction bit.
    var number: UInt8
  }

  private struct Assembly: Sendable {
    var bytes: [UInt8] = []
    var wanted = 0
  }

  private var assemblies: [Direction: Assembly] = [:]
  private var links: Set<Channel> = []
  private var discovery = ServiceDiscovery()
  /// The bytes of the last L2CAP frame that was reassembled from several packets.
  private(set) var joined: [UInt8] = []
  /// The iAP2 channels that were closed.
  private(set) var ends: [FlowKey: TransportEnd] = [:]
  private var moment = CaptureMoment()
  private var classes = PeerClasses()

  /// The maximum number of connections to remember; an adapter has seven at once.
  private static let maximumConnections = 1024
  private static let l2capHeaderByteCount = 4

  /// Returns the RFCOMM data of an HCI packet that belongs to an iAP2 channel.
  ///
  /// - Parameter start: the offset of the packet, after its type byte.
  mutating func take(
    _ bytes: RawSpan, from start: Int, type: UInt8, isSent: Bool?, adapter: UInt16 = 0, at moment: CaptureMoment
  ) -> CapturePiece? {
    self.moment = moment
    if type == HCIPacket.event {
      note(bytes, from: start, adapter: adapter)
      classes.take(bytes.extracting(start..<bytes.byteCount), adapter: adapter)
    }
    guard type == HCIPacket.acl, bytes.byteCount >= start + 4 else { return nil }
    let word: UInt16 = bytes.integer(start, isLittleEndian: true)
    let length = Int(bytes.integer(start + 2, isLittleEndian: true) as UInt16)
    let data = (start + 4)..<min(bytes.byteCount, start + 4 + length)
    let isCut = data.count < length
    let isContinuation = word >> 12 & 3 == 1
    // In a file without directions, the packet boundary flag decides: 0 marks a frame from the host, 2 one that it
    // received.
    var direction = Direction(adapter: adapter, handle: word & 0xFFF, isSent: isSent ?? (word >> 12 & 3 == 0))
    if isContinuation, isSent == nil, assemblies[direction]?.wanted ?? 0 == 0 { direction.isSent.toggle() }
    guard isContinuation else { return begin(direction, bytes, data, isCut: isCut) }
    guard !isCut else {
      assemblies[direction] = nil
      return nil
    }
    guard var assembly = assemblies[direction], assembly.wanted > 0 else { return nil }
    assembly.bytes.append(copying: bytes.extracting(data))
    let isWhole = assembly.bytes.count >= assembly.wanted
    if isWhole {
      joined = Array(assembly.bytes.prefix(assembly.wanted))
      assembly = Assembly()
    }
    assemblies[direction] = assembly
    guard isWhole else { return nil }
    let whole = joined
    return l2cap(direction, whole.rawBytes, 0..<whole.count, isJoined: true)
  }

  /// - Parameter isCut: Whether the capture has only a part of the packet.
  private mutating func begin(
    _ direction: Direction, _ bytes: RawSpan, _ data: Range<Int>, isCut: Bool
  ) -> CapturePiece? {
    guard data.count >= Self.l2capHeaderByteCount else { return nil }
    let whole = Self.l2capHeaderByteCount + Int(bytes.integer(data.lowerBound, isLittleEndian: true) as UInt16)
    guard data.count < whole else {
      assemblies[direction] = nil
      return l2cap(direction, bytes, data.lowerBound..<(data.lowerBound + whole), isJoined: false)
    }
    guard !isCut else {
      assemblies[direction] = nil
      return l2cap(direction, bytes, data, isJoined: false, isCut: true)
    }
    guard assemblies.count < Self.maximumConnections || assemblies[direction] != nil else { return nil }
    assemblies[direction] = Assembly(bytes: [UInt8](copying: bytes.extracting(data)), wanted: whole)
    return nil
  }

  /// Handles an HCI event. Only Disconnection Complete is used: code, length, status, handle, reason.
  private mutating func note(_ bytes: RawSpan, from start: Int, adapter: UInt16) {
    guard bytes.byteCount >= start + 5, bytes.byte(start) == 0x05, bytes.byte(start + 2) == 0 else { return }
    let handle: UInt16 = bytes.integer(start + 3, isLittleEndian: true)
    let number = handle & 0xFFF
    discovery.forget(adapter: adapter, handle: number)
    assemblies = assemblies.filter { $0.key.adapter != adapter || $0.key.handle != number }
    for channel in links where channel.adapter == adapter && channel.handle == number {
      links.remove(channel)
      let key = FlowKey.rfcomm(adapter: adapter, connection: number, channel: channel.number)
      if ends[key] == nil { ends[key] = TransportEnd(end: nil, moment) }
    }
  }

  /// Takes an L2CAP frame. Any dynamic channel whose frames are valid RFCOMM is used, because the capture may begin
  /// after the channel was opened.
  private mutating func l2cap(
    _ direction: Direction, _ bytes: RawSpan, _ frame: Range<Int>, isJoined: Bool, isCut: Bool = false
  ) -> CapturePiece? {
    let channel: UInt16 = bytes.integer(frame.lowerBound + 2, isLittleEndian: true)
    let body = (frame.lowerBound + Self.l2capHeaderByteCount)..<frame.upperBound
    discovery.take(bytes.extracting(body), channel: channel, direction)
    guard channel >= 0x40 else { return nil }
    if let number = RFCOMMFrame.closes(bytes, body) { close(direction, number) }
    guard let (number, data, lacksBytes) = RFCOMMFrame.data(bytes, body, isCut: isCut), !data.isEmpty else {
      return nil
    }
    let key = Channel(adapter: direction.adapter, handle: direction.handle, number: number)
    let server = RFCOMMFrame.isFromServer(bytes, body) ? direction : direction.reversed
    let isAnnounced = discovery.services.contains(ServiceDiscovery.Service(server: server, number: number))
    if !links.contains(key) {
      guard isAnnounced || LinkContent.begins(bytes.extracting(data)), links.count < Self.maximumConnections else {
        return nil
      }
      links.insert(key)
    }
    ends[.rfcomm(adapter: direction.adapter, connection: direction.handle, channel: number)] = nil
    let offered = discovery.evidence(adapter: direction.adapter, handle: direction.handle)
    return CapturePiece(
      flow: .rfcomm(adapter: direction.adapter, connection: direction.handle, channel: number),
      sender: .end(direction.isSent ? 0 : 1), place: isJoined ? .joined(data) : .frame(data),
      isAnnounced: isAnnounced, isCut: lacksBytes,
      evidence: offered ?? classes.evidence(adapter: direction.adapter, handle: direction.handle))
  }
}

extension BluetoothTap {
  private mutating func close(_ direction: Direction, _ number: UInt8) {
    guard links.contains(Channel(adapter: direction.adapter, handle: direction.handle, number: number)) else { return }
    let key = FlowKey.rfcomm(adapter: direction.adapter, connection: direction.handle, channel: number)
    if ends[key] == nil { ends[key] = TransportEnd(end: direction.isSent ? 0 : 1, moment) }
  }
}

/// A reader of RFCOMM frames: address, control, length of one or two bytes, a byte of credits where the poll bit is
/// set, data, check sequence.
enum RFCOMMFrame {
  private static let unnumberedInformation: UInt8 = 0xEF
  private static let disconnect: UInt8 = 0x43
  private static let pollBit: UInt8 = 0x10

  /// Returns the server channel, the range of the data, and whether their end is missing; nil for anything but a UIH
  /// frame with a valid check sequence.
  ///
  /// - Parameter isCut: Whether the end of the frame is missing, and so its check sequence.
  static func data(
    _ bytes: RawSpan, _ frame: Range<Int>, isCut: Bool
  ) -> (channel: UInt8, Range<Int>, lacksBytes: Bool)? {
    guard frame.count >= 4 else { return nil }
    let address = bytes.byte(frame.lowerBound)
    let control = bytes.byte(frame.lowerBound + 1)
    guard address & 1 == 1, control & ~pollBit == unnumberedInformation else { return nil }
    let number = address >> 2
    var start = frame.lowerBound + 2
    let first = bytes.byte(start)
    var length = Int(first >> 1)
    start += 1
    if first & 1 == 0 {
      guard start < frame.upperBound else { return nil }
      length |= Int(bytes.byte(start)) << 7
      start += 1
    }
    if control & pollBit != 0, number != 0 { start += 1 }
    // Channel 0 is the multiplexer's control channel.
    guard number != 0 else { return nil }
    let end = start + length
    if isCut {
      guard start < frame.upperBound else { return nil }
      return (number >> 1, start..<min(end, frame.upperBound), end > frame.upperBound)
    }
    guard end < frame.upperBound, check(address, control) == bytes.byte(end) else { return nil }
    return (number >> 1, start..<end, false)
  }

  /// Returns whether a data frame's sender owns the server channel. The side that opened the multiplexer sets the first
  /// of two bits in its frames; the second bit is set on channels of servers on its side (RFCOMM, section 5.4; 3GPP TS
  /// 07.10, section 5.4.3.1).
  static func isFromServer(_ bytes: RawSpan, _ frame: Range<Int>) -> Bool {
    let address = bytes.byte(frame.lowerBound)
    return (address & 2 != 0) == (address & 4 != 0)
  }

  /// Returns the server channel that a DISC frame closes; nil for any other frame.
  static func closes(_ bytes: RawSpan, _ frame: Range<Int>) -> UInt8? {
    guard frame.count == 4 else { return nil }
    let (address, control) = (bytes.byte(frame.lowerBound), bytes.byte(frame.lowerBound + 1))
    let length = bytes.byte(frame.lowerBound + 2)
    // The check sequence of frames without data covers the length too.
    guard address & 1 == 1, address >> 3 != 0, control & ~pollBit == disconnect, length == 1,
      check(address, control, length) == bytes.byte(frame.lowerBound + 3)
    else { return nil }
    return address >> 3
  }

  /// Returns a data frame from the side that opened the channel.
  static func frame(_ data: [UInt8], channel: UInt8) -> [UInt8] {
    let address = channel << 3 | 3
    let length = data.count
    return [address, unnumberedInformation, UInt8(length & 0x7F) << 1, UInt8(truncatingIfNeeded: length >> 7)] + data
      + [check(address, unnumberedInformation)]
  }

  /// Returns CRC-8 of address and control, or of these and the length, polynomial x⁸+x²+x+1 reversed (3GPP TS 27.010,
  /// public).
  private static func check(_ bytes: UInt8...) -> UInt8 {
    var crc: UInt8 = 0xFF
    for byte in bytes {
      crc ^= byte
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xE0 : crc >> 1 }
    }
    return 0xFF - crc
  }
}
