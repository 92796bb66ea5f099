// swift-iap2 · Apache-2.0

import ArgumentParser
import Basics
import CarPlayCommand
import CarPlayControl
import CommandSupport
import IAP2Capture
import IAP2Replay
import IAP2Roles

struct Events: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the catalog of events.",
    discussion: """
      The events of run, headunit, phone, carplay, replay, car and other commands, with their fields. A field has the \
      same name and the same spelling in a line of --json and in the expectations of a scenario (expect with values).

      Examples:
        iap2 events
        iap2 events carPlayStream
        iap2 events --json
      """)

  @Argument(
    help: "The name of an event; without one, all.",
    completion: .names(orFiles: false) { groups.flatMap { $0.events.map(\.name) } })
  var event: String?

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Flag(help: "Print the whole catalog as a Markdown page.")
  var markdown = false

  private static let groups: [(name: String, title: String, events: [EventDeclaration])] = [
    ("iap2", "Events of iAP2", RoleEvent.declarations),
    ("carplay", "Events of CarPlay sessions", CarPlayLine.declarations),
    ("command", "Lines of run, headunit and phone", CommandEvents.declarations),
    ("replay", "Events of a replay", ReplayEvent.declarations),
    ("car", "Events of an app in a car", CarLine.declarations),
  ]

  func validate() throws {
    if markdown, event != nil || json {
      throw ValidationError("--markdown prints the whole catalog: leave out the event and --json")
    }
  }

  func run() throws {
    if markdown { return Output.text(Self.page) }
    let all = Self.groups.flatMap { group in group.events.map { (group: group, event: $0) } }
    let chosen = event.map { name in all.filter { $0.event.name == name } } ?? all
    guard !chosen.isEmpty else {
      let near = NearWords.question(event ?? "", among: all.map(\.event.name)).map { "\($0) " } ?? ""
      throw CommandFailure(.noInput, "there is no event \(event ?? ""); \(near)`iap2 events` lists all")
    }
    for (group, declaration) in chosen {
      if json {
        try Output.json(Line(declaration, group: group.name))
      } else {
        Self.text(declaration, of: group.title, isLong: event != nil).forEach(Output.line)
      }
    }
  }

  private static func text(_ declaration: EventDeclaration, of group: String, isLong: Bool) -> [String] {
    guard isLong else { return ["\(declaration.name)  \(declaration.summary)"] }
    var lines = ["\(Color.green(declaration.name))  (\(group))", "  \(declaration.summary)"]
    if let outputs = outputs(of: declaration) { lines.append("  \(outputs)") }
    return lines
      + declaration.fields.map { field in
        "  \(field.name): \(field.form)\(field.isOptional ? ", optional" : ""); \(field.summary)"
      }
  }

  /// The restriction of an event that not all outputs have; nil for others.
  private static func outputs(of declaration: EventDeclaration) -> String? {
    switch declaration.audience {
    case .everybody: nil
    case .people: "In text alone."
    case .scenarios: "In expectations of scenarios alone."
    }
  }

  private static var page: String {
    var lines = [
      "# Events", "",
      "Made by `iap2 events --markdown`. Every line of `--json` has `event`. Events of iAP2, of CarPlay sessions and of a",
      "replay have `role` (`headUnit` or `phone`) and `time` in seconds too, besides the fields here. The same names are",
      "those of `expect` with `values` in scenarios, where a list is its items joined by commas, and the parameters of a",
      "message have their own names.",
    ]
    for (_, title, events) in groups {
      lines += ["", "## \(title)"]
      for declaration in events {
        lines += ["", "### \(declaration.name)", ""]
        lines.append(([declaration.summary] + [outputs(of: declaration)].compactMap { $0 }).joined(separator: " "))
        guard !declaration.fields.isEmpty else { continue }
        lines += ["", "| Field | Form | Meaning |", "|---|---|---|"]
        lines += declaration.fields.map { field in
          "| `\(field.name)` | \(field.form)\(field.isOptional ? ", optional" : "") | \(field.summary) |"
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private struct Line: Encodable {
    struct Field: Encodable {
      var name, form, summary: String
      var isOptional: Bool
    }

    var group, name, summary, severity: String
    var fields: [Field]

    init(_ declaration: EventDeclaration, group: String) {
      self.group = group
      (name, summary, severity) = (declaration.name, declaration.summary, declaration.severity.rawValue)
      fields = declaration.fields.map {
        Field(name: $0.name, form: $0.form, summary: $0.summary, isOptional: $0.isOptional)
      }
    }
  }
}
