// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Scenario
import Testing

@Suite struct TrackFileTests {
  static let gpx = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
    <trkpt lat="51.4778" lon="-0.0015"><ele>45.5</ele><time>2026-01-01T10:00:00Z</time></trkpt>
    <trkpt lat="51.4788" lon="-0.0015"><ele>46</ele><time>2026-01-01T10:00:10.500Z</time></trkpt>
    </trkseg></trk></gpx>
    """

  /// NMEA sentences; the first two are common examples in introductions to NMEA 0183.
  static let nmea = """
    $GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47
    $GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A
    $GPVTG,084.4,T,081.3,M,022.4,N,041.5,K*43
    $GPRMC,123521,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*61
    """

  @Test func pointsBecomeFixesWithSpeedAndCourse() throws {
    let track = try TrackFile.gpx(Array(Self.gpx.utf8))
    #expect(track.steps.map(\.time) == [0, 10.5])
    let transit = try #require(track.steps[1].sentences.first { $0.hasPrefix("$GPRMC") })
    // A thousandth of a degree of latitude is 111.2 m: 10.6 m/s, 20.6 knots, due north.
    #expect(transit.hasPrefix("$GPRMC,100010.50,A,5128.7280,N,00000.0900,W,20.6,0.0,010126"))
    #expect(track.steps[0].sentences[0].contains(",45.5,M,"))
  }

  @Test func sentencesKeepTheirIntervals() throws {
    let track = try TrackFile.nmea(Array(Self.nmea.utf8))
    #expect(track.steps.map(\.time) == [0, 2])
    #expect(track.steps.map(\.sentences.count) == [2, 1])
    #expect(track.steps[0].sentences.allSatisfy { NMEA.isValid($0) && $0.hasSuffix("\r\n") })
  }

  @Test(arguments: [
    ("", 1), ("GPGGA,1", 1), ("\n$GPGGA,123519,4807.038*00", 2), ("$GPVTG,084.4,T,081.3,M,022.4,N,041.5,K*43", 1),
    ("$GPRMC,9999,A*50", 1),
  ]) func anInvalidSentenceIsRejectedWithItsLine(text: String, line: Int) {
    do {
      _ = try TrackFile.nmea(Array(text.utf8))
      Issue.record("read: \(text)")
    } catch { #expect(error.line == line && !error.text.isEmpty) }
  }

  /// Returns a sentence with its checksum over the characters between `$` and `*`.
  static func sentence(_ body: String) -> String {
    let digits = String(body.utf8.reduce(0 as UInt8, ^), radix: 16, uppercase: true)
    return "$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\n"
  }

  static let badSentences: [(bodies: [String], line: Int, says: String)] = [
    (["GPGGA,+1+2+3,,,,,0,00,,,M,,M,,"], 1, "hhmmss"), (["GPGGA,0x1234,,,,,0,00,,,M,,M,,"], 1, "hhmmss"),
    (["GPGGA,12351e,,,,,0,00,,,M,,M,,"], 1, "hhmmss"), (["GPGGA,246060,,,,,0,00,,,M,,M,,"], 1, "hhmmss"),
    (["GPGGA,123519,,,,,0,00,,,M,,M,,", "GPRMC,123518,V,,,,,,,230394,,"], 2, "before"),
    (["GPGGA,123519,9000.001,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"], 1, "latitude"),
    (["GPGGA,123519,nan,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"], 1, "latitude"),
    (["GPGGA,123519,4860.000,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"], 1, "latitude"),
    (["GPGGA,123519,4807.038,E,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"], 1, "latitude"),
    (["GPRMC,123519,A,4807.038,N,18000.010,W,022.4,084.4,230394,003.1,W"], 1, "longitude"),
    (["GPRMC,123519,A,4807.038,N,,,022.4,084.4,230394,003.1,W"], 1, "longitude"),
    (["GPHDT,1,T", "GPHDT," + String(repeating: "1", count: 1024)], 2, "longer than 1024"),
  ]

  @Test(arguments: badSentences.indices) func anImpossibleSentenceIsRejectedWithItsLine(index: Int) {
    let (bodies, line, says) = Self.badSentences[index]
    let text = bodies.map(Self.sentence).joined()
    do {
      _ = try TrackFile.nmea(Array(text.utf8))
      Issue.record("read: \(text)")
    } catch { #expect(error.line == line && error.text.contains(says), "\(error)") }
  }

  @Test func theClockContinuesPastEachMidnight() throws {
    let times = ["235959", "000001.5", "120000", "235959", "000000"]
    let text = times.map { Self.sentence("GPRMC,\($0),V,,,,,,,230394,,") }.joined()
    #expect(try TrackFile.nmea(Array(text.utf8)).steps.map(\.time) == [0, 2.5, 43_201, 86_400, 86_401])
  }

  static func point(_ attributes: String, _ inner: String = "") -> String { "<trkpt \(attributes)>\(inner)</trkpt>\n" }

  static let badFiles: [(text: String, line: Int, says: String)] = [
    ("", 1, "no points"), ("no xml", 1, "malformed"), ("<gpx></gpx>", 1, "no points"),
    ("<gpx><trkpt/></gpx>", 1, "has no lat"), ("<gpx>\n<trkpt lat=\"1\"/></gpx>", 2, "has no lon"),
    ("<gpx>\n<trkpt lat=\"91\" lon=\"0\"/></gpx>", 2, "lat is outside -90 to 90"),
    ("<gpx>\n<trkpt lat=\"1\" lon=\"-180.5\"/></gpx>", 2, "lon is outside -180 to 180"),
    ("<gpx><trkpt lat=\"nan\" lon=\"0\"/></gpx>", 1, "lat is not a decimal number: nan"),
    ("<gpx><trkpt lat=\"0\" lon=\"-inf\"/></gpx>", 1, "lon is not a decimal number: -inf"),
    ("<gpx><trkpt lat=\"0x10\" lon=\"0\"/></gpx>", 1, "lat is not a decimal number: 0x10"),
    ("<gpx><trkpt lat=\"1e1\" lon=\"0\"/></gpx>", 1, "lat is not a decimal number"),
    ("<gpx>" + point("lat=\"1\" lon=\"1\"", "<ele>0x10</ele>") + "</gpx>", 1, "elevation"),
    ("<gpx>" + point("lat=\"1\" lon=\"1\"", "<time>yesterday</time>") + "</gpx>", 1, "the time is invalid"),
    (
      "<gpx>" + point("lat=\"1\" lon=\"1\"", "<time>2026-01-01T10:00:00Z or so</time>") + "</gpx>", 1,
      "the time is invalid"
    ),
    ("<gpx><trkpt lat=\"1\"", 1, "malformed"),
    // Truncated between two elements, and closed by the wrong name.
    ("<gpx>\n<trk>\n" + point("lat=\"1\" lon=\"1\""), 3, "truncated"),
    ("<gpx>\n<trk>" + point("lat=\"1\" lon=\"1\"") + "</gpx>", 3, "malformed"),
    ("<gpx>\n" + point("lat=\"1\" lon=\"1\"") + "</gpx>\n\nmore", 5, "malformed"),
    (
      "<gpx>\n" + point("lat=\"1\" lon=\"1\"", "<time>2026-01-01T10:00:05Z</time>")
        + point("lat=\"1\" lon=\"1\"", "<time>2026-01-01T10:00:04Z</time>") + "</gpx>", 3, "before"
    ),
    (
      "<gpx>\n" + point("lat=\"1\" lon=\"1\"", "<time>2026-01-01T10:00:05Z</time>") + point("lat=\"1\" lon=\"1\"")
        + "</gpx>", 3, "others do not"
    ),
    (
      "<gpx>\n" + point("lat=\"1\" lon=\"1\"") + point("lat=\"1\" lon=\"1\"", "<time>2026-01-01T10:00:05Z</time>")
        + "</gpx>", 3, "others do not"
    ),
  ]

  @Test(arguments: badFiles.indices) func anInvalidGPXFileIsRejectedWithItsLine(index: Int) {
    let (text, line, says) = Self.badFiles[index]
    do {
      _ = try TrackFile.gpx(Array(text.utf8))
      Issue.record("read: \(text)")
    } catch { #expect(error.line == line && error.text.contains(says), "\(error): \(text)") }
  }

  @Test(arguments: [
    "<gpx><trkpt lat=\" +51.5\" lon=\"-.5 \"/></gpx>", "<gpx><rtept lat=\"-90\" lon=\"180.\"></rtept></gpx>\n",
    // An undeclared namespace prefix, and a time inside an extension.
    "<gpx><trkpt lat=\"1\" lon=\"1\"><extensions><x:a/><time>later</time></extensions></trkpt></gpx>",
    "\u{FEFF}<?xml version=\"1.0\"?><gpx><wpt lat=\"99\" lon=\"9\"/><trkpt lat=\"1\" lon=\"1\"/></gpx>",
  ]) func unusualValidGPXIsRead(text: String) throws {
    #expect(try TrackFile.gpx(Array(text.utf8)).steps.map(\.time) == [0])
  }

  /// A track that is read has steps in order, from 0, with sentences; an error names a line of the file.
  @Test func truncatedOrChangedTracksAreReadOrRejected() {
    for (file, read) in [(Self.gpx, TrackFile.gpx), (Self.nmea, TrackFile.nmea)] {
      let bytes = Array(file.utf8)
      var tracks = 0
      var errors = 0
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 4
        for variant in [Array(bytes[..<index]), changed] {
          do {
            let times = try read(variant).steps.map { step in
              #expect(!step.sentences.isEmpty && step.sentences.allSatisfy { NMEA.isValid($0) }, "byte \(index)")
              return step.time
            }
            #expect(times.first == 0 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "byte \(index): \(times)")
            tracks += 1
          } catch {
            let lines = variant.count { $0 == 0x0A } + 1
            #expect((1...lines).contains(error.line) && !error.text.isEmpty, "byte \(index): \(error)")
            errors += 1
          }
        }
      }
      #expect(tracks > 20 && errors > 20, "\(tracks) tracks, \(errors) errors")
    }
  }

  @Test func aScenarioNamesItsFiles() throws {
    let files = ScenarioFiles { (name) throws(ScenarioFiles.Problem) in
      switch name {
      case "drive.gpx": return Array(Self.gpx.utf8)
      case "route.yaml":
        return Array("destination: X\nmaneuvers:\n  - {type: LeftTurn, road: Y, distance: 5}\n".utf8)
      case "bad.nmea": return Array("nothing".utf8)
      default: throw ScenarioFiles.Problem("no such file")
      }
    }
    func scenario(_ track: String) throws -> Scenario {
      try Scenario(
        yaml: "headUnit:\n  features: all\n  track: \(track)\nsteps:\n  - phone: {navigate: {file: route.yaml}}\n",
        file: "mine.yaml", files: files)
    }
    #expect(try scenario("{gpx: drive.gpx}").headUnit.state.track?.steps.count == 2)
    for (track, text) in [
      ("{nmea: bad.nmea}", "bad.nmea:1: the line is not a sentence: it does not begin with $"),
      ("{gpx: none}", "none: no such file"),
    ] {
      do {
        _ = try scenario(track)
        Issue.record("read \(track)")
      } catch let problem as ScenarioProblem { #expect(problem.line == 3 && problem.text == text) }
    }
  }
}
