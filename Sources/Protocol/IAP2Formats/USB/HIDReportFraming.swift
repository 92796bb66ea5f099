// swift-iap2 · Apache-2.0

import IAP2

/// The byte between a report's id and its payload (USB.md#control-byte; high).
package struct HIDLinkControl: OptionSet, Sendable, Hashable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Not the first report of what it carries.
  package static let continues = HIDLinkControl(rawValue: 1)
  /// Not the last.
  package static let moreFollow = HIDLinkControl(rawValue: 2)
  static let all: HIDLinkControl = [.continues, .moreFollow]
}

/// Cuts link bytes into reports: `id`, link control byte, payload, zeros up to the report's length.
package enum HIDReportFraming {
  /// Hands over the reports for some bytes, in order.
  ///
  /// Each link packet begins a report of its own, for whoever joins reports throws away what follows a packet. It goes
  /// into the shortest report that it fits, and if none has room into the longest and on (high: IPOD's tests, WIO). What
  /// is no packet goes together up to its end.
  ///
  /// - Parameter reports: from the shortest to the longest, none without room for payload; at least one.
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

/// Joins reports to the link bytes they carry.
///
/// A report that continues nothing, or with a control byte that is none, is passed over; one that continues nothing on
/// purpose begins anew, whatever was there. So a report that was lost costs one packet, which the link sends again.
package struct HIDReportJoin: Sendable {
  package enum Outcome: Sendable, Equatable {
    /// Link bytes without the padding behind them; empty if there was nothing but padding.
    case bytes([UInt8])
    case incomplete
    case ignored(Reason)
  }

  package enum Reason: Sendable, Equatable {
    /// Fewer than an id, a control byte and one byte more.
    case tooShort(byteCount: Int)
    case unknownControl(UInt8)
    case continuesNothing
    /// More than ``maximumByteCount`` without an end; what there was is gone.
    case tooLong
  }

  /// The longest packet, and padding up to the end of the longest report.
  package static let maximumByteCount = LinkPacket.maximumByteCount + HIDReportTable.maximumReportByteCount

  private var joined: [UInt8] = []
  private var isOpen = false

  package init() {}

  /// Takes a report with its id in front.
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

  /// What follows the packets in the last report is padding.
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

  /// Up to the last byte that is not zero.
  private static func significantByteCount(_ bytes: [UInt8]) -> Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }
}
