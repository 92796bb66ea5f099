// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import IAP2
import IAP2Capture

struct Messages: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the catalog of control messages.",
    discussion: """
      \(EvidencePages.help)

      Examples:
        iap2 messages
        iap2 messages 0x1D01
        iap2 messages PowerUpdate --json
        iap2 messages --markdown
      """)

  @Argument(
    help: "An id (0xAE01 or AE01) or a name; without one, the whole catalog.",
    completion: .names(orFiles: false) { MessageCatalog.all.map(\.name) })
  var message: String?

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Flag(help: "Print the whole catalog as a Markdown page.")
  var markdown = false

  func validate() throws {
    if markdown, message != nil || json {
      throw ValidationError("--markdown prints the whole catalog: leave out the message and --json")
    }
  }

  func run() throws {
    if markdown { return Output.text(MessageReference.text) }
    let entries: [CatalogEntry]
    if let message {
      guard let entry = Self.find(message) else {
        let near = NearWords.question(message, among: MessageCatalog.all.map(\.name)).map { "\($0) " } ?? ""
        throw CommandFailure(
          .noInput,
          "the catalog has no message \(message); \(near)`iap2 messages` lists all")
      }
      entries = [entry]
    } else {
      entries = MessageCatalog.all
    }
    for entry in entries {
      if json {
        try Output.json(MessageLine(entry))
      } else {
        Self.text(entry, isLong: message != nil).forEach(Output.line)
      }
    }
  }

  private static func find(_ text: String) -> CatalogEntry? {
    MessageCatalog.id(named: text).flatMap { MessageCatalog[$0] }
  }

  private static func text(_ entry: CatalogEntry, isLong: Bool) -> [String] {
    let info = entry.info
    let head = "\(MessageCatalog.text(info.id)) \(entry.name)"
    guard isLong else { return ["\(head)  \(info.sender.rawValue)  \(info.feature)  \(info.confidence.rawValue)"] }
    var lines = [
      Color.green(head), "  sent by the \(info.sender.rawValue); feature \(info.feature)",
      "  confidence \(info.confidence.rawValue): \(info.evidence.map { "\($0)" }.joined(separator: ", "))",
    ]
    if !info.parametersKnown {
      lines.append("  parameters: no public source describes them")
    } else if entry.rows.isEmpty {
      lines.append("  no parameters")
    }
    return lines + entry.rows.flatMap { row($0, indent: 2) }
  }

  private static func row(_ row: ParameterRow, indent: Int) -> [String] {
    let unit = [row.unit, row.limit?.rawValue].compactMap(\.self).map { ", \($0)" }.joined()
    let doubt = row.confidence == .high ? "" : " (\(row.confidence.rawValue))"
    let head =
      "\(String(repeating: " ", count: indent))\(row.id) \(row.name) \(row.shape.name) [\(row.count.rawValue)]\(unit)\(doubt)"
    switch row.shape {
    case .group(let rows): return [head] + rows.flatMap { self.row($0, indent: indent + 2) }
    case .alternative(_, let other): return [head + "; or \(other.name)"]
    case .enumeration(let names) where !names.isEmpty:
      return [head + ": " + names.map { "\($0.0) \($0.1)" }.joined(separator: ", ")]
    default: return [head]
    }
  }
}

/// A catalog entry in JSON.
struct MessageLine: Encodable {
  var id: String
  var name: String
  var sender: String
  var feature: String
  var confidence: String
  var evidence: [String]
  var parametersKnown: Bool
  var parameters: [Row]

  struct Row: Encodable {
    var id: UInt16
    var name: String
    var type: String
    var count: String
    var confidence: String
    /// The values that it may have, in words; absent if its type says it all.
    var limit: String?
    /// The parameters of a group; absent for other types.
    var parameters: [Row]?

    init(_ row: ParameterRow) {
      id = row.id
      name = row.name
      type = row.shape.name
      count = row.count.rawValue
      confidence = row.confidence.rawValue
      limit = row.limit?.rawValue
      if case .group(let rows) = row.shape { parameters = rows.map(Row.init) }
    }
  }

  init(_ entry: CatalogEntry) {
    id = MessageCatalog.text(entry.info.id)
    name = entry.name
    sender = entry.info.sender.rawValue
    feature = "\(entry.info.feature)"
    confidence = entry.info.confidence.rawValue
    evidence = entry.info.evidence.map { "\($0)" }
    parametersKnown = entry.info.parametersKnown
    parameters = entry.rows.map(Row.init)
  }
}
