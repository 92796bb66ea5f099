// swift-iap2 · Apache-2.0

/// A fault that is forced on one piece of data.
public enum Fate: Sendable, Hashable, CaseIterable {
  /// The piece arrives; is lost; arrives twice; or arrives after later pieces.
  case arrive, lost, twice, late
  /// The last byte of the piece is wrong.
  case damaged
}

/// The conditions of one direction of a transport. The faults have a probability of 0…1 for each piece that is carried.
public struct LinkConditions: Sendable, Hashable {
  /// The probability that a piece is lost.
  public var loss = 0.0
  /// The probability that a piece arrives twice.
  public var duplication = 0.0
  /// The probability that a piece arrives late, after at most ``overtaking`` later pieces.
  public var reordering = 0.0
  /// The maximum number of pieces that pass a late piece. Sequence numbers have eight bits, so a piece that is later
  /// than that is treated as a packet of the next round (``maximumOvertaking(window:)``).
  public var overtaking = Self.maximumOvertaking(window: 32)
  /// The probability that one bit of a piece is inverted.
  public var corruption = 0.0
  /// The probability that the end of a piece is lost. The receiver then treats the following bytes as the missing end.
  /// With a probability of 1/256 the link's checksum of eight bits does not detect that: it is the only fault here that
  /// the protocol cannot detect with certainty.
  public var truncation = 0.0
  /// The probability that a piece arrives in two parts.
  public var splitting = 0.0
  /// The probability that a piece arrives together with the piece before it.
  public var coalescing = 0.0
  /// The delay of one direction, in milliseconds.
  public var delayMilliseconds = 1
  /// The maximum of the additional random delay of each piece, in milliseconds. The order of pieces does not change.
  public var jitterMilliseconds = 0
  /// The data rate; nil for no limit.
  public var bytesPerSecond: Int?

  /// Creates conditions without faults and with a delay of one millisecond.
  public init() {}

  /// Conditions without faults.
  public static let perfect = LinkConditions()

  /// Returns the number of pieces that may pass a late piece before its sequence number means another packet.
  ///
  /// Each passing piece can acknowledge one window. The 256 sequence numbers must cover those windows and the one in
  /// transit.
  ///
  /// - Parameter window: the larger window of the link's two sides, in packets.
  public static func maximumOvertaking(window: UInt8) -> Int { max(1, 256 / max(1, Int(window)) - 2) }

  /// Returns conditions with every fault that the link can repair, each with this probability.
  public static func rough(_ probability: Double) -> LinkConditions {
    var conditions = LinkConditions()
    conditions.loss = probability
    conditions.duplication = probability
    conditions.reordering = probability
    conditions.corruption = probability
    conditions.splitting = probability
    conditions.coalescing = probability
    return conditions
  }
}
