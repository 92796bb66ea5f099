// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import Testing

@Suite struct ControlLineTests {
  private func coded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test("A request is one flat object")
  func request() throws {
    let text = #"{"do":"tap","id":7,"kind":"row","text":"Home"}"#
    let request = try JSONDecoder().decode(CarRequest.self, from: Data(text.utf8))
    #expect(request == CarRequest(id: 7, CarAction(.tap, ["text": .text("Home"), "kind": .text("row")])))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    #expect(String(decoding: try encoder.encode(request), as: UTF8.self) == text)
  }

  @Test("Values of arguments keep their types")
  func values() throws {
    let action = CarAction(
      .begin, ["flag": .flag(true), "zero": .number(0), "text": .text("1"), "texts": .texts(["a", "b"])])
    #expect(try coded(CarRequest(id: 1, action)) == CarRequest(id: 1, action))
  }

  @Test("A mark of a part comes back as it was, and a text of the app is never another mark")
  func marks() throws {
    let words: [ScreenMark] = [
      .playing, .explicit, .cloud, .disclosure, .badge, .unread, .cancel, .confirm, .destructive, .rounded, .paused,
      .symbolOnly, .barHidden, .light, .dark, .green, .orange, .red, .onTheMap, .ownWindow,
    ]
    for mark in words {
      #expect(!mark.text.isEmpty && ScreenMark(mark.text) == mark)
      #expect(try coded(ScreenMark.other(mark.text)) == .other(mark.text))
    }
    let others: [ScreenMark] = [.image("cover"), .accessory("a]"), .progress(42), .index("A"), .other("5 of 6")]
    #expect(others.map(\.text) == ["[cover]", "{a]}", "42%", "index A", "5 of 6"])
    for mark in others + ["[x]", "{", "\"", "\"\"", "\"a\"", "7%", "index ", ""].map({ ScreenMark.other($0) }) {
      #expect(try coded(mark) == mark, "\(mark)")
    }
  }

  @Test("A change of the screen's pixels is taken where it is, or not at all")
  func pixels() {
    func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> ScreenPixels.Box {
      ScreenPixels.Box(x: x, y: y, width: width, height: height)
    }
    var pixels = ScreenPixels()
    func take(_ boxes: [ScreenPixels.Box], _ bytes: [UInt8], width: Int = 3, height: Int = 2) -> Bool {
      pixels.take(width: width, height: height, boxes, bytes)
    }
    let white = [UInt8](repeating: 255, count: 4)
    let red: [UInt8] = [200, 0, 0, 255]
    #expect(!take([box(0, 0, 1, 1)], white), "a part of a screen of another size")
    #expect(take([box(0, 0, 3, 2)], (0..<6).flatMap { _ in white }))
    #expect(take([box(2, 0, 1, 2), box(0, 1, 1, 1)], red + red + red))
    #expect(pixels.bytes == white + white + red + red + white + red)
    #expect(pixels[2, 1] == .init(red: 200, green: 0, blue: 0))
    #expect(pixels[1, 1] == .init(red: 255, green: 255, blue: 255))
    let before = pixels
    for (boxes, bytes) in [
      ([box(2, 0, 2, 1)], red + red), ([box(-1, 0, 1, 1)], red), ([box(0, 0, 1, 1)], red + red),
      ([box(Int.max, 0, 1, 1)], red), ([box(0, 0, Int.max, 1)], red), ([box(0, 0, 1, -1)], []),
    ] { #expect(!take(boxes, bytes)) }
    #expect(!take([], [], width: 4) && !take([box(0, 0, -1, -1)], white, width: -1, height: -1))
    #expect(take([], []) && pixels == before)
  }

  @Test("Reports of every kind come back as they were")
  func reports() throws {
    let screen = ScreenNode(
      .list, "Albums", detail: "12", isEnabled: false,
      children: [
        ScreenNode(
          .row, "One", isFocused: true, isSelected: true, isCut: true, hasSpinner: true, marks: ["playing", ">"])
      ])
    let diagnostic = CarReport.Diagnostic(CarDiagnostic(.cut, what: "5", carShows: "4", remedy: "less"))
    let event = CarEvent(
      time: .milliseconds(1250), direction: .toApp, object: "scene delegate", name: "a(_:)", detail: "b",
      isImplemented: false)
    let state = CarState(
      time: 1.5, front: .app, isConnected: true, hasGhostConnection: true, isDriving: true, isLocked: true,
      screen: screen, reacting: [1], dashboard: ScreenNode(.dashboard))
    let reports: [CarReport] = [
      .hello(.init(version: CarControl.version, app: "Radio", categories: [.audio], cars: ["standard"])), .call(event),
      .done(
        .init(
          id: 3, problem: "no", state: state, diagnostics: [diagnostic], unimplemented: [0],
          end: .init(reason: "killed", place: "x.swift:1"))),
      .badInput(.init(text: "Info.plist:3: key: text")),
      .transport(.init(.send, connection: 1, bytes: Data([0xFF, 0x55]))), .transport(.init(.taken, connection: 2)),
      .transport(.init(.verify, connection: 3, bytes: Data(), challenge: Data([1]), certificate: Data([0x30]))),
    ]
    for report in reports { #expect(try coded(report) == report) }
  }

  @Test(
    "A line that is no report is refused",
    arguments: [
      "{}", #"{"report":"other"}"#, #"{"report":"transport","work":"send","connection":1,"bytes":"?"}"#,
      #"{"report":"call","time":-1,"direction":"car","name":"x"}"#,
      #"{"report":"call","time":1e300,"direction":"car","name":"x"}"#, #"{"report":"done","id":1}"#, "[]", "",
    ])
  func refused(line: String) {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(CarReport.self, from: Data(line.utf8)) }
  }

  @Test("Every step says what its arguments are, and its main argument is one of them", arguments: CarVerb.allCases)
  func forms(verb: CarVerb) {
    let form = CarVerbForm.form(of: verb)
    #expect(form.summary.hasSuffix("."))
    let names = form.arguments.map(\.name)
    #expect(Set(names).count == names.count && !names.contains("id") && !names.contains("do"))
    if let main = form.main { #expect(names.contains(main)) }
    let needed = form.arguments.first(where: \.isRequired)
    #expect(CarAction(verb).problem == needed.map { "\(verb.rawValue) needs \($0.name): \($0.values)" })
  }

  @Test(
    "Arguments that are wrong are named with the allowed values",
    arguments: [
      (CarAction(.turn, ["steps": .number(0.5)]), "a whole number from -1000 to 1000"),
      (CarAction(.wait, ["seconds": .number(-1)]), "a number from 0 to 86400"),
      (CarAction(.appearance, ["style": .text("blue")]), "one of dark, light"),
      (CarAction(.panButton, ["direction": .texts([])]), "a list of down, left, right, up"),
      (CarAction(.dashboard, ["shown": .text("yes")]), "true or false"),
      (CarAction(.type, ["text": .text(String(repeating: "x", count: 2000))]), "at most 1024 bytes"),
      (
        CarAction(.transport, ["input": .text("received"), "bytes": .text("no base64")]),
        "at most 65536 bytes in Base64"
      ),
      (
        CarAction(.transport, ["input": .text("received"), "bytes": .text(String(repeating: "AAAA", count: 21_847))]),
        "at most 65536 bytes in Base64"
      ),
      (CarAction(.home, ["now": .flag(true)]), "home has no argument now; it has none"),
      (CarAction(.unplug, ["notice": .flag(true)]), "its arguments are noticed, power"),
    ])
  func problems(action: CarAction, words: String) {
    #expect(action.problem?.contains(words) == true, "\(action.problem ?? "no problem")")
  }

  @Test("Bytes of a line are Base64")
  func bytes() {
    let piece = (0..<CarTransport.maximumByteCount).map { UInt8(truncatingIfNeeded: $0) }
    let action = CarAction(
      .transport, ["input": .text("received"), "bytes": .text(Data(piece).base64EncodedString())])
    #expect(action.problem == nil && action.bytes("bytes") == piece)
    #expect(CarAction(.transport).bytes("bytes") == nil)
    #expect(!CarVerb.transport.isOfScenarios)
  }

  @Test("Faults are set by name, and the others stay")
  func faults() throws {
    var faults = CarFaults()
    faults.lateTraits = true
    try faults.set(["loseDisconnect": .number(1), "overlapReconnect": .flag(true)])
    #expect(faults.loseDisconnect == 1 && faults.overlapReconnect && faults.lateTraits && !faults.strictOrder)
    #expect(CarFaults.switches.contains { $0.name == "loseDisconnect" && $0.isChance })
    #expect(CarFaults.switches.contains { $0.name == "overlapReconnect" && !$0.isChance })
  }
}
