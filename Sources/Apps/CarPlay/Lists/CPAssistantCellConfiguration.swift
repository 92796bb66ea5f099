// swift-iap2 · Apache-2.0

public import Foundation

/// The action of a list's assistant cell. An Intents extension of the app receives it.
@available(iOS 15.0, *)
public enum CPAssistantCellActionType: Int, Sendable {
  /// Plays media, with `INPlayMediaIntent`.
  case playMedia = 0
  /// Starts a call, with `INStartCallIntent`.
  case startCall = 1
}

/// The row of a list that starts Siri.
@available(iOS 15.0, *)
@preconcurrency @MainActor
open class CPAssistantCellConfiguration: NSObject {
  /// The place of the row.
  public let position: CPListItem.AssistantCellPosition
  /// The conditions under which the row is visible.
  public let visibility: CPListItem.AssistantCellVisibility
  /// The action of the row.
  public let assistantAction: CPAssistantCellActionType

  /// Creates a row that starts Siri.
  public init(
    position: CPListItem.AssistantCellPosition, visibility: CPListItem.AssistantCellVisibility,
    assistantAction: CPAssistantCellActionType
  ) {
    self.position = position
    self.visibility = visibility
    self.assistantAction = assistantAction
    super.init()
    noteCreation()
  }
}
