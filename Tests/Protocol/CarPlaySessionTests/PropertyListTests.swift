// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Foundation
import Testing

/// Property lists, with Foundation as the oracle.
@Suite struct PropertyListTests {
  private let sample: PropertyValue = [
    "type": "modesChanged", "flag": true, "off": false, "count": 3, "byte": 255, "word": 65_535, "long": 70_000,
    "large": 5_000_000_000, "negative": -2, "half": 0.5, "name": "Grüße 東京", "empty": "", "none": [], "nothing": [:],
    "data": .data([0, 1, 255]), "again": "modesChanged",
    "list": [1, true, ["a": "b"], .data([UInt8](repeating: 7, count: 300)), "\u{1F697} car"],
  ]

  /// Returns the value in the types of Foundation.
  private func foundation(_ value: PropertyValue) -> Any {
    switch value {
    case .bool(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .unsigned(let value): NSNumber(value: value)
    case .real(let value): NSNumber(value: value)
    case .text(let value): value
    case .data(let value): Data(value)
    case .array(let values): values.map(foundation)
    case .dictionary(let values): values.mapValues(foundation)
    }
  }

  @Test func whatIsWrittenIsReadHereAndByFoundation() throws {
    let bytes = sample.binary
    #expect(try PropertyValue(binary: bytes) == sample)
    let read = unsafe try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    let again = try PropertyListSerialization.data(fromPropertyList: read, format: .binary, options: 0)
    #expect(try PropertyValue(binary: Array(again)) == sample)
  }

  @Test func numbersThatEqualNothingAreWritten() throws {
    let value: PropertyValue = ["list": [.real(.nan), .real(0), .real(-0.0), .real(.infinity)]]
    let again = try PropertyValue(binary: value.binary)
    #expect(again.binary == value.binary)
    #expect(again["list"]?.array?.count == 4)
  }

  @Test func manyReferencesToOneLongObjectHaveABound() {
    // 0 an array of 20,000 references to 1, which has 60,000 bytes: 1.2 GB after expansion.
    let (count, length) = (20_000, 60_000)
    let header = Array("bplist00".utf8)
    let array: [UInt8] = [0xAF, 0x11, UInt8(count >> 8), UInt8(count & 255)] + [UInt8](repeating: 1, count: count)
    let data: [UInt8] = [0x4F, 0x11, UInt8(length >> 8), UInt8(length & 255)] + [UInt8](repeating: 7, count: length)
    func big(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    let table = header.count + array.count + data.count
    let offsets = big(header.count) + big(header.count + array.count)
    let bytes = header + array + data + offsets + [0, 0, 0, 0, 0, 0, 8, 1] + big(2) + big(0) + big(table)
    #expect(throws: PropertyListProblem.tooManyObjects) { try PropertyValue(binary: bytes) }
  }

  @Test func whatFoundationWritesIsReadHere() throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: foundation(sample), format: .binary, options: 0)
    #expect(try PropertyValue(binary: Array(data)) == sample)
  }

  /// Foundation on Linux traps when it writes such a number.
  @Test func anIdentifierIsUnsigned() throws {
    let large = PropertyValue.unsigned(.max)
    let object: [UInt8] = [0x14, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]
    #expect(Array(large.binary[8..<25]) == object)
    #expect(try PropertyValue(binary: large.binary) == large)
    #expect(PropertyValue.integer(-2).identifier == 18_446_744_073_709_551_614)
    #expect(PropertyValue.unsigned(.max).identifier == .max)
    #expect(PropertyValue.bool(true).integer == nil && PropertyValue.integer(2).bool == nil)
  }

  @Test func aNumberIsReadInEitherForm() {
    #expect(PropertyValue.real(-1).integer == -1 && PropertyValue.real(32_768).integer == 32_768)
    #expect(PropertyValue.real(300.9).integer == 300 && PropertyValue.real(-300.9).integer == -300)
    for wrong in [Double.nan, .infinity, -.infinity, 1e19, -1e19] {
      #expect(PropertyValue.real(wrong).integer == nil && PropertyValue.real(wrong).bool == nil)
    }
    #expect(PropertyValue.real(5).identifier == 5 && PropertyValue.real(-5).identifier == nil)
    #expect(PropertyValue.integer(1).bool == true && PropertyValue.real(0).bool == false)
    #expect(PropertyValue.text("1").bool == nil && PropertyValue.text("1").integer == nil)
  }

  /// The value as some senders write it: whole numbers as real ones, and booleans as numbers.
  private func loosened(_ value: PropertyValue) -> PropertyValue {
    switch value {
    case .integer(let number): .real(Double(number))
    case .bool(let value): .integer(value ? 1 : 0)
    case .array(let values): .array(values.map(loosened))
    case .dictionary(let values): .dictionary(values.mapValues(loosened))
    case .unsigned, .real, .text, .data: value
    }
  }

  @Test func commandsOfSuchSendersAreTheSame() throws {
    var request = ModeRequest(
      [(.screen, .take(.userInitiated, take: .never, borrow: .anytime)), (.mainAudio, .unborrow)], reason: "reason")
    request.appStates = [.speech(.none), .phoneCall(true), .turnByTurn(false)]
    let commands: [SessionCommand] = [
      .changeModes(request), .duckAudio(decibels: -20, milliseconds: 300), .unduckAudio(milliseconds: 500),
      .setInputMode(uuid: "1", mode: 2), .requestSiri(.buttonDown), .setNightMode(true), .setLimitedUI(false),
      .requestViewArea(uuid: "1", index: 1, milliseconds: 200), .changeMapZoomLevel(uuid: "1", direction: -1),
    ]
    for command in commands {
      let body = loosened(command.body)
      #expect(try CommandBody(bytes: body.binary).command == command, "\(body)")
    }
  }

  @Test func theInfoOfSuchASenderIsTheSame() throws {
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    let read = try SessionInfo(bytes: loosened(info.propertyValue).binary)
    #expect(read.problem == nil && read.features == info.features)
    #expect(read.displays?.map(\.type) == info.displays?.map(\.type))
    #expect(read.audioFormats?.map(\.outputs) == info.audioFormats?.map(\.outputs))
    #expect(read.wantsStatistics == info.wantsStatistics)
  }

  private func nested(_ depth: Int) -> PropertyValue { (0..<depth).reduce(1) { value, _ in [value] } }

  @Test func depthIsBounded() throws {
    #expect(try PropertyValue(binary: nested(16).binary) == nested(16))
    #expect(throws: PropertyListProblem.tooDeep) { try PropertyValue(binary: nested(17).binary) }
  }

  /// The lists are an array that contains itself, and arrays of 16 references to the next one, which multiply at each
  /// step.
  @Test func bombsAreRefused() {
    func list(_ objects: [[UInt8]]) -> [UInt8] {
      var bytes = Array("bplist00".utf8)
      let offsets = objects.map { object -> UInt8 in
        defer { bytes += object }
        return UInt8(bytes.count)
      }
      let table = bytes.count
      bytes += offsets
      bytes += [0, 0, 0, 0, 0, 0, 1, 1]
      for number in [objects.count, 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(number)] }
      return bytes
    }
    #expect(throws: PropertyListProblem.tooDeep) { try PropertyValue(binary: list([[0xA1, 0]])) }
    let doubling = (0..<5).map { [UInt8](arrayLiteral: 0xAF, 0x10, 16) + [UInt8](repeating: $0 + 1, count: 16) }
    #expect(throws: PropertyListProblem.tooManyObjects) { try PropertyValue(binary: list(doubling + [[0x09]])) }
    #expect(throws: PropertyListProblem.notBinary) { try PropertyValue(binary: Array("<?xml version".utf8)) }
    #expect(throws: PropertyListProblem.tooLong(byteCount: 1 << 20 + 1)) {
      try PropertyValue(binary: [UInt8](repeating: 0, count: 1 << 20 + 1))
    }
    #expect(throws: PropertyListProblem.badObject(offset: 8)) {
      try PropertyValue(binary: list([[0x4F, 0x13] + [UInt8](repeating: 0x7F, count: 8)]))
    }
  }

  @Test func changedBytesAreReadOrRefused() {
    var random = SeededGenerator(seed: 7)
    let bytes = sample.binary
    var refused = 0
    for _ in 0..<3000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { changed.removeLast(Int.random(in: 0..<changed.count, using: &random)) }
      do {
        let value = try PropertyValue(binary: changed)
        // A value that was read can be written and read again. The bytes are compared, because NaN is never equal.
        #expect(try PropertyValue(binary: value.binary).binary == value.binary)
      } catch { refused += 1 }
    }
    #expect(refused > 500)
  }
}
