// swift-iap2 · Apache-2.0

package import CarPlayControl
import CarPlayPlatform
import Foundation
import Glibc

/// The lab of an app in an emulated car: the page moves the car, and sees its screen and all calls.
package final class CarLab: LabSession {
  /// What runs.
  package struct Choice: Sendable {
    /// The app as the user named it, and the path of its executable.
    package var app, program: String
    package var arguments: [String]
    package var car: CarChoice
    /// Whether time stands still at the start, and how fast it passes.
    package var isPaused: Bool
    package var speed: Double
    /// Builds the app again, and returns its program; nil for an app that is not watched.
    package var rebuild: (@Sendable (StopRequest) throws(CarFailure) -> String)?

    package init(app: String, program: String, arguments: [String], car: CarChoice, isPaused: Bool, speed: Double) {
      (self.app, self.program, self.arguments, self.car) = (app, program, arguments, car)
      (self.isPaused, self.speed) = (isPaused, speed)
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
        guard waitForRestart() else { return }
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

  /// Waits until the page wants another start of an app that does not start. Returns false for the stop request.
  private func waitForRestart() -> Bool {
    while true {
      for request in queue.take() { if case .restart = request { return true } }
      var ready = [stop.descriptor, queue.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      _ = unsafe poll(&ready, nfds_t(ready.count), -1)
      if ready[0].revents != 0 { return false }
    }
  }
}
