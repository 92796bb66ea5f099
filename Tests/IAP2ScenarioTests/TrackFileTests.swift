// swift-iap2 · Apache-2.0

import IAP2
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

  /// The first two are the examples of many NMEA 0183 introductions.
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
    #expect(transit.hasPrefix("$GPRMC,100010.00,A,5128.7280,N,00000.0900,W,20.6,0.0,010126"))
    #expect(track.steps[0].sentences[0].contains(",45.5,M,"))
  }

  @Test func sentencesKeepTheirOwnPace() throws {
    let track = try TrackFile.nmea(Array(Self.nmea.utf8))
    #expect(track.steps.map(\.time) == [0, 2])
    #expect(track.steps.map(\.sentences.count) == [2, 1])
    #expect(track.steps[0].sentences.allSatisfy { NMEA.isValid($0) && $0.hasSuffix("\r\n") })
  }

  @Test(arguments: [
    ("", 1), ("GPGGA,1", 1), ("\n$GPGGA,123519,4807.038*00", 2), ("$GPVTG,084.4,T,081.3,M,022.4,N,041.5,K*43", 1),
    ("$GPRMC,9999,A*50", 1),
  ]) func whatIsNoSentenceIsNamedWithItsLine(text: String, line: Int) {
    do {
      _ = try TrackFile.nmea(Array(text.utf8))
      Issue.record("read: \(text)")
    } catch { #expect(error.line == line && !error.text.isEmpty) }
  }

  @Test(arguments: [
    "", "no xml", "<gpx><trkpt lat=\"91\" lon=\"0\"/></gpx>", "<gpx></gpx>", "<gpx><trkpt/></gpx>",
    "<gpx><trkpt lat=\"1\" lon=\"1\"><time>yesterday</time></trkpt></gpx>", "<gpx><trkpt lat=\"1\"",
  ])
  func whatIsNoGPXIsRefused(text: String) {
    #expect(throws: TrackFile.Problem.self) { try TrackFile.gpx(Array(text.utf8)) }
  }

  @Test func bytesCutOrChangedAnywhereAreReadOrRefused() {
    for (file, read) in [(Self.gpx, TrackFile.gpx), (Self.nmea, TrackFile.nmea)] {
      let bytes = Array(file.utf8)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 4
        for variant in [Array(bytes[..<index]), changed] { do { _ = try read(variant) } catch {} }
      }
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
      ("{nmea: bad.nmea}", "bad.nmea:1: a sentence begins with $"), ("{gpx: none}", "none: no such file"),
    ] {
      do {
        _ = try scenario(track)
        Issue.record("read \(track)")
      } catch let problem as ScenarioProblem { #expect(problem.line == 3 && problem.text == text) }
    }
  }
}
