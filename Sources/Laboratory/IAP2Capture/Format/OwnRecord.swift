// swift-iap2 · Apache-2.0

package import IAP2

/// The project's own link type: link bytes as one write or read of a transport had them, behind four bytes that say whose
/// they are: version 1, sender (0 accessory, 1 device), number of the connection u16 big-endian.
public enum OwnRecord {
  /// LINKTYPE_USER10.
  public static let linkType: UInt32 = 157
  static let headerByteCount = 4
  private static let version: UInt8 = 1

  package static func header(from: Side, connection: UInt16) -> [UInt8] {
    [version, from == .accessory ? 0 : 1] + connection.bigEndianBytes
  }

  /// Nil for what is not ours.
  static func read(_ bytes: RawSpan) -> (from: Side, connection: UInt16)? {
    guard bytes.byteCount >= headerByteCount, bytes.byte(0) == version, bytes.byte(1) <= 1 else { return nil }
    return (bytes.byte(1) == 0 ? .accessory : .device, bytes.bigEndian16(2))
  }
}
