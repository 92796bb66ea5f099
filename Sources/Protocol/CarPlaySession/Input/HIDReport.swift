// swift-iap2 · Apache-2.0

import Basics

/// The value of a usage in a report.
public struct HIDValue: Sendable, Hashable {
  /// The usage.
  public var usage: HIDDescriptor.Usage
  /// The number; 1 for a usage that an array selects.
  public var value: Int
  /// The logical range of the number; 0 to 1 for a usage that an array selects.
  public var range: ClosedRange<Int>
  /// Whether the number is a change since the last report.
  public var isRelative: Bool
  /// Whether an array selects the usage. A usage that the next report does not select is released.
  public var isArray: Bool
  /// The index of the innermost collection in ``HIDDescriptor/collections``; nil outside of all collections.
  public var collection: Int?
}

/// A reason why bytes are not a report of a device.
public enum HIDReportProblem: Error, Sendable, Hashable {
  /// The descriptor has no input report with the id.
  case unknownReport(id: UInt8)
  /// The report has another length than the descriptor defines, in bytes and with the id.
  case wrongLength(expected: Int, actual: Int)
}

extension HIDDescriptor {
  /// Returns the id of a report; 0 if the descriptor has no ids.
  ///
  /// - Throws: ``HIDReportProblem`` for another length than that of the report, and for an unknown id.
  public func reportID(of report: [UInt8]) throws(HIDReportProblem) -> UInt8 {
    let idByteCount = hasReportIDs ? 1 : 0
    guard report.count >= idByteCount else { throw .wrongLength(expected: 1, actual: 0) }
    let id = hasReportIDs ? report[0] : 0
    guard let bitCount = bitCounts[id] else { throw .unknownReport(id: id) }
    let expected = idByteCount + (bitCount + 7) / 8
    guard report.count == expected else { throw .wrongLength(expected: expected, actual: report.count) }
    return id
  }

  /// Returns the values of a report in the order of the descriptor.
  ///
  /// A field in its null state has no value: a control with its own field keeps the last value, and an array selects
  /// nothing.
  ///
  /// - Throws: ``HIDReportProblem`` for another length than that of the report, and for an unknown id.
  public func values(in report: [UInt8]) throws(HIDReportProblem) -> [HIDValue] {
    let id = try reportID(of: report)
    let data = report.dropFirst(hasReportIDs ? 1 : 0)
    return fields.compactMap { $0.reportID == id ? $0.value(in: data) : nil }
  }
}

extension HIDDescriptor.Field {
  /// Returns the value; nil in the null state.
  fileprivate func value(in data: ArraySlice<UInt8>) -> HIDValue? {
    let number = number(in: data)
    guard range.contains(number) else { return nil }
    if !isArray {
      guard let usage = usages.usage(at: 0) else { return nil }
      return HIDValue(
        usage: usage, value: number, range: range, isRelative: isRelative, isArray: false, collection: collection)
    }
    // Usage 0 of every page means that nothing is selected.
    guard let usage = usages.usage(at: number - range.lowerBound), usage.id != 0 else { return nil }
    return HIDValue(usage: usage, value: 1, range: 0...1, isRelative: false, isArray: true, collection: collection)
  }

  /// Returns the number in the bits of the field, with a sign if the range has negative numbers.
  private func number(in data: ArraySlice<UInt8>) -> Int {
    let bytes = data.dropFirst(bitOffset / 8).prefix((bitOffset % 8 + bitCount + 7) / 8)
    let bits = UInt64(littleEndianBytes: bytes) >> UInt64(bitOffset % 8) & (1 << UInt64(bitCount) - 1)
    let isNegative = range.lowerBound < 0 && bits >> UInt64(bitCount - 1) == 1
    return isNegative ? Int(bits) - 1 << bitCount : Int(bits)
  }
}
