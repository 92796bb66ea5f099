// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Capture
import IAP2Roles
import IAP2Scenario

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check an identification, or a session against its identification.",
    subcommands: [CheckIdentification.self, CheckSession.self])
}

/// A finding of `iap2 check`.
struct CheckLine: Encodable {
  var rule: String
  /// `reject` or `warn`.
  var severity: String
  var text: String
  var evidence: String?
  var parameters: [UInt16]?
  var messages: [String]?
  var detail: String?
  /// The change that removes the finding.
  var repair: String?

  /// The finding: its message and parameters, what is wrong, how to repair it, and the rule with its evidence.
  var rendered: String {
    let head = severity == "reject" ? Colour.red("reject") : Colour.yellow("warn  ")
    var places: [String] = []
    if let messages, !messages.isEmpty { places.append(messages.joined(separator: ", ")) }
    if let detail, !detail.isEmpty { places.append("\"\(detail.printable)\"") }
    let place = places.isEmpty ? "" : " (\(places.joined(separator: "; ")))"
    return "\(head)  \(rule): \(Self.place(parameters ?? [])): \(text)\(place)"
      + (evidence.map { Colour.dim(" — \($0)") } ?? "") + (repair.map { "\n        repair: \($0)" } ?? "")
  }

  /// Returns `IdentificationInformation, parameter 6 MessagesSentByAccessory`. Every finding of a check is about the
  /// identification.
  private static func place(_ parameters: [UInt16]) -> String {
    let names = parameters.map { id in
      "\(id)" + (IdentificationInformation.rows.first { $0.id == id }.map { " \($0.name)" } ?? "")
    }
    let message = MessageCatalog[IdentificationInformation.id]?.name ?? ""
    return names.isEmpty
      ? message : "\(message), parameter\(names.count == 1 ? "" : "s") \(names.joined(separator: ", "))"
  }

  var isRejection: Bool { severity == "reject" }

  func show(json: Bool) throws { if json { try Output.json(self) } else { Output.line(rendered) } }

  static func name(_ id: UInt16) -> String {
    MessageCatalog.text(id) + (MessageCatalog[id].map { " \($0.name)" } ?? "")
  }
}

struct CheckIdentification: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identification", abstract: "Check whether a phone would accept an identification.",
    discussion: """
      Checks every IdentificationInformation (0x1D01) of a capture or of JSON (as `iap2 decode --json` prints it and \
      `iap2 encode` reads it), or the identification of a profile (a YAML or JSON file, or the name of a built-in \
      profile). The kind of a file is detected from its content. Exit code 1 if a phone would reject an \
      identification.

      \(EvidencePages.help)

      Examples:
        iap2 check identification captures/synthetic/worked-session.txt
        iap2 check identification mine.json --json
        iap2 check identification microphone
        iap2 check identification - < profile.yaml
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Output.continueWithoutReader()
    let found = try identifications()
    guard !found.isEmpty else {
      throw CommandFailure(
        .badInput, "\(file) has no IdentificationInformation; `iap2 decode --summary` shows its contents")
    }
    var isRejected = false
    for bytes in found {
      for line in Self.lines(bytes) {
        isRejected = isRejected || line.isRejection
        try line.show(json: json)
      }
    }
    if isRejected { throw ExitStatus.failed.code }
    if !json { Output.line(Colour.green("a phone would accept it")) }
  }

  private func identifications() throws -> [[UInt8]] {
    if BundledProfiles.names.contains(file) {
      return [try ScenarioFile.headUnit(file).profile.identification.encoded()]
    }
    let data = try SessionMessages.read(file)
    guard file.hasSuffix(".yaml") || file.hasSuffix(".yml") || ProfileContent.isProfile(data) else {
      let messages = try SessionMessages(data, file).messages
      return messages.filter { $0.id == IdentificationInformation.id }.map(\.bytes)
    }
    let name = file == "-" ? "standard input" : file
    do {
      let profile = try Profile(yaml: String(decoding: data, as: UTF8.self), file: name)
      guard case .headUnit(let headUnit, _) = profile.subject else {
        throw CommandFailure(.badInput, "\(name) is the profile of a phone; only a head unit has an identification")
      }
      return [try headUnit.identification.encoded()]
    } catch let problem as ScenarioProblem { throw CommandFailure(.badInput, problem.description) }
  }

  /// The findings about the bytes of an identification.
  static func lines(_ bytes: [UInt8]) -> [CheckLine] { rules(bytes) + texts(bytes) }

  private static func texts(_ bytes: [UInt8]) -> [CheckLine] {
    IdentificationCheck.textsWithoutNUL(in: bytes).map { found in
      CheckLine(
        rule: "text-nul", severity: "warn", text: "A text ends with a NUL.",
        evidence: "Sessions.md#utf8-tolerance: readers that need the NUL exist (low)",
        parameters: [found.group ?? found.parameter],
        detail: found.group == nil ? nil : "parameter \(found.parameter) of the group",
        repair: "Write one byte 00 behind the text, and count it in the length.")
    }
  }

  private static func rules(_ bytes: [UInt8]) -> [CheckLine] {
    do {
      let information = try IdentificationInformation(decoding: unsafe bytes.span.bytes)
      return IdentificationRule.findings(in: information).map { finding in
        CheckLine(
          rule: finding.rule.id, severity: finding.rule.severity.rawValue, text: finding.rule.text,
          evidence: finding.rule.evidence, parameters: finding.parameters,
          messages: finding.messages.map(CheckLine.name), detail: finding.detail.isEmpty ? nil : finding.detail,
          repair: finding.rule.repair)
      }
    } catch {
      return [
        CheckLine(
          rule: "schema", severity: "reject", text: text(error),
          evidence: "Sources.md#generated: the counts and types of the message catalog",
          parameters: IdentificationCheck.offendingParameters(in: bytes), repair: repair(error))
      ]
    }
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

/// Detection of profiles by their top-level keys.
enum ProfileContent {
  /// Keys of profiles that no message has. Both have `name`.
  private static let keys = [
    "role", "summary", "evidence", "link", "timing", "quirks", "features", "protocols", "identification", "order",
    "state",
  ]
  /// Keys of messages that no profile has.
  private static let messageKeys = ["id", "layer", "parameters", "record", "time", "from"]

  /// The size limit of profiles in bytes.
  private static let maximumByteCount = 1 << 20

  static func isProfile(_ data: Data) -> Bool {
    guard data.count <= maximumByteCount, let text = String(data: data, encoding: .utf8) else { return false }
    guard data.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return isBlock(text) }
    // Also accept a truncated or invalid profile, so that the profile reader reports the place.
    let first = data.drop { $0 <= 0x20 }.prefix { $0 != 0x0A }
    if let fields = object(data) ?? object(first) {
      return fields.keys.contains(where: keys.contains) && !fields.keys.contains(where: messageKeys.contains)
    }
    return text.split { "{,\n".contains($0) }.contains { key($0).map(keys.contains) ?? false }
  }

  private static func object(_ data: Data) -> [String: JSONValue]? {
    do {
      guard case .object(let fields) = try JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
      return fields
    } catch { return nil }
  }

  /// Returns whether every line that is not indented begins with a key, and one of the keys is a profile's.
  private static func isBlock(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline).filter { line in
      !"#%-.]}".contains(line[line.startIndex]) && !line[line.startIndex].isWhitespace
    }
    let found = lines.map(key)
    return !found.contains(nil) && found.contains { $0.map(keys.contains) ?? false }
  }

  /// Returns the key before a colon, without quotes; nil without a key.
  private static func key(_ text: Substring) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let rest = text[colon...].dropFirst()
    let key = text[..<colon].trimmingCharacters(in: [" ", "\t", "\"", "'", "\u{FEFF}"])
    return key.isEmpty || key.contains(" ") || rest.first.map { !$0.isWhitespace && !"\"'[{".contains($0) } ?? false
      ? nil : key
  }
}

struct CheckSession: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract:
      "List messages that the identification lists and nobody sent, and messages that were sent and are not listed.",
    discussion: """
      Checks the identifications of a session like `iap2 check identification`, and compares the session's messages with \
      the message lists of the last one. Exit code 1 if a phone would reject an identification, or if a message was sent \
      that is not in its list.

      Examples:
        iap2 check session captures/synthetic/worked-session.txt
        iap2 decode capture.txt --json | iap2 check session - --json
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Output.continueWithoutReader()
    var check = SessionCheck()
    var identifications: [CheckLine] = []
    for message in try SessionMessages(SessionMessages.read(file), file).messages {
      check.add(message.from, message.id, message.bytes)
      if message.id == IdentificationInformation.id { identifications += CheckIdentification.lines(message.bytes) }
    }
    let lines: [CheckLine]
    switch check.lines.map({ identifications + $0 }) ?? (identifications.isEmpty ? nil : identifications) {
    case .none: throw CommandFailure(.badInput, "\(file) has no IdentificationInformation that can be read")
    case .some(let found): lines = found
    }
    for line in lines { try line.show(json: json) }
    if lines.contains(where: \.isRejection) { throw ExitStatus.failed.code }
    if !json { Output.line(Colour.green("every message was listed")) }
  }
}

/// The findings about the messages of a session, from a file or a live connection.
struct SessionCheck: Sendable {
  private var check = DeclarationCheck()

  mutating func add(_ from: Side, _ id: UInt16, _ bytes: [UInt8]) { check.add(id, bytes, from: from) }

  mutating func add(_ event: RoleEvent, of role: Role) {
    guard case .message(let direction, let id, let bytes) = event else { return }
    add((role == .headUnit) == (direction == .sent) ? .accessory : .device, id, bytes)
  }

  /// The findings; nil without an identification.
  var lines: [CheckLine]? {
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
