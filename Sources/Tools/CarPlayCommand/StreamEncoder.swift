// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CarPlaySession
import CarPlaySound
import CommandSupport
import Synchronization

/// An encoder of a phone's stream, in a child process.
final class StreamEncoder: SoundCoder {
  /// The packets that were not taken, and the state behind them.
  private final class Output: Sendable {
    private let content = Mutex<(packets: [[UInt8]], state: SoundCoderState)>(([], .active))

    func add(_ packet: [UInt8]) { content.withLock { $0.packets.append(packet) } }
    func end(_ isComplete: Bool) { content.withLock { $0.state = isComplete ? .ended : .failed } }

    func take() -> (packets: [[UInt8]], state: SoundCoderState) {
      content.withLock { content in
        defer { content.packets = [] }
        return content
      }
    }
  }

  private let encoder: SoundEncoder
  private let output: Output
  private let wasSlow = Mutex(false)

  /// Starts an encoder.
  ///
  /// - Throws: A problem if the program cannot be started.
  private init(_ format: AudioFormat) throws(SoundProblem) {
    let output = Output()
    encoder = try SoundEncoder(
      format, onPacket: output.add,
      onEnd: { problem in
        output.end(problem == nil)
        // A stream that was closed needs no encoder.
        if let problem, problem != .cancelled { Self.note(format, problem) }
      })
    self.output = output
  }

  /// Returns the encoders for those codecs that are installed.
  static func coders(_ codecs: Set<AudioFormat.Codec>) -> SoundCoders {
    SoundCoders(codecs) { format in
      do throws(SoundProblem) { return try StreamEncoder(format) } catch {
        note(format, error)
        return nil
      }
    }
  }

  private static func note(_ format: AudioFormat, _ problem: SoundProblem) {
    CommandSupport.Output.note("sound in \(format) is not sent: \(problem.words)")
  }

  func write(_ samples: [UInt8]) {
    do throws(SoundProblem) { try encoder.write(samples) } catch {
      guard case .full = error else { return }
      let isFirst = wasSlow.withLock { wasSlow in
        defer { wasSlow = true }
        return !wasSlow
      }
      if isFirst { CommandSupport.Output.note("\(error.words); parts of it are not sent") }
    }
  }

  func finish() { encoder.finish() }

  func takePackets() -> (packets: [[UInt8]], state: SoundCoderState) { output.take() }
}
