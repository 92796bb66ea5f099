// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Foundation
import Synchronization

/// The probe beside the tests' program.
let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "car-probe").path()

/// The lines of a run.
final class Lines {
  private(set) var all: [CarLine] = []

  func add(_ line: CarLine) { all.append(line) }

  /// The calls, without those that the app does not implement.
  var calls: [String] {
    all.compactMap { if case .call(let event) = $0, event.isImplemented { event.text } else { nil } }
  }

  var outputs: [String] { all.compactMap { if case .output(let text) = $0 { text } else { nil } } }
}

/// Starts the probe.
func start(
  _ arguments: [String] = [], limits: CarChild.Limits = CarChild.Limits(), stop: StopRequest? = nil,
  lines: Lines = Lines()
) throws -> CarRun {
  try CarRun(probe, arguments: arguments, limits: limits, stop: stop ?? StopRequest()) { lines.add($0) }
}

/// Starts the probe in a standard car on its first screen.
func launch(lines: Lines = Lines(), limits: CarChild.Limits = CarChild.Limits()) throws -> CarRun {
  let run = try start(limits: limits, lines: lines)
  try run.begin(CarChoice(name: "standard"))
  _ = try run.perform(CarAction(.launch))
  return run
}

func tap(_ text: String) -> CarAction { CarAction(.tap, ["text": .text(text)]) }

/// Returns the failure that a body throws.
func failure<Value>(_ body: () throws -> Value) -> CarFailure? {
  do {
    _ = try body()
    return nil
  } catch { return error as? CarFailure }
}

/// A file that exists as long as the value is in use.
final class Scratch {
  let path: String

  init(_ text: String, _ name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "car-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: name).path()
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  deinit {
    do { try FileManager.default.removeItem(at: URL(filePath: path).deletingLastPathComponent()) } catch {}
  }
}
