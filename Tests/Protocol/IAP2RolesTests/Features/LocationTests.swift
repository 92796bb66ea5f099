// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Location (Features.md#location) and its sentences, which are those of NMEA 0183.
@Suite struct LocationTests {
  /// The example of many introductions to NMEA 0183.
  private static let example = "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47"

  @Test func theChecksumIsThatOfNMEA() {
    #expect(NMEA.isValid(Self.example) && NMEA.isValid(Self.example + "\r\n"))
    #expect(!NMEA.isValid(Self.example.replacing("545.4", with: "545.5")))
    for text in ["", "$", "GPGGA,1*47", "$GPGGA,1", "$GPGGA,1*", "$GPGGA,1*XY"] { #expect(!NMEA.isValid(text)) }
    #expect(NMEA.sentence(String(Self.example.dropFirst().dropLast(3))) == Self.example + "\r\n")
  }

  @Test func aFixIsWrittenInDegreesMinutesAndKnots() {
    // 2024-02-29 12:34:56 UTC.
    var fix = LocationFix(time: 0, unixTime: 1_709_210_096, latitude: 48.1173, longitude: -11.516_666_667)
    fix.altitude = 545.44
    // A knot is 0.514444 m/s.
    fix.speed = 51.4444
    fix.course = 84.4
    let sentences = NMEA.sentences(fix)
    #expect(sentences.allSatisfy { NMEA.isValid($0) && $0.hasSuffix("\r\n") && $0.count <= 82 })
    #expect(sentences[0].hasPrefix("$GPGGA,123456.00,4807.0380,N,01131.0000,W,1,08,1.0,545.4,M,"))
    #expect(sentences[1].hasPrefix("$GPRMC,123456.00,A,4807.0380,N,01131.0000,W,100.0,84.4,290224,"))
    #expect(sentences[3].hasPrefix("$GPHDT,84.4,T*"))
  }

  @Test(
    arguments: [
      (0, "000000.00", "010170"), (951_782_400, "000000.00", "290200"), (946_684_799, "235959.00", "311299"),
      (4_107_542_400, "000000.00", "010300"), (1_767_225_600, "000000.00", "010126"),
    ] as [(Double, String, String)]) func datesAreThoseOfTheCalendar(unix: Double, time: String, date: String)
  {
    let transit = NMEA.sentences(LocationFix(time: 0, unixTime: unix, latitude: 0, longitude: 0))[1].split(
      separator: ",")
    #expect(transit[1] == time && transit[9] == date)
  }

  @Test(
    arguments: [
      (47.999_999_999, "4800.0000,N"), (-0.5, "0030.0000,S"), (90, "9000.0000,N"), (.nan, "0000.0000,N"),
    ] as [(Double, String)]) func minutesNeverReachSixty(latitude: Double, text: String)
  {
    let fix = LocationFix(time: 0, unixTime: 0, latitude: latitude, longitude: .infinity)
    #expect(NMEA.sentences(fix)[0].hasPrefix("$GPGGA,000000.00,\(text),18000.0000,E,"))
  }

  private static let track = LocationTrack(steps: [
    (0, ["$GPGGA,a*00\r\n", "$GPRMC,b*00\r\n"]), (1, ["$GPGGA,c*00\r\n", "$PASCD,d*00\r\n"]),
    (1.5, ["$GPGGA,e*00\r\n"]),
  ])

  private static func information(_ sentences: String...) -> [UInt8] {
    controlMessage(0xFFFB, sentences.flatMap { parameter(0, text($0)) })
  }

  @Test func aCarReportsTheRequestedSentencesAtTheirTimes() throws {
    var car = try HeadUnitBench(.location) { $0.state.track = Self.track }
    #expect(car.policy.tickMilliseconds == nil)
    let start = car.receive(0xFFFA, parameter(1, []) + parameter(4, []) + parameter(0x21, []))
    #expect(start == PolicyOutput([.event(.violation(.unknownAttributes(message: 0xFFFA, [0x21])))]))
    #expect(car.policy.tickMilliseconds != nil)
    #expect(car.wait(milliseconds: 0).sent == [Self.information("$GPGGA,a*00\r\n")])
    #expect(car.wait(milliseconds: 999).sent.isEmpty)
    #expect(car.wait(milliseconds: 1).sent == [Self.information("$GPGGA,c*00\r\n", "$PASCD,d*00\r\n")])
    // A second request replaces the first.
    car.receive(0xFFFA, parameter(2, []))
    #expect(car.wait(milliseconds: 500).sent.isEmpty && car.policy.tickMilliseconds == nil)
  }

  @Test func aStopEndsTheReports() throws {
    var car = try HeadUnitBench(.location) { $0.state.track = Self.track }
    #expect(car.receive(0xFFFC).violations == [.notStarted(0xFFFC)])
    car.receive(0xFFFA, parameter(1, []))
    #expect(car.receive(0xFFFC) == PolicyOutput([]))
    #expect(car.wait(milliseconds: 5000).sent.isEmpty && car.policy.tickMilliseconds == nil)
    #expect(car.receive(0xFFFC).violations == [.notStarted(0xFFFC)])
  }

  @Test func aPhoneAsksForTheSentencesOfTheComponent() throws {
    let phone = try PhoneBench(
      .location,
      change: {
        $0.locationInformationComponent?.gpsSatellitesInView = false
        $0.locationInformationComponent?.vehicleGyroData = false
        $0.locationInformationComponent?.vehicleAccelerometerData = false
      })
    #expect(phone.ready.sent == [controlMessage(0xFFFA, ([1, 2, 4, 7] as [UInt16]).flatMap { parameter($0, []) })])
  }

  @Test func aPhoneReportsEverySentence() throws {
    var phone = try PhoneBench(.location)
    let output = phone.receive(0xFFFB, parameter(0, text(Self.example)) + parameter(0, text("$X")) + parameter(9, [1]))
    guard case .location(let information)? = output.features.first else {
      Issue.record("no location: \(output)")
      return
    }
    #expect(information.nmeaSentence == [Self.example, "$X"])
  }

  // MARK: The phone's side

  @Test func aPhoneReadsWhatACarWrites() throws {
    var fix = LocationFix(time: 0, unixTime: 1_709_210_096.25, latitude: 48.1173, longitude: -11.516_666_667)
    fix.altitude = 545.44
    fix.speed = 51.4444
    fix.course = 84.4
    let reading = try #require(LocationReading(sentences: NMEA.sentences(fix)))
    // The sentences have a ten-thousandth of a minute, and one digit after the point of the other values.
    #expect(abs(reading.latitude - fix.latitude) < 1e-6 && abs(reading.longitude - fix.longitude) < 1e-6)
    #expect(reading.altitude == 545.4 && reading.course == 84.4 && abs((reading.speed ?? 0) - 51.4444) < 1e-9)
    #expect(reading.unixTime == 1_709_210_096.25)
    let published = LocationReading(sentences: [Self.example])
    #expect(abs((published?.latitude ?? 0) - 48.1173) < 1e-6 && published?.altitude == 545.4)
    #expect(published?.speed == nil && published?.course == nil && published?.unixTime == nil)
  }

  @Test(
    arguments: [
      "GPRMC,123456.00,V,4807.0380,N,01131.0000,W,100.0,84.4,290224,,", "GPRMC,,A,,,,,,,,,", "GPRMC",
      "GPRMC,123456.00,A,9107.0380,N,01131.0000,W,100.0,84.4,290224,,",
      "GPRMC,123456.00,A,4860.0000,N,01131.0000,W,100.0,84.4,290224,,",
      "GPRMC,123456.00,A,4807.0380,X,01131.0000,W,100.0,84.4,290224,,",
      "GPRMC,123456.00,A,inf,N,0x1p3,W,100.0,84.4,290224,,", "GPRMC,1,A,-1,N,-1,W,1,1,1",
      "GPGGA,123519,4807.038,N,01131.000,E,0,08,0.9,545.4,M,46.9,M,,", "GPHDT,84.4,T", "PASCD,1,2,3",
      "GPGGA,123519,\(String(repeating: "1", count: 2000)),N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
    ]) func aSentenceWithoutAPositionIsIgnored(body: String)
  {
    #expect(LocationReading(sentences: [NMEA.sentence(body)]) == nil)
    let both = LocationReading(sentences: [NMEA.sentence(body), Self.example])
    #expect(both == LocationReading(sentences: [Self.example]) && both != nil)
  }

  @Test func aTimeOffTheClockIsNone() {
    for (time, date) in [("246000", "290224"), ("-10101", "290224"), ("123456", "310024"), ("123456", "2902")] {
      let body = "GPRMC,\(time),A,4807.0380,N,01131.0000,W,,,\(date),,"
      let reading = LocationReading(sentences: [NMEA.sentence(body)])
      #expect(reading != nil && reading?.unixTime == nil && reading?.speed == nil, "\(time) \(date)")
    }
  }

  @Test func aPhoneAsksWhileItWantsLocation() throws {
    var phone = try PhoneBench(.location, { $0.wantsLocation = false })
    #expect(phone.ready.sent.isEmpty)
    let start = phone.change { $0.wantsLocation = true }
    #expect(start.sent == [controlMessage(0xFFFA, (1...7).flatMap { parameter($0, []) })])
    #expect(phone.change { $0.name = "Other" }.sent.isEmpty)
    #expect(phone.change { $0.wantsLocation = false }.sent == [controlMessage(0xFFFC, [])])
    // An accessory without location is not asked.
    var other = try PhoneBench(.vehicleStatus, { $0.wantsLocation = false })
    #expect(other.change { $0.wantsLocation = true }.sent.isEmpty)
  }
}
