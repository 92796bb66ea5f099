// swift-iap2 · Apache-2.0

public import IAP2

/// How our phone reads an identification and what it names when it turns one down (Identification.md#lists).
public enum IdentificationCheck {
  enum Reading {
    case accepted(IdentificationInformation)
    /// Top-level parameters, ascending.
    case offending([UInt16])
  }

  /// Reads an identification and checks it; every parameter that is wrong is named.
  static func read(_ message: [UInt8]) -> Reading {
    var bytes = message
    var bad: Set<UInt16> = []
    // Each turn takes one parameter out, or puts one in that is missing.
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

  /// The message with a harmless parameter in the place of all of this id; nil if it is no list of parameters.
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
      guard ControlHeader.byteCount + kept.count <= 0xFFFF else { return nil }
      return ControlHeader.message(IdentificationInformation.info.id, body: kept)
    } catch { return nil }
  }

  /// Takes out of both lists what needs a component that is gone.
  static func dropMessages(of parameters: Set<UInt16>, from information: inout IdentificationInformation) {
    for need in IdentificationRule.components where !need.anyOf.isDisjoint(with: parameters) {
      guard need.anyOf.isDisjoint(with: information.declaredComponents) else { continue }
      information.messagesSentByAccessory.elements.removeAll { need.messages.contains($0) }
      information.messagesReceivedFromDevice.elements.removeAll { need.messages.contains($0) }
    }
  }

  /// The top-level parameters to name in a rejection, ascending; empty for an identification to accept.
  public static func offendingParameters(of information: IdentificationInformation) -> [UInt16] {
    let findings = IdentificationRule.findings(in: information).filter { $0.rule.severity == .reject }
    return Set(findings.flatMap(\.parameters)).sorted()
  }

  /// The same for a message's bytes, also where they cannot be read.
  public static func offendingParameters(in message: [UInt8]) -> [UInt16] {
    if case .offending(let parameters) = read(message) { parameters } else { [] }
  }
}
