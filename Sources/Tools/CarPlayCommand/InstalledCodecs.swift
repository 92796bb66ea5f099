// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySound
import CommandSupport

/// The codecs of sound that a command uses, as far as the program for them is installed.
enum InstalledCodecs {
  /// A codec, and the directions in which it is needed.
  typealias Use = (codec: AudioFormat.Codec, directions: [SoundProgram.Direction])

  /// Returns the codecs that the program has. A line on stderr has the reason if one is missing.
  ///
  /// - Parameters:
  ///   - uses: The codecs that the command needs.
  ///   - consequence: The words for what follows if one is missing.
  static func available(_ uses: [Use], consequence: String) -> Set<AudioFormat.Codec> {
    var available = Set<AudioFormat.Codec>()
    var problems: [String] = []
    for use in uses {
      do throws(SoundProblem) {
        for direction in use.directions { try SoundProgram.ffmpeg.check(use.codec, direction) }
        available.insert(use.codec)
      } catch {
        if !problems.contains(error.words) { problems.append(error.words) }
      }
    }
    if !problems.isEmpty { Output.note("\(problems.joined(separator: "; ")); \(consequence)") }
    return available
  }
}
