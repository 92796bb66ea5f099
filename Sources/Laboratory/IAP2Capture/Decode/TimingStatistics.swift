// swift-iap2 · Apache-2.0

package import IAP2

/// The times of a capture: how long acknowledgements and responses take, and where both sides are silent.
package struct TimingStatistics: Sendable, Equatable {
  /// The request messages and their responses. A round trip is the time from a request to its response.
  package static let roundTrips: [(request: UInt16, answers: [UInt16])] = [
    (RequestAuthenticationCertificate.id, [AuthenticationCertificate.id]),
    (RequestAuthenticationChallengeResponse.id, [AuthenticationResponse.id]),
    (AuthenticationResponse.id, [AuthenticationFailed.id, AuthenticationSucceeded.id]),
    (StartIdentification.id, [IdentificationInformation.id]),
    (IdentificationInformation.id, [IdentificationAccepted.id, IdentificationRejected.id]),
    (StartExternalAccessoryProtocolSession.id, [StatusExternalAccessoryProtocolSession.id]),
    (StartMediaLibraryInformation.id, [MediaLibraryInformation.id]),
    (StartMediaLibraryUpdates.id, [MediaLibraryUpdate.id]), (StartCallStateUpdates.id, [CallStateUpdate.id]),
    (StartCommunicationsUpdates.id, [CommunicationsUpdate.id]), (StartListUpdates.id, [ListUpdate.id]),
    (CarPlayAvailability.id, [CarPlayStartSession.id]), (StartNowPlayingUpdates.id, [NowPlayingUpdate.id]),
    (StartRouteGuidanceUpdates.id, [RouteGuidanceUpdate.id]), (RequestWiFiInformation.id, [WiFiInformation.id]),
    (RequestAccessoryWiFiConfigurationInformation.id, [AccessoryWiFiConfigurationInformation.id]),
    (StartVehicleStatusUpdates.id, [VehicleStatusUpdate.id]), (StartPowerUpdates.id, [PowerUpdate.id]),
    (StartLocationInformation.id, [LocationInformation.id]),
  ]

  /// An interval without packets from either side.
  package struct Gap: Sendable, Equatable {
    /// The length of the interval in seconds.
    package var seconds: Double
    /// The number of the record that ends the interval.
    package var record: Int
    /// The side that sent that record.
    package var from: Side
  }

  /// The durations until each side acknowledges, by the acknowledging side.
  package private(set) var acknowledgements = BothSides(Durations())
  /// The durations until the response, by the id of the request.
  package private(set) var answers: [UInt16: Durations] = [:]
  /// The first gaps of the capture, at most 100.
  package private(set) var gaps: [Gap] = []
  /// The number of all gaps.
  package private(set) var gapCount = 0

  private let gapLimit: Double
  private var lastTime: Double?
  private var waiting: [UInt16: Double] = [:]
  private var sent = BothSides(Sent())
  private static let maximumGaps = 100

  /// The packets of one side that wait for an acknowledgement, by sequence number.
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

  /// - Parameter gapLimit: the shortest silence to report, in seconds.
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

  /// Handles an acknowledgement of all packets up to a sequence number.
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

/// A histogram of durations. The extremes are exact; quantiles are exact to a tenth of their value.
package struct Durations: Sendable, Equatable {
  /// The number of durations.
  package private(set) var count = 0
  /// The shortest duration in seconds; infinity without durations.
  package private(set) var least = Double.infinity
  /// The longest duration in seconds; 0 without durations.
  package private(set) var most = 0.0
  /// The counts per bucket. The upper bound of the first bucket is a microsecond, that of each other one 1.1 times the
  /// bound before.
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

  /// The median in seconds.
  package var median: Double { quantile(0.5) }

  /// Returns the duration that a part of all durations does not exceed, in seconds.
  ///
  /// - Parameter part: the part, 0 to 1.
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
