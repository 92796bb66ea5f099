// swift-iap2 · Apache-2.0

/// The reason why a report descriptor gives no table of reports for iAP2.
public enum HIDReportTableProblem: Error, Sendable, Equatable {
  /// The direction of a report.
  public enum Direction: Sendable, Equatable {
    /// From the device to the accessory.
    case toAccessory
    /// From the accessory to the device.
    case toDevice
  }

  /// The descriptor cannot be read.
  case descriptor(HIDDescriptorProblem)
  /// The descriptor is longer than a limit of this project; both sizes in bytes.
  case descriptorTooLong(byteCount: Int, limit: Int)
  /// A report has no id. The link control byte must follow an id.
  case withoutID
  /// The size of a report is not a whole number of bytes.
  case notWholeBytes(id: UInt8, bitCount: Int)
  /// A report is longer than a limit of this project; both sizes in bytes.
  case reportTooLong(id: UInt8, byteCount: Int, limit: Int)
  /// No report in a direction has room for a link control byte and payload.
  case noReport(Direction)
}

/// The reports that carry iAP2 to and from a phone in device mode, with their ids and sizes.
///
/// A head unit reads the table from the phone's report descriptor at run time, as WIO does (USB.md#report-descriptor;
/// medium).
package struct HIDReportTable: Sendable, Equatable {
  /// One report.
  package struct Report: Sendable, Equatable {
    /// The id of the report.
    package var id: UInt8
    /// The size after the id in bytes: link control byte, payload and padding.
    package var byteCount: Int

    /// Creates a report.
    package init(id: UInt8, byteCount: Int) {
      self.id = id
      self.byteCount = byteCount
    }

    /// The payload that the report holds, in bytes.
    package var payloadByteCount: Int { byteCount - 1 }
  }

  /// The error of ``init(descriptor:)``.
  package typealias Problem = HIDReportTableProblem

  /// The limit of a report descriptor in bytes, which is that of Linux (`HID_MAX_DESCRIPTOR_SIZE`). A phone's has 208
  /// bytes.
  package static let maximumDescriptorByteCount = 4096
  /// The limit of a report in bytes. With its id the report then fits the 4096 bytes that Linux allows a program for a
  /// control transfer. A phone's longest report has 767 bytes.
  package static let maximumReportByteCount = 4095

  /// The reports to the accessory, from the shortest to the longest.
  package private(set) var toAccessory: [Report]
  /// The reports to the device, from the shortest to the longest.
  package private(set) var toDevice: [Report]

  /// Creates a table and sorts the reports by size.
  package init(toAccessory: [Report], toDevice: [Report]) {
    self.toAccessory = Self.ordered(toAccessory)
    self.toDevice = Self.ordered(toDevice)
  }

  /// Reads the table from a report descriptor.
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
    of kind: HIDReportDescriptor.Kind, in descriptor: HIDReportDescriptor
  ) throws(Problem) -> [Report] {
    var reports: [Report] = []
    for (report, bitCount) in descriptor.bitCounts where report.kind == kind && bitCount > 0 {
      guard report.id != 0 else { throw .withoutID }
      guard bitCount.isMultiple(of: 8) else { throw .notWholeBytes(id: report.id, bitCount: bitCount) }
      let byteCount = bitCount / 8
      guard byteCount <= maximumReportByteCount else {
        throw .reportTooLong(id: report.id, byteCount: byteCount, limit: maximumReportByteCount)
      }
      // A report of one byte has room only for the link control byte.
      if byteCount > 1 { reports.append(Report(id: report.id, byteCount: byteCount)) }
    }
    return ordered(reports)
  }

  private static func ordered(_ reports: [Report]) -> [Report] {
    reports.sorted { ($0.byteCount, $0.id) < ($1.byteCount, $1.id) }
  }

  /// The longest report in each direction in bytes, with its id.
  package var maximumTransferByteCount: (toAccessory: Int, toDevice: Int) {
    (1 + (toAccessory.last?.byteCount ?? 0), 1 + (toDevice.last?.byteCount ?? 0))
  }

  // MARK: The table of a phone

  /// The table of a phone. Evidence: the descriptor of a real iPad (IPODG, USB.md#report-table; high: the same lengths
  /// in IPOD).
  package static let phone = HIDReportTable(
    toAccessory: numbered(from: 1, [5, 9, 13, 17, 25, 49, 95, 193, 257, 385, 513, 767]),
    toDevice: numbered(from: 13, [5, 9, 13, 17, 25, 49, 95, 193, 255]))

  private static func numbered(from first: UInt8, _ byteCounts: [Int]) -> [Report] {
    byteCounts.enumerated().map { Report(id: first + UInt8($0.offset), byteCount: $0.element) }
  }

  /// A report descriptor for this table: one vendor-defined collection of byte fields.
  package var descriptor: [UInt8] {
    var bytes: [UInt8] = [0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x75, 0x08, 0x26, 0x80, 0x00, 0x15, 0x00]
    for (item, reports) in [(UInt8(0x82), toAccessory), (0x92, toDevice)] {
      for report in reports {
        let count = report.byteCount
        bytes += [0x09, 0x01, 0x85, report.id]
        bytes += count < 256 ? [0x95, UInt8(count)] : [0x96, UInt8(count & 255), UInt8(count >> 8 & 255)]
        // A variable field of buffered bytes.
        bytes += [item, 0x02, 0x01]
      }
    }
    return bytes + [0xC0]
  }
}
