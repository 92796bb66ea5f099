// swift-iap2 · Apache-2.0

public import Foundation

/// The limits of the counts that a car shows. Content above a limit is cut without an error, unless noted otherwise.
///
/// The defaults are numbers of Apple's public documents if one exists (CarPlay/Behavior.md#limits). Values that Apple
/// does not publish are marked as ours.
public struct CarLimits: Sendable, Codable, Hashable {
  /// The number of rows of a list, over all sections. Ours: 12, 24, 50 and 250 were seen in the field.
  public var maximumItemCount = 250
  /// The number of rows of a list while the car limits lists. 12 was seen in the field and in the simulator.
  public var maximumItemCountWhileLimited = 12
  /// The number of sections of a list. Ours.
  public var maximumSectionCount = 100
  /// The number of tabs; nil for the limit of the app's category (G: 4 for audio, 5 for the others). More tabs raise an
  /// exception.
  public var maximumTabCount: Int?
  /// The number of map buttons: 4 in headers and guide, 3 on the reference page and in both 2GIS texts.
  public var maximumMapButtons = 4
  /// The number of map buttons while the panning interface is visible (H, D).
  public var maximumPanningMapButtons = 2
  /// The number of bar buttons on each side (D, S0, S1).
  public var maximumBarButtons = 2
  /// The number of buttons of a grid (H).
  public var maximumGridButtons = 8
  /// The number of grid buttons above a list. Unverified: Apple publishes no number; ours.
  public var maximumHeaderGridButtons = 4
  /// The number of images in an image row. Unverified: 3 to 8 fit by width; ours.
  public var maximumGridImages = 8
  /// The number of actions of an alert; the last ones stay. Unverified: D names a maximum without a number; ours.
  public var maximumAlertActions = 2
  /// The number of actions of an action sheet; nil for no limit. Apple publishes none.
  public var maximumSheetActions: Int?
  /// The number of items of an information template (H).
  public var maximumInformationItems = 10
  /// The number of actions of an information template (H).
  public var maximumInformationActions = 3
  /// The number of points of interest (H).
  public var maximumPointsOfInterest = 12
  /// The number of voice control states (H).
  public var maximumVoiceStates = 5
  /// The number of action buttons of a voice control state. Unverified: Apple publishes no number; ours.
  public var maximumVoiceActionButtons = 2
  /// The number of buttons on the dashboard (H).
  public var maximumDashboardButtons = 2
  /// The number of buttons on the Now Playing screen (H).
  public var maximumNowPlayingButtons = 5
  /// The number of trips of a preview (D).
  public var maximumTrips = 12
  /// The number of routes of a trip (G).
  public var maximumRouteChoices = 3
  /// The number of actions of a contact. Unverified: ours.
  public var maximumContactActions = 4
  /// The number of rows of the old content API while limits are enforced (S2).
  public var enforcedContentItems = 12
  /// The depth of the old content API, from the car (S2, S3: up to 5). The phone ends an app that goes deeper.
  public var enforcedContentDepth = 5
  /// The number of tabs of the old content API (S2).
  public var maximumContentTabs = 4
  /// The number of rows of search results that fit while the keyboard is up. One row was seen (S0).
  public var searchRowsWithKeyboard = 1

  /// Creates the default counts.
  public init() {}
}

/// The sizes of images in points that a car draws without scaling (CarPlay/Frameworks.md#sizes).
public struct CarImageSizes: Sendable, Codable, Hashable {
  /// A button of a grid (G).
  public var gridButton = CGSize(width: 40, height: 40)
  /// The image of a tab (G).
  public var tab = CGSize(width: 24, height: 24)
  /// A button of the Now Playing screen (G).
  public var nowPlayingButton = CGSize(width: 20, height: 20)
  /// An action of a contact (G).
  public var contactAction = CGSize(width: 50, height: 50)
  /// The image of a voice control state (G, H).
  public var voiceControl = CGSize(width: 150, height: 150)
  /// The symbol of the first maneuver (G).
  public var maneuverSymbol = CGSize(width: 120, height: 50)
  /// The symbol of the second maneuver (G).
  public var secondManeuverSymbol = CGSize(width: 18, height: 18)
  /// A symbol that fills the row of the second maneuver, as lanes do (G).
  public var symbolOnly = CGSize(width: 120, height: 18)
  /// The image of a junction (G, H).
  public var junction = CGSize(width: 140, height: 100)
  /// A button of the dashboard (H).
  public var dashboardButton = CGSize(width: 30, height: 30)
  /// The image of a row (H 12.4; later versions publish none).
  public var listItem = CGSize(width: 44, height: 44)
  /// An image of an image row. Unverified: ours.
  public var imageRow = CGSize(width: 88, height: 88)
  /// The image of a section header. Unverified: ours.
  public var listSection = CGSize(width: 24, height: 24)
  /// The leading image of a message row. Unverified: ours.
  public var messageItem = CGSize(width: 44, height: 44)
  /// The pin of a point of interest. Unverified: ours.
  public var pin = CGSize(width: 40, height: 40)
  /// The pin of the selected point of interest. Unverified: ours.
  public var selectedPin = CGSize(width: 60, height: 60)
  /// A map button. Unverified: the room of 44 points is the HIG's touch target.
  public var mapButton = CGSize(width: 44, height: 44)
  /// A bar button. Unverified: ours, the height of the navigation bar.
  public var barButton = CGSize(width: 44, height: 44)

  /// Creates the default sizes.
  public init() {}
}
