// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
package import IAP2Transport

/// The result of a test of a coprocessor: its information, memory, certificate and a signature.
package struct CoprocessorCheck: Encodable {
  package struct Information: Encodable {
    /// The version, 2.0C or 3.0; nil for another one.
    package var version: String?
    package var deviceVersion: String
    package var revision: String
    package var `protocol`: String
    package var deviceID: String
  }

  package struct Memory: Encodable {
    package var certificate: Bool
    package var key: Bool
  }

  package struct Certificate: Encodable {
    package var byteCount: Int
    package var subject: String?
    package var issuer: String?
    package var serialNumber: String?
    package var seconds: Double
  }

  package struct Signature: Encodable {
    package var challengeByteCount: Int
    package var byteCount: Int
    /// Whether the signature is valid; nil for the RSA-1024 keys of old chips, which cannot be verified.
    package var verified: Bool?
    package var seconds: Double
  }

  package var address: String
  package var ok = false
  package var information: Information?
  package var memory: Memory?
  package var certificate: Certificate?
  /// The serial number as the chip stores it.
  package var serialNumber: String?
  package var signature: Signature?
  package var problems: [String] = []

  /// Reads everything and signs a random challenge. A failed step is a problem; the next steps still run.
  ///
  /// - Throws: The error if the chip cannot be reached.
  package static func run(
    _ chip: any CoprocessorAccess, clock: any RuntimeClock
  ) async throws(CoprocessorError) -> CoprocessorCheck {
    var check = CoprocessorCheck(address: chip.address)
    let found = try await chip.information()
    check.information = Information(
      version: found.version?.name, deviceVersion: hex2(found.deviceVersion), revision: hex2(found.revision),
      protocol: "\(found.protocolMajor).\(found.protocolMinor)",
      deviceID: (0..<4).map { hex2(UInt8(truncatingIfNeeded: found.deviceID >> (24 - 8 * $0))) }.joined())
    guard let version = found.version else {
      check.problems.append("\(CoprocessorError.unknownVersion(found.deviceVersion))")
      return check
    }
    try await check.lookIntoMemory(chip)
    let certificate = try await check.readCertificate(chip, clock)
    try await check.sign(chip, version, certificate, clock)
    check.ok = check.problems.isEmpty
    return check
  }

  /// Adds the problem of a step.
  ///
  /// - Throws: An error of the bus, after which no further step can run.
  private mutating func note(_ step: String, _ error: CoprocessorError) throws(CoprocessorError) {
    switch error {
    case .transport, .noReply, .badFrame: throw error
    default: problems.append("\(step): \(error)")
    }
  }

  private mutating func lookIntoMemory(_ chip: any CoprocessorAccess) async throws(CoprocessorError) {
    do throws(CoprocessorError) {
      let found = try await chip.selfTest()
      memory = Memory(certificate: found.hasCertificate, key: found.hasKey)
      if !found.hasCertificate { problems.append("self test: the chip finds no certificate in its memory") }
      if !found.hasKey { problems.append("self test: the chip finds no key in its memory") }
    } catch { try note("self test", error) }
    do throws(CoprocessorError) {
      let bytes = try await chip.serialNumber()
      serialNumber = String(decoding: bytes, as: UTF8.self).printable
    } catch { try note("serial number", error) }
  }

  private mutating func readCertificate(
    _ chip: any CoprocessorAccess, _ clock: any RuntimeClock
  ) async throws(CoprocessorError) -> AccessoryCertificate? {
    let start = clock.now
    let bytes: [UInt8]
    do throws(CoprocessorError) { bytes = try await chip.certificate() } catch {
      try note("certificate", error)
      return nil
    }
    var found = Certificate(byteCount: bytes.count, seconds: clock.now.seconds - start.seconds)
    defer { certificate = found }
    do {
      let read = try AccessoryCertificate(bytes)
      found.subject = read.subject.printable
      found.issuer = read.issuer.printable
      found.serialNumber = read.serialNumber
      return read
    } catch {
      problems.append("certificate: \(error)")
      return nil
    }
  }

  private mutating func sign(
    _ chip: any CoprocessorAccess, _ version: ChipVersion, _ certificate: AccessoryCertificate?,
    _ clock: any RuntimeClock
  ) async throws(CoprocessorError) {
    let challenge = (0..<version.challengeByteCount).map { _ in UInt8.random(in: 0...255) }
    let start = clock.now
    let response: [UInt8]
    do throws(CoprocessorError) { response = try await chip.sign(challenge: challenge) } catch {
      try note("signature", error)
      return
    }
    var found = Signature(
      challengeByteCount: challenge.count, byteCount: response.count, seconds: clock.now.seconds - start.seconds)
    defer { signature = found }
    guard let certificate, !certificate.isOldForm else { return }
    do {
      try certificate.verify(response: response, challenge: challenge)
      found.verified = true
    } catch {
      found.verified = false
      problems.append("signature: \(error)")
    }
  }
}
