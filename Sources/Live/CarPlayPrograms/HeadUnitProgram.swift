// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// A piece of content that a head unit received, in a form for files.
public enum HeadUnitContent: Sendable, Hashable {
  /// H.264 as a byte stream (Annex B): parameter sets, or a picture.
  case screen(StreamType, [UInt8])
  /// Samples of 16 bits, the lowest byte first; the number counts the streams of the type.
  case sound(StreamType, number: Int, AudioFormat, [UInt8])
  /// The number of pictures of a screen that ended, and the number of those that arrived more than 33 ms after their
  /// time.
  case count(StreamType, pictures: Int, late: Int)
}

/// The program of a head unit. It makes content for files from pictures and sound, and sends the sound of the
/// microphone.
public struct HeadUnitProgram: SessionProgram {
  /// The settings.
  public struct Settings: Sendable {
    /// The samples of the microphone: 16 bits, mono, the lowest byte first; silence behind their end.
    public var microphone: [UInt8] = []
    /// The commands that are sent once the session is live, in this order.
    public var commands: [SessionCommand] = []
    /// When the head unit asks for key frames of the main screen.
    public var keyFrames = KeyFrameRule()

    /// Creates settings.
    public init() {}
  }

  private let settings: Settings
  private let sinks: [any MediaSink]
  private var configurations: [StreamType: AVCConfiguration] = [:]
  private var formats: [StreamType: AudioFormat] = [:]
  private var numbers: [StreamType: Int] = [:]
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

  private func deliver(_ content: HeadUnitContent) { for sink in sinks { sink.take(content) } }

  public mutating func handle(_ event: SessionEvent, _ machine: inout HeadUnitSession, at time: MonotonicTime) {
    switch event {
    case .state(.live): for command in settings.commands { machine.send(command, at: time) }
    case .stream(let type, .setUp, let format):
      numbers[type, default: 0] += 1
      formats[type] = format
      if speaking == nil, !machine.microphoneStreams.isEmpty { speaking = (time, 0) }
    case .stream(let type, .stopped, _), .stream(let type, .closed, _):
      if let count = counts.removeValue(forKey: type) {
        deliver(.count(type, pictures: count.pictures, late: count.late))
      }
      if machine.microphoneStreams.isEmpty { speaking = nil }
    case .picture(let type, let message): show(message, type, &machine, at: time)
    case .sound(let type, _, let payload):
      guard let format = formats[type], format.codec == .pcm, format.bits == 16 else { return }
      deliver(.sound(type, number: numbers[type] ?? 1, format, Self.swapped(payload)))
    case .ended:
      (configurations, formats, speaking) = ([:], [:], nil)
      keyFrames = KeyFrameRequests(settings.keyFrames)
    default: break
    }
  }

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
        deliver(.screen(type, configuration.annexB))
      case .frame:
        guard let configuration = configurations[type] else { return }
        deliver(.screen(type, try configuration.annexB(frame: message.body)))
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

  private func askForKeyFrame(_ machine: inout HeadUnitSession, at time: MonotonicTime) {
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

  /// Returns samples in the other byte order.
  private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for index in stride(from: 0, to: bytes.count - 1, by: 2) { bytes.swapAt(index, index + 1) }
    return bytes
  }

  public var nextDeadline: MonotonicTime? { [speaking?.next, keyFrames.deadline].compactMap(\.self).min() }

  /// The duration of a packet of the microphone. Ours.
  private static let packetDuration = Duration.milliseconds(20)

  public mutating func handleDeadline(_ machine: inout HeadUnitSession, at time: MonotonicTime) {
    if keyFrames.handleDeadline(at: time) { askForKeyFrame(&machine, at: time) }
    while let (next, sent) = speaking, next <= time {
      speaking = (next.advanced(by: Self.packetDuration), sent)
      for (type, format) in machine.microphoneStreams where format.codec == .pcm {
        let count = format.rate / 50
        let start = min(sent * 2, settings.microphone.count)
        var samples = Self.swapped(Array(settings.microphone[start...].prefix(count * 2)))
        samples += [UInt8](repeating: 0, count: count * 2 - samples.count)
        machine.send(microphone: samples, frameCount: count, of: type)
        speaking?.sent = sent + count
      }
    }
  }
}
