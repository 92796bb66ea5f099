// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// The program of a head unit. It makes content for files from pictures and sound, and sends the sound of the
/// microphone.
public struct HeadUnitProgram: SessionProgram {
  /// The settings.
  public struct Settings: Sendable {
    /// The samples of the microphone: 16 bits, mono, the lowest byte first; silence behind their end.
    public var microphone: [UInt8] = []
    /// The microphone in coded formats: packets of 20 ms for each. The last one is silent, and is repeated.
    public var codedMicrophone: [AudioFormat: [[UInt8]]] = [:]
    /// The commands that are sent once the session is live, in this order.
    public var commands: [SessionCommand] = []
    /// When the head unit asks for key frames of the main screen.
    public var keyFrames = KeyFrameRule()
    /// Whether the head unit takes the screen when the phone asks for the car's own screen, as it does for the icon of
    /// the maker.
    public var takesScreenOnRequest = false

    /// Creates settings.
    public init() {}
  }

  private let settings: Settings
  private let sinks: [any MediaSink]
  private var configurations: [StreamType: AVCConfiguration] = [:]
  private var sounds = SoundReceiver()
  private var volume = Volume()
  /// The time of the next packet of the microphone, and the number of samples that were sent; nil while no stream wants
  /// them.
  private var speaking: (next: MonotonicTime, sent: Int)?

  /// The requests for key frames of the main screen.
  private var keyFrames: KeyFrameRequests
  /// The number of pictures of each screen, and the number of those that arrived late.
  private var counts: [StreamType: (pictures: Int, late: Int)] = [:]
  /// The delay after which a picture is late, in parts of a second (2^-32): two pictures at 60 pictures per second.
  private static let lateness = Int64((1 << 32) * 33 / 1000)

  /// Creates a program that passes each piece of content to each sink.
  public init(_ settings: Settings, sinks: [any MediaSink]) {
    (self.settings, self.sinks, keyFrames) = (settings, sinks, KeyFrameRequests(settings.keyFrames))
  }

  private func deliver(_ content: ReceivedContent, at time: MonotonicTime) {
    for sink in sinks { sink.take(content, at: time) }
  }

  public mutating func handle(_ event: SessionEvent, _ machine: inout HeadUnitSession, at time: MonotonicTime) {
    switch event {
    case .state(.live): for command in settings.commands { machine.send(command, at: time) }
    case .stream(let type, .setUp, let format):
      sounds.begin(type, format, latency: machine.soundLatency(of: type))
      if speaking == nil, !machine.microphoneStreams.isEmpty { speaking = (time, 0) }
    case .stream(let type, .stopped, _), .stream(let type, .closed, _):
      if let count = counts.removeValue(forKey: type) {
        deliver(.count(type, pictures: count.pictures, late: count.late), at: time)
      }
      if let content = sounds.end(type) { deliver(content, at: time) }
      if machine.microphoneStreams.isEmpty { speaking = nil }
    case .picture(let type, let message): show(message, type, &machine, at: time)
    case .sound(let type, let timestamp, let payload):
      if let content = sounds.take(payload, type, timestamp: timestamp, at: time) { deliver(content, at: time) }
    case .command(.duckAudio(let decibels, let milliseconds), _, .phone):
      volume.duck(to: decibels, duration: Self.ramp(milliseconds), at: time.nanoseconds)
      deliver(.volume(volume), at: time)
    case .command(.unduckAudio(let milliseconds), _, .phone):
      volume.unduck(duration: Self.ramp(milliseconds), at: time.nanoseconds)
      deliver(.volume(volume), at: time)
    case .command(.requestUI(nil), _, .phone) where settings.takesScreenOnRequest:
      let take = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
      machine.send(.changeModes(ModeRequest([(.screen, take)], reason: "requestUI")), at: time)
    case .ended:
      (configurations, volume, speaking) = ([:], Volume(), nil)
      sounds.endAll()
      keyFrames = KeyFrameRequests(settings.keyFrames)
      deliver(.sessionEnded, at: time)
    default: break
    }
  }

  /// The longest ramp of the volume in milliseconds. No prompt is as long. Ours.
  private static let maximumRamp = 60_000

  /// Returns the duration of a ramp in nanoseconds.
  private static func ramp(_ milliseconds: Int) -> Int64 { Int64(min(max(0, milliseconds), maximumRamp)) * 1_000_000 }

  private mutating func show(
    _ message: ScreenMessage, _ type: StreamType, _ machine: inout HeadUnitSession, at time: MonotonicTime
  ) {
    do throws(VideoProblem) {
      switch message.kind {
      case .configuration:
        let configuration = try AVCConfiguration(body: message.body)
        // A phone repeats the configuration with each key frame.
        guard configuration != configurations[type] else { return }
        configurations[type] = configuration
        if let problem = Self.sizeProblem(configuration, type, machine) { machine.tolerate(problem) }
        deliver(.screen(type, configuration.annexB), at: time)
      case .frame:
        guard let configuration = configurations[type] else { return }
        deliver(.screen(type, try configuration.annexB(frame: message.body)), at: time)
        if type == .screen, keyFrames.take(isKeyFrame: message.isKeyFrame, at: time) {
          askForKeyFrame(&machine, at: time)
        }
        count(message, type, machine, at: time)
      case .heartbeat, .forceKeyFrame, .ignored, .statistics, nil: break
      }
    } catch {
      let number = counts[type]?.pictures ?? 0
      let isFrame = message.kind == .frame
      machine.fail(
        .badScreen,
        ValueProblem(
          type.name, is: "\(isFrame ? "picture \(number)" : "the configuration") is wrong: \(error.words)",
          expected: isFrame ? "NAL units behind their lengths" : "an avcC record"))
    }
  }

  /// Asks the phone for a picture that stands alone on the main screen.
  package func askForKeyFrame(_ machine: inout HeadUnitSession, at time: MonotonicTime) {
    let display = machine.configuration.info.displays?.first { $0.type == StreamType.screen.rawValue }
    machine.send(.forceKeyFrame(uuid: display?.uuid), at: time)
  }

  /// Returns the problem of pictures whose size is neither that of the display nor that of one of its view areas.
  private static func sizeProblem(
    _ configuration: AVCConfiguration, _ type: StreamType, _ machine: HeadUnitSession
  ) -> ValueProblem? {
    let display = machine.configuration.info.displays?.first { $0.type == type.rawValue }
    guard let display, let width = display.width, let height = display.height,
      // A size that cannot be read is not another size.
      let picture = try? configuration.sequenceParameters()
    else { return nil }
    let sizes = [(width, height)] + (display.viewAreas ?? []).map { ($0.width ?? 0, $0.height ?? 0) }
    guard !sizes.contains(where: { $0 == (picture.width, picture.height) }) else { return nil }
    return ValueProblem(
      type.name, is: "its pictures have \(picture.width) × \(picture.height) pixels",
      expected: "\(width) × \(height) of the display")
  }

  private mutating func count(
    _ message: ScreenMessage, _ type: StreamType, _ machine: HeadUnitSession, at time: MonotonicTime
  ) {
    counts[type, default: (0, 0)].pictures += 1
    guard let now = machine.phoneTime(at: time) else { return }
    if ClockPacket.difference(now, message.time) > Self.lateness { counts[type, default: (0, 0)].late += 1 }
  }

  public var nextDeadline: MonotonicTime? { [speaking?.next, keyFrames.deadline].compactMap(\.self).min() }

  /// The duration of a packet of the microphone. Ours.
  private static let packetDuration = Duration.milliseconds(20)

  public mutating func handleDeadline(_ machine: inout HeadUnitSession, at time: MonotonicTime) {
    if keyFrames.handleDeadline(at: time) { askForKeyFrame(&machine, at: time) }
    while let (next, sent) = speaking, next <= time {
      speaking = (next.advanced(by: Self.packetDuration), sent)
      for (type, format) in machine.microphoneStreams {
        let count = format.rate / 50
        guard let packet = microphonePacket(from: sent, count, format) else { continue }
        machine.send(microphone: packet, frameCount: count, of: type)
        speaking?.sent = sent + count
      }
    }
  }

  /// Returns a packet of the microphone with a number of samples; nil for a format in which it has none.
  private func microphonePacket(from sent: Int, _ count: Int, _ format: AudioFormat) -> [UInt8]? {
    guard format.codec == .pcm else {
      guard let packets = settings.codedMicrophone[format], !packets.isEmpty else { return nil }
      return packets[min(sent / count, packets.count - 1)]
    }
    let start = min(sent * 2, settings.microphone.count)
    let samples = SampleOrder.swapped(settings.microphone[start...].prefix(count * 2), width: 2)
    return samples + [UInt8](repeating: 0, count: count * 2 - samples.count)
  }
}
