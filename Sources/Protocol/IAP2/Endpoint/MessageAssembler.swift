// swift-iap2 · Apache-2.0

import Basics

/// Assembles control messages from the payloads of packets.
///
/// A packet may hold several messages, and a message may continue over several packets. A message that is complete in
/// one packet is lent from there. Bytes that do not start a message are an error, which drops the rest of the packet
/// and the bytes collected so far.
struct MessageAssembler: Sendable {
  private(set) var collected: [UInt8] = []
  private var isComplete = false

  enum Step: Equatable {
    /// A message at a range of the given payload.
    case whole(Range<Int>)
    /// The collected bytes are one message. They stay valid until the next call.
    case collected
    case bad(WireError)
    case done

    var isMessage: Bool {
      switch self {
      case .whole, .collected: true
      case .bad, .done: false
      }
    }
  }

  mutating func next(in payload: RawSpan, offset: inout Int) -> Step {
    if isComplete {
      collected.removeAll(keepingCapacity: collected.capacity <= 4096)
      isComplete = false
    }
    let available = payload.byteCount - offset
    guard available > 0 else { return .done }
    if collected.isEmpty {
      if available >= ControlHeader.byteCount {
        if let bad = Self.check(payload, at: offset) { return fail(bad, payload, &offset) }
        let total = Int(payload.bigEndian16(offset + 2))
        if available >= total {
          defer { offset += total }
          return .whole(offset..<(offset + total))
        }
      }
      collected.append(copying: payload.extracting(offset..<payload.byteCount))
      offset = payload.byteCount
      return checkCollected(payload, &offset)
    }
    while true {
      let wanted =
        collected.count < ControlHeader.byteCount
        ? ControlHeader.byteCount : Int(collected[2]) << 8 | Int(collected[3])
      let taken = min(wanted - collected.count, payload.byteCount - offset)
      if taken <= 0 {
        guard collected.count >= wanted, wanted >= ControlHeader.byteCount else { return .done }
        isComplete = true
        return .collected
      }
      collected.append(copying: payload.extracting(offset..<(offset + taken)))
      offset += taken
      if collected.count == ControlHeader.byteCount, let bad = Self.check(collected.rawBytes, at: 0) {
        return fail(bad, payload, &offset)
      }
      if collected.count < ControlHeader.byteCount { return checkCollected(payload, &offset) }
    }
  }

  /// Drops the collected bytes, because the link has ended.
  mutating func reset() {
    collected = []
    isComplete = false
  }

  private mutating func checkCollected(_ payload: RawSpan, _ offset: inout Int) -> Step {
    for (position, byte) in zip(collected, ControlHeader.start.bigEndianBytes).enumerated() where byte.0 != byte.1 {
      return fail(WireError(.notAMessage, offset: position), payload, &offset)
    }
    return .done
  }

  private static func check(_ bytes: RawSpan, at offset: Int) -> WireError? {
    if bytes.bigEndian16(offset) != ControlHeader.start { return WireError(.notAMessage, offset: 0) }
    let length = Int(bytes.bigEndian16(offset + 2))
    return length < ControlHeader.byteCount ? WireError(.badLength(length), offset: 2) : nil
  }

  private mutating func fail(_ error: WireError, _ payload: RawSpan, _ offset: inout Int) -> Step {
    collected.removeAll()
    offset = payload.byteCount
    return .bad(error)
  }
}
