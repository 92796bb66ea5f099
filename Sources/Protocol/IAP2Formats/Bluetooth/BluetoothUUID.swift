// swift-iap2 · Apache-2.0

package import IAP2

/// A UUID of 128 bits in the order in which it is written: the high byte first.
package struct BluetoothUUID: Sendable, Hashable {
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a UUID from 16 bytes, the high one first; nil for another number of bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a UUID such as `00000000-deca-fade-deca-deafdecacaff`, in upper or lower case; nil for any other text.
  package init?(_ text: some StringProtocol) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
      groups.allSatisfy({ $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }),
      let high = UInt64(groups[0...2].joined(), radix: 16), let low = UInt64(groups[3...4].joined(), radix: 16)
    else { return nil }
    self.high = high
    self.low = low
  }

  /// The 16 bytes, the high one first.
  package var bytes: [UInt8] {
    [high, low].flatMap { half in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) } }
  }

  /// The UUID with its bytes in reverse order, as some senders write it by mistake.
  package var reversed: BluetoothUUID { BluetoothUUID(high: low.byteSwapped, low: high.byteSwapped) }
}

extension BluetoothUUID: CustomStringConvertible {
  /// The UUID as text, in lower-case digits.
  package var description: String {
    let digits = [high, low].map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var rest = digits[...]
    return [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}

/// A service of this protocol that a host announces with a UUID (Bluetooth.md#services;
/// CarPlayStart.md#wireless-order).
package enum BluetoothService: CaseIterable, Sendable {
  /// An accessory that accepts connections from a device (Bluetooth.md#uuid-accessory; high).
  case accessory
  /// A device that accepts connections from an accessory (Bluetooth.md#uuid-device; high).
  case device
  /// "Wireless iAP v2", which a device publishes too (Bluetooth.md#uuid-sources; medium: CAT). Three sources connect to
  /// ``device``, which works. Unverified: that a connection to this service works (Bluetooth.md#uuid-to-dial).
  case wirelessDevice
  /// An accessory that supports wireless CarPlay (Bluetooth.md#uuid-carplay-accessory; high).
  case carPlayAccessory
  /// A device that supports wireless CarPlay (Bluetooth.md#uuid-carplay-device; medium).
  case carPlayDevice

  /// The UUID of the service.
  package var uuid: BluetoothUUID {
    let text =
      switch self {
      case .accessory: "00000000-deca-fade-deca-deafdecacaff"
      case .device: "00000000-deca-fade-deca-deafdecacafe"
      case .wirelessDevice: "02030302-1d19-415f-86f2-22a2106a0a77"
      case .carPlayAccessory: "ec884348-cd41-40a2-9727-575d50bf1fd3"
      case .carPlayDevice: "2d8d2466-e14d-451c-88bc-7301abea291a"
      }
    guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is no UUID") }
    return uuid
  }

  /// Returns the service that a host announces; nil for any other UUID. At least one head unit writes a UUID of its
  /// inquiry response in the wrong byte order (Bluetooth.md#eir-order; medium), so both orders are accepted.
  package init?(announced uuid: BluetoothUUID) {
    guard let service = Self.allCases.first(where: { $0.uuid == uuid || $0.uuid.reversed == uuid }) else { return nil }
    self = service
  }

  /// Returns the service on which a side accepts connections from the other.
  package static func link(of side: Side) -> BluetoothService {
    switch side {
    case .accessory: .accessory
    case .device: .device
    }
  }
}
