// swift-iap2 · Apache-2.0

import CarPlaySession

/// The prompts of a phone, one after the other, on a stream beside the music. The stream exists while there are prompts.
struct PromptPlayer: Sendable {
  /// A prompt that waits or plays.
  private struct Prompt: Sendable {
    var sound: Music
    /// Whether the head unit lowers its music.
    var ducks: Bool
  }

  /// The stream of prompts, and the kind of sound that a head unit offers for it.
  static let stream = StreamType.alternateAudio, kind = "default"
  /// The number of prompts that wait. A driver hears one or two.
  private static let maximumCount = 16
  /// The time between the arrival and the playing of a prompt: short, because the driver turns at a place.
  private static let latency = Duration.milliseconds(100)
  /// How much lower the music is, and the times in which that changes. Ours.
  private static let ducking = (decibels: -20.0, down: 300, up: 500)

  private let rules: SoundRules
  private var waiting: [Prompt] = []
  private var outlet: SoundOutlet?
  /// Whether the stream is set up by this player.
  private(set) var isOpen = false
  private var isRunning = false, isDucked = false
  private var playing: Playing<MusicSource>?
  /// The time at which the last packet has been heard.
  private var end: MonotonicTime?
  /// The time of the next look for the last packets of the encoder.
  private var look: MonotonicTime?

  init(_ rules: SoundRules) { self.rules = rules }

  /// Plays a prompt after those that wait.
  ///
  /// - Returns: Whether it is played: the head unit offers a format, and not too many prompts wait.
  mutating func say(_ sound: Music, ducks: Bool, _ machine: inout PhoneSession, at time: MonotonicTime) -> Bool {
    guard waiting.count < Self.maximumCount else { return false }
    if !isOpen {
      guard let choice = rules.promptChoice(machine), let outlet = SoundOutlet(choice, rules.coders) else {
        return false
      }
      let request = StreamRequest(
        choice.type, format: choice.format, audioType: choice.kind, framesPerPacket: choice.framesPerPacket,
        latencyMilliseconds: Int(Self.latency / .milliseconds(1)))
      guard machine.setUp(request, at: time) else { return false }
      (isOpen, self.outlet) = (true, outlet)
    }
    waiting.append(Prompt(sound: sound, ducks: ducks))
    if isRunning, playing == nil, look == nil { begin(&machine, at: time) }
    return true
  }

  /// Follows the state of the stream.
  mutating func follow(_ state: StreamState, _ machine: inout PhoneSession, at time: MonotonicTime) {
    switch state {
    case .setUp: break
    case .running:
      isRunning = true
      begin(&machine, at: time)
    case .stopped, .closed, .notEchoed: self = PromptPlayer(rules)
    }
  }

  private mutating func begin(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard let outlet, let prompt = waiting.first else { return }
    waiting.removeFirst()
    // The sound of an encoder has one end.
    if outlet.isFinished { self.outlet = SoundOutlet(outlet.choice, rules.coders) }
    if prompt.ducks != isDucked { duck(prompt.ducks, &machine, at: time) }
    end = nil
    playing = Playing(start: time, source: MusicSource(prompt.sound, outlet.samples))
  }

  private mutating func duck(_ isDucked: Bool, _ machine: inout PhoneSession, at time: MonotonicTime) {
    self.isDucked = isDucked
    machine.send(
      isDucked
        ? .duckAudio(decibels: Self.ducking.decibels, milliseconds: Self.ducking.down)
        : .unduckAudio(milliseconds: Self.ducking.up), at: time)
  }

  /// The time of the next call of ``handleDeadline(_:at:)``; nil for none.
  var nextDeadline: MonotonicTime? { playing?.nextTime ?? look ?? end }

  /// Sends the packets that are due, and closes the stream behind the last prompt.
  mutating func handleDeadline(_ machine: inout PhoneSession, at time: MonotonicTime) {
    while let present = playing, present.nextTime <= time {
      // A prompt is in memory, so it can be read to its end.
      if let samples = try? playing?.source.next() {
        outlet?.send(samples, &machine, at: time)
        continue
      }
      playing = nil
      if waiting.isEmpty {
        outlet?.finish()
        look = time
      } else {
        begin(&machine, at: time)
      }
    }
    if let look, look <= time {
      if outlet?.sendPackets(&machine, at: time) == .active {
        self.look = time.advanced(by: SoundOutlet.lookTime)
      } else {
        self.look = nil
        if waiting.isEmpty {
          end = max(time, outlet?.end ?? time).advanced(by: Self.latency)
        } else {
          begin(&machine, at: time)
        }
      }
    }
    guard let end, end <= time else { return }
    if isDucked { duck(false, &machine, at: time) }
    self = PromptPlayer(rules)
    machine.tearDown([Self.stream], at: time)
  }
}
