// swift-iap2 · Apache-2.0

import Glibc
import Synchronization

/// An entry of the log: a call of the app, or a report to it.
public struct PlatformLogEntry: Sendable, Equatable {
  /// The kind of an entry.
  public enum Event: Sendable, Equatable {
    /// The accessory is connected, authenticated and identified; its name.
    case connected(String)
    /// The accessory left the list of connected accessories.
    case disconnected
    /// The app was notified of a connected accessory.
    case connectNotified
    /// The app was notified of a disconnected accessory.
    case disconnectNotified
    /// A session of the protocol opened.
    case sessionOpened(String)
    /// A session of the protocol was not opened.
    case sessionRefused(String, SessionRefusal)
    /// A session of the protocol ended.
    case sessionClosed(String)
    /// The app opened a stream of a session of the protocol.
    case streamOpened(StreamSide, String)
    /// A stream reported an event to the app.
    case streamEvent(StreamSide, String, StreamEvent)
    /// The app closed a stream.
    case streamClosed(StreamSide, String)
    /// No run loop took the events of a stream.
    case eventsNotTaken(StreamSide, String)
    /// The app's bytes differ from those of the recorded session that the accessory plays; the difference as one line.
    case replayDiffered(String)
    /// A step of the accessory's scenario failed; the step and the reason as one line.
    case scenarioFailed(String)
    /// All steps of the accessory's scenario succeeded.
    case scenarioCompleted
    /// The app entered the background.
    case enteredBackground
    /// The app entered the foreground.
    case enteredForeground
    /// The app was suspended.
    case suspended
    /// The app was resumed.
    case resumed
    /// A stream was used outside the thread of its run loop.
    case usedOnOtherThread(StreamSide, String)
  }

  /// The time since the last reset.
  public var time: Duration
  /// The connection ID of the accessory; 0 for an entry without one.
  public var connectionID: Int
  /// The event.
  public var event: Event
}

/// The direction of a stream of a session.
public enum StreamSide: String, Sendable, Equatable {
  /// The input stream.
  case input
  /// The output stream.
  case output
}

/// An event that a stream reports to its delegate.
public enum StreamEvent: String, Sendable, Equatable {
  /// `Stream.Event.openCompleted`.
  case openCompleted
  /// `Stream.Event.errorOccurred`.
  case errorOccurred
  /// `Stream.Event.hasBytesAvailable`.
  case hasBytesAvailable
  /// `Stream.Event.hasSpaceAvailable`.
  case hasSpaceAvailable
  /// `Stream.Event.endEncountered`.
  case endEncountered
}

/// The entries of the log in order. Only the last ``maximumCount`` are kept.
package final class PlatformLog: Sendable {
  package static let maximumCount = 65_536

  private struct State {
    var entries: [PlatformLogEntry] = []
    var head = 0
    var start = ContinuousClock.now
  }

  private let state = Mutex(State())

  package var entries: [PlatformLogEntry] { state.withLock { Array($0.entries[$0.head...]) } }

  package func add(_ event: PlatformLogEntry.Event, _ connectionID: Int = 0) {
    let now = ContinuousClock.now
    state.withLock { state in
      state.entries.append(PlatformLogEntry(time: now - state.start, connectionID: connectionID, event: event))
      guard state.entries.count - state.head > Self.maximumCount else { return }
      state.head += 1
      guard state.head > Self.maximumCount else { return }
      state.entries.removeFirst(state.head)
      state.head = 0
    }
  }

  package func reset() { state.withLock { $0 = State() } }
}

/// Writes a line for the developer of the app to standard error.
package func note(_ text: String) {
  let line = Array("ExternalAccessory: \(text)\n".utf8)
  _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
