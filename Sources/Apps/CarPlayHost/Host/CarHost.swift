// swift-iap2 · Apache-2.0

import Basics
import CallKit
import CarPlay
package import CarPlayPlatform
import IAP2
package import IAP2Roles
import PortingSupport
import UIKit

/// The car and the phone around one app in this process.
///
/// The verbs return immediately. Their effects run in the host's virtual time; `Car` of `CarPlayTesting` waits for
/// them.
@MainActor
package final class CarHost {
  /// The part of the phone that the driver sees on the car's screen.
  package enum Front: Sendable, Hashable {
    /// The phone is not connected, or it is locked and must not be used.
    case off
    /// The home screen.
    case home
    /// The app under test.
    case app
    /// Another app, such as a call.
    case otherApp
  }

  /// The phone's state.
  package struct Phone: Sendable, Hashable {
    /// Whether the phone is locked.
    package var isLocked = false
    /// Whether a question about a permission is open on the phone's screen.
    package var hasOpenQuestion = false
    /// Whether the user allows the app's banners in the car.
    package var hasNotificationsInCar = true
    /// The style of the phone's own screen.
    package var style = CarStyle.light
  }

  package internal(set) var settings: CarSettings
  /// The whole display. The screen of ``settings`` is smaller while the car shows another view area.
  let display: CarScreen
  package var faults: CarFaults
  package var exceptions: ExceptionHandling
  let events = HostEvents()
  /// The longest wait of a verb for an answer of the app, in real time.
  package var patience = Duration.seconds(1)
  /// The real clock that the car's clock follows; nil in virtual time.
  var realTime: RealTime?
  var generator: SeededGenerator

  package internal(set) var front = Front.off
  package internal(set) var phone = Phone()
  /// Whether phone and car are connected. The app may not know of a change yet.
  package internal(set) var isConnected = false
  /// Whether the car moves, so that its limits apply.
  package internal(set) var isDriving = false
  /// The app on the phone, running or not.
  var installed: CarApp?
  /// The running app.
  var app: RunningApp?
  /// The end of the last app that did not end normally.
  package internal(set) var end: AppEnd?
  /// The place in the app's code of ``end``.
  package internal(set) var endPlace = CodePlace.unknown
  /// The banner over another app.
  var banner: Banner?

  /// The car's screen for an app of a car's maker; nil without one.
  var makerScreen: UIScreen?

  /// The pending `didDisconnect` of the app.
  var disconnectDue: HostEvents.ID?
  /// The iAP2 connection whose state decides the app's connect and disconnect calls; nil for a phone that follows the
  /// cable.
  var link: VehicleLink?
  var linkDue: HostEvents.ID?
  /// The phone's side of a connection to a head unit outside of the process; nil for a head unit in memory.
  var transport: TransportLink?
  var transportDue: HostEvents.ID?
  /// The number of the head unit's violations that the log has for this connection.
  var notedViolations = 0
  /// Receives the work on the transport.
  var onTransport: (@MainActor (TransportLink.Work) -> Void)?
  /// The time until which a verb waits for the phone to detect a change of the cable.
  var linkWaitEnd: CarClock.Instant?
  /// The state that the head unit received over the iAP2 connection.
  var headUnitMemory = HeadUnitMemory()
  /// The values of the car that the phone received from the head unit.
  var vehicleMemory = VehicleMemory()
  /// Whether the app wanted locations at the last check.
  var hasLocationDemand = false
  /// The last report of the app to the phone.
  var lastReport: AppReport?
  /// Receives each report; nil if no other program forwards them.
  package var onReport: (@MainActor (AppReport) -> Void)?
  /// The calls of the app, the oldest one first, and the reasons of those that ended since the last report.
  var calls: [CallKit.Call] = []
  var endedCalls: [String: CallDisconnectReason] = [:]
  /// The files that the phone cannot read while it is locked.
  var protectedFiles = ProtectedFiles()
  /// The connection whose end is reported to the app only after the next connect.
  var withheld: CarConnection?

  package internal(set) var log: [CarEvent] = []
  /// Receives each call when it begins, before the app can end the process.
  var onEvent: (@MainActor (CarEvent) -> Void)?
  /// Receives the bytes on the cable of the iAP2 connection; nil without a tap.
  var onLinkBytes: (@MainActor (VehicleLink.Sent) -> Void)?
  /// The type of the app's scene delegate with its module; nil before the first connection.
  var delegateType: String?
  package internal(set) var diagnostics: [CarDiagnostic] = []
  /// The place of each report in ``diagnostics``.
  var knownDiagnostics: [CarDiagnostic: Int] = [:]
  /// The reports about the part of the screen that is built now; nil while none is built.
  var newReports: [CarDiagnostic]?
  /// The number of calls between app and car. The wait for an idle main queue uses it.
  package internal(set) var activity: UInt64 = 0
  /// The checks that run after the work of a test's verb has settled.
  var checks: [@MainActor () -> Void] = []
  /// The session configurations that the app made.
  var sessions: [WeakBox<CPSessionConfiguration>] = []
  var places = ChangePlaces()
  /// The changes since the last verb. The driver's time between verbs does not pass on the car's clock.
  var rates = ChangeRates()
  /// The number of actions of the driver and the test so far.
  private(set) var turn = 0
  /// Whether the host is calling the app away from the main thread, and whether the app used the framework in that
  /// call.
  var awayFromMain = AwayFromMain.no
  /// The refreshes that the guide limits.
  var refreshes = ChangeRates()
  /// The index of the focus in the order of the screen's parts.
  var focusIndex = 0
  /// The content of the old content API.
  var content: ContentBrowser?
  var nowPlaying = NowPlayingState()
  /// Whether the Now Playing screen is open over the app.
  var showsNowPlaying = false
  /// Whether Siri's menu for an app of messages and calls is open.
  var showsSiri = false
  /// The words that the app spoke last.
  var speech: PhoneActivity.Speech?
  /// Whether the other sound of the phone is quieter because of the app's prompt.
  var isDucked = false
  /// Whether a call or the car has interrupted the app's sound.
  var isSoundInterrupted = false
  /// The styles that the app chose for the upcoming maneuvers.
  var styles: [ObjectIdentifier: CPManeuverDisplayStyle] = [:]
  /// The images of the app's screens with their bytes; nil if no program draws them.
  package var images: ImageStore?
  var failedImages: Set<ObjectIdentifier> = []

  /// Creates a car that is not connected.
  package init(
    _ settings: CarSettings, faults: CarFaults = CarFaults(), exceptions: ExceptionHandling = .trap, seed: UInt64 = 1
  ) {
    self.settings = settings
    display = settings.screen
    self.faults = faults
    self.exceptions = exceptions
    generator = SeededGenerator(seed: seed)
    phone.style = settings.appearance
    Self.hosts.append(WeakBox(self))
  }

  /// The hosts of this process. A call of an app reaches its own car also when tests run in parallel.
  static var hosts: [WeakBox<CarHost>] = []

  /// Makes this host the system of the CarPlay module.
  package func takeTurn() {
    CarPlayModule.system = self
    turn &+= 1
    rates = ChangeRates()
    nowPlaying.rest()
    EmulatedSystem.version = (settings.iOSVersion.major, settings.iOSVersion.minor, 0)
    UIDevice.current.systemVersion = "\(settings.iOSVersion.major).\(settings.iOSVersion.minor)"
    let isPhoneDark = faults.splitStyles ? settings.appearance == .light : phone.style == .dark
    UITraitCollection.current = UITraitCollection(
      style: isPhoneDark ? .dark : .light, displayScale: 3, idiom: .phone)
    Self.hosts.removeAll { $0.object == nil }
  }

  /// Whether an app runs.
  package var hasApp: Bool { app != nil }

  /// Ends the app without a call, and removes the car from the CarPlay module.
  package func removeFromProcess() {
    removeApp()
    guard CarPlayModule.system === self else { return }
    CarPlayModule.system = NoCar.shared
    ImageProblem.setReporter(nil)
  }

  /// The car's clock.
  package var clock: CarClock { events.clock }
}

/// A call of the app away from the main thread.
enum AwayFromMain {
  case no, calling
  /// The app used the framework during the call.
  case used
}

/// A weak reference.
struct WeakBox<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object) { self.object = object }
}

extension CarHost {
  /// The maximum number of events in the log. A test of ten thousand steps has fewer.
  private static let maximumEvents = 200_000

  /// Adds an event to the log.
  func note(_ direction: CarEvent.Direction, _ name: String, _ detail: String = "", object: String = "") {
    activity &+= 1
    guard log.count < Self.maximumEvents else { return }
    let event = CarEvent(
      time: clock.now.offset, direction: direction, object: object, name: name, detail: FittedText.plain(detail))
    log.append(event)
    onEvent?(event)
  }

  /// Calls the app, unless it has ended. Logs the call, notes whether the app implements it, and measures its duration.
  @discardableResult
  func callDelegate<Delegate>(
    _ delegate: Delegate?, _ object: String, _ method: String, _ detail: String = "", call: (Delegate) -> Void
  ) -> Bool {
    guard let delegate, app != nil else { return false }
    note(.toApp, method, detail, object: object)
    let index = log.count - 1
    // The names of overloads have a suffix after a space.
    let name = String(method.prefix { $0 != " " })
    let isImplemented = measure(method) { OptionalMethod.isImplemented(name, by: delegate, call: call) }
    if !isImplemented, log.indices.contains(index) { log[index].isImplemented = false }
    return isImplemented
  }

  /// Runs code of the app and reports it if it takes long, in the car's time or in real time. The real time excludes
  /// what a busy machine takes from the thread; see ``WorkTime``.
  func measure<Result>(_ call: String, _ body: () -> Result) -> Result {
    activity &+= 1
    let start = (real: WorkTime(), virtual: clock.now)
    let result = body()
    let spent = max(start.real.spent, start.virtual.duration(to: clock.now))
    guard spent > Self.slowCall else { return result }
    let seconds = Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
    report(
      CarDiagnostic(
        .slow, what: "\(call) kept the main thread for more than \(Self.slowCall)",
        carShows: "the screen does not react; a life cycle call is ended after \(settings.behavior.watchdog) s",
        remedy: "move the work away from the main thread"))
    if seconds > settings.behavior.watchdog { end(.watchdog(call: call, seconds: seconds)) }
    return result
  }

  /// The duration of a call above which the driver sees a delay. Ours: people notice a quarter of a second.
  private static let slowCall = Duration.milliseconds(250)
}

extension CarHost {
  /// Waits until the main queue is idle and no change is pending, and runs the checks of the verb.
  package func settle() async {
    await rest()
    await waitForAnswers()
    let before = activity
    let checks = checks
    self.checks = []
    for check in checks { check() }
    draw()
    if activity != before || events.hasEffects { await rest() }
  }

  /// Whether a change of the screen is on its way, such as the end of an animation.
  var hasPendingChange: Bool { events.hasEffects }

  /// The maximum number of changes that one verb waits for. A tap has a few.
  private static let maximumChanges = 2000

  func rest() async {
    var count = 0
    repeat {
      while let due = events.nextEffect {
        await MainQueue.settle(MainQueue.brief, clock) { [self] in activity }
        if realTime != nil {
          await waitInRealTime(until: due)
        } else if !events.runNext(before: nil) {
          return
        }
        count += 1
        guard count < Self.maximumChanges else {
          return report(
            CarDiagnostic(
              .completion, what: "\(count) changes followed one another without an end",
              carShows: "screens that replace each other all the time",
              remedy: "do not begin the next change in the completion of each one"))
        }
      }
      await MainQueue.settle(MainQueue.thorough, clock) { [self] in activity }
    } while events.hasEffects
  }

  /// Notes in the log that the host waits in real time.
  package func noteRealTime() { note(.note, "real time passes", "for work of the app that takes it") }

  /// Lets virtual time pass: runs each due event and then waits until the main queue is idle. In real time it only
  /// waits.
  package func pass(_ duration: Duration) async {
    note(.note, realTime == nil ? CarEvent.timePasses : "real time passes", "\(duration)")
    let end = clock.now.advanced(by: max(duration, .zero))
    if realTime != nil {
      await waitInRealTime(until: end)
      return await settle()
    }
    while events.runNext(before: end) { await MainQueue.settle(MainQueue.brief, clock) { [self] in activity } }
    clock.advance(to: end)
    await settle()
  }
}
