// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// The program of a phone. It shows a film on the screen and plays music on main audio in real time, and then ends the
/// session.
public struct PhoneProgram: SessionProgram {
  /// The settings.
  public struct Settings: Sendable {
    /// The film; nil for no film.
    public var film: Film?
    /// Whether the owner shows pictures by ``ProgrammedSession/show(_:on:at:)``. The screen is then open until the end.
    public var showsPictures = false
    /// The music; nil for no music.
    public var music: Music?
    /// The shortest duration of the session; nil for no such limit.
    public var duration: Duration?
    /// Whether the phone ends the session once all content was sent and `duration` is over.
    public var ends = true
    /// Whether the streams that the owner sets up get a first content, `PhoneSession.sendFirstContent(of:_:at:)`.
    public var fillsOtherStreams = false
    /// The time between the arrival and the playing of music. During this time a head unit may request lost packets.
    public var latency = Duration.milliseconds(500)
    /// The connection, which decides the streams and the formats of sound.
    public var profile = SessionProfile.wired
    /// The encoders of the owner. Without them all sound is PCM.
    public var coders = SoundCoders.none

    /// Creates settings without content.
    public init() {}
  }

  private let settings: Settings
  private let sinks: [any MediaSink]
  /// The sound of the microphone.
  private var microphone = SoundReceiver()
  private var began: MonotonicTime?
  private var film: Playing<FilmSource>?
  private var music: Playing<MusicSource>?
  /// The stream of the music; nil before the session, and if the head unit offers none.
  private var musicOutlet: SoundOutlet?
  /// The time of the next look for the last packets of the music's encoder.
  private var musicLook: MonotonicTime?
  /// The rest of the music while the head unit borrows the speakers; nil otherwise.
  private var pausedMusic: MusicSource?
  /// The number of streams of music that were ended because the head unit has the speakers, and whose end is not
  /// reported yet.
  private var endingMusic = 0
  private let rules: SoundRules
  private var prompts: PromptPlayer
  private var mainAudio: MainAudioPlayer
  /// The screens on which the owner shows pictures, as far as the head unit has them.
  private static let screens = [StreamType.screen, .alternateScreen]
  /// The streams whose content was sent, with the time of their end.
  private var ending: [StreamType: MonotonicTime] = [:]
  /// The program's own streams whose content was not sent completely. The owner may have other streams.
  private var open: Set<StreamType> = []
  private var isOver = false
  /// Whether the head unit did not accept a stream, or a stream ended before its content.
  private var wasInterrupted = false

  /// The number of pictures per second that the display shows, if the film has more; nil otherwise. The film is then
  /// shown at that rate.
  public private(set) var slowedRate: Double?
  /// The number of pictures that were left out because the head unit reads too slowly.
  public private(set) var droppedPictureCount = 0
  /// Whether the music was not sent, because the head unit offers none of its formats, or its encoder cannot be
  /// started.
  public private(set) var isMusicRefused = false
  /// The reason why the rest of the film or of the music could not be read.
  public private(set) var problem: VideoProblem?
  /// Whether all content was sent.
  public var isComplete: Bool {
    began != nil && open.isEmpty && pausedMusic == nil && !wasInterrupted && !isMusicRefused && problem == nil
      && droppedPictureCount == 0
  }

  /// The time between the arrival and the hearing of the microphone's sound, within which late packets keep their place.
  /// Ours.
  private static let microphoneLatency = Duration.milliseconds(100)

  /// Creates a program that passes the sound of the microphone to each sink.
  public init(_ settings: Settings, sinks: [any MediaSink] = []) {
    (self.settings, self.sinks) = (settings, sinks)
    rules = SoundRules(profile: settings.profile, coders: settings.coders)
    (prompts, mainAudio) = (PromptPlayer(rules), MainAudioPlayer(rules))
  }

  public mutating func handle(_ event: SessionEvent, _ machine: inout PhoneSession, at time: MonotonicTime) {
    if !sinks.isEmpty { record(event, at: time) }
    switch event {
    case .state(.live):
      began = time
      let rate = machine.display(of: .screen)?.maximumFrameRate.map(Double.init)
      if let rate, rate > 0, rate < settings.film?.rate ?? 0 { slowedRate = rate }
      if settings.showsPictures {
        machine.setUp(StreamRequest(.screen, latencyMilliseconds: 0), at: time)
        // A head unit ends the session for a screen that it has not enabled.
        if machine.enabledFeatures.contains("altScreen"), machine.display(of: .alternateScreen) != nil {
          machine.setUp(StreamRequest(.alternateScreen, latencyMilliseconds: 0), at: time)
        }
      } else if settings.film != nil, machine.setUp(StreamRequest(.screen, latencyMilliseconds: 0), at: time) {
        open.insert(.screen)
      }
      guard settings.music != nil else { break }
      musicOutlet = rules.choice(for: .media, machine).flatMap { SoundOutlet($0, rules.coders) }
      isMusicRefused = musicOutlet == nil
      guard musicOutlet != nil else { break }
      let take = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
      machine.change(ModeRequest([(.mainAudio, take)], reason: "music"), at: time)
      // A head unit may keep the speakers.
      if machine.arbiter.user(of: .mainAudio) == .phone {
        setUpMusic(&machine, at: time)
      } else {
        wasInterrupted = true
      }
    case .stream(musicOutlet?.choice.type, .stopped, _) where endingMusic > 0: endingMusic -= 1
    case .stream(let type, let state, _) where open.contains(type): follow(type, state, at: time)
    case .stream(let type, _, _) where settings.showsPictures && Self.screens.contains(type): break
    case .stream(PromptPlayer.stream, let state, _) where prompts.isOpen: prompts.follow(state, &machine, at: time)
    case .stream(let type, let state, _) where mainAudio.owns(type):
      mainAudio.follow(type, state, &machine, at: time)
    case .modes:
      mainAudio.followModes(&machine, at: time)
      followModes(&machine, at: time)
    case .stream(let type, .running, let format) where settings.fillsOtherStreams:
      machine.sendFirstContent(of: type, format, at: time)
    case .command(.forceKeyFrame(let uuid), _, _) where uuid == nil || uuid == machine.display(of: .screen)?.uuid:
      film?.source.skipToKeyFrame()
    case .ended:
      (film, music, musicOutlet, musicLook, pausedMusic, isOver) = (nil, nil, nil, nil, nil, true)
      (prompts, mainAudio) = (PromptPlayer(rules), MainAudioPlayer(rules))
    default: break
    }
    handleDeadline(&machine, at: time)
  }

  /// Asks for the stream of the music.
  private mutating func setUpMusic(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard let choice = musicOutlet?.choice else { return }
    let request = StreamRequest(
      choice.type, format: choice.format, audioType: choice.kind, framesPerPacket: choice.framesPerPacket,
      latencyMilliseconds: Int(settings.latency / .milliseconds(1)))
    if machine.setUp(request, at: time) { open.insert(choice.type) }
  }

  /// Ends the music when the head unit takes the speakers, and stops it while the head unit borrows them.
  private mutating func followModes(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard let type = musicOutlet?.choice.type else { return }
    let isOurs = machine.arbiter.user(of: .mainAudio) == .phone
    if !isOurs, open.contains(type), ending[type] == nil, musicLook == nil {
      let whole = musicOutlet.flatMap { outlet in settings.music.map { MusicSource($0, outlet.samples) } }
      (pausedMusic, music) = (music?.source ?? pausedMusic ?? whole, nil)
      open.remove(type)
      endingMusic += 1
      machine.tearDown([type], at: time)
    }
    guard pausedMusic != nil else { return }
    if machine.arbiter.owner(of: .mainAudio) != .phone {
      (pausedMusic, wasInterrupted) = (nil, true)
    } else if isOurs, !open.contains(type) {
      musicOutlet = musicOutlet.flatMap { SoundOutlet($0.choice, rules.coders) }
      setUpMusic(&machine, at: time)
    }
  }

  /// Passes the sound of the microphone on.
  private mutating func record(_ event: SessionEvent, at time: MonotonicTime) {
    var content: ReceivedContent?
    switch event {
    case .stream(let type, .setUp, let format): microphone.begin(type, format, latency: Self.microphoneLatency)
    case .stream(let type, .stopped, _), .stream(let type, .closed, _), .stream(let type, .notEchoed, _):
      content = microphone.end(type)
    case .sound(let type, let timestamp, let payload):
      content = microphone.take(payload, type, timestamp: timestamp, at: time)
    case .ended:
      microphone.endAll()
      content = .sessionEnded
    default: break
    }
    guard let content else { return }
    for sink in sinks { sink.take(content, at: time) }
  }

  /// Handles a state of one of the program's streams. A stream that the program did not end has no more content.
  private mutating func follow(_ type: StreamType, _ state: StreamState, at time: MonotonicTime) {
    switch (type, state) {
    case (.screen, .running):
      film = settings.film.map { Playing(start: time, source: FilmSource($0, rate: slowedRate ?? $0.rate)) }
    case (musicOutlet?.choice.type, .running):
      guard let content = settings.music, let musicOutlet else { break }
      let source = pausedMusic ?? MusicSource(content, musicOutlet.samples)
      // The music continues where it was stopped.
      music = Playing(start: time.advanced(by: .zero - source.nextTime), source: source)
      pausedMusic = nil
    case (_, .setUp), (_, .running): break
    case (_, .stopped), (_, .closed), (_, .notEchoed):
      if type == .screen { film = nil } else { (music, musicLook, pausedMusic) = (nil, nil, nil) }
      (wasInterrupted, ending[type]) = (true, nil)
      open.remove(type)
    }
  }

  public var nextDeadline: MonotonicTime? {
    guard !isOver, let began else { return nil }
    var times = Array(ending.values)
    if let film { times.append(film.nextTime) }
    if let music { times.append(music.nextTime) }
    if let musicLook { times.append(musicLook) }
    if let time = prompts.nextDeadline { times.append(time) }
    if open.isEmpty, pausedMusic == nil, settings.ends { times.append(began.advanced(by: settings.duration ?? .zero)) }
    return times.min()
  }

  public mutating func handleDeadline(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard !isOver, let began else { return }
    while let film, film.nextTime <= time { showPicture(&machine, at: time) }
    while let music, music.nextTime <= time { playPacket(&machine, at: time) }
    if let musicLook, musicLook <= time { endMusic(&machine, at: time) }
    prompts.handleDeadline(&machine, at: time)
    for (type, end) in ending where end <= time {
      ending[type] = nil
      open.remove(type)
      machine.tearDown([type], at: time)
    }
    if settings.ends, open.isEmpty, pausedMusic == nil, began.advanced(by: settings.duration ?? .zero) <= time {
      isOver = true
      machine.tearDown(at: time)
    }
  }

  private mutating func showPicture(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard let picture = Self.next(&film, &problem) else {
      ending[.screen] = time
      return
    }
    if !show(picture, &machine, at: time) { droppedPictureCount += 1 }
  }

  /// Plays a prompt of the owner after those that wait.
  mutating func say(_ sound: Music, ducks: Bool, _ machine: inout PhoneSession, at time: MonotonicTime) -> Bool {
    began != nil && !isOver && prompts.say(sound, ducks: ducks, &machine, at: time)
  }

  /// The kind of the owner's sound that can be sent now, and the format of its samples, which is PCM; nil while the
  /// stream does not run.
  public var runningAudio: (kind: MainAudioKind, format: AudioFormat)? { mainAudio.running }

  /// The kinds of sound that were not heard, because the head unit offers none of the phone's formats, or an encoder
  /// cannot be started.
  public var refusedAudio: Set<MainAudioKind> { mainAudio.refused }

  mutating func send(mainAudio samples: [UInt8], _ machine: inout PhoneSession, at time: MonotonicTime) {
    mainAudio.send(samples, &machine, at: time)
  }

  mutating func play(_ kind: MainAudioKind?, _ machine: inout PhoneSession, at time: MonotonicTime) {
    guard began != nil, !isOver else { return }
    mainAudio.play(kind, &machine, at: time)
  }

  /// Sends a picture of the owner now, with its configuration if it stands alone.
  ///
  /// - Returns: Whether it was sent. After a picture that was not sent, the next one must stand alone.
  mutating func show(
    _ picture: Film.Picture, on type: StreamType = .screen, _ machine: inout PhoneSession, at time: MonotonicTime
  ) -> Bool {
    if var configuration = picture.configuration {
      configuration.time = time.ntp
      guard machine.send(configuration, of: type, at: time) else { return false }
    }
    let frame = ScreenMessage(.frame, isKeyFrame: picture.isKeyFrame, time: time.ntp, body: picture.body)
    return machine.send(frame, of: type, at: time)
  }

  private mutating func playPacket(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard let samples = Self.next(&music, &problem) else {
      musicOutlet?.finish()
      musicLook = time
      return
    }
    if musicOutlet?.send(samples, &machine, at: time) == .failed { wasInterrupted = true }
  }

  /// Sends the last packets of the music, and ends its stream behind them.
  private mutating func endMusic(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard var outlet = musicOutlet else { return }
    let state = outlet.sendPackets(&machine, at: time)
    musicOutlet = outlet
    guard state != .active else {
      musicLook = time.advanced(by: SoundOutlet.lookTime)
      return
    }
    if state == .failed { wasInterrupted = true }
    musicLook = nil
    ending[outlet.choice.type] = max(time, outlet.end ?? time).advanced(by: settings.latency)
  }

  /// Returns the next piece of a source, which is nil behind the last piece. What cannot be read ends the source.
  private static func next<Source>(
    _ playing: inout Playing<Source>?, _ problem: inout VideoProblem?
  ) -> Source.Piece? {
    do throws(VideoProblem) {
      if let piece = try playing?.source.next() { return piece }
    } catch { problem = error }
    playing = nil
    return nil
  }
}

extension ProgrammedSession<PhoneProgram> {
  /// Shows a picture of the owner, if the screen runs.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - type: The main screen or that of the instrument cluster.
  ///   - time: The present time.
  /// - Returns: Whether it was sent. After a picture that was not sent, the next one must stand alone.
  public mutating func show(_ picture: Film.Picture, on type: StreamType = .screen, at time: MonotonicTime) -> Bool {
    act(at: time) { $0.show(picture, on: type, &$1, at: time) }
  }

  /// Begins another kind of the owner's sound on main audio, or ends the sound. Its packets can be sent while
  /// ``PhoneProgram/runningAudio`` is of this kind, which needs the speakers.
  ///
  /// - Parameters:
  ///   - kind: The kind; nil for no sound.
  ///   - time: The present time.
  public mutating func play(_ kind: MainAudioKind?, at time: MonotonicTime) {
    act(at: time) { $0.play(kind, &$1, at: time) }
  }

  /// Sends samples of the owner's sound on main audio, as they are or encoded. They are lost if the stream does not
  /// run.
  ///
  /// - Parameters:
  ///   - samples: The samples in the format of ``PhoneProgram/runningAudio``, the highest byte first; in a stream of
  ///     PCM they are one packet.
  ///   - time: The present time.
  public mutating func send(mainAudio samples: [UInt8], at time: MonotonicTime) {
    act(at: time) { $0.send(mainAudio: samples, &$1, at: time) }
  }

  /// Plays a prompt of the owner beside the music, after the prompts that wait.
  ///
  /// - Parameters:
  ///   - sound: The prompt.
  ///   - ducks: Whether the head unit lowers its music during the prompt.
  ///   - time: The present time.
  /// - Returns: Whether it is played: the session is live, the head unit offers a format for prompts, and few others
  ///   wait.
  public mutating func say(_ sound: Music, ducks: Bool, at time: MonotonicTime) -> Bool {
    act(at: time) { $0.say(sound, ducks: ducks, &$1, at: time) }
  }
}
