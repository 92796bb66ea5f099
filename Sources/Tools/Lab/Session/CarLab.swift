// swift-iap2 · Apache-2.0

package import CarPlayControl
import CarPlayPlatform

/// The lab of an app in an emulated car: the page moves the car, and sees its screen and all calls.
package final class CarLab: LabSession {
  /// An app with its car, and the time at its start.
  package struct Choice: Sendable {
    /// The app as the user named it, and the path of its executable.
    package var app, program: String
    package var arguments: [String]
    package var car: CarChoice
    /// The profile of the start, to which the page can return.
    let startCar: CarChoice
    /// Whether the user opened the app on the phone before the car started it.
    var hasPhoneScene = true
    /// Whether time stands still at the start, and how fast it passes.
    package var isPaused: Bool
    package var speed: Double
    /// Builds the app again, and returns its program; nil for an app that is not watched.
    package var rebuild: (@Sendable (StopRequest) throws(CarFailure) -> String)?

    package init(app: String, program: String, arguments: [String], car: CarChoice, isPaused: Bool, speed: Double) {
      (self.app, self.program, self.arguments, self.car) = (app, program, arguments, car)
      (self.isPaused, self.speed, startCar) = (isPaused, speed, car)
    }

    /// Builds the app again if a source has changed. A failed build is noted, and the earlier one stays.
    ///
    /// - Returns: The choice with the new program; nil without one.
    func rebuilt(_ sources: inout SourceWatch?, _ stop: StopRequest, _ hub: LabHub) throws(CarFailure) -> Choice? {
      guard let rebuild, sources?.isChanged() == true else { return nil }
      hub.send(.note("a source has changed: building the app", level: .info))
      do throws(CarFailure) {
        var choice = self
        choice.program = try rebuild(stop)
        return choice
      } catch {
        guard error.kind != .stopped else { throw error }
        // The compiler writes to the terminal.
        hub.send(
          .note("the app cannot be built: the terminal shows why. The earlier build goes on", level: .warning))
        return nil
      }
    }
  }

  private let choice: Choice
  private let hub: LabHub
  private let stop: StopRequest
  private let queue: LabQueue

  package init(_ choice: Choice, hub: LabHub, stop: StopRequest) throws(CarFailure) {
    (self.choice, self.hub, self.stop) = (choice, hub, stop)
    queue = try LabQueue()
  }

  package func take(_ request: LabRequest) {
    if !queue.add(request) { hub.send(.note("the app is too slow: a request was left out", level: .warning)) }
  }

  /// Runs the app, and the next one after each restart, until the stop request.
  ///
  /// - Parameter onStart: Called when the first app is in its car.
  /// - Throws: The failure of the first start.
  package func run(onStart: () -> Void) throws(CarFailure) {
    var choice = choice
    var pictures = LabPictures(stop: stop)
    var sources = choice.rebuild.map { _ in SourceWatch(folder: choice.app) }
    var isFirst = true
    while true {
      let life: CarLife
      do throws(CarFailure) {
        life = try CarLife(choice, hub: hub, queue: queue, stop: stop, pictures: pictures, sources: sources)
      } catch {
        guard !isFirst, error.kind != .stopped else { throw error }
        hub.send(.note("\(error.description); restart it when it is mended", level: .error))
        do throws(CarFailure) { choice = try restarted(choice, &sources) } catch { return }
        continue
      }
      defer { life.finish() }
      do throws(CarFailure) {
        try life.play {
          if isFirst { onStart() }
          isFirst = false
        }
      } catch {
        if error.kind == .stopped { return }
        guard !isFirst else { throw error }
        life.end(error)
        do throws(CarFailure) { try life.waitForRestart() } catch { return }
      }
      (choice, pictures, sources) = (life.next, life.pictures, life.sources)
    }
  }

  /// Waits for a restart of an app that does not start, or for a changed source.
  ///
  /// - Throws: The stop request.
  private func restarted(_ choice: Choice, _ sources: inout SourceWatch?) throws(CarFailure) -> Choice {
    while true {
      while let request = queue.next() { if case .restart = request { return choice } }
      if let rebuilt = try choice.rebuilt(&sources, stop, hub) { return rebuilt }
      try queue.wait(stop, within: sources.map { _ in SourceWatch.interval })
    }
  }
}
