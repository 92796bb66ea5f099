// swift-iap2 · Apache-2.0

import CarPlaySession

/// The content that a side sent and the other side reported, which must be the same.
struct ContentRecord {
  /// A kind of content whose order is kept.
  enum Kind: Hashable {
    case picture(StreamType)
    case sound(StreamType)
    case microphone(StreamType)
    case iAP(SessionSide)
  }

  /// Whether sound keeps its order. The sequence number of a packet is not authenticated, so a flipped bit in it moves
  /// the packet.
  var keepsSoundOrder = true
  private(set) var violations: [String] = []
  private(set) var deliveredCount = 0
  private var sent: [Kind: [Int: [UInt8]]] = [:]
  private var next: [Kind: Int] = [:]
  private var last: [Kind: Int] = [:]
  private var arrived: [Kind: Set<Int>] = [:]

  /// Returns the next content of a kind: its number in four bytes, and more bytes.
  mutating func make(_ kind: Kind, byteCount: Int) -> [UInt8] {
    let number = next[kind, default: 0]
    next[kind] = number + 1
    return (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      + (0..<byteCount).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
  }

  private func isOrdered(_ kind: Kind) -> Bool {
    switch kind {
    case .picture: true
    case .sound, .microphone: keepsSoundOrder
    // The data stream and the commands are not ordered among each other.
    case .iAP: false
    }
  }

  private func number(_ bytes: [UInt8]) -> Int {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Records that a session was called to send content.
  mutating func send(_ bytes: [UInt8], _ kind: Kind) { sent[kind, default: [:]][number(bytes)] = bytes }

  /// Records that a side reported content.
  mutating func receive(_ bytes: [UInt8], _ kind: Kind) {
    let number = number(bytes)
    guard sent[kind]?[number] == bytes else { return violations.append("\(kind): content that was not sent") }
    if isOrdered(kind), let last = last[kind], number <= last {
      violations.append("\(kind): number \(number) behind \(last)")
    }
    guard arrived[kind, default: []].insert(number).inserted else {
      return violations.append("\(kind): number \(number) twice")
    }
    last[kind] = number
    deliveredCount += 1
  }

  /// Returns a violation for each kind of which content is missing. It is called when everything must have arrived.
  func missing() -> [String] {
    sent.compactMap { kind, all in
      let count = all.count - (arrived[kind]?.count ?? 0)
      return count == 0 ? nil : "\(kind): \(count) of \(all.count) did not arrive"
    }
  }
}
