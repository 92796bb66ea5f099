// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of maps: buttons, panning, trips, guidance, alerts, the free area.
  @Suite @MainActor
  struct MapTests {
    /// A map's delegate that records its calls.
    final class Notes: NSObject, CPMapTemplateDelegate {
      var calls: [String] = []
      var styles: (CPManeuver) -> CPManeuverDisplayStyle = { _ in .default }
      var showsBanners = false

      func mapTemplate(_ mapTemplate: CPMapTemplate, panWith direction: CPMapTemplate.PanDirection) {
        calls.append("pan \(direction.rawValue)")
      }
      func mapTemplate(_ mapTemplate: CPMapTemplate, panBeganWith direction: CPMapTemplate.PanDirection) {
        calls.append("began \(direction.rawValue)")
      }
      func mapTemplate(_ mapTemplate: CPMapTemplate, panEndedWith direction: CPMapTemplate.PanDirection) {
        calls.append("ended \(direction.rawValue)")
      }
      func mapTemplateDidBeginPanGesture(_ mapTemplate: CPMapTemplate) { calls.append("gesture began") }
      func mapTemplate(
        _ mapTemplate: CPMapTemplate, didUpdatePanGestureWithTranslation translation: CGPoint, velocity: CGPoint
      ) {
        calls.append("gesture \(Int(translation.x))")
      }
      func mapTemplate(_ mapTemplate: CPMapTemplate, didEndPanGestureWithVelocity velocity: CGPoint) {
        calls.append("gesture ended")
      }
      func mapTemplate(_ mapTemplate: CPMapTemplate, startedTrip trip: CPTrip, using routeChoice: CPRouteChoice) {
        calls.append("started \(routeChoice.summaryVariants[0])")
        mapTemplate.hideTripPreviews()
        _ = mapTemplate.startNavigationSession(for: trip)
      }
      func mapTemplate(_ mapTemplate: CPMapTemplate, selectedPreviewFor trip: CPTrip, using routeChoice: CPRouteChoice)
      {
        calls.append("selected \(routeChoice.summaryVariants[0])")
      }
      func mapTemplateDidCancelNavigation(_ mapTemplate: CPMapTemplate) {
        calls.append("cancelled")
        mapTemplate.navigationSession?.cancelTrip()
      }
      func mapTemplate(_ mapTemplate: CPMapTemplate, displayStyleFor maneuver: CPManeuver) -> CPManeuverDisplayStyle {
        styles(maneuver)
      }
      func mapTemplate(_ mapTemplate: CPMapTemplate, shouldShowNotificationFor maneuver: CPManeuver) -> Bool {
        showsBanners
      }
      func mapTemplate(
        _ mapTemplate: CPMapTemplate, willDismiss navigationAlert: CPNavigationAlert,
        dismissalContext: CPNavigationAlert.DismissalContext
      ) {
        calls.append("alert gone \(dismissalContext.rawValue)")
      }
    }

    private func launch(
      _ settings: CarSettings = .standard, _ notes: Notes = Notes(),
      _ onConnect: @escaping @MainActor (MapScene) -> Void = { _ in }
    ) async -> (Car, MapScene) {
      let car = Car(settings)
      let scene = MapScene { scene in
        scene.map.mapDelegate = notes
        onConnect(scene)
      }
      await car.launch(.navigation) { scene }
      return (car, scene)
    }

    private func trip(_ name: String, _ routes: [String]) -> CPTrip {
      let place = MKMapItem(placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2)))
      place.name = name
      return CPTrip(
        origin: place, destination: place,
        routeChoices: routes.map {
          CPRouteChoice(summaryVariants: [$0], additionalInformationVariants: [], selectionSummaryVariants: [])
        })
    }

    @Test func theFourthMapButtonIsCutWhereThreeFit() async throws {
      for name in ["standard", "ios12", "field-head"] {
        let car = Car(try .profile(name))
        let map = CPMapTemplate()
        let app = OldAppDelegate()
        app.root = {
          map.mapButtons = mapButtons(["dpad.fill", "minus.magnifyingglass", "plus.magnifyingglass", "location"])
          return map
        }
        if name == "ios12" {
          await car.launch(.navigation, appDelegate: { app })
        } else {
          await car.launch(.navigation) {
            MapScene { $0.controller?.setRootTemplate(app.root(), animated: false, completion: nil) }
          }
        }
        let isCut = name != "standard"
        #expect(car.screen.all(.mapButton).count == (isCut ? 3 : 4))
        #expect(car.screen.shows("location") == !isCut)
        #expect(car.diagnostics(.cut).map(\.what) == (isCut ? ["4 map buttons, 3 shown"] : []))
        if isCut { #expect(car.diagnostics(.cut).first?.place.description.contains("MapTests.swift") == true) }
      }
    }

    @Test func noPartOfTheMapShowsATextAsItWasGiven() async {
      let hostile = "\u{202E}evil\u{07} " + String(repeating: "x", count: 100_000)
      let (car, scene) = await launch()
      let trip = trip(hostile, [hostile])
      let texts = CPTripPreviewTextConfiguration(
        startButtonTitle: hostile, additionalRoutesButtonTitle: hostile, overviewButtonTitle: hostile)
      scene.map.showTripPreviews([trip, trip], textConfiguration: texts)
      await car.settle()
      var screens = [car.screen]
      scene.map.hideTripPreviews()
      let session = scene.map.startNavigationSession(for: trip)
      session.pauseTrip(for: .loading, description: hostile)
      let action = CPAlertAction(title: hostile, style: .default) { _ in }
      scene.map.present(
        navigationAlert: CPNavigationAlert(
          titleVariants: [hostile], subtitleVariants: [hostile], image: nil, primaryAction: action,
          secondaryAction: nil, duration: 0), animated: false)
      await car.settle()
      screens.append(car.screen)
      scene.controller?.presentTemplate(
        CPAlertTemplate(titleVariants: [hostile], actions: [action]), animated: false, completion: nil)
      await car.settle()
      screens.append(car.screen)
      let shown = screens.flatMap(\.all).flatMap { [$0.title, $0.detail] + $0.marks.map(\.text) }
      let told = car.log.map(\.detail) + car.diagnostics.flatMap { [$0.what, $0.carShows] }
      #expect(shown.contains { $0.contains("evil") })
      for text in shown + told {
        #expect(text.count < 2200 && !text.contains("\u{202E}") && !text.contains("\u{07}"), "\(text.prefix(80))")
      }
      #expect(car.diagnostics(.text).count > 5)
    }

    @Test func aThirdBarButtonIsCut() async {
      let (car, _) = await launch { scene in
        scene.map.trailingNavigationBarButtons = ["A", "B", "C"].map { CPBarButton(title: $0, handler: nil) }
      }
      #expect(car.screen.buttons == ["A", "B"])
      #expect(car.diagnostics(.cut).map(\.what) == ["3 trailing bar buttons, 2 shown"])
    }

    // The base view gets no touch.
    @Test func aPanGestureNeedsAScreenThatReportsItAndAQuarterOfTheScreen() async throws {
      let notes = Notes()
      let (car, _) = await launch(.standard, notes)
      await car.pan(x: 20, y: 0)
      #expect(notes.calls.isEmpty)
      await car.pan(x: 160, y: 0)
      #expect(notes.calls == ["gesture began", "gesture 100", "gesture ended"])
      let others = Notes()
      let (blind, _) = await launch(try .profile("field-head"), others)
      await blind.pan(x: 160, y: 0)
      #expect(others.calls.isEmpty)
      #expect(blind.diagnostics(.note).contains { $0.what.contains("pan gestures") })
    }

    @Test func thePanningInterfaceHasArrowsAndTwoMapButtons() async {
      let notes = Notes()
      let (car, scene) = await launch(.standard, notes) { $0.map.mapButtons = mapButtons(["a", "b", "c"]) }
      scene.map.showPanningInterface(animated: true)
      await car.settle()
      #expect(scene.map.isPanningInterfaceVisible)
      #expect(car.screen.all(.mapButton).count == 2)
      #expect(car.screen.all(.pan).map(\.title) == ["left", "right", "up", "down"])
      await car.tap("left")
      await car.pan([.left, .up])
      await car.pan(.down, isHeld: true)
      #expect(notes.calls == ["pan 1", "pan 5", "began 8", "ended 8"])
      #expect(car.diagnostics(.note).contains { $0.what.contains("no bar button to leave") })
      scene.map.dismissPanningInterface(animated: true)
      #expect(car.appCalls.suffix(2) == ["mapTemplate(_:panBeganWith:) down", "mapTemplate(_:panEndedWith:) down"])
      #expect(!scene.map.isPanningInterfaceVisible)
    }

    @Test func aVerbWithoutItsPartOfTheMapRecordsAnIssue() async {
      let (car, _) = await launch(.standard, Notes()) { _ in }
      await withKnownIssue {
        await car.pan(.left)
      } matching: { issue in
        issue.comments.contains { $0.rawValue.hasPrefix("no panning interface is in front; the screen is\n") }
      }
      await withKnownIssue {
        await car.movePointMap()
      } matching: { issue in
        issue.comments.contains { $0.rawValue.hasPrefix("no map of points of interest is in front; ") }
      }
    }

    @Test func aTripIsPreviewedStartedAndGuided() async {
      let notes = Notes()
      let (car, scene) = await launch(.standard, notes)
      let texts = CPTripPreviewTextConfiguration(
        startButtonTitle: "Go", additionalRoutesButtonTitle: "Routes", overviewButtonTitle: nil)
      let trip = trip("Harbour", ["Fast", "Short", "Scenic", "Slow"])
      scene.map.showTripPreviews([trip], textConfiguration: texts)
      await car.settle()
      #expect(car.screen.buttons == ["Go", "Routes"])
      #expect(car.diagnostics(.cut).map(\.what) == ["4 route choices, 3 shown"])
      await car.tap("Routes")
      await car.tap("Short")
      await car.tap("Go")
      #expect(notes.calls == ["selected Fast", "selected Short", "started Short"])
      #expect(car.screen.first(.guidance)?.hasSpinner == true)
      await car.cancelNavigation()
      #expect(car.screen.first(.guidance) == nil)
    }

    @Test func theGuidanceCardShowsManeuversAndTheirEstimates() async {
      let notes = Notes()
      let (car, scene) = await launch(.standard, notes)
      let session = scene.map.startNavigationSession(for: trip("Harbour", ["Fast"]))
      let turn = CPManeuver()
      turn.instructionVariants = ["Turn left into the street with a very long name indeed", "Left, Main Street"]
      turn.symbolSet = CPImageSet(
        lightContentImage: UIImage(systemName: "day")!, darkContentImage: UIImage(systemName: "night")!)
      let lanes = CPManeuver()
      lanes.symbolImage = UIImage(systemName: "lanes")
      notes.styles = { $0 === lanes ? .symbolOnly : .leadingSymbol }
      session.upcomingManeuvers = [turn, lanes]
      session.updateEstimates(
        CPTravelEstimates(distanceRemaining: Measurement(value: 300, unit: .meters), timeRemaining: 30), for: turn)
      await car.settle()
      #expect(
        car.screen.first(.guidance)?.description == """
          guidance
            maneuver "Left, Main Street" - "300 m" [day]
            maneuver [lanes] symbol only
          """)
      session.updateEstimates(
        CPTravelEstimates(distanceRemaining: Measurement(value: -1, unit: .meters), timeRemaining: -1), for: turn)
      await car.setContentStyle(.dark)
      #expect(car.screen.all(.maneuver).first?.line == "maneuver \"Left, Main Street\" - \"--\" [night]")
    }

    @Test func aBannerShowsOverAnotherAppOnlyIfTheAppWantsIt() async {
      for wants in [false, true] {
        let notes = Notes()
        notes.showsBanners = wants
        let (car, scene) = await launch(.standard, notes)
        let session = scene.map.startNavigationSession(for: trip("Harbour", ["Fast"]))
        await car.openOtherApp()
        let turn = CPManeuver()
        turn.instructionVariants = ["Left"]
        session.upcomingManeuvers = [turn]
        await car.settle()
        #expect((car.screen.first(.banner)?.title == "Left") == wants)
        if wants {
          await car.tap("Left")
          #expect(car.showsApp)
        }
      }
    }

    /// The delegate implements the method for maneuvers, but not the method for alerts, which has the same base name.
    @Test func aQuestionThatTheAppLacksIsNotTold() async {
      let (car, scene) = await launch(.standard, Notes())
      await car.goHome()
      scene.map.present(
        navigationAlert: CPNavigationAlert(
          titleVariants: ["Faster route"], subtitleVariants: [], image: nil,
          primaryAction: CPAlertAction(title: "Take it", style: .default) { _ in }, secondaryAction: nil,
          duration: 5), animated: true)
      await car.settle()
      #expect(!car.appCalls.contains { $0.hasPrefix("mapTemplate(_:shouldShowNotificationFor:)") }, "\(car.appCalls)")
      #expect(car.log.contains { "\($0)".contains("shouldShowNotificationFor:) alert") })
    }

    @Test(arguments: [Double.infinity, 1e300]) func aNavigationAlertWithoutAnEndStays(duration: Double) async {
      let (car, scene) = await launch(.standard, Notes())
      scene.map.present(
        navigationAlert: CPNavigationAlert(
          titleVariants: ["Faster route"], subtitleVariants: [], image: nil,
          primaryAction: CPAlertAction(title: "Take it", style: .default) { _ in }, secondaryAction: nil,
          duration: duration), animated: true)
      await car.settle()
      await car.wait(.seconds(600))
      #expect(car.screen.shows("Faster route"))
    }

    @Test func aNavigationAlertEndsByTimeByTapOrByTheApp() async {
      let notes = Notes()
      let (car, scene) = await launch(.standard, notes)
      var taps = 0
      let make: () -> CPNavigationAlert = {
        CPNavigationAlert(
          titleVariants: ["Faster route"], subtitleVariants: [], image: nil,
          primaryAction: CPAlertAction(title: "Take it", style: .default) { _ in taps += 1 }, secondaryAction: nil,
          duration: 2)
      }
      scene.map.present(navigationAlert: make(), animated: true)
      scene.map.present(navigationAlert: make(), animated: true)
      await car.settle()
      #expect(car.diagnostics(.ignored).count == 1)
      await car.wait(.seconds(4))
      #expect(car.screen.shows("Faster route"))
      await car.wait(.seconds(2))
      #expect(!car.screen.shows("Faster route"))
      scene.map.present(navigationAlert: make(), animated: true)
      await car.settle()
      await car.tap("Take it")
      scene.map.present(navigationAlert: make(), animated: true)
      await car.settle()
      scene.map.dismissNavigationAlert(animated: true) { #expect($0) }
      await car.settle()
      #expect(taps == 1)
      #expect(notes.calls == ["alert gone 0", "alert gone 1", "alert gone 2"])
    }

    private func routeAlert(_ title: String, seconds: Double) -> CPNavigationAlert {
      CPNavigationAlert(
        titleVariants: [title], subtitleVariants: [], image: nil,
        primaryAction: CPAlertAction(title: "Take it", style: .default) { _ in }, secondaryAction: nil,
        duration: seconds)
    }

    @Test func anAlertWithoutANumberOfSecondsIsReported() async {
      let (car, scene) = await launch()
      scene.map.present(navigationAlert: routeAlert("Faster route", seconds: .nan), animated: true)
      await car.settle()
      #expect(car.diagnostics(.note).contains { $0.what == "a navigation alert has a duration of nan s" })
    }

    @Test func theAlertsOfTwoMapsEndByThemselves() async {
      let notes = Notes()
      let (car, scene) = await launch(.standard, notes)
      let other = CPMapTemplate()
      other.mapDelegate = notes
      scene.controller?.pushTemplate(other, animated: false, completion: nil)
      await car.settle()
      scene.map.present(navigationAlert: routeAlert("Faster route", seconds: 10), animated: true)
      other.present(navigationAlert: routeAlert("Other route", seconds: 30), animated: true)
      other.dismissNavigationAlert(animated: true) { _ in }
      await car.settle()
      #expect(notes.calls == ["alert gone 2"])
      await car.wait(.seconds(11))
      #expect(notes.calls == ["alert gone 2", "alert gone 0"])
      #expect(scene.map.currentNavigationAlert == nil)
    }

    /// An app keeps its map over a reconnect. Its guidance continues on all displays, and its alert does not.
    @Test(arguments: [false, true])
    func aMapThatIsKeptOverAReconnectKeepsItsGuidanceAndNoAlert(noticed: Bool) async {
      let notes = Notes()
      let map = CPMapTemplate()
      map.mapDelegate = notes
      var app = CarApp([.navigation]) {
        MapScene { $0.controller?.setRootTemplate(map, animated: false, completion: nil) }
      }
      app.dashboardScene = { EmptyDashboard() }
      let car = Car(.standard)
      await car.launch(app)
      let session = map.startNavigationSession(for: trip("Harbour", ["Fast"]))
      let turn = CPManeuver()
      turn.instructionVariants = ["Left"]
      session.upcomingManeuvers = [turn]
      map.present(navigationAlert: routeAlert("Faster route", seconds: 30), animated: true)
      await car.settle()
      await car.unplug(noticed: noticed)
      await car.replug()
      if !car.showsApp { await car.open() }
      await car.showDashboard()
      #expect(car.screen.first(.guidance) != nil && !car.screen.shows("Faster route"))
      #expect(car.dashboard?.first(.maneuver)?.title == "Left")
      map.present(navigationAlert: routeAlert("New route", seconds: 60), animated: true)
      await car.wait(.seconds(40))
      #expect(car.screen.shows("New route"))
      #expect(notes.calls.isEmpty, "the end of the first alert is not told to the new connection")
    }

    private final class EmptyDashboard: NSObject, CPTemplateApplicationDashboardSceneDelegate {}

    @Test func theFreeAreaMovesWithCardsAndTheDriversSide() async {
      let (car, scene) = await launch { $0.map.mapButtons = mapButtons(["a"]) }
      let width = 352.0
      let guide = { scene.window?.mapButtonSafeAreaLayoutGuide.layoutFrame ?? .zero }
      #expect(guide().minX == 0 && guide().maxX < width)
      scene.map.showTripPreviews([trip("Harbour", ["Fast"])], textConfiguration: nil)
      #expect(scene.window?.safeAreaInsets.left ?? 0 > 100)
      #expect(guide().midX > width / 2)
      await car.setDrivingSide(.right)
      #expect(guide().midX < width / 2)
      #expect(scene.window?.safeAreaInsets.right ?? 0 > 100)
    }

    @Test func anotherViewAreaMovesTheMapAndTheWholeDisplayBringsItBack() async {
      let (car, scene) = await launch { $0.map.mapButtons = mapButtons(["a"]) }
      let whole = scene.window?.bounds.size ?? .zero
      await car.setViewArea(width: 500, height: 480)
      // Two pixels are a point, and the dock has 48 points.
      #expect(scene.window?.bounds.width == 202.0)
      #expect(car.host.settings.screen.pixelWidth == 500)
      await car.setViewArea(width: 800, height: 480)
      #expect(scene.window?.bounds.size == whole)
      #expect(car.host.setViewArea(width: 802, height: 480) == "the display has 800 × 480 pixels")
    }

    @Test func theBarHidesAfterAWhileAndATouchBringsItBack() async {
      let (car, _) = await launch { scene in
        scene.map.mapButtons = mapButtons(["a"])
        scene.map.leadingNavigationBarButtons = [CPBarButton(title: "Menu", handler: nil)]
      }
      await car.tap("Menu")
      await car.wait(.seconds(6))
      #expect(!car.screen.shows("Menu"))
      #expect(car.screen.all(.mapButton).isEmpty)
      await car.touchMap()
      #expect(car.screen.shows("Menu"))
    }

    @Test func dashboardAndClusterConnectByThemselves() async {
      final class Dashboard: NSObject, CPTemplateApplicationDashboardSceneDelegate {
        func templateApplicationDashboardScene(
          _ scene: CPTemplateApplicationDashboardScene, didConnect controller: CPDashboardController,
          to window: UIWindow
        ) {
          controller.shortcutButtons = ["Home", "\u{202E}Work", "Gym"].map {
            CPDashboardButton(
              titleVariants: [$0], subtitleVariants: [], image: UIImage(systemName: "house")!, handler: nil)
          }
        }
      }
      final class Cluster: NSObject, CPTemplateApplicationInstrumentClusterSceneDelegate,
        CPInstrumentClusterControllerDelegate
      {
        var windows = 0
        func templateApplicationInstrumentClusterScene(
          _ scene: CPTemplateApplicationInstrumentClusterScene, didConnect controller: CPInstrumentClusterController
        ) {
          controller.delegate = self
          controller.inactiveDescriptionVariants = ["No route"]
        }
        func instrumentClusterControllerDidConnect(_ instrumentClusterWindow: UIWindow) { windows += 1 }
        func instrumentClusterControllerDidDisconnectWindow(_ instrumentClusterWindow: UIWindow) { windows -= 1 }
      }
      let cluster = Cluster()
      let scene = MapScene()
      var app = CarApp([.navigation]) { scene }
      app.dashboardScene = { Dashboard() }
      app.clusterScene = { cluster }
      let car = Car(.standard)
      await car.plugIn()
      await car.start(app, phoneScene: false)
      await car.showDashboard()
      #expect(car.dashboard?.children.map(\.title) == ["Home", "\u{FFFD}Work"])
      #expect(car.diagnostics(.text).count == 1)
      #expect(car.diagnostics(.cut).map(\.what) == ["3 dashboard buttons, 2 shown"])
      await car.showCluster()
      #expect(cluster.windows == 1)
      #expect(car.cluster?.title == "No route")
      await car.open()
      let place = MKMapItem(placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2)))
      let session = scene.map.startNavigationSession(for: CPTrip(origin: place, destination: place, routeChoices: []))
      let maneuver = CPManeuver()
      maneuver.instructionVariants = ["Exit 12"]
      session.upcomingManeuvers = [maneuver]
      await car.settle()
      #expect(car.cluster?.children.map(\.title) == ["Exit 12"])
      await car.unplug()
      #expect(car.cluster == nil)
      #expect(cluster.windows == 0)
      #expect(car.dashboard == nil)
    }
  }
}
