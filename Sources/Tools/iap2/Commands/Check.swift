// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Capture
import IAP2Roles
import IAP2Scenario

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check an identification, or what a session made of it.",
    subcommands: [CheckIdentification.self, CheckSession.self])
}

/// A line of a check.
struct CheckLine: Encodable {
  var rule: String
  /// `reject` or `warn`.
  var severity: String
  var text: String
  var evidence: String?
  var parameters: [UInt16]?
  var messages: [String]?
  var detail: String?

  var rendered: String {
    let head = severity == "reject" ? Colour.red("reject") : Colour.yellow("warn  ")
    var places: [String] = []
    if let parameters, !parameters.isEmpty {
      places.append(
        "parameter\(parameters.count == 1 ? "" : "s") \(parameters.map(String.init).joined(separator: ", "))")
    }
    if let messages, !messages.isEmpty { places.append(messages.joined(separator: ", ")) }
    if let detail, !detail.isEmpty { places.append("\"\(DecodedText.printable(detail))\"") }
    let place = places.isEmpty ? "" : " (\(places.joined(separator: "; ")))"
    return "\(head)  \(rule): \(text)\(place)" + (evidence.map { Colour.dim(" — \($0)") } ?? "")
  }

  var isRejection: Bool { severity == "reject" }

  func show(json: Bool) throws { if json { try Output.json(self) } else { Output.line(rendered) } }

  static func name(_ id: UInt16) -> String {
    MessageCatalog.text(id) + (MessageCatalog[id].map { " \($0.name)" } ?? "")
  }
}

struct CheckIdentification: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identification", abstract: "Would a phone take this identification?",
    discussion: """
      Checks every IdentificationInformation (0x1D01) of a capture, or of JSON as `iap2 decode --json` prints it and \
      `iap2 encode` takes it, or that of a profile: YAML or JSON, or one that comes with the program. What a file is, its \
      content says. Exit code 1 if a phone would turn one down.

      Examples:
        iap2 check identification captures/synthetic/worked-session.txt
        iap2 check identification mine.json --json
        iap2 check identification microphone
        iap2 check identification - < profile.yaml
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Flag(help: "One JSON object a line.")
  var json = false

  func run() throws {
    Output.goOnUnread()
    let found = try identifications()
    guard !found.isEmpty else { throw CommandFailure(.badInput, "\(file) has no IdentificationInformation") }
    var isRejected = false
    for bytes in found {
      for line in Self.lines(bytes) {
        isRejected = isRejected || line.isRejection
        try line.show(json: json)
      }
    }
    if isRejected { throw ExitStatus.failed.code }
    if !json { Output.line(Colour.green("a phone would take it")) }
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
        throw CommandFailure(.badInput, "\(name) is the profile of a phone")
      }
      return [try headUnit.identification.encoded()]
    } catch let problem as ScenarioProblem { throw CommandFailure(.badInput, problem.description) }
  }

  private static func lines(_ bytes: [UInt8]) -> [CheckLine] {
    do {
      let information = try IdentificationInformation(decoding: unsafe bytes.span.bytes)
      return IdentificationRule.findings(in: information).map { finding in
        CheckLine(
          rule: finding.rule.id, severity: finding.rule.severity.rawValue, text: finding.rule.text,
          evidence: finding.rule.evidence, parameters: finding.parameters,
          messages: finding.messages.map(CheckLine.name), detail: finding.detail.isEmpty ? nil : finding.detail)
      }
    } catch {
      return [
        CheckLine(
          rule: "schema", severity: "reject", text: text(error),
          evidence: "the catalogue's counts and types", parameters: IdentificationCheck.offendingParameters(in: bytes))
      ]
    }
  }

  /// A list has no one size that it should have.
  private static func text(_ error: WireError) -> String {
    guard case .wrongSize(_, let found) = error.reason, error.group == nil, let id = error.parameter,
      let row = IdentificationInformation.rows.first(where: { $0.id == id }), case .packed(let element) = row.shape
    else { return ViolationText.wire(error) }
    return
      "\(row.name), parameter \(id), is a list of \(element.name), which \(found) byte\(found == 1 ? "" : "s") cannot be"
      + ", at byte \(error.offset)"
  }
}

/// Whether a file is a profile, by the keys at its top.
enum ProfileContent {
  /// Keys that no message has; `name` both have.
  private static let keys = [
    "role", "summary", "evidence", "link", "timing", "quirks", "features", "protocols", "identification", "order",
    "state",
  ]
  /// Keys that no profile has.
  private static let messageKeys = ["id", "layer", "parameters", "record", "time", "from"]

  /// Profiles that are larger are refused anyway.
  private static let maximumByteCount = 1 << 20

  static func isProfile(_ data: Data) -> Bool {
    guard data.count <= maximumByteCount, let text = String(data: data, encoding: .utf8) else { return false }
    guard data.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return isBlock(text) }
    // Also one that is cut short or wrong, so that the reader of profiles says where.
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

  /// Lines that all begin with a key, one of them a profile's; what is indented belongs to the line above.
  private static func isBlock(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline).filter { line in
      !"#%-.]}".contains(line[line.startIndex]) && !line[line.startIndex].isWhitespace
    }
    let found = lines.map(key)
    return !found.contains(nil) && found.contains { $0.map(keys.contains) ?? false }
  }

  /// What stands before a colon, without quotes; nil where nothing does.
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
    commandName: "session", abstract: "What was advertised and never used, and used without being advertised.",
    discussion: """
      Compares the messages of a session with the lists of its identification. Exit code 1 if a message was sent that \
      its list does not name.

      Examples:
        iap2 check session captures/synthetic/worked-session.txt
        iap2 decode capture.txt --json | iap2 check session - --json
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Flag(help: "One JSON object a line.")
  var json = false

  func run() throws {
    Output.goOnUnread()
    var check = SessionCheck()
    for message in try SessionMessages(SessionMessages.read(file), file).messages {
      check.add(message.from, message.id, message.bytes)
    }
    let lines: [CheckLine]
    switch check.lines {
    case .none: throw CommandFailure(.badInput, "\(file) has no IdentificationInformation that can be read")
    case .some(let found): lines = found
    }
    for line in lines { try line.show(json: json) }
    if lines.contains(where: \.isRejection) { throw ExitStatus.failed.code }
    if !json { Output.line(Colour.green("every message was listed")) }
  }
}

/// The lines about the messages of a session, of a file or of a live connection.
struct SessionCheck: Sendable {
  private var check = DeclarationCheck()

  mutating func add(_ from: Side, _ id: UInt16, _ bytes: [UInt8]) { check.add(id, bytes, from: from) }

  mutating func add(_ event: RoleEvent, of role: Role) {
    guard case .message(let direction, let id, let bytes) = event else { return }
    add((role == .headUnit) == (direction == .sent) ? .accessory : .device, id, bytes)
  }

  /// Nil without an identification.
  var lines: [CheckLine]? {
    check.findings?.map { finding in
      CheckLine(
        rule: finding.rule.rawValue, severity: finding.severity.rawValue, text: finding.text,
        parameters: [finding.parameter], messages: finding.messages.map(CheckLine.name))
    }
  }
}
