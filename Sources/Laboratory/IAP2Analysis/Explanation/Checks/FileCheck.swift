// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Capture

/// The findings about the control messages of a file. An accessory whose identification is rejected sends another one,
/// so equal findings are kept once.
package struct FileCheck: Sendable {
  /// The findings about the identifications, and the phone's own rejections, in the order of the file.
  package private(set) var identifications: [CheckLine] = []
  /// Whether an IdentificationInformation was added.
  package private(set) var hasIdentification = false
  private var session = SessionCheck()
  /// The findings about the values of other messages, in the order of the file.
  private var values: [CheckLine] = []
  private var knownValues: Set<ValuePlace> = []

  /// A place of a finding about a value. A parameter that breaks a rule in every message has one finding.
  private struct ValuePlace: Hashable {
    var rule: String
    var message: String?
    var parameters: [UInt16]?
  }
  /// The kept findings, so that a long file takes linear time.
  private var kept: Set<CheckLine> = []

  /// Creates a check without messages.
  package init() {}

  /// Adds a control message with its header.
  package mutating func add(_ from: Side, _ id: UInt16, _ bytes: [UInt8]) {
    session.add(from, id, bytes)
    switch id {
    case IdentificationInformation.id:
      hasIdentification = true
      for line in CheckLine.lines(ofIdentification: bytes) { keep(line) }
    case IdentificationRejected.id: keep(CheckLine(rejection: Rejection(unsafe bytes.span.bytes)))
    default:
      for line in CheckLine.values(id, bytes) {
        let place = ValuePlace(rule: line.rule, message: line.message, parameters: line.parameters)
        if knownValues.insert(place).inserted { values.append(line) }
      }
    }
  }

  /// The findings about the identifications, then those about the messages and about their values; nil without an
  /// identification.
  package var lines: [CheckLine]? {
    guard let found = session.lines else { return hasIdentification ? identifications + values : nil }
    return identifications + found + values
  }

  private mutating func keep(_ line: CheckLine) {
    if kept.insert(line).inserted { identifications.append(line) }
  }
}

/// The parameters and messages that an IdentificationRejected (0x1D03) names.
struct Rejection {
  /// The maximum number of parameters and of messages to keep; an identification has fewer.
  private static var maximumCount: Int { 64 }

  /// The parameters of the identification, without those beyond the limit.
  var parameters: [UInt16] = []
  /// The messages in the lists of parameters 6 and 7, without those beyond the limit.
  var messages: [UInt16] = []

  /// Reads a control message with its header.
  init(_ bytes: RawSpan) {
    for node in ParameterNode.nodes(of: bytes, rows: IdentificationRejected.rows).nodes.prefix(Self.maximumCount) {
      parameters.append(node.id)
      guard case .list(let numbers) = node.value else { continue }
      messages += numbers.prefix(Self.maximumCount - messages.count).compactMap(UInt16.init(exactly:))
    }
  }
}

extension CheckLine {
  /// The finding that the phone of the file rejected the identification before.
  init(rejection: Rejection) {
    self.init(
      rule: "rejected", severity: "reject",
      text: "The phone rejected the identification"
        + (rejection.parameters.isEmpty ? " and named no parameter." : " and named these parameters."),
      evidence: "Identification.md#rejected: IdentificationRejected (0x1D03) in this file",
      parameters: rejection.parameters, messages: rejection.messages.map(CheckLine.name),
      repair: "Add what is missing and correct or leave out the rest; `iap2 explain` on the same file says which.")
  }
}
