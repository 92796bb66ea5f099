// swift-iap2 · Apache-2.0

package import IAP2

/// Times of a capture: how long acknowledgements and answers take, and where nothing happens.
package struct TimingStatistics: Sendable, Equatable {
  /// A message and what answers it; times are from the one to the other.
  package static let roundTrips: [(request: UInt16, answers: [UInt16])] = [
    (0xAA00, [0xAA01]), (0xAA02, [0xAA03]), (0xAA03, [0xAA04, 0xAA05]), (0x1D00, [0x1D01]),
    (0x1D01, [0x1D02, 0x1D03]), (0xEA00, [0xEA03]), (0x4C00, [0x4C01]), (0x4C03, [0x4C04]), (0x4154, [0x4155]),
    (0x4157, [0x4158]), (0x4170, [0x4171]), (0x4300, [0x4301]), (0x5000, [0x5001]), (0x5200, [0x5201]),
    (0x5700, [0x5701]), (0x5702, [0x5703]), (0xA100, [0xA101]), (0xAE00, [0xAE01]), (0xFFFA, [0xFFFB]),
  ]

  /// Nobody sent anything for a while.
  package struct Gap: Sendable, Equatable {
    package var seconds: Double
    /// The record that ends it, and who sent that.
    package var record: Int
    package var from: Side
  }

  /// Acknowledgements that each side gives.
  package private(set) var acknowledgements = BothSides(Durations())
  /// By the request's id.
  package private(set) var answers: [UInt16: Durations] = [:]
  /// The longest, in the order of the capture.
  package private(set) var gaps: [Gap] = []
  package private(set) var gapCount = 0

  private let gapLimit: Double
  private var lastTime: Double?
  private var waiting: [UInt16: Double] = [:]
  private var sent = BothSides(Sent())
  private static let maximumGaps = 100

  /// Packets of one side that wait to be acknowledged, by sequence number.
  private struct Sent: Sendable, Equatable {
    var times = [Double?](repeating: nil, count: 256)
    var oldest: SequenceNumber?
    var latest = SequenceNumber(0)
  }

  private static let requests = Set(roundTrips.map(\.request))
  private static let requestsByAnswer: [UInt16: [UInt16]] = {
    var all: [UInt16: [UInt16]] = [:]
    for pair in roundTrips { for answer in pair.answers { all[answer, default: []].append(pair.request) } }
    return all
  }()

  /// - Parameter gapLimit: seconds of silence that are told.
  package init(gapLimit: Double) { self.gapLimit = gapLimit }

  mutating func link(_ header: LinkHeader, isRepeated: Bool, at place: DecodedPlace) {
    guard let time = place.time else { return }
    if let last = lastTime, time - last > gapLimit {
      gapCount += 1
      if gaps.count < Self.maximumGaps {
        gaps.append(Gap(seconds: time - last, record: place.record, from: place.from))
      }
    }
    lastTime = time
    if header.control.contains(.synchronize) { sent[place.from] = Sent() }
    if header.control.contains(.acknowledge) { acknowledge(header.acknowledgement, of: place.from.peer, time) }
    let ownsNumber = header.control.contains(.synchronize) || header.payloadByteCount > 0
    guard ownsNumber, !isRepeated, !header.control.contains(.extendedAcknowledge) else { return }
    sent[place.from].times[Int(header.sequence.rawValue)] = time
    sent[place.from].latest = header.sequence
    if sent[place.from].oldest == nil { sent[place.from].oldest = header.sequence }
  }

  /// Everything up to this number has arrived.
  private mutating func acknowledge(_ number: SequenceNumber, of side: Side, _ time: Double) {
    guard let oldest = sent[side].oldest else { return }
    let count = number.distance(from: oldest)
    guard (0...127).contains(count) else { return }
    for step in 0...count {
      let index = Int(oldest.advanced(by: step).rawValue)
      if let since = sent[side].times[index] { acknowledgements[side.peer].add(time - since) }
      sent[side].times[index] = nil
    }
    sent[side].oldest = number == sent[side].latest ? nil : number.next
  }

  mutating func message(_ id: UInt16, at place: DecodedPlace) {
    guard let time = place.time else { return }
    for request in Self.requestsByAnswer[id] ?? [] {
      if let since = waiting.removeValue(forKey: request) { answers[request, default: Durations()].add(time - since) }
    }
    if Self.requests.contains(id) { waiting[id] = time }
  }
}

/// Durations by size: the extremes exactly, what lies between to a tenth of itself.
package struct Durations: Sendable, Equatable {
  package private(set) var count = 0
  package private(set) var least = Double.infinity
  package private(set) var most = 0.0
  /// Each bucket is a tenth wider than the one before, from a microsecond on.
  private var buckets = [Int](repeating: 0, count: 256)

  private static let smallest = 1e-6
  private static let growth = 1.1

  mutating func add(_ seconds: Double) {
    guard seconds >= 0, seconds.isFinite else { return }
    count += 1
    least = min(least, seconds)
    most = max(most, seconds)
    buckets[Self.bucket(seconds)] += 1
  }

  private static func bucket(_ seconds: Double) -> Int {
    var bound = smallest
    var index = 0
    while bound < seconds, index < 255 {
      bound *= growth
      index += 1
    }
    return index
  }

  /// Half of them are no longer.
  package var median: Double { quantile(0.5) }

  package func quantile(_ part: Double) -> Double {
    let wanted = Double(count) * part
    var seen = 0
    var bound = Self.smallest
    for number in buckets {
      seen += number
      if Double(seen) >= wanted { return min(max(bound, least), most) }
      bound *= Self.growth
    }
    return most
  }
}
