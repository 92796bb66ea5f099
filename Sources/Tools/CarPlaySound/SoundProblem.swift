// swift-iap2 · Apache-2.0

package import CarPlaySession

/// A reason why sound is not encoded or decoded.
package enum SoundProblem: Error, Hashable {
  /// The program is missing, or has no such codec.
  case unavailable(String)
  /// The program encodes and decodes no such format.
  case format(AudioFormat)
  /// The program does not keep up: so much waits for it that it takes no more now.
  case full
  /// The bytes are no packet of the codec.
  case packet(String)
  /// The program ended too early.
  case ended(String)
  /// The program wrote a malformed output.
  case output(String)
  /// The owner ended the work before its end.
  case cancelled

  /// The words for a user.
  package var words: String {
    switch self {
    case .unavailable(let words), .packet(let words), .ended(let words), .output(let words): words
    case .format(let format): "\(format) is neither encoded nor decoded; AAC-LC and OPUS are"
    case .full: "the codec does not keep up with the sound"
    case .cancelled: "the codec was ended"
    }
  }
}
