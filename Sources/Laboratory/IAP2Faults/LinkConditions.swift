// swift-iap2 · Apache-2.0

/// What happens to one piece on its way.
public enum Fate: Sendable, Hashable, CaseIterable {
  case arrive, lost, twice, late
  /// Its last byte is wrong.
  case damaged
}

/// What one direction of a medium does to the pieces it carries, each with a probability of 0…1 per piece.
public struct LinkConditions: Sendable, Hashable {
  public var loss = 0.0
  public var duplication = 0.0
  /// A piece arrives behind the ones after it, at most so many as ``overtaking`` says.
  public var reordering = 0.0
  /// How many pieces may pass one that is late. The link's numbers have eight bits: what comes too late is taken for a
  /// packet of the next round, as nothing can tell (``maximumOvertaking(window:)``).
  public var overtaking = Self.maximumOvertaking(window: 32)
  /// One bit of a piece is turned over.
  public var corruption = 0.0
  /// The end of a piece is lost. What follows is then read as its rest, and one time in 256 the link's checksum of eight
  /// bits lets that pass: the only fault here that the protocol cannot find with certainty.
  public var truncation = 0.0
  /// A piece arrives in two.
  public var splitting = 0.0
  /// A piece arrives together with the one before it.
  public var coalescing = 0.0
  /// One way, in milliseconds.
  public var delayMilliseconds = 1
  /// At most so much more, for each piece anew; in order all the same.
  public var jitterMilliseconds = 0
  /// Nil: as fast as one likes.
  public var bytesPerSecond: Int?

  public init() {}

  /// Nothing goes wrong.
  public static let perfect = LinkConditions()

  /// How many pieces may pass a late one before its number means another packet, of a link whose larger window has so
  /// many packets: each piece that passes can acknowledge a window, and 256 numbers must be more than those and the window
  /// that is under way.
  public static func maximumOvertaking(window: UInt8) -> Int { max(1, 256 / max(1, Int(window)) - 2) }

  /// A bit of everything that a link can put right.
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
