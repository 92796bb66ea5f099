// swift-iap2 · Apache-2.0

package import CarPlaySession
import Synchronization

/// A decoder of the packets of a stream into samples.
///
/// No call waits. The delay of the phone's encoder stays in the sound: 1024 samples for AAC-LC of ffmpeg, and 6.5 ms for
/// OPUS. Packets that were lost do not shift the sound behind them: OPUS conceals them, AAC-LC has silence there. The
/// child process ends with its decoder.
package final class SoundDecoder: Sendable {
  private let feed: Mutex<PacketFeed>
  private let process: CodecProcess

  /// Starts a decoder.
  ///
  /// - Parameters:
  ///   - format: A format of AAC-LC or OPUS.
  ///   - program: The program that decodes.
  ///   - onSound: A closure that is called with samples in order, on a thread of the decoder: 16 bits, the lowest byte
  ///     first, at the rate and with the channels of the format. It must not wait.
  ///   - onEnd: A closure that is called once, behind the last samples: with the problem, or with nil after
  ///     ``finish()``, or with ``SoundProblem/cancelled`` if the decoder is released before.
  /// - Throws: A problem if the format is another one or the program cannot be started.
  package init(
    _ format: AudioFormat, program: SoundProgram = .ffmpeg, onSound: @escaping @Sendable ([UInt8]) -> Void,
    onEnd: @escaping @Sendable (SoundProblem?) -> Void
  ) throws(SoundProblem) {
    var feed = try PacketFeed(format)
    let lead = feed.lead()
    process = try CodecProcess(
      program.decoder(format),
      reader: SampleReader(skippedFrames: lead.frameCount, frameByteCount: format.channels * 2), onPiece: onSound,
      onEnd: onEnd)
    // The program begins before the first packet arrives.
    try process.write(lead.bytes)
    self.feed = Mutex(feed)
  }

  deinit { process.cancel() }

  /// Queues a packet.
  ///
  /// - Parameters:
  ///   - packet: The payload of a packet of the stream.
  ///   - time: The time of its first sample in samples of the stream, which wraps; nil if it follows the packet before.
  ///     Up to two seconds of lost packets before it are filled. A time further away or in the past is a new start
  ///     without a gap.
  /// - Throws: ``SoundProblem/packet(_:)`` for bytes that are no packet, ``SoundProblem/full`` while too much waits, or
  ///   the reason why the decoder ended. A packet that was not taken counts as a lost one if the next one has its time.
  package func write(_ packet: [UInt8], at time: UInt32? = nil) throws(SoundProblem) {
    try feed.withLock { feed throws(SoundProblem) in
      var next = feed
      try process.write(next.bytes(of: packet, at: time))
      feed = next
    }
  }

  /// Ends the sound. The samples of the packets that wait are still reported.
  package func finish() { process.finish() }
}
