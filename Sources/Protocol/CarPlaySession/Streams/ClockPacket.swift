// swift-iap2 · Apache-2.0

import Basics

/// A datagram with which the sides compare their clocks. Source: CarPlaySession.md#clock.
public struct ClockPacket: Sendable, Hashable {
  /// Whether the packet is a request; otherwise it is an answer.
  public var isRequest: Bool
  /// In an answer, the time at which the request was sent, in the clock of its sender.
  public var reference: UInt64
  /// In an answer, the time at which the request arrived.
  public var received: UInt64
  /// The time at which the packet was sent.
  public var sent: UInt64

  /// Creates a packet. Times have 32 bits of seconds and 32 of their fraction.
  public init(isRequest: Bool, reference: UInt64 = 0, received: UInt64 = 0, sent: UInt64) {
    (self.isRequest, self.reference, self.received, self.sent) = (isRequest, reference, received, sent)
  }

  /// The size of a packet in bytes.
  public static let byteCount = 32

  /// The seconds from 1900 to 1970. Phones and cars add them to the time since their start.
  /// Source: CarPlaySession.md#clock.
  public static let epochSeconds: UInt32 = 2_208_988_800

  /// Returns the difference of two times in parts of a second (2^-32). Whether one of them has the seconds of
  /// ``epochSeconds`` makes no difference.
  public static func difference(_ a: UInt64, _ b: UInt64) -> Int64 {
    let (plain, epoch) = (Int64(bitPattern: a &- b), Int64(bitPattern: UInt64(epochSeconds) << 32))
    // Clocks that count from a start differ by less than a year. The three candidates are at least four years apart.
    let (less, more) = (plain &- epoch, plain &+ epoch)
    let shifted = less.magnitude < more.magnitude ? less : more
    return shifted.magnitude < plain.magnitude ? shifted : plain
  }

  /// Reads a packet; nil for other bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes[0] == 0x80, bytes[1] == 0xD2 || bytes[1] == 0xD3 else { return nil }
    func time(_ offset: Int) -> UInt64 { UInt64(bigEndianBytes: bytes[offset..<offset + 8]) }
    self.init(isRequest: bytes[1] == 0xD2, reference: time(8), received: time(16), sent: time(24))
  }

  /// The bytes of the packet.
  public var bytes: [UInt8] {
    [0x80, isRequest ? 0xD2 : 0xD3, 0, 7, 0, 0, 0, 0] + [reference, received, sent].flatMap(\.bigEndianBytes)
  }

  /// Returns the answer to this request, which arrived and is answered at times of this side's clock.
  public func answer(received: UInt64, sent: UInt64) -> ClockPacket {
    ClockPacket(isRequest: false, reference: self.sent, received: received, sent: sent)
  }
}

/// An estimate of the difference between two clocks, which is made from answers.
public struct ClockEstimate: Sendable, Hashable {
  private struct Sample: Sendable, Hashable {
    var offset, delay: Int64
  }

  /// The number of answers of which the one with the least delay counts. The value is that of one program.
  private static let sampleCount = 8
  /// The difference above which the estimate jumps, in parts of a second (2^-32). With a smaller difference the
  /// estimate moves by an eighth of it. The values are those of one program.
  private static let step: Int64 = (1 << 32) * 128 / 1000

  private var samples: [Sample] = []
  /// The other clock minus this side's clock, in parts of a second (2^-32); nil before the first answer.
  public private(set) var offset: Int64?

  /// Creates an estimate without answers.
  public init() {}

  /// Processes an answer.
  ///
  /// - Parameters:
  ///   - answer: The answer, whose reference is the time of the request by this side's clock.
  ///   - arrived: The time of this side's clock at which it arrived.
  public mutating func take(_ answer: ClockPacket, arrived: UInt64) {
    // Differences of the two clocks can wrap. Each one is halved before the sum, so that the sum does not overflow.
    let there = Int64(bitPattern: answer.received &- answer.reference)
    let back = Int64(bitPattern: answer.sent &- arrived)
    let round = Int64(bitPattern: arrived &- answer.reference)
    let delay = round &- Int64(bitPattern: answer.sent &- answer.received)
    samples.append(Sample(offset: (there >> 1) &+ (back >> 1), delay: delay))
    if samples.count > Self.sampleCount { samples.removeFirst() }
    guard let best = samples.min(by: { $0.delay < $1.delay }) else { return }
    guard let present = offset, (best.offset &- present).magnitude <= UInt64(Self.step) else {
      offset = best.offset
      return
    }
    offset = present &+ (best.offset &- present) / 8
  }
}
