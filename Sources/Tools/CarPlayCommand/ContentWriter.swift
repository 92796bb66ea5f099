// swift-iap2 · Apache-2.0

import CommandSupport
import Dispatch
import Synchronization

/// Writes content in its order on a queue of its own, so a slow disk or an unread pipe stops neither timers nor answers.
final class ContentWriter: Sendable {
  let queue = DispatchQueue(label: "iap2.carplay.content")
  private let waiting = Mutex(0)
  private let failure = Mutex<String?>(nil)
  private let onPressure = Mutex<PressureReaction?>(nil)

  /// The bytes that wait before the session should bring no more: a second of pictures at 100 Mbit/s.
  static let maximumWaiting = 12 << 20

  /// Whether so many bytes wait that the session should bring no more.
  private var isPressed: Bool { waiting.withLock { $0 >= Self.maximumWaiting } }

  typealias PressureReaction = @Sendable (_ isPressed: @escaping @Sendable () -> Bool) -> Void

  /// Sets the reaction to a change of ``isPressed``, which it can ask again.
  func whenPressureChanges(_ body: @escaping PressureReaction) { onPressure.withLock { $0 = body } }

  /// Writes bytes with a closure. After a failure nothing more is written, because it would leave a gap.
  func write(byteCount: Int, _ body: @escaping @Sendable () throws -> Void) {
    guard failure.withLock({ $0 == nil }) else { return }
    // Datagrams come also while nobody reads.
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

  /// Does something, and tells the first failure at once.
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

  /// Waits for what was written.
  ///
  /// - Throws: A failure if content was lost.
  func close() throws {
    queue.sync {}
    guard failure.withLock({ $0 == nil }) else { throw CommandFailure(.failed, "content was lost, see above") }
  }
}
