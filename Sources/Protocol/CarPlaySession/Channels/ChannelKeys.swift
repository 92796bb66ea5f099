// swift-iap2 · Apache-2.0

public import Cryptography

/// The keys of the two directions of a channel, 32 bytes each. Source: CarPlaySession.md#keys.
public struct ChannelKeys: Sendable, Hashable {
  /// The key for the bytes that the phone writes.
  public var phone: Secret
  /// The key for the bytes that the head unit writes.
  public var headUnit: Secret

  private init(_ secret: Secret, salt: String, phone: String, headUnit: String) {
    self.phone = PairingCipher.derive(secret, salt: salt, info: phone)
    self.headUnit = PairingCipher.derive(secret, salt: salt, info: headUnit)
  }

  /// Returns the keys of the control channel.
  public static func control(_ secret: Secret) -> Self {
    Self(
      secret, salt: "Control-Salt", phone: "Control-Write-Encryption-Key", headUnit: "Control-Read-Encryption-Key")
  }

  /// Returns the keys of the event channel. The head unit sends the requests there, so the derivation strings swap read
  /// and write.
  public static func events(_ secret: Secret) -> Self {
    Self(secret, salt: "Events-Salt", phone: "Events-Read-Encryption-Key", headUnit: "Events-Write-Encryption-Key")
  }

  /// Returns the key of one direction of a stream, as ``stream(_:id:)`` does.
  static func stream(_ secret: Secret, id: UInt64, from side: SessionSide) -> Secret {
    PairingCipher.derive(secret, salt: streamSalt(id), info: side == .phone ? streamInfo.phone : streamInfo.headUnit)
  }

  private static let streamInfo = (
    phone: "DataStream-Output-Encryption-Key", headUnit: "DataStream-Input-Encryption-Key"
  )

  private static func streamSalt(_ id: UInt64) -> String { "DataStream-Salt\(id)" }

  /// Returns the keys of a stream by its `streamConnectionID` or `seed`, an unsigned number.
  public static func stream(_ secret: Secret, id: UInt64) -> Self {
    Self(secret, salt: streamSalt(id), phone: streamInfo.phone, headUnit: streamInfo.headUnit)
  }
}
