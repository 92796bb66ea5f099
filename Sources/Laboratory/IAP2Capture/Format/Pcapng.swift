// swift-iap2 · Apache-2.0

import IAP2

/// A parser of pcapng. It reads blocks with sections, interfaces and packets, and returns all other blocks unread
/// (CaptureFormats.md#pcapng-blocks).
struct Pcapng: Sendable {
  private struct Interface: Sendable {
    var encapsulation: CaptureEncapsulation
    /// The units of time per second: a power of ten or of two.
    var unitsPerSecond: UInt64 = 1_000_000
    var offsetSeconds: Int64 = 0
  }

  private var isLittleEndian = true
  private var interfaces: [Interface] = []

  static let sectionHeader: UInt32 = 0x0A0D_0D0A
  private static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
  private enum Block {
    static let interface: UInt32 = 1
    static let packet: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
  }
  private enum Option {
    static let end: UInt16 = 0
    static let comment: UInt16 = 1
    static let application: UInt16 = 4
    static let timeResolution: UInt16 = 9
    static let timeOffset: UInt16 = 14
  }

  mutating func next(_ bytes: RawSpan, at offset: inout Int) -> FormatStep {
    guard bytes.byteCount - offset >= 12 else { return .more(12) }
    let type: UInt32 = bytes.integer(offset, isLittleEndian: isLittleEndian)
    if type == Self.sectionHeader, let problem = beginSection(bytes, at: offset) { return problem }
    let byteCount = Int(bytes.integer(offset + 4, isLittleEndian: isLittleEndian) as UInt32)
    guard byteCount >= 12, byteCount % 4 == 0 else { return .damage(.badRecord, isFatal: true) }
    guard byteCount <= CaptureLimits.recordByteCount else {
      return .damage(.recordTooLong(byteCount: byteCount, limit: CaptureLimits.recordByteCount), isFatal: true)
    }
    guard bytes.byteCount - offset >= byteCount else { return .more(byteCount) }
    let body = (offset + 8)..<(offset + byteCount - 4)
    offset += byteCount
    switch type {
    case Self.sectionHeader: return checkVersion(bytes, body)
    case Block.interface: return addInterface(bytes, body)
    case Block.enhancedPacket: return enhancedPacket(bytes, body)
    case Block.simplePacket: return simplePacket(bytes, body)
    case Block.packet: return packet(bytes, body)
    default: return .block(CaptureBlock(type: type, isLittleEndian: isLittleEndian, range: body))
    }
  }

  /// Reads the byte order of a section, and removes the interfaces of the section before.
  private mutating func beginSection(_ bytes: RawSpan, at offset: Int) -> FormatStep? {
    switch bytes.integer(offset + 8, isLittleEndian: true) as UInt32 {
    case Self.byteOrderMagic: isLittleEndian = true
    case Self.byteOrderMagic.byteSwapped: isLittleEndian = false
    default: return .damage(.badRecord, isFatal: true)
    }
    interfaces = []
    return nil
  }

  private func checkVersion(_ bytes: RawSpan, _ body: Range<Int>) -> FormatStep {
    guard body.count >= 16 else { return .damage(.badRecord, isFatal: true) }
    let major: UInt16 = bytes.integer(body.lowerBound + 4, isLittleEndian: isLittleEndian)
    guard major == 1 else { return .damage(.unsupportedVersion(UInt32(major)), isFatal: true) }
    let block = CaptureBlock(type: Self.sectionHeader, isLittleEndian: isLittleEndian, range: body)
    return Self.mark(of: block, bytes.extracting(body)) == nil ? .passed : .block(block)
  }

  /// A mark of a section header of this project.
  enum SectionMark { case own, decrypted }

  /// Returns the mark of a section header; nil for one of another program.
  ///
  /// - Parameter bytes: The body of the block.
  static func mark(of block: CaptureBlock, _ bytes: RawSpan) -> SectionMark? {
    guard block.type == sectionHeader, bytes.byteCount >= 16 else { return nil }
    var mark: SectionMark?
    eachOption(bytes, 16..<bytes.byteCount, isLittleEndian: block.isLittleEndian) { code, value in
      let text = [UInt8](copying: bytes.extracting(value))
      if code == Option.comment, DecryptedMark.isSection(text) { mark = .decrypted }
      if code == Option.application, mark == nil, text == DecryptedMark.application { mark = .own }
    }
    return mark
  }

  /// The maximum number of interfaces of a section; real machines have a few dozen.
  private static let maximumInterfaces = 65_536

  private mutating func addInterface(_ bytes: RawSpan, _ body: Range<Int>) -> FormatStep {
    guard body.count >= 8, interfaces.count < Self.maximumInterfaces else { return .damage(.badRecord, isFatal: false) }
    let linkType: UInt16 = bytes.integer(body.lowerBound, isLittleEndian: isLittleEndian)
    var interface = Interface(
      encapsulation: CaptureEncapsulation(linkType: UInt32(linkType), isLittleEndian: isLittleEndian))
    Self.eachOption(bytes, (body.lowerBound + 8)..<body.upperBound, isLittleEndian: isLittleEndian) { code, value in
      if code == Option.timeResolution, value.count >= 1 {
        interface.unitsPerSecond = Self.units(bytes.byte(value.lowerBound))
      }
      if code == Option.timeOffset, value.count >= 8 {
        interface.offsetSeconds = bytes.integer(value.lowerBound, isLittleEndian: isLittleEndian)
      }
    }
    interfaces.append(interface)
    return .passed
  }

  /// - Parameter body: called with the code of each option and the range of its value.
  private static func eachOption(
    _ bytes: RawSpan, _ range: Range<Int>, isLittleEndian: Bool, _ body: (UInt16, Range<Int>) -> Void
  ) {
    var offset = range.lowerBound
    while range.upperBound - offset >= 4 {
      let code: UInt16 = bytes.integer(offset, isLittleEndian: isLittleEndian)
      let length = Int(bytes.integer(offset + 2, isLittleEndian: isLittleEndian) as UInt16)
      guard code != Option.end, offset + 4 + length <= range.upperBound else { return }
      body(code, (offset + 4)..<(offset + 4 + length))
      offset += 4 + (length + 3) / 4 * 4
    }
  }

  /// Returns the units per second. Bit 7 selects two as the base instead of ten; the other bits are the negative
  /// exponent. Exponents that no clock has count as microseconds.
  private static func units(_ resolution: UInt8) -> UInt64 {
    let exponent = Int(resolution & 0x7F)
    if resolution & 0x80 != 0 { return exponent < 63 ? 1 << UInt64(exponent) : 1_000_000 }
    return exponent <= 18 ? (0..<exponent).reduce(1) { product, _ in product * 10 } : 1_000_000
  }

  /// Returns the time since the Unix epoch. Times beyond 64 bits are returned as the nearest.
  private func nanoseconds(_ ticks: UInt64, _ interface: Interface) -> Int64 {
    let units = interface.unitsPerSecond
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: units)
    let fraction = rest.multipliedFullWidth(by: 1_000_000_000)
    let part = units.dividingFullWidth(fraction).quotient
    let whole = Int64(truncatingIfNeeded: seconds) &+ interface.offsetSeconds
    let (product, isTooFar) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooMuch) = product.addingReportingOverflow(Int64(part))
    return isTooFar || isTooMuch ? (whole < 0 ? .min : .max) : sum
  }

  private func enhancedPacket(_ bytes: RawSpan, _ body: Range<Int>) -> FormatStep {
    guard body.count >= 20 else { return .damage(.badRecord, isFatal: false) }
    let start = body.lowerBound
    let number = Int(bytes.integer(start, isLittleEndian: isLittleEndian) as UInt32)
    return packet(bytes, body, interface: number, header: 20)
  }

  /// Reads the obsolete packet block: its first two bytes are the interface, the next two the drops.
  private func packet(_ bytes: RawSpan, _ body: Range<Int>) -> FormatStep {
    guard body.count >= 20 else { return .damage(.badRecord, isFatal: false) }
    let number = Int(bytes.integer(body.lowerBound, isLittleEndian: isLittleEndian) as UInt16)
    return packet(bytes, body, interface: number, header: 20)
  }

  private func packet(_ bytes: RawSpan, _ body: Range<Int>, interface number: Int, header: Int) -> FormatStep {
    guard interfaces.indices.contains(number) else { return .damage(.unknownInterface(number), isFatal: false) }
    let start = body.lowerBound
    let high: UInt32 = bytes.integer(start + 4, isLittleEndian: isLittleEndian)
    let low: UInt32 = bytes.integer(start + 8, isLittleEndian: isLittleEndian)
    let captured = Int(bytes.integer(start + 12, isLittleEndian: isLittleEndian) as UInt32)
    let original = Int(bytes.integer(start + 16, isLittleEndian: isLittleEndian) as UInt32)
    guard captured <= body.count - header else { return .damage(.badRecord, isFatal: false) }
    let data = (start + header)..<(start + header + captured)
    var frame = CaptureFrame(
      number: 0, nanoseconds: nanoseconds(UInt64(high) << 32 | UInt64(low), interfaces[number]),
      encapsulation: interfaces[number].encapsulation, range: data, originalByteCount: original, offset: 0)
    let options = min(body.upperBound, data.lowerBound + (captured + 3) / 4 * 4)..<body.upperBound
    if options.count >= 4 {
      Self.eachOption(bytes, options, isLittleEndian: isLittleEndian) { code, value in
        if code == Option.comment, frame.comment == nil { frame.comment = value }
      }
    }
    return .frame(frame)
  }

  /// Reads a simple packet block: it has no time, and its interface is always the first.
  private func simplePacket(_ bytes: RawSpan, _ body: Range<Int>) -> FormatStep {
    guard body.count >= 4 else { return .damage(.badRecord, isFatal: false) }
    guard let interface = interfaces.first else { return .damage(.unknownInterface(0), isFatal: false) }
    let original = Int(bytes.integer(body.lowerBound, isLittleEndian: isLittleEndian) as UInt32)
    let captured = min(original, body.count - 4)
    let start = body.lowerBound + 4
    return .frame(
      CaptureFrame(
        number: 0, nanoseconds: nil, encapsulation: interface.encapsulation, range: start..<(start + captured),
        originalByteCount: original, offset: 0))
  }
}
