// swift-iap2 · Apache-2.0

import IAP2Formats
import Testing

@testable import IAP2

private func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.filter(\.isHexDigit).map { $0.hexDigitValue ?? 0 }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

@Suite struct BluetoothUUIDTests {
  @Test func textAndBytesAreTheSameNumber() throws {
    let uuid = try #require(BluetoothUUID("EC884348-cd41-40a2-9727-575d50bf1fd3"))
    #expect(uuid.bytes == bytes("ec884348cd4140a29727575d50bf1fd3"))
    #expect(uuid.description == "ec884348-cd41-40a2-9727-575d50bf1fd3")
    // The order of the bytes in an inquiry response (Bluetooth.md#eir-order).
    #expect(uuid.reversed.description.hasPrefix("d31fbf50-"))
    #expect(BluetoothService.accessory.uuid.description == "00000000-deca-fade-deca-deafdecacaff")
  }

  @Test(arguments: [
    "", "ec884348", "ec884348-cd41-40a2-9727-575d50bf1fd", "ec884348cd4140a29727575d50bf1fd3",
    "ec884348-cd41-40a2-9727-575d50bf1fdg", "+c884348-cd41-40a2-9727-575d50bf1fd3",
    "ec884348-cd41-40a2-97275-75d50bf1fd3",
  ])
  func aMalformedUUIDIsRejected(text: String) { #expect(BluetoothUUID(text) == nil) }

  @Test func anAddressIsReversedOnTheWire() throws {
    let address = try #require(BluetoothAddress("00:AA:01:01:00:0f"))
    #expect(BluetoothAddress(wire: bytes("0f000101aa00")) == address)
    #expect(address.description == "00:AA:01:01:00:0F")
    #expect(BluetoothAddress(wire: bytes("0f000101aa")) == nil)
  }
}

@Suite struct ExtendedInquiryResponseTests {
  /// A head unit's response, quoted by wiomoc/iap2: iAP2 in the wrong byte order, CarPlay in the right one.
  static let peugeot = bytes(
    """
    0d0950455547454f2d3633383400110600000000decafadedecadeafdecacaff1107d31fbf505d572797a24041cd484388ec
    """)
  /// An accessory's response, from the same source.
  static let raspberry = bytes(
    "0e0972617370626572727970693031020a00091002006b1d460237051107ffcacadeafdecadedefacade00000000")

  @Test func aHeadUnitsServicesAreFoundInEitherByteOrder() {
    let response = ExtendedInquiryResponse(reading: Self.peugeot.rawBytes)
    #expect(response.name == "PEUGEO-6384")
    #expect(response.services == [.accessory, .carPlayAccessory])
    #expect(response.uuids.first?.reversed == BluetoothService.accessory.uuid)
  }

  @Test func anAccessorysServicesAreFoundBetweenOthers() {
    let response = ExtendedInquiryResponse(reading: Self.raspberry.rawBytes)
    #expect(response.name == "raspberrypi01" && response.services == [.accessory])
  }

  @Test func aTruncatedInquiryResponseEndsAtTheCut() {
    for whole in [Self.peugeot, Self.raspberry] {
      let all = ExtendedInquiryResponse(reading: whole.rawBytes)
      for count in 0..<whole.count {
        let part = ExtendedInquiryResponse(reading: Array(whole[..<count]).rawBytes)
        #expect(all.uuids.starts(with: part.uuids) && part.uuids.count < max(1, all.uuids.count))
      }
    }
    // The rest of a response of 240 bytes is zeros.
    let padded = ExtendedInquiryResponse(reading: (Self.peugeot + [0, 0, 5, 9]).rawBytes)
    #expect(padded == ExtendedInquiryResponse(reading: Self.peugeot.rawBytes))
  }
}

@Suite struct ServiceRecordTests {
  /// The attributes that Bluetooth.md#record lists for an accessory, written by hand.
  @Test func anAccessorysRecordHasTheAttributesOfRealOnes() {
    let xml = ServiceRecord(.accessory, channel: 19, name: "A & B").xml
    let expected = [
      #"<attribute id="0x0001"><sequence><uuid value="00000000-deca-fade-deca-deafdecacaff"/></sequence></attribute>"#,
      #"<attribute id="0x0002"><uint32 value="0x00000000"/></attribute>"#,
      #"<attribute id="0x0004"><sequence><sequence><uuid value="0x0100"/></sequence>"#
        + #"<sequence><uuid value="0x0003"/><uint8 value="0x13"/></sequence></sequence></attribute>"#,
      #"<attribute id="0x0005"><sequence><uuid value="0x1002"/></sequence></attribute>"#,
      #"<attribute id="0x0006"><sequence><uint16 value="0x656e"/><uint16 value="0x006a"/>"#
        + #"<uint16 value="0x0100"/></sequence></attribute>"#,
      #"<attribute id="0x0008"><uint8 value="0xff"/></attribute>"#,
      #"<attribute id="0x0009"><sequence><sequence><uuid value="0x1101"/><uint16 value="0x0100"/>"#
        + #"</sequence></sequence></attribute>"#,
      #"<attribute id="0x0100"><text value="A &amp; B"/></attribute>"#,
    ]
    #expect(xml == #"<?xml version="1.0" encoding="UTF-8"?><record>\#(expected.joined())</record>"#)
  }

  @Test func theCarPlayRecordHasNoChannel() {
    let xml = ServiceRecord(.carPlayAccessory, channel: nil, name: "CarPlay").xml
    #expect(xml.contains(#"<uuid value="ec884348-cd41-40a2-9727-575d50bf1fd3"/>"#))
    #expect(!xml.contains("0x0003") && !xml.contains(#"id="0x0004""#))
  }
}

@Suite struct ServiceSearchTests {
  /// A sequence of one record, written by hand: classes …cafe, protocols L2CAP and RFCOMM on channel 5.
  static let record = bytes(
    """
    3531 352f 09 0001 3511 1c 00000000decafadedecadeafdecacafe
    09 0004 350c 3503 19 0100 3505 19 0003 08 05 09 0100 2503 616263
    """.filter { !$0.isWhitespace })

  private func answer(_ transaction: UInt16, _ lists: [UInt8], state: [UInt8] = []) -> [UInt8] {
    let parameters = UInt16(lists.count).bigEndianBytes + lists + [UInt8(state.count)] + state
    return [0x07] + transaction.bigEndianBytes + UInt16(parameters.count).bigEndianBytes + parameters
  }

  @Test func theSDPRequestAsksForClassesAndProtocols() {
    let search = ServiceSearch(.device)
    #expect(
      search.request == bytes("06 0001 001e 35111c00000000decafadedecadeafdecacafe 0258 3506090001090004 00"))
  }

  @Test func theSDPAnswerGivesTheChannel() throws {
    var search = ServiceSearch(.device)
    #expect(try search.take(answer(1, Self.record).rawBytes) == .done(5))
    var other = ServiceSearch(.accessory)
    #expect(try other.take(answer(1, Self.record).rawBytes) == .done(nil))
    var none = ServiceSearch(.device)
    #expect(try none.take(answer(1, [0x35, 0x00]).rawBytes) == .done(nil))
  }

  @Test func anAnswerInPartsIsPutTogether() throws {
    for cut in 1..<Self.record.count {
      var search = ServiceSearch(.device)
      guard case .ask(let next) = try search.take(answer(1, Array(Self.record[..<cut]), state: [7, 8]).rawBytes) else {
        throw CancellationError()
      }
      #expect(next[1...2] == [0, 2] && next.suffix(3) == [2, 7, 8])
      #expect(try search.take(answer(2, Array(Self.record[cut...])).rawBytes) == .done(5))
    }
  }

  @Test func aMalformedSDPAnswerIsRejected() {
    let good = answer(1, Self.record)
    for count in 0..<good.count {
      var search = ServiceSearch(.device)
      #expect(throws: ServiceSearch.Problem.malformed) { try search.take(Array(good[..<count]).rawBytes) }
    }
    for bad in [
      answer(2, Self.record), answer(1, [], state: [1]), answer(1, [1], state: Array(repeating: 1, count: 17)),
    ] {
      var search = ServiceSearch(.device)
      #expect(throws: ServiceSearch.Problem.malformed) { try search.take(bad.rawBytes) }
    }
    var search = ServiceSearch(.device)
    #expect(throws: ServiceSearch.Problem.refused(code: 2)) { try search.take(bytes("01 0001 0002 0002").rawBytes) }
  }

  @Test func anEndlessSDPAnswerIsAbandoned() throws {
    var search = ServiceSearch(.device)
    var transaction: UInt16 = 1
    let limit = ServiceSearch.Problem.tooLong(limit: ServiceSearch.maximumByteCount)
    #expect(throws: limit) {
      while true {
        let part = [UInt8](repeating: 0, count: 500)
        _ = try search.take(answer(transaction, part, state: [1]).rawBytes)
        transaction += 1
      }
    }
  }
}
