// swift-iap2 · Apache-2.0

package import Basics
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Roles

/// The kinds of events of a replay.
private enum Kinds {
  private static let direction = EventField<String>("direction", "`sent` by this side, or `received`")
  private static let id = EventField<String?>("id", "the identifier of the message")
  private static let name = EventField<String?>("name", "the name of the message")
  private static let step = EventField<Int?>("step", "the step of the recording, from 1; none if it lacks this")
  private static let record = EventField<Int?>("record", "the record of the step in the capture, from 1")
  private static let byteCount = EventField<Int>("byteCount", "the number of bytes")
  private static let file = EventField<Int?>("file", "the identifier of the file transfer")
  private static let reason = EventField<String>("reason", "the text for people")

  static let linkUp = EventKind("linkUp", "The link came up.", .notice)
  static let message = EventKind(
    "message", "A control message passed.", .content, direction, id, name, byteCount, step, record)
  static let data = EventKind(
    "externalAccessoryData", "Data of an EA session passed.", .content, direction,
    EventField<String>("protocol", "the session's protocol"), byteCount, step, record)
  static let transfer = EventKind(
    "fileTransfer", "A file was offered.", .content, direction, file, byteCount, step, record)
  static let overdue = EventKind(
    "overdue", "A step of the recording did not come in time; the replay goes on.", .warning, id, name, step, record)
  static let ready = EventKind("ready", "A step waits for permission.", .notice, id, name, step, record)
  static let note = EventKind("note", "A note for the user.", .notice, text: "{reason}", reason)
  static let difference = EventKind(
    "difference", "The peer did something else than in the recording.", .warning,
    EventField<String>("difference", "the kind"), step, record, id, name,
    EventField<String?>("protocol", "the protocol of the EA session"), file,
    EventField<[Int]?>("path", "the identifiers of the parameter and of the groups around it"),
    EventField<String?>("field", "the parameter by its names, or the kind of an identifier"),
    EventField<Int?>("offset", "the first byte that differs"),
    EventField<EventAnything?>("recorded", "the value in the recording"),
    EventField<EventAnything?>("live", "the value now"),
    EventField<String?>("tolerated", "the reason why it does not count"),
    EventField<String?>("reason", "the text for people"))
  static let violation = EventKind(
    "violation", "The peer violated the protocol.", .warning, text: "{reason}", reason, id)
  static let disconnected = EventKind(
    "disconnected", "The connection ended.", .end, text: "{cause}", EventField<String>("cause", "the cause"))
  static let eventsLost = EventKind(
    "eventsLost", "Events were not shown, because they came too fast.", .warning, text: "{reason}", reason)
}

extension ReplayEvent {
  /// The end of a replay.
  static let finished = EventKind(
    "finished", "The end of the replay.", .end, EventField<Bool>("ok", "whether all differences are tolerated"),
    EventField<Int>("differences", "the number of differences"),
    EventField<Int>("tolerated", "the number of those that are tolerated"),
    EventField<Int>("loops", "the number of replays"), EventField<Int>("sent", "the number of messages sent"),
    EventField<Int>("received", "the number of messages received"),
    EventField<Int>("matched", "the number of received messages that the recording has"),
    EventField<Double>("time", "seconds"))

  /// The kinds of events of a replay.
  package static let declarations = [
    Kinds.linkUp.declaration, Kinds.message.declaration, Kinds.data.declaration, Kinds.transfer.declaration,
    Kinds.overdue.declaration, Kinds.ready.declaration, Kinds.note.declaration, Kinds.difference.declaration,
    Kinds.violation.declaration, Kinds.disconnected.declaration, Kinds.eventsLost.declaration,
    finished.declaration,
  ]

  /// Returns the event as records of its kind, with a record for each difference in it; none for an input.
  package func records(of script: ReplayScript) -> [EventRecord] {
    switch self {
    case .linkUp: return [Kinds.linkUp()]
    case .sent(let message, let step): return [Self.record("sent", message, step, script)]
    case .sentData(let session, let byteCount, let step):
      return [Self.record("sent", session: session, byteCount, step, script)]
    case .offeredFile(let index, let step):
      let file = script.files[index]
      return [Kinds.transfer("sent", Int(file.id), file.bytes.count, step + 1, script.steps[step].record)]
    case .received(let message, let step, let differences):
      return [Self.record("received", message, step, script)] + differences.map { Self.record($0, script) }
    case .receivedData(let session, let byteCount):
      return [Self.record("received", session: session, byteCount, nil, script)]
    case .receivedFile(let id, let byteCount, let step):
      return [
        Kinds.transfer("received", Int(id), byteCount, step.map { $0 + 1 }, step.map { script.steps[$0].record })
      ]
    case .overdue(let step):
      let (id, name) = Self.message(of: step, script)
      return [Kinds.overdue(id, name, step + 1, script.steps[step].record)]
    case .ready(let step):
      let (id, name) = Self.message(of: step, script)
      return [Kinds.ready(id, name, step + 1, script.steps[step].record)]
    case .note(let note): return [Kinds.note(ReplayWords.text(note, script))]
    case .difference(let difference): return [Self.record(difference, script)]
    case .violation(let violation):
      return [Kinds.violation(ViolationText.text(violation), violation.message.map(MessageCatalog.text))]
    case .disconnected(let cause): return [Kinds.disconnected(cause.rawValue)]
    case .eventsLost(let count):
      return [Kinds.eventsLost("\(count) events were not shown, because they came too fast")]
    case .input: return []
    }
  }

  private static func message(of step: Int, _ script: ReplayScript) -> (id: String?, name: String?) {
    guard case .message(let bytes) = script.steps[step].content else { return (nil, nil) }
    let id = ControlHeader.id(of: bytes)
    return (MessageCatalog.text(id), MessageCatalog[id]?.name)
  }

  private static func record(
    _ direction: String, _ message: [UInt8], _ step: Int?, _ script: ReplayScript
  ) -> EventRecord {
    let id = ControlHeader.id(of: message)
    return Kinds.message(
      direction, MessageCatalog.text(id), MessageCatalog[id]?.name, message.count, step.map { $0 + 1 },
      step.map { script.steps[$0].record })
  }

  private static func record(
    _ direction: String, session: Int, _ byteCount: Int, _ step: Int?, _ script: ReplayScript
  ) -> EventRecord {
    Kinds.data(
      direction, ComparisonWords.name(script.sessions[session]), byteCount, step.map { $0 + 1 },
      step.map { script.steps[$0].record })
  }

  // MARK: Differences

  /// The values of a difference that depend on its kind.
  private struct Change {
    var path: [Int]?
    var field: String?
    var offset: Int?
    var recorded: EventValue?
    var live: EventValue?
    var reason: String?
  }

  private static func record(_ found: ReplayDifference, _ script: ReplayScript) -> EventRecord {
    var (id, name, session, file): (String?, String?, String?, Int?) = (nil, nil, nil, nil)
    switch found.subject {
    case .message(let number): (id, name) = (MessageCatalog.text(number), MessageCatalog[number]?.name)
    case .externalAccessory(let index): session = ComparisonWords.name(script.sessions[index])
    case .file(let number): file = Int(number)
    case .connection: break
    }
    let change = change(of: found)
    return Kinds.difference(
      found.kind.name.rawValue, found.record == nil ? nil : found.step + 1, found.record, id, name, session, file,
      change.path, change.field, change.offset, change.recorded.map { EventAnything($0) },
      change.live.map { EventAnything($0) }, found.tolerance?.text, change.reason)
  }

  private static func change(of found: ReplayDifference) -> Change {
    switch found.kind {
    case .missing, .extra, .order, .messageBytes: Change()
    case .parameter(let parameter):
      Change(
        path: parameter.path.map { Int($0.id) }, field: ComparisonWords.path(parameter),
        recorded: parameter.a.map(FeatureValues.eventValue), live: parameter.b.map(FeatureValues.eventValue))
    case .identifier(let space, let before, let now):
      Change(
        field: space.rawValue, recorded: FeatureValues.eventValue(before), live: FeatureValues.eventValue(now))
    case .data(let place, let before, let now), .fileData(let place, let before, let now):
      Change(offset: place.offset, recorded: .integer(before), live: .integer(now))
    case .fileSetup(let before, let now):
      Change(recorded: .text(ComparisonWords.setup(before)), live: .text(ComparisonWords.setup(now)))
    case .fileOutcome(let before, let now): Change(recorded: .text(before.rawValue), live: .text(now.rawValue))
    case .authentication(let reason): Change(reason: reason)
    case .connection: Change(reason: ReplayWords.what(found))
    }
  }
}
