// swift-iap2 · Apache-2.0

import IAP2

/// Finds iAP2 in Bluetooth captures: data packets put together, L2CAP, RFCOMM channels. Which channel is ours is told by
/// SDP, or by content where the capture has no answer of it (CaptureFormats.md#packetlogger, CaptureFormats.md#btsnoop;
/// Bluetooth.md#channel).
struct BluetoothTap: Sendable {
  private typealias Direction = ServiceDiscovery.Direction

  private struct Channel: Hashable {
    var adapter: UInt16
    var handle: UInt16
    /// The RFCOMM channel without its direction bit.
    var number: UInt8
  }

  private struct Assembly: Sendable {
    var bytes: [UInt8] = []
    var wanted = 0
  }

  private var assemblies: [Direction: Assembly] = [:]
  private var links: Set<Channel> = []
  private var discovery = ServiceDiscovery()
  /// The bytes of the last frame that came in pieces.
  private(set) var joined: [UInt8] = []
  /// Channels with iAP2 that were closed.
  private(set) var ends: [FlowKey: TransportEnd] = [:]
  private var moment = CaptureMoment()

  /// Connections remembered: an adapter has seven at once.
  private static let maximumConnections = 1024
  private static let l2capHeaderByteCount = 4

  /// - Parameter start: where the packet begins, behind its type byte.
  mutating func take(
    _ bytes: RawSpan, from start: Int, type: UInt8, isSent: Bool?, adapter: UInt16 = 0, at moment: CaptureMoment
  ) -> CapturePiece? {
    self.moment = moment
    if type == HCIPacket.event { note(bytes, from: start, adapter: adapter) }
    guard type == HCIPacket.acl, bytes.byteCount >= start + 4 else { return nil }
    let word: UInt16 = bytes.integer(start, isLittleEndian: true)
    let length = Int(bytes.integer(start + 2, isLittleEndian: true) as UInt16)
    let data = (start + 4)..<min(bytes.byteCount, start + 4 + length)
    let isContinuation = word >> 12 & 3 == 1
    // A file without directions: the host's own packets begin with 0, those that it receives with 2.
    var direction = Direction(adapter: adapter, handle: word & 0xFFF, isSent: isSent ?? (word >> 12 & 3 == 0))
    if isContinuation, isSent == nil, assemblies[direction]?.wanted ?? 0 == 0 { direction.isSent.toggle() }
    guard isContinuation else { return begin(direction, bytes, data) }
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

  private mutating func begin(_ direction: Direction, _ bytes: RawSpan, _ data: Range<Int>) -> CapturePiece? {
    guard data.count >= Self.l2capHeaderByteCount else { return nil }
    let whole = Self.l2capHeaderByteCount + Int(bytes.integer(data.lowerBound, isLittleEndian: true) as UInt16)
    guard data.count < whole else {
      assemblies[direction] = nil
      return l2cap(direction, bytes, data.lowerBound..<(data.lowerBound + whole), isJoined: false)
    }
    guard assemblies.count < Self.maximumConnections || assemblies[direction] != nil else { return nil }
    assemblies[direction] = Assembly(bytes: [UInt8](copying: bytes.extracting(data)), wanted: whole)
    return nil
  }

  /// Disconnection complete: code, length, status, handle, reason.
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

  /// Dynamic channels carry RFCOMM where their frames say so: the connection's beginning may not be in the capture.
  private mutating func l2cap(
    _ direction: Direction, _ bytes: RawSpan, _ frame: Range<Int>, isJoined: Bool
  ) -> CapturePiece? {
    let channel: UInt16 = bytes.integer(frame.lowerBound + 2, isLittleEndian: true)
    let body = (frame.lowerBound + Self.l2capHeaderByteCount)..<frame.upperBound
    discovery.take(bytes.extracting(body), channel: channel, direction)
    guard channel >= 0x40 else { return nil }
    if let number = RFCOMMFrame.closes(bytes, body) { close(direction, number) }
    guard let (number, data) = RFCOMMFrame.data(bytes, body), !data.isEmpty else { return nil }
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
    return CapturePiece(
      flow: .rfcomm(adapter: direction.adapter, connection: direction.handle, channel: number),
      sender: .end(direction.isSent ? 0 : 1), place: isJoined ? .joined(data) : .frame(data),
      isAnnounced: isAnnounced)
  }
}

extension BluetoothTap {
  private mutating func close(_ direction: Direction, _ number: UInt8) {
    guard links.contains(Channel(adapter: direction.adapter, handle: direction.handle, number: number)) else { return }
    let key = FlowKey.rfcomm(adapter: direction.adapter, connection: direction.handle, channel: number)
    if ends[key] == nil { ends[key] = TransportEnd(end: direction.isSent ? 0 : 1, moment) }
  }
}

/// A data frame of RFCOMM: address, control, length of one or two bytes, a byte of credits where the poll bit is set,
/// data, check sequence.
enum RFCOMMFrame {
  private static let unnumberedInformation: UInt8 = 0xEF
  private static let disconnect: UInt8 = 0x43
  private static let pollBit: UInt8 = 0x10

  /// The server channel and where the data lies; nil for anything else.
  static func data(_ bytes: RawSpan, _ frame: Range<Int>) -> (channel: UInt8, Range<Int>)? {
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
    // Channel 0 controls the others.
    guard number != 0, start + length + 1 <= frame.upperBound,
      check(address, control) == bytes.byte(start + length)
    else { return nil }
    return (number >> 1, start..<(start + length))
  }

  /// Whether a data frame's sender has the server channel that it is about. Who began the multiplexer sets the first of
  /// two bits in what it sends; the second is set on channels of servers on its side (RFCOMM, section 5.4; 3GPP TS 07.10,
  /// section 5.4.3.1).
  static func isFromServer(_ bytes: RawSpan, _ frame: Range<Int>) -> Bool {
    let address = bytes.byte(frame.lowerBound)
    return (address & 2 != 0) == (address & 4 != 0)
  }

  /// The server channel that a DISC frame closes.
  static func closes(_ bytes: RawSpan, _ frame: Range<Int>) -> UInt8? {
    guard frame.count == 4 else { return nil }
    let (address, control) = (bytes.byte(frame.lowerBound), bytes.byte(frame.lowerBound + 1))
    let length = bytes.byte(frame.lowerBound + 2)
    // Without data: here the check sequence is over the length too.
    guard address & 1 == 1, address >> 3 != 0, control & ~pollBit == disconnect, length == 1,
      check(address, control, length) == bytes.byte(frame.lowerBound + 3)
    else { return nil }
    return address >> 3
  }

  /// A frame with data, from the one who opened the channel.
  static func frame(_ data: [UInt8], channel: UInt8) -> [UInt8] {
    let address = channel << 3 | 3
    let length = data.count
    return [address, unnumberedInformation, UInt8(length & 0x7F) << 1, UInt8(truncatingIfNeeded: length >> 7)] + data
      + [check(address, unnumberedInformation)]
  }

  /// CRC-8 of address and control, or of these and the length, polynomial x⁸+x²+x+1 reversed (3GPP TS 27.010, public).
  private static func check(_ bytes: UInt8...) -> UInt8 {
    var crc: UInt8 = 0xFF
    for byte in bytes {
      crc ^= byte
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xE0 : crc >> 1 }
    }
    return 0xFF - crc
  }
}
