// swift-iap2 · Apache-2.0

import CarPlayControl
import Foundation
import Synchronization
import Testing

@Suite struct SessionTests {
  /// Runs a session and returns the failure with the lines.
  private func play(_ change: (inout CarSession) -> Void) async -> (failure: CarFailure?, lines: [CarLine]) {
    var session = CarSession(app: probe)
    change(&session)
    let lines = Mutex<[CarLine]>([])
    let failure = await session.play(
      stop: StopRequest(), note: { _ in }, show: { line in lines.withLock { $0.append(line) } }, print: { _, _ in },
      write: { _ in })
    return (failure, lines.withLock { $0 })
  }

  @Test("A session with a bundled scenario ends with a line that it is complete")
  func complete() async {
    let (failure, lines) = await play { $0.scenario = "first-connect" }
    #expect(failure == nil)
    guard case .finished(nil, let time) = lines.last else { return #expect(Bool(false)) }
    #expect(time > 2)
  }

  @Test("A scenario that names its app makes a session, and any other file makes none")
  func appOfAScenario() async throws {
    let named = try Scratch("app: \(probe)\nsteps:\n  - launch: true", "scenario.yaml")
    let session = try #require(try CarSession(of: named.path))
    #expect(session.app == probe && session.scenario == named.path)
    let folder = URL(filePath: named.path).deletingLastPathComponent()
    let beside = try Scratch("app: my-app\narguments: [a]\nsteps:\n  - launch: true", "scenario.yaml")
    let other = try #require(try CarSession(of: beside.path))
    #expect(other.app == URL(filePath: beside.path).deletingLastPathComponent().path() + "my-app")
    #expect(other.arguments == ["a"])
    #expect(try CarSession(of: "day") == nil && CarSession(of: folder.path() + "none.yaml") == nil)
    let without = try Scratch("steps:\n  - plug: true", "scenario.yaml")
    #expect(try CarSession(of: without.path) == nil)
    let faulty = try Scratch("app: x\nsteps:\n  - tab: Home", "scenario.yaml")
    #expect(throws: CarFailure.self) { try CarSession(of: faulty.path) }
  }

  @Test("A scenario's car is a file beside it, and an option is another one")
  func cars() async throws {
    let car = try Scratch("screen: {scale: fast}", "my-car.yaml")
    let folder = URL(filePath: car.path).deletingLastPathComponent()
    let scenario = folder.appending(path: "scenario.yaml").path()
    try "car: my-car.yaml\nsteps:\n  - launch: true".write(toFile: scenario, atomically: true, encoding: .utf8)
    let (failure, lines) = await play { $0.scenario = scenario }
    #expect(failure?.kind == .badInput)
    #expect(failure?.description.hasPrefix("\(car.path):1: screen.scale: expected") == true, "\(failure as Any)")
    guard case .finished(failure?.description, _) = lines.last else { return #expect(Bool(false)) }
    let other = await play {
      $0.scenario = scenario
      $0.car = "knob"
    }
    #expect(other.failure == nil)
  }

  @Test("A scenario in another folder names a profile of the host")
  func profileOfAScenario() async throws {
    let scenario = try Scratch("car: knob\nsteps:\n  - launch: true\n  - turn: 1", "scenario.yaml")
    #expect(await play { $0.scenario = scenario.path }.failure == nil)
    let unknown = try Scratch("car: knbo\nsteps:\n  - launch: true", "scenario.yaml")
    let failure = await play { $0.scenario = unknown.path }.failure
    #expect(failure?.kind == .noInput)
    #expect(
      failure?.description.hasPrefix("no car knbo: it is neither a file nor one of standard, ") == true,
      "\(failure as Any)")
  }

  @Test("A car's file that is too large is named before the app starts")
  func largeCar() async throws {
    let car = try Scratch("name: x\n# " + String(repeating: "y", count: 3_000_000), "large.yaml")
    let (failure, lines) = await play {
      $0.scenario = "first-connect"
      $0.car = car.path
    }
    #expect(failure == CarFailure(.badInput, "\(car.path): the file is larger than 262144 bytes"))
    #expect(lines.isEmpty)
  }

  @Test("Several cars play a scenario one after another, and a failure in one does not end the others")
  func severalCars() async throws {
    let scenario = try Scratch(
      "steps:\n  - launch: true\n  - turn: 1\n  - expect: {front: app}", "turn.yaml")
    let (failure, lines) = await play {
      $0.scenario = scenario.path
      $0.car = "hd,knob,portrait"
    }
    #expect(lines.compactMap { if case .car(let name) = $0 { name } else { nil } } == ["hd", "knob", "portrait"])
    let ends = lines.compactMap { if case .finished(let failure, _) = $0 { failure == nil } else { nil } }
    #expect(ends == [false, true, false])
    #expect(failure?.kind == .expectation && failure?.description.hasPrefix("hd: ") == true, "\(failure as Any)")
    #expect(failure?.details.last?.hasPrefix("portrait: ") == true)
    for wrong in ["hd,hd", "hd,", "hd,none"] {
      let refused = await play {
        $0.scenario = "first-connect"
        $0.car = wrong
      }
      #expect(refused.failure != nil && refused.lines.isEmpty, "\(wrong)")
    }
    let keys = await play { $0.car = "hd,knob" }
    #expect(keys.failure?.kind == .usage)
  }

  /// Whether a drawing program exists: the trait `Screen` builds one beside the tests, or the environment names one.
  private static var draws: Bool {
    #if Screen
      true
    #else
      ProcessInfo.processInfo.environment["IAP2_SCREEN"] != nil
    #endif
  }

  @Test("A run with pictures writes one for each screen, or says how to get a program that draws")
  func pictures() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (failure, lines) = await play {
      $0.scenario = "first-connect"
      $0.pictures = CarPictureChoice(folder: folder.path())
    }
    guard Self.draws else {
      #expect(failure?.kind == .unavailable)
      return #expect(failure?.description.contains("tools/screen-program") == true, "\(failure as Any)")
    }
    #expect(failure == nil)
    let screens = lines.count { if case .screen = $0 { true } else { false } }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { !$0.hasPrefix(".") }.count == screens
        && screens > 1)
    let several = await play {
      $0.scenario = "first-connect"
      $0.car = "hd,portrait"
      $0.pictures = CarPictureChoice(folder: folder.appending(path: "report").path())
    }
    #expect(several.failure == nil)
    let page = try String(contentsOf: folder.appending(path: "report/index.html"), encoding: .utf8)
    #expect(page.contains("<h2>hd</h2>") && page.contains("src=\"portrait/0001-off.png\""))
  }

  @Test("Graphics are for a terminal, and without one there is a scenario")
  func usage() async {
    let both = await play { ($0.scenario, $0.graphics) = ("first-connect", .kitty) }.failure
    #expect(both?.exitCode == 64 && both?.description.hasPrefix("--graphics is for the keys") == true)
    #expect(await play { $0.graphics = .sixel }.failure?.exitCode == 64)
  }

  @Test("Files that are missing or wrong are found before the app starts")
  func files() async throws {
    let wrong = try Scratch("steps:\n  - tab: x", "wrong.yaml")
    let deep = try Scratch(String(repeating: "[", count: 20_000), "deep.yaml")
    let bytes = try Scratch("", "bytes.yaml")
    try Data([0xFF, 0xFE]).write(to: URL(filePath: bytes.path))
    for (name, kind, text) in [
      ("nothing", CarFailure.Kind.noInput, "no scenario nothing: it is neither a file nor one of first-connect"),
      ("/none.yaml", .noInput, "no such file: /none.yaml"), ("/dev/zero", .noInput, "/dev/zero is a device or a pipe"),
      ("/tmp", .noInput, "/tmp is a folder"), (wrong.path, .badInput, "\(wrong.path):2: steps.0.tab: no step"),
      (deep.path, .badInput, "\(deep.path):1: lists or mappings are nested too deep"),
      (bytes.path, .badInput, "\(bytes.path) is not UTF-8"),
    ] {
      let (failure, lines) = await play { $0.scenario = name }
      #expect(failure?.kind == kind && failure?.description.hasPrefix(text) == true, "\(failure as Any)")
      #expect(lines.isEmpty)
    }
  }
}
