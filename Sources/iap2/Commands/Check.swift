// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
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
      `iap2 encode` takes it, or that of a profile: YAML, or one that comes with the program. Exit code 1 if a phone would \
      turn one down.

      Examples:
        iap2 check identification captures/synthetic/worked-session.txt
        iap2 check identification mine.json --json
        iap2 check identification microphone
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Flag(help: "One JSON object a line.")
  var json = false

  func run() throws {
    let found = try identifications()
    guard !found.isEmpty else { throw CommandFailure(.badInput, "\(file) has no IdentificationInformation") }
    var isRejected = false
    for bytes in found {
      for line in Self.lines(bytes) {
        isRejected = isRejected || line.severity == "reject"
        try line.show(json: json)
      }
    }
    if isRejected { throw ExitStatus.failed.code }
    if !json { Output.line(Colour.green("a phone would take it")) }
  }

  private func identifications() throws -> [[UInt8]] {
    if file.hasSuffix(".yaml") || file.hasSuffix(".yml") || ShippedProfiles.names.contains(file) {
      return [try ScenarioFile.profile(file).headUnit.identification.encoded()]
    }
    return try SessionMessages(file).messages.filter { $0.id == IdentificationInformation.info.id }.map(\.bytes)
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
          rule: "schema", severity: "reject", text: ViolationText.wire(error),
          evidence: "the catalogue's counts and types", parameters: IdentificationCheck.offendingParameters(in: bytes))
      ]
    }
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
    let messages = try SessionMessages(file).messages
    guard let last = messages.last(where: { $0.id == IdentificationInformation.info.id }) else {
      throw CommandFailure(.badInput, "\(file) has no IdentificationInformation")
    }
    let information: IdentificationInformation
    do { information = try IdentificationInformation(decoding: unsafe last.bytes.span.bytes) } catch {
      throw CommandFailure(.badInput, "\(file): the identification cannot be read: \(ViolationText.wire(error))")
    }
    var isBroken = false
    for (side, list, parameter) in [
      (Side.accessory, information.messagesSentByAccessory.elements, UInt16(6)),
      (.device, information.messagesReceivedFromDevice.elements, 7),
    ] {
      let sent = messages.filter { $0.from == side && !Self.isImplied($0.id) }.map(\.id)
      let undeclared = Set(sent).subtracting(list).sorted()
      if !undeclared.isEmpty {
        isBroken = true
        try CheckLine(
          rule: "undeclared", severity: "reject", text: "sent by the \(side.rawValue) without being listed",
          parameters: [parameter], messages: undeclared.map(CheckLine.name)
        ).show(json: json)
      }
      let unused = Set(list).subtracting(sent).sorted()
      if !unused.isEmpty {
        try CheckLine(
          rule: "unused", severity: "warn", text: "listed and never sent by the \(side.rawValue)",
          parameters: [parameter], messages: unused.map(CheckLine.name)
        ).show(json: json)
      }
    }
    if isBroken { throw ExitStatus.failed.code }
    if !json { Output.line(Colour.green("every message was listed")) }
  }

  /// Authentication and identification stand in no list.
  private static func isImplied(_ id: UInt16) -> Bool { id >> 8 == 0xAA || id >> 8 == 0x1D }
}
