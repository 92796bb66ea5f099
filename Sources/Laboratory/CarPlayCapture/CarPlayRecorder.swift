// swift-iap2 · Apache-2.0

package import CarPlayAnalysis
import CarPlaySession
import IAP2Capture
import Synchronization

/// A recorder of one session of a capture.
package final class CarPlayRecorder: Sendable {
  private struct State {
    var session: RecordedSession
    var count = 0
  }

  private let number: Int
  private let state: Mutex<State>

  /// - Parameters:
  ///   - number: The number of the session in the capture, from 0.
  ///   - limits: The limits of the recording.
  package init(_ number: Int = 0, limits: RecordedSession.Limits = RecordedSession.Limits()) {
    self.number = number
    state = Mutex(State(session: RecordedSession(limits)))
  }

  /// The number of sessions so far.
  package var count: Int { state.withLock { $0.count } }

  /// The session so far; nil before it begins.
  package var session: RecordedSession? { state.withLock { $0.count > number ? $0.session : nil } }

  func begin(_ session: Int) { state.withLock { $0.count = max($0.count, session + 1) } }

  func take(_ message: RequestMessage, isControl: Bool, isExact: Bool, _ session: Int, at moment: CaptureMoment) {
    record(session) { $0.take(message, on: isControl ? .control : .events, isExact: isExact, at: .init(moment)) }
  }

  func noteLack(_ session: Int) { record(session) { $0.noteLack() } }

  func take(_ picture: ScreenMessage, of type: StreamType, _ session: Int, at moment: CaptureMoment) {
    record(session) { $0.take(picture, of: type, at: .init(moment)) }
  }

  func take(
    _ packet: AudioPacket, of type: StreamType, from side: SessionSide, _ session: Int, at moment: CaptureMoment
  ) {
    record(session) { $0.take(packet, of: type, from: side, at: .init(moment)) }
  }

  private func record(_ session: Int, _ body: (inout RecordedSession) -> Void) {
    guard session == number else { return }
    state.withLock { body(&$0.session) }
  }
}

extension RecordedSession.Moment {
  fileprivate init(_ moment: CaptureMoment) { self.init(record: moment.record, seconds: moment.time) }
}
