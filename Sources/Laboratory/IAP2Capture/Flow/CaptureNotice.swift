// swift-iap2 · Apache-2.0

/// A fact about how a capture was read that its user should know. A notice is not damage.
package enum CaptureNotice: Sendable, Equatable {
  /// The times of some records are implausible; each takes the time of the record before it.
  case implausibleTimes(count: Int, firstRecord: Int)
  /// The times are microseconds in the upper of two words. They have no date and count from the first record.
  case upperWordTimes
  /// The sides of a connection were decided without proof.
  case decidedSides(flow: Int, FlowKey, SideEvidence)
  /// Records of a connection do not state their sender. The content proves the side of some of them; the side of the
  /// others is a guess.
  case unstatedSenders(flow: Int, records: Int, guesses: Int)
  /// The sides of a connection were decided without proof, and a later record proves the opposite.
  case wrongSides(flow: Int, record: Int)
  /// A text was read that has not the project's own form, or not the usual encoding.
  case text(TextReading)
  /// The file is a copy with its CarPlay sessions in the clear. Some bytes are still sealed, and the given secrets do not
  /// open them.
  case sealedCopy
  /// A TCP connection may be a CarPlay session whose beginning the capture lacks, for a reason. Key logs were given, or
  /// not.
  case lateSession(ends: String, reason: String, hasKeys: Bool)

  /// The number of the connection whose sides the notice is about, from 0; nil for the whole file.
  package var flow: Int? {
    switch self {
    case .decidedSides(let flow, _, _), .unstatedSenders(let flow, _, _), .wrongSides(let flow, _): flow
    case .implausibleTimes, .upperWordTimes, .text, .sealedCopy, .lateSession: nil
    }
  }
}
