// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import UIKit

/// A system that applies each request immediately and records the module's requests and reports.
@MainActor
final class RecordingSystem: CarPlaySystem {
  var settings = CarSettings()
  var categories: Set<AppCategory> = []
  var session = SessionState()
  /// The error of every further request; nil for success.
  var refusal: (any Error)?
  private(set) var changes: [Change] = []
  private(set) var commands: [TemplateCommand] = []
  private(set) var diagnostics: [CarDiagnostic] = []
  private(set) var exceptions: [CarPlayException] = []
  private(set) var requests: [String] = []
  private var states: [ObjectIdentifier: InterfaceState] = [:]

  struct Change: Equatable {
    let object: ObjectIdentifier
    let name: String
  }

  /// Runs a body with a recording system, and then restores the previous one. The body does not suspend, so the main
  /// actor runs no other test meanwhile.
  static func use(_ body: (RecordingSystem) throws -> Void) rethrows {
    let previous = CarPlayModule.system
    defer { CarPlayModule.system = previous }
    let system = RecordingSystem()
    CarPlayModule.system = system
    try body(system)
  }

  /// Runs a body that suspends. Its test has the trait `onlyCar`.
  static func useWhileWaiting(_ body: (RecordingSystem) async throws -> Void) async rethrows {
    let previous = CarPlayModule.system
    defer { CarPlayModule.system = previous }
    let system = RecordingSystem()
    CarPlayModule.system = system
    try await body(system)
  }

  /// Returns the changes of an object that a body reports, in order.
  func changes(of object: AnyObject, during body: () -> Void) -> [String] {
    let before = changes.count
    body()
    return changes[before...].filter { $0.object == ObjectIdentifier(object) }.map(\.name)
  }

  func perform(
    _ request: InterfaceRequest, of controller: CPInterfaceController, animated: Bool,
    completion: ((Bool, (any Error)?) -> Void)?
  ) {
    requests.append("\(Self.name(of: request)), animated: \(animated), completion: \(completion != nil)")
    if let refusal { return completion?(false, refusal) ?? () }
    states[ObjectIdentifier(controller), default: InterfaceState()].apply(request)
    completion?(true, nil)
  }

  func state(of controller: CPInterfaceController) -> InterfaceState {
    states[ObjectIdentifier(controller)] ?? InterfaceState()
  }

  func created(_ object: AnyObject) {}

  func changed(_ object: AnyObject, _ change: StaticString) {
    changes.append(Change(object: ObjectIdentifier(object), name: change.description))
  }

  func perform(_ command: TemplateCommand) { commands.append(command) }

  /// Returns the commands since the last call.
  func takeCommands() -> [TemplateCommand] {
    defer { commands = [] }
    return commands
  }

  func report(_ diagnostic: CarDiagnostic) { diagnostics.append(diagnostic) }

  func raise(_ exception: CarPlayException) { exceptions.append(exception) }

  private static func name(of request: InterfaceRequest) -> String {
    switch request {
    case .setRoot: "setRoot"
    case .push: "push"
    case .pop: "pop"
    case .popToRoot: "popToRoot"
    case .popTo: "popTo"
    case .present: "present"
    case .dismiss: "dismiss"
    }
  }
}

extension InterfaceState {
  fileprivate mutating func apply(_ request: InterfaceRequest) {
    switch request {
    case .setRoot(let template): templates = [template]
    case .push(let template): templates.append(template)
    case .pop: templates.removeLast()
    case .popToRoot: templates.removeLast(templates.count - 1)
    case .popTo(let target): templates.removeLast(templates.reversed().prefix { $0 !== target }.count)
    case .present(let template): presented = template
    case .dismiss: presented = nil
    }
  }
}

extension UIImage {
  /// An arbitrary image, for objects that need one.
  @MainActor static let sample = UIImage()
}

extension CPInterfaceController {
  /// A controller as the host creates it.
  static var sample: CPInterfaceController {
    CPInterfaceController(carTraitCollection: UITraitCollection(displayScale: 2))
  }
}
