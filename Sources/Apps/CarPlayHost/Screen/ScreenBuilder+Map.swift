// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Foundation
import UIKit

extension ScreenBuilder {
  func map(_ map: CPMapTemplate) -> Element {
    let state = connection.map
    var parts = state.isNavigationBarVisible ? bar(map) : []
    if map.tripPreviews != nil {
      parts += previews(map)
    } else if let session = map.navigationSession {
      parts.append(guidance(map, session))
      if let estimates = estimates(session.trip) { parts.append(estimates) }
    }
    if let alert = map.currentNavigationAlert { parts.append(navigationAlert(alert, map)) }
    parts += mapButtons(map)
    if map.isPanningInterfaceVisible { parts += arrows() }
    return Element(
      ScreenNode(
        .map,
        marks: (state.isNavigationBarVisible ? [] : [.barHidden]) + [settings.contentStyle == .dark ? .dark : .light]),
      children: parts)
  }

  // MARK: Buttons

  private func mapButtons(_ map: CPMapTemplate) -> [Element] {
    let isPanning = map.isPanningInterfaceVisible
    let kept = isPanning ? limits.maximumPanningMapButtons : limits.maximumMapButtons
    let given = map.mapButtons.filter { !$0.isHidden }
    host.reportCut(
      isPanning ? "map buttons while panning" : "map buttons", given: given.count, kept: kept, of: map, "mapButtons",
      remedy: "put the most important \(kept) first, or offer the others in the navigation bar or a list")
    if !connection.map.isNavigationBarVisible, map.hidesButtonsWithNavigationBar { return [] }
    return given.prefix(kept).enumerated().map { index, button in
      host.reporting { mapButton(button, index, of: map) }
    }
  }

  private func mapButton(_ button: CPMapButton, _ index: Int, of map: CPMapTemplate) -> Element {
    let image = image(button.image, settings.imageSizes.mapButton, of: button, "image")
    if button.image == nil {
      host.report(
        CarDiagnostic(
          .image, what: "map button \(index + 1) has no image", carShows: "an empty circle",
          remedy: "set an image", place: host.places.place(of: map, "mapButtons") ?? .unknown))
    }
    let name = image ?? "map button \(index + 1)"
    return Element(ScreenNode(.mapButton, name, isEnabled: button.isEnabled), focusGroup: 2) { [host] in
      host.run("map button", name) { button.handler?(button) }
    }
    .showing(button.image, of: host)
  }

  private func arrows() -> [Element] {
    let directions: [CPMapTemplate.PanDirection] = [.left, .right, .up, .down]
    return directions.map { direction in
      Element(ScreenNode(.pan, direction.text)) { [host] in host.panButton(direction) }
    }
  }

  // MARK: Previews

  private func previews(_ map: CPMapTemplate) -> [Element] {
    let trips = map.tripPreviews?.trips ?? []
    host.reportCut(
      "trips", given: trips.count, kept: limits.maximumTrips, of: map, "showTripPreviews",
      remedy: "show at most \(limits.maximumTrips) trips")
    let texts = map.tripPreviews?.textConfiguration
    let shown = host.shownTrips(map)
    return shown.enumerated().map { index, trip in
      let isSelected = index == connection.map.selectedTrip
      let (title, reports) = host.collectingReports { tripTitle(trip) }
      return Element(
        ScreenNode(
          .trip, title?.text ?? "destination", isSelected: isSelected && shown.count > 1, isCut: title?.isCut ?? false),
        title, children: isSelected ? tripDetails(trip, map, texts, others: shown.count > 1) : []
      ) { [host, connection] in
        guard connection.map.selectedTrip != index else { return }
        connection.map.selectedTrip = index
        connection.map.selectedRoute = 0
        host.tellSelectedPreview(map)
      }
      .with(reports: reports)
    }
  }

  private var cardRoom: TextRoom { TextRoom(points: width * SystemLayout.card) }

  private func tripTitle(_ trip: CPTrip) -> FittedText? {
    let variants = trip.destinationNameVariants ?? trip.destination.name.map { [$0] } ?? []
    return variant(variants, of: trip, "destinationNameVariants", in: cardRoom)
  }

  private func tripDetails(
    _ trip: CPTrip, _ map: CPMapTemplate, _ texts: CPTripPreviewTextConfiguration?, others: Bool
  ) -> [Element] {
    host.reportCut(
      "route choices", given: trip.routeChoices.count, kept: limits.maximumRouteChoices, of: map, "showTripPreviews",
      remedy: "give the best \(limits.maximumRouteChoices) routes")
    let routes = host.shownRoutes(trip)
    let state = connection.map
    var parts: [Element] = []
    for (index, route) in routes.enumerated() where state.showsRoutes || index == state.selectedRoute {
      parts.append(
        routeElement(route, index, map, isSelected: index == state.selectedRoute && routes.count > 1, of: routes.count))
    }
    if let estimates = estimates(trip) { parts.append(estimates) }
    parts.append(
      action(texts?.startButtonTitle, "Start", map) { [host] in
        host.note(.car, "tap start")
        host.startTrip(map)
      })
    if routes.count > 1, !state.showsRoutes {
      parts.append(
        action(texts?.additionalRoutesButtonTitle, "More Routes", map) { [connection] in
          connection.map.showsRoutes = true
        })
    }
    if others {
      parts.append(
        action(texts?.overviewButtonTitle, "Overview", map) { [host] in host.note(.car, "overview") })
    }
    return parts
  }

  /// Returns a button of the trip's card, with the app's title or else the system's.
  private func action(
    _ title: String?, _ ownTitle: String, _ map: CPMapTemplate, action: @escaping @MainActor () -> Void
  ) -> Element {
    host.reporting {
      let title = text(title, of: map, "textConfiguration", in: cardRoom)
      return Element(
        ScreenNode(.action, title?.text ?? ownTitle, isCut: title?.isCut ?? false), title, action: action)
    }
  }

  private func routeElement(
    _ route: CPRouteChoice, _ index: Int, _ map: CPMapTemplate, isSelected: Bool, of count: Int
  ) -> Element {
    let isList = connection.map.showsRoutes
    let variants = isList ? route.selectionSummaryVariants ?? route.summaryVariants : route.summaryVariants
    let ((title, detail), reports) = host.collectingReports {
      (
        variant(variants.isEmpty ? route.summaryVariants : variants, of: route, "summaryVariants", in: cardRoom),
        variant(route.additionalInformationVariants ?? [], of: route, "additionalInformationVariants", in: cardRoom)
      )
    }
    let select: @MainActor () -> Void = { [host, connection] in
      guard connection.map.selectedRoute != index else { return }
      connection.map.selectedRoute = index
      host.tellSelectedPreview(map)
    }
    // A route alone cannot be chosen.
    return Element(
      ScreenNode(
        .route, title?.text ?? "", detail: detail?.text ?? "", isSelected: isSelected, isCut: title?.isCut ?? false),
      title, detail, action: isList && count > 1 ? select : nil
    ).with(reports: reports)
  }

  // MARK: Guidance

  private func guidance(_ map: CPMapTemplate, _ session: CPNavigationSession) -> Element {
    host.reporting { plainGuidance(map, session) }
  }

  private func plainGuidance(_ map: CPMapTemplate, _ session: CPNavigationSession) -> Element {
    if let pause = session.pause {
      let names: [CPNavigationSession.PauseReason: String] = [
        .arrived: "Arrived", .loading: "Loading", .locating: "Locating", .rerouting: "Rerouting",
        .proceedToRoute: "Proceed to the route",
      ]
      return Element(
        ScreenNode(
          .guidance,
          text(pause.description, of: session, "pauseTrip", in: TextRoom(points: width * SystemLayout.card, lines: 2))?
            .text ?? names[pause.reason] ?? "",
          marks: [.paused]))
    }
    if session.upcomingManeuvers.isEmpty { return Element(ScreenNode(.guidance, hasSpinner: true)) }
    return Element(
      ScreenNode(.guidance),
      children: session.upcomingManeuvers.prefix(2).enumerated().map { maneuver($0.element, isFirst: $0.offset == 0) })
  }

  private func maneuver(_ maneuver: CPManeuver, isFirst: Bool) -> Element {
    host.reporting { plainManeuver(maneuver, isFirst: isFirst) }
  }

  private func plainManeuver(_ maneuver: CPManeuver, isFirst: Bool) -> Element {
    let style = host.styles[ObjectIdentifier(maneuver)] ?? .default
    let sizes = settings.imageSizes
    let symbol =
      maneuver.symbolImage
      ?? maneuver.symbolSet.map {
        settings.contentStyle == .dark ? $0.darkContentImage : $0.lightContentImage
      }
    let maximum =
      style == .symbolOnly ? sizes.symbolOnly : isFirst ? sizes.maneuverSymbol : sizes.secondManeuverSymbol
    let image = self.image(symbol, maximum, of: maneuver, "symbolImage")
    _ = self.image(maneuver.junctionImage, sizes.junction, of: maneuver, "junctionImage")
    var marks: [ScreenMark] = image.map { [.image($0)] } ?? []
    if style == .symbolOnly {
      return Element(ScreenNode(.maneuver, marks: marks + [.symbolOnly])).showing(symbol, of: host)
    }
    if style == .instructionOnly { marks = [] }
    let plain =
      maneuver.instructionVariants.isEmpty
      ? maneuver.attributedInstructionVariants.map(\.string) : maneuver.instructionVariants
    let title = variant(
      plain, of: maneuver, "instructionVariants", in: TextRoom(points: width * SystemLayout.card, lines: 2))
    let detail = maneuver.travelEstimates.map { Measures.distance($0) } ?? ""
    return Element(
      ScreenNode(.maneuver, title?.text ?? "", detail: detail, isCut: title?.isCut ?? false, marks: marks)
    ).showing(style == .instructionOnly ? nil : symbol, of: host)
  }

  func estimates(_ trip: CPTrip) -> Element? {
    guard let estimates = trip.estimates else { return nil }
    let travel = estimates.travel
    var marks: [ScreenMark] = []
    switch estimates.timeRemainingColor {
    case .default: break
    case .green: marks = [.green]
    case .orange: marks = [.orange]
    case .red: marks = [.red]
    }
    return Element(
      ScreenNode(.estimates, Measures.time(travel), detail: Measures.distance(travel), marks: marks))
  }

  private func navigationAlert(_ alert: CPNavigationAlert, _ map: CPMapTemplate) -> Element {
    host.reporting { plainNavigationAlert(alert, map) }
  }

  private func plainNavigationAlert(_ alert: CPNavigationAlert, _ map: CPMapTemplate) -> Element {
    let title = variant(alert.titleVariants, of: alert, "titleVariants", in: cardRoom)
    let subtitle = variant(
      alert.subtitleVariants, of: alert, "subtitleVariants", in: TextRoom(points: width * SystemLayout.card, lines: 3))
    let actions = [alert.primaryAction, alert.secondaryAction].compactMap(\.self).map { action in
      host.reporting {
        let title = text(action.title, of: alert, "action title", in: cardRoom)
        return Element(ScreenNode(.action, title?.text ?? "", isCut: title?.isCut ?? false), title) { [host] in
          host.choose(action, of: alert, map)
        }
      }
    }
    return Element(
      ScreenNode(
        .alert, title?.text ?? "", detail: subtitle?.text ?? "", isCut: title?.isCut ?? false, marks: [.onTheMap]),
      children: actions)
  }
}

/// Functions that format distances and times as text. Linux has no `MeasurementFormatter`.
@MainActor
enum Measures {
  static func distance(_ estimates: CPTravelEstimates) -> String {
    guard let distance = estimates.shownDistance else { return "--" }
    let value = distance.value
    let text = value < 10 && value != value.rounded() ? "\((value * 10).rounded() / 10)" : "\(value.rounded())"
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " \(distance.unit.symbol)"
  }

  static func time(_ estimates: CPTravelEstimates) -> String {
    guard let seconds = estimates.shownTime, seconds < 1e7 else { return "--" }
    let minutes = Int((seconds / 60).rounded())
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
