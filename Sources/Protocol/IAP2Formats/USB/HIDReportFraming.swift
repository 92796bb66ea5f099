// swift-iap2 · Apache-2.0

import IAP2

/// The link control byte between a report's id and its payload (USB.md#control-byte; high).
package struct HIDLinkControl: OptionSet, Sendable, Hashable {
  /// The byte.
  package var rawValue: UInt8
  /// Creates control bits from the byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The report continues the one before it.
  package static let continues = HIDLinkControl(rawValue: 1)
  /// More reports follow.
  package static let moreFollow = HIDLinkControl(rawValue: 2)
  static let all: HIDLinkControl = [.continues, .moreFollow]
}

/// Splits link bytes into reports: id, link control byte, payload, zeros up to the length of the report.
package enum HIDReportFraming {
  /// Calls `body` with the reports for some bytes, in order.
  ///
  /// Each link packet starts a report of its own, because a receiver discards the bytes after a packet. A packet goes
  /// into the shortest report that holds it; if none does, it fills the longest one and continues in the next
  /// (USB.md#report-choice; high). Bytes that are not a packet are sent together up to their end.
  ///
  /// - Parameter reports: The reports from the shortest to the longest, at least one, each with room for payload.
  package static func cut(_ bytes: RawSpan, into reports: [HIDReportTable.Report], _ body: ([UInt8]) -> Void) {
    var start = 0
    while start < bytes.byteCount {
      let end = endOfUnit(bytes, from: start)
      cutUnit(bytes.extracting(start..<end), into: reports, body)
      start = end
    }
  }

  private static func endOfUnit(_ bytes: RawSpan, from start: Int) -> Int {
    switch LinkScanner.scan(bytes, from: start) {
    case .packet(let header, let at), .badPayloadChecksum(let header, let at): at + header.byteCount
    case .detect(let at): at + LinkScanner.detect.count
    case .legacyFrame(let range): range.upperBound
    case .badHeader, .incomplete, .garbage, .end: bytes.byteCount
    }
  }

  private static func cutUnit(_ unit: RawSpan, into reports: [HIDReportTable.Report], _ body: ([UInt8]) -> Void) {
    guard let longest = reports.last, longest.payloadByteCount > 0 else { return }
    var offset = 0
    while offset < unit.byteCount {
      let rest = unit.byteCount - offset
      let report = reports.first { $0.payloadByteCount >= rest } ?? longest
      let count = min(rest, report.payloadByteCount)
      var control: HIDLinkControl = []
      if offset > 0 { control.insert(.continues) }
      if count < rest { control.insert(.moreFollow) }
      var bytes: [UInt8] = [report.id, control.rawValue]
      bytes.reserveCapacity(1 + report.byteCount)
      bytes.append(copying: unit.extracting(offset..<(offset + count)))
      bytes.append(contentsOf: repeatElement(0, count: report.payloadByteCount - count))
      body(bytes)
      offset += count
    }
  }
}

/// Joins reports to the link bytes that they carry.
///
/// A report that continues nothing, or that has an unknown control byte, is ignored. A report without the continuation
/// bit starts new bytes and drops those collected before it. So a lost report costs one packet, which the link
/// retransmits.
package struct HIDReportJoin: Sendable {
  /// The result of a report.
  package enum Outcome: Sendable, Equatable {
    /// Link bytes without the padding after them; empty if the report has only padding.
    case bytes([UInt8])
    /// More reports follow.
    case incomplete
    /// The report was ignored.
    case ignored(Reason)
  }

  /// The reason why a report was ignored.
  package enum Reason: Sendable, Equatable {
    /// The report is shorter than an id, a control byte and one more byte.
    case tooShort(byteCount: Int)
    /// The control byte has unknown bits.
    case unknownControl(UInt8)
    /// The report continues another one, but none is open.
    case continuesNothing
    /// The joined bytes exceed ``maximumByteCount`` without an end. They were dropped.
    case tooLong
  }

  /// The limit of joined bytes: the longest packet, and padding up to the end of the longest report.
  package static let maximumByteCount = LinkPacket.maximumByteCount + HIDReportTable.maximumReportByteCount

  private var joined: [UInt8] = []
  private var isOpen = false

  /// Creates an empty join.
  package init() {}

  /// Reads a report that starts with its id.
  package mutating func take(_ report: RawSpan) -> Outcome {
    guard report.byteCount > 2 else { return .ignored(.tooShort(byteCount: report.byteCount)) }
    let control = HIDLinkControl(rawValue: report.byte(1))
    guard control.isSubset(of: .all) else { return .ignored(.unknownControl(control.rawValue)) }
    let payload = report.extracting(2..<report.byteCount)
    if control.contains(.continues) {
      guard isOpen else { return .ignored(.continuesNothing) }
    } else {
      joined.removeAll(keepingCapacity: true)
    }
    guard joined.count + payload.byteCount <= Self.maximumByteCount else {
      isOpen = false
      joined = []
      return .ignored(.tooLong)
    }
    joined.append(copying: payload)
    isOpen = control.contains(.moreFollow)
    return isOpen ? .incomplete : .bytes(Self.withoutPadding(joined))
  }

  /// Returns the bytes without the padding after the last packet.
  private static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
    let span = bytes.rawBytes
    var end = 0
    while end < bytes.count {
      switch LinkScanner.scan(span, from: end) {
      case .packet(let header, let start), .badPayloadChecksum(let header, let start): end = start + header.byteCount
      case .detect(let start): end = start + LinkScanner.detect.count
      case .legacyFrame(let range): end = range.upperBound
      case .badHeader, .incomplete, .garbage, .end: return Array(bytes[..<max(end, significantByteCount(bytes))])
      }
    }
    return bytes
  }

  /// Returns the number of bytes up to the last one that is not zero.
  private static func significantByteCount(_ bytes: [UInt8]) -> Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }
}
