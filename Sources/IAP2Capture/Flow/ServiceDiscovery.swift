// swift-iap2 · Apache-2.0

import IAP2

/// Learns from SDP which RFCOMM channels are iAP2: from answers with a record of its service and the channel it is on
/// (link-and-sessions, section 10.4; the layouts are those of Bluetooth Core, volume 3, parts A and B).
struct ServiceDiscovery: Sendable {
  /// One direction of one connection between two hosts.
  struct Direction: Hashable {
    var adapter: UInt16
    var handle: UInt16
    var isSent: Bool

    var reversed: Direction { Direction(adapter: adapter, handle: handle, isSent: !isSent) }
  }

  /// L2CAP frames to one receiver.
  private struct Channel: Hashable {
    var direction: Direction
    var number: UInt16
  }

  /// An RFCOMM server channel: the direction in which its server sends.
  struct Service: Hashable {
    var server: Direction
    var number: UInt8
  }

  private(set) var services: Set<Service> = []
  /// Channels that were asked for; keyed by where the answer will be.
  private var requested: Set<Channel> = []
  /// On which answers of SDP come, and the part of a long answer that came so far.
  private var answers: [Channel: [UInt8]] = [:]

  /// Connections, channels and services remembered: an adapter has seven connections at once.
  private static let maximumCount = 1024
  /// A record of iAP2 has some 100 bytes; phones answer a question for everything with a few thousand.
  private static let maximumAnswerByteCount = 1 << 14
  private static let signalling: UInt16 = 1
  private static let serviceDiscovery: UInt16 = 1

  /// A frame of L2CAP to a channel.
  mutating func take(_ frame: RawSpan, channel: UInt16, _ direction: Direction) {
    if channel == Self.signalling { return signal(frame, direction) }
    let key = Channel(direction: direction, number: channel)
    if answers[key] != nil { answer(frame, key) }
  }

  /// Another host may have this handle next.
  mutating func forget(adapter: UInt16, handle: UInt16) {
    func isOfIt(_ direction: Direction) -> Bool { direction.adapter == adapter && direction.handle == handle }
    services = services.filter { !isOfIt($0.server) }
    requested = requested.filter { !isOfIt($0.direction) }
    answers = answers.filter { !isOfIt($0.key.direction) }
  }

  // MARK: L2CAP

  /// Commands: code, identifier, length, data.
  private mutating func signal(_ frame: RawSpan, _ direction: Direction) {
    var offset = 0
    while offset + 4 <= frame.byteCount {
      let end = offset + 4 + Int(frame.integer(offset + 2, isLittleEndian: true) as UInt16)
      guard end <= frame.byteCount else { return }
      switch (frame.byte(offset), end - offset - 4) {
      case (0x02, 4...):
        guard frame.integer(offset + 4, isLittleEndian: true) == Self.serviceDiscovery,
          requested.count < Self.maximumCount
        else { break }
        let source: UInt16 = frame.integer(offset + 6, isLittleEndian: true)
        requested.insert(Channel(direction: direction.reversed, number: source))
      case (0x03, 8...):
        let source: UInt16 = frame.integer(offset + 6, isLittleEndian: true)
        let result: UInt16 = frame.integer(offset + 8, isLittleEndian: true)
        // 1: the answer proper comes later.
        guard result != 1, requested.remove(Channel(direction: direction, number: source)) != nil, result == 0,
          answers.count < Self.maximumCount
        else { break }
        answers[Channel(direction: direction, number: source)] = []
      default: break
      }
      offset = end
    }
  }

  // MARK: SDP

  /// An answer: kind, transaction, length; how many bytes of attributes, those, and where the rest is.
  private mutating func answer(_ frame: RawSpan, _ key: Channel) {
    guard frame.byteCount >= 7, [0x05, 0x07].contains(frame.byte(0)) else { return }
    let end = 7 + Int(frame.bigEndian16(5))
    guard end < frame.byteCount, var bytes = answers[key] else { return }
    let hasRest = frame.byte(end) != 0
    // An answer with more than anybody has is of no use.
    if bytes.count + end - 7 <= Self.maximumAnswerByteCount { bytes.append(copying: frame.extracting(7..<end)) }
    answers[key] = hasRest ? bytes : []
    guard !hasRest, services.count < Self.maximumCount else { return }
    let found = ServiceRecord.channels(bytes.rawBytes, isList: frame.byte(0) == 0x07)
    for number in found { services.insert(Service(server: key.direction, number: number)) }
  }
}

/// The attributes of a service.
enum ServiceRecord {
  /// 00000000-deca-fade-deca-deafdecacaff of the accessory, …cafe of the device.
  private static let services: [[UInt8]] = [0xFF, 0xFE].map {
    [0, 0, 0, 0, 0xDE, 0xCA, 0xFA, 0xDE, 0xDE, 0xCA, 0xDE, 0xAF, 0xDE, 0xCA, 0xCA, $0]
  }
  private static let classes: UInt64 = 0x0001
  private static let protocols: UInt64 = 0x0004
  private static let rfcomm: UInt64 = 0x0003

  /// The RFCOMM channels of the records that are iAP2.
  ///
  /// - Parameter isList: a sequence of records, not one.
  static func channels(_ bytes: RawSpan, isList: Bool) -> [UInt8] {
    guard let whole = ServiceElement(bytes, 0..<bytes.byteCount), whole.isSequence else { return [] }
    let records = isList ? whole.elements(bytes) : [whole]
    return records.compactMap { record in record.isSequence ? channel(bytes, record) : nil }
  }

  private static func channel(_ bytes: RawSpan, _ record: ServiceElement) -> UInt8? {
    var isOurs = false
    var number: UInt8?
    var id: UInt64?
    for element in record.elements(bytes) {
      // Id and value take turns.
      guard let attribute = id else {
        id = element.number(bytes)
        guard id != nil else { return nil }
        continue
      }
      id = nil
      if attribute == classes { isOurs = element.elements(bytes).contains { isService(bytes, $0) } }
      if attribute == protocols { number = element.elements(bytes).compactMap { rfcommChannel(bytes, $0) }.first }
    }
    return isOurs ? number : nil
  }

  private static func isService(_ bytes: RawSpan, _ element: ServiceElement) -> Bool {
    guard element.kind == .uuid, element.content.count == 16 else { return false }
    let uuid = [UInt8](copying: bytes.extracting(element.content))
    return services.contains(uuid)
  }

  /// Of RFCOMM's entry in a list of protocols.
  private static func rfcommChannel(_ bytes: RawSpan, _ element: ServiceElement) -> UInt8? {
    let parts = element.elements(bytes)
    guard parts.count >= 2, parts[0].kind == .uuid, parts[0].number(bytes) == rfcomm else { return nil }
    return parts[1].number(bytes).flatMap { (1...30).contains($0) ? UInt8($0) : nil }
  }
}

/// A data element of SDP: kind and size in one byte, a length where the size says so, content.
struct ServiceElement {
  enum Kind: UInt8 { case none, unsigned, signed, uuid, text, bool, sequence, alternative, url }

  let kind: Kind
  let content: Range<Int>

  /// Nil where there is no whole one.
  init?(_ bytes: RawSpan, _ range: Range<Int>) {
    guard let first = range.first, let kind = Kind(rawValue: bytes.byte(first) >> 3) else { return nil }
    let size = Int(bytes.byte(first) & 7)
    // 5 to 7: a length of one, two or four bytes follows.
    let lengthCount = size < 5 ? 0 : 1 << (size - 5)
    let start = first + 1 + lengthCount
    guard start <= range.upperBound else { return nil }
    let length = (first + 1..<start).reduce(0) { $0 << 8 | Int(bytes.byte($1)) }
    let count = size < 5 ? (kind == .none ? 0 : 1 << size) : length
    guard count <= range.upperBound - start else { return nil }
    self.kind = kind
    content = start..<(start + count)
  }

  var isSequence: Bool { kind == .sequence || kind == .alternative }

  /// What a sequence has in it, as far as it is whole.
  func elements(_ bytes: RawSpan) -> [ServiceElement] {
    guard isSequence else { return [] }
    var all: [ServiceElement] = []
    var offset = content.lowerBound
    while let element = ServiceElement(bytes, offset..<content.upperBound) {
      all.append(element)
      offset = element.content.upperBound
    }
    return all
  }

  /// Of a number or a UUID that stands for one; nil for anything else.
  func number(_ bytes: RawSpan) -> UInt64? {
    guard kind == .unsigned || kind == .uuid, (1...8).contains(content.count) else { return nil }
    return content.reduce(0) { $0 << 8 | UInt64(bytes.byte($1)) }
  }
}
