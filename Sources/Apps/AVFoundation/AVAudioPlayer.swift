// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// Receives the end of what a player plays.
public protocol AVAudioPlayerDelegate: AnyObject {
  /// The player has played to the end. It is not called after a pause or a stop.
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
  /// The player could not decode its sound.
  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
  /// The default does nothing.
  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
  /// The default does nothing.
  public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}

/// A player of one sound, with its state and its end. The sound passes in the car's time. A phone of `iap2 carplay` lets
/// it be heard at the head unit; elsewhere nothing is heard.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only. The delegate is set by one thread, as on
/// iOS.
open class AVAudioPlayer: NSObject, @unchecked Sendable {
  private struct State {
    /// The place in the sound at `start`, or where it rests.
    var place = 0.0
    /// The time at which it began to play; nil at rest.
    var start: Double?
    var loops = 0
    var volume: Float = 1
    var rate: Float = 1
    /// The number of the last start. An end of an earlier one is void.
    var turn = 0
    /// The number of the sound that plays, for the clock.
    var sound = 0
  }

  /// The file; nil for data.
  public let url: URL?
  /// The data; nil for a file.
  public let data: Data?
  /// The length of the sound in seconds: what the header of its file says, or a guess of 128 kbit/s.
  public let duration: TimeInterval
  /// The receiver of the end.
  open weak var delegate: (any AVAudioPlayerDelegate)?
  /// Whether ``rate`` may be changed.
  open var enableRate = false
  private let state = Mutex(State())

  /// Creates a player of a file.
  ///
  /// - Throws: The file cannot be read, or is empty.
  public init(contentsOf url: URL) throws {
    (self.url, data) = (url, nil)
    duration = try SoundLength.seconds(of: url)
    super.init()
  }

  /// Creates a player of a file of a type.
  public convenience init(contentsOf url: URL, fileTypeHint: String?) throws { try self.init(contentsOf: url) }

  /// Creates a player of data.
  ///
  /// - Throws: The data are empty.
  public init(data: Data) throws {
    (url, self.data) = (nil, data)
    duration = try SoundLength.seconds(of: SoundBytes(data))
    super.init()
  }

  /// Creates a player of data of a type.
  public convenience init(data: Data, fileTypeHint: String?) throws { try self.init(data: data) }

  deinit { if isPlaying { PlaybackClock.shared.end(state.withLock { $0.sound }) } }

  /// Whether the sound plays.
  open var isPlaying: Bool { state.withLock { $0.start != nil } }

  /// The place in the sound in seconds.
  open var currentTime: TimeInterval {
    get {
      let now = PlaybackClock.shared.now
      return state.withLock { place(of: $0, at: now) }
    }
    set {
      let wasPlaying = rest()
      state.withLock { $0.place = min(max(newValue, 0), duration) }
      if wasPlaying { begin() }
    }
  }

  /// The volume, from 0 to 1.
  open var volume: Float {
    get { state.withLock { $0.volume } }
    set {
      let sound = state.withLock { state in
        state.volume = newValue
        return state.start == nil ? nil : state.sound
      }
      if let sound { PlaybackClock.shared.set(volume: Double(newValue), of: sound) }
    }
  }

  /// The speed, 1 by default and at most 32.
  open var rate: Float {
    get { state.withLock { $0.rate } }
    set {
      guard enableRate, newValue > 0 else { return }
      let wasPlaying = rest()
      state.withLock { $0.rate = min(newValue, PlaybackClock.fastestRate) }
      if wasPlaying { begin() }
    }
  }

  /// The number of times that the sound is played again; a negative number repeats it without end.
  open var numberOfLoops: Int {
    get { state.withLock { $0.loops } }
    set { state.withLock { $0.loops = newValue } }
  }

  /// Sets the volume. The fade is not heard.
  open func setVolume(_ volume: Float, fadeDuration: TimeInterval) { self.volume = volume }

  /// Prepares the sound.
  @discardableResult
  open func prepareToPlay() -> Bool { true }

  /// Plays from the current place.
  @discardableResult
  open func play() -> Bool {
    guard !isPlaying else { return true }
    PlaybackClock.shared.note("play", name, "audio player")
    begin()
    return true
  }

  /// Rests at the current place.
  open func pause() {
    guard rest() else { return }
    PlaybackClock.shared.note("pause", name, "audio player")
  }

  /// Rests at the current place.
  open func stop() {
    guard rest() else { return }
    PlaybackClock.shared.note("stop", name, "audio player")
  }

  private var name: String { url?.lastPathComponent ?? "data" }

  /// The absolute path of the file; nil for data.
  private var file: String? { url.flatMap { $0.isFileURL ? $0.absoluteURL.path(percentEncoded: false) : nil } }

  private func place(of state: State, at now: Double) -> Double {
    guard let start = state.start else { return state.place }
    return min(duration, state.place + (now - start) * Double(state.rate))
  }

  /// Stops without a word. Returns whether the sound played.
  private func rest() -> Bool {
    let now = PlaybackClock.shared.now
    let sound: Int? = state.withLock { state in
      guard state.start != nil else { return nil }
      state.place = place(of: state, at: now)
      state.start = nil
      state.turn += 1
      return state.sound
    }
    if let sound { PlaybackClock.shared.end(sound) }
    return sound != nil
  }

  private func begin() {
    let now = PlaybackClock.shared.now
    let (turn, left) = state.withLock { state in
      if state.place >= duration { state.place = 0 }
      state.start = now
      state.turn += 1
      let sound = PlaybackClock.Sound(
        file: file, place: state.place, rate: Double(state.rate), volume: Double(state.volume))
      state.sound = PlaybackClock.shared.start(sound) { [weak self] in
        self?.pause()
        // The app plays on itself.
        return nil
      }
      return (state.turn, (duration - state.place) / Double(state.rate))
    }
    PlaybackClock.shared.after(left) { [weak self] in self?.end(turn) }
  }

  private func end(_ turn: Int) {
    let ended: (sound: Int, goesOn: Bool)? = state.withLock { state in
      guard state.turn == turn else { return nil }
      (state.place, state.start) = (0, nil)
      guard state.loops != 0 else { return (state.sound, false) }
      if state.loops > 0 { state.loops -= 1 }
      return (state.sound, true)
    }
    guard let (sound, goesOn) = ended else { return }
    PlaybackClock.shared.end(sound)
    guard !goesOn else { return begin() }
    delegate?.audioPlayerDidFinishPlaying(self, successfully: true)
  }
}
