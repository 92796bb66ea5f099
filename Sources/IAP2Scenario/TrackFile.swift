// swift-iap2 · Apache-2.0

import Foundation
import FoundationXML
public import IAP2

/// Tracks as other programs write them.
public enum TrackFile {
  public struct Problem: Error, Equatable, Sendable {
    /// From 1.
    public var line: Int
    public var text: String
  }

  /// Hours of positions, once a second.
  public static let maximumByteCount = 64 << 20
  static let maximumPoints = 1_000_000

  // MARK: NMEA

  /// Sentences one a line; those with a time move the clock, the others belong to the one before.
  ///
  /// Sentences that a phone cannot ask for are passed over; of the others the checksum must be right.
  public static func nmea(_ bytes: [UInt8]) throws(Problem) -> LocationTrack {
    var steps: [(time: Double, sentences: [String])] = []
    var first: Double?
    var last = 0.0
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      guard text.hasPrefix("$") else { throw Problem(line: index + 1, text: "a sentence begins with $") }
      guard let kind = LocationSentence(of: text) else { continue }
      guard NMEA.isValid(text) else { throw Problem(line: index + 1, text: "no checksum, or a wrong one") }
      if kind == .fix || kind == .transit {
        let time = try clock(text, line: index + 1)
        let start = first ?? time
        first = start
        // Past midnight the clock begins again.
        let since = time - start
        last = max(last, since < -43_200 ? since + 86_400 : since)
      }
      if steps.last?.time == last {
        steps[steps.count - 1].sentences.append(text + "\r\n")
      } else {
        steps.append((last, [text + "\r\n"]))
      }
      guard steps.count <= maximumPoints else {
        throw Problem(line: index + 1, text: "more than \(maximumPoints) steps")
      }
    }
    guard !steps.isEmpty else { throw Problem(line: 1, text: "no sentence that a phone asks for") }
    return LocationTrack(steps: steps)
  }

  /// Seconds of the day, from `hhmmss.ss` behind the sentence's name.
  private static func clock(_ sentence: String, line: Int) throws(Problem) -> Double {
    let fields = sentence.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count > 1, fields[1].count >= 6, let hours = Double(fields[1].prefix(2)),
      let minutes = Double(fields[1].dropFirst(2).prefix(2)), let seconds = Double(fields[1].dropFirst(4)),
      hours < 24, minutes < 60, seconds < 61, hours >= 0, minutes >= 0, seconds >= 0
    else { throw Problem(line: line, text: "no time hhmmss") }
    return hours * 3600 + minutes * 60 + seconds
  }

  // MARK: GPX

  /// The points of all tracks and routes of a GPX 1.0 or 1.1 file; speed and course follow from them where they are not
  /// given.
  public static func gpx(_ bytes: [UInt8]) throws(Problem) -> LocationTrack {
    let reader = GPXReader()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = reader
    parser.shouldResolveExternalEntities = false
    let isRead = parser.parse()
    if let problem = reader.problem { throw problem }
    guard isRead else { throw Problem(line: max(1, parser.lineNumber), text: "not XML") }
    guard !reader.points.isEmpty else { throw Problem(line: 1, text: "no points") }
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
      // Without times, one point a second.
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

  /// Metres and degrees from one fix to the next, on a sphere.
  private static func step(_ from: LocationFix, _ to: LocationFix) -> (distance: Double, course: Double) {
    let radians = Double.pi / 180
    let (a, b) = (from.latitude * radians, to.latitude * radians)
    let east = (to.longitude - from.longitude) * radians
    let half = pow(sin((b - a) / 2), 2) + cos(a) * cos(b) * pow(sin(east / 2), 2)
    let course = atan2(sin(east) * cos(b), cos(a) * sin(b) - sin(a) * cos(b) * cos(east)) / radians
    return (2 * 6_371_000 * asin(min(1, half.squareRoot())), course < 0 ? course + 360 : course)
  }
}

/// Takes the points out of a GPX file.
private final class GPXReader: NSObject, XMLParserDelegate {
  var points: [TrackFile.Point] = []
  var problem: TrackFile.Problem?
  private var text = ""
  private var isInPoint = false

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    text = ""
    guard name == "trkpt" || name == "rtept" else { return }
    guard let latitude = attributes["lat"].flatMap(Double.init), let longitude = attributes["lon"].flatMap(Double.init),
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return fail(parser, "a point without lat and lon") }
    guard points.count < TrackFile.maximumPoints else {
      return fail(parser, "more than \(TrackFile.maximumPoints) points")
    }
    points.append(TrackFile.Point(latitude: latitude, longitude: longitude))
    isInPoint = true
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    // A time or a height is short.
    if isInPoint, text.utf8.count < 256 { text += string }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch name {
    case "trkpt", "rtept": isInPoint = false
    case "ele" where isInPoint:
      guard let altitude = Double(value), altitude.magnitude < 100_000 else {
        return fail(parser, "a height that is none")
      }
      points[points.count - 1].altitude = altitude
    case "time" where isInPoint:
      let plain = ISO8601DateFormatter()
      let fine = ISO8601DateFormatter()
      fine.formatOptions.insert(.withFractionalSeconds)
      guard let time = plain.date(from: value) ?? fine.date(from: value) else {
        return fail(parser, "a time that is none: \(value)")
      }
      points[points.count - 1].time = time
    default: break
    }
  }

  private func fail(_ parser: XMLParser, _ text: String) {
    if problem == nil { problem = TrackFile.Problem(line: max(1, parser.lineNumber), text: text) }
    parser.abortParsing()
  }
}
