// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats

/// A reader of SDP that learns which RFCOMM channels carry iAP2, from answers with an iAP2 service record and its
/// channel (Bluetooth.md#record; the layouts are those of Bluetooth Core, volume 3, parts A and B).
struct ServiceDiscovery: Sendable {
  /// One direction of a connection between two hosts.
  struct Direction: Hashable {
    var adapter: UInt16
    var handle: UInt16
    var isSent: Bool

    var reversed: Direction { Direction(adapter: adapter, handle: handle, isSent: !isSent) }
  }

  /// A channel with L2CAP frames to one receiver.
  private struct Channel: Hashable {
    var direction: Direction
    var number: UInt16
  }

  /// An RFCOMM server channel, with the direction in which its server sends.
  struct Service: Hashable {
    var server: Direction
    var number: UInt8
  }

  private(set) var services: Set<Service> = []
  /// The last side that offered a service on a connection, by adapter and handle.
  private var owners: [UInt32: (isSent: Bool, side: Side)] = [:]
  /// SDP channels whose connection was requested, keyed by the channel of the response.
  private var requested: Set<Channel> = []
  /// SDP channels on which answers arrive, each with the part of a continued answer received so far.
  private var answers: [Channel: [UInt8]] = [:]

  /// The maximum number of connections, channels and services to remember; an adapter has seven connections at once.
  private static let maximumCount = 1024
  /// The maximum length of an answer. A record of iAP2 has some 100 bytes; phones answer a request for all records with
  /// a few thousand.
  private static let maximumAnswerByteCount = 1 << 14
  private static let signalling: UInt16 = 1
  private static let serviceDiscovery: UInt16 = 1
  private static let links: [(uuid: BluetoothUUID, side: Side)] = [
    (BluetoothService.accessory.uuid, .accessory), (BluetoothService.device.uuid, .device),
  ]

  /// Takes an L2CAP frame of a channel.
  mutating func take(_ frame: RawSpan, channel: UInt16, _ direction: Direction) {
    if channel == Self.signalling { return signal(frame, direction) }
    let key = Channel(direction: direction, number: channel)
    if answers[key] != nil { answer(frame, key) }
  }

  /// Returns the end of a connection that offers an iAP2 service, and its side; nil while no answer shows one. End 0 is
  /// the host of the log.
  func evidence(adapter: UInt16, handle: UInt16) -> SideEvidence? {
    owners[Self.key(adapter, handle)].map { SideEvidence(.service, end: $0.isSent ? 0 : 1, is: $0.side) }
  }

  private static func key(_ adapter: UInt16, _ handle: UInt16) -> UInt32 { UInt32(adapter) << 16 | UInt32(handle) }

  /// Removes everything about a handle, because the next connection may reuse it.
  mutating func forget(adapter: UInt16, handle: UInt16) {
    func isOfIt(_ direction: Direction) -> Bool { direction.adapter == adapter && direction.handle == handle }
    services = services.filter { !isOfIt($0.server) }
    owners[Self.key(adapter, handle)] = nil
    requested = requested.filter { !isOfIt($0.direction) }
    answers = answers.filter { !isOfIt($0.key.direction) }
  }

  // MARK: L2CAP

  /// Reads L2CAP signaling commands: code, identifier, length, data.
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
        // Result 1 is "pending": another response follows.
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

  /// Reads an SDP response: kind, transaction, length; then the byte count of attributes, the attributes and the
  /// continuation state.
  private mutating func answer(_ frame: RawSpan, _ key: Channel) {
    guard frame.byteCount >= 7, [0x05, 0x07].contains(frame.byte(0)) else { return }
    let end = 7 + Int(frame.bigEndian16(5))
    guard end < frame.byteCount, var bytes = answers[key] else { return }
    let hasRest = frame.byte(end) != 0
    // Bytes beyond the maximum are dropped.
    if bytes.count + end - 7 <= Self.maximumAnswerByteCount { bytes.append(copying: frame.extracting(7..<end)) }
    answers[key] = hasRest ? bytes : []
    guard !hasRest, services.count < Self.maximumCount else { return }
    for (uuid, side) in Self.links {
      let found = ServiceRecord.channels(bytes.rawBytes, isList: frame.byte(0) == 0x07, of: [uuid])
      guard !found.isEmpty else { continue }
      for number in found { services.insert(Service(server: key.direction, number: number)) }
      owners[Self.key(key.direction.adapter, key.direction.handle)] = (key.direction.isSent, side)
    }
  }
}
