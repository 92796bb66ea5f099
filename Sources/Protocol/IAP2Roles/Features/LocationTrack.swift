// swift-iap2 · Apache-2.0

/// The position of a car at one moment.
public struct LocationFix: Sendable, Hashable {
  /// The start of tracks and phones that specify no time: 2026-01-01 in Unix seconds.
  package static let plainStart = 1_767_225_600.0

  /// The time in seconds from the start of the track.
  package var time: Double
  /// The time in Unix seconds.
  package var unixTime: Double
  /// The latitude in degrees, north positive.
  package var latitude: Double
  /// The longitude in degrees, east positive.
  package var longitude: Double
  /// The altitude in meters above sea level.
  public var altitude = 0.0
  /// The speed in meters per second.
  public var speed = 0.0
  /// The course in degrees clockwise from north.
  public var course = 0.0

  /// Creates a fix with altitude, speed and course 0.
  public init(time: Double, unixTime: Double, latitude: Double, longitude: Double) {
    self.time = time
    self.unixTime = unixTime
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A kind of sentence that a phone may request. The raw value is the start of the sentence.
package enum LocationSentence: String, Sendable, Hashable, CaseIterable {
  /// GPS fix data.
  case fix = "GPGGA"
  /// Recommended minimum specific GPS transit data.
  case transit = "GPRMC"
  /// GPS satellites in view.
  case satellites = "GPGSV"
  /// The speed of the vehicle; the content is not publicly known.
  case speed = "PASCD"
  /// The gyroscope of the vehicle; the content is not publicly known.
  case gyro = "PAGCD"
  /// The accelerometer of the vehicle; the content is not publicly known.
  case accelerometer = "PAACD"
  /// The heading of the vehicle.
  case heading = "GPHDT"

  /// Creates the kind of a sentence with or without its dollar sign; nil for any other sentence.
  package init?(of sentence: String) {
    self.init(rawValue: String(sentence.drop { $0 == "$" }.prefix(5)))
  }
}

/// Functions on NMEA 0183 sentences. The content of the P-sentences is not publicly known, so they are passed on from
/// files and never generated.
package enum NMEA {
  /// The speed of one knot.
  static let metersPerSecondOfKnot = 0.514_444

  /// Returns a GGA, an RMC, a GSV and an HDT sentence for a fix. A fix has no satellites, so their data is invented.
  package static func sentences(_ fix: LocationFix) -> [String] {
    let (time, date) = stamp(fix.unixTime)
    let latitude = angle(fix.latitude, degrees: 2, "N", "S")
    let longitude = angle(fix.longitude, degrees: 3, "E", "W")
    let knots = decimal(fix.speed / metersPerSecondOfKnot)
    let course = decimal(fix.course)
    return [
      sentence("GPGGA,\(time),\(latitude),\(longitude),1,08,1.0,\(decimal(fix.altitude)),M,0.0,M,,"),
      sentence("GPRMC,\(time),A,\(latitude),\(longitude),\(knots),\(course),\(date),,,A"),
      sentence("GPGSV,1,1,04,01,60,045,40,02,50,135,40,03,40,225,40,04,30,315,40"),
      sentence("GPHDT,\(course),T"),
    ]
  }

  /// Returns a sentence with dollar sign, checksum and line end.
  static func sentence(_ body: String) -> String {
    let sum = body.utf8.reduce(0 as UInt8, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n"
  }

  /// Returns whether a sentence has a checksum and the checksum is correct.
  package static func isValid(_ sentence: String) -> Bool {
    var text = sentence[...]
    while let last = text.last, last == "\r" || last == "\n" || last == "\r\n" { text.removeLast() }
    guard text.first == "$", let star = text.lastIndex(of: "*"),
      let sum = UInt8(text[text.index(after: star)...], radix: 16)
    else { return false }
    return text[text.index(after: text.startIndex)..<star].utf8.reduce(0 as UInt8, ^) == sum
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Returns the number limited to ±`limit`; 0 for NaN.
  private static func bounded(_ number: Double, _ limit: Double) -> Double {
    number.isNaN ? 0 : max(-limit, min(limit, number))
  }

  /// Returns the number with one decimal place.
  private static func decimal(_ number: Double) -> String {
    let tenths = Int((bounded(number, 1e9) * 10).rounded())
    let digits = padded(abs(tenths), 2)
    return (tenths < 0 ? "-" : "") + digits.dropLast() + "." + digits.suffix(1)
  }

  /// Returns an angle as `ddmm.mmmm,N`.
  private static func angle(_ value: Double, degrees count: Int, _ positive: String, _ negative: String) -> String {
    let parts = Int((abs(bounded(value, 180)) * 600_000).rounded())
    let minutes = parts % 600_000
    return padded(parts / 600_000, count) + padded(minutes / 10_000, 2) + "." + padded(minutes % 10_000, 4) + ","
      + (value < 0 ? negative : positive)
  }

  /// Returns the time as `hhmmss.ss` and the date as `ddmmyy`, by the civil calendar.
  private static func stamp(_ unix: Double) -> (time: String, date: String) {
    let seconds = Int(bounded(unix, 1e11).rounded(.down))
    let day = Int((Double(seconds) / 86_400).rounded(.down))
    let rest = seconds - day * 86_400
    let hundredths = Int(((bounded(unix, 1e11) - Double(seconds)) * 100).rounded(.down))
    let time =
      padded(rest / 3600, 2) + padded(rest / 60 % 60, 2) + padded(rest % 60, 2) + "." + padded(hundredths, 2)
    // Days since March 1, 0000, so that leap days are at the end of a year.
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let civil = month < 10 ? month + 3 : month - 9
    let year = yearOfEra + era * 400 + (civil <= 2 ? 1 : 0)
    return (time, padded(dayOfMonth, 2) + padded(civil, 2) + padded(year % 100, 2))
  }

  /// Returns the days from January 1, 1970, by the civil calendar; no year before 1.
  static func days(day: Int, month: Int, year: Int) -> Int {
    // Years begin in March, so that leap days are at the end of a year.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}

/// A track of a car: sentences and the times at which the car reports them.
public struct LocationTrack: Sendable, Equatable {
  /// The sentences with their times in seconds from the start of the track, ascending.
  package private(set) var steps: [(time: Double, sentences: [String])]
  private var position = 0
  private var elapsedMilliseconds = 0

  /// Creates a track from fixes in any order.
  public init(fixes: [LocationFix]) {
    steps = fixes.sorted { $0.time < $1.time }.map { ($0.time, NMEA.sentences($0)) }
  }

  /// Creates a track from sentences with their times in seconds, in any order.
  public init(steps: [(time: Double, sentences: [String])]) { self.steps = steps.sorted { $0.time < $1.time } }

  /// Whether all sentences were reported.
  package var isFinished: Bool { position == steps.count }

  /// Lets time pass and returns the sentences that are due.
  mutating func advance(milliseconds: Int) -> [String] {
    elapsedMilliseconds += milliseconds
    var due: [String] = []
    while position < steps.count, steps[position].time * 1000 <= Double(elapsedMilliseconds) {
      due += steps[position].sentences
      position += 1
    }
    return due
  }

  /// Compares the sentences, their times and the position on the track.
  public static func == (a: Self, b: Self) -> Bool {
    a.position == b.position && a.elapsedMilliseconds == b.elapsedMilliseconds
      && a.steps.elementsEqual(b.steps) { $0.time == $1.time && $0.sentences == $1.sentences }
  }
}
