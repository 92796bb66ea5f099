// swift-iap2 · Apache-2.0

public import Basics

/// One direction of a transport under ``LinkConditions``: it takes pieces and returns their arrivals. It does not wait
/// and keeps no bytes; its owner keeps the arrivals until their time.
public struct FaultInjector: Sendable {
  /// The arrival of a piece, or of a part of it.
  public struct Arrival: Sendable, Hashable {
    /// The time of arrival.
    public var time: MonotonicTime
    /// The bytes.
    public var bytes: [UInt8]
    /// Whether the bytes join the arrival before it in one read, if that is still in transit.
    public var joinsPrevious = false
  }

  /// The conditions.
  public var conditions: LinkConditions
  /// The time at which the last piece has left, at the limited data rate.
  private var freeAt = MonotonicTime.zero
  private var lastArrival = MonotonicTime.zero
  /// The late pieces in transit, with the number of pieces that have passed each.
  private var late: [(time: MonotonicTime, passed: Int)] = []

  /// Creates a direction without pieces in transit.
  public init(_ conditions: LinkConditions) { self.conditions = conditions }

  /// The additional delay of a late piece, longer than that of pieces that leave at the same time.
  private static let lateMilliseconds = 5

  /// Returns the arrivals of a piece.
  ///
  /// - Parameters:
  ///   - bytes: At least one byte; a link packet if the caller knows its boundaries.
  ///   - now: The time at which the piece is sent.
  ///   - generator: The random numbers that decide the faults.
  public mutating func carry(
    _ bytes: [UInt8], at now: MonotonicTime, using generator: inout SeededGenerator
  ) -> [Arrival] {
    let earliest = arrival(of: bytes.count, at: now, using: &generator)
    if generator.chance(conditions.loss) { return [] }
    var bytes = bytes
    if generator.chance(conditions.corruption) {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    }
    if bytes.count > 1, generator.chance(conditions.truncation) {
      bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
    }
    let time = pass(earliest, at: now)
    var arrivals: [Arrival] = []
    if generator.chance(conditions.duplication) { arrivals.append(Arrival(time: time, bytes: bytes)) }
    if bytes.count > 1, generator.chance(conditions.splitting) {
      let middle = Int.random(in: 1..<bytes.count, using: &generator)
      arrivals.append(Arrival(time: time, bytes: Array(bytes[..<middle])))
      arrivals.append(Arrival(time: time, bytes: Array(bytes[middle...])))
    } else if generator.chance(conditions.coalescing) {
      arrivals.append(Arrival(time: time, bytes: bytes, joinsPrevious: true))
    } else {
      arrivals.append(Arrival(time: generator.chance(conditions.reordering) ? delay(time) : time, bytes: bytes))
    }
    return arrivals
  }

  /// Does the same with a given fate, and without the limit of the data rate.
  package mutating func carry(_ bytes: [UInt8], fate: Fate, at now: MonotonicTime) -> [Arrival] {
    if fate == .lost { return [] }
    let time = pass(now.adding(milliseconds: conditions.delayMilliseconds), at: now)
    let arrival = Arrival(time: time, bytes: bytes)
    switch fate {
    case .arrive, .lost: return [arrival]
    case .twice: return [arrival, arrival]
    case .late: return [Arrival(time: delay(time), bytes: bytes)]
    case .damaged:
      var damaged = arrival
      damaged.bytes[bytes.count - 1] ^= 0x01
      return [damaged]
    }
  }

  private mutating func delay(_ time: MonotonicTime) -> MonotonicTime {
    let late = time.adding(milliseconds: Self.lateMilliseconds)
    self.late.append((late, 0))
    return late
  }

  /// Returns the arrival time of a piece, so that no late piece is passed by more than ``LinkConditions/overtaking``
  /// pieces.
  private mutating func pass(_ time: MonotonicTime, at now: MonotonicTime) -> MonotonicTime {
    guard !late.isEmpty else { return time }
    late.removeAll { $0.time <= now }
    var time = time
    for index in late.indices where late[index].time > time {
      late[index].passed += 1
      if late[index].passed > conditions.overtaking { time = late[index].time }
    }
    lastArrival = max(lastArrival, time)
    return time
  }

  private mutating func arrival(
    of byteCount: Int, at now: MonotonicTime, using generator: inout SeededGenerator
  ) -> MonotonicTime {
    var time = now
    if let rate = conditions.bytesPerSecond {
      let nanoseconds = Int64(byteCount) * 1_000_000_000 / Int64(max(1, rate))
      freeAt = MonotonicTime(nanoseconds: max(freeAt, now).nanoseconds + nanoseconds)
      time = freeAt
    }
    time = time.adding(milliseconds: conditions.delayMilliseconds)
    if conditions.jitterMilliseconds > 0 {
      time = time.adding(milliseconds: Int.random(in: 0...conditions.jitterMilliseconds, using: &generator))
    }
    lastArrival = max(lastArrival, time)
    return lastArrival
  }
}
