// swift-iap2 · Apache-2.0

package import CarPlayPlatform

/// The system of a process without a host: no car is connected.
///
/// Templates can be made and read. Requests of interface controllers are refused.
@MainActor
package final class NoCar: CarPlaySystem {
  /// The only instance.
  package static let shared = NoCar()

  /// The default settings, so that limits can be read.
  package let settings = CarSettings()
  package let categories: Set<AppCategory> = []
  package let session = SessionState()

  private init() {}

  package func perform(
    _ request: InterfaceRequest, of controller: CPInterfaceController, animated: Bool,
    completion: ((Bool, (any Error)?) -> Void)?
  ) {
    completion?(false, TemplateError("No car is connected.").nsError)
  }

  package func state(of controller: CPInterfaceController) -> InterfaceState { InterfaceState() }

  package func changed(_ object: AnyObject, _ change: StaticString) {}
  package func created(_ object: AnyObject) {}

  package func perform(_ command: TemplateCommand) {
    // No alert is visible without a car. The caller waits for the answer.
    if case .navigation(.dismissNavigationAlert(_, _, let completion)) = command { completion(false) }
  }

  package func report(_ diagnostic: CarDiagnostic) {}

  /// Ends the process, as an exception of the real framework does.
  package func raise(_ exception: CarPlayException) {
    fatalError("Terminating app due to uncaught exception '\(exception.name)', reason: '\(exception.reason)'")
  }
}
