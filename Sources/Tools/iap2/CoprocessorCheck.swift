// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Coprocessor
import IAP2Runtime
import IAP2Transport

/// What the self test of a coprocessor found.
struct CoprocessorCheck: Encodable {
  struct Information: Encodable {
    /// 2.0C or 3.0; none for another.
    var version: String?
    var deviceVersion: String
    var revision: String
    var `protocol`: String
    var deviceID: String
  }

  struct Memory: Encodable {
    var certificate: Bool
    var key: Bool
  }

  struct Certificate: Encodable {
    var byteCount: Int
    var subject: String?
    var issuer: String?
    var serialNumber: String?
    var seconds: Double
  }

  struct Signature: Encodable {
    var challengeByteCount: Int
    var byteCount: Int
    /// Nil where it cannot be: RSA-1024 of old chips.
    var verified: Bool?
    var seconds: Double
  }

  var address: String
  var ok = false
  var information: Information?
  var memory: Memory?
  var certificate: Certificate?
  /// As the chip has it.
  var serialNumber: String?
  var signature: Signature?
  var problems: [String] = []

  /// Asks for everything, whatever fails, as far as the chip can be reached.
  static func run(
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

  /// - Throws: what is no answer of a chip: there is nobody any more to ask for the rest.
  private mutating func note(_ step: String, _ error: CoprocessorError) throws(CoprocessorError) {
    switch error {
    case .medium, .noReply, .badFrame: throw error
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
      serialNumber = DecodedText.printable(String(decoding: bytes, as: UTF8.self))
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
      found.subject = DecodedText.printable(read.subject)
      found.issuer = DecodedText.printable(read.issuer)
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

  // MARK: For people

  var lines: [String] {
    var lines: [String] = []
    if let information {
      lines.append(
        "\(address): coprocessor \(information.version ?? "of an unknown version"), device version "
          + "\(information.deviceVersion), revision \(information.revision), protocol \(information.protocol), device id "
          + information.deviceID)
    }
    if let memory {
      lines.append("  self test    certificate \(Self.found(memory.certificate)), key \(Self.found(memory.key))")
    }
    if let serialNumber { lines.append("  serial       \(serialNumber.isEmpty ? "none" : serialNumber)") }
    if let certificate {
      lines.append("  certificate  \(certificate.byteCount) bytes in \(Self.time(certificate.seconds))")
      if let subject = certificate.subject { lines.append("    subject    \(subject)") }
      if let issuer = certificate.issuer { lines.append("    issuer     \(issuer)") }
      if let serial = certificate.serialNumber { lines.append("    serial     \(serial)") }
    }
    if let signature {
      let verdict =
        switch signature.verified {
        case true?: "right by the certificate"
        case false?: "wrong by the certificate"
        case nil: "not verified (only P-256 is)"
        }
      lines.append(
        "  signature    \(signature.byteCount) bytes over \(signature.challengeByteCount) in "
          + "\(Self.time(signature.seconds)), \(verdict)")
    }
    return lines + problems.map { Colour.red("  failed       \($0)") }
      + (ok ? [Colour.green("the coprocessor works")] : [])
  }

  private static func found(_ isFound: Bool) -> String { isFound ? "found" : "missing" }

  private static func time(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
}
