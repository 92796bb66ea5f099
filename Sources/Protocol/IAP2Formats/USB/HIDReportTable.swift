// swift-iap2 · Apache-2.0

/// Why a report descriptor gives no table of reports for iAP2.
public enum HIDReportTableProblem: Error, Sendable, Equatable {
  public enum Direction: Sendable, Equatable { case toAccessory, toDevice }

  case descriptor(HIDReportDescriptor.Problem)
  /// Longer than a limit of ours.
  case descriptorTooLong(byteCount: Int, limit: Int)
  /// A report without an id, for which there is no place in front of the link control byte.
  case withoutID
  /// A report of so many bits.
  case notWholeBytes(id: UInt8, bitCount: Int)
  case reportTooLong(id: UInt8, byteCount: Int, limit: Int)
  /// No report has room for a link control byte and something behind it.
  case noReport(Direction)
}

/// The reports that carry iAP2 to and from a phone in device mode: which ids, which way, how long.
///
/// A head unit reads it from the phone's report descriptor at run time, as WIO does (USB.md#report-descriptor).
package struct HIDReportTable: Sendable, Equatable {
  package struct Report: Sendable, Equatable {
    package var id: UInt8
    /// Behind the id: link control byte, payload, padding.
    package var byteCount: Int

    package init(id: UInt8, byteCount: Int) {
      self.id = id
      self.byteCount = byteCount
    }

    package var payloadByteCount: Int { byteCount - 1 }
  }

  package typealias Problem = HIDReportTableProblem

  /// What Linux gives a report descriptor (`HID_MAX_DESCRIPTOR_SIZE`); a phone's has 208 bytes.
  package static let maximumDescriptorByteCount = 4096
  /// With its id a report fits the 4096 bytes that Linux gives a control transfer of a program; a phone's longest has 767.
  package static let maximumReportByteCount = 4095

  /// From the shortest to the longest.
  package private(set) var toAccessory: [Report]
  package private(set) var toDevice: [Report]

  package init(toAccessory: [Report], toDevice: [Report]) {
    self.toAccessory = Self.ordered(toAccessory)
    self.toDevice = Self.ordered(toDevice)
  }

  package init(descriptor bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= Self.maximumDescriptorByteCount else {
      throw .descriptorTooLong(byteCount: bytes.count, limit: Self.maximumDescriptorByteCount)
    }
    let descriptor: HIDReportDescriptor
    do { descriptor = try HIDReportDescriptor(bytes) } catch { throw .descriptor(error) }
    toAccessory = try Self.reports(of: .input, in: descriptor)
    toDevice = try Self.reports(of: .output, in: descriptor)
    guard !toAccessory.isEmpty else { throw .noReport(.toAccessory) }
    guard !toDevice.isEmpty else { throw .noReport(.toDevice) }
  }

  private static func reports(
    of kind: HIDReportDescriptor.Field.Kind, in descriptor: HIDReportDescriptor
  ) throws(Problem) -> [Report] {
    var reports: [Report] = []
    for (report, bitCount) in descriptor.bitCounts where report.kind == kind && bitCount > 0 {
      guard report.id != 0 else { throw .withoutID }
      guard bitCount.isMultiple(of: 8) else { throw .notWholeBytes(id: report.id, bitCount: bitCount) }
      let byteCount = bitCount / 8
      guard byteCount <= maximumReportByteCount else {
        throw .reportTooLong(id: report.id, byteCount: byteCount, limit: maximumReportByteCount)
      }
      // One byte has room for the link control byte and for nothing else.
      if byteCount > 1 { reports.append(Report(id: report.id, byteCount: byteCount)) }
    }
    return ordered(reports)
  }

  private static func ordered(_ reports: [Report]) -> [Report] {
    reports.sorted { ($0.byteCount, $0.id) < ($1.byteCount, $1.id) }
  }

  /// With its id in front.
  package var maximumTransferByteCount: (toAccessory: Int, toDevice: Int) {
    (1 + (toAccessory.last?.byteCount ?? 0), 1 + (toDevice.last?.byteCount ?? 0))
  }

  // MARK: A phone's

  /// Evidence: the descriptor of a real iPad (IPODG, USB.md#report-table; high: the same lengths in IPOD).
  package static let phone = HIDReportTable(
    toAccessory: numbered(from: 1, [5, 9, 13, 17, 25, 49, 95, 193, 257, 385, 513, 767]),
    toDevice: numbered(from: 13, [5, 9, 13, 17, 25, 49, 95, 193, 255]))

  private static func numbered(from first: UInt8, _ byteCounts: [Int]) -> [Report] {
    byteCounts.enumerated().map { Report(id: first + UInt8($0.offset), byteCount: $0.element) }
  }

  /// The descriptor that says all this: one vendor's collection of bytes.
  package var descriptor: [UInt8] {
    var bytes: [UInt8] = [0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x75, 0x08, 0x26, 0x80, 0x00, 0x15, 0x00]
    for (item, reports) in [(UInt8(0x82), toAccessory), (0x92, toDevice)] {
      for report in reports {
        let count = report.byteCount
        bytes += [0x09, 0x01, 0x85, report.id]
        bytes += count < 256 ? [0x95, UInt8(count)] : [0x96, UInt8(count & 255), UInt8(count >> 8 & 255)]
        // A variable of buffered bytes.
        bytes += [item, 0x02, 0x01]
      }
    }
    return bytes + [0xC0]
  }
}
