// swift-iap2 · Apache-2.0

import IAP2

/// JSON text as bytes.
package struct JSONText: Sendable {
  var bytes: [UInt8] = []

  @inline(__always)
  mutating func raw(_ text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func number(_ number: some BinaryInteger) {
    guard let value = UInt64(exactly: number) else {
      bytes += String(number).utf8
      return
    }
    decimal(value)
  }

  private mutating func decimal(_ number: UInt64) {
    guard number > 9 else { return bytes.append(0x30 &+ UInt8(truncatingIfNeeded: number)) }
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var count = 0
    var rest = number
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      digits[count] = 0x30 &+ UInt8(truncatingIfNeeded: digit)
      rest = quotient
      count += 1
    }
    while count > 0 {
      count -= 1
      bytes.append(digits[count])
    }
  }

  /// Appends a number: null for nil, no fraction for whole numbers.
  mutating func number(_ number: Double?) {
    guard let number, number.isFinite else { return raw("null") }
    // Whole nanoseconds are also the shortest text of their value. Numbers below 100 µs are written with an exponent.
    let nanoseconds = (number * 1e9).rounded()
    if nanoseconds == 0 || nanoseconds >= 100_000 && nanoseconds < 1e15, nanoseconds / 1e9 == number {
      return seconds(UInt64(nanoseconds))
    }
    let text = number.description
    bytes += text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8
  }

  private mutating func seconds(_ nanoseconds: UInt64) {
    var (whole, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    decimal(whole)
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var unit: UInt64 = 100_000_000
    while fraction > 0 {
      (whole, fraction) = fraction.quotientAndRemainder(dividingBy: unit)
      bytes.append(0x30 &+ UInt8(truncatingIfNeeded: whole))
      unit /= 10
    }
  }

  mutating func text(_ text: String?) {
    guard let text else { return raw("null") }
    bytes.append(UInt8(ascii: "\""))
    let plain = text.utf8Span.span
    if Self.isPlain(plain) {
      unsafe plain.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    } else {
      for scalar in text.unicodeScalars { escape(scalar) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Returns whether a text has only characters of ASCII that are written as they are.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      let byte = text[index]
      guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return false }
    }
    return true
  }

  private mutating func escape(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x22: raw("\\\"")
    case 0x5C: raw("\\\\")
    case 0x08: raw("\\b")
    case 0x09: raw("\\t")
    case 0x0A: raw("\\n")
    case 0x0C: raw("\\f")
    case 0x0D: raw("\\r")
    default:
      if scalar.isUnsafeInText { bytes += JSONEscape.digits(of: scalar) } else { bytes += scalar.utf8 }
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends two digits per byte, in quotes.
  mutating func hex(_ data: RawSpan) {
    let count = data.byteCount
    bytes.append(UInt8(ascii: "\""))
    bytes.append(addingCapacity: count * 2) { (output: inout OutputSpan<UInt8>) in
      unsafe output.withUnsafeMutableBufferPointer { buffer, written in
        let target = unsafe UnsafeMutableRawBufferPointer(buffer).baseAddress.map { unsafe $0 + written }
        unsafe data.withUnsafeBytes { source in
          guard let target = unsafe target, let source = source.baseAddress else { return }
          unsafe Self.digits(of: source, count, to: target)
        }
        written += count * 2
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// - Parameter target: memory with room for two digits per byte.
  private static func digits(
    of source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer
  ) {
    unsafe pairs.withUnsafeBufferPointer { pairs in
      for index in 0..<count {
        let value = unsafe source.load(fromByteOffset: index, as: UInt8.self)
        unsafe target.storeBytes(of: pairs[Int(value)], toByteOffset: index * 2, as: UInt16.self)
      }
    }
  }

  /// Both digits of each byte value, in memory order.
  private static let pairs: [UInt16] = (0..<256).map { value in
    UInt16(littleEndian: UInt16(digits[value >> 4]) | UInt16(digits[value & 15]) << 8)
  }
}
