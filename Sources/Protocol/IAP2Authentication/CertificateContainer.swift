// swift-iap2 · Apache-2.0
import SwiftASN1

/// The degenerate PKCS#7 signedData (one without signatures) in which real chips return their certificate.
enum CertificateContainer {
  /// The largest size in bytes of a certificate in its container.
  static let byteLimit = 65_000

  private static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
  private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
  private static let contextTag0 = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)

  /// Returns the only X.509 certificate (DER) inside a PKCS#7 container, or the bytes themselves if they are a bare
  /// certificate.
  static func certificate(in bytes: [UInt8]) throws(AuthenticationError) -> ArraySlice<UInt8> {
    guard bytes.count <= byteLimit else { throw .certificateTooLong(byteCount: bytes.count) }
    let root = try reading(.malformedCertificate) { try DER.parse(bytes) }
    guard let parts = root.children(.sequence), let first = parts.first else { throw .malformedCertificate }
    // A certificate starts with a SEQUENCE, a ContentInfo with the object identifier of its content.
    guard first.identifier == .objectIdentifier else { return root.encodedBytes }
    let kind = try reading(.malformedCertificate) { try ASN1ObjectIdentifier(derEncoded: first) }
    guard kind == signedData, parts.count == 2,
      let content = parts[1].children(contextTag0), content.count == 1,
      let fields = content[0].children(.sequence), fields.count >= 4, fields[0].identifier == .integer,
      fields[1].identifier == .set, fields[2].identifier == .sequence
    else { throw .malformedCertificate }
    guard let certificates = fields[3].children(contextTag0) else { throw .wrongCertificateCount(found: 0) }
    guard certificates.count == 1 else { throw .wrongCertificateCount(found: certificates.count) }
    return certificates[0].encodedBytes
  }

  /// Returns a container with this X.509 certificate (DER). The bytes equal those that `openssl crl2pkcs7 -nocrl`
  /// makes.
  static func wrap(_ certificate: ArraySlice<UInt8>) throws(AuthenticationError) -> [UInt8] {
    do {
      var serializer = DER.Serializer()
      try serializer.appendConstructedNode(identifier: .sequence) { info in
        try info.serialize(signedData)
        try info.appendConstructedNode(identifier: contextTag0) { content in
          try content.appendConstructedNode(identifier: .sequence) { signed in
            try signed.serialize(1)
            signed.appendConstructedNode(identifier: .set) { _ in }
            try signed.appendConstructedNode(identifier: .sequence) { try $0.serialize(data) }
            signed.appendConstructedNode(identifier: contextTag0) { $0.serializeRawBytes(certificate) }
            signed.appendConstructedNode(identifier: .set) { _ in }
          }
        }
      }
      let bytes = serializer.serializedBytes
      guard bytes.count <= byteLimit else { throw AuthenticationError.certificateTooLong(byteCount: bytes.count) }
      return bytes
    } catch let error as AuthenticationError {
      throw error
    } catch {
      throw .malformedCertificate
    }
  }
}

extension ASN1Node {
  /// Returns the nodes inside this one if it has the identifier and is constructed; nil otherwise.
  func children(_ identifier: ASN1Identifier) -> [ASN1Node]? {
    guard self.identifier == identifier, case .constructed(let nodes) = content else { return nil }
    return Array(nodes)
  }
}
