// swift-iap2 · Apache-2.0

import Basics

/// The name of the identity that a head unit proves in pairing, as its start message states it: field 4 of
/// CarPlayStartSession.
///
/// Our head unit states its key. LIVI states its identifier (one source). Source: CarPlayStart.md#start-field-4.
public enum HeadUnitName: Sendable, Hashable {
  /// The 32 bytes of its Ed25519 key.
  case publicKey([UInt8])
  /// Its identifier, a UUID in capital letters.
  case identifier(String)

  /// Reads a field: 64 hexadecimal digits, or a UUID. A field of another form gives nil, so that no identity is
  /// compared with it.
  public init?(field: String) {
    let groups = field.split(separator: "-", omittingEmptySubsequences: false)
    if field.utf8.count == 64, let key = Hex.bytes(field[...]) {
      self = .publicKey(key)
    } else if groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ Hex.bytes($0) != nil }) {
      self = .identifier(field.uppercased())
    } else {
      return nil
    }
  }

  /// Whether a head unit that has proved its key has this name.
  func isName(of headUnit: PairedPeer) -> Bool {
    switch self {
    case .publicKey(let key): headUnit.publicKey == key
    case .identifier(let text): headUnit.identifier.uppercased() == text
    }
  }
}
