// swift-iap2 · Apache-2.0

import Basics

/// The faults of a simulated network as probabilities from 0 to 1, and its times in nanoseconds.
struct Faults: Sendable {
  var loss = 0.0
  var duplication = 0.0
  /// The probability that a datagram arrives up to two seconds later.
  var delay = 0.0
  var flippedDatagrams = 0.0
  /// The probability that a piece of a TCP connection has one flipped bit.
  var flippedBytes = 0.0
  var splitting = 0.0
  var joining = 0.0
  var refusedBind = 0.0
  var refusedSignature = 0.0
  var maximumLatency: Int64 = 1_000_000
  /// The longest time until a socket is bound.
  var maximumLocalDelay: Int64 = 0
  /// The additional latency of everything that is sent to a node, by the number of the node.
  var lateness: [Int: Int64] = [:]

  /// The time within which bytes can be joined with those before them.
  let joiningTime: Int64 = 5_000_000

  func localDelay(_ random: inout SeededGenerator) -> Int64 {
    maximumLocalDelay == 0 ? 0 : Int64.random(in: 0...maximumLocalDelay, using: &random)
  }

  func latency(to node: Int, _ random: inout SeededGenerator) -> Int64 {
    Int64.random(in: 1000...maximumLatency, using: &random) + (lateness[node] ?? 0)
  }

  func datagramLatency(to node: Int, _ random: inout SeededGenerator) -> Int64 {
    // Without delays the order of datagrams is kept.
    guard delay > 0 else { return maximumLatency + (lateness[node] ?? 0) }
    let more = random.chance(delay) ? Int64.random(in: 0...2_000_000_000, using: &random) : 0
    return latency(to: node, &random) + more
  }

  /// Returns the copies of a datagram that arrive: none for a loss.
  func copies(of bytes: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
    guard !random.chance(loss) else { return [] }
    var copy = bytes
    if random.chance(flippedDatagrams) { Self.flip(&copy, &random) }
    return random.chance(duplication) ? [copy, copy] : [copy]
  }

  static func flip(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
  }
}
