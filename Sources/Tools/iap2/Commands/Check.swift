// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation
import IAP2
import IAP2Analysis
import IAP2Roles
import IAP2Scenario

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check an identification, or a session against its identification.",
    subcommands: [CheckIdentification.self, CheckSession.self])
}

struct CheckIdentification: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identification", abstract: "Check whether a phone would accept an identification.",
    discussion: """
      Checks every IdentificationInformation (0x1D01) of a capture or of JSON (as `iap2 decode --json` prints it and \
      `iap2 encode` reads it), or the identification of a profile (a YAML or JSON file, or the name of a built-in \
      profile). The kind of a file is detected from its content. A rejection by the phone of a capture is a finding \
      too. Exit code 1 if a phone would reject an identification, or has rejected it.

      \(EvidencePages.help)

      Examples:
        iap2 check identification captures/synthetic/worked-session.txt
        iap2 check identification mine.json --json
        iap2 check identification microphone
        iap2 check identification - < profile.yaml
      """)

  @Argument(help: "The file, or - for standard input.", completion: .file())
  var file: String

  @Flag(help: "One JSON object per line.") var json = false

  @OptionGroup var colors: ColorOptions

  func run() throws {
    Output.continueWithoutReader()
    let found = try findings()
    for line in found { try line.show(json: json) }
    if found.contains(where: \.isRejection) { throw ExitStatus.failed.code }
    if !json { Output.line(Color.green("a phone would accept it")) }
  }

  private func findings() throws -> [CheckLine] {
    if BundledProfiles.names.contains(file) {
      return CheckLine.lines(ofIdentification: try ScenarioFile.headUnit(file).profile.identification.encoded())
    }
    let data = try SessionMessages.read(file)
    guard file.hasSuffix(".yaml") || file.hasSuffix(".yml") || ProfileContent.isProfile(data) else {
      let check = try SessionMessages(data, file).check
      guard check.hasIdentification else {
        throw CommandFailure(
          .badInput, "\(file) has no IdentificationInformation; `iap2 decode --summary` shows its contents")
      }
      return check.identifications
    }
    let name = file == "-" ? "standard input" : file
    do {
      let profile = try Profile(yaml: String(decoding: data, as: UTF8.self), file: name)
      guard case .headUnit(let headUnit, _) = profile.subject else {
        throw CommandFailure(.badInput, "\(name) is the profile of a phone; only a head unit has an identification")
      }
      return CheckLine.lines(ofIdentification: try headUnit.identification.encoded())
    } catch let problem as ScenarioProblem { throw CommandFailure(.badInput, problem.description) }
  }
}

struct CheckSession: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract:
      "List messages that the identification lists and that were not sent, and messages that were sent and are not listed.",
    discussion: """
      Checks the identifications of a session like `iap2 check identification`, compares the session's messages with the \
      message lists of the last one, and names values that break a rule, such as a passphrase of seven characters. Exit \
      code 1 if a phone would reject an identification, or if a message was sent \
      that is not in its list.

      Examples:
        iap2 check session captures/synthetic/worked-session.txt
        iap2 decode capture.txt --json | iap2 check session - --json
      """)

  @Argument(help: "The file, or - for standard input.", completion: .file())
  var file: String

  @Flag(help: "One JSON object per line.") var json = false

  @OptionGroup var colors: ColorOptions

  func run() throws {
    Output.continueWithoutReader()
    guard let lines = try SessionMessages(SessionMessages.read(file), file).check.lines else {
      throw CommandFailure(.badInput, "\(file) has no IdentificationInformation that can be read")
    }
    for line in lines { try line.show(json: json) }
    if lines.contains(where: \.isRejection) { throw ExitStatus.failed.code }
    if !json { Output.line(Color.green("every message was listed")) }
  }
}
