// swift-iap2 · Apache-2.0

import IAP2

/// The message catalog as a Markdown page: `Sources/Protocol/IAP2/IAP2.docc/MessageReference.md` is this text.
package enum MessageReference {
  /// The page.
  package static var text: String {
    var features: [String] = []
    var byFeature: [String: [CatalogEntry]] = [:]
    for entry in MessageCatalog.all {
      let feature = "\(entry.info.feature)"
      if byFeature[feature] == nil { features.append(feature) }
      byFeature[feature, default: []].append(entry)
    }
    let known = MessageCatalog.all.filter(\.info.parametersKnown).count
    let head = """
      # Message reference

      Every control message this library knows, from its catalog.

      ## Overview

      Made by `tools/iap2 messages --markdown`; do not edit. \(MessageCatalog.all.count) messages; the parameters of \
      \(MessageCatalog.all.count - known) are not publicly known. Confidence: high, two independent public sources; \
      medium, one; low, less. A parameter's own confidence is given where it is not high. The evidence of a message is \
      its fact in `Documentation/Protocol`, and the labels of the sources, which `Sources.md` there describes. \
      Counts: 1, 0..1, 0..*, 1..*.


      """
    return head + features.map { section($0, byFeature[$0] ?? []) }.joined(separator: "\n")
  }

  private static func section(_ feature: String, _ entries: [CatalogEntry]) -> String {
    "## \(feature)\n" + entries.map { "\n" + message($0) }.joined()
  }

  private static func message(_ entry: CatalogEntry) -> String {
    let info = entry.info
    var text = "### \(MessageCatalog.text(info.id)) \(entry.name)\n\n"
    text += "Sent by the \(info.sender.rawValue). Confidence \(info.confidence.rawValue): "
    let fact = info.evidence.prefix(1).map { EvidenceLink.facts(in: "\($0)") }
    let sources = info.evidence.dropFirst().map { EvidenceLink.source("\($0)") }
    text += (fact + sources).joined(separator: ", ") + ".\n"
    if !info.parametersKnown { return text + "\nIts parameters are not known.\n" }
    if entry.rows.isEmpty { return text + "\nNo parameters.\n" }
    return text + "\n" + entry.rows.flatMap { row($0, depth: 0) }.joined(separator: "\n") + "\n"
  }

  private static func row(_ row: ParameterRow, depth: Int) -> [String] {
    let indent = String(repeating: "  ", count: depth)
    var text = "\(indent)- \(row.id) `\(row.name)` \(row.shape.name), \(row.count.rawValue)"
    if let unit = row.unit { text += ", \(unit)" }
    if let limit = row.limit { text += ", \(limit.rawValue)" }
    if row.confidence != .high { text += " (\(row.confidence.rawValue))" }
    switch row.shape {
    case .group(let rows): return [text] + rows.flatMap { self.row($0, depth: depth + 1) }
    case .enumeration(let names): return [text + Self.names(names)]
    case .alternative(.enumeration(let names), let other): return [text + Self.names(names) + "; or \(other.name)"]
    case .alternative(_, let other): return [text + "; or \(other.name)"]
    default: return [text]
    }
  }

  private static func names(_ names: [(UInt8, StaticString)]) -> String {
    names.isEmpty ? "" : ": " + names.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
