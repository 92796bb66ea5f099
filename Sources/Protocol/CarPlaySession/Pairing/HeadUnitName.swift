// swift-iap2 · Apache-2.0

/// How a head unit's start message names the identity that it proves in pairing: field 4 of CarPlayStartSession.
///
/// Our head unit states its key. LIVI puts its identifier there (one source). Source: CarPlayStart.md#start-field-4.
public enum HeadUnitName: Sendable, Hashable {
  /// The 32 bytes of its Ed25519 key.
  case publicKey([UInt8])
  /// Its identifier, a UUID in capital letters.
  case identifier(String)

  /// Reads a field: 64 hexadecimal digits, or a UUID. A field of another form is nil, and nothing is compared with it.
  public init?(field: String) {
    let digits = field.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    let groups = field.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
    if field.utf8.count == 64, digits.count == 64 {
      self = .publicKey(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    } else if groups == [8, 4, 4, 4, 12], digits.count == 32 {
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
