// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Analysis
import IAP2Capture
package import IAP2Roles

/// A line of a replay in JSON. The event decides which keys it has.
package struct ReplayLine: Encodable {
  var time: Double
  var role: String
  var event: String
  var direction: String?
  var id: String?
  var name: String?
  /// The number of the step in the script, from 1.
  var step: Int?
  var record: Int?
  var byteCount: Int?
  var file: UInt8?
  var externalAccessoryProtocol: String?
  /// The kind of a difference.
  var difference: String?
  var path: [UInt16]?
  var field: String?
  var offset: Int?
  var recorded: ComparisonLine.Value?
  var live: ComparisonLine.Value?
  var tolerated: String?
  var reason: String?
  var cause: String?

  private enum CodingKeys: String, CodingKey {
    case time, role, event, direction, id, name, step, record, byteCount, file, difference, path, field, offset
    case recorded, live, tolerated, reason, cause
    case externalAccessoryProtocol = "protocol"
  }

  private init(_ role: Role, _ time: MonotonicTime, _ event: String) {
    self.time = time.seconds
    self.role = role.rawValue
    self.event = event
  }

  /// Returns the line of an event and a line for each difference in it.
  package static func lines(
    role: Role, time: MonotonicTime, event: ReplayEvent, script: ReplayScript
  ) -> [ReplayLine] {
    guard let line = ReplayLine(role: role, time: time, event: event, script: script) else { return [] }
    guard case .received(_, _, let found) = event else { return [line] }
    return [line] + found.map { ReplayLine(role, time, $0, script) }
  }

  /// Returns nil for an event that has no line.
  private init?(role: Role, time: MonotonicTime, event: ReplayEvent, script: ReplayScript) {
    self.init(role, time, Self.name(event))
    switch event {
    case .linkUp: break
    case .sent(let message, let step): describe(message, step, "sent", script)
    case .sentData(let session, let byteCount, let step):
      describe(session, byteCount, "sent", script)
      place(step, script)
    case .offeredFile(let index, let step):
      (direction, file, byteCount) = ("sent", script.files[index].id, script.files[index].bytes.count)
      place(step, script)
    case .received(let message, let step, _): describe(message, step, "received", script)
    case .receivedData(let session, let byteCount): describe(session, byteCount, "received", script)
    case .receivedFile(let id, let byteCount, let step):
      (direction, file, self.byteCount) = ("received", id, byteCount)
      place(step, script)
    case .overdue(let step), .ready(let step):
      place(step, script)
      if case .message(let bytes) = script.steps[step].content { describe(ControlHeader.id(of: bytes)) }
    case .note(let note): reason = ReplayWords.text(note, script)
    case .difference(let difference): self = ReplayLine(role, time, difference, script)
    case .violation(let violation):
      reason = ViolationText.text(violation)
      id = violation.message.map(MessageCatalog.text)
    case .eventsLost(let count): reason = "\(count) events were not shown, because they came too fast"
    case .input: return nil
    case .disconnected(let cause): self.cause = cause.rawValue
    }
  }

  private static func name(_ event: ReplayEvent) -> String {
    switch event {
    case .linkUp: "linkUp"
    case .sent, .received: "message"
    case .sentData, .receivedData: "externalAccessoryData"
    case .offeredFile, .receivedFile: "fileTransfer"
    case .overdue: "overdue"
    case .ready: "ready"
    case .note: "note"
    case .difference: "difference"
    case .violation: "violation"
    case .disconnected: "disconnected"
    case .eventsLost: "eventsLost"
    case .input: "heard"
    }
  }

  private init(_ role: Role, _ time: MonotonicTime, _ found: ReplayDifference, _ script: ReplayScript) {
    self.init(role, time, "difference")
    difference = found.kind.name.rawValue
    record = found.record
    if found.record != nil { step = found.step + 1 }
    tolerated = found.tolerance?.text
    switch found.subject {
    case .message(let id): describe(id)
    case .externalAccessory(let index): externalAccessoryProtocol = ComparisonWords.name(script.sessions[index])
    case .file(let id): file = id
    case .connection: break
    }
    switch found.kind {
    case .missing, .extra, .order, .messageBytes: break
    case .parameter(let parameter):
      path = parameter.path.map(\.id)
      field = ComparisonWords.path(parameter)
      recorded = parameter.a.map(ComparisonLine.Value.parameter)
      live = parameter.b.map(ComparisonLine.Value.parameter)
    case .identifier(let space, let before, let now):
      field = space.rawValue
      (recorded, live) = (.parameter(before), .parameter(now))
    case .data(let place, let before, let now), .fileData(let place, let before, let now):
      (offset, recorded, live) = (place.offset, .number(before), .number(now))
    case .fileSetup(let before, let now):
      (recorded, live) = (.text(ComparisonWords.setup(before)), .text(ComparisonWords.setup(now)))
    case .fileOutcome(let before, let now): (recorded, live) = (.text(before.rawValue), .text(now.rawValue))
    case .authentication(let reason): self.reason = reason
    case .connection: reason = ReplayWords.what(found)
    }
  }

  private mutating func describe(_ id: UInt16) {
    self.id = MessageCatalog.text(id)
    name = MessageCatalog[id]?.name
  }

  private mutating func describe(_ message: [UInt8], _ step: Int?, _ direction: String, _ script: ReplayScript) {
    describe(ControlHeader.id(of: message))
    (self.direction, byteCount) = (direction, message.count)
    place(step, script)
  }

  private mutating func describe(_ session: Int, _ count: Int, _ direction: String, _ script: ReplayScript) {
    (self.direction, byteCount) = (direction, count)
    externalAccessoryProtocol = ComparisonWords.name(script.sessions[session])
  }

  private mutating func place(_ step: Int?, _ script: ReplayScript) {
    guard let step else { return }
    self.step = step + 1
    record = script.steps[step].record
  }
}
