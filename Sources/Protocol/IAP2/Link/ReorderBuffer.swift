// swift-iap2 · Apache-2.0

import Basics

/// A buffer for packets that arrive ahead of their turn, at most as many as the window has. It is empty and allocates
/// nothing while no packet is lost.
struct ReorderBuffer: Sendable {
  struct Held: Sendable {
    var session: UInt8
    var payload: [UInt8]
  }

  private var held: [UInt8: Held] = [:]

  var isEmpty: Bool { held.isEmpty }
  var count: Int { held.count }
  var byteCount: Int { held.values.reduce(0) { $0 + $1.payload.count } }

  /// Stores a packet; returns false if one with this sequence number is already stored.
  mutating func insert(_ sequence: SequenceNumber, _ packet: Held) -> Bool {
    guard held[sequence.rawValue] == nil else { return false }
    held[sequence.rawValue] = packet
    return true
  }

  mutating func take(_ sequence: SequenceNumber) -> Held? { held.removeValue(forKey: sequence.rawValue) }

  /// Returns the sequence numbers that are missing between the last one in order and the furthest one stored.
  func missing(after last: SequenceNumber) -> [UInt8] {
    guard let furthest = held.keys.map({ SequenceNumber($0).distance(from: last) }).max(), furthest > 1 else {
      return []
    }
    return (1..<furthest).map { last.advanced(by: $0).rawValue }.filter { held[$0] == nil }
  }
}
