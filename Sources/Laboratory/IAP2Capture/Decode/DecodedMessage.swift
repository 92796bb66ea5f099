// swift-iap2 · Apache-2.0

package import IAP2

/// A control message read by its schema, and what is wrong with it.
package struct DecodedMessage: Sendable {
  package let id: UInt16
  package let entry: CatalogEntry?
  package let parameters: [ParameterNode]
  private let problems: [WireError]

  /// Errors of one message that are told one by one.
  private static let toldErrors = 8

  /// - Parameter bytes: one whole message, whose header has been checked.
  package init(_ bytes: RawSpan) {
    id = bytes.bigEndian16(4)
    entry = MessageCatalog[id]
    let (nodes, errors) = ParameterNode.nodes(of: bytes, rows: entry?.rows ?? [])
    parameters = nodes
    var told = errors
    if errors.isEmpty, let entry {
      do { try entry.validate(bytes) } catch { told = [error] }
    }
    problems = told
  }

  /// - Parameter offset: where the message begins; those of the errors count from the same place.
  package func errors(from offset: Int) -> [(text: String, offset: Int)] {
    var told = problems.prefix(Self.toldErrors).map { (Self.text($0, entry), offset + $0.offset) }
    if problems.count > Self.toldErrors {
      let more = problems.count - Self.toldErrors
      told.append(
        (
          "\(entry?.name ?? "message"): \(more) more error\(more == 1 ? "" : "s") in this message",
          offset + problems[Self.toldErrors].offset
        ))
    }
    return told
  }

  private static func text(_ error: WireError, _ entry: CatalogEntry?) -> String {
    let name = error.parameter.map { id in
      "parameter \(id)" + (entry?.rows.first { $0.id == id }.map { " (\($0.name))" } ?? "")
    }
    let what =
      switch error.reason {
      case .truncated: "ends before its length"
      case .badLength(let length): "has the impossible length \(length)"
      case .missing: "is missing"
      case .duplicate: "comes more than once"
      case .wrongSize(let expected, let found): "has \(found) bytes instead of \(expected)"
      case .invalidText: "is not UTF-8"
      case .notAMessage: "is not a message"
      case .tooDeep(let limit): "is nested deeper than \(limit) groups"
      case .tooManyParameters(let limit): "has more than \(limit) parameters"
      case .needsCarefulWalk: "is out of order"
      }
    return "\(entry?.name ?? "message"): \(name ?? "parameter list") \(what)"
  }
}
