// swift-iap2 · Apache-2.0

import Dispatch

/// An observer of the places that a player passes.
final class TimeObserver: Sendable {
  /// The places.
  enum Places {
    /// All multiples of an interval.
    case every(Double)
    /// Some places.
    case at([Double])
  }

  private let places: Places
  private let queue: DispatchQueue?
  private let closure: @Sendable (CMTime) -> Void

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - places: The places.
  ///   - queue: The queue of the closure; nil for the main queue.
  ///   - closure: Gets the place.
  init(places: Places, queue: DispatchQueue?, closure: @escaping @Sendable (CMTime) -> Void) {
    self.places = places
    self.queue = queue === DispatchQueue.main ? nil : queue
    self.closure = closure
  }

  /// Whether the observer gets places in an interval.
  var isPeriodic: Bool {
    if case .every = places { return true }
    return false
  }

  /// Returns an interval of at least 0.01 s, so that time passes.
  static func interval(_ seconds: Double) -> Double { seconds.isNaN ? 0.01 : max(0.01, seconds) }

  /// Returns the first place after another one; nil if there is none.
  func next(after place: Double) -> Double? {
    switch places {
    case .every(let interval):
      guard interval.isFinite else { return nil }
      // A place that is a multiple but for the last bits counts as one.
      let next = ((place / interval + 1e-6).rounded(.down) + 1) * interval
      // Far away, places are further apart than the interval.
      return next > place ? next : nil
    case .at(let places): return places.filter { $0 > place }.min()
    }
  }

  /// Calls the closure on its queue. The caller is on the main queue.
  func tell(_ place: Double) {
    let time = CMTime(place)
    guard let queue else { return closure(time) }
    queue.async { [closure] in closure(time) }
  }
}
