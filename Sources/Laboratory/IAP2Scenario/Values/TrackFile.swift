// swift-iap2 · Apache-2.0

import Foundation
import FoundationXML
import IAP2
public import IAP2Roles

/// A reader of location tracks in the formats NMEA 0183 and GPX.
public enum TrackFile {
  /// A problem in a track file.
  public struct Problem: Error, Equatable, Sendable {
    /// The line of the problem, from 1.
    public var line: Int
    /// The human-readable description.
    public var text: String
  }

  /// The size limit for callers that read track files, 64 MiB: hours of positions at one a second.
  public static let maximumByteCount = 64 << 20
  /// The maximum number of points or NMEA steps.
  static let maximumPoints = 1_000_000

  // MARK: NMEA

  /// The maximum length of a line. NMEA 0183 allows 82 bytes, and longer sentences in practice have a few hundred.
  static let maximumLineByteCount = 1024

  /// Reads a file of NMEA sentences, one a line.
  ///
  /// Sentences of the kinds `fix` and `transit` have a time and advance the clock; each other sentence belongs to the
  /// time before it. Sentences that a phone cannot request are ignored, as are empty lines and lines that start with
  /// `#`.
  ///
  /// - Throws: a problem at a line without `$`, with a wrong checksum, or with an invalid or decreasing time or an
  ///   invalid position; or when the file has no sentence for a phone.
  public static func nmea(_ bytes: [UInt8]) throws(Problem) -> LocationTrack {
    var steps: [(time: Double, sentences: [String])] = []
    var clock = DayClock()
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      guard line.count <= maximumLineByteCount else {
        throw Problem(line: number, text: "the line is longer than \(maximumLineByteCount) bytes")
      }
      let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      guard text.hasPrefix("$") else {
        throw Problem(line: number, text: "the line is not a sentence: it does not begin with $")
      }
      guard let kind = LocationSentence(of: text) else { continue }
      guard NMEA.isValid(text) else { throw Problem(line: number, text: "the checksum is missing or wrong") }
      if kind == .fix || kind == .transit {
        let sentence = Sentence(text, line: number)
        guard clock.advance(to: try sentence.time()) else {
          throw Problem(line: number, text: "the time is before that of the sentences above")
        }
        try sentence.checkPosition(from: kind == .fix ? 2 : 3)
      }
      if steps.last?.time == clock.elapsed {
        steps[steps.count - 1].sentences.append(text + "\r\n")
      } else {
        steps.append((clock.elapsed, [text + "\r\n"]))
      }
      guard steps.count <= maximumPoints else {
        throw Problem(line: number, text: "the file has more than \(maximumPoints) steps")
      }
    }
    guard !steps.isEmpty else { throw Problem(line: 1, text: "the file has no sentence that a phone can request") }
    return LocationTrack(steps: steps)
  }

  /// A clock that converts the time of day to the elapsed time and continues after midnight.
  private struct DayClock {
    private(set) var elapsed = 0.0
    private var shown: Double?

    /// Advances to a time of day in seconds. Returns false for a time before the last one.
    mutating func advance(to time: Double) -> Bool {
      var step = time - (shown ?? time)
      if step < -43_200 { step += 86_400 }
      guard step >= 0 else { return false }
      shown = time
      elapsed += step
      return true
    }
  }

  /// The fields of a sentence; index 1 is the first after its name.
  private struct Sentence {
    private let fields: [Substring]
    private let line: Int

    init(_ text: String, line: Int) {
      fields = text.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false)
      self.line = line
    }

    private func field(_ index: Int) -> Substring { index < fields.count ? fields[index] : "" }

    /// Returns the seconds of the day from `hhmmss.ss`.
    func time() throws(Problem) -> Double {
      let text = field(1)
      let digits = text.prefix(6).utf8
      guard digits.count == 6, digits.allSatisfy({ (0x30...0x39).contains($0) }), let hours = Double(text.prefix(2)),
        let minutes = Double(text.dropFirst(2).prefix(2)), let seconds = PlainNumber.value(text.dropFirst(4)),
        hours < 24, minutes < 60, seconds < 61
      else { throw Problem(line: line, text: "the sentence has no time hhmmss") }
      return hours * 3600 + minutes * 60 + seconds
    }

    /// Checks latitude, N or S, longitude, E or W. All four are empty before the first fix.
    func checkPosition(from index: Int) throws(Problem) {
      guard (index...(index + 3)).contains(where: { !field($0).isEmpty }) else { return }
      try check(field(index), "latitude", 90, field(index + 1), "N", "S")
      try check(field(index + 2), "longitude", 180, field(index + 3), "E", "W")
    }

    /// Checks a coordinate in degrees and minutes, `ddmm.mmm`.
    private func check(
      _ text: Substring, _ name: String, _ limit: Double, _ side: Substring, _ plus: Substring, _ minus: Substring
    ) throws(Problem) {
      guard let value = PlainNumber.value(text), value >= 0, side == plus || side == minus else {
        throw Problem(line: line, text: "the sentence has no \(name) in degrees and minutes, \(plus) or \(minus)")
      }
      let degrees = (value / 100).rounded(.down)
      let minutes = value - degrees * 100
      guard minutes < 60, degrees + minutes / 60 <= limit else {
        throw Problem(line: line, text: "the \(name) \(text) is beyond \(Int(limit)) degrees or 59 minutes")
      }
    }
  }

  // MARK: GPX

  /// Reads the points of all tracks and routes of a GPX 1.0 or 1.1 file. Speed and course are calculated from the
  /// points. Without times, points are one second apart.
  ///
  /// - Throws: a problem at malformed XML, at an invalid point, or when the file has no points.
  public static func gpx(_ bytes: [UInt8]) throws(Problem) -> LocationTrack {
    let reader = GPXReader()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = reader
    parser.shouldResolveExternalEntities = false
    // The parser returns true for a truncated file, so errors that its delegate received take precedence.
    let isRead = parser.parse()
    if let problem = reader.problem { throw problem }
    guard isRead else { throw Problem(line: max(1, parser.lineNumber), text: GPXReader.malformed) }
    guard !reader.points.isEmpty else { throw Problem(line: 1, text: "the file has no points") }
    return LocationTrack(fixes: fixes(reader.points))
  }

  fileprivate struct Point {
    var latitude: Double
    var longitude: Double
    var altitude = 0.0
    var time: Date?
  }

  private static func fixes(_ points: [Point]) -> [LocationFix] {
    let start = points.first?.time
    var fixes: [LocationFix] = []
    for (index, point) in points.enumerated() {
      let time = start.flatMap { start in point.time?.timeIntervalSince(start) } ?? Double(index)
      let unix = point.time?.timeIntervalSince1970 ?? LocationFix.plainStart + time
      var fix = LocationFix(
        time: max(0, time), unixTime: unix, latitude: point.latitude, longitude: point.longitude)
      fix.altitude = point.altitude
      if let before = fixes.last {
        let (distance, course) = step(before, fix)
        let seconds = fix.time - before.time
        fix.speed = seconds > 0 ? distance / seconds : before.speed
        fix.course = distance > 0.5 ? course : before.course
      }
      fixes.append(fix)
    }
    return fixes
  }

  /// Returns the distance in metres and the course in degrees from one fix to the next, on a sphere.
  private static func step(_ from: LocationFix, _ to: LocationFix) -> (distance: Double, course: Double) {
    let radians = Double.pi / 180
    let (a, b) = (from.latitude * radians, to.latitude * radians)
    let east = (to.longitude - from.longitude) * radians
    let half = pow(sin((b - a) / 2), 2) + cos(a) * cos(b) * pow(sin(east / 2), 2)
    let course = atan2(sin(east) * cos(b), cos(a) * sin(b) - sin(a) * cos(b) * cos(east)) / radians
    return (2 * 6_371_000 * asin(min(1, half.squareRoot())), course < 0 ? course + 360 : course)
  }
}

/// A parser of the numbers in GPX and NMEA: decimal digits with an optional sign and an optional point.
private enum PlainNumber {
  static func value(_ text: some StringProtocol) -> Double? {
    let unsigned = text.first == "-" || text.first == "+" ? text.dropFirst() : text.dropFirst(0)
    let parts = unsigned.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.contains(where: { !$0.isEmpty }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    return Double(text)
  }
}

/// A reader of the points in a GPX file.
private final class GPXReader: NSObject, XMLParserDelegate {
  static let malformed = "the XML is malformed or truncated"

  var points: [TrackFile.Point] = []
  var problem: TrackFile.Problem?
  private var text = ""
  private var depth = 0
  /// The depth of the current point's element; its child elements are one level deeper.
  private var pointDepth: Int?
  private let plain = ISO8601DateFormatter()
  private let fine: ISO8601DateFormatter = {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions.insert(.withFractionalSeconds)
    return formatter
  }()

  private var isInPoint: Bool { pointDepth.map { $0 + 1 == depth } ?? false }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    text = ""
    depth += 1
    guard name == "trkpt" || name == "rtept" else { return }
    guard let latitude = coordinate("lat", attributes, 90, parser),
      let longitude = coordinate("lon", attributes, 180, parser)
    else { return }
    guard points.count < TrackFile.maximumPoints else {
      return fail(parser, "the file has more than \(TrackFile.maximumPoints) points")
    }
    points.append(TrackFile.Point(latitude: latitude, longitude: longitude))
    pointDepth = depth
  }

  private func coordinate(
    _ key: String, _ attributes: [String: String], _ limit: Double, _ parser: XMLParser
  ) -> Double? {
    guard let text = attributes[key]?.trimmingCharacters(in: .whitespacesAndNewlines) else {
      fail(parser, "the point has no \(key)")
      return nil
    }
    guard let value = PlainNumber.value(text) else {
      fail(parser, "\(key) is not a decimal number: \(text)")
      return nil
    }
    guard value.magnitude <= limit else {
      fail(parser, "\(key) is outside -\(Int(limit)) to \(Int(limit)): \(text)")
      return nil
    }
    return value
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    // Limit the text, because a time or an elevation is short.
    if pointDepth != nil, text.utf8.count < 256 { text += string }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch name {
    case "trkpt" where pointDepth == depth, "rtept" where pointDepth == depth:
      pointDepth = nil
      checkTime(parser)
    case "ele" where isInPoint:
      guard let altitude = PlainNumber.value(value), altitude.magnitude < 100_000 else {
        fail(parser, "the elevation is not a number: \(value)")
        break
      }
      points[points.count - 1].altitude = altitude
    case "time" where isInPoint:
      // The formatter ignores text after a time, so check the whole value first.
      guard value.wholeMatch(of: /[-0-9]+T[0-9:.]+(Z|[-+][0-9:]+)/) != nil,
        let time = plain.date(from: value) ?? fine.date(from: value)
      else {
        fail(parser, "the time is invalid: \(value)")
        break
      }
      points[points.count - 1].time = time
    default: break
    }
    depth -= 1
  }

  private func checkTime(_ parser: XMLParser) {
    guard points.count > 1 else { return }
    switch (points[points.count - 2].time, points[points.count - 1].time) {
    case (nil, nil): break
    case (let before?, let time?):
      if time < before { fail(parser, "the time is before that of the point above") }
    case (nil, _?), (_?, nil): fail(parser, "some points have a time and others do not")
    }
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    // libxml2 also reports warnings about versions, languages and namespaces here (xmlerror.h), after which it
    // continues.
    let code = (error as NSError).code
    if !(97...100).contains(code), !(200..<300).contains(code) { fail(parser, Self.malformed) }
  }

  private func fail(_ parser: XMLParser, _ text: String) {
    if problem == nil { problem = TrackFile.Problem(line: max(1, parser.lineNumber), text: text) }
    parser.abortParsing()
  }
}
