// swift-iap2 · Apache-2.0
import SwiftASN1

/// The kind of a certificate's key, which determines the challenge.
enum CertificateKind: Equatable {
  /// The P-256 key of current chips. Only this kind is verified.
  case p256
  /// The RSA-1024 key of old chips, which sign a challenge of 20 bytes with 128 bytes.
  case rsa1024
  /// Any other key.
  case other

  private static let ellipticCurveKey: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
  private static let curveP256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 3, 1, 7]
  private static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]

  /// Reads an X.509 certificate (DER) up to its key. The certificate library is not used here, because it reads no
  /// RSA-1024 keys.
  init(of certificate: ArraySlice<UInt8>) throws(AuthenticationError) {
    let root = try reading(.malformedCertificate) { try DER.parse(certificate) }
    guard let outer = root.children(.sequence), outer.count == 3, var fields = outer[0].children(.sequence)
    else { throw .malformedCertificate }
    // The version is optional. The fields after it are serial number, algorithm, issuer, validity, subject and key.
    if fields.first?.identifier.tagClass == .contextSpecific { fields.removeFirst() }
    guard fields.count >= 6, let key = fields[5].children(.sequence), key.count == 2,
      let algorithm = key[0].children(.sequence), let name = algorithm.first
    else { throw .malformedCertificate }
    let identifier = try reading(.malformedCertificate) { try ASN1ObjectIdentifier(derEncoded: name) }
    let bits = try reading(.malformedCertificate) { try ASN1BitString(derEncoded: key[1]) }
    if identifier == Self.ellipticCurveKey, algorithm.count == 2 {
      // A certificate may also give the curve by its parameters instead of its name.
      guard algorithm[1].identifier == .objectIdentifier else {
        self = .other
        return
      }
      let curve = try reading(.malformedCertificate) { try ASN1ObjectIdentifier(derEncoded: algorithm[1]) }
      self = curve == Self.curveP256 ? .p256 : .other
      return
    }
    guard identifier == Self.rsaEncryption else {
      self = .other
      return
    }
    let numbers = try reading(.malformedCertificate) { try DER.parse(bits.bytes) }.children(.sequence)
    guard let modulus = numbers?.first, modulus.identifier == .integer, case .primitive(let bytes) = modulus.content
    else { throw .malformedCertificate }
    self = bytes.drop { $0 == 0 }.count == 128 ? .rsa1024 : .other
  }
}
