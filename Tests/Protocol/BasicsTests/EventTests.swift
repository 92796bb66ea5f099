// swift-iap2 · Apache-2.0

import Basics
import Foundation
import Testing

/// Tests of the one declaration from which every output of an event derives.
@Suite struct EventTests {
  /// The one edit that adds an event.
  private static let doorOpened = EventKind(
    "doorOpened", "A door of the car opened.", .notice,
    text: "door {door} {isFront:in front|behind} open[ by {key:count} bytes of a key][, {speed} km/h]",
    EventField<Int>("door", "its number"), EventField<Bool>("isFront", "whether it is a front door"),
    EventField<EventBytes?>("key", "the key that opened it"), EventField<Double?>("speed", "km/h"))

  private func json(_ record: EventRecord) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let line = EventLine(record, role: "headUnit", at: MonotonicTime(nanoseconds: 1_500_000_000))
    return String(decoding: try encoder.encode(line), as: UTF8.self)
  }

  @Test func oneDeclarationGivesEveryOutput() throws {
    let full = Self.doorOpened(2, true, EventBytes([0xFF, 0x5A]), 3.5)
    #expect(
      try json(full)
        == #"{"door":2,"event":"doorOpened","isFront":true,"key":"ff5a","role":"headUnit","speed":3.5,"time":1.5}"#)
    #expect(full.words == ["door": "2", "isFront": "true", "key": "ff5a", "speed": "3.5"])
    #expect(full.text == "door 2 in front open by 2 bytes of a key, 3.5 km/h")
    let short = Self.doorOpened(3, false, nil, nil)
    #expect(try json(short) == #"{"door":3,"event":"doorOpened","isFront":false,"role":"headUnit","time":1.5}"#)
    #expect(short.words == ["door": "3", "isFront": "false"])
    #expect(short.text == "door 3 behind open")
    let fields = Self.doorOpened.declaration.fields
    #expect(fields.map(\.name) == ["door", "isFront", "key", "speed"])
    #expect(fields.map(\.isOptional) == [false, false, true, true])
    #expect(fields.map(\.form) == ["number", "true or false", "hexadecimal digits", "number"])
  }

  @Test func groupsAndListsHaveTheirOwnNamesInExpectations() throws {
    let kind = EventKind(
      "seats", "The seats.", text: "{seats/seat {id} is {state}}",
      EventField<EventGroup>("seats", "each with `id` and `state`"),
      EventField<EventTextOrNull>("driver", "the driver"), EventField<[String]>("rows", "the rows"))
    func seat(_ id: Int, _ state: EventValue) -> EventValue {
      .fields([EventRecord.Value(name: "id", value: .integer(id)), EventRecord.Value(name: "state", value: state)])
    }
    let record = kind(
      EventGroup(.list([seat(1, .text("taken")), seat(2, .worded("free", .integer(0)))])), EventTextOrNull(nil),
      ["front", "back"])
    #expect(record.words == ["id": "1,2", "state": "taken,free", "rows": "front,back"])
    #expect(record.text == "seat 1 is taken, seat 2 is free")
    let seats = #""seats":[{"id":1,"state":"taken"},{"id":2,"state":0}]"#
    #expect(
      try json(record)
        == #"{"driver":null,"event":"seats","role":"headUnit","rows":["front","back"],"# + seats + #","time":1.5}"#)
    #expect(record.saying("two seats").text == "two seats")
  }

  @Test func aValueCanBeReplacedAddedAndRemoved() {
    var record = Self.doorOpened(2, true, nil, nil)
    record["speed"] = .number(1)
    record["door"] = .integer(4)
    record["isFront"] = nil
    record["key"] = nil
    #expect(record.words == ["door": "4", "speed": "1.0"])
  }
}
