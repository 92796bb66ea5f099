// swift-iap2 · Apache-2.0

/// The activity of an app that concerns the modes of a CarPlay session.
public struct PhoneActivity: Sendable, Hashable, Codable {
  /// Whether the app guides along a route.
  public var isGuiding: Bool
  /// The state of the app's calls; nil without a call.
  public var call: Call?
  /// Whether Siri is open over the app.
  public var showsSiri: Bool
  /// The words that the app spoke last; nil before it speaks.
  public var speech: Speech?
  /// The sounds that the app plays, in the order of their starts.
  public var sounds: [Sound]
  /// The recording of the app; nil if it does not use the microphone.
  public var recording: Recording?

  /// The state of an app's calls.
  public enum Call: String, Sendable, Hashable, Codable {
    /// A call rings, and no other one goes on.
    case ringing
    /// A call goes on, or begins on this phone.
    case talking
  }

  /// A recording.
  public struct Recording: Sendable, Hashable, Codable {
    /// Whether the app's audio session is that of a call.
    public var isCall: Bool
    /// Whether the sound of other apps goes on beside it.
    public var mixes: Bool

    /// Creates a recording.
    public init(isCall: Bool = false, mixes: Bool = false) { (self.isCall, self.mixes) = (isCall, mixes) }
  }

  /// A sound that plays.
  public struct Sound: Sendable, Hashable, Codable {
    /// The number of its start, from 1; 0 for a sound that is known from the Now Playing information alone. A seek
    /// starts a sound again.
    public var number: Int
    /// The path of the file; nil if it is no local file.
    public var file: String?
    /// The place in the file at the start in seconds.
    public var place: Double
    /// The speed; 1 is the usual one.
    public var rate: Double
    /// The volume, from 0 to 1.
    public var volume: Double
    /// Whether it is a prompt, which is heard beside the music.
    public var isPrompt: Bool
    /// Whether other sound is quieter meanwhile.
    public var ducks: Bool
    /// Whether the sound of other apps goes on beside it.
    public var mixes: Bool

    /// Creates a sound.
    public init(
      number: Int, file: String? = nil, place: Double = 0, rate: Double = 1, volume: Double = 1, isPrompt: Bool = false,
      ducks: Bool = false, mixes: Bool = false
    ) {
      (self.number, self.file, self.place, self.rate) = (number, file, place, rate)
      (self.volume, self.isPrompt, self.ducks, self.mixes) = (volume, isPrompt, ducks, mixes)
    }
  }

  /// Words that an app speaks.
  public struct Speech: Sendable, Hashable, Codable {
    /// The number of the words, from 1.
    public var number: Int
    /// The words.
    public var words: String
    /// Whether other sound is quieter meanwhile.
    public var ducks: Bool

    /// Creates words.
    public init(number: Int, words: String, ducks: Bool) {
      (self.number, self.words, self.ducks) = (number, words, ducks)
    }
  }

  /// Creates an activity, by default none.
  public init(
    isGuiding: Bool = false, call: Call? = nil, showsSiri: Bool = false, speech: Speech? = nil, sounds: [Sound] = [],
    recording: Recording? = nil
  ) {
    (self.isGuiding, self.call, self.showsSiri, self.speech) = (isGuiding, call, showsSiri, speech)
    (self.sounds, self.recording) = (sounds, recording)
  }

  /// Adds the activity of another app, but for its words and sounds.
  package mutating func formUnion(_ other: Self) {
    isGuiding = isGuiding || other.isGuiding
    call = call == .talking ? call : other.call ?? call
    showsSiri = showsSiri || other.showsSiri
    recording = recording ?? other.recording
  }
}
