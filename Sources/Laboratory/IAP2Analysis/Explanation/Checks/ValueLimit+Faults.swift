// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Formats

extension ValueLimit {
  /// Returns the fault of a value as the end of a sentence, such as `has 33 bytes`; nil for a value within the limit,
  /// and for one of another type, which breaks its schema.
  func fault(in value: ParameterNode.Value) -> String? {
    switch (self, value) {
    case (.percent, .unsigned(let number)): number <= 100 ? nil : "is \(number)"
    case (.port, .unsigned(let number)): (1...0xFFFF).contains(number) ? nil : "is \(number)"
    case (.deviceFile, .unsigned(let number)): number >= 0x80 ? nil : "is \(number)"
    case (.channel, .unsigned(let number)): Self.channels.contains(number) ? nil : "is \(number)"
    case (.networkName, .text(let name)): (1...32).contains(name.utf8.count) ? nil : Self.size(name.utf8.count)
    case (.hardwareAddress, .bytes(let bytes)): bytes.count == 6 ? nil : Self.size(bytes.count)
    case (.challenge, .bytes(let bytes)): [20, 32].contains(bytes.count) ? nil : Self.size(bytes.count)
    case (.signature, .bytes(let bytes)): [64, 128].contains(bytes.count) ? nil : Self.size(bytes.count)
    case (.internetAddress, .text(let text)): Self.isAddress(text) ? nil : "is \(text.briefly)"
    case (.language, .text(let text)): Self.isLanguage(text) ? nil : "is \(text.briefly)"
    case (.reportDescriptor, .bytes(let bytes)): Self.descriptorFault(bytes)
    default: nil
    }
  }

  /// The channels of the bands of 2.4 and 5 GHz, and 0 for none in particular.
  private static let channels: Set<UInt64> =
    Set(0...14).union(stride(from: 36, through: 64, by: 4)).union(stride(from: 100, through: 144, by: 4))
    .union(stride(from: 149, through: 177, by: 4))

  private static func size(_ count: Int) -> String { "has \(count) byte\(count == 1 ? "" : "s")" }

  /// Returns whether a text is an address of IPv4, or one of IPv6 with or without a zone.
  private static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first, parts.count == 1 || !parts[1].isEmpty else { return false }
    return isIPv6(host) || parts.count == 1 && isIPv4(host)
  }

  private static func isIPv4(_ host: Substring) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { $0.utf8.allSatisfy(\.isDigit) && UInt8($0) != nil }
  }

  /// Groups of four hexadecimal digits, of which one run of zeros may be left out.
  private static func isIPv6(_ host: Substring) -> Bool {
    let halves = host.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    var count = 0
    for half in halves where !half.isEmpty {
      for group in half.split(separator: ":", omittingEmptySubsequences: false) {
        guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy({ Hex.digit($0) != nil }) else { return false }
        count += 1
      }
    }
    return halves.count == 2 ? count < 8 : count == 8
  }

  /// Returns whether a text has the form of a language tag: a language of two or three letters, then parts of one to
  /// eight letters and digits.
  private static func isLanguage(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard let language = parts.first, (2...3).contains(language.count), language.allSatisfy(\.isLetter) else {
      return false
    }
    return parts.dropFirst().allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { $0.isLetter || $0.isDigit } }
  }

  private static func descriptorFault(_ bytes: [UInt8]) -> String? {
    do {
      _ = try HIDReportDescriptor(bytes)
      return nil
    } catch {
      return "cannot be read: \(error)"
    }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
  }
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension String {
  /// The text in quotes, cut after some characters so that a report stays one line.
  fileprivate var briefly: String {
    let kept = prefix(Self.maximumShown)
    return (String(kept) + (kept.endIndex == endIndex ? "" : "…")).quoted
  }

  private static var maximumShown: Int { 48 }
}
