// swift-iap2 · Apache-2.0

import Basics
import CarPlayHost
import MediaPlayer

/// Random operation of a car and an app: API calls, taps, disconnects and faults from a seed. It must never crash or
/// hang.
@MainActor
package struct RandomOperation {
  /// The result of a run, for a comparison of two runs with the same seed.
  package struct Summary: Sendable, Hashable {
    /// The number of steps.
    package var steps = 0
    /// The number of steps with the app in front.
    package var shown = 0
    /// The number of apps that the system ended.
    package var ends = 0
    /// The number of reports, without those of slow calls: on a busy machine any call can be slow.
    package var reports = 0
    /// The number of events in the logs.
    package var events = 0
  }

  private var generator: SeededGenerator
  private var car: Car
  private var app = RandomApp()
  private var summary = Summary()

  /// Runs a number of steps from a seed.
  ///
  /// - Parameter inspect: Called after each step.
  package static func run(seed: UInt64, steps: Int, inspect: @MainActor (Car) -> Void = { _ in }) async -> Summary {
    var operation = RandomOperation(seed: seed)
    for _ in 0..<steps {
      await operation.step()
      inspect(operation.car)
    }
    operation.count()
    operation.car.host.removeFromProcess()
    return operation.summary
  }

  private init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    car = Car(Self.settings(&generator), faults: Self.faults(&generator), seed: generator.next())
    car.patience = .zero
  }

  // MARK: Cars

  private static func settings(_ generator: inout SeededGenerator) -> CarSettings {
    var settings = CarSettings.standard
    let inputs: [Set<CarInput>] = [[.touch], [.knob, .keys], [.lowFidelityTouch], [.touch, .knob, .touchpad], []]
    settings.inputs = inputs.randomElement(using: &generator) ?? []
    let versions = [IOSVersion(12), IOSVersion(13), IOSVersion(14), IOSVersion(17, 4), IOSVersion(26, 4)]
    settings.iOSVersion = versions.randomElement(using: &generator) ?? IOSVersion(26)
    settings.limits.maximumItemCount = Int.random(in: 0...20, using: &generator)
    settings.limits.maximumMapButtons = Int.random(in: 0...4, using: &generator)
    settings.limits.maximumAlertActions = Int.random(in: 0...3, using: &generator)
    let sizes = [(748, 456), (800, 480), (1280, 720), (1920, 720), (900, 1200)]
    let size = sizes.randomElement(using: &generator) ?? (800, 480)
    settings.screen.pixelWidth = generator.chance(0.5) ? size.0 : Int.random(in: 1...2000, using: &generator)
    settings.screen.pixelHeight = generator.chance(0.5) ? size.1 : Int.random(in: 1...2000, using: &generator)
    settings.screen.drivingSide = Bool.random(using: &generator) ? .left : .right
    settings.behavior.alertAutoDismiss = Bool.random(using: &generator)
    settings.behavior.foregroundBeforeConnect = Bool.random(using: &generator)
    settings.behavior.depthExceeded = Bool.random(using: &generator) ? .raise : .ignore
    settings.behavior.voiceMisuse = Bool.random(using: &generator) ? .raise : .ignore
    settings.behavior.modalCoversTemplate = Bool.random(using: &generator)
    settings.behavior.allowWhileLocked = Bool.random(using: &generator)
    settings.link = Bool.random(using: &generator) ? .wired : .wireless
    return settings
  }

  private static func faults(_ generator: inout SeededGenerator) -> CarFaults {
    var faults = CarFaults()
    faults.loseDisconnect = generator.chance(0.3) ? 0.5 : 0
    faults.killOnModalDisconnect = generator.chance(0.3)
    faults.denyGPUInBackground = generator.chance(0.3)
    faults.overlapReconnect = generator.chance(0.3)
    faults.strictOrder = generator.chance(0.2)
    faults.imageFailure = generator.chance(0.3) ? 0.5 : 0
    faults.lateTraits = generator.chance(0.3)
    faults.spontaneousCommands = generator.chance(0.3) ? 0.5 : 0
    faults.dismissKeyboard = generator.chance(0.3)
    faults.lateContentStyle = generator.chance(0.3)
    faults.splitStyles = generator.chance(0.3)
    faults.stuckChange = generator.chance(0.1) ? 0.1 : 0
    faults.lateSearchAnswers = generator.chance(0.3)
    return faults
  }

  // MARK: Steps

  private mutating func step() async {
    summary.steps += 1
    if !car.host.hasApp || generator.chance(0.01) { await launch() }
    if !car.showsApp, generator.chance(0.4) {
      await car.replug()
      await car.unlock()
      await car.act { car.host.open() }
    }
    summary.shown += car.showsApp ? 1 : 0
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<4:
      car.host.takeTurn()
      app.call(&generator)
      if generator.chance(0.7) { await car.settle() }
    case 4..<7: await touch()
    default: await disturb()
    }
  }

  private mutating func launch() async {
    count()
    car = Car(Self.settings(&generator), faults: Self.faults(&generator), seed: generator.next())
    car.patience = .zero
    app = RandomApp()
    let category = AppCategory.allCases.randomElement(using: &generator) ?? .audio
    let app = app
    var description = CarApp([category, .navigation]) { RandomScene(app) }
    if generator.chance(0.2) {
      description = CarApp(entitlements: [AppCategory.navigation.entitlement], appDelegate: { RandomAppDelegate(app) })
    }
    if generator.chance(0.1) { description.entitlements = [AppCategory.playableContentEntitlement] }
    await car.launch(description, phoneScene: Bool.random(using: &generator))
  }

  private mutating func count() {
    summary.ends += car.end == nil ? 0 : 1
    summary.reports += car.diagnostics.count { $0.kind != .slow }
    summary.events += car.log.count
  }

  private mutating func touch() async {
    let number = Int.random(in: 0..<1000, using: &generator)
    switch Int.random(in: 0..<9, using: &generator) {
    case 0..<4: await car.act { car.host.tapReacting(number) }
    case 4: await car.act { car.host.turn(number % 7 - 3) }
    case 5: await car.act { car.host.press() }
    case 6: await car.act { car.host.back() }
    case 7: await car.act { car.host.dragMap(x: Double(number) - 500, y: Double(number % 90)) }
    default:
      let text = ["", "a", "\u{202E}b", String(repeating: "long ", count: number)][number % 4]
      await car.act { car.host.type(text) }
    }
  }

  private mutating func disturb() async {
    switch Int.random(in: 0..<18, using: &generator) {
    case 0:
      let isNoticed = Bool.random(using: &generator)
      await car.act { car.host.unplug(noticed: isNoticed) }
    case 1, 2: await car.replug()
    case 3: await car.drive()
    case 4: await car.park()
    case 5: await car.act { car.host.setForeground(false, other: .home) }
    case 6: await car.act { car.host.setForeground(false, other: .otherApp) }
    case 7: await car.act { car.host.setForeground(true) }
    case 8: await car.wait(.milliseconds(Int.random(in: 0...12_000, using: &generator)))
    case 9: await car.lock()
    case 10: await car.unlock()
    case 11: await car.setDrivingSide(Bool.random(using: &generator) ? .left : .right)
    case 12: await car.setContentStyle(Bool.random(using: &generator) ? .light : .dark)
    case 13: await car.act { car.host.open() }
    case 14: await car.act { car.host.connectDashboard() }
    case 15: await car.act { car.host.connectCluster() }
    case 16:
      let key = Car.MediaKey.allCases.randomElement(using: &generator) ?? .play
      await car.act { car.host.send(RemoteCommandRequest(key)) }
    default:
      car.submitFrame()
      _ = car.screen.description
    }
  }
}
