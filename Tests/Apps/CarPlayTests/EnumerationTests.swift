// swift-iap2 · Apache-2.0

import CarPlay
import Testing

/// Tests that the raw values are those of CarPlay/Frameworks.md#values.
struct EnumerationTests {
  @MainActor
  @Test("The values of buttons and actions are those of the API")
  func buttonsAndActions() {
    #expect([CPAlertAction.Style.default, .cancel, .destructive].map(\.rawValue) == [0, 1, 2])
    // An expression cannot name a nested type `Type`, so initializers infer it.
    let buttons = [CPBarButton(type: .text, handler: nil), CPBarButton(type: .image, handler: nil)]
    #expect(buttons.map(\.buttonType.rawValue) == [0, 1])
    #expect([CPBarButtonStyle.none, .rounded].map(\.rawValue) == [0, 1])
  }

  @Test("The values of lists are those of the API")
  func lists() {
    #expect([CPListItemAccessoryType.none, .disclosureIndicator, .cloud].map(\.rawValue) == [0, 1, 2])
    #expect([CPListItemPlayingIndicatorLocation.leading, .trailing].map(\.rawValue) == [0, 1])
    #expect([CPMessageLeadingItem.none, .pin, .star].map(\.rawValue) == [0, 1, 2])
    #expect([CPMessageTrailingItem.none, .mute].map(\.rawValue) == [0, 1])
    #expect([CPListItem.AssistantCellPosition.top, .bottom].map(\.rawValue) == [0, 1])
    #expect([CPListItem.AssistantCellVisibility.off, .whileLimitedUIActive, .always].map(\.rawValue) == [0, 1, 2])
    #expect([CPAssistantCellActionType.playMedia, .startCall].map(\.rawValue) == [0, 1])
    #expect([CPListImageRowItemCondensedElement.Shape.circular, .roundedRectangle].map(\.rawValue) == [0, 1])
    #expect([CPListImageRowItemImageGridElement.Shape.circular, .roundedRectangle].map(\.rawValue) == [0, 1])
    #expect([CPImageOverlayAlignment.leading, .center, .trailing].map(\.rawValue) == [0, 1, 2])
    #expect([CPPlaybackPresentation.none, .audio, .video].map(\.rawValue) == [0, 1, 2])
    #expect([CPPlaybackAction.none, .play, .pause, .replay].map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test("The values of the session and the cluster are those of the API")
  func session() {
    #expect(CPLimitableUserInterface.keyboard.rawValue == 1)
    #expect(CPLimitableUserInterface.lists.rawValue == 2)
    #expect(CPContentStyle.light.rawValue == 1)
    #expect(CPContentStyle.dark.rawValue == 2)
    let settings: [CPInstrumentClusterSetting] = [.unspecified, .enabled, .disabled, .userPreference]
    #expect(settings.map(\.rawValue) == [0, 1, 2, 3])
  }
}
