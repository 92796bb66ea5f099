// swift-iap2 · Apache-2.0

@_exported public import Foundation
import Synchronization

/// The sound of the app: what kind it is, and whether it is on. On iOS it belongs to the module AVFAudio, which AVFoundation has.
///
/// The session plays nothing: it tells the car what the app does. Any thread may use it.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class AVAudioSession: NSObject, @unchecked Sendable {
  /// The kind of sound.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a category by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound that stops other sound, also while the phone is locked.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// Sound and the microphone, as in calls.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// The microphone alone.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Sound on several devices at once, and the microphone.
    public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
    /// Sound beside that of others.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// Sound that stops other sound while the app is in front. A new session has it.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")

    /// Whether the app may use the microphone.
    var records: Bool { [.playAndRecord, .record, .multiRoute].contains(self) }
  }

  /// The purpose of the sound.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a mode by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No purpose is set.
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    /// Prompts of a guidance.
    public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
    /// Spoken content, which pauses under prompts.
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
    /// A call.
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// A call with pictures.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    /// The chat of a game.
    public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
    /// The sound of a film that is recorded.
    public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
    /// The sound of a film that is played.
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    /// Sound that the system changes as little as possible.
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")

    /// Whether it is one of a call.
    package var isCall: Bool { [.voiceChat, .videoChat, .gameChat].contains(self) }
  }

  /// The behavior beside other sound.
  public struct CategoryOptions: OptionSet, Hashable, Sendable {
    /// The flags.
    public let rawValue: UInt

    /// Creates a set of flags.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Other sound goes on.
    public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
    /// Other sound goes on, and is quieter.
    public static let duckOthers = CategoryOptions(rawValue: 0x2)
    /// Other spoken content pauses, and other sound goes on.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
    /// Sound may come from and go to Bluetooth devices for calls. The older name of ``allowBluetoothHFP``.
    public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
    /// Sound may come from and go to Bluetooth devices for calls.
    public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
    /// Sound may go to Bluetooth devices for music.
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    /// Sound may go to AirPlay devices.
    public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    /// Sound goes to the loudspeaker in place of the receiver.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    /// The microphone may be muted by the system without an end of the recording.
    public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
  }

  /// The behavior of an activation.
  public struct SetActiveOptions: OptionSet, Sendable {
    /// The flags.
    public let rawValue: UInt

    /// Creates a set of flags.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others learn that they may go on.
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 0x1)
  }

  /// The sound of the app as a value.
  package struct Sound: Hashable, Sendable {
    package var category = Category.soloAmbient
    package var mode = Mode.default
    package var options: CategoryOptions = []
    package var isActive = false
  }

  private static let session = AVAudioSession()
  private struct State {
    var sound = Sound()
    var observer: (@Sendable (Sound) -> Void)?
  }

  private let state = Mutex(State())

  private override init() { super.init() }

  /// Returns the session.
  open class func sharedInstance() -> AVAudioSession { session }

  /// The kind of sound.
  open var category: Category { current.category }
  /// The purpose of the sound.
  open var mode: Mode { current.mode }
  /// The behavior beside other sound.
  open var categoryOptions: CategoryOptions { current.options }

  /// Sets the kind of sound.
  open func setCategory(_ category: Category) throws { try setCategory(category, mode: .default, options: []) }

  /// Sets the kind of sound and its behavior beside other sound.
  open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
    try setCategory(category, mode: mode, options: options)
  }

  /// Sets the kind of sound, its purpose and its behavior beside other sound.
  open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    change { ($0.category, $0.mode, $0.options) = (category, mode, options) }
  }

  /// Begins or ends the sound of the app.
  open func setActive(_ active: Bool, options: SetActiveOptions = []) throws { change { $0.isActive = active } }

  /// The sound of the app.
  package var current: Sound { state.withLock { $0.sound } }

  /// Sets the observer of changes. It is called on the thread of the change.
  package func setObserver(_ observer: (@Sendable (Sound) -> Void)?) { state.withLock { $0.observer = observer } }

  /// Forgets the sound of a former app.
  package func reset() { state.withLock { $0 = State() } }

  private func change(_ body: (inout Sound) -> Void) {
    let (observer, changed): ((@Sendable (Sound) -> Void)?, Sound?) = state.withLock { state in
      let before = state.sound
      body(&state.sound)
      return (state.observer, state.sound == before ? nil : state.sound)
    }
    if let changed { observer?(changed) }
  }
}
