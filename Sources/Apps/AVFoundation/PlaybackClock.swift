// swift-iap2 · Apache-2.0

import Dispatch
import Synchronization

/// The time in which the app's sounds pass, and the observer of what is played. Nothing is heard.
///
/// It is the real time, unless a host sets another one. Any thread may use it.
package final class PlaybackClock: Sendable {
  /// A time for sounds.
  package struct Time: Sendable {
    /// The seconds since any moment.
    package var now: @Sendable () -> Double
    /// Runs a closure on the main queue after some seconds.
    package var after: @Sendable (Double, @escaping @Sendable () -> Void) -> Void

    /// Creates a time.
    package init(
      now: @escaping @Sendable () -> Double, after: @escaping @Sendable (Double, @escaping @Sendable () -> Void) -> Void
    ) {
      (self.now, self.after) = (now, after)
    }

    fileprivate static let real = Time(
      now: { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 },
      after: { seconds, body in DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: body) })
  }

  /// A change of what is played.
  package struct Event: Sendable, Hashable {
    /// The word for the log: `play`, `pause`, `stop`, `speak`.
    package var verb: String
    /// The verb of words that begin.
    package static let speak = "speak"
    /// The name of the file, or the words.
    package var content: String
    /// The kind of the player.
    package var player: String
  }

  private struct State {
    var time = Time.real
    var observer: (@Sendable (Event) -> Void)?
    /// The number of the app's life. What a former app plays does not end in a later one.
    var life = 0
  }

  package static let shared = PlaybackClock()
  private let state = Mutex(State())

  private init() {}

  /// Sets the time and the observer. The observer is called on the thread of the change.
  package func set(_ time: Time, _ observer: (@Sendable (Event) -> Void)?) {
    state.withLock { ($0.time, $0.observer) = (time, observer) }
  }

  /// Forgets the sounds of a former app.
  package func reset() { state.withLock { $0.life += 1 } }

  var now: Double { state.withLock { $0.time.now }() }

  /// The longest sound in seconds: a day.
  private static let longest = 86_400.0

  /// Runs a closure on the main queue after some seconds, unless another app runs then.
  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    let (after, life) = state.withLock { ($0.time.after, $0.life) }
    after(min(max(seconds, 0), Self.longest)) { [self] in
      if state.withLock({ $0.life }) == life { body() }
    }
  }

  func note(_ verb: String, _ content: String, _ player: String) {
    state.withLock { $0.observer }?(Event(verb: verb, content: content, player: player))
  }
}
