// swift-iap2 · Apache-2.0

import Cryptography
import IAP2Authentication

/// The target for the certificate of an accessory, which a peer sends, and for the PEM text of a user.
///
/// Input: a certificate, a container with one, or a PEM text.
enum CertificateTarget {
  /// The levels of a DER structure that are examined. A certificate has about ten.
  private static let maximumDepth = 12

  static func check(_ bytes: [UInt8]) throws(Finding) {
    try checkStructure(bytes)
    try checkContainer(bytes)
    try checkTrust(bytes)
    let blocks: [PEMBlock]
    do { blocks = try PEMBlock.blocks(in: bytes.span) } catch {
      guard case .malformedPEM = error else { throw Finding("PEM: \(error)") }
      return
    }
    for block in blocks { try checkContainer(block.bytes) }
  }

  private static func checkStructure(_ bytes: [UInt8]) throws(Finding) {
    let root: DERElement
    do { root = try DERElement(bytes.span) } catch {
      try require(error == .malformedDER, "DER: \(error)")
      return
    }
    try check(root, bytes, depth: 0)
  }

  /// The elements inside of another one fill its contents.
  private static func check(_ element: DERElement, _ bytes: [UInt8], depth: Int) throws(Finding) {
    try require(element.range.upperBound <= bytes.count, "an element ends at \(element.range.upperBound)")
    try require(element.contents.upperBound == element.range.upperBound, "an element ends behind its contents")
    guard depth < maximumDepth else { return }
    let children: [DERElement]?
    do { children = try element.children(element.tag, in: bytes.span) } catch { return }
    var end = element.contents.lowerBound
    for child in children ?? [] {
      try require(child.range.lowerBound == end, "a gap before an element at \(child.range.lowerBound)")
      end = child.range.upperBound
      try check(child, bytes, depth: depth + 1)
    }
    try require(children == nil || end == element.contents.upperBound, "bytes behind the last element")
  }

  /// A certificate that can be read is the only one of a new container.
  private static func checkContainer(_ bytes: [UInt8]) throws(Finding) {
    let places: [Range<Int>]
    do { places = try PKCS7.certificates(in: bytes.span) ?? [0..<bytes.count] } catch { return }
    for place in places {
      try require(place.upperBound <= bytes.count, "a certificate ends at \(place.upperBound)")
      let certificate: Certificate
      do { certificate = try Certificate(der: bytes[place].span) } catch { continue }
      _ = (certificate.subject, certificate.issuer, certificate.isIssued(by: certificate))
      do { _ = try certificate.keyKind } catch {}
      let container = PKCS7.container(of: certificate)
      let found: [Range<Int>]?
      do { found = try PKCS7.certificates(in: container.span) } catch { throw Finding("a new container: \(error)") }
      try require(found?.map { Array(container[$0]) } == [Array(bytes[place])], "the container has another certificate")
    }
  }

  /// The test CA issued one certificate, so no other one is trusted.
  private static func checkTrust(_ bytes: [UInt8]) throws(Finding) {
    do { _ = try AuthenticationVerifier.test.challengeByteCount(for: bytes) } catch { return }
    try require(contains(bytes, trusted), "a certificate that the test CA did not issue is trusted")
  }

  private static func contains(_ bytes: [UInt8], _ part: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { bytes[$0...].starts(with: part) }
  }

  /// The certificate of the test accessory.
  private static let trusted: ArraySlice<UInt8> = {
    do throws(CryptographyError) {
      if let place = try PKCS7.certificates(in: container.span)?.first { return container[place] }
    } catch {}
    preconditionFailure("the committed test material is unusable")
  }()

  private static let container: [UInt8] = {
    do throws(AuthenticationError) {
      let challenge = [UInt8](repeating: 1, count: P256.digestByteCount)
      return try SoftwareAuthenticator.test.evidence(over: challenge).certificate
    } catch { preconditionFailure("the committed test material is unusable: \(error)") }
  }()

  /// The committed test material as containers and as a certificate.
  static var seeds: [String: [UInt8]] {
    ["container": container, "certificate": Array(trusted), "old chip": AccessoryCertificate.oldTestChip]
  }
}
