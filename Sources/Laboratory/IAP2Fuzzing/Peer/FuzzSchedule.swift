// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults

/// The plan of one round of fuzzing a peer: how long the session stays valid, and which mutations follow. The same seed
/// and round give the same plan on every machine.
public struct FuzzSchedule: Sendable, Equatable {
  /// The part of a session whose packets are changed.
  public enum Place: String, Sendable, CaseIterable {
    /// All packets with a payload, from the setup of the link on.
    case session
    /// The data of EA sessions, and the messages that open and close them.
    case externalAccessory
    /// The datagrams of file transfers.
    case file
  }

  /// The part of the session whose packets are changed.
  public var place: Place
  /// The number of packets of ``place`` that are sent unchanged. A session up to identification has about eight.
  public var step: Int
  /// The mutations of the packets that follow, one each. Later packets are unchanged.
  var kinds: [MessageMutation.Kind]
  var seed: UInt64

  /// Creates the plan of a round.
  public init(seed: UInt64, round: Int) {
    var generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(round))
    // Half of the rounds change the session itself.
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: place = .externalAccessory
    case 1: place = .file
    default: place = .session
    }
    // Elsewhere, most rounds change the first packet: it opens the session or offers the file.
    let isFirst = place != .session && Int.random(in: 0..<4, using: &generator) > 0
    step = isFirst ? 0 : Int.random(in: 0...(place == .session ? 20 : 3), using: &generator)
    let count = Int.random(in: 1...(place == .session ? 6 : 3), using: &generator)
    let kinds = MessageMutation.Kind.kinds(of: place)
    self.kinds = (0..<count).map { _ in kinds[Int.random(in: 0..<kinds.count, using: &generator)] }
    // The size of a Setup, the only large number that a peer gets from a file, is changed most.
    if place == .file, step == 0, Int.random(in: 0..<3, using: &generator) > 0 { self.kinds[0] = .fileSize }
    self.seed = generator.next()
  }

  /// The plan in English.
  public var text: String {
    let packets =
      switch place {
      case .session: "packets"
      case .externalAccessory: "packets of EA sessions"
      case .file: "packets of files"
      }
    return "after \(step) \(packets): \(kinds.map(\.rawValue).joined(separator: ", "))"
  }
}
