// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Capture

extension Capture {
  /// Returns an explanation for each connection in the capture: how far it got, and why it may have stopped.
  public func explanations() -> [ConnectionExplanation] {
    Explanation.all(analyzed(by: ExplanationSink())).map(ConnectionExplanation.init)
  }

  /// Compares the first session of this capture with the first session of another one, independent of their formats.
  ///
  /// Link parameters, identification, control messages and their order on each side, and the bytes of EA sessions and
  /// files are compared. Packets, times and values that are new in every session are not.
  ///
  /// - Throws: ``NoSession`` if a capture has no iAP2.
  public func compared(with other: Capture) throws(NoSession) -> CaptureComparison {
    let (a, b) = (try record(), try other.record())
    return CaptureComparison(
      SessionComparison(a.session, b.session, rules: ComparisonRules(), transports: (a: a.transport, b: b.transport)))
  }

  /// Returns the sequence diagram of the capture's connections as an SVG picture.
  ///
  /// - Parameter name: The title of the picture.
  public func diagram(name: String) -> String {
    let options = SequenceDiagramOptions()
    let analyzer = analyzed(by: SequenceDiagramSink(options: options))
    let diagram = analyzer.diagram
    var text = ""
    DiagramDocument(
      name: name, diagram: diagram, transports: analyzer.transports(of: diagram), start: nil,
      time: .folded(pause: options.pause)
    ).write(.svg) { text += $0 }
    return text
  }

  /// A capture without a session of iAP2.
  public struct NoSession: Error, Equatable, Sendable {}

  /// Returns the first session of the capture, with its transport.
  package func record(
    limits: SessionRecordLimits = SessionRecordLimits()
  ) throws(NoSession) -> (session: SessionRecord, transport: FlowKey) {
    let analyzer = analyzed(by: SessionRecorder(connection: nil, rules: ComparisonRules(), limits: limits))
    guard let session = analyzer.sink.session else { throw NoSession() }
    return (session, analyzer.flowKeys[session.flow])
  }
}

/// An explanation of one connection of a capture.
public struct ConnectionExplanation: Sendable {
  /// A known reason why connections stop at this point.
  public struct Cause: Sendable {
    /// The id, which is stable and unique within its stop point.
    public let id: String
    /// The cause in one sentence.
    public let text: String
    /// A way to distinguish the cause from the others, or a remedy to try.
    public let advice: String
  }

  /// The number of the connection in the capture, from 1.
  public let connection: Int
  /// Whether the session ran or was closed in order.
  public let isComplete: Bool
  /// The id of the stop point, which is stable.
  public let stopPoint: String
  /// The stop point in one sentence.
  public let text: String
  /// The known causes that the capture does not rule out.
  public let causes: [Cause]

  init(_ explanation: Explanation) {
    connection = explanation.connection
    isComplete = explanation.point.isComplete
    stopPoint = explanation.point.id
    text = explanation.text
    causes = explanation.causes.map { Cause(id: $0.id, text: $0.text, advice: $0.check) }
  }
}

/// The result of a comparison of two captures.
public struct CaptureComparison: Sendable {
  /// The differences, one sentence each, the earliest first.
  public let differences: [String]
  /// Whether the sessions are equal.
  public var isEqual: Bool { differences.isEmpty }

  init(_ comparison: SessionComparison) {
    let text = DifferenceText(comparison)
    differences = comparison.differences.map { "\(text.place($0)): \(text.what($0))" }
  }
}
