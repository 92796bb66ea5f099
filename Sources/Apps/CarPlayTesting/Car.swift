// swift-iap2 · Apache-2.0

@_exported public import CarPlay
@_exported public import CarPlayHost
@_exported public import CarPlayPlatform

/// A car with a phone and one app in it, for tests of the app.
///
/// ```swift
/// let car = Car(.standard)
/// await car.launch(.navigation) { NavigationScene() }
/// await car.tap("Favourites")
/// #expect(car.screen.rows == ["Home", "Work"])
/// await car.unplug(noticed: false)
/// ```
///
/// A verb returns when the app's main queue is idle, the host has no pending change, and the app has called the
/// completions that it has from the car, or ``patience`` has passed. The host's own delays are virtual: ``wait(_:)``
/// passes them. The app's own work with `DispatchQueue` or `Task.sleep` takes real time, unless the app uses ``clock``.
/// ``wait(until:within:)`` waits for such work that ends without a completion. A `Timer` does not fire under Swift
/// Testing, which does not run the main run loop.
///
/// A process has one phone, with one UIKit and one Now Playing information center, so tests with a car must run one
/// after another: put their suites into one serialized suite. A test may have several cars. The app's own calls reach
/// the car whose verb ran last.
@MainActor
public final class Car {
  package let host: CarHost

  /// Creates a car that is not connected.
  ///
  /// - Parameters:
  ///   - settings: The car and the iOS version.
  ///   - faults: Failures of the field.
  ///   - exceptions: The handling of an exception of the framework. By default it is recorded in ``end``.
  ///   - seed: The seed of all random choices.
  public init(
    _ settings: CarSettings, faults: CarFaults = CarFaults(), exceptions: ExceptionHandling = .record,
    seed: UInt64 = 1
  ) {
    host = CarHost(settings, faults: faults, exceptions: exceptions, seed: seed)
    host.takeTurn()
  }

  /// The settings of the car. Verbs change the styles, limits and sides during a test.
  public var settings: CarSettings { host.settings }

  /// The failures of the field. They can be changed between verbs.
  public var faults: CarFaults {
    get { host.faults }
    set { host.faults = newValue }
  }

  /// The longest wait of a verb for a completion that the app has from the car, in real time: that of a row, or of a
  /// search. If it does not come in that time, ``log`` has `no answer`. With zero, verbs do not wait. Nor do they while the app
  /// sleeps on ``clock``, whose time they do not pass.
  public var patience: Duration {
    get { host.patience }
    set { host.patience = newValue }
  }

  /// The car's clock. An app that accepts a `Clock` can use it, and its sleeps then end in virtual time.
  public var clock: CarClock { host.clock }

  // MARK: Observations

  /// The screen that the driver sees.
  public var screen: ScreenNode { host.screen() }

  /// The dashboard; nil without the app's dashboard scene.
  public var dashboard: ScreenNode? { host.dashboard() }

  /// The app's part of the instrument cluster; nil until the app has its window there.
  public var cluster: ScreenNode? { host.cluster() }

  /// The calls of the app's own methods and handlers, in order: the method, and the relevant argument.
  public var appCalls: [String] { host.log.filter { $0.direction == .toApp && $0.isImplemented }.map(\.text) }

  /// Every call between app, car and user, in order.
  public var log: [CarEvent] { host.log }

  /// The reports about the app.
  public var diagnostics: [CarDiagnostic] { host.diagnostics }

  /// Returns the reports of a kind.
  public func diagnostics(_ kind: CarDiagnostic.Kind) -> [CarDiagnostic] { diagnostics.filter { $0.kind == kind } }

  /// The end of the app by the system; nil while it runs, and after a normal end.
  public var end: AppEnd? { host.end }

  /// The place in the app's code of ``end``.
  public var endPlace: CodePlace { host.endPlace }

  /// The exception that ended the app.
  public var exception: CarPlayException? {
    guard case .exception(let exception) = end else { return nil }
    return exception
  }

  /// Whether phone and car are connected.
  public var isConnected: Bool { host.isConnected }

  /// Whether the app is in front on the car's screen.
  public var showsApp: Bool { host.front == .app }

  /// Whether the car is disconnected and the phone has not notified the app. The app may detect it by the battery
  /// state.
  public var hasGhostConnection: Bool { host.hasGhostConnection }

  /// The part of the app's window that no bar, card or map button covers, in points.
  public var freeArea: CGRect { host.freeArea }

  // MARK: Verbs

  /// Performs an action of the host, then waits until app and host are idle.
  @discardableResult
  func act<Result>(_ body: () -> Result) async -> Result {
    host.takeTurn()
    let result = body()
    await host.settle()
    return result
  }
}
