// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySound
import CommandSupport
import Dispatch

/// A sink that decodes AAC-LC and OPUS, and passes the samples on to other sinks with all other content.
///
/// A decoder reports samples a few milliseconds behind their packets, and its first ones when it has started. So
/// decoded sound is heard ``delay`` later than other sound, and later if the decoder is so slow that the sound would be
/// over before it is there. The end of a stream is as late as its sound. The places in the files are those of the
/// packets.
///
/// Invariant for `@unchecked`: the variables are used only on the queue.
final class DecodedSound: MediaSink, @unchecked Sendable {
  /// A decoder with the part of a stream that it decodes.
  private struct Run {
    let decoder: SoundDecoder
    let type: StreamType
    let number: Int
    let format: AudioFormat
    /// The place of the next decoded sample in the stream.
    var position: Int64
    /// The place of the newest packet that the decoder took.
    var newest: Int64
    /// The time at which position 0 is heard.
    var start: MonotonicTime?
    /// The time by which the sound is heard later.
    var delay = DecodedSound.delay
    /// Whether the stream has ended. Its end is passed on behind the last samples.
    var isLast = false
  }

  private let sinks: [any MediaSink]
  private let codecs: Set<AudioFormat.Codec>
  private let queue = DispatchQueue(label: "iap2.carplay.decoded")
  private var runs: [Int: Run] = [:]
  private var runCount = 0
  /// The decoder of each type of stream that takes packets.
  private var open: [StreamType: Int] = [:]
  /// The numbers of the streams whose decoder failed. The rest of them is not decoded.
  private var failed: [StreamType: Int] = [:]
  /// Whether the end of a session waits for the last samples.
  private var holdsEnd = false
  /// A time of the session and the present time, of the last content.
  private var present: (session: MonotonicTime, clock: ContinuousClock.Instant) = (.zero, .now)

  /// The time by which decoded sound is heard later. Ours: a decoder that runs needs a few milliseconds.
  static let delay = Duration.milliseconds(50)
  /// The longest gap in seconds that a decoder fills. Behind a longer one another decoder begins. Ours.
  private static let maximumGapSeconds: Int64 = 1
  /// The time limit for decoders to end with the command. Each one ends by itself before.
  private static let endLimit = Duration.seconds(12)

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - sinks: The sinks that take the samples.
  ///   - codecs: The codecs that are decoded. Packets of the others are passed on.
  init(_ sinks: [any MediaSink], codecs: Set<AudioFormat.Codec>) { (self.sinks, self.codecs) = (sinks, codecs) }

  func take(_ content: ReceivedContent, at time: MonotonicTime) {
    switch content {
    // Sinks of sound take no pictures.
    case .screen, .count: break
    case .sound, .packet, .soundEnded, .volume, .sessionEnded:
      queue.async { [self] in
        present = (time, .now)
        handle(content)
      }
    }
  }

  private func handle(_ content: ReceivedContent) {
    switch content {
    case .packet(let packet) where codecs.contains(packet.format.codec):
      endHeldSession()
      decode(packet)
    case .sound, .packet:
      endHeldSession()
      pass(content)
    case .soundEnded(let type, let number): if !finish(type, number) { pass(content) }
    case .sessionEnded:
      failed = [:]
      if runs.isEmpty { pass(content) } else { holdsEnd = true }
    case .screen, .volume, .count: pass(content)
    }
  }

  private var now: MonotonicTime { present.session.advanced(by: .now - present.clock) }

  private func pass(_ content: ReceivedContent) {
    let now = now
    for sink in sinks { sink.take(content, at: now) }
  }

  // MARK: Packets

  private func decode(_ packet: ReceivedPacket) {
    guard failed[packet.type] != packet.number else { return }
    do throws(SoundProblem) {
      let id = try run(for: packet)
      runs[id]?.start = packet.start
      try runs[id]?.decoder.write(packet.bytes, at: UInt32(truncatingIfNeeded: packet.position))
      runs[id]?.newest = packet.position
    } catch {
      switch error {
      // It counts as lost, and the sound behind it stays at its place.
      case .packet, .full: break
      default: fail(error, packet.type, packet.number)
      }
    }
  }

  /// Returns the run that a packet belongs to. Another stream, and the sound behind a pause, begin one.
  private func run(for packet: ReceivedPacket) throws(SoundProblem) -> Int {
    if let id = open[packet.type], let run = runs[id] {
      let isNear = packet.position - run.newest <= Self.maximumGapSeconds * Int64(packet.format.rate)
      if run.number == packet.number, isNear { return id }
      run.decoder.finish()
    }
    let id = runCount
    runCount += 1
    let decoder = try SoundDecoder(
      packet.format, onSound: { [weak self] in self?.later(.sound($0), of: id) },
      onEnd: { [weak self] in self?.later(.end($0), of: id) })
    runs[id] = Run(
      decoder: decoder, type: packet.type, number: packet.number, format: packet.format, position: packet.position,
      newest: packet.position, start: packet.start)
    open[packet.type] = id
    return id
  }

  /// A report of a decoder.
  private enum Report: Sendable {
    case sound([UInt8])
    case end(SoundProblem?)
  }

  private func later(_ report: Report, of id: Int) {
    queue.async { [self] in
      switch report {
      case .sound(let samples): hear(samples, of: id)
      case .end(let problem): ended(id, problem)
      }
    }
  }

  private func hear(_ samples: [UInt8], of id: Int) {
    guard var run = runs[id], let pcm = AudioFormat.pcm(rate: run.format.rate, channels: run.format.channels)
    else { return }
    if let start = run.start {
      let place = Duration.seconds(Double(run.position) / Double(pcm.rate))
      run.delay = max(run.delay, start.advanced(by: place).duration(to: now))
    }
    let sound = ReceivedSound(
      run.type, number: run.number, format: pcm, position: run.position, start: run.start?.advanced(by: run.delay),
      samples: samples)
    run.position += Int64(sound.frameCount)
    runs[id] = run
    pass(.sound(sound))
  }

  // MARK: Ends

  /// Ends the decoder of a stream.
  ///
  /// - Returns: Whether the stream has one.
  private func finish(_ type: StreamType, _ number: Int) -> Bool {
    guard let id = open[type], runs[id]?.number == number else { return false }
    open[type] = nil
    runs[id]?.isLast = true
    runs[id]?.decoder.finish()
    return true
  }

  /// Handles the end of a decoder.
  private func ended(_ id: Int, _ problem: SoundProblem?) {
    guard let run = runs[id] else { return }
    if let problem { fail(problem, run.type, run.number) }
    guard run.isLast else { return remove(id) }
    queue.asyncAfter(deadline: .now() + run.delay / .seconds(1)) { [self] in remove(id) }
  }

  private func remove(_ id: Int) {
    guard let run = runs.removeValue(forKey: id) else { return }
    if open[run.type] == id { open[run.type] = nil }
    if run.isLast {
      // The decoder of sound before a pause may end later.
      if let other = runs.first(where: { $0.value.type == run.type && $0.value.number == run.number })?.key {
        runs[other]?.isLast = true
      } else {
        pass(.soundEnded(run.type, number: run.number))
      }
    }
    if runs.isEmpty, holdsEnd {
      holdsEnd = false
      pass(.sessionEnded)
    }
  }

  /// Ends the session before this one now, if a decoder of it is not at its end.
  private func endHeldSession() {
    guard holdsEnd else { return }
    holdsEnd = false
    for run in runs.values where run.isLast { pass(.soundEnded(run.type, number: run.number)) }
    (runs, open) = ([:], [:])
    pass(.sessionEnded)
  }

  private func fail(_ problem: SoundProblem, _ type: StreamType, _ number: Int) {
    guard failed.updateValue(number, forKey: type) != number else { return }
    Output.note("\(type.name): \(problem.words); the rest of this stream is not decoded")
  }

  /// Passes the last samples on.
  func close() async {
    let limit = ContinuousClock.now + Self.endLimit
    while !isFinished, .now < limit {
      do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
    }
  }

  private var isFinished: Bool {
    queue.sync {
      for run in runs.values { run.decoder.finish() }
      return runs.isEmpty
    }
  }
}
