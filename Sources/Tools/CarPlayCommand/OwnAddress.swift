// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography

extension PairingIdentity {
  /// A MAC address derived from the key. It has the bit of locally administered addresses.
  var macAddress: String {
    let bytes = [0x02] + HashFunction.sha256.hash(publicKey).prefix(5)
    return bytes.map { Hex.text([$0]).uppercased() }.joined(separator: ":")
  }
}
