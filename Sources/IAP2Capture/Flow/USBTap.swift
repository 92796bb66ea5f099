// swift-iap2 · Apache-2.0

import IAP2

/// Finds iAP2 among the transfers of USB captures: bulk endpoints of an accessory's interface (FF/F0/00), by descriptors
/// where the capture has them and by content where not, and HID reports of a phone in device mode
/// (link-and-sessions, sections 10.1 and 10.2; capture-formats, section 5).
struct USBTap: Sendable {
  /// A transfer with its bytes.
  private struct Transfer {
    var bus: UInt16
    var device: UInt8
    /// Bit 7: towards the host.
    var endpoint: UInt8
    var kind: UInt8
    var data: Range<Int>
    /// Of a control transfer.
    var setup: Range<Int>?

    var isToHost: Bool { endpoint & 0x80 != 0 }
  }

  private enum Kind {
    static let interrupt: UInt8 = 1
    static let control: UInt8 = 2
    static let bulk: UInt8 = 3
  }

  private enum EndpointUse { case unknown, link, other }

  /// What is known of endpoints, by bus, device and endpoint.
  private var uses: [(key: UInt32, use: EndpointUse)] = []
  private var joins: [UInt32: ReportJoin] = [:]
  /// The bytes of the last joined reports.
  private(set) var joined: [UInt8] = []
  /// Endpoints remembered: a bus has at most 127 devices of 30, and a capture rarely more than ten.
  private static let maximumEndpoints = 4096

  mutating func take(_ bytes: RawSpan, headerByteCount: Int, isLittleEndian: Bool) -> CapturePiece? {
    guard bytes.byteCount >= headerByteCount else { return nil }
    let type = bytes.byte(8)
    // Bytes lie on the submission towards the device and on the completion towards the host.
    let endpoint = bytes.byte(10)
    let kind = bytes.byte(9)
    let isSubmission = type == UInt8(ascii: "S")
    let isSetup = kind == Kind.control && bytes.byte(14) == 0
    guard bytes.byte(15) == 0, isSubmission == (endpoint & 0x80 == 0) || isSetup else { return nil }
    let stated = Int(bytes.integer(36, isLittleEndian: isLittleEndian) as UInt32)
    var start = headerByteCount
    if headerByteCount == 64, kind == 0 {
      let descriptors = Int(bytes.integer(60, isLittleEndian: isLittleEndian) as UInt32)
      start += min(descriptors, (bytes.byteCount - start) / 16) * 16
    }
    return transfer(
      Transfer(
        bus: bytes.integer(12, isLittleEndian: isLittleEndian), device: bytes.byte(11), endpoint: endpoint, kind: kind,
        data: start..<min(bytes.byteCount, start + stated), setup: isSetup ? 40..<48 : nil), bytes)
  }

  /// The same for USBPcap, whose header says its own length.
  mutating func takeUSBPcap(_ bytes: RawSpan) -> CapturePiece? {
    guard bytes.byteCount >= 27 else { return nil }
    let header = Int(bytes.integer(0, isLittleEndian: true) as UInt16)
    guard header >= 27, header <= bytes.byteCount else { return nil }
    let endpoint = bytes.byte(21)
    let isCompletion = bytes.byte(16) & 1 == 1
    let kind = bytes.byte(22)
    // A control transfer's set-up stage has the request before the data.
    let isSetup = kind == Kind.control && header >= 28 && bytes.byte(27) == 0
    guard isCompletion == (endpoint & 0x80 != 0) || isSetup else { return nil }
    let stated = Int(bytes.integer(23, isLittleEndian: true) as UInt32)
    var data = header..<min(bytes.byteCount, header + stated)
    var setup: Range<Int>?
    if isSetup, data.count >= 8 {
      setup = data.lowerBound..<(data.lowerBound + 8)
      data = (data.lowerBound + 8)..<data.upperBound
    }
    return transfer(
      Transfer(
        bus: bytes.integer(17, isLittleEndian: true), device: bytes.byte(19), endpoint: endpoint, kind: kind,
        data: data, setup: setup), bytes)
  }

  private mutating func transfer(_ transfer: Transfer, _ bytes: RawSpan) -> CapturePiece? {
    guard !transfer.data.isEmpty else { return nil }
    switch transfer.kind {
    case Kind.bulk: return bulk(transfer, bytes)
    case Kind.interrupt: return report(transfer, bytes.extracting(transfer.data))
    case Kind.control: return control(transfer, bytes)
    default: return nil
    }
  }

  // MARK: Bulk

  private static func key(_ transfer: Transfer) -> UInt32 {
    UInt32(transfer.bus) << 16 | UInt32(transfer.device) << 8 | UInt32(transfer.endpoint)
  }

  private mutating func bulk(_ transfer: Transfer, _ bytes: RawSpan) -> CapturePiece? {
    let key = Self.key(transfer)
    if let index = uses.firstIndex(where: { $0.key == key }), uses[index].use != .unknown {
      return uses[index].use == .link ? piece(transfer) : nil
    }
    guard LinkContent.begins(bytes.extracting(transfer.data)) else { return nil }
    note(key, .link)
    return piece(transfer)
  }

  private func piece(_ transfer: Transfer) -> CapturePiece {
    CapturePiece(
      flow: .usb(bus: transfer.bus, device: transfer.device), sender: .end(transfer.isToHost ? 1 : 0),
      place: .frame(transfer.data))
  }

  private mutating func note(_ key: UInt32, _ use: EndpointUse) {
    if let index = uses.firstIndex(where: { $0.key == key }) {
      uses[index].use = use
    } else if uses.count < Self.maximumEndpoints {
      uses.append((key, use))
    }
  }

  /// Reads the endpoints of a configuration descriptor: those of FF/F0/00 carry the link, others of FF/F0 do not.
  private mutating func describe(_ transfer: Transfer, _ descriptor: RawSpan) {
    var offset = 0
    var use: EndpointUse?
    while descriptor.byteCount - offset >= 2 {
      let length = Int(descriptor.byte(offset))
      guard length >= 2, length <= descriptor.byteCount - offset else { return }
      switch descriptor.byte(offset + 1) {
      case 4 where length >= 9:
        let isVendor = descriptor.byte(offset + 5) == 0xFF && descriptor.byte(offset + 6) == 0xF0
        use = isVendor ? (descriptor.byte(offset + 7) == 0 ? .link : .other) : nil
      case 5 where length >= 7:
        var endpoint = transfer
        endpoint.endpoint = descriptor.byte(offset + 2)
        if let use { note(Self.key(endpoint), use) }
      default: break
      }
      offset += length
    }
  }

  // MARK: HID reports

  /// Puts reports together by their link control byte: bit 0 continues, bit 1 says that more follow.
  private struct ReportJoin: Sendable {
    var bytes: [UInt8] = []
    var isLink = false
  }

  private static let setReport: UInt8 = 9
  /// Reports joined at most: the largest packet.
  private static let maximumJoin = LinkPacket.maximumByteCount + 1024

  private mutating func control(_ transfer: Transfer, _ bytes: RawSpan) -> CapturePiece? {
    guard let setup = transfer.setup else {
      // The answer to a request: only a configuration descriptor begins so.
      let data = bytes.extracting(transfer.data)
      if transfer.isToHost, data.byteCount >= 9, data.byte(0) == 9, data.byte(1) == 2 { describe(transfer, data) }
      return nil
    }
    let isSetReport = bytes.byte(setup.lowerBound) == 0x21 && bytes.byte(setup.lowerBound + 1) == Self.setReport
    return isSetReport ? report(transfer, bytes.extracting(transfer.data)) : nil
  }

  /// Report id, link control byte, payload with padding.
  private mutating func report(_ transfer: Transfer, _ report: RawSpan) -> CapturePiece? {
    guard report.byteCount > 2, report.byte(1) <= 3 else { return nil }
    let key = UInt32(transfer.bus) << 16 | UInt32(transfer.device) << 8 | (transfer.isToHost ? 1 : 0)
    var join = joins[key] ?? ReportJoin()
    let payload = report.extracting(2..<report.byteCount)
    if report.byte(1) & 1 == 0 {
      guard join.isLink || LinkContent.begins(payload) else { return nil }
      join.bytes.removeAll(keepingCapacity: true)
      join.isLink = true
    }
    guard join.isLink, joins.count < Self.maximumEndpoints || joins[key] != nil else { return nil }
    if join.bytes.count + payload.byteCount <= Self.maximumJoin { join.bytes.append(copying: payload) }
    defer { joins[key] = join }
    guard report.byte(1) & 2 == 0 else { return nil }
    joined = Self.withoutPadding(join.bytes)
    return CapturePiece(
      flow: .usbReports(bus: transfer.bus, device: transfer.device),
      sender: .side(transfer.isToHost ? .device : .accessory),
      place: .joined(0..<joined.count))
  }

  /// What follows the packets in the last report is padding.
  private static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
    let span = bytes.rawBytes
    var end = 0
    while end < bytes.count {
      switch LinkScanner.scan(span, from: end) {
      case .packet(let header, let start), .badPayloadChecksum(let header, let start): end = start + header.byteCount
      case .detect(let start): end = start + LinkScanner.detect.count
      case .legacyFrame(let range): end = range.upperBound
      case .badHeader, .incomplete, .garbage, .end: return Array(bytes[..<max(end, Self.significant(bytes))])
      }
    }
    return bytes
  }

  /// Up to the last byte that is not zero.
  private static func significant(_ bytes: [UInt8]) -> Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }
}
