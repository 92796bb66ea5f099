// swift-iap2 · Apache-2.0

/// The address of a Bluetooth controller, written `00:AA:01:01:00:01`.
public struct BluetoothAddress: Sendable, Hashable {
  /// The six bytes in the order in which the address is written. On the wire and in system structures the order is
  /// reversed.
  public let bytes: [UInt8]

  /// Reads an address of six pairs of hexadecimal digits; nil for any other text.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit), let byte = UInt8(part, radix: 16) else { return nil }
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  /// Creates an address from six bytes in wire order; nil for another number of bytes.
  package init?(wire bytes: some BidirectionalCollection<UInt8>) {
    guard bytes.count == 6 else { return nil }
    self.bytes = bytes.reversed()
  }
}

extension BluetoothAddress: CustomStringConvertible {
  /// The address as text, in upper-case digits.
  public var description: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
  }
}
