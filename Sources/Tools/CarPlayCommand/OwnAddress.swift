// swift-iap2 · Apache-2.0

import CarPlaySession
import Crypto
import IAP2Capture

extension PairingIdentity {
  /// A MAC address out of the key. It has the bit of addresses without a vendor.
  var macAddress: String {
    let bytes = [0x02] + Array(SHA256.hash(data: publicKey).prefix(5))
    return bytes.map { Hex.text([$0]).uppercased() }.joined(separator: ":")
  }
}
