// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// The target for the judgment of an identification by a phone.
///
/// Input: the parameters of 0x1D01.
enum IdentificationTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let message = ControlHeader.message(IdentificationInformation.id, body: bytes)
    let named = IdentificationCheck.offendingParameters(in: message)
    try require(named == Set(named).sorted(), "\(named) is not in order")
    let information: IdentificationInformation
    do { information = try IdentificationInformation(decoding: unsafe message.span.bytes) } catch {
      try require(!named.isEmpty, "\(error), and nothing to reject")
      return
    }
    try require(named == IdentificationCheck.offendingParameters(of: information), "two readings of one message")
    let findings = IdentificationRule.findings(in: information)
    for finding in findings {
      try require(!finding.parameters.isEmpty, "\(finding.rule.id) names no parameter")
      try require(finding.parameters == finding.parameters.sorted(), "\(finding.rule.id) is not in order")
      let isReported = finding.rule.severity == .warn || finding.parameters.allSatisfy(named.contains)
      try require(isReported, "\(finding.rule.id) is broken, and \(named) is named")
    }
    let isRejected = findings.contains { $0.rule.severity == .reject }
    try require(isRejected == !named.isEmpty, "rejected: \(isRejected), named: \(named)")
  }
}
