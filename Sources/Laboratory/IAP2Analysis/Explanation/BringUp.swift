// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Capture

/// The messages of iAP2 that bring CarPlay sessions up, from the authentication to the start message. Their number does
/// not grow with the capture.
struct BringUp: Sendable {
  private static let ids: Set<UInt16> = [
    AuthenticationSucceeded.id, IdentificationAccepted.id, CarPlayAvailability.id, CarPlayStartSession.id,
    RequestAccessoryWiFiConfigurationInformation.id, AccessoryWiFiConfigurationInformation.id,
  ]
  /// The most messages of one session, and the most sessions with them.
  private static let maximumSteps = 8, maximumStarts = 1024

  /// The messages of each connection since its last start message.
  private var open: [Int: [SessionExplanation.Step]] = [:]
  /// The start messages, each with what came before it on its connection.
  private(set) var starts: [(flow: Int, steps: [SessionExplanation.Step])] = []

  /// Takes a message.
  mutating func take(_ id: UInt16, at place: DecodedPlace) {
    guard Self.ids.contains(id), starts.count < Self.maximumStarts else { return }
    // A connection begins anew.
    if id == AuthenticationSucceeded.id { open[place.flow] = [] }
    var steps = open[place.flow] ?? []
    steps.append(
      SessionExplanation.Step(
        record: place.record, time: place.time, from: place.from, text: MessageCatalog[id]?.name ?? "",
        connection: place.flow + 1))
    if id == CarPlayStartSession.id {
      starts.append((place.flow, steps.suffix(Self.maximumSteps)))
      steps = []
    }
    open[place.flow] = steps.suffix(Self.maximumSteps)
  }
}

extension CaptureAnalyzer<ExplanationSink> {
  /// The explanations of the CarPlay sessions in the order of their numbers, with the messages of iAP2 that brought each
  /// one up: those of the last start message before it that began no earlier session.
  package var sessions: [(number: Int, explanation: SessionExplanation)] {
    let keys = flowKeys
    func isInside(_ flow: Int) -> Bool {
      if keys.indices.contains(flow), case .session = keys[flow] { true } else { false }
    }
    var starts = sink.bringUp.starts.filter { !isInside($0.flow) }
    return sink.sessions.sorted { $0.number < $1.number }.map { number, explanation in
      var explanation = explanation
      guard let first = explanation.firstTime else { return (number, explanation) }
      let place = starts.lastIndex { start in start.steps.last?.time.map { $0 <= first } ?? false }
      guard let place else { return (number, explanation) }
      explanation.discovery = (starts[place].steps + explanation.discovery).sorted { $0.record < $1.record }
      starts.removeSubrange(...place)
      return (number, explanation)
    }
  }
}
