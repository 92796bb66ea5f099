// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Capture

// CarPlay sessions.
extension SequenceDiagramSink {
  /// The numbers of the CarPlay sessions, drawn or not, from 1.
  package var sessionNumbers: [Int] { sessionTimes.keys.map { $0 + 1 }.sorted() }

  /// The most lines with values of a message.
  private static let maximumLines = 64

  /// Adds a step for a message, or extends a run of content.
  package mutating func session(_ finding: SessionFinding, at place: DecodedPlace) {
    if (sessionTimes[place.flow] ?? nil) == nil {
      sessionTimes[place.flow] = .some(Self.comesBefore(finding, place.from) ? nil : place.time)
    }
    guard options.connection == nil, options.session.map({ $0 == place.flow + 1 }) ?? true,
      isWanted({ $0.session(finding, at: place) })
    else { return }
    let index: Int
    if let known = sessions[place.flow] {
      index = known
    } else {
      index = drawn.count
      sessions[place.flow] = index
      var connection = SequenceDiagram.Connection(flow: place.flow)
      connection.subject = .session
      drawn.append(Drawn(connection: connection))
    }
    add(.session(Self.step(finding)), place, index)
  }

  /// Whether a finding may come before its session: an announcement, or a control request with its answer. In the
  /// session, the phone sends the first request.
  private static func comesBefore(_ finding: SessionFinding, _ side: Side) -> Bool {
    switch finding.layer {
    case .discovery: true
    case .request: side == .accessory
    case .answer: side == .device
    case .stream, .picture, .sound, .clock, .data, .sealed, .problem: false
    }
  }

  private static func step(_ finding: SessionFinding) -> SequenceDiagram.SessionStep {
    let text = finding.text
    switch finding.layer {
    case .request, .answer:
      // Behind the first comma stands what the body says.
      let name = text.prefix { $0 != "," }
      var step = SequenceDiagram.SessionStep(
        kind: finding.layer == .request ? .request : .answer, name: String(name),
        detail: String(text.dropFirst(name.count).drop { $0 == "," || $0 == " " }))
      step.lines = Array((finding.body.map { DecodedText.tree($0, indent: 0) } ?? []).prefix(maximumLines))
      return step
    case .problem: return SequenceDiagram.SessionStep(kind: .problem, name: "cannot be read", detail: text)
    case .discovery, .stream, .picture, .sound, .clock, .data, .sealed:
      // The stream and the kind name a run; the numbers stand beside it.
      let name = text.prefix { $0 != "," }
      let isCounted = finding.layer == .sound || finding.layer == .sealed
      let stream = text.prefix { $0 != ":" }
      var step = SequenceDiagram.SessionStep(
        kind: .content, name: String(isCounted ? stream : name),
        detail: String(text.dropFirst(isCounted ? stream.count : name.count).drop { ":, ".contains($0) }))
      if case .integer(let count)? = finding.values(.byteCount).first { step.byteCount = Int(clamping: count) }
      return step
    }
  }
}

extension CaptureAnalyzer<SequenceDiagramSink> {
  /// The diagram so far, without connections in which the filter matches nothing. The messages of iAP2 that brought a
  /// CarPlay session up are its first steps, too.
  package var diagram: SequenceDiagram {
    var diagram = sink.diagram
    let sessions = sink.sessionTimes.sorted { $0.key < $1.key }
    for (session, steps) in zip(sessions, sink.bringUp.steps(of: sessions.map(\.value), flowKeys)) {
      let isDrawn = { (drawn: SequenceDiagram.Connection) in drawn.subject == .session && drawn.flow == session.key }
      guard let index = diagram.connections.firstIndex(where: isDrawn) else { continue }
      for step in steps {
        let later = diagram.connections[index].steps.firstIndex { $0.record > step.record }
        diagram.connections[index].steps.insert(step, at: later ?? diagram.connections[index].steps.endIndex)
      }
    }
    return diagram
  }

  /// Returns the transport of each connection of a diagram as text.
  package func transports(of diagram: SequenceDiagram) -> [String] {
    diagram.connections.map {
      $0.subject == .session ? "CarPlay session \($0.number)" : FlowText.text(flowKeys[$0.flow])
    }
  }
}
