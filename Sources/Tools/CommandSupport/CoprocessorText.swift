// swift-iap2 · Apache-2.0

package import IAP2Coprocessor

extension CoprocessorCheck {
  /// The result of a coprocessor test for a terminal.
  package var lines: [String] {
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
        case true?: "verified with the certificate"
        case false?: "wrong: it does not match the certificate"
        case nil: "not verified (only P-256 signatures are)"
        }
      lines.append(
        "  signature    \(signature.byteCount) bytes over \(signature.challengeByteCount) in "
          + "\(Self.time(signature.seconds)), \(verdict)")
    }
    return lines + problems.map { Color.red("  failed       \($0)") }
      + (ok ? [Color.green("the coprocessor works")] : [])
  }

  private static func found(_ isFound: Bool) -> String { isFound ? "found" : "missing" }

  private static func time(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
}
