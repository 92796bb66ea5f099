// swift-iap2 · Apache-2.0

package import IAP2

/// A control message that was read by its schema, with its errors.
package struct DecodedMessage: Sendable {
  /// The message id.
  package let id: UInt16
  /// The catalog entry of the message; nil for an unknown id.
  package let entry: CatalogEntry?
  /// The parameters in wire order.
  package let parameters: [ParameterNode]
  private let problems: [WireError]

  /// The number of errors of one message that are reported one by one.
  private static let reportedErrors = 8

  /// - Parameter bytes: one whole message with a checked header.
  package init(_ bytes: RawSpan) {
    id = bytes.bigEndian16(4)
    entry = MessageCatalog[id]
    let (nodes, errors) = ParameterNode.nodes(of: bytes, rows: entry?.rows ?? [])
    parameters = nodes
    var reported = errors
    if errors.isEmpty, let entry {
      do { try entry.validate(bytes) } catch { reported = [error] }
    }
    problems = reported
  }

  /// Returns the texts and offsets of the errors; more than eight are summarized in the last one.
  ///
  /// - Parameter offset: the offset of the message; the offsets of the errors are counted from the same origin.
  package func errors(from offset: Int) -> [(text: String, offset: Int)] {
    var reported = problems.prefix(Self.reportedErrors).map { (Self.text($0, entry), offset + $0.offset) }
    if problems.count > Self.reportedErrors {
      let more = problems.count - Self.reportedErrors
      reported.append(
        (
          "\(entry?.name ?? "message"): \(more) more error\(more == 1 ? "" : "s") in this message",
          offset + problems[Self.reportedErrors].offset
        ))
    }
    return reported
  }

  private static func text(_ error: WireError, _ entry: CatalogEntry?) -> String {
    let group = error.group.flatMap { id in entry?.rows.first { $0.id == id } }
    var rows = entry?.rows ?? []
    if case .group(let inner) = group?.shape { rows = inner }
    let place = error.group.map { "parameter \($0)" + (group.map { " (\($0.name))" } ?? "") + ", " } ?? ""
    let name = error.parameter.map { id in
      "parameter \(id)" + (rows.first { $0.id == id }.map { " (\($0.name))" } ?? "")
    }
    let what =
      switch error.reason {
      case .truncated: "ends before its length"
      case .badLength(let length): "has the impossible length \(length)"
      case .missing: "is missing"
      case .duplicate: "comes more than once"
      case .wrongSize(let expected, let found): "has \(found) byte\(found == 1 ? "" : "s") instead of \(expected)"
      case .invalidText: "is not UTF-8"
      case .notAMessage: "is not a message"
      case .tooDeep(let limit): "is nested deeper than \(limit) groups"
      case .tooManyParameters(let limit): "has more than \(limit) parameters"
      case .needsCarefulWalk: "is out of order"
      }
    return "\(entry?.name ?? "message"): \(place)\(name ?? "parameter list") \(what)"
  }
}
