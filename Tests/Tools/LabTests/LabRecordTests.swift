// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import Lab

@Suite struct LabRecordTests {
  private static func entry(_ number: Int) -> LabEntry {
    LabEntry(.event, "e\(number)", time: Double(number), from: .phone)
  }

  @Test("The record keeps the last entries with their numbers")
  func limit() {
    var record = LabRecord()
    let count = LabRecord.maximumCount + 70_000
    for start in stride(from: 0, to: count, by: 10_000) { record.add((start..<start + 10_000).map(Self.entry)) }
    #expect(record.end == count)
    #expect(record.first > 0 && record.end - record.first <= LabRecord.maximumCount)
    #expect(record[record.first - 1] == nil && record[record.end] == nil && record[.min] == nil && record[.max] == nil)
    #expect(record[record.end - 1]?.name == "e\(count - 1)")
    #expect(record.next(0, limit: 3).map(\.number) == [record.first, record.first + 1, record.first + 2])
    #expect(record.next(count, limit: 3).isEmpty)
  }

  @Test("Long rows count by their bytes, and their texts are cut")
  func longRows() {
    var record = LabRecord()
    let lines = [String(repeating: "x", count: 10 << 20)]
    for number in 0..<40 {
      record.add([
        LabEntry(.output, lines[0], text: lines[0], time: nil, from: .app, detail: .lines(lines + ["\(number)"]))
      ])
    }
    #expect(
      record.first > 0 && record.end == 40 && (record.end - record.first) * 10 << 20 <= LabRecord.maximumByteCount)
    #expect((record[39]?.name.count ?? 0) < 300 && (record[39]?.text.count ?? 0) < 500)
  }

  @Test("A session that a page does not know yet has begun, until the page has its hello")
  func beginnings() throws {
    let hub = LabHub()
    var cursor = try #require(hub.add(Page()))
    for title in ["first", "second"] {
      hub.begin(LabHello(.car, title: title, lanes: [], []))
      #expect(hub.hasBegun(after: cursor))
      #expect(hub.next(&cursor, limit: 1).first?.contains(title) == true && !hub.hasBegun(after: cursor))
    }
  }

  private final class Page: LabClient {
    func wake() {}
    func offer(_ picture: LabPicture) {}
    func deliver(_ file: String) {}
  }

  private static func objects(_ texts: [String]) throws -> [[String: Any]] {
    try texts.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  @Test("A page gets each entry once, in their order, and the last state")
  func cursor() throws {
    let hub = LabHub()
    hub.begin(LabHello(.car, title: "App", lanes: [.car, .app], [.time]))
    hub.add((0..<7).map(Self.entry))
    let page = Page()
    var cursor = try #require(hub.add(page))
    var state = LabState()
    state.time = 1
    hub.set(state)
    state.time = 2
    hub.set(state)
    var numbers: [Int] = []
    var types: [String] = []
    while true {
      let objects = try Self.objects(hub.next(&cursor, limit: 3))
      if objects.isEmpty { break }
      types += objects.compactMap { $0["type"] as? String }
      for object in objects { numbers += (object["entries"] as? [[String: Any]] ?? []).compactMap { $0["n"] as? Int } }
    }
    #expect(numbers == Array(0..<7))
    #expect(types == ["hello", "entries", "state", "entries", "entries"])
    hub.add([Self.entry(7)])
    #expect(try Self.objects(hub.next(&cursor, limit: 3)).count == 1)
    // Another session begins at its start.
    hub.begin(LabHello(.car, title: "App", lanes: [.car, .app], [.time]))
    hub.add([Self.entry(0)])
    let again = try Self.objects(hub.next(&cursor, limit: 3))
    #expect(again.compactMap { $0["type"] as? String } == ["hello", "entries"])
  }

  @Test("A page that reads too slowly is told which entries it has missed")
  func dropped() throws {
    let hub = LabHub()
    hub.begin(LabHello(.car, title: "App", lanes: [.car, .app], [.time]))
    let page = Page()
    var cursor = try #require(hub.add(page))
    _ = hub.next(&cursor, limit: 3)
    hub.add((0..<LabRecord.maximumCount + 1).map(Self.entry))
    let objects = try Self.objects(hub.next(&cursor, limit: 3))
    #expect(objects.first?["type"] as? String == "dropped")
    #expect((objects.first?["before"] as? Int ?? 0) > 0)
  }

  @Test("Eight pages at most, and one that left makes room")
  func pages() {
    let hub = LabHub()
    let pages = (0..<9).map { _ in Page() }
    #expect(pages.prefix(8).allSatisfy { hub.add($0) != nil })
    #expect(hub.add(pages[8]) == nil)
    hub.remove(pages[0])
    #expect(hub.add(pages[8]) != nil)
  }

  @Test("A filter is that of decode, and a word of other entries")
  func filter() throws {
    let record = {
      var record = LabRecord()
      record.add(LinkEntries.all(of: "A>D ff550200ee10\nD>A ff5a0009c0008000dd\n"))
      record.add([LabEntry(.call, "scene(_:willConnectTo:options:)", time: 1, from: .car, to: .app)])
      return record
    }()
    #expect(record.end > 1)
    func matches(_ text: String) throws -> [Int] {
      let filter = try LabFilter(text)
      return record.next(0, limit: .max).filter { filter.matches($0.entry) }.map(\.number)
    }
    #expect(try matches("willConnectTo") == [record.end - 1])
    #expect(try matches("layer = detect") == [0])
    #expect(try matches("from = device").contains(1))
    #expect(throws: (any Error).self) { _ = try LabFilter("layer = (") }
  }
}

extension LinkEntries {
  /// Returns the entries of a capture in the project's text form.
  static func all(of text: String) -> [LabEntry] {
    var link = LinkEntries()
    return link.take(Array(text.utf8)) + link.finish()
  }
}
