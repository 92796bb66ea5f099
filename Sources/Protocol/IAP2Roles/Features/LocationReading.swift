// swift-iap2 · Apache-2.0

/// A position as a phone reads it from NMEA 0183 sentences.
package struct LocationReading: Sendable, Hashable, Codable {
  /// The latitude in degrees, north positive.
  package var latitude: Double
  /// The longitude in degrees, east positive.
  package var longitude: Double
  /// The altitude in meters above sea level; nil without a sentence that has it.
  package var altitude: Double?
  /// The speed in meters per second; nil without a sentence that has it.
  package var speed: Double?
  /// The course in degrees clockwise from north; nil without a sentence that has it.
  package var course: Double?
  /// The time in Unix seconds; nil without a sentence that has the date.
  package var unixTime: Double?

  /// Reads the sentences that a car reported together: GPRMC and GPGGA, of which the later one decides about the
  /// position. A sentence of another kind, with a wrong checksum, without a fix or with a position off the earth is
  /// ignored.
  ///
  /// - Returns: nil if no sentence has a position.
  package init?(sentences: [String]) {
    var reading: LocationReading?
    for sentence in sentences where sentence.utf8.count <= Self.maximumSentence && NMEA.isValid(sentence) {
      let fields = Fields(sentence)
      switch LocationSentence(of: sentence) {
      case .transit where fields[2] == "A":
        guard let position = fields.position(at: 3) else { continue }
        var next = reading ?? LocationReading(position)
        (next.latitude, next.longitude) = position
        next.speed = Self.number(fields[7]).map { $0 * NMEA.metersPerSecondOfKnot }
        next.course = Self.number(fields[8]).flatMap { (0...360).contains($0) ? $0 : nil }
        next.unixTime = fields.unixTime
        reading = next
      case .fix where !fields[6].isEmpty && fields[6] != "0":
        guard let position = fields.position(at: 2) else { continue }
        var next = reading ?? LocationReading(position)
        (next.latitude, next.longitude) = position
        next.altitude = Self.number(fields[9])
        reading = next
      default: continue
      }
    }
    guard let reading else { return nil }
    self = reading
  }

  private init(_ position: (latitude: Double, longitude: Double)) {
    latitude = position.latitude
    longitude = position.longitude
  }

  /// The longest sentence in bytes. NMEA 0183 allows 82, and longer sentences in practice have a few hundred.
  private static let maximumSentence = 1024

  /// Returns a number of digits with at most one point and perhaps a minus sign; nil for any other text.
  fileprivate static func number(_ text: Substring) -> Double? {
    let digits = text.first == "-" ? text.dropFirst() : text
    let isPlain = digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2E }
    return isPlain && digits.utf8.count <= maximumDigits ? Double(text) : nil
  }

  /// The longest number of a sentence, in digits: more than a double can hold.
  private static let maximumDigits = 18
}

/// The fields of a sentence; index 1 is the first after its name.
private struct Fields {
  private let fields: [Substring]

  init(_ sentence: String) {
    fields = sentence.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false)
  }

  subscript(index: Int) -> Substring { index < fields.count ? fields[index] : "" }

  /// Returns the position of four fields: latitude, N or S, longitude, E or W.
  func position(at index: Int) -> (latitude: Double, longitude: Double)? {
    guard let latitude = angle(self[index], self[index + 1], "N", "S"), abs(latitude) <= 90,
      let longitude = angle(self[index + 2], self[index + 3], "E", "W"), abs(longitude) <= 180
    else { return nil }
    return (latitude, longitude)
  }

  private func angle(_ text: Substring, _ side: Substring, _ positive: Substring, _ negative: Substring) -> Double? {
    guard let value = LocationReading.number(text), value >= 0, side == positive || side == negative else { return nil }
    let degrees = (value / 100).rounded(.down)
    let minutes = value - degrees * 100
    guard minutes < 60 else { return nil }
    return (degrees + minutes / 60) * (side == positive ? 1 : -1)
  }

  /// The time of a GPRMC sentence from `hhmmss.ss` and `ddmmyy`; the years are 2000 to 2099.
  var unixTime: Double? {
    guard let time = LocationReading.number(self[1]), self[1].prefix(6).utf8.allSatisfy({ $0 != 0x2E }),
      let date = Int(self[9]), self[9].utf8.count == 6, date >= 0
    else { return nil }
    let (day, month, year) = (date / 10_000, date / 100 % 100, 2000 + date % 100)
    let whole = Int(time.rounded(.down))
    let (hour, minute) = (whole / 10_000, whole / 100 % 100)
    let second = time - Double(whole / 100 * 100)
    guard (1...31).contains(day), (1...12).contains(month), (0..<24).contains(hour), (0..<60).contains(minute),
      (0..<61).contains(second)
    else { return nil }
    return Double(NMEA.days(day: day, month: month, year: year) * 86_400 + hour * 3600 + minute * 60) + second
  }
}
