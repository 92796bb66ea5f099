// swift-iap2 · Apache-2.0

import IAP2

/// The target for a link's byte stream: the scanner alone, then an endpoint of either side that reads the stream in two
/// divisions.
///
/// Input: side and state, the number of lengths of pieces (at most 7), these lengths, and the stream. In half of the
/// states the checksums of the stream are corrected first, because the code after the checksum would be reached too
/// rarely.
enum LinkTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let first = program.byte()
    let lengths = program.take(Int(program.byte() & 7))
    let stream = first & 16 == 0 ? program.takeAll() : mended(program.takeAll())
    try scan(stream)
    let start = try station(first)
    var whole = start
    try whole.receive(stream)
    var cut = start
    for piece in stream.pieces(lengths.isEmpty ? [1] : lengths) { try cut.receive(piece) }
    try compare(&whole, &cut)
    try outlast(&whole)
  }

  private static func station(_ first: UInt8) throws(Finding) -> Harness {
    let side: Side = first & 1 == 0 ? .accessory : .device
    var preferences = LinkPreferences()
    if first & 8 != 0 {
      preferences.offer.maxPacketLength = 64
      preferences.offer.maxOutstandingPackets = 4
    }
    switch first & 6 {
    case 0: return Harness(side, preferences: preferences)
    case 2:
      var station = Harness(side, preferences: preferences)
      try station.receive(LinkScanner.detect)
      try station.transmit()
      return station
    default:
      var station = try Harness.up(side, preferences: preferences)
      // These messages give the peer something to acknowledge and to report as missing.
      if first & 4 != 0 { for _ in 0..<3 { send(&station) } }
      try station.transmit()
      return station
    }
  }

  private static func send(_ station: inout Harness) {
    do { try station.endpoint.send(message: [0x40, 0x40, 0, 6, 0x4E, 0x09]) } catch {}
  }

  /// Returns the stream with correct checksums wherever a packet may begin.
  private static func mended(_ stream: [UInt8]) -> [UInt8] {
    var stream = stream
    var start = 0
    while start + 9 <= stream.count {
      let length = Int(stream[start + 2]) << 8 | Int(stream[start + 3])
      guard stream[start] == 0xFF, stream[start + 1] == 0x5A, length >= 9 else {
        start += 1
        continue
      }
      stream[start + 8] = 0 &- stream[start..<(start + 8)].reduce(0, &+)
      let end = start + length
      if length > 9, end <= stream.count { stream[end - 1] = 0 &- stream[(start + 9)..<(end - 1)].reduce(0, &+) }
      start = min(end, stream.count)
    }
    return stream
  }

  // MARK: The scanner

  /// Checks that every step advances, that the steps cover the stream without a gap, and that reported packets have
  /// valid checksums.
  private static func scan(_ stream: [UInt8]) throws(Finding) {
    let bytes = unsafe stream.span.bytes
    var offset = 0
    while true {
      let next: Int
      switch LinkScanner.scan(bytes, from: offset) {
      case .packet(let header, let start):
        next = start + header.byteCount
        try require(start == offset && next <= stream.count, "a packet at \(start) of \(header.byteCount) bytes")
        try require(adds(stream[start..<(start + 9)]), "a header that does not add up, at \(start)")
        try require(header.byteCount == 9 || adds(stream[(start + 9)..<next]), "a payload that does not, at \(start)")
      case .badPayloadChecksum(let header, let start):
        next = start + header.byteCount
        try require(start == offset && next <= stream.count, "a packet at \(start) of \(header.byteCount) bytes")
        try require(!adds(stream[(start + 9)..<next]), "a payload that adds up was damaged, at \(start)")
      case .badHeader(_, let start, _):
        next = start + 1
        try require(start == offset, "a header at \(start) instead of \(offset)")
      case .detect(let start):
        next = start + 6
        try require(Array(stream[start..<next]) == LinkScanner.detect, "no detect sequence at \(start)")
      case .legacyFrame(let range), .garbage(let range):
        next = range.upperBound
        try require(range.lowerBound == offset && next <= stream.count && next > offset, "\(range) from \(offset)")
      case .incomplete(let start, let need):
        try require(start == offset && need > stream.count - start, "\(need) bytes are wanted and there")
        return
      case .end:
        try require(offset == stream.count, "the end at \(offset) of \(stream.count)")
        return
      }
      try require(next > offset, "no step at \(offset)")
      offset = next
    }
  }

  private static func adds(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.reduce(0, &+) == 0 }

  // MARK: The endpoint

  /// Checks that the result does not depend on how the transport divides the stream.
  private static func compare(_ whole: inout Harness, _ cut: inout Harness) throws(Finding) {
    let first = whole.take()
    let second = cut.take()
    // A packet longer than the declared maximum is skipped whole if it was received whole, else byte by byte.
    let isTooLong = (first + second).contains {
      if case .violation(.link(.packetTooLong)) = $0.event { true } else { false }
    }
    guard !isTooLong else { return }
    try require(joined(first) == joined(second), "\(joined(first)) whole, \(joined(second)) in pieces")
    try require(whole.endpoint.isUp == cut.endpoint.isUp, "up depends on the pieces")
    try whole.transmit()
    try cut.transmit()
    let answers = whole.takeSent()
    try require(answers == cut.takeSent(), "the answers depend on the pieces")
    for answer in answers where answer != LinkScanner.detect {
      let isWhole =
        switch LinkScanner.scan(unsafe answer.span.bytes, from: 0) {
        case .packet(let header, 0): header.byteCount == answer.count
        default: false
        }
      try require(isWhole, "no packet left: \(answer)")
    }
  }

  /// Joins runs of garbage, which are reported piece by piece.
  private static func joined(_ reported: [Harness.Reported]) -> [Harness.Reported] {
    reported.reduce(into: []) { all, next in
      if case .violation(.link(.garbage(let more))) = next.event,
        case .violation(.link(.garbage(let count)))? = all.last?.event
      {
        all[all.count - 1].event = .violation(.link(.garbage(byteCount: count + more)))
      } else {
        all.append(next)
      }
    }
  }

  /// Lets deadlines expire without a peer: they follow one another until none is left or the next attempt begins.
  private static func outlast(_ station: inout Harness) throws(Finding) {
    for _ in 0..<64 where try station.expire() {}
  }
}
