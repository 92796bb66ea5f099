// swift-iap2 · Apache-2.0

/// An event as one JSON object: `event`, `role`, `time` in seconds, and the fields of its kind.
public struct EventLine: Sendable, Encodable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

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
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(record.declaration.name, forKey: Key("event"))
    try line.encode(role, forKey: Key("role"))
    try line.encode(time.seconds, forKey: Key("time"))
    for value in record.values { try line.encode(value.value, forKey: Key(value.name)) }
  }
}
