// swift-iap2 · Apache-2.0

package import CarPlaySession

/// An encoder of samples into the packets of a stream: access units of AAC-LC, or packets of OPUS of 20 ms.
///
/// No call waits. The sound in the packets is later than the samples by 1024 samples for AAC-LC, and by 6.5 ms for OPUS.
/// The child process ends with its encoder.
package final class SoundEncoder: Sendable {
  private let process: CodecProcess

  /// The number of samples of each channel in a packet.
  package static func framesPerPacket(of format: AudioFormat) -> Int {
    format.framesPerCodedPacket ?? AACUnit.frameCount
  }

  /// Starts an encoder.
  ///
  /// - Parameters:
  ///   - format: A format of AAC-LC or OPUS.
  ///   - program: The program that encodes.
  ///   - onPacket: A closure that is called with each packet in order, on a thread of the encoder. It must not wait.
  ///   - onEnd: A closure that is called once, behind the last packet: with the problem, or with nil after
  ///     ``finish()``, or with ``SoundProblem/cancelled`` if the encoder is released before.
  /// - Throws: A problem if the format is another one or the program cannot be started.
  package init(
    _ format: AudioFormat, program: SoundProgram = .ffmpeg, onPacket: @escaping @Sendable ([UInt8]) -> Void,
    onEnd: @escaping @Sendable (SoundProblem?) -> Void
  ) throws(SoundProblem) {
    switch format.codec {
    case .aacLC:
      process = try CodecProcess(
        program.encoder(format), reader: ADTSReader(), onPiece: onPacket, onEnd: onEnd)
    case .opus:
      process = try CodecProcess(
        program.encoder(format), reader: OpusReader(), onPiece: onPacket, onEnd: onEnd)
    case .pcm, .alac, .aacELD: throw .format(format)
    }
  }

  deinit { process.cancel() }

  /// Queues samples at the rate and with the channels of the format.
  ///
  /// - Parameter samples: Samples of 16 bits, the lowest byte first; a part may end anywhere.
  /// - Throws: ``SoundProblem/full`` while too much waits, or the reason why the encoder ended. Then no sample is taken.
  package func write(_ samples: [UInt8]) throws(SoundProblem) { try process.write(samples) }

  /// Ends the sound. The packets of the samples that wait are still reported.
  package func finish() { process.finish() }
}
