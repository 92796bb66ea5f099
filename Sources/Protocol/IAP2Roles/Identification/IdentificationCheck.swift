// swift-iap2 · Apache-2.0

package import IAP2

/// The check that the phone of this project applies to an identification. It yields the parameters that a rejection
/// names (Identification.md#lists).
package enum IdentificationCheck {
  enum Reading {
    case accepted(IdentificationInformation)
    /// The ids of the top-level parameters that are wrong, ascending.
    case offending([UInt16])
  }

  /// Reads an identification and checks it. The result names every wrong parameter.
  static func read(_ message: [UInt8]) -> Reading {
    var bytes = message
    var bad: Set<UInt16> = []
    // Each turn replaces one malformed parameter or adds one that is missing.
    for _ in 0..<64 {
      do {
        let information = try IdentificationInformation(decoding: bytes.rawBytes)
        let rest = offendingParameters(of: information).filter { !bad.contains($0) }
        guard bad.isEmpty, rest.isEmpty else { return .offending((bad.union(rest)).sorted()) }
        return .accepted(information)
      } catch {
        guard let id = error.group ?? error.parameter, bad.insert(id).inserted,
          let repaired = repair(bytes, id)
        else { return .offending(bad.union([error.group ?? error.parameter ?? 0]).sorted()) }
        bytes = repaired
      }
    }
    return .offending(bad.sorted())
  }

  /// Returns the message with a valid parameter in the place of all parameters of this id; nil if the message is not a
  /// list of parameters or becomes too long.
  private static func repair(_ message: [UInt8], _ id: UInt16) -> [UInt8]? {
    do {
      let bytes = message.rawBytes
      var kept: [UInt8] = []
      try bytes.forEachParameter(in: try ControlHeader.body(bytes)) { found, whole, _ in
        if found != id { kept.append(copying: bytes.extracting(whole)) }
      }
      let harmless = try IdentificationInformation().encoded()
      let standIn = harmless.rawBytes
      try standIn.forEachParameter(in: try ControlHeader.body(standIn)) { found, whole, _ in
        if found == id { kept.append(copying: standIn.extracting(whole)) }
      }
      guard ControlHeader.byteCount + kept.count <= ControlHeader.maximumMessageByteCount else { return nil }
      return ControlHeader.message(IdentificationInformation.id, body: kept)
    } catch { return nil }
  }

  /// Removes from both lists the messages that need a component that is no longer there.
  static func dropMessages(of parameters: Set<UInt16>, from information: inout IdentificationInformation) {
    for need in IdentificationRule.components where !need.anyOf.isDisjoint(with: parameters) {
      guard need.anyOf.isDisjoint(with: information.declaredComponents) else { continue }
      information.messagesSentByAccessory.elements.removeAll { need.messages.contains($0) }
      information.messagesReceivedFromDevice.elements.removeAll { need.messages.contains($0) }
    }
  }

  /// Returns the ids of the top-level parameters that a rejection names, ascending; empty if the identification is
  /// accepted.
  package static func offendingParameters(of information: IdentificationInformation) -> [UInt16] {
    let findings = IdentificationRule.findings(in: information).filter { $0.rule.severity == .reject }
    return Set(findings.flatMap(\.parameters)).sorted()
  }

  /// Returns the same for the bytes of a message, which need not be readable.
  package static func offendingParameters(in message: [UInt8]) -> [UInt16] {
    if case .offending(let parameters) = read(message) { parameters } else { [] }
  }
}
