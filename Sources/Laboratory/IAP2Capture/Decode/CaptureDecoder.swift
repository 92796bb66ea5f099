// swift-iap2 · Apache-2.0

import IAP2

/// A decoder for the bytes of one connection, record by record. Each side is one byte stream: packets may span records.
///
/// Damage never stops it: bytes that cannot be read are reported in `error` lines, a long run of them in one line.
public struct CaptureDecoder: Sendable {
  private var connection = ConnectionDecoder()
  /// Whether anything other than damage was found.
  public private(set) var hasDecoded = false

  /// Creates a decoder for a new connection.
  public init() {}

  /// Returns the findings that this record completes.
  public mutating func decode(_ record: CaptureRecord) -> [DecodedLine] {
    var sink = LineSink()
    let place = DecodedPlace(record: record.number, time: record.time, from: record.from)
    connection.decode(record.bytes.rawBytes, at: place, &sink)
    return note(sink.take())
  }

  /// Returns the remaining findings after the last record.
  ///
  /// - Parameter number: the number of the last record.
  /// - Parameter time: the time of that record in seconds; nil without times.
  public mutating func finish(number: Int, time: Double?) -> [DecodedLine] {
    var sink = LineSink()
    connection.finish(record: number, time: time, &sink)
    return note(sink.take())
  }

  private mutating func note(_ lines: [DecodedLine]) -> [DecodedLine] {
    if lines.contains(where: { if case .error = $0.content { false } else { true } }) { hasDecoded = true }
    return lines
  }
}

/// A decoder of both byte streams of one connection.
struct ConnectionDecoder: Sendable {
  private var accessory = StreamDecoder()
  private var device = StreamDecoder()
  /// The sessions of the last SYN or SYN+ACK; nil before one.
  private var sessions: SessionTable?

  /// Decodes the next bytes of the place's side.
  mutating func decode<Sink: DecodedSink>(_ bytes: RawSpan, at place: DecodedPlace, _ sink: inout Sink) {
    var other = place
    other.from = place.from.peer
    switch place.from {
    case .accessory:
      accessory.decode(bytes, sessions: &sessions, at: place, &sink)
      if let number = accessory.acknowledgement { device.acknowledge(number, at: other, &sink) }
    case .device:
      device.decode(bytes, sessions: &sessions, at: place, &sink)
      if let number = device.acknowledgement { accessory.acknowledge(number, at: other, &sink) }
    }
  }

  /// Ends the packet that the place's side began, because the capture lacks its rest.
  mutating func endCut<Sink: DecodedSink>(at place: DecodedPlace, _ sink: inout Sink) {
    switch place.from {
    case .accessory: accessory.endCut(sessions: &sessions, at: place, &sink)
    case .device: device.endCut(sessions: &sessions, at: place, &sink)
    }
  }

  /// Reports one whole control message, from a log without link packets.
  mutating func message<Sink: DecodedSink>(_ bytes: RawSpan, at place: DecodedPlace, _ sink: inout Sink) {
    sink.message(bytes, offset: 0, at: place)
  }

  mutating func finish<Sink: DecodedSink>(record: Int, time: Double?, flow: Int = 0, _ sink: inout Sink) {
    accessory.finish(
      sessions: &sessions, at: DecodedPlace(record: record, time: time, from: .accessory, flow: flow), &sink)
    device.finish(sessions: &sessions, at: DecodedPlace(record: record, time: time, from: .device, flow: flow), &sink)
  }
}

/// The types of the agreed sessions, by session id.
struct SessionTable: Sendable {
  private var types = InlineArray<256, UInt8>(repeating: Self.none)
  private static let none: UInt8 = 0xFF

  init(_ sessions: [LinkSession]) {
    for session in sessions where types[Int(session.id)] == Self.none { types[Int(session.id)] = session.type.rawValue }
  }

  subscript(_ id: UInt8) -> LinkSessionType? {
    let type = types[Int(id)]
    return type == Self.none ? nil : LinkSessionType(rawValue: type)
  }
}
