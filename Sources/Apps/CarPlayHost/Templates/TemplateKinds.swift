// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

extension CPTemplate {
  /// The kind by the exact class. The real framework rejects a subclass of a template (S0, S1).
  var kind: TemplateKind? {
    switch ObjectIdentifier(type(of: self)) {
    case ObjectIdentifier(CPActionSheetTemplate.self): .actionSheet
    case ObjectIdentifier(CPAlertTemplate.self): .alert
    case ObjectIdentifier(CPContactTemplate.self): .contact
    case ObjectIdentifier(CPGridTemplate.self): .grid
    case ObjectIdentifier(CPInformationTemplate.self): .information
    case ObjectIdentifier(CPListTemplate.self): .list
    case ObjectIdentifier(CPMapTemplate.self): .map
    case ObjectIdentifier(CPNowPlayingTemplate.self): .nowPlaying
    case ObjectIdentifier(CPPointOfInterestTemplate.self): .pointOfInterest
    case ObjectIdentifier(CPSearchTemplate.self): .search
    case ObjectIdentifier(CPTabBarTemplate.self): .tabBar
    case ObjectIdentifier(CPVoiceControlTemplate.self): .voiceControl
    default: nil
    }
  }

  /// The title of the template itself.
  var ownTitle: String? {
    switch self {
    case let list as CPListTemplate: list.title
    case let grid as CPGridTemplate: grid.title
    case let information as CPInformationTemplate: information.title
    case let points as CPPointOfInterestTemplate: points.title
    case let contact as CPContactTemplate: contact.contact.name
    case let alert as CPAlertTemplate: alert.titleVariants.first
    case let sheet as CPActionSheetTemplate: sheet.title
    default: nil
    }
  }

  /// The template's name in the log, such as `list "Albums"`.
  var logName: String {
    let name = kind?.className ?? "\(type(of: self))"
    guard let title = ownTitle, !title.isEmpty else { return name }
    return "\(name) \"\(FittedText(title, in: TextRoom(points: 400)).text)\""
  }
}

extension InterfaceRequest {
  /// The method in Swift's spelling, for the log.
  var name: String {
    switch self {
    case .setRoot: "setRootTemplate"
    case .push: "pushTemplate"
    case .pop: "popTemplate"
    case .popToRoot: "popToRootTemplate"
    case .popTo: "pop(to:)"
    case .present: "presentTemplate"
    case .dismiss: "dismissTemplate"
    }
  }

  /// The method in Objective-C's spelling, as exceptions print it.
  func selector(hasCompletion: Bool) -> String {
    let name =
      switch self {
      case .setRoot: "setRootTemplate:animated:"
      case .push: "pushTemplate:animated:"
      case .pop: "popTemplateAnimated:"
      case .popToRoot: "popToRootTemplateAnimated:"
      case .popTo: "popToTemplate:animated:"
      case .present: "presentTemplate:animated:"
      case .dismiss: "dismissTemplateAnimated:"
      }
    return hasCompletion ? name + "completion:" : name
  }

  /// The template of the request.
  var template: CPTemplate? {
    switch self {
    case .setRoot(let template), .push(let template), .popTo(let template), .present(let template): template
    case .pop, .popToRoot, .dismiss: nil
    }
  }

  /// The place that the request gives the template.
  var place: TemplatePlace? {
    switch self {
    case .setRoot: .root
    case .push: .pushed
    case .present: .presented
    case .pop, .popToRoot, .popTo, .dismiss: nil
    }
  }
}
