// swift-iap2 · Apache-2.0

public import IAP2

/// A film that a phone shows: pictures of H.264 in their order.
public struct Film: Sendable {
  /// The pictures.
  public let pictures: [AccessUnit]
  /// The pictures of a second.
  public let rate: Double

  /// Reads a byte stream (Annex B).
  ///
  /// - Throws: ``VideoProblem`` for other bytes, for a film that does not begin with a key frame, and for one with B
  ///   pictures. Source: CarPlaySession.md#screen-frame.
  public init(annexB bytes: [UInt8], rate: Double = 30) throws(VideoProblem) {
    pictures = try AnnexB.accessUnits(of: bytes).filter { !$0.frameUnits.isEmpty }
    self.rate = rate
    guard let first = pictures.first, first.isKeyFrame, first.parameterSets.isComplete else { throw .noParameterSets }
    let wrong = pictures.firstIndex { $0.units.contains(where: \.isBidirectionalSlice) }
    if let wrong { throw .bidirectionalPicture(wrong) }
  }
}

/// Music that a phone plays: 16-bit PCM, stereo, 48 kHz, in the byte order of the wire.
public struct Music: Sendable {
  /// The samples, the highest byte first.
  public let bytes: [UInt8]
  /// The format.
  public static let format = AudioFormat.pcm(rate: 48_000, channels: 2)
  /// The bytes of a sample of both channels.
  public static let bytesPerFrame = 4
  /// The samples of a packet: one that fits a datagram. Ours.
  public static let framesPerPacket = 352

  /// Reads samples whose lowest byte comes first. A sample that is not complete is left out.
  public init(littleEndian bytes: [UInt8]) {
    var swapped = Array(bytes.prefix(bytes.count / Self.bytesPerFrame * Self.bytesPerFrame))
    for index in stride(from: 0, to: swapped.count, by: 2) { swapped.swapAt(index, index + 1) }
    self.bytes = swapped
  }
}

/// The content of a phone: a film on the screen and music on main audio, in real time, and then the end.
public struct PhoneProgram: SessionProgram {
  /// The settings.
  public struct Settings: Sendable {
    /// The film; nil for no screen.
    public var film: Film?
    /// The music; nil for none.
    public var music: Music?
    /// The time for which the session goes on at least.
    public var duration: Duration?
    /// Whether the phone ends the session once all was sent and the time is over.
    public var ends = true
    /// The time between the arrival and the playing of music. A head unit may ask for lost packets in it.
    public var latency = Duration.milliseconds(500)

    /// Creates settings without content.
    public init() {}
  }

  private let settings: Settings
  private var began: MonotonicTime?
  private var film: (start: MonotonicTime, next: Int)?
  private var music: (start: MonotonicTime, next: Int)?
  /// The streams whose content was sent, with the time of their end.
  private var ending: [StreamType: MonotonicTime] = [:]
  /// The content that was not sent whole.
  private var open: Set<StreamType> = []
  private var isOver = false
  /// Whether the head unit did not take a stream.
  private var wasRefused = false

  /// The pictures that were given to the session.
  public private(set) var pictureCount = 0
  /// The bytes of music that were given to the session.
  public private(set) var musicByteCount = 0
  /// Whether all content was sent.
  public var isComplete: Bool { began != nil && open.isEmpty && !wasRefused }

  /// Creates a program.
  public init(_ settings: Settings) { self.settings = settings }

  public mutating func handle(_ event: SessionEvent, _ machine: inout PhoneSession, at time: MonotonicTime) {
    switch event {
    case .state(.live):
      began = time
      if settings.film != nil, machine.setUp(StreamWish(.screen, latencyMilliseconds: 0), at: time) {
        open.insert(.screen)
      }
      let wish = StreamWish(
        .mainAudio, format: Music.format, audioType: "media", framesPerPacket: Music.framesPerPacket,
        latencyMilliseconds: Int(settings.latency / .milliseconds(1)))
      guard settings.music != nil else { break }
      let take = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
      machine.change(ModeRequest([(.mainAudio, take)], reason: "music"), at: time)
      if machine.setUp(wish, at: time) { open.insert(.mainAudio) }
    case .stream(.screen, .running, _): film = (time, 0)
    case .stream(.mainAudio, .running, _): music = (time, 0)
    case .stream(let type, .notEchoed, _), .stream(let type, .closed, _): (wasRefused, _) = (true, open.remove(type))
    case .command(.forceKeyFrame, _, _): skipToKeyFrame()
    case .ended: (began, film, music, isOver) = (began, nil, nil, true)
    default: break
    }
    handleDeadline(&machine, at: time)
  }

  /// A film cannot make a key frame, so it goes on with the next one that it has.
  private mutating func skipToKeyFrame() {
    guard let (start, next) = film, let pictures = settings.film?.pictures else { return }
    if let index = pictures[next...].firstIndex(where: \.isKeyFrame) { film = (start, index) }
  }

  public var nextDeadline: MonotonicTime? {
    guard !isOver, let began else { return nil }
    var times = Array(ending.values)
    if let film { times.append(time(ofPicture: film.next, since: film.start)) }
    if let music { times.append(time(ofPacket: music.next, since: music.start)) }
    if open.isEmpty, settings.ends { times.append(began.advanced(by: settings.duration ?? .zero)) }
    return times.min()
  }

  private func time(ofPicture index: Int, since start: MonotonicTime) -> MonotonicTime {
    start.advanced(by: .seconds(Double(index) / (settings.film?.rate ?? 30)))
  }

  private func time(ofPacket index: Int, since start: MonotonicTime) -> MonotonicTime {
    start.advanced(by: .seconds(Double(index * Music.framesPerPacket) / 48_000))
  }

  public mutating func handleDeadline(_ machine: inout PhoneSession, at time: MonotonicTime) {
    guard !isOver, let began else { return }
    while let (start, index) = film, self.time(ofPicture: index, since: start) <= time {
      showPicture(index, since: start, &machine, at: time)
    }
    while let (start, index) = music, self.time(ofPacket: index, since: start) <= time {
      playPacket(index, since: start, &machine, at: time)
    }
    for (type, end) in ending where end <= time {
      ending[type] = nil
      open.remove(type)
      machine.tearDown([type], at: time)
    }
    if settings.ends, open.isEmpty, began.advanced(by: settings.duration ?? .zero) <= time {
      isOver = true
      machine.tearDown(at: time)
    }
  }

  private mutating func showPicture(
    _ index: Int, since start: MonotonicTime, _ machine: inout PhoneSession, at time: MonotonicTime
  ) {
    guard let pictures = settings.film?.pictures, index < pictures.count else {
      film = nil
      ending[.screen] = time
      return
    }
    let picture = pictures[index]
    film = (start, index + 1)
    do throws(VideoProblem) {
      let sets = picture.parameterSets
      if index == 0 || picture.isKeyFrame && sets != pictures[index - 1].parameterSets {
        let configuration = try AVCConfiguration(sets)
        let size = try configuration.sequenceParameters()
        let (width, height) = (Float(size.width), Float(size.height))
        machine.send(
          ScreenMessage(
            .configuration, flags: Self.h264Flags, time: time.ntp, width: width, height: height,
            picture: ScreenMessage.Rectangle(width: width, height: height), body: configuration.bytes),
          of: .screen, at: time)
      }
      let frame = ScreenMessage(
        .frame, isKeyFrame: picture.isKeyFrame, time: time.ntp, body: try FrameBody.bytes(of: picture.frameUnits))
      pictureCount += 1
      machine.send(frame, of: .screen, at: time)
    } catch {
      // A picture that no message can hold is left out, like one that a decoder refuses.
    }
  }

  /// The flags of a configuration of H.264.
  private static let h264Flags: UInt16 = 0x0116

  private mutating func playPacket(
    _ index: Int, since start: MonotonicTime, _ machine: inout PhoneSession, at time: MonotonicTime
  ) {
    let bytes = settings.music?.bytes ?? []
    let size = Music.framesPerPacket * Music.bytesPerFrame
    guard index * size < bytes.count else {
      music = nil
      ending[.mainAudio] = time.advanced(by: settings.latency)
      return
    }
    let packet = Array(bytes[(index * size)..<min(bytes.count, (index + 1) * size)])
    machine.send(sound: packet, frameCount: packet.count / Music.bytesPerFrame, of: .mainAudio, at: time)
    musicByteCount += packet.count
    music = (start, index + 1)
  }
}
