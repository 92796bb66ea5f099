// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import Testing

/// The records of discovery, and the control request (CarPlayStart.md#bonjour).
@Suite struct DiscoveryRecordTests {
  @Test func anAddressIsReadInEveryForm() throws {
    let id = try #require(DeviceID("02:00:5e:0A:00:FF"))
    #expect(id.number == 0x02_00_5E_0A_00_FF && "\(id)" == "02:00:5E:0A:00:FF")
    #expect(DeviceID("02005E0A00FF") == id && DeviceID(number: id.number) == id)
    let wrong = [
      "", "02:00:5E:0A:00", "02:00:5E:0A:00:FG", "2:0:5E:A:0:FF", "02:00:5E:0A:00:FF:", "02005E0A00F", "+2005E0A00FF",
    ]
    for text in wrong { #expect(DeviceID(text) == nil, "\(text)") }
    #expect(DeviceID(number: 1 << 48) == nil)
  }

  @Test func aTextRecordIgnoresCaseAndKeepsTheFirst() {
    let strings = ["deviceID=1", "", "DEVICEID=2", "=x", "flag", "a=b=c"].map { Array($0.utf8) }
    let record = TextRecord(strings: strings)
    #expect(record["deviceid"] == "1" && record["a"] == "b=c" && record["flag"] == nil)
    #expect(record.entries.map(\.key) == ["deviceID", "flag", "a"] && record.repeatedKeys == ["deviceID"])
    #expect(HeadUnitRecord(record).problems.contains(.repeated(key: "deviceID")))
    #expect(record.bytes == [10] + Array("deviceID=1".utf8) + [4] + Array("flag".utf8) + [5] + Array("a=b=c".utf8))
    #expect(TextRecord(strings: record.strings).entries == record.entries)
    // Any number of entries, and entries of any size, have a bound.
    let many = TextRecord(strings: (0..<1000).map { Array("k\($0)=1".utf8) })
    #expect(many.entries.count == TextRecord.maximumEntryCount)
    let long = TextRecord([.init("k", String(repeating: "x", count: 1000))])
    #expect(long.strings == [Array("k=".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 253)])
  }

  /// The record of LIVI, and the older one of WIO, which has no pairing (CarPlayStart.md#features-values).
  @Test func theRecordsOfOtherHeadUnitsAreRead() {
    let key = String(repeating: "0a", count: 32)
    let livi = HeadUnitRecord(
      TextRecord([
        .init("deviceid", "AA:BB:CC:DD:EE:FF"), .init("features", "0x44540380,0x61"), .init("flags", "0x4"),
        .init("model", "x"), .init("srcvers", "320.17.8"), .init("pi", "p"), .init("pk", key),
      ]))
    #expect(livi.problems.isEmpty && livi.flags == 4 && livi.publicKey == [UInt8](repeating: 10, count: 32))
    #expect(livi.features?.rawValue == 0x61_4454_0380)
    let wio = HeadUnitRecord(
      TextRecord([
        .init("deviceID", "AA:BB:CC:DD:EE:FF"), .init("features", "0x44540380,0x21"), .init("flags", "0x4"),
        .init("model", "x"), .init("srcvers", "280.33.8"),
      ]))
    #expect(wio.problems == [.noPairing] && wio.deviceID == livi.deviceID)
  }

  @Test func whatIsWrongInARecordIsNamed() {
    let record = HeadUnitRecord(
      TextRecord([
        .init("deviceid", "AABB"), .init("features", "0x40000000,0x41"), .init("pk", "00"), .init("flags", "4"),
      ]))
    #expect(
      record.problems.map { "\($0)" } == [
        "deviceid is AABB, not AA:BB:CC:DD:EE:FF", "flags is 4, not 0xFLAGS", "the TXT record has no srcvers",
        "the TXT record has no pi", "pk is 00, not 64 hexadecimal digits",
      ])
    let speaker = HeadUnitRecord(TextRecord([.init("features", "0x44540380")]))
    #expect(speaker.problems.contains(.noCar))
    for features in ["", "0x", "0x1,", "0x1,0x1,0x1", "0x100000000,0x0", "1,2", "0x-1,0x0", "0x+1"] {
      let record = HeadUnitRecord(TextRecord([.init("features", features)]))
      #expect(record.features == nil, "\(features)")
    }
    #expect(PhoneRecord(TextRecord([])).problems == [.missing(key: "id")])
  }

  /// What a head unit advertises, its `/info` and the record inside `/info` have the same values.
  @Test func theAdvertisedRecordAgreesWithInfo() throws {
    let identity = try PairingIdentity(
      identifier: "66666666-7777-8888-9999-AAAAAAAAAAAA", privateKey: Secret([UInt8](repeating: 7, count: 32)))
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    let configuration = HeadUnitConfiguration(identity: identity, info: info)
    let record = HeadUnitRecord(configuration.textRecord)
    #expect(record.problems.isEmpty)
    #expect(record.deviceID.map { "\($0)" } == info.deviceID && record.features?.rawValue == info.features)
    #expect(record.pairingID == identity.identifier && record.publicKey == identity.publicKey)
    #expect(record.sourceVersion == info.sourceVersion && record.model == info.model)
  }

  @Test func theControlRequestCarriesADecimalNumber() throws {
    let id = try #require(DeviceID("02:00:5E:0A:00:FF"))
    let bytes = ControlCall.request(id, sourceVersion: "320.17.8", host: "phone.local")
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text == "GET /ctrl-int/1/connect HTTP/1.1\r\nHost: phone.local\r\nUser-Agent: AirPlay/320.17.8\r\n"
        + "AirPlay-Receiver-Device-ID: \(id.number)\r\nConnection: close\r\n\r\n")
    let call = try ControlCall(try Self.message(bytes))
    #expect(call.readings.map(\.deviceID) == [id] && call.readings.map(\.form) == [.decimal])
    #expect(call.sourceVersion == "320.17.8")
  }

  @Test(arguments: [
    ("2200600969471", ["decimal 02:00:5E:0A:00:FF"]), ("02005E0A00FF", ["hexadecimal 02:00:5E:0A:00:FF"]),
    ("02:00:5e:0a:00:ff", ["hexadecimal 02:00:5E:0A:00:FF"]),
    // Twelve decimal digits may be either. A decimal number does not begin with 0.
    ("020000000101", ["hexadecimal 02:00:00:00:01:01", "decimal 00:04:A8:17:C8:65"]),
    ("220000000101", ["decimal 00:33:39:05:98:65", "hexadecimal 22:00:00:00:01:01"]),
  ])
  func theAddressIsReadInBothForms(_ text: String, _ readings: [String]) throws {
    let call = try ControlCall(try Self.message(Self.request(id: text)))
    #expect(call.readings.map { "\($0.form) \($0.deviceID)" } == readings)
  }

  @Test func wrongControlRequestsAreRefusedWithAStatus() throws {
    let cases: [(String, Int)] = [
      ("GET /ctrl-int/1/connect HTTP/1.1\r\n\r\n", 400), ("GET /ctrl-int/2/connect HTTP/1.1\r\n\r\n", 404),
      ("POST /ctrl-int/1/connect HTTP/1.1\r\n\r\n", 501), ("HTTP/1.1 200 OK\r\n\r\n", 400),
      (String(decoding: Self.request(id: ""), as: UTF8.self), 400),
      (String(decoding: Self.request(id: "281474976710656"), as: UTF8.self), 400),
      (String(decoding: Self.request(id: "-1"), as: UTF8.self), 400),
      (String(decoding: Self.request(id: "99999999999999999999999999"), as: UTF8.self), 400),
    ]
    for (text, status) in cases {
      let message = try Self.message(Array(text.utf8))
      #expect(throws: ControlCall.Refusal.self, "\(text)") { try ControlCall(message) }
      do throws(ControlCall.Refusal) { _ = try ControlCall(message) } catch {
        #expect(error.status == status, "\(text)")
      }
    }
  }

  private static func request(id: String) -> [UInt8] {
    Array("GET \(ControlCall.path) HTTP/1.1\r\nAirPlay-Receiver-Device-ID: \(id)\r\n\r\n".utf8)
  }

  private static func message(_ bytes: [UInt8]) throws -> RequestMessage {
    var reader = RequestReader()
    reader.add(bytes)
    return try #require(try reader.next())
  }
}
