// swift-iap2 · Apache-2.0

import CommandSupport
import Dispatch
import Synchronization

/// A writer of content in its order, on its own queue. A slow disk or an unread pipe then delays neither timers nor
/// answers.
final class ContentWriter: Sendable {
  let queue = DispatchQueue(label: "iap2.carplay.content")
  private let waiting = Mutex(0)
  private let failure = Mutex<String?>(nil)
  private let onPressure = Mutex<PressureReaction?>(nil)

  /// The number of waiting bytes above which the session should deliver no more: a second of pictures at 100 Mbit/s.
  static let maximumWaiting = 12 << 20

  /// Whether the number of waiting bytes has reached ``maximumWaiting``.
  private var isPressed: Bool { waiting.withLock { $0 >= Self.maximumWaiting } }

  typealias PressureReaction = @Sendable (_ isPressed: @escaping @Sendable () -> Bool) -> Void

  /// Sets the reaction to a change of ``isPressed``. The reaction gets a closure that returns the current value.
  func whenPressureChanges(_ body: @escaping PressureReaction) { onPressure.withLock { $0 = body } }

  /// Writes bytes with a closure. After a failure the writer drops all further content, because it would leave a gap.
  func write(byteCount: Int, _ body: @escaping @Sendable () throws -> Void) {
    guard failure.withLock({ $0 == nil }) else { return }
    // Datagrams arrive even if the session reads none of them.
    guard waiting.withLock({ $0 < 2 * Self.maximumWaiting }) else {
      return fail("the content comes faster than it can be written")
    }
    count(byteCount)
    queue.async { [self] in
      if failure.withLock({ $0 == nil }) { note(body) }
      count(-byteCount)
    }
  }

  private func count(_ change: Int) {
    let hasChanged = waiting.withLock { count in
      let wasPressed = count >= Self.maximumWaiting
      count += change
      return wasPressed != (count >= Self.maximumWaiting)
    }
    if hasChanged { onPressure.withLock { $0 }? { self.isPressed } }
  }

  /// Runs a closure, and reports the first failure immediately.
  func note(_ body: () throws -> Void) {
    do { try body() } catch { fail((error as? CommandFailure)?.text ?? InputFile.reason(error)) }
  }

  private func fail(_ reason: String) {
    let isFirst = failure.withLock { failure in
      defer { failure = failure ?? reason }
      return failure == nil
    }
    if isFirst { Output.note("\(reason); no more of it is written") }
  }

  /// Waits until all content is written.
  ///
  /// - Throws: A failure if content was lost.
  func close() throws {
    queue.sync {}
    guard failure.withLock({ $0 == nil }) else { throw CommandFailure(.failed, "content was lost, see above") }
  }
}
