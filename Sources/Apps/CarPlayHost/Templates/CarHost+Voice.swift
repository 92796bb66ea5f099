// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

extension CarHost {
  func activateVoiceState(_ template: CPVoiceControlTemplate, _ identifier: String) {
    note(.fromApp, "activateVoiceControlState", identifier, object: "voice control template")
    guard let connection = app?.car else { return }
    let isVisible = connection.stack.front === template
    let kept = template.voiceControlStates.prefix(settings.limits.maximumVoiceStates)
    guard isVisible, kept.contains(where: { $0.identifier == identifier }) else {
      report(
        CarDiagnostic(
          .ignored,
          what: isVisible
            ? "the voice state \(identifier) is not among the \(kept.count) that the car keeps"
            : "a voice state was activated while the template is not presented",
          carShows: "the state before", remedy: "present the template first, and activate one of its states"))
      if settings.behavior.voiceMisuse == .raise { raise(.voiceState(identifier)) }
      return
    }
    if let last = connection.lastVoiceChange,
      last.duration(to: clock.now) < .seconds(settings.behavior.voiceStateInterval)
    {
      report(
        CarDiagnostic(
          .rate, what: "voice states changed within \(settings.behavior.voiceStateInterval) s",
          carShows: "some states are skipped", remedy: "leave a state visible for a moment"))
    }
    connection.lastVoiceChange = clock.now
    template.activeStateIdentifier = identifier
  }
}
