// swift-iap2 · Apache-2.0

/// A fact about how a capture was read that its user should know. A notice is not damage.
package enum CaptureNotice: Sendable, Equatable {
  /// The times of some records are implausible; each takes the time of the record before it.
  case implausibleTimes(count: Int, firstRecord: Int)
  /// The times are microseconds in the upper of two words. They have no date and count from the first record.
  case upperWordTimes
  /// The sides of a connection were decided without proof.
  case decidedSides(flow: Int, FlowKey, SideEvidence)
  /// The sides of a connection were decided without proof, and a later record proves the opposite.
  case wrongSides(flow: Int, record: Int)
  /// A text was read that has not the project's own form, or not the usual encoding.
  case text(TextReading)
}
