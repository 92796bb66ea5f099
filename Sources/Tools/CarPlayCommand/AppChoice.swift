// swift-iap2 · Apache-2.0

package import CarPlayControl
import CarPlayLive
import CarPlayPhone
import CarPlayPlatform
package import CommandSupport
import Synchronization

/// The apps of a phone.
package struct AppChoice: Sendable {
  private let programs: [AppPhone.Program]

  /// Opens apps, and builds those that are packages. Ctrl-C ends the build.
  ///
  /// - Parameters:
  ///   - paths: Executables, or folders of packages. Without any, the phone shows its own screens alone.
  ///   - product: The name of the executable of packages that have several.
  init(_ paths: [String], product: String?) throws {
    let stop = StopRequest()
    let signal = StopSignal(note: nil) { stop.make() }
    defer { withExtendedLifetime(signal) {} }
    do {
      // A phone over iAP2 needs it long after its start.
      try AppPhone.checkDrawing()
      programs = try paths.map { path throws(CarFailure) in
        AppPhone.Program(try AppProgram.executable(path, product: product, stop: stop, note: Output.note))
      }
    } catch { throw CommandFailure(error) }
  }

  /// Returns a phone with the apps.
  ///
  /// - Parameters:
  ///   - link: The connection with the car.
  ///   - viewer: Receives the lines of the apps; nil prints them.
  func phone(link: CarLink, json: Bool, viewer: SessionViewer?) throws -> AppPhone {
    let limit = OutputLimit()
    let output = AppPhone.Output(
      show: { line, program in
        if let viewer { return viewer.showLine(line) }
        if case .output = line, !limit.take() { return }
        line.print(json: json, program: program)
      }, note: Output.note)
    do { return try AppPhone(programs, link: link, output: output) } catch { throw CommandFailure(error) }
  }
}

/// The limit of the lines that apps print in a second.
private final class OutputLimit: Sendable {
  private let limit = Mutex(LineLimit())

  /// Counts a line. Returns whether it is shown.
  func take() -> Bool {
    let (isShown, leftOut) = limit.withLock { $0.take(at: SessionSystem.now) }
    if leftOut > 0 { Output.note("\(leftOut) lines of the apps' own output were left out") }
    return isShown
  }
}

extension CarLine {
  /// Prints the line as JSON, or as rows of a ladder.
  ///
  /// - Parameters:
  ///   - json: Whether it is printed as JSON.
  ///   - program: The name of the app's program, if there are several.
  package func print(json: Bool, program: String? = nil) {
    if json { return Output.tryJSON(ProgramLine(line: self, program: program)) }
    Output.rows(ladder.map { $0.tone.color($0.text + (program.map { "  (\($0))" } ?? "")) })
  }
}

/// A line of an app with the name of its program.
private struct ProgramLine: Encodable {
  var line: CarLine
  var program: String?

  private enum Key: String, CodingKey { case program }

  func encode(to encoder: any Encoder) throws {
    try line.encode(to: encoder)
    guard let program else { return }
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(program, forKey: .program)
  }
}

extension CarTone {
  /// The color of the tone.
  package var color: Color { Color.allCases.first { "\($0)" == rawValue } ?? .dim }
}

extension CommandFailure {
  /// Creates the failure of a run of an app.
  package init(_ end: CarFailure) { self.init(ExitStatus(rawValue: end.exitCode) ?? .failed, end.description) }
}
