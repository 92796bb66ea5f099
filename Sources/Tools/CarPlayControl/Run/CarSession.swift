// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import IAP2Scenario
import IAP2Transport

/// A complete run of an app: its program, its car, and a scenario or the keys of a terminal.
public struct CarSession: Sendable {
  /// The path of an executable, or of a package's folder.
  public var app: String
  /// The name of the package's executable, if it has several.
  public var product: String?
  /// The arguments of the app.
  public var arguments: [String]
  /// The name of a profile or of a profile's file. Several names are separated by commas, and the scenario runs in one
  /// car after another; nil for the scenario's car, or else the standard car.
  public var car: String?
  /// The name of a bundled scenario, or of a file; nil for the keys of a terminal.
  public var scenario: String?
  /// The pictures to write; nil for none.
  public var pictures: CarPictureChoice?
  /// The transport to a head unit outside of the process; nil for the head unit in memory.
  public var transport: CarTransportChoice?
  /// The pictures on the terminal of a session without a scenario; nil for the best that the terminal supports.
  public var graphics: GraphicsChoice?

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - app: The path of an executable, or of a package's folder.
  ///   - product: The name of the package's executable, if it has several.
  ///   - arguments: The arguments of the app.
  ///   - car: The names of cars, separated by commas; nil for the scenario's car, or else the standard car.
  ///   - scenario: The name of a bundled scenario, or of a file; nil for the keys of a terminal.
  ///   - pictures: The pictures to write; nil for none.
  ///   - transport: The transport to a head unit outside of the process; nil for the head unit in memory.
  ///   - graphics: The pictures on the terminal of a session without a scenario; nil for the best that the terminal
  ///     supports.
  public init(
    app: String, product: String? = nil, arguments: [String] = [], car: String? = nil, scenario: String? = nil,
    pictures: CarPictureChoice? = nil, transport: CarTransportChoice? = nil, graphics: GraphicsChoice? = nil
  ) {
    (self.app, self.product, self.arguments, self.car, self.scenario) = (app, product, arguments, car, scenario)
    (self.pictures, self.transport, self.graphics) = (pictures, transport, graphics)
  }

  /// Creates the session of a scenario that names its app; nil for any other scenario of `iap2 run`.
  ///
  /// - Parameter scenario: The name of the scenario's file. The app's path in it is relative to the folder of the file.
  /// - Throws: The fault in a file that names an app.
  public init?(of scenario: String) throws(CarFailure) {
    guard Self.isFile(scenario) else { return nil }
    // The reader of the other scenarios reports a file that cannot be read.
    let text: String
    do { text = try Self.text(scenario) } catch { return nil }
    guard Self.namesApp(text) else { return nil }
    let script = try Self.script(text, scenario)
    guard let app = script.app else { return nil }
    let folder = scenario.lastIndex(of: "/").map { scenario[...$0] } ?? ""
    self.init(app: app.hasPrefix("/") ? app : folder + app, arguments: script.arguments, scenario: scenario)
  }

  /// Returns whether a text has a line that begins with the key `app`. Scenarios without an app have no such line.
  private static func namesApp(_ text: String) -> Bool {
    text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("app:") }
  }

  /// Runs the session to its end, on its own thread, because it waits for the app and for keys.
  ///
  /// - Parameters:
  ///   - stop: The request that ends the session and its app.
  ///   - note: A closure that receives the progress of a build.
  ///   - show: A closure that receives the lines of the run, the end of a scenario last.
  ///   - print: A closure that prints a line of the console.
  ///   - write: A closure that writes bytes to the terminal of the console.
  ///   - picture: A closure that receives the path of each picture when it is written.
  /// - Returns: The reason why the session failed; nil after a success.
  public func play(
    stop: StopRequest, note: @escaping @Sendable (String) -> Void, show: @escaping @Sendable (CarLine) -> Void,
    print: @escaping @Sendable (String, CarTone) -> Void, write: @escaping @Sendable ([UInt8]) -> Void,
    picture: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> CarFailure? {
    let carrier: TransportCarrier?
    do { carrier = try transport.map { choice throws(CarFailure) in try TransportCarrier(choice, note: note) } } catch {
      return error
    }
    let writer = TerminalDisplay.Writer(write: write, print: print)
    let context = RunContext(
      stop: stop, note: note, show: show, picture: picture, writer: writer, carrier: carrier)
    let failure = await play(in: context)
    await carrier?.finish()
    return failure
  }

  /// The inputs and outputs that the caller provides to a session.
  private struct RunContext: Sendable {
    let stop: StopRequest
    let note: @Sendable (String) -> Void
    let show: @Sendable (CarLine) -> Void
    let picture: @Sendable (String) -> Void
    let writer: TerminalDisplay.Writer
    let carrier: TransportCarrier?

    /// Creates the pictures of a run; nil if they are optional and no program draws them.
    func pictures(_ choice: CarPictureChoice) throws(CarFailure) -> CarPictures? {
      do throws(CarFailure) { return try CarPictures(choice, stop: stop, drawn: picture) } catch {
        guard choice.isOptional, error.kind == .unavailable else { throw error }
        note("the report has no pictures: \(error)")
        return nil
      }
    }
  }

  private func play(in context: RunContext) async -> CarFailure? {
    await withCheckedContinuation { (ended: CheckedContinuation<CarFailure?, Never>) in
      let isStarted = canStartThread("iap2-car") {
        do throws(CarFailure) {
          try playHere(context)
          ended.resume(returning: nil)
        } catch { ended.resume(returning: error) }
      }
      if !isStarted { ended.resume(returning: CarFailure(.system, "the system starts no thread")) }
    }
  }

  private func playHere(_ context: RunContext) throws(CarFailure) {
    let stop = context.stop
    try stop.check()
    guard graphics == nil || scenario == nil else {
      throw CarFailure(.usage, "--graphics is for the keys of a terminal; leave out --scenario, or name --screenshots")
    }
    guard scenario != nil || TerminalLine().isTerminal else {
      throw CarFailure(.usage, "without a terminal a run needs --scenario; `iap2 car --list` shows them")
    }
    // Faults in files must be found before a build that takes minutes.
    let script = try scenario.map { name throws(CarFailure) in try Self.read(name) }
    let choices = try carChoices(script).map { choice in
      var choice = choice
      choice.behavior = script?.behavior ?? [:]
      return choice
    }
    guard choices.count == 1 || script != nil && transport == nil else {
      throw CarFailure(.usage, "several cars need --scenario, and no --transport; `iap2 car --list` shows scenarios")
    }
    let program = try AppProgram.executable(app, product: product, stop: stop, note: context.note)
    guard let script else { return try playKeys(program, choices[0], context) }
    guard choices.count > 1 else {
      let pictures = try pictures.flatMap { choice throws(CarFailure) in try context.pictures(choice) }
      return try play(script, program, choices[0], pictures, context)
    }
    try playAll(script, program, choices, context)
  }

  /// Runs a scenario in several cars, and writes a page of their pictures.
  private func playAll(
    _ script: CarScenario, _ program: String, _ choices: [CarChoice], _ context: RunContext
  ) throws(CarFailure) {
    var failures: [(car: String, failure: CarFailure)] = []
    let folder = try pictures.map { choice throws(CarFailure) in try PictureFolder(choice.folder) }
    var page = CarPicturePage(app: URL(filePath: program).lastPathComponent, scenario: script.name)
    for choice in choices {
      context.show(.car(choice.name))
      var files: [String] = []
      do throws(CarFailure) {
        try folder?.add(choice.folderName)
        let pictures = try pictures.flatMap { of throws(CarFailure) in
          try context.pictures(of.inside(choice.folderName))
        }
        defer { files = pictures?.files ?? [] }
        try play(script, program, choice, pictures, context)
        page.add(choice, pictures?.files ?? [], failure: nil)
      } catch {
        page.add(choice, files, failure: error)
        failures.append((choice.name, error))
        // An app that fails in one car may pass in the next one. A full disk ends the run.
        guard error.kind == .expectation || error.kind == .app else { break }
      }
    }
    if let folder {
      do throws(CarFailure) { try page.write(into: folder) } catch { failures.append(("the page", error)) }
    }
    guard let first = failures.first else { return }
    let others = failures.dropFirst().map { "\($0.car): \($0.failure)" }
    throw CarFailure(first.failure.kind, "\(first.car): \(first.failure)", details: first.failure.details + others)
  }

  /// Runs a scenario in a car.
  private func play(
    _ script: CarScenario, _ program: String, _ choice: CarChoice, _ pictures: CarPictures?,
    _ context: RunContext
  ) throws(CarFailure) {
    let show = context.show
    let run = try CarRun(
      program, arguments: arguments, stop: context.stop, note: context.note, show: show)
    run.pictures = pictures
    defer { run.finish() }
    do throws(CarFailure) {
      try run.begin(choice, seed: script.seed)
      if let carrier = context.carrier { try run.use(carrier) }
      try run.play(script)
      show(.finished(failure: nil, time: run.car.state.time))
    } catch {
      show(.finished(failure: error.description, time: run.car.state.time))
      throw error
    }
  }

  /// Runs the keys of a terminal in a car.
  private func playKeys(_ program: String, _ choice: CarChoice, _ context: RunContext) throws(CarFailure) {
    let (stop, writer) = (context.stop, context.writer)
    let pictures = try pictures.flatMap { choice throws(CarFailure) in try context.pictures(choice) }
    let (display, keys) = try (graphics ?? .auto).display(on: TerminalLine(), stop: stop, writer: writer)
    defer { display?.end() }
    let run = try CarRun(program, arguments: arguments, stop: stop, note: context.note) { line in
      // The console prints each screen with the marks of its parts.
      if case .screen = line { return }
      display?.clear()
      context.show(line)
    }
    (run.pictures, run.display) = (pictures, display)
    defer { run.finish() }
    do throws(CarFailure) {
      try run.begin(choice)
      if let carrier = context.carrier { try run.use(carrier) }
      var console = CarConsole(run) { text, tone in
        display?.clear()
        writer.print(text, tone)
      }
      console.keys = keys
      try console.play()
    } catch {
      // Ctrl-C is the usual end of the console.
      guard error.kind == .stopped else { throw error }
    }
  }

  /// The maximum number of cars of a run. There are fewer profiles.
  private static let maximumCars = 50

  private func carChoices(_ script: CarScenario?) throws(CarFailure) -> [CarChoice] {
    guard let car else {
      guard let name = script?.car else { return [CarChoice(name: "standard")] }
      return [try Self.choice(name, beside: scenario ?? "")]
    }
    // A file may have a comma in its name.
    if FileManager.default.fileExists(atPath: car) { return [try Self.choice(car, beside: "")] }
    let names = car.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.count <= Self.maximumCars, Set(names).count == names.count else {
      throw CarFailure(.usage, "name each car once, and at most \(Self.maximumCars) of them")
    }
    return try names.map { name throws(CarFailure) in try Self.choice(name, beside: "") }
  }

  /// Returns the car that a user named.
  package static func choice(of name: String) throws(CarFailure) -> CarChoice { try choice(name, beside: "") }

  /// Returns a car by a name: a file if a file has the name or the name has a dot or a slash, otherwise a profile.
  private static func choice(_ name: String, beside scenario: String) throws(CarFailure) -> CarChoice {
    let folder = scenario.lastIndex(of: "/").map { scenario[...$0] } ?? ""
    let path = name.hasPrefix("/") ? name : folder + name
    guard isFile(name) || FileManager.default.fileExists(atPath: path) else {
      let names = CarProfile.allCases.map(\.rawValue)
      guard names.contains(name) else {
        throw CarFailure(.noInput, "no car \(name): it is neither a file nor one of \(names.joined(separator: ", "))")
      }
      return CarChoice(name: name)
    }
    let yaml = try text(path)
    guard yaml.utf8.count <= CarVerbForm.maximumProfileByteCount else {
      throw CarFailure(.badInput, "\(path): the file is larger than \(CarVerbForm.maximumProfileByteCount) bytes")
    }
    return CarChoice(name: path, yaml: yaml)
  }

  private static func isFile(_ name: String) -> Bool {
    name.contains("/") || name.contains(".") || FileManager.default.fileExists(atPath: name)
  }

  private static func read(_ name: String) throws(CarFailure) -> CarScenario {
    do throws(ScenarioProblem) {
      if let bundled = try BundledCarScenarios.scenario(name) { return bundled }
    } catch { throw CarFailure(.badInput, error.description) }
    guard isFile(name) else {
      throw CarFailure(
        .noInput,
        "no scenario \(name): it is neither a file nor one of \(BundledCarScenarios.names.joined(separator: ", "))")
    }
    return try script(try text(name), name)
  }

  private static func script(_ text: String, _ name: String) throws(CarFailure) -> CarScenario {
    do { return try CarScenario(yaml: text, file: name) } catch { throw CarFailure(.badInput, error.description) }
  }

  /// The largest accepted file in bytes. The readers have smaller limits of their own.
  private static let maximumByteCount = 2 << 20

  /// Returns the text of an ordinary file.
  private static func text(_ path: String) throws(CarFailure) -> String {
    var isFolder = ObjCBool(false)
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CarFailure(.noInput, "no such file: \(path)")
    }
    let data: Data
    do {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false))
      // A device or a pipe may have no end.
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw CarFailure(.noInput, "\(path) is \(isFolder.boolValue ? "a folder" : "a device or a pipe"), not a file")
      }
      data = try FileHandle(forReadingFrom: URL(filePath: path)).read(upToCount: maximumByteCount) ?? Data()
    } catch { throw error as? CarFailure ?? CarFailure(.noInput, "\(path) cannot be read") }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw CarFailure(.badInput, "\(path) is not UTF-8")
    }
    return text
  }
}
