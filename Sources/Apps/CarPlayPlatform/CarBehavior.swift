// swift-iap2 · Apache-2.0

/// The behavior of a car and an iOS version in the points that Apple does not publish or that differ in the field.
///
/// Apple publishes none of these values (CarPlay/Frameworks.md#reading-settings). Times are in seconds of the car's
/// clock.
public struct CarBehavior: Sendable, Codable, Hashable {
  /// The reaction to a template beyond the depth of the app's category.
  public enum DepthExceeded: String, Sendable, Codable, Hashable, CaseIterable {
    /// `NSGenericException`, also with a completion handler.
    case raise
    /// Nothing happens: the dead tap that some apps saw.
    case ignore
  }

  /// The order of the delegate's calls for a change of the visible template.
  public enum DelegateOrder: String, Sendable, Codable, Hashable, CaseIterable {
    /// Will disappear, will appear, did disappear, did appear.
    case disappearFirst
    /// Will appear, will disappear, did appear, did disappear.
    case appearFirst
  }

  /// The reaction to a voice state that does not exist, or to one that is set before presenting.
  public enum VoiceMisuse: String, Sendable, Codable, Hashable, CaseIterable {
    /// Nothing happens.
    case ignore
    /// An exception.
    case raise
  }

  /// The reaction to depth.
  public var depthExceeded = DepthExceeded.raise
  /// The order of the delegate's calls. It is not documented, and apps must not depend on it.
  public var delegateOrder = DelegateOrder.disappearFirst
  /// Whether the system dismisses an alert after a tap on one of its buttons. The default follows the corpus apps.
  public var alertAutoDismiss = false
  /// Whether a tab bar's inner template gets the delegate's calls in addition to the tab bar.
  public var tabCallsInnerTemplate = true
  /// Whether a tap on the selected tab calls the delegate again. Unverified.
  public var reselectingTabCalls = true
  /// Whether the delegate of a tab bar is called for the tab that the car selects itself: the first one, and the next
  /// one after the app removed the selected tab. Two apps fill their first tab only in this call and work on iPhones.
  public var firstTabCalls = true
  /// Whether a tab without `tabTitle`, `tabImage` and `tabSystemItem` shows "More", also if its template has a title.
  /// Three reports say so (react-native-carplay 112, 144 and 222); the headers promise the template's title.
  public var untitledTabsShowMore = true
  /// Whether a tab bar root counts as a level. A root and four pushed templates worked in the field.
  public var tabBarCountsAsLevel = true
  /// Whether the template below a modal one gets the delegate's disappear calls. Unverified.
  public var modalCoversTemplate = true
  /// Whether `sceneWillEnterForeground` comes before `didConnect`, as in simulators since iOS 18.5.
  public var foregroundBeforeConnect = false
  /// Whether the phone's scene goes to the background when the car connects. S0 and S1 report both.
  public var phoneToBackgroundOnConnect = false
  /// Whether the home screen lists an app without an entitlement, as simulators do (S0: the exception came there).
  public var listsWithoutEntitlement = false
  /// Whether the car gets a session while the phone is locked (S0: the user can withdraw this permission).
  public var allowWhileLocked = true
  /// Whether a search template may be the root. Unverified.
  public var searchAsRoot = false
  /// The reaction to voice states.
  public var voiceMisuse = VoiceMisuse.ignore
  /// Whether new maneuvers resume a paused session before iOS 17.4. Unverified.
  public var maneuversResumeTrip = true
  /// Whether `playbackState` decides between the keys for play and pause, in place of the rate. A simulator did so
  /// (IrosTheBeggar/mstream_music PR 136). Unverified for phones.
  public var playbackStateDecides = false
  /// Whether touch screens report pan gestures on maps. D: on some systems they never come.
  public var panGestures = true
  /// Whether the head unit offers the car's position over iAP2, and its range and outside temperature. Unverified for a
  /// wireless car.
  public var offersLocation = true, offersVehicleStatus = true
  /// Whether the phone requests the car's position only while an app wants locations, otherwise always. Unverified.
  public var locationOnDemand = true
  /// The fraction of the screen that a finger must move before a pan begins (S0: about a quarter on cars).
  public var panThreshold = 0.25
  /// The delay between a call of the app and the change of the screen. Unverified: ours.
  public var ipcDelay = 0.02
  /// The delay between the detection of a lost connection and the app's `didDisconnect`. Unverified: ours.
  public var disconnectDelay = 0.1
  /// The duration of an animated change of the screen. Unverified: ours.
  public var animationDelay = 0.35
  /// The delay until a row with an incomplete handler shows a spinner. Unverified: about half a second.
  public var spinnerDelay = 0.5
  /// The delay until an incomplete handler is reported. Ours.
  public var handlerReportDelay = 5.0
  /// The delay until a map's navigation bar hides without touch. Unverified: about 5 seconds.
  public var navigationBarHideDelay = 5.0
  /// The delay until the old content API shows that loading failed. Unverified.
  public var contentTimeout = 10.0
  /// The time limit of a life cycle call, after which the system ends the app (mapbox 2428). Real seconds of the main
  /// thread.
  public var watchdog = 10.0
  /// The shortest visible time of a navigation alert (H).
  public var minimumNavigationAlertDuration = 5.0
  /// The shortest time between two writes of the Now Playing information. Unverified: dropped writes were seen.
  public var nowPlayingThrottle = 0.2
  /// The number of changes of one row in a second above which images degraded in the field (one app caps at 4).
  public var rowUpdatesPerSecond = 4
  /// The shortest time between two refreshes of a driving task app (G).
  public var drivingTaskRefresh = 10.0
  /// The shortest time between two refreshes of points of interest (G).
  public var pointOfInterestRefresh = 60.0
  /// The shortest time between two voice states. Unverified: D says that faster calls are limited.
  public var voiceStateInterval = 0.3
  /// The number of calls of the old content API's data source in one load above which the host reports it. Ours.
  public var contentQuestions = 200
  /// The delay after connecting until an app without a root template is reported. Ours: D says "very soon".
  public var rootDelay = 1.0

  /// Creates the default behavior.
  public init() {}
}

extension CarBehavior {
  /// The reasons of the user interface's limits (`CPLimitableUserInterface`).
  public enum LimitedInterface: String, Sendable, Codable, Hashable, CaseIterable {
    /// The keyboard of the search template is disabled.
    case keyboard
    /// Lists are shortened.
    case lists
  }
}
