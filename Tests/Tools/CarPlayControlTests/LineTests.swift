// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlayPlatform
import Foundation
import Testing

@testable import CarPlayControl

@Suite struct LineTests {
  private let event = CarEvent(
    time: .milliseconds(1050), direction: .toApp, object: "scene delegate", name: "a(_:)", detail: "b")

  @Test("The ladder has time, direction and text")
  func ladder() {
    #expect(CarLine.call(event).ladder.map(\.text) == ["    1.050  car ───► app  a(_:) b  (scene delegate)"])
    let before = ScreenNode(.list, "L", children: [ScreenNode(.row, "A")])
    let after = ScreenNode(.list, "L", children: [ScreenNode(.row, "B")])
    let line = CarLine.screen(after, before: before, time: 2)
    #expect(
      line.ladder.map { $0.text.trimmingCharacters(in: .whitespaces) } == [
        "2.000  screen          list \"L\"", "-   row \"A\"", "+   row \"B\"",
      ])
    #expect(line.ladder.allSatisfy { $0.tone == .screen })
  }

  @Test(
    "Each line is an object with its kind",
    arguments: [
      "step", "call", "report", "screen", "ended", "output", "finished", "car", "picture",
    ])
  func json(kind: String) throws {
    let screen = ScreenNode(.home)
    let lines: [String: CarLine] = [
      "step": .step(CarAction(.home), time: 1), "call": .call(event),
      "report": .diagnostic(.init(CarDiagnostic(.cut, what: "w", carShows: "c", remedy: "r")), time: 1),
      "screen": .screen(screen, before: screen, time: 1), "ended": .ended(.init(reason: "r", place: "p"), time: 1),
      "output": .output("x"), "finished": .finished(failure: "f", time: 1),
      "car": .car("hd"), "picture": .shortened(file: "a.png", texts: ["t"], time: 1),
    ]
    let data = try JSONEncoder().encode(try #require(lines[kind]))
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["event"] as? String == kind)
    let keys: [String: Set<String>] = [
      "step": ["event", "time", "step"], "call": ["event", "time", "direction", "object", "name", "detail"],
      "report": ["event", "time", "kind", "what", "carShows", "remedy", "place"],
      "screen": ["event", "time", "screen"],
      "ended": ["event", "time", "reason", "place"], "output": ["event", "text"],
      "finished": ["event", "ok", "failure", "time"], "car": ["event", "car"],
      "picture": ["event", "time", "file", "cut"],
    ]
    #expect(Set(object.keys) == keys[kind])
  }

  @Test("Lines come out of pieces, and a long one is split or reported")
  func buffer() {
    var buffer = LineBuffer(limit: 4, splits: true)
    #expect(buffer.add(Array("ab".utf8)) == [])
    #expect(buffer.add(Array("c\nd".utf8)) == [Array("abc".utf8)])
    #expect(buffer.add(Array("efghi\n".utf8)) == [Array("defgh".utf8), Array("i".utf8)])
    var strict = LineBuffer(limit: 4, splits: false)
    #expect(strict.add(Array("abcde\nf\n".utf8)) == [] && strict.isOverfull)
  }
}
