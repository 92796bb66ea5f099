// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Dispatch

/// A reader of a mix: a file or a player.
protocol MixOutput: AnyObject {
  /// Whether the mix follows the clock, because a player needs silence at its time, too. Otherwise the mix is made when
  /// sound arrives.
  var isLive: Bool { get }
  /// Writes the next piece of the mix.
  func write(_ piece: SoundMixer.Piece) throws
  func close() throws
}

/// All sound of a head unit as the driver hears it, or that of its microphone, in one output.
///
/// Invariant for `@unchecked`: the variables are used only on the queue of the writer.
final class SoundMix: ContentSink, @unchecked Sendable {
  private let output: any MixOutput
  private let writer = ContentWriter()
  private var mixer: SoundMixer
  /// A time of the session and the present time, of the last content.
  private var present: (session: MonotonicTime, clock: ContinuousClock.Instant) = (.zero, .now)
  private var timer: (any DispatchSourceTimer)?

  /// The time between two pieces of a mix that follows the clock. Ours.
  private static let interval = DispatchTimeInterval.milliseconds(20)
  /// The delay of a mix that follows the clock: the longest time that content may take from the session to here. Ours.
  private static let delay = Duration.milliseconds(40)

  init(_ output: any MixOutput) {
    self.output = output
    mixer = SoundMixer(delay: output.isLive ? Self.delay : SoundMixer.minimumDelay)
  }

  func take(_ content: ReceivedContent, at time: MonotonicTime) {
    switch content {
    case .sound(let sound): mix(content, byteCount: sound.samples.count, at: time)
    case .soundEnded, .volume, .sessionEnded: mix(content, byteCount: 0, at: time)
    case .screen, .packet, .count: break
    }
  }

  private func mix(_ content: ReceivedContent, byteCount: Int, at time: MonotonicTime) {
    writer.write(byteCount: byteCount) { [self] in
      try write(mixer.take(content, at: time))
      present = (time, .now)
      if output.isLive { follow(content) }
    }
  }

  private func write(_ pieces: [SoundMixer.Piece]) throws { for piece in pieces { try output.write(piece) } }

  /// Follows the clock from the first sound of a session until the session ends.
  private func follow(_ content: ReceivedContent) {
    switch content {
    case .sound where timer == nil:
      let timer = DispatchSource.makeTimerSource(queue: writer.queue)
      timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
      timer.setEventHandler { [self] in
        let time = present.session.advanced(by: .now - present.clock)
        writer.note { try write(mixer.advance(to: time)) }
      }
      timer.resume()
      self.timer = timer
    case .sessionEnded: stopClock()
    default: break
    }
  }

  private func stopClock() {
    timer?.cancel()
    timer = nil
  }

  func close() throws {
    writer.queue.sync(execute: stopClock)
    writer.note { try writer.queue.sync { try output.close() } }
    try writer.close()
  }
}

/// A mix in a WAV file.
final class MixFile: MixOutput {
  private var file: WAVFile
  private static let bits = 16

  /// Opens a file.
  ///
  /// - Parameter option: The option that names it, for problems.
  init(_ path: String, option: String = "--audio") throws {
    let header = WAVHeader(rate: SoundMixer.rate, bits: Self.bits, channels: SoundMixer.channels)
    file = try WAVFile(path, header, option: option)
  }

  let isLive = false

  func write(_ piece: SoundMixer.Piece) throws {
    switch piece {
    case .silence(let frameCount): file.addSilence(byteCount: Int(frameCount) * SoundMixer.channels * Self.bits / 8)
    case .samples(let samples): try file.write(SoundMixer.bytes(samples))
    }
  }

  func close() throws { try file.close() }
}
