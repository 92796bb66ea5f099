// swift-iap2 · Apache-2.0

import Basics
import CarPlay

/// An app that calls the framework at random, also with objects of earlier connections.
@MainActor
final class RandomApp {
  private var controllers: [CPInterfaceController] = []
  private var templates: [CPTemplate] = []
  private var completions: [() -> Void] = []
  private var sessions: [CPNavigationSession] = []

  func connect(_ controller: CPInterfaceController) {
    controllers = controllers.suffix(2) + [controller]
    let map = CPMapTemplate()
    templates.append(map)
    controller.setRootTemplate(map, animated: false, completion: nil)
  }

  func call(_ generator: inout SeededGenerator) {
    if templates.isEmpty || generator.chance(0.4) { templates = templates.suffix(12) + [make(&generator)] }
    guard let controller = controllers.randomElement(using: &generator),
      let template = templates.randomElement(using: &generator)
    else { return }
    let completion: ((Bool, (any Error)?) -> Void)? = generator.chance(0.9) ? { _, _ in } : nil
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: controller.setRootTemplate(template, animated: true, completion: completion)
    case 1, 2: controller.pushTemplate(template, animated: true, completion: completion)
    case 3: controller.popTemplate(animated: false, completion: completion)
    case 4: controller.popToRootTemplate(animated: true, completion: completion)
    case 5: controller.pop(to: template, animated: true, completion: completion)
    case 6: controller.presentTemplate(template, animated: true, completion: completion)
    case 7: controller.dismissTemplate(animated: true, completion: completion)
    case 8: completions.isEmpty ? () : completions.removeLast()()
    case 9: _ = (controller.templates, controller.topTemplate, controller.presentedTemplate)
    default: change(template, &generator)
    }
  }

  private func text(_ generator: inout SeededGenerator) -> String {
    ["", "Row", "Zeile\u{07}", "\u{202E}right", "東京駅", String(repeating: "wide ", count: 400)].randomElement(
      using: &generator) ?? ""
  }

  private func rows(_ generator: inout SeededGenerator) -> [CPListSection] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in
      let items = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
        let item = CPListItem(text: text(&generator), detailText: text(&generator))
        item.isEnabled = generator.chance(0.9)
        let keeps = generator.chance(0.2)
        if generator.chance(0.8) {
          item.handler = { [weak self] _, completion in
            if keeps { self?.completions.append(completion) } else { completion() }
          }
        }
        return item
      }
      return CPListSection(items: items, header: generator.chance(0.5) ? text(&generator) : nil, sectionIndexTitle: nil)
    }
  }

  private func actions(_ generator: inout SeededGenerator) -> [CPAlertAction] {
    (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      let dismisses = generator.chance(0.6)
      return CPAlertAction(title: text(&generator), style: .default) { [weak self] _ in
        if dismisses { self?.controllers.last?.dismissTemplate(animated: true) { _, _ in } }
      }
    }
  }

  private func make(_ generator: inout SeededGenerator) -> CPTemplate {
    switch Int.random(in: 0..<11, using: &generator) {
    case 0: return CPMapTemplate()
    case 1, 2: return CPListTemplate(title: text(&generator), sections: rows(&generator))
    case 3:
      let buttons = (0..<Int.random(in: 0...10, using: &generator)).map { _ in
        CPGridButton(titleVariants: [text(&generator)], image: UIImage(), handler: nil)
      }
      return CPGridTemplate(title: text(&generator), gridButtons: buttons)
    case 4: return CPAlertTemplate(titleVariants: [text(&generator)], actions: actions(&generator))
    case 5: return CPActionSheetTemplate(title: text(&generator), message: nil, actions: actions(&generator))
    case 6: return CPSearchTemplate()
    case 7:
      let states = (0..<Int.random(in: 0...7, using: &generator)).map {
        CPVoiceControlState(identifier: "\($0)", titleVariants: [text(&generator)], image: nil, repeats: false)
      }
      return CPVoiceControlTemplate(voiceControlStates: states)
    case 8:
      let tabs = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        CPListTemplate(title: text(&generator), sections: rows(&generator))
      }
      return CPTabBarTemplate(templates: tabs)
    case 9: return CPNowPlayingTemplate.shared
    default:
      return CPInformationTemplate(
        title: text(&generator), layout: .leading, items: [CPInformationItem(title: text(&generator), detail: nil)],
        actions: [])
    }
  }

  private func change(_ template: CPTemplate, _ generator: inout SeededGenerator) {
    switch template {
    case let map as CPMapTemplate: change(map, &generator)
    case let list as CPListTemplate: list.updateSections(rows(&generator))
    case let voice as CPVoiceControlTemplate: voice.activateVoiceControlState(withIdentifier: "1")
    case let tabs as CPTabBarTemplate: tabs.selectTemplate(at: Int.random(in: -1...5, using: &generator))
    case let playing as CPNowPlayingTemplate:
      playing.isUpNextButtonEnabled.toggle()
      playing.updateNowPlayingButtons([CPNowPlayingShuffleButton { _ in }])
    default: template.userInfo = 1
    }
  }

  private func trip(_ generator: inout SeededGenerator) -> CPTrip {
    let place = MKMapItem(placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 0, longitude: 0)))
    let routes = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      CPRouteChoice(
        summaryVariants: [text(&generator)], additionalInformationVariants: [], selectionSummaryVariants: [])
    }
    return CPTrip(origin: place, destination: place, routeChoices: routes)
  }

  private func change(_ map: CPMapTemplate, _ generator: inout SeededGenerator) {
    switch Int.random(in: 0..<11, using: &generator) {
    case 0: map.mapButtons = (0..<Int.random(in: 0...6, using: &generator)).map { _ in CPMapButton { _ in } }
    case 1: map.trailingNavigationBarButtons = [CPBarButton(title: text(&generator), handler: nil)]
    case 2: map.showPanningInterface(animated: true)
    case 3: map.dismissPanningInterface(animated: true)
    case 4: map.showTripPreviews([trip(&generator), trip(&generator)], textConfiguration: nil)
    case 5: map.hideTripPreviews()
    case 6: sessions = sessions.suffix(3) + [map.startNavigationSession(for: trip(&generator))]
    case 7:
      let maneuver = CPManeuver()
      maneuver.instructionVariants = [text(&generator)]
      sessions.last?.upcomingManeuvers = [maneuver]
      let distance = Measurement(value: Double.random(in: -10...1e9, using: &generator), unit: UnitLength.meters)
      sessions.last?.updateEstimates(
        CPTravelEstimates(distanceRemaining: distance, timeRemaining: .infinity), for: maneuver)
    case 8: sessions.randomElement(using: &generator)?.finishTrip()
    case 9: sessions.randomElement(using: &generator)?.pauseTrip(for: .rerouting, description: nil)
    default:
      let action = CPAlertAction(title: text(&generator), style: .default) { _ in }
      map.present(
        navigationAlert: CPNavigationAlert(
          titleVariants: [text(&generator)], subtitleVariants: nil, image: nil, primaryAction: action,
          secondaryAction: nil, duration: Double.random(in: 0...20, using: &generator)), animated: true)
    }
  }
}

@MainActor
final class RandomScene: NSObject, CPTemplateApplicationSceneDelegate, CPInterfaceControllerDelegate {
  private let app: RandomApp

  init(_ app: RandomApp) { self.app = app }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController, to window: CPWindow
  ) {
    interfaceController.delegate = self
    app.connect(interfaceController)
  }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) { app.connect(interfaceController) }
}

@MainActor
final class RandomAppDelegate: NSObject, CPApplicationDelegate {
  private let app: RandomApp

  init(_ app: RandomApp) { self.app = app }

  func application(
    _ application: UIApplication, didConnectCarInterfaceController interfaceController: CPInterfaceController,
    to window: CPWindow
  ) { app.connect(interfaceController) }

  func application(
    _ application: UIApplication, didDisconnectCarInterfaceController interfaceController: CPInterfaceController,
    from window: CPWindow
  ) {}
}
