// swift-iap2 · Apache-2.0

import CarPlay

/// The app's templates on one car: the map with its buttons, and what is pushed above it.
@MainActor
final class CarScreen {
  let controller: CPInterfaceController
  let window: CPWindow
  let mapTemplate = CPMapTemplate()
  var guidance: Guidance?
  unowned let navigator: Navigator
  private lazy var mapDelegate = MapDelegate(self)
  private lazy var searchDelegate = SearchDelegate(self)

  init(controller: CPInterfaceController, window: CPWindow, navigator: Navigator) {
    self.controller = controller
    self.window = window
    self.navigator = navigator
  }

  /// Shows the map. What follows waits until the car has it.
  func start() {
    mapTemplate.mapDelegate = mapDelegate
    showButtons(isPanning: false)
    controller.setRootTemplate(mapTemplate, animated: false) { [weak self] isShown, _ in
      guard isShown, let self, self.navigator.car === self else { return }
      if self.navigator.hasMapData { self.resumeGuidance() } else { self.askForMapData() }
    }
  }

  /// A guidance that runs on the phone, or ran on an earlier car, goes on here.
  private func resumeGuidance() {
    guard let route = navigator.route, let destination = navigator.destination else { return }
    guidance = Guidance(route, trip(to: destination, [route]), on: mapTemplate)
  }

  /// Forgets the car. The controller may belong to a car that is gone, so nothing is asked of it.
  func end() {
    guidance?.end()
    guidance = nil
    mapTemplate.mapDelegate = nil
  }

  // MARK: Buttons

  /// Sets the buttons. While panning a car shows two map buttons, and the driver needs a way out.
  func showButtons(isPanning: Bool) {
    let map = navigator.map
    let zoomOut = button("minus.magnifyingglass") { map.zoom(by: -1) }
    let zoomIn = button("plus.magnifyingglass") { map.zoom(by: 1) }
    if isPanning {
      mapTemplate.mapButtons = [zoomOut, zoomIn]
      mapTemplate.leadingNavigationBarButtons = []
      mapTemplate.trailingNavigationBarButtons = [
        CPBarButton(title: "Done") { [mapTemplate] _ in mapTemplate.dismissPanningInterface(animated: true) }
      ]
      return
    }
    mapTemplate.mapButtons = [
      button("dpad.fill") { [mapTemplate] in mapTemplate.showPanningInterface(animated: true) }, zoomOut, zoomIn,
      button("location") { map.follow() },
    ]
    mapTemplate.leadingNavigationBarButtons = [
      CPBarButton(title: "Search") { [weak self] _ in self?.showSearch() },
      CPBarButton(title: "Places") { [weak self] _ in self?.showPlaces() },
    ]
    mapTemplate.trailingNavigationBarButtons = [
      CPBarButton(title: "Favourites") { [weak self] _ in self?.showFavourites() }
    ]
  }

  private func button(_ symbol: String, _ action: @escaping @MainActor () -> Void) -> CPMapButton {
    let button = CPMapButton { _ in action() }
    button.image = UIImage(systemName: symbol)
    return button
  }

  // MARK: Ways to a destination

  private func showSearch() {
    let search = CPSearchTemplate()
    search.delegate = searchDelegate
    controller.pushTemplate(search, animated: true, completion: nil)
  }

  private func showPlaces() {
    let buttons = Place.all.map { place in
      CPGridButton(titleVariants: [place.name], image: UIImage(systemName: "mappin") ?? UIImage()) { [weak self] _ in
        self?.preview(place)
      }
    }
    controller.pushTemplate(CPGridTemplate(title: "Places", gridButtons: buttons), animated: true, completion: nil)
  }

  private func showFavourites() {
    let items = [Place.harbour, Place.mill].map { place in
      let item = CPListItem(text: place.name, detailText: nil)
      item.handler = { [weak self] _, completion in
        self?.preview(place)
        completion()
      }
      return item
    }
    let list = CPListTemplate(title: "Favourites", sections: [CPListSection(items: items)])
    controller.pushTemplate(list, animated: true, completion: nil)
  }

  /// Shows the routes to a place on the map.
  func preview(_ place: Place) {
    let trip = trip(to: place, Route.routes(to: place))
    controller.popToRootTemplate(animated: true) { [mapTemplate] _, _ in
      let texts = CPTripPreviewTextConfiguration(
        startButtonTitle: "Go", additionalRoutesButtonTitle: "Other routes", overviewButtonTitle: nil)
      mapTemplate.showTripPreviews([trip], textConfiguration: texts)
    }
  }

  private func trip(to place: Place, _ routes: [Route]) -> CPTrip {
    let choices = routes.map { route in
      let choice = CPRouteChoice(
        summaryVariants: [route.name], additionalInformationVariants: ["\(Int(route.kilometers)) km"],
        selectionSummaryVariants: ["\(route.name), \(Int(route.minutes)) min"])
      choice.userInfo = route
      return choice
    }
    let trip = CPTrip(origin: Place.station.mapItem, destination: place.mapItem, routeChoices: choices)
    trip.userInfo = place
    return trip
  }

  /// The driver chose a route.
  func startTrip(_ trip: CPTrip, _ choice: CPRouteChoice) {
    guard let place = trip.userInfo as? Place, let route = choice.userInfo as? Route else { return }
    mapTemplate.hideTripPreviews()
    guidance?.end()
    navigator.start(route, to: place)
    guidance = Guidance(route, trip, on: mapTemplate)
  }

  // MARK: Questions

  /// Asks whether to take another route.
  func ask(about route: Route) {
    guard controller.presentedTemplate == nil else { return }
    let take = CPAlertAction(title: "Take it", style: .default) { [weak self] _ in self?.take(route) }
    let stay = CPAlertAction(title: "Stay", style: .cancel) { [weak self] _ in self?.dismiss() }
    let minutes = Int(route.minutes)
    let alert = CPAlertTemplate(
      titleVariants: ["\(route.name) takes \(minutes) minutes. Take it?", "\(route.name)?"], actions: [take, stay])
    controller.presentTemplate(alert, animated: true, completion: nil)
  }

  private func take(_ route: Route) {
    dismiss()
    guard let place = navigator.destination else { return }
    guidance?.end()
    navigator.start(route, to: place)
    guidance = Guidance(route, trip(to: place, [route]), on: mapTemplate)
  }

  /// There is no map to show: an alert without a button stays until the map data are there.
  private func askForMapData() {
    let alert = CPAlertTemplate(titleVariants: ["Download a city on the phone when it is safe"], actions: [])
    controller.presentTemplate(alert, animated: true, completion: nil)
  }

  private func dismiss() { controller.dismissTemplate(animated: true, completion: nil) }
}
