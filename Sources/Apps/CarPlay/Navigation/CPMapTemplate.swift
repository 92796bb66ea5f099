// swift-iap2 · Apache-2.0

/// The overlay of a navigation app: bars, map buttons, previews of trips, guidance and alerts over the map that the app
/// draws in its window.
///
/// The template keeps every button and trip that the app gives. The car shows the first map buttons (4, or 3 on some
/// systems), two while the panning interface is visible, and the first 12 trips: CarPlay/Frameworks.md#maps.
@preconcurrency @MainActor
open class CPMapTemplate: CPTemplate, CPBarButtonProviding {
  /// The directions of a step of the panning interface. A diagonal step has two directions.
  public struct PanDirection: OptionSet, Sendable {
    public let rawValue: Int

    /// Creates directions from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No direction.
    public static let none = PanDirection([])
    /// To the left.
    public static let left = PanDirection(rawValue: 1)
    /// To the right.
    public static let right = PanDirection(rawValue: 2)
    /// Up.
    public static let up = PanDirection(rawValue: 4)
    /// Down.
    public static let down = PanDirection(rawValue: 8)
  }

  /// The previews that an app asked for.
  @MainActor
  package struct TripPreviews {
    /// The trips, uncut.
    package let trips: [CPTrip]
    /// The trip that is selected first.
    package let selectedTrip: CPTrip?
    /// The titles of the buttons.
    package let textConfiguration: CPTripPreviewTextConfiguration?
    /// Whether the route choices of the only trip are shown at once.
    package let showsRouteChoices: Bool
  }

  /// Creates a map template.
  public override init() { super.init() }

  /// The receiver of the template's events. It is not retained.
  public weak var mapDelegate: (any CPMapTemplateDelegate)? { didSet { noteChange() } }

  /// The background of the guidance card.
  // Unverified: the default of the real framework.
  public var guidanceBackgroundColor: UIColor = .black { didSet { noteChange() } }

  /// The style of the estimates of a trip.
  // Unverified: the default of the real framework.
  public var tripEstimateStyle: CPTripEstimateStyle = .light { didSet { noteChange() } }

  /// The buttons on the map, uncut. The car hides the last ones when it has no room.
  public var mapButtons: [CPMapButton] = [] { didSet { noteChange() } }

  /// Whether the navigation bar hides itself some seconds after the last touch.
  public var automaticallyHidesNavigationBar = true { didSet { noteChange() } }

  /// Whether the map buttons hide together with the navigation bar.
  public var hidesButtonsWithNavigationBar = true { didSet { noteChange() } }

  /// The buttons on the leading side of the navigation bar, uncut. The car shows two.
  public var leadingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The buttons on the trailing side of the navigation bar, uncut. The car shows two.
  public var trailingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The back button with an action of the app.
  public var backButton: CPBarButton? { didSet { noteChange() } }

  /// Whether the car shows the arrows that move the map. The host sets it.
  public package(set) var isPanningInterfaceVisible = false

  /// The visible navigation alert. The host sets it.
  public package(set) var currentNavigationAlert: CPNavigationAlert?

  /// The previews that the app asked for, or nil.
  package private(set) var tripPreviews: TripPreviews?

  private var latestSession: CPNavigationSession?

  /// The session of the trip that is neither finished nor cancelled.
  package var navigationSession: CPNavigationSession? {
    guard let latestSession, latestSession.isActive else { return nil }
    return latestSession
  }

  // MARK: Trips

  /// Shows previews of trips. The car shows the first 12.
  public func showTripPreviews(_ tripPreviews: [CPTrip], textConfiguration: CPTripPreviewTextConfiguration?) {
    show(
      TripPreviews(
        trips: tripPreviews, selectedTrip: nil, textConfiguration: textConfiguration, showsRouteChoices: false))
  }

  /// Shows previews of trips and selects one of them.
  @available(iOS 14.0, *)
  public func showTripPreviews(
    _ tripPreviews: [CPTrip], selectedTrip: CPTrip?, textConfiguration: CPTripPreviewTextConfiguration?
  ) {
    show(
      TripPreviews(
        trips: tripPreviews, selectedTrip: selectedTrip, textConfiguration: textConfiguration,
        showsRouteChoices: false))
  }

  /// Shows a trip and its route choices.
  public func showRouteChoicesPreview(
    for tripPreview: CPTrip, textConfiguration: CPTripPreviewTextConfiguration?
  ) {
    show(
      TripPreviews(
        trips: [tripPreview], selectedTrip: tripPreview, textConfiguration: textConfiguration,
        showsRouteChoices: true))
  }

  private func show(_ previews: TripPreviews) {
    tripPreviews = previews
    CarPlayModule.system.perform(.navigation(.showTripPreviews(self)))
  }

  /// Hides the previews of trips.
  public func hideTripPreviews() {
    tripPreviews = nil
    CarPlayModule.system.perform(.navigation(.hideTripPreviews(self)))
  }

  /// Sets the estimates of a trip, in the default color.
  public func updateEstimates(_ estimates: CPTravelEstimates, for trip: CPTrip) {
    update(estimates, for: trip, with: .default)
  }

  /// Sets the estimates of a trip and the color of the remaining time.
  public func update(
    _ estimates: CPTravelEstimates, for trip: CPTrip, with timeRemainingColor: CPTimeRemainingColor
  ) {
    trip.estimates = CPTrip.Estimates(travel: estimates, timeRemainingColor: timeRemainingColor)
    CarPlayModule.system.perform(.navigation(.updateTripEstimates(trip, self)))
  }

  /// Starts the guidance of a trip.
  ///
  /// - Returns: The session, which the app keeps and sends maneuvers to.
  public func startNavigationSession(for trip: CPTrip) -> CPNavigationSession {
    let session = CPNavigationSession(trip: trip)
    latestSession = session
    CarPlayModule.system.perform(.navigation(.startNavigation(session, self)))
    return session
  }

  // MARK: Panning

  /// Shows the arrows that move the map, for cars without a touch screen. At most two map buttons stay visible.
  public func showPanningInterface(animated: Bool) {
    CarPlayModule.system.perform(.navigation(.showPanningInterface(self, animated: animated)))
  }

  /// Hides the arrows that move the map.
  public func dismissPanningInterface(animated: Bool) {
    CarPlayModule.system.perform(.navigation(.dismissPanningInterface(self, animated: animated)))
  }

  // MARK: Alerts

  /// Shows an alert over the map. It has no effect while another alert is visible.
  public func present(navigationAlert: CPNavigationAlert, animated: Bool) {
    CarPlayModule.system.perform(.navigation(.presentNavigationAlert(navigationAlert, self, animated: animated)))
  }

  /// Takes the visible alert away.
  ///
  /// - Parameters:
  ///   - animated: Whether the alert moves.
  ///   - completion: Receives whether there was an alert.
  public func dismissNavigationAlert(animated: Bool, completion: @escaping (Bool) -> Void) {
    CarPlayModule.system.perform(.navigation(.dismissNavigationAlert(self, animated: animated, completion: completion)))
  }

  /// Takes the visible alert away and returns whether there was one.
  @discardableResult
  public func dismissNavigationAlert(animated: Bool) async -> Bool {
    defer { AnsweredTasks.end() }
    return await withCheckedContinuation { continuation in
      let answer = TaskAnswer(continuation, last: .success(false))
      dismissNavigationAlert(animated: animated) { answer.give(.success($0)) }
    }
  }
}
