// swift-iap2 · Apache-2.0

import IAP2

/// A reader of the text of Linux's usbmon (CaptureFormats.md#usbmon-text). Each line becomes a record as the binary
/// interface has it, so that both have one decoder.
struct USBMonText: TextForm {
  /// Returns nil unless one of the lines is of this form, which no other text has.
  init?(_ lines: [Substring]) {
    guard lines.contains(where: { Self.record($0) != nil }) else { return nil }
  }

  /// The bytes of the header that link type 220 has before the data.
  private static let headerByteCount = 64

  var kind: TextFormKind { .usbmon }

  mutating func take(_ line: Substring) -> TextOutcome {
    Self.record(line).map { TextOutcome(records: [$0], hasBytes: true) } ?? TextOutcome()
  }

  mutating func finish() -> [HexDump.Record] { [] }

  /// Returns the record of a line `tag time event address status [length [= data]]`, which may stand behind the time and
  /// the name of a system log; nil for any other line.
  private static func record(_ line: Substring) -> HexDump.Record? {
    var words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }[...]
    // Three words precede the address.
    guard let place = words.firstIndex(where: { Address($0) != nil }), place >= 3 else { return nil }
    words = words[(place - 3)...]
    guard let tag = words.popFirst(), let id = UInt64(tag, radix: 16), let stamp = words.popFirst(),
      let microseconds = UInt64(stamp), let event = words.popFirst(), ["S", "C", "E"].contains(event),
      let address = words.popFirst().flatMap(Address.init)
    else { return nil }
    var setup: [UInt8] = []
    var status: Int32 = 0
    if words.first == "s" {
      words.removeFirst()
      guard let bytes = Self.setup(words.prefix(5)) else { return nil }
      setup = bytes
      words = words.dropFirst(5)
    } else {
      // Behind a colon stand the interval and the frame.
      guard let word = words.popFirst(), let number = Int32(word.prefix { $0 != ":" }) else { return nil }
      status = number
    }
    let length = words.popFirst().flatMap { UInt32($0) } ?? 0
    let isFollowed = words.popFirst() == "="
    let data = isFollowed ? words.compactMap(Hex.bytes).flatMap { $0 } : []
    var bytes = little(id) + Array(event.utf8) + [address.transfer, address.endpoint, address.device]
    bytes += little(address.bus)
    bytes += [setup.isEmpty ? UInt8(ascii: "-") : 0, isFollowed ? 0 : UInt8(ascii: "<")]
    bytes += little(microseconds / 1_000_000) + little(UInt32(microseconds % 1_000_000))
    bytes += little(status) + little(length) + little(UInt32(clamping: data.count))
    bytes += setup.isEmpty ? [UInt8](repeating: 0, count: 8) : setup
    bytes += [UInt8](repeating: 0, count: headerByteCount - bytes.count) + data
    return HexDump.Record(
      time: Double(microseconds) / 1e6, sender: .unknown, bytes: bytes,
      // The kernel prints at most 32 bytes.
      isElided: isFollowed && data.count < Int(length),
      encapsulation: .usbLinux(headerByteCount: headerByteCount, isLittleEndian: true))
  }

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<MemoryLayout<Number>.size).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
  }

  /// Returns the eight setup bytes of `23 01 0012 0001 0000`; nil for other words.
  private static func setup(_ words: ArraySlice<Substring>) -> [UInt8]? {
    let numbers = words.compactMap { UInt16($0, radix: 16) }
    guard numbers.count == 5, numbers[0] <= 0xFF, numbers[1] <= 0xFF else { return nil }
    return [UInt8(numbers[0]), UInt8(numbers[1])] + numbers[2...].flatMap(little)
  }

  /// The address of a line: `Bo:1:005:2`, or `Bo:005:02` without a bus.
  private struct Address {
    var transfer: UInt8
    var endpoint: UInt8
    var device: UInt8
    var bus: UInt16 = 0

    /// The transfer types of ``USBTransfer/Kind``, by their letters.
    private static let transfers: [Character: UInt8] = ["Z": 0, "I": 1, "C": 2, "B": 3]

    init?(_ word: Substring) {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 3 || parts.count == 4, parts[0].count == 2, let transfer = parts[0].first,
        let type = Self.transfers[transfer], let device = UInt8(parts[parts.count - 2]),
        let endpoint = UInt8(parts[parts.count - 1]), endpoint < 16, "io".contains(parts[0].dropFirst())
      else { return nil }
      self.transfer = type
      self.device = device
      self.endpoint = endpoint | (parts[0].hasSuffix("i") ? 0x80 : 0)
      guard parts.count == 4 else { return }
      guard let bus = UInt16(parts[1]) else { return nil }
      self.bus = bus
    }
  }
}
