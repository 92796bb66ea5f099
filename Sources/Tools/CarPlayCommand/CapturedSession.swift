// swift-iap2 · Apache-2.0

package import CarPlayAnalysis
package import CarPlayCapture
import CommandSupport
package import IAP2Capture

/// A CarPlay session of a capture, for a comparison or a replay.
package struct CapturedSession {
  /// The session; nil for a capture without one.
  package let session: RecordedSession?
  /// How it ended; nil for a capture without one.
  package let explanation: SessionExplanation?

  /// Reads the session that was recorded.
  ///
  /// - Parameters:
  ///   - number: The number of the session from 1; nil for the first one.
  ///   - recorder: The recorder; nil if no session is wanted.
  /// - Throws: An error if the capture has no session of this number.
  package init(
    _ number: Int?, _ recorder: CarPlayRecorder?, _ sink: SessionEndSink, in path: String
  ) throws {
    let count = recorder?.count ?? 0
    if let number, recorder != nil, count < number {
      throw SessionChoice.missing(number, in: path, count: count)
    }
    if number == nil, count > 1 {
      Output.note("\(path) has \(count) CarPlay sessions: the first is taken; --session takes another one")
    }
    session = recorder?.session
    explanation = session.flatMap { _ in sink.explanations[(number ?? 1) - 1] }
  }
}
