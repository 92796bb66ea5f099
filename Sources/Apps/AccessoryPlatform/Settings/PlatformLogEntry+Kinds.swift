// swift-iap2 · Apache-2.0

package import Basics

// The kinds and the records of the log's events, for text, JSON and diagrams. No other file declares them. A text is the
// call or the notification as the app sees it, a colon, and the details.
extension PlatformLogEntry.Event {
  private enum Kinds {
    static let theProtocol = EventField<String>("protocol", "the name of the protocol")
    static let stream = EventField<String>("stream", "`input` or `output`")
    static let reason = EventField<String>("reason", "the reason as one line")

    static let connected = EventKind(
      "connected", "The accessory is connected, authenticated and identified.", .notice, text: "connected: {accessory}",
      EventField<String>("accessory", "the name of the accessory"))
    static let disconnected = EventKind(
      "disconnected", "The accessory left the list of connected accessories.", .notice, text: "disconnected")
    static let connectNotified = EventKind(
      "connectNotified", "The app was notified of a connected accessory.", text: "EAAccessoryDidConnect")
    static let disconnectNotified = EventKind(
      "disconnectNotified", "The app was notified of a disconnected accessory.", text: "EAAccessoryDidDisconnect")
    static let sessionOpened = EventKind(
      "sessionOpened", "A session opened.", text: "EASession: {protocol}", theProtocol)
    static let sessionRefused = EventKind(
      "sessionRefused", "A session was not opened.", .warning, text: "EASession: nil, {reason}, {protocol}",
      theProtocol,
      EventField<String>("reason", SessionRefusal.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")))
    static let sessionClosed = EventKind(
      "sessionClosed", "A session ended.", text: "session ended: {protocol}", theProtocol)
    static let streamOpened = EventKind(
      "streamOpened", "The app opened a stream.", text: "{stream} open: {protocol}", stream, theProtocol)
    static let streamEvent = EventKind(
      "streamEvent", "A stream reported an event to the app.", .content, text: "{stream} {name}: {protocol}", stream,
      theProtocol, EventField<String>("name", "the event of `Stream.Event`"))
    static let streamClosed = EventKind(
      "streamClosed", "The app closed a stream.", text: "{stream} close: {protocol}", stream, theProtocol)
    static let eventsNotTaken = EventKind(
      "eventsNotTaken", "No run loop took the events of a stream.", .warning,
      text: "{stream} events: no run loop took them, {protocol}", stream, theProtocol)
    static let replayDiffered = EventKind(
      "replayDiffered", "The app's bytes differ from those of the recorded session.", .warning,
      text: "recording differs: {reason}", reason)
    static let scenarioFailed = EventKind(
      "scenarioFailed", "A step of the accessory's scenario failed.", .warning, text: "scenario failed: {reason}",
      reason)
    static let scenarioCompleted = EventKind(
      "scenarioCompleted", "All steps of the accessory's scenario succeeded.", text: "scenario completed")
    static let enteredBackground = EventKind(
      "enteredBackground", "The app entered the background.", .notice, text: "background")
    static let enteredForeground = EventKind(
      "enteredForeground", "The app entered the foreground.", .notice, text: "foreground")
    static let suspended = EventKind("suspended", "The app was suspended.", .notice, text: "suspended")
    static let resumed = EventKind("resumed", "The app was resumed.", .notice, text: "resumed")
    static let usedOnOtherThread = EventKind(
      "usedOnOtherThread", "A stream was used outside the thread of its run loop.", .warning,
      text: "{stream} use: outside the thread of its run loop, {protocol}", stream, theProtocol)
  }

  /// The event as a record of its kind.
  package var record: EventRecord {
    switch self {
    case .connected(let name): Kinds.connected(name)
    case .disconnected: Kinds.disconnected()
    case .connectNotified: Kinds.connectNotified()
    case .disconnectNotified: Kinds.disconnectNotified()
    case .sessionOpened(let name): Kinds.sessionOpened(name)
    case .sessionRefused(let name, let reason): Kinds.sessionRefused(name, reason.rawValue)
    case .sessionClosed(let name): Kinds.sessionClosed(name)
    case .streamOpened(let side, let name): Kinds.streamOpened(side.rawValue, name)
    case .streamEvent(let side, let name, let event): Kinds.streamEvent(side.rawValue, name, event.rawValue)
    case .streamClosed(let side, let name): Kinds.streamClosed(side.rawValue, name)
    case .eventsNotTaken(let side, let name): Kinds.eventsNotTaken(side.rawValue, name)
    case .replayDiffered(let text): Kinds.replayDiffered(text)
    case .scenarioFailed(let text): Kinds.scenarioFailed(text)
    case .scenarioCompleted: Kinds.scenarioCompleted()
    case .enteredBackground: Kinds.enteredBackground()
    case .enteredForeground: Kinds.enteredForeground()
    case .suspended: Kinds.suspended()
    case .resumed: Kinds.resumed()
    case .usedOnOtherThread(let side, let name): Kinds.usedOnOtherThread(side.rawValue, name)
    }
  }
}

extension PlatformLogEntry: CustomStringConvertible {
  /// The entry as one line: the seconds since the last reset, the event, and the connection ID.
  public var description: String {
    "\(time.secondsText) s  \(event.record.text)" + (connectionID == 0 ? "" : "  (connection \(connectionID))")
  }
}

extension PlatformLogEntry: Encodable {
  private enum Key: String, CodingKey { case connection }

  /// Encodes the entry as one object, like the events of the commands: `event`, the fields of its kind, `role`, `time`
  /// in seconds, and `connection`, which an entry without an accessory lacks.
  public func encode(to encoder: any Encoder) throws {
    let time = MonotonicTime.zero.advanced(by: time)
    try EventLine(event.record, role: "app", at: time).encode(to: encoder)
    var object = encoder.container(keyedBy: Key.self)
    if connectionID != 0 { try object.encode(connectionID, forKey: .connection) }
  }
}
