// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

extension ScreenBuilder {
  func alert(_ alert: CPAlertTemplate) -> Element {
    let title = variant(
      alert.titleVariants, of: alert, "titleVariants", in: TextRoom(points: width - SystemLayout.bar, lines: 3))
    if alert.actions.isEmpty {
      host.report(
        CarDiagnostic(
          .note, what: "an alert has no action", carShows: "an alert that the driver cannot close",
          remedy: "give an action, or dismiss the alert yourself", place: host.places.place(of: alert) ?? .unknown))
    }
    let kept = limits.maximumAlertActions
    host.reportCut(
      "alert actions", given: alert.actions.count, kept: kept, of: alert, "actions",
      remedy: "read CPAlertTemplate.maximumActionCount", keepsLast: true)
    // An alert above the limit keeps only its last actions (D).
    return Element(
      ScreenNode(.alert, title?.text ?? "", isCut: title?.isCut ?? false),
      children: alert.actions.suffix(kept).map { action($0, of: alert) })
  }

  func sheet(_ sheet: CPActionSheetTemplate) -> Element {
    let title = text(sheet.title, of: sheet, "title", in: TextRoom(points: width / 2))
    let message = text(sheet.message, of: sheet, "message", in: TextRoom(points: width / 2, lines: 3))
    let kept = limits.maximumSheetActions ?? sheet.actions.count
    host.reportCut(
      "action sheet actions", given: sheet.actions.count, kept: kept, of: sheet, "actions",
      remedy: "use a list template for many choices")
    let shown = sheet.actions.prefix(kept)
    let ordered = shown.filter { $0.style != .cancel } + shown.filter { $0.style == .cancel }
    return Element(
      ScreenNode(.sheet, title?.text ?? "", detail: message?.text ?? "", isCut: title?.isCut ?? false),
      children: ordered.map { action($0, of: sheet) })
  }

  private func action(_ action: CPAlertAction, of template: CPTemplate) -> Element {
    host.reporting { plainAction(action, of: template) }
  }

  private func plainAction(_ action: CPAlertAction, of template: CPTemplate) -> Element {
    let title = text(action.title, of: template, "action title", in: TextRoom(points: width / 2))
    let style: [ScreenMark] =
      switch action.style {
      case .default: []
      case .cancel: [.cancel]
      case .destructive: [.destructive]
      }
    return Element(ScreenNode(.action, title?.text ?? "", isCut: title?.isCut ?? false, marks: style), title) {
      [host] in
      host.choose(action, of: template)
    }
  }

  func voice(_ voice: CPVoiceControlTemplate) -> Element {
    let kept = voice.voiceControlStates.prefix(limits.maximumVoiceStates)
    host.reportCut(
      "voice control states", given: voice.voiceControlStates.count, kept: limits.maximumVoiceStates, of: voice,
      "voiceControlStates", remedy: "use at most \(limits.maximumVoiceStates) states")
    let state = kept.first { $0.identifier == voice.activeStateIdentifier }
    let title = state.flatMap {
      variant($0.titleVariants ?? [], of: $0, "titleVariants", in: TextRoom(points: width, lines: 2))
    }
    if let state, let image = state.image { checkVoiceImage(image.duration, image.images?.count ?? 0, state) }
    let image = state.flatMap { self.image($0.image, settings.imageSizes.voiceControl, of: $0, "image") }
    let buttons = (state?.actionButtons ?? []).prefix(limits.maximumVoiceActionButtons).map { button($0, .action) }
    return Element(
      ScreenNode(
        .voice, title?.text ?? "", detail: state?.identifier ?? "", isCut: title?.isCut ?? false,
        marks: image.map { [.image($0)] } ?? []), children: bar(voice) + buttons
    ).showing(state?.image, of: host)
  }

  /// Reports an animated image whose cycle is not 0.3 to 5 s long (H).
  private func checkVoiceImage(_ duration: Double, _ frames: Int, _ state: CPVoiceControlState) {
    guard frames > 0, !(0.3...5).contains(duration) else { return }
    host.report(
      CarDiagnostic(
        .image, what: "a voice image of \(frames) frames has a cycle of \(duration) s",
        carShows: "an image that does not move, or moves too fast", remedy: "use a cycle of 0.3 to 5 s",
        place: host.places.place(of: state) ?? .unknown))
  }
}
