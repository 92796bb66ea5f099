// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Foundation
import Testing

/// Tests of programs in a child process. Each test ends its own child.
@Suite struct ChildTests {
  /// The limits for programs that do not answer. A host on a busy machine takes longer than these.
  private var short: CarChild.Limits {
    var limits = CarChild.Limits()
    limits.start = .milliseconds(200)
    limits.answer = .milliseconds(200)
    limits.end = .milliseconds(200)
    return limits
  }

  @Test("An app introduces itself, shows its screen and is told of taps")
  func app() throws {
    let lines = Lines()
    let run = try launch(lines: lines)
    #expect(run.app.app == "Probe" && run.app.categories == [.audio] && run.app.cars.contains("knob"))
    #expect(run.car.state.front == .app && run.car.state.screen.rows.first == "Albums")
    #expect(lines.calls.contains("templateApplicationScene(_:didConnect:)"))
    #expect(try run.perform(tap("Albums")) == nil)
    #expect(run.car.state.screen.shows("In Albums"))
    #expect(try run.perform(tap("Nothing")) == "nothing that reacts shows \"Nothing\"")
    run.finish()
  }

  @Test("An app of a live car is told once that the car is gone", arguments: CarLink.allCases)
  func farewell(link: CarLink) throws {
    let lines = Lines()
    let run = try start(lines: lines)
    try run.begin(live: CarSettings(name: "Car", link: link))
    _ = try run.perform(CarAction(.launch))
    #expect(run.car.state.front == .app)
    try run.disconnect(within: .seconds(60))
    #expect(!run.car.state.hasGhostConnection)
    #expect(lines.calls.count { $0.hasPrefix("templateApplicationScene(_:didDisconnect") } == 1)
    run.finish()
  }

  @Test("A step that would do nothing is refused with the reason")
  func obstacles() throws {
    let run = try launch()
    let inFront: [(CarAction, String)] = [
      (CarAction(.plug), "phone and car are already connected"), (CarAction(.bringBack), "the app is already in front"),
      (CarAction(.answer), "the phone asks no question"),
      (CarAction(.notice), "no disconnection waits for its notice"),
      (CarAction(.policy, ["name": .text("charging")]), "the policy comes before the car connects"),
      (CarAction(.back), "there is nothing to go back to"), (CarAction(.touchMap), "no map is in front"),
      (CarAction(.pan, ["x": .number(1), "y": .number(1)]), "no map is in front"),
      (CarAction(.panButton, ["direction": .texts(["up"])]), "no panning interface is in front"),
      (CarAction(.movePointMap), "no map of points of interest is in front"),
      (CarAction(.turn, ["steps": .number(1)]), "the car standard has neither a knob nor a touchpad"),
      (CarAction(.press), "the car standard has neither a knob nor a touchpad"),
      (CarAction(.searchKey), "no search is in front"), (CarAction(.endGuidance), "no guidance runs"),
      (CarAction(.dashboard, ["shown": .flag(true)]), "the app has no scene for the dashboard"),
      (CarAction(.cluster, ["shown": .flag(true)]), "the app has no scene for the instrument cluster"),
      (CarAction(.dashboard, ["shown": .flag(false)]), "the car shows no dashboard"),
    ]
    for (action, reason) in inFront { #expect(try run.perform(action) == reason, "\(action)") }
    #expect(try run.perform(CarAction(.unplug)) == nil)
    for verb in [CarVerb.unplug, .open, .home, .otherApp, .bringBack, .nowPlaying, .voiceKey, .back, .alert] {
      let action = CarAction(verb, verb == .alert ? ["text": .text("A")] : [:])
      #expect(try run.perform(action) == "phone and car are not connected", "\(verb)")
    }
    #expect(try run.perform(CarAction(.key, ["name": .text("next")])) == "phone and car are not connected")
    run.finish()
  }

  @Test("An alert of a scenario is one of the app, and its button closes it")
  func alert() throws {
    let run = try launch()
    #expect(try run.perform(CarAction(.alert, ["text": .text("No signal")])) == nil)
    #expect(run.car.state.screen.kind == .alert && run.car.state.screen.shows("No signal"))
    #expect(try run.perform(CarAction(.alert, ["text": .text("Again")])) == "a template is already presented")
    #expect(try run.perform(tap("OK")) == nil)
    #expect(run.car.state.screen.rows.first == "Albums")
    run.finish()
  }

  @Test("Methods that the app does not implement are marked")
  func unimplemented() throws {
    let lines = Lines()
    let run = try launch(lines: lines)
    _ = try run.perform(CarAction(.contentStyle, ["style": .text("dark")]))
    run.finish()
    let events = lines.all.compactMap { if case .call(let event) = $0 { event } else { nil } }
    let change = try #require(events.first { $0.name == "contentStyleDidChange(_:)" })
    #expect(!change.isImplemented)
  }

  @Test(
    "An expectation waits for what an app does on another thread or by a timer",
    arguments: [
      ("Later", "In Later"), ("Timer", "In Rang"),
    ])
  func waiting(row: String, shown: String) throws {
    let run = try launch()
    let scenario = try CarScenario(
      yaml: "steps:\n  - tap: \(row)\n  - expect: {screen: {shows: \(shown)}, within: 60}", file: "s.yaml")
    try run.play(scenario)
    run.finish()
  }

  @Test("An expectation that is not met names its line and the screen")
  func unmet() throws {
    let run = try launch()
    let scenario = try CarScenario(
      yaml: "steps:\n  - tap: Albums\n  - expect: {screen: Songs, within: 0}", file: "s.yaml")
    let found = failure { try run.play(scenario) }
    #expect(found?.kind == .expectation)
    #expect(found?.description == "s.yaml:3: expect: the screen does not show \"Songs\"")
    #expect(found?.details == ["The screen is:", "  list \"Albums\"", "    back \"Probe\"", "    row \"In Albums\""])
    run.finish()
  }

  /// The probe is a naive app: it does not observe the battery, so a late notification ends it.
  @Test(
    "The shipped scenarios fit the probe, but for the one that ends naive apps", arguments: BundledCarScenarios.names)
  func shipped(name: String) throws {
    let scenario = try #require(try BundledCarScenarios.scenario(name))
    let run = try start()
    try run.begin(CarChoice(name: "standard"))
    let found = failure { try run.play(scenario) }
    let isDeadly = name == "late-notice-with-alert"
    #expect(
      found?.description == (isDeadly ? "the app ended: signal 9: disconnected while a template was presented" : nil))
    run.finish()
  }

  @Test("The app's own output is passed on")
  func output() throws {
    let lines = Lines()
    let run = try launch(lines: lines)
    _ = try run.perform(tap("Print"))
    // The line and the answer to the step come on two ways.
    for _ in 0..<1000 where lines.outputs.isEmpty { try run.watch(.milliseconds(10), input: -1) }
    run.finish()
    #expect(lines.outputs == ["a line of the app"])
  }

  @Test(
    "An app that ends is named with the call it was in",
    arguments: [
      ("Trap", "the app trapped (", "Fatal error: the probe traps"),
      ("Kill", "the app was killed (SIGKILL) in handler", ""),
      ("Exit", "the app ended by itself with code 3 in handler", ""),
    ])
  func ended(row: String, start: String, words: String) throws {
    let lines = Lines()
    let run = try launch(lines: lines)
    let found = failure { try run.perform(tap(row)) }
    #expect(found?.kind == .app && found?.description.hasPrefix(start) == true, "\(found?.description ?? "no failure")")
    #expect(words.isEmpty || found?.description.contains(words) == true, "\(found?.description ?? "no failure")")
    #expect(lines.calls.last?.hasPrefix("handler row \"\(row)\"") == true)
    #expect(failure { try run.perform(tap("Albums")) }?.kind == .app)
  }

  @Test("An exception of the framework ends the app with its text")
  func exception() throws {
    let run = try launch()
    let found = failure { try run.perform(tap("Exception")) }
    #expect(found?.kind == .app)
    #expect(found?.description.hasPrefix("the app ended: NSInvalidArgumentException: Unsupported object") == true)
    #expect(found?.description.contains("CarProbe.swift") == true, "\(found?.description ?? "")")
  }

  @Test("An app that blocks its main thread is ended")
  func blocked() throws {
    var limits = CarChild.Limits()
    limits.answer = .seconds(20)
    let run = try launch(limits: limits)
    var quick = limits
    quick.answer = .milliseconds(200)
    run.limits = quick
    let found = failure { try run.perform(tap("Silent")) }
    #expect(found?.description.hasPrefix("the app did not answer tap \"Silent\" within ") == true)
  }

  @Test(
    "A program that is no app is ended with a reason",
    arguments: [
      ("silent", "the program did not introduce itself"),
      ("nonsense", "the app sent a malformed control line: hello"),
      ("future", "the app's host speaks version 1000000"), ("noise", "the program did not introduce itself"),
    ])
  func misfit(mode: String, start: String) {
    let found = failure { try ChildTests.misfit(mode, limits: short) }
    #expect(found?.kind == .app && found?.description.hasPrefix(start) == true, "\(found?.description ?? "no failure")")
  }

  @Test(
    "A program that floods the connection is ended with a reason",
    arguments: [
      ("flood", "the app sent a line of more than 4194304 bytes"), ("nest", "the app sent a malformed control line"),
      ("chatter", "the app made more than 200000 calls in one step"),
    ])
  func flood(mode: String, start: String) {
    let found = failure {
      let run = try ChildTests.misfit(mode, limits: CarChild.Limits())
      try run.begin(CarChoice(name: "standard"))
    }
    #expect(found?.kind == .app && found?.description.hasPrefix(start) == true, "\(found?.description ?? "no failure")")
  }

  @Test("A program that closes the connection and goes on is ended")
  func closes() {
    let found = failure {
      let run = try ChildTests.misfit("closes", limits: short)
      try run.begin(CarChoice(name: "standard"))
    }
    #expect(found?.description == "the app closed the connection and went on; it was ended")
  }

  private static func misfit(_ mode: String, limits: CarChild.Limits) throws -> CarRun {
    // A program that does work needs more time than the limits for a silent program give.
    var limits = limits
    if !["silent", "noise"].contains(mode) { (limits.start, limits.answer) = (.seconds(30), .seconds(30)) }
    return try start([mode], limits: limits)
  }

  @Test("A request to stop ends the child at once, and it is gone")
  func stopped() throws {
    let stop = StopRequest()
    let run = try start(stop: stop)
    try run.begin(CarChoice(name: "standard"))
    let id = run.processID
    #expect(kill(id, 0) == 0)
    stop.make()
    #expect(failure { try run.perform(CarAction(.launch)) }?.kind == .stopped)
    #expect(kill(id, 0) == -1 && errno == ESRCH)
  }

  @Test("A child ends when its run is given up")
  func givenUp() throws {
    var run: CarRun? = try launch()
    let id = try #require(run?.processID)
    run = nil
    #expect(kill(id, 0) == -1 && errno == ESRCH)
  }

  @Test("A program that cannot be started is named")
  func missing() throws {
    let stop = StopRequest()
    let found = failure { try CarRun("/none/app", stop: stop) { _ in } }
    #expect(
      found?.kind == .unavailable && found?.description == "/none/app cannot be started: No such file or directory")
  }

  @Test(
    "A wrong car is bad input with the place and the allowed values",
    arguments: [
      (CarChoice(name: "tractor"), "tractor: no such car; the cars are standard,"),
      (
        CarChoice(name: "my.yaml", yaml: "screen: {pixelWidth: wide}"), "my.yaml:1: screen.pixelWidth: expected a whole"
      ),
      (CarChoice(name: "my.yaml", yaml: "wheels: 4"), "my.yaml:1: wheels: unknown key; the keys here are"),
    ])
  func wrongCar(car: CarChoice, start: String) throws {
    let run = try CarPlayControlTests.start()
    let found = failure { try run.begin(car) }
    #expect(found?.kind == .badInput && found?.description.hasPrefix(start) == true, "\(found?.description ?? "")")
  }

  @Test("An app that is described by its files gets its registered delegate by the name in Info.plist")
  func files() throws {
    let plist = try Scratch(
      """
      <plist version="1.0"><dict><key>UIApplicationSceneManifest</key><dict>
      <key>UIApplicationSupportsMultipleScenes</key><true/>
      <key>UISceneConfigurations</key><dict>
      <key>CPTemplateApplicationSceneSessionRoleApplication</key><array><dict>
      <key>UISceneClassName</key><string>CPTemplateApplicationScene</string>
      <key>UISceneDelegateClassName</key><string>$(PRODUCT_MODULE_NAME).ProbeScene</string>
      </dict></array></dict></dict></dict></plist>
      """, "Info.plist")
    let entitlements = try Scratch(
      "<plist version=\"1.0\"><dict><key>com.apple.developer.carplay-audio</key><true/></dict></plist>",
      "App.entitlements")
    let run = try CarPlayControlTests.start(["plist", plist.path, entitlements.path])
    #expect(run.app.categories == [.audio])
    try run.begin(CarChoice(name: "standard"))
    #expect(try run.perform(CarAction(.launch)) == nil)
    #expect(run.car.state.screen.rows.first == "Albums")
    run.finish()
  }

  @Test("A wrong Info.plist is bad input with the file, the line and the key")
  func wrongPlist() throws {
    let plist = try Scratch(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>UIBackgroundModes</key><string>audio</string>
      </dict></plist>
      """, "Info.plist")
    let entitlements = try Scratch("<plist version=\"1.0\"><dict></dict></plist>", "App.entitlements")
    let found = failure { try CarPlayControlTests.start(["plist", plist.path, entitlements.path]) }
    #expect(found?.kind == .badInput)
    #expect(
      found?.description == "Info.plist:3: UIBackgroundModes: expected a list of texts, such as audio",
      "\(found?.description ?? "")")
  }

  @Test(
    "Without a program that drives it, an app says how, and ends with 64",
    arguments: [
      nil, "3", "none",
    ])
  func alone(descriptor: String?) throws {
    let process = Process()
    process.executableURL = URL(filePath: probe)
    process.environment = ["IAP2_CAR_CONTROL": descriptor].compactMapValues { $0 }
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(
      text
        == (descriptor.map { "IAP2_CAR_CONTROL=\($0) is not an open stream socket\n" }
          ?? "this app runs in an emulated car; drive it with: iap2 car \(probe)\n"))
  }
}
