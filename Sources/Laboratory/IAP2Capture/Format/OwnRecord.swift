// swift-iap2 · Apache-2.0

package import IAP2

/// The project's own link type for the link bytes of one write or read of a transport.
///
/// Four bytes precede them: version 1, sender (0 accessory, 1 device), number of the connection (u16, big-endian).
public enum OwnRecord {
  /// The value of LINKTYPE_USER10.
  public static let linkType: UInt32 = 157
  static let headerByteCount = 4
  private static let version: UInt8 = 1

  /// Returns the four bytes that precede the link bytes.
  package static func header(from: Side, connection: UInt16) -> [UInt8] {
    [version, from == .accessory ? 0 : 1] + connection.bigEndianBytes
  }

  /// Returns nil for bytes that do not begin with such a header.
  static func read(_ bytes: RawSpan) -> (from: Side, connection: UInt16)? {
    guard bytes.byteCount >= headerByteCount, bytes.byte(0) == version, bytes.byte(1) <= 1 else { return nil }
    return (bytes.byte(1) == 0 ? .accessory : .device, bytes.bigEndian16(2))
  }
}
