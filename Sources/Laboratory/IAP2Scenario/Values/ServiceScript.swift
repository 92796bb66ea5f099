// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A script of an accessory's service: the bytes that it sends at the begin of a session, at intervals, and as answers,
/// and the ends of the session.
public struct ServiceScript: Sendable, Equatable {
  /// An answer to received bytes.
  struct Answer: Sendable, Equatable {
    var pattern: DataPattern
    var message: Message
  }

  /// Bytes to send, once or at intervals, and the end of the session after them.
  struct Message: Sendable, Equatable {
    /// The bytes; empty for a message that only ends the session.
    var bytes: [UInt8]
    var afterMilliseconds: Int
    /// The interval; nil for a message that is sent once.
    var everyMilliseconds: Int?
    /// Whether the accessory ends the session after the bytes.
    var closes = false
  }

  var answers: [Answer] = []
  var messages: [Message] = []

  /// The bytes that wait to be sent at most. The service reads no more questions until some were sent.
  static let maximumWaiting = 1000

  /// Runs the script on a session until the session ends.
  func run(on stream: ExternalAccessoryStream, clock: any RuntimeClock) async {
    let schedule = Schedule()
    for message in messages { schedule.add(message, at: clock.now) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await Self.send(schedule, on: stream, clock) }
      var searches = answers.map { DataPattern.Search($0.pattern) }
      while let bytes = await stream.read() {
        var rest = bytes[...]
        while let (index, end) = Self.firstEnd(&searches, in: rest) {
          rest = rest[end...]
          searches = answers.map { DataPattern.Search($0.pattern) }
          while schedule.isFull, stream.isOpen { await schedule.sent.wait() }
          schedule.add(answers[index].message, at: clock.now)
        }
      }
      group.cancelAll()
    }
  }

  /// Returns the search that is complete first, and the index after its match. The earlier answer wins of two.
  private static func firstEnd(_ searches: inout [DataPattern.Search], in bytes: ArraySlice<UInt8>) -> (Int, Int)? {
    for place in bytes.indices {
      for index in searches.indices {
        if let end = searches[index].end(in: bytes[place...place]) { return (index, end) }
      }
    }
    return nil
  }

  private static func send(
    _ schedule: Schedule, on stream: ExternalAccessoryStream, _ clock: any RuntimeClock
  ) async {
    while !Task.isCancelled, stream.isOpen {
      guard let due = schedule.nextTime else {
        await schedule.changed.wait()
        continue
      }
      guard due <= clock.now else {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { do { try await clock.sleep(until: due) } catch {} }
          group.addTask { await schedule.changed.wait() }
          await group.next()
          group.cancelAll()
        }
        continue
      }
      guard let message = schedule.takeFirst() else { continue }
      do { try await stream.write(message.bytes) } catch { return }
      // The reader sees the end of the session.
      if message.closes { return await stream.close() }
    }
  }
}

/// The messages of a script that wait for their time.
private final class Schedule: Sendable {
  private struct Entry {
    var due: MonotonicTime
    var message: ServiceScript.Message
  }

  private let entries = Mutex<[Entry]>([])
  /// Notified after a message was added.
  let changed = Signal()
  /// Notified after a message was taken.
  let sent = Signal()

  var isFull: Bool { entries.withLock { $0.count >= ServiceScript.maximumWaiting } }
  var nextTime: MonotonicTime? { entries.withLock { $0.first?.due } }

  func add(_ message: ServiceScript.Message, at now: MonotonicTime) {
    entries.withLock { Self.insert(message, due: now.adding(milliseconds: message.afterMilliseconds), into: &$0) }
    changed.notify()
  }

  private static func insert(_ message: ServiceScript.Message, due: MonotonicTime, into entries: inout [Entry]) {
    // Messages of the same time stay in their order.
    let index = entries.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
    entries.insert(Entry(due: due, message: message), at: index)
  }

  /// Removes the first message, and schedules it again if it has an interval.
  func takeFirst() -> ServiceScript.Message? {
    defer { sent.notify() }
    return entries.withLock { entries in
      guard let first = entries.first else { return nil }
      entries.removeFirst()
      if let every = first.message.everyMilliseconds {
        Self.insert(first.message, due: first.due.adding(milliseconds: every), into: &entries)
      }
      return first.message
    }
  }
}
