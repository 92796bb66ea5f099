// swift-iap2 · Apache-2.0

/// An event as one JSON object: `event`, `role`, `time` in seconds, and the fields of its kind.
public struct EventLine: Sendable, Encodable {
  /// The event.
  public var record: EventRecord
  /// The role whose event it is.
  public var role: String
  /// The time of the event.
  public var time: MonotonicTime

  /// Creates a line.
  public init(_ record: EventRecord, role: String, at time: MonotonicTime) {
    (self.record, self.role, self.time) = (record, role, time)
  }

  /// Encodes the object.
  public func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder)
    var line = encoder.container(keyedBy: EventKey.self)
    try line.encode(role, forKey: EventKey("role"))
    try line.encode(time.seconds, forKey: EventKey("time"))
  }
}

extension EventRecord: Encodable {
  /// Encodes the event as one JSON object: `event`, and the fields of its kind.
  public func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: EventKey.self)
    try line.encode(declaration.name, forKey: EventKey("event"))
    for value in values { try line.encode(value.value, forKey: EventKey(value.name)) }
  }
}

/// A key of an event in JSON.
struct EventKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
