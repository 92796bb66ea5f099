// swift-iap2 · Apache-2.0

import Basics

/// The value of a usage in a report.
public struct HIDValue: Sendable, Hashable {
  /// The usage.
  public var usage: HIDUsage
  /// The number; 1 for a usage that an array selects.
  public var value: Int
  /// The logical range of the number; 0 to 1 for a usage that an array selects.
  public var range: ClosedRange<Int>
  /// Whether the number is a change since the last report.
  public var isRelative: Bool
  /// Whether an array selects the usage. A usage that the next report does not select is released.
  public var isArray: Bool
  /// The index of the innermost collection in ``HIDReportDescriptor/collections``; nil outside of all collections.
  public var collection: Int?
}

/// A reason why bytes are not a report of a device.
public enum HIDReportProblem: Error, Sendable, Hashable {
  /// The descriptor has no input report with the id.
  case unknownReport(id: UInt8)
  /// The report has another length than the descriptor defines, in bytes and with the id.
  case wrongLength(expected: Int, actual: Int)
}

extension HIDReportDescriptor {
  /// Returns the id of an input report; 0 if the descriptor has no ids.
  ///
  /// - Throws: ``HIDReportProblem`` for another length than that of the report, and for an unknown id.
  public func reportID(of report: [UInt8]) throws(HIDReportProblem) -> UInt8 {
    let idByteCount = hasReportIDs ? 1 : 0
    guard report.count >= idByteCount else { throw .wrongLength(expected: 1, actual: 0) }
    let id = hasReportIDs ? report[0] : 0
    guard let bitCount = bitCounts[Report(.input, id: id)] else { throw .unknownReport(id: id) }
    let expected = idByteCount + (bitCount + 7) / 8
    guard report.count == expected else { throw .wrongLength(expected: expected, actual: report.count) }
    return id
  }

  /// Returns the values of an input report in the order of the descriptor.
  ///
  /// A field in its null state has no value: a control with its own field keeps the last value, and an array selects
  /// nothing.
  ///
  /// - Throws: ``HIDReportProblem`` for another length than that of the report, and for an unknown id.
  public func inputs(in report: [UInt8]) throws(HIDReportProblem) -> [HIDValue] {
    let id = try reportID(of: report)
    let data = report.dropFirst(hasReportIDs ? 1 : 0)
    return fields.compactMap { $0.report == Report(.input, id: id) ? $0.value(in: data) : nil }
  }

  /// Returns the usages of a report that have a value other than 0, with their values. A report with an unknown id has
  /// none, and of a report that ends early only the fields before its end are read.
  ///
  /// - Parameters:
  ///   - report: The report with its id, if the device has report ids.
  ///   - kind: The kind of the report. The fields of other kinds are left out.
  public func values(in report: [UInt8], _ kind: Kind = .input) -> [HIDUsage: Int] {
    let own = Report(kind, id: hasReportIDs ? report.first ?? 0 : 0)
    let data = report.dropFirst(hasReportIDs ? 1 : 0)
    var values: [HIDUsage: Int] = [:]
    for field in fields where field.report == own && field.bitOffset + field.bitCount <= data.count * 8 {
      if let value = field.value(in: data), value.value != 0 { values[value.usage] = value.value }
    }
    return values
  }

  /// Returns reports with these values and 0 for every other usage: one for each report id that has one of the usages,
  /// or one for every id if no report has any of them. A field that selects usages selects none of the others.
  public func reports(_ values: [HIDUsage: Int], _ kind: Kind = .input) -> [[UInt8]] {
    let all = bitCounts.keys.filter { $0.kind == kind }.sorted { $0.id < $1.id }
    let wanted = all.filter { report in
      fields.contains { field in field.report == report && values.keys.contains { field.usages.contains($0) } }
    }
    return (wanted.isEmpty ? all : wanted).map { report in
      var data = [UInt8](repeating: 0, count: ((bitCounts[report] ?? 0) + 7) / 8)
      var unplaced = values
      for field in fields where field.report == report {
        if field.isArray {
          let places = unplaced.filter { $0.value != 0 }.keys.compactMap { field.usages.firstIndex(of: $0) }
          guard let index = places.min() else {
            if let number = field.unselected { field.write(number, to: &data) }
            continue
          }
          unplaced[field.usages[index]] = nil
          field.write(index + field.range.lowerBound, to: &data)
        } else if let usage = field.usages.first, let value = unplaced[usage] {
          field.write(value, to: &data)
        }
      }
      return hasReportIDs ? [report.id] + data : data
    }
  }
}

extension HIDReportDescriptor.Field {
  /// Returns the value; nil in the null state.
  fileprivate func value(in data: ArraySlice<UInt8>) -> HIDValue? {
    let number = number(in: data)
    guard range.contains(number) else { return nil }
    if !isArray {
      guard let usage = usages.first else { return nil }
      return HIDValue(
        usage: usage, value: number, range: range, isRelative: isRelative, isArray: false, collection: collection)
    }
    // Usage 0 of every page means that nothing is selected.
    let index = number - range.lowerBound
    guard index < usages.count, usages[index].number != 0 else { return nil }
    return HIDValue(
      usage: usages[index], value: 1, range: 0...1, isRelative: false, isArray: true, collection: collection)
  }

  /// The number of a field that selects nothing; nil if 0 does not select anything, or if no number is left.
  fileprivate var unselected: Int? {
    let index = -range.lowerBound
    guard range.contains(0), usages.indices.contains(index), usages[index].number != 0 else { return nil }
    let above = range.upperBound + 1
    return above < 1 << (range.lowerBound < 0 ? bitCount - 1 : bitCount) ? above : nil
  }

  /// Returns the number in the bits of the field, with a sign if the range has negative numbers.
  private func number(in data: ArraySlice<UInt8>) -> Int {
    let bytes = data.dropFirst(bitOffset / 8).prefix((bitOffset % 8 + bitCount + 7) / 8)
    let bits = UInt64(littleEndianBytes: bytes) >> UInt64(bitOffset % 8) & (1 << UInt64(bitCount) - 1)
    let isNegative = range.lowerBound < 0 && bits >> UInt64(bitCount - 1) == 1
    return isNegative ? Int(bits) - 1 << bitCount : Int(bits)
  }

  /// Writes a number into the bits of the field, which are 0.
  fileprivate func write(_ number: Int, to data: inout [UInt8]) {
    for bit in 0..<bitCount where number >> bit & 1 == 1 {
      let position = bitOffset + bit
      data[position / 8] |= 1 << UInt8(position % 8)
    }
  }
}
