// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation

/// An app in a car outside of this program: time is real, and its owner waits for changes and for input.
extension CarRun {
  /// Creates a car that runs in real time.
  package func begin(live settings: CarSettings) throws(CarFailure) {
    let json: Data
    do { json = try JSONEncoder().encode(settings) } catch {
      preconditionFailure("settings have no JSON: \(error)")
    }
    let action = CarAction(
      .begin,
      ["settings": .text(String(decoding: json, as: UTF8.self)), "live": .flag(true), "images": .flag(true)])
    if let problem = try perform(action) { throw CarFailure(.badInput, problem) }
  }

  /// Disconnects the phone, and waits until the app was notified, or for a time.
  package func disconnect(within time: Duration) throws(CarFailure) {
    _ = try perform(CarAction(.unplug))
    let deadline = ContinuousClock.now.advanced(by: time)
    while car.state.hasGhostConnection, ContinuousClock.now < deadline { try watch(Self.pollInterval, input: -1) }
  }

  /// The time between two polls of an app that is to be notified. Ours.
  private static let pollInterval = Duration.milliseconds(50)

  /// Waits until the app changes its screen or calls the car, until a descriptor is readable, or for a time.
  ///
  /// - Parameter input: The descriptor.
  package func watch(_ time: Duration, input: Int32) throws(CarFailure) {
    // They were shown, and a session lasts for hours.
    (car.calls, car.reports) = ([], [])
    let first = try send(CarAction(.watch, ["seconds": .number(time / .seconds(1))]))
    var awaited = first
    let deadline = ContinuousClock.now.advanced(by: time + limits.answer)
    while true {
      switch try next(until: deadline, input: awaited == first ? input : -1) {
      // The next step ends the wait of the app.
      case .input: awaited = try send(CarAction(.watch, ["seconds": .number(0)]))
      case .report(.done(let done)):
        try finish(done)
        guard done.id != awaited else { return }
      case .report(let report): try take(report)
      case .output(let line): show(.output(line))
      case .transport: break
      case .timeout: throw last(child.ending("the app did not answer within \(limits.answer)"))
      }
    }
  }
}
