// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Capture
package import IAP2Roles

/// A finding about an identification, about messages that are missing in it, or about the values of another message,
/// for JSON.
package struct CheckLine: Encodable, Hashable, Sendable {
  package var rule: String
  /// `reject` or `warn`.
  var severity: String
  package var text: String
  package var evidence: String?
  /// The message with the values, such as `0xAE03 PowerSourceUpdate`; nil if it is the identification.
  var message: String?
  /// The parameters at fault; the path to one through its groups in a finding about a value.
  var parameters: [UInt16]?
  var messages: [String]?
  var detail: String?
  /// The change that removes the finding.
  package var repair: String?

  /// Whether a phone rejects the identification for it.
  package var isRejection: Bool { severity == "reject" }

  /// The place, such as `IdentificationInformation, parameter 6 MessagesSentByAccessory`.
  package var place: String {
    if let message { return "\(message), parameter \((parameters ?? []).map { "\($0)" }.joined(separator: "."))" }
    let names = (parameters ?? []).map { id in
      "\(id)" + (IdentificationInformation.rows.first { $0.id == id }.map { " \($0.name)" } ?? "")
    }
    let message = MessageCatalog[IdentificationInformation.id]?.name ?? ""
    return names.isEmpty
      ? message : "\(message), parameter\(names.count == 1 ? "" : "s") \(names.joined(separator: ", "))"
  }

  /// The messages and the detail in parentheses after a space; empty without them.
  package var context: String {
    var places: [String] = []
    if let messages, !messages.isEmpty { places.append(messages.joined(separator: ", ")) }
    if let detail, !detail.isEmpty { places.append("\"\(detail.printable)\"") }
    return places.isEmpty ? "" : " (\(places.joined(separator: "; ")))"
  }

  static func name(_ id: UInt16) -> String {
    MessageCatalog.text(id) + (MessageCatalog[id].map { " \($0.name)" } ?? "")
  }
}

// MARK: An identification

extension CheckLine {
  /// The findings about the bytes of an identification.
  package static func lines(ofIdentification bytes: [UInt8]) -> [CheckLine] {
    rules(bytes) + texts(bytes) + values(IdentificationInformation.id, bytes)
  }

  /// The findings about the values of a message, one for each rule and parameter.
  static func values(_ id: UInt16, _ bytes: [UInt8]) -> [CheckLine] {
    var known: Set<[UInt16]> = []
    return ValueCheck.findings(id, unsafe bytes.span.bytes).compactMap { finding in
      guard known.insert(finding.path).inserted else { return nil }
      let isIdentification = id == IdentificationInformation.id
      return CheckLine(
        rule: finding.rule.id, severity: "warn", text: finding.rule.text,
        evidence: finding.rule.evidence, message: isIdentification ? nil : name(id),
        parameters: isIdentification ? [finding.path[0]] : finding.path, detail: finding.detail,
        repair: finding.rule.repair)
    }
  }

  private static func texts(_ bytes: [UInt8]) -> [CheckLine] {
    IdentificationCheck.textsWithoutNUL(in: bytes).map { found in
      CheckLine(
        rule: "text-nul", severity: "warn", text: "A text has no NUL at its end.",
        evidence: "Sessions.md#utf8-tolerance: readers that need the NUL exist (low)",
        parameters: [found.group ?? found.parameter],
        detail: found.group == nil ? nil : "parameter \(found.parameter) of the group",
        repair: "End the text with a NUL: one byte 00 behind it, which the length counts.")
    }
  }

  /// The name of the finding that the bytes are not those of the message catalog.
  static let schemaRule = "schema"

  private static func rules(_ bytes: [UInt8]) -> [CheckLine] {
    do {
      let information = try IdentificationInformation(decoding: unsafe bytes.span.bytes)
      return IdentificationRule.findings(in: information).map { finding in
        CheckLine(
          rule: finding.rule.id, severity: finding.rule.severity.rawValue, text: finding.rule.text + missing(finding),
          evidence: finding.rule.evidence, parameters: finding.parameters,
          messages: finding.messages.map(name), detail: finding.detail.isEmpty ? nil : finding.detail,
          repair: finding.rule.repair)
      }
    } catch {
      return [
        CheckLine(
          rule: schemaRule, severity: "reject", text: text(error),
          evidence: "Sources.md#generated: the counts and types of the message catalog",
          parameters: IdentificationCheck.offendingParameters(in: bytes), repair: repair(error))
      ]
    }
  }

  /// The Start or Stop that a list lacks, as a sentence after a space; empty for other rules.
  private static func missing(_ finding: IdentificationFinding) -> String {
    let partners =
      switch finding.rule.id {
      case "start-with-stop": finding.messages.compactMap { MessageCatalog[$0]?.info.subscription?.stop }
      case "update-with-start":
        finding.messages.compactMap { update in
          MessageCatalog.all.first { $0.info.subscription?.updates.contains(update) == true }?.info.id
        }
      default: [] as [UInt16]
      }
    return partners.isEmpty ? "" : " Missing: \(partners.map(name).joined(separator: ", "))."
  }

  private static func repair(_ error: WireError) -> String {
    switch error.reason {
    case .missing: "Add the parameters that are named here."
    case .duplicate: "Write the parameter once."
    case .wrongSize: "Write the value in the size of its type, as `iap2 messages IdentificationInformation` lists it."
    case .invalidText: "Write the text in UTF-8."
    case .truncated, .badLength, .notAMessage, .tooDeep, .tooManyParameters, .needsCarefulWalk:
      "Correct the lengths: each counts its own 4 bytes of header and the value."
    }
  }

  /// A list has no single expected size, so its error has a text of its own.
  private static func text(_ error: WireError) -> String {
    guard case .wrongSize(_, let found) = error.reason, error.group == nil, let id = error.parameter,
      let row = IdentificationInformation.rows.first(where: { $0.id == id }), case .packed(let element) = row.shape
    else { return ViolationText.wire(error) }
    return
      "\(row.name), parameter \(id), is a list of \(element.name), which \(found) byte\(found == 1 ? "" : "s") cannot be"
      + ", at byte \(error.offset)"
  }
}

/// The findings about the messages of a session, from a file or a live connection.
package struct SessionCheck: Sendable {
  private var check = DeclarationCheck()

  /// Creates a check without messages.
  package init() {}

  /// Adds a control message with its header.
  package mutating func add(_ from: Side, _ id: UInt16, _ bytes: [UInt8]) { check.add(id, bytes, from: from) }

  /// Adds the message of a role's event; other events are ignored.
  package mutating func add(_ event: RoleEvent, of role: Role) {
    guard case .message(let direction, let id, let bytes) = event else { return }
    add((role == .headUnit) == (direction == .sent) ? .accessory : .device, id, bytes)
  }

  /// The findings; nil without an identification.
  package var lines: [CheckLine]? {
    check.findings?.map { finding in
      CheckLine(
        rule: finding.rule.rawValue, severity: finding.severity.rawValue, text: finding.text,
        parameters: [finding.parameter], messages: finding.messages.map(CheckLine.name),
        repair: finding.rule == .undeclared
          ? "Add these messages to the list, or do not send them."
          : "Remove what is never sent; a feature not used yet may stay.")
    }
  }
}
