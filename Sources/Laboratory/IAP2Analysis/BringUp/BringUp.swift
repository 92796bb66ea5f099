// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// The messages of iAP2 that bring CarPlay sessions up, from the authentication to the start message, each as a step of
/// an explanation or of a diagram. Their number does not grow with the capture.
struct BringUp<Step: Sendable>: Sendable {
  /// A start message with what came before it on its connection.
  struct Start: Sendable {
    let flow: Int
    let time: Double?
    let steps: [Step]
  }

  /// The most messages of one session, and the most sessions with them.
  private static var maximumSteps: Int { 8 }
  private static var maximumStarts: Int { 1024 }

  /// The messages of each connection since its last start message.
  private var open: [Int: [Step]] = [:]
  private(set) var starts: [Start] = []

  /// Whether a message belongs to the bring-up of a session.
  static func has(_ id: UInt16) -> Bool {
    switch id {
    case AuthenticationSucceeded.id, IdentificationAccepted.id, CarPlayAvailability.id, CarPlayStartSession.id,
      RequestAccessoryWiFiConfigurationInformation.id, AccessoryWiFiConfigurationInformation.id:
      true
    default: false
    }
  }

  /// Takes a message of the bring-up.
  mutating func take(_ id: UInt16, _ step: Step, at place: DecodedPlace) {
    guard starts.count < Self.maximumStarts else { return }
    // A connection begins anew.
    if id == AuthenticationSucceeded.id { open[place.flow] = [] }
    let steps = ((open[place.flow] ?? []) + [step]).suffix(Self.maximumSteps)
    if id == CarPlayStartSession.id { starts.append(Start(flow: place.flow, time: place.time, steps: Array(steps))) }
    open[place.flow] = id == CarPlayStartSession.id ? [] : Array(steps)
  }

  /// Returns for each session the messages that brought it up: those of the last start message before it that began no
  /// earlier session. iAP2 inside a session begins none.
  ///
  /// - Parameters:
  ///   - times: The time of the first message of each session, in their order; nil for one without.
  ///   - keys: The transport of each connection.
  func steps(of times: [Double?], _ keys: [FlowKey]) -> [[Step]] {
    var left = starts.filter { start in
      if keys.indices.contains(start.flow), case .session = keys[start.flow] { false } else { true }
    }
    return times.map { time in
      let place = left.lastIndex { start in start.time.flatMap { start in time.map { start <= $0 } } ?? false }
      guard let place else { return [] }
      defer { left.removeSubrange(...place) }
      return left[place].steps
    }
  }
}
