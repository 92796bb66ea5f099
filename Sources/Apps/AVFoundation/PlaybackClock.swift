// swift-iap2 · Apache-2.0

import Dispatch
import Synchronization

/// The time in which the app's sounds pass, what plays, and the observer of its changes. Nothing is heard here.
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

  /// A sound that plays.
  package struct Sound: Sendable, Hashable {
    /// The path of the file; nil for a sound that is no local file.
    package var file: String?
    /// The place in the sound at its start in seconds.
    package var place: Double
    /// The speed; 1 is the usual one.
    package var rate: Double
    /// The volume, from 0 to 1.
    package var volume: Double
    /// The sound of the app at the start.
    package var session = AVAudioSession.sharedInstance().current
  }

  private struct Player {
    var sound: Sound
    var interrupt: @Sendable () -> Interrupted
  }

  /// The end of an interruption for a player: it plays on by itself, or the app decides.
  typealias Interrupted = (@Sendable () -> Void)?

  private struct State {
    var time = Time.real
    var observer: (@Sendable (Event) -> Void)?
    /// The number of the app's life. What a former app plays does not end in a later one.
    var life = 0
    /// The players that play, by the number of their start.
    var players: [Int: Player] = [:]
    var startCount = 0
    /// The players that play on when the present interruption ends.
    var interrupted: [@Sendable () -> Void] = []
  }

  package static let shared = PlaybackClock()
  private let state = Mutex(State())

  private init() {}

  /// Sets the time and the observer. The observer is called on the thread of the change.
  package func set(_ time: Time, _ observer: (@Sendable (Event) -> Void)?) {
    state.withLock { ($0.time, $0.observer) = (time, observer) }
  }

  /// Forgets the sounds of a former app.
  package func reset() {
    // The players are released after the lock.
    let released = state.withLock { state in
      state.life += 1
      defer { (state.players, state.interrupted) = ([:], []) }
      return (state.players, state.interrupted)
    }
    withExtendedLifetime(released) {}
  }

  /// The sounds that play, by the number of their start. A later start of the same player has another number.
  package var sounds: [Int: Sound] { state.withLock { $0.players.mapValues(\.sound) } }

  /// Interrupts all players, as the system does for a call or the car.
  package func interruptAll() {
    let players = state.withLock { $0.players }
    let interrupted = players.keys.sorted().compactMap { players[$0]?.interrupt() }
    state.withLock { $0.interrupted = interrupted }
  }

  /// Ends the interruption. The players that play on by themselves do so.
  package func endInterruption() {
    let interrupted = state.withLock { state in
      defer { state.interrupted = [] }
      return state.interrupted
    }
    for resume in interrupted { resume() }
  }

  /// Adds a sound that starts. Returns its number.
  ///
  /// - Parameter interrupt: Pauses the player.
  func start(_ sound: Sound, interrupt: @escaping @Sendable () -> Interrupted) -> Int {
    state.withLock { state in
      state.startCount += 1
      state.players[state.startCount] = Player(sound: sound, interrupt: interrupt)
      return state.startCount
    }
  }

  /// Removes a sound that ended.
  func end(_ number: Int) {
    let player = state.withLock { $0.players.removeValue(forKey: number) }
    withExtendedLifetime(player) {}
  }

  /// Changes the volume of a sound that plays.
  func set(volume: Double, of number: Int) { state.withLock { $0.players[number]?.sound.volume = volume } }

  var now: Double { state.withLock { $0.time.now }() }

  /// The fastest rate of a player, so that each sound takes time. Ours: apps offer up to 3.
  static let fastestRate: Float = 32
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
