// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySound
import CommandSupport
import Dispatch
import Synchronization

/// The sound of a microphone in the formats of OPUS.
enum CodedMicrophone {
  /// The duration of the silence at the end, whose last packet is repeated. Ours.
  private static let silencePackets = 10
  /// The size of a part that is written at once, in bytes.
  private static let partByteCount = 1 << 18
  /// The time between two looks at an encoder that does not keep up.
  private static let lookTime = 0.005

  /// Returns the packets of samples in each format. A format that cannot be encoded has none, after a line that says
  /// why.
  ///
  /// - Parameter samples: The samples, 16 bits, mono, the lowest byte first, at the rate of the stream whatever it is.
  static func packets(of samples: [UInt8]) -> [AudioFormat: [[UInt8]]] {
    var packets: [AudioFormat: [[UInt8]]] = [:]
    for format in AudioFormat.all where format.codec == .opus {
      do throws(SoundProblem) { packets[format] = try Self.packets(of: samples, format) } catch {
        Output.note("the microphone is silent in \(format): \(error.words)")
      }
    }
    return packets
  }

  private static func packets(of samples: [UInt8], _ format: AudioFormat) throws(SoundProblem) -> [[UInt8]] {
    let packets = Mutex<[[UInt8]]>([])
    let problem = Mutex<SoundProblem?>(nil)
    let ended = DispatchSemaphore(value: 0)
    let encoder = try SoundEncoder(
      format, onPacket: { packet in packets.withLock { $0.append(packet) } },
      onEnd: { end in
        problem.withLock { $0 = end }
        ended.signal()
      })
    let silence = [UInt8](repeating: 0, count: silencePackets * SoundEncoder.framesPerPacket(of: format) * 2)
    var rest = (samples + silence)[...]
    while !rest.isEmpty {
      do throws(SoundProblem) {
        try encoder.write(Array(rest.prefix(partByteCount)))
        rest = rest.dropFirst(partByteCount)
      } catch {
        guard case .full = error else { throw error }
        _ = ended.wait(timeout: .now() + lookTime)
      }
    }
    encoder.finish()
    ended.wait()
    if let problem = problem.withLock({ $0 }) { throw problem }
    return packets.withLock { $0 }
  }
}
