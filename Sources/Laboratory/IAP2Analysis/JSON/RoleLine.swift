// swift-iap2 · Apache-2.0

package import Basics
package import IAP2Roles

/// A line of a role event.
package struct RoleLine: Encodable {
  /// The role that reports the event.
  package var role: Role
  /// The event and its time.
  package var timed: TimedEvent
  /// The event with its values; nil if no output has it.
  package let record: EventRecord?

  /// Creates the line of an event.
  package init(role: Role, timed: TimedEvent) {
    (self.role, self.timed) = (role, timed)
    record = timed.event.record
  }

  /// Whether the event has a line in JSON.
  package var hasJSON: Bool { record?.declaration.audience == .everybody }

  /// The text of an event that JSON has not as a line, for standard error; nil for other events.
  package var warning: String? {
    guard let record, case (.people, .warning) = (record.declaration.audience, record.declaration.severity) else {
      return nil
    }
    return record.text
  }

  package func encode(to encoder: any Encoder) throws {
    if let record { try EventLine(record, role: role.rawValue, at: timed.time).encode(to: encoder) }
  }
}
