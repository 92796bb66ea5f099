// swift-iap2 · Apache-2.0

package import CarPlaySession
import Dispatch
import Synchronization

/// The program that encodes and decodes sound, `ffmpeg` of Debian's package of the same name.
///
/// It is a child process and no library: Debian builds libavcodec under the GPL, so this program does not link it. One
/// program has both codecs, and damaged sound cannot end a session.
package struct SoundProgram: Sendable, Hashable {
  /// The program's path, or a name that is found in PATH.
  let path: String

  /// The program of the system.
  package static let ffmpeg = SoundProgram(path: "ffmpeg")

  /// The way of the sound through the program.
  package enum Direction: Sendable, Hashable {
    case encoding, decoding
  }

  /// The codecs in which the program is used.
  package static let codecs: [AudioFormat.Codec] = [.aacLC, .opus]

  /// The time limit in seconds for the list of codecs. Ours: it takes about 0.1 s.
  private static let listSeconds = 10

  /// Asks the program whether it has a codec, and waits for the answer. Meant for the start of a command.
  ///
  /// - Throws: A problem with the words for a user, if the program or the codec is missing.
  package func check(_ codec: AudioFormat.Codec, _ direction: Direction) throws(SoundProblem) {
    let name = try Self.name(of: codec)
    let ended = DispatchSemaphore(value: 0)
    let found = Mutex(false)
    let problem = Mutex<SoundProblem?>(nil)
    let process = try CodecProcess(
      [path, "-hide_banner", direction == .encoding ? "-encoders" : "-decoders"], reader: LineReader(),
      onPiece: { line in
        // A line such as ` A....D libopus   libopus Opus (codec opus)`.
        let words = line.split(separator: UInt8(ascii: " "))
        if words.count > 1, words[0].first == UInt8(ascii: "A"), words[1].elementsEqual(name.utf8) {
          found.withLock { $0 = true }
        }
      },
      onEnd: { end in
        problem.withLock { $0 = end }
        ended.signal()
      })
    process.finish()
    guard ended.wait(timeout: .now() + .seconds(Self.listSeconds)) == .success else {
      process.cancel()
      throw .unavailable("\(path) did not list its codecs within \(Self.listSeconds) s")
    }
    guard found.withLock({ $0 }) else {
      if let problem = problem.withLock({ $0 }) { throw .unavailable(problem.words) }
      throw .unavailable("\(path) has no \(direction == .encoding ? "encoder" : "decoder") \(name)")
    }
  }

  /// Returns the program's name of a codec.
  private static func name(of codec: AudioFormat.Codec) throws(SoundProblem) -> String {
    switch codec {
    case .aacLC: "aac"
    // The program's own decoder `opus` is silent in the place of a lost packet and for some packets behind it.
    case .opus: "libopus"
    case .pcm, .alac, .aacELD: throw .unavailable("\(codec.rawValue) is neither encoded nor decoded")
    }
  }

  /// Arguments of every use. The program reads no more than it must before it begins.
  private var start: [String] {
    [path, "-hide_banner", "-nostdin", "-loglevel", "error", "-probesize", "32", "-analyzeduration", "0"]
  }

  private static func samples(_ rate: Int, _ format: AudioFormat) -> [String] {
    ["-ar", "\(rate)", "-ac", "\(format.channels)", "-f", "s16le"]
  }

  /// Arguments of every output: each packet is written at once.
  private static let end = ["-flush_packets", "1", "pipe:1"]

  /// Returns the command that encodes samples.
  func encoder(_ format: AudioFormat) throws(SoundProblem) -> [String] {
    let codec = ["-c:a", try Self.name(of: format.codec), "-b:a", "\(Self.bitRate(format))"]
    let output =
      format.codec == .opus ? ["-frame_duration", "20", "-f", "ogg", "-page_duration", "20000"] : ["-f", "adts"]
    // The program reads whole blocks of samples before it encodes: 1/25 s of them in version 5.1, up to 1/10 s in 9.0. At
    // this rate a block is at most about an eighth of a packet. The filter gives the samples their own rate.
    let blockRate = SoundEncoder.framesPerPacket(of: format) * 25 / 16
    let input = Self.samples(blockRate, format) + ["-i", "pipe:0", "-af", "asetrate=\(format.rate)"]
    return start + input + codec + output + Self.end
  }

  /// Returns the command that decodes the packets of a ``PacketFeed``.
  func decoder(_ format: AudioFormat) throws(SoundProblem) -> [String] {
    let input =
      format.codec == .opus ? ["-c:a", try Self.name(of: format.codec), "-f", "ogg"] : ["-c:a", "aac", "-f", "aac"]
    // Silence takes the place of a packet that cannot be decoded. The shortest packet that phones send has 10 ms.
    let filter = ["-af", "aresample=async=1:min_hard_comp=0.005:first_pts=0"]
    // However many packets cannot be decoded, the program goes on.
    return start + ["-max_error_rate", "1"] + input + ["-i", "pipe:0"] + filter + Self.samples(format.rate, format)
      + Self.end
  }

  /// The bits per second. LIVI's bit rates for OPUS; AAC-LC as music shops and streams have it. Ours.
  static func bitRate(_ format: AudioFormat) -> Int {
    switch (format.codec, format.rate) {
    case (.opus, ...24_000): 48_000
    case (.opus, _): 96_000
    default: 160_000
    }
  }
}

/// Reads lines, and keeps less than one.
private struct LineReader: PieceReader {
  private var rest: ArraySlice<UInt8> = []
  /// The longest line in bytes. Those of ffmpeg have about 100.
  private static let maximumByteCount = 1 << 12

  mutating func pieces(in bytes: ArraySlice<UInt8>) throws(SoundProblem) -> [[UInt8]] {
    var lines = (rest + bytes).split(separator: 0x0A, omittingEmptySubsequences: false)
    rest = lines.removeLast()
    guard rest.count <= Self.maximumByteCount else { throw .output("a line has no end") }
    return lines.map { Array($0) }
  }
}
