// swift-iap2 · Apache-2.0

import Foundation
import IAP2

/// Two endpoints joined in memory, link up, EA session 1 open on both.
struct JoinedEndpoints {
  var accessory: Endpoint
  var device: Endpoint

  init(window: UInt8, packetLength: UInt16) {
    var offer = LinkSynchronization.standard
    offer.maxOutstandingPackets = window
    offer.maxPacketLength = packetLength
    let preferences = LinkPreferences(offer: offer)
    accessory = Endpoint(side: .accessory, preferences: preferences)
    device = Endpoint(side: .device, preferences: preferences)
    accessory.start(at: .zero)
    device.start(at: .zero)
    while !accessory.isUp || !device.isUp { exchange() }
    do {
      try accessory.openExternalAccessory(1)
      try device.openExternalAccessory(1)
    } catch { fatalError("\(error)") }
  }

  /// Delivers the pending output of both endpoints.
  mutating func exchange() {
    var bytes: [UInt8] = []
    _ = accessory.transmit(into: &bytes, at: .zero)
    Self.feed(&device, bytes)
    bytes.removeAll(keepingCapacity: true)
    _ = device.transmit(into: &bytes, at: .zero)
    Self.feed(&accessory, bytes)
  }

  static func feed(_ endpoint: inout Endpoint, _ bytes: [UInt8]) {
    var offset = 0
    while let event = endpoint.receive(unsafe bytes.span.bytes, offset: &offset, at: .zero) {
      if case .externalAccessoryData(let session, let payload) = event {
        endpoint.consume(externalAccessory: session, byteCount: payload.byteCount)
      }
    }
  }
}

enum LinkBenchmarks {
  static let sizes = [16, 512, 4096, 65_000]

  /// A stream of 256 data packets, one for each sequence number, beginning after `first`.
  static func stream(payload size: Int, after first: SequenceNumber, acknowledgement: SequenceNumber, session: UInt8)
    -> [UInt8]
  {
    let datagram: [UInt8] = [0, 1] + (0..<(size - 2)).map { UInt8(truncatingIfNeeded: $0) }
    var bytes: [UInt8] = []
    for step in 1...256 {
      LinkPacket.append(
        to: &bytes, control: .acknowledge, sequence: first.advanced(by: step), acknowledgement: acknowledgement,
        session: session, payload: unsafe datagram.span.bytes)
    }
    return bytes
  }

  static func run() -> [Figure] {
    var figures: [Figure] = []
    for size in sizes {
      let bytes = stream(payload: size, after: SequenceNumber(0), acknowledgement: SequenceNumber(0), session: 3)
      let total = Double(bytes.count)
      let sum = Measure.rate(total) { use(Checksum.complement(unsafe bytes.span.bytes)) }
      var copy = [UInt8](repeating: 0, count: bytes.count)
      let copied = Measure.rate(total) {
        unsafe copy.withUnsafeMutableBytes { to in unsafe bytes.withUnsafeBytes { unsafe to.copyMemory(from: $0) } }
        use(copy[0])
      }
      figures.append(Figure(name: "byte sum, \(size) B packets", rate: sum, unit: "B"))
      figures.append(Figure(name: "memcpy, \(size) B packets", rate: copied, unit: "B"))
      let decode = Measure.rate(256) { use(scan(bytes)) }
      figures.append(packets("link decode, \(size) B", decode, size, total, sum, "byte sum"))
      let receive = receive(size)
      figures.append(packets("Endpoint.receive, \(size) B", receive, size, total, sum, "byte sum"))
      var out: [UInt8] = []
      let payload = [UInt8](repeating: 7, count: size)
      let encode = Measure.rate(256) {
        out.removeAll(keepingCapacity: true)
        for step in 0..<256 {
          LinkPacket.append(
            to: &out, control: .acknowledge, sequence: SequenceNumber(UInt8(truncatingIfNeeded: step)),
            acknowledgement: SequenceNumber(1), session: 3, payload: unsafe payload.span.bytes)
        }
        use(out.count)
      }
      figures.append(packets("link encode, \(size) B", encode, size, total, copied, "memcpy"))
    }
    return figures
  }

  private static func packets(
    _ name: String, _ rate: Double, _ size: Int, _ total: Double, _ limit: Double, _ limitName: String
  ) -> Figure {
    Figure(name: name, rate: rate, unit: "packets", ratio: rate * total / 256 / limit, limit: limitName)
  }

  private static func scan(_ bytes: [UInt8]) -> Int {
    let span = unsafe bytes.span.bytes
    var offset = 0
    var count = 0
    while true {
      guard case .packet(let header, let start) = LinkScanner.scan(span, from: offset) else { return count }
      count &+= header.payload(at: start).count
      offset = start &+ header.byteCount
    }
  }

  private static func receive(_ size: Int) -> Double {
    var pair = JoinedEndpoints(window: 127, packetLength: 65_535)
    // The device has sent nothing yet: its next sequence number follows its SYN.
    let bytes = stream(
      payload: size, after: SequenceNumber(0x2B), acknowledgement: SequenceNumber(0x2B), session: 3)
    return Measure.rate(256) { JoinedEndpoints.feed(&pair.accessory, bytes) }
  }
}

enum ExternalAccessoryBenchmarks {
  static func run() -> [Figure] {
    [(32, 4096), (127, 65_535)].map { window, length in
      var pair = JoinedEndpoints(window: UInt8(window), packetLength: UInt16(length))
      let chunk = [UInt8](repeating: 0x5A, count: length - 12)
      let rate = Measure.rate(Double(64 * chunk.count)) {
        for _ in 0..<64 { send(chunk, &pair) }
      }
      return Figure(name: "EA one way in memory, \(window) x \(length)", rate: rate, unit: "B")
    }
  }

  /// Sends and receives this many packets, with their acknowledgements.
  static func move(packets: Int) {
    var pair = JoinedEndpoints(window: 32, packetLength: 4096)
    let chunk = [UInt8](repeating: 0x5A, count: 4084)
    for _ in 0..<packets { send(chunk, &pair) }
  }

  /// Moves the payload of one packet from sender to receiver without a copy.
  private static func send(_ chunk: [UInt8], _ pair: inout JoinedEndpoints) {
    do {
      var taken = try pair.device.sendExternalAccessory(1, unsafe chunk.span.bytes)
      while true {
        var isMoved = false
        while carry(&pair.device, &pair.accessory) { isMoved = true }
        while carry(&pair.accessory, &pair.device) { isMoved = true }
        if taken < chunk.count {
          taken += try pair.device.sendExternalAccessory(1, unsafe chunk.span.bytes.extracting(taken..<chunk.count))
        } else if !isMoved {
          return
        }
      }
    } catch { fatalError("\(error)") }
  }

  private static func carry(_ from: inout Endpoint, _ to: inout Endpoint) -> Bool {
    from.nextTransmit(at: .zero) { (packet: RawSpan) -> Void in
      var offset = 0
      while let event = to.receive(packet, offset: &offset, at: .zero) {
        if case .externalAccessoryData(let session, let payload) = event {
          to.consume(externalAccessory: session, byteCount: payload.byteCount)
        }
      }
    } != nil
  }
}
