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
/// A verb returns when the app's main queue is idle and the host has no change under way. The host's own delays are
/// virtual: ``wait(_:)`` passes them. What an app does with `DispatchQueue` or `Task.sleep` takes real time, which
/// ``wait(until:within:)`` waits for, unless the app takes ``clock``. A `Timer` does not fire under Swift Testing,
/// which does not run the main run loop.
///
/// A process has one phone, with one UIKit and one Now Playing information center, so tests with a car run one after
/// another: put their suites into one that is serialized. A test may have several cars; the last one that did something
/// is the one that the app's own calls reach.
@MainActor
public final class Car {
  package let host: CarHost

  /// Creates a car that is not connected.
  ///
  /// - Parameters:
  ///   - settings: The car and the iOS version.
  ///   - faults: Failures of the field.
  ///   - exceptions: What an exception of the framework does. By default it is recorded in ``end``.
  ///   - seed: The seed of everything random.
  public init(
    _ settings: CarSettings, faults: CarFaults = CarFaults(), exceptions: ExceptionHandling = .record,
    seed: UInt64 = 1
  ) {
    host = CarHost(settings, faults: faults, exceptions: exceptions, seed: seed)
    host.takeTurn()
  }

  /// The settings of the car. Styles, limits and sides that change while driving have verbs.
  public var settings: CarSettings { host.settings }

  /// The failures of the field. They can be changed between verbs.
  public var faults: CarFaults {
    get { host.faults }
    set { host.faults = newValue }
  }

  /// The car's clock. An app that takes a `Clock` can take it, and its sleeps end in virtual time.
  public var clock: CarClock { host.clock }

  // MARK: What happened

  /// The screen that the driver sees.
  public var screen: ScreenNode { host.screen() }

  /// The dashboard; nil without the app's scene there.
  public var dashboard: ScreenNode? { host.dashboard() }

  /// The app's part of the instrument cluster; nil until the app has its window there.
  public var cluster: ScreenNode? { host.cluster() }

  /// The calls of the app's own methods and handlers, in order: the method, and the argument that matters.
  public var told: [String] { host.log.filter { $0.direction == .toApp && $0.isImplemented }.map(\.text) }

  /// Every call between app, car and user, in order.
  public var log: [CarEvent] { host.log }

  /// The reports about the app.
  public var diagnostics: [CarDiagnostic] { host.diagnostics }

  /// Returns the reports of a kind.
  public func diagnostics(_ kind: CarDiagnostic.Kind) -> [CarDiagnostic] { diagnostics.filter { $0.kind == kind } }

  /// The end of the app by the system; nil while it runs, and after an end in order.
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

  /// Whether the car has gone away and the phone has not told the app. An app may know it otherwise, by the battery.
  public var hasGhostConnection: Bool { host.hasGhostConnection }

  /// The part of the app's window that no bar, card or map button covers, in points.
  public var freeArea: CGRect { host.freeArea }

  // MARK: Verbs

  /// Does something with the host, then waits until app and host are idle.
  @discardableResult
  func act<Result>(_ body: () -> Result) async -> Result {
    host.takeTurn()
    let result = body()
    await host.settle()
    return result
  }
}
