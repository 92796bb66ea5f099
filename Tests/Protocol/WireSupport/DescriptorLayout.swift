// swift-iap2 · Apache-2.0

import HIDReports

/// Returns the fields of a report descriptor as text, one line for each: offset with the report id and size in bits,
/// kind, logical range, usages, logical collection.
public func layout(_ bytes: [UInt8]) throws -> [String] {
  let descriptor = try HIDReportDescriptor(bytes)
  return descriptor.fields.map { field in
    func text(_ number: some BinaryInteger) -> String { String(number, radix: 16) }
    let usages = field.usages.map { text($0.page) + "/" + text($0.number) }
    let collection = field.collection.map { descriptor.collections[$0].kind == 2 ? $0 : 0 } ?? 0
    return [
      "\(field.bitOffset + (descriptor.hasReportIDs ? 8 : 0))+\(field.bitCount)",
      field.isArray ? "array" : field.isRelative ? "relative" : "variable",
      "\(field.range.lowerBound)...\(field.range.upperBound)", usages.joined(separator: " "), "#\(collection)",
    ].joined(separator: " ")
  }
}
