// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlayPlatform
import Foundation
import Testing

@testable import CarPlayControl

@Suite struct ConsoleTests {
  @Test(
    "Bytes of a terminal are keys",
    arguments: [
      ("a\n\u{7F}", [ConsoleKey.character("a"), .enter, .backspace]),
      ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}[D", [.up, .down, .right, .left]), ("\u{1B}", [.escape]),
      ("\u{1B}_Gi=31;OK\u{1B}\\x\u{1B}[?62;4cy", [.character("x"), .character("y")]),
      ("\u{1B}_", [.escape, .character("_")]), ("\u{1B}[1;5Ax", [.character("x")]), ("\u{1B}[3~x", [.character("x")]),
      ("é漢", [.character("é"), .character("漢")]),
      ("\u{1}\u{3}b", [.character("b")]),
    ])
  func keys(text: String, expected: [ConsoleKey]) {
    var bytes = Array(text.utf8)
    #expect(ConsoleKey.take(from: &bytes) == expected && bytes == [])
  }

  @Test("A piece of a character waits for the rest, and other bytes are dropped")
  func pieces() {
    var bytes: [UInt8] = [0xC3]
    #expect(ConsoleKey.take(from: &bytes) == [] && bytes == [0xC3])
    bytes += Array("\u{1B}_Gi=3".utf8)
    bytes.insert(0xA9, at: 1)
    #expect(ConsoleKey.take(from: &bytes) == [.character("é")] && bytes == Array("\u{1B}_Gi=3".utf8))
    bytes += Array("1\u{1B}\\a".utf8)
    #expect(ConsoleKey.take(from: &bytes) == [.character("a")])
    bytes = Array("\u{1B}_G".utf8) + [UInt8](repeating: 0x78, count: 1000)
    #expect(ConsoleKey.take(from: &bytes) == [] && bytes == [])
    bytes = [0xFF, 0xE6, 0x41, 0x41, 0x62]
    #expect(ConsoleKey.take(from: &bytes) == [.character("b")])
  }

  private var car: CarState {
    CarState(
      front: .app, isConnected: true,
      screen: ScreenNode(
        .list, children: [ScreenNode(.button, "Search"), ScreenNode(.row, "A"), ScreenNode(.row, "B")]),
      reacting: [1, 3])
  }

  @Test("Marks stand before the parts that react, and tap them")
  func marks() {
    #expect(ConsoleState.marked(car) == ["    list", "[1]   button \"Search\"", "      row \"A\"", "[2]   row \"B\""])
    var state = ConsoleState()
    #expect(
      state.take(.character("2"), car) == .action(CarAction(.tapAt, ["kind": .text("row"), "index": .number(1)])))
    #expect(state.take(.character("3"), car) == .say("no part has this mark"))
  }

  @Test("A legend has the marks with the names of their parts, in two lines at most")
  func legend() {
    #expect(ConsoleState.legend(car, columns: 80) == ["[1] Search  [2] B"])
    #expect(ConsoleState.legend(car, columns: 12) == ["[1] Search", "[2] B"])
    var many = car
    many.screen = ScreenNode(.list, children: Array(repeating: ScreenNode(.back), count: 30))
    many.screen.children[0].title = "A name that is longer than its place"
    many.reacting = Array(1...40)
    let lines = ConsoleState.legend(many, columns: 40)
    #expect(lines == ["[1] A name that is long…  [2] back", "[3] back  [4] back  [5] back  [6] back"])
  }

  @Test("Every action of a key is a step with correct arguments")
  func actions() {
    let keys = "abcdefghijklmnopqrstuvwxyz <>,.?123".map { ConsoleKey.character($0) }
    for key in keys + [.enter, .escape, .backspace, .up, .down, .left, .right] {
      var state = ConsoleState()
      if case .action(let action) = state.take(key, car) { #expect(action.problem == nil, "\(key)") }
    }
  }

  @Test("Keys toggle by the state of the car")
  func toggles() {
    var state = ConsoleState()
    var driving = car
    driving.isDriving = true
    #expect(state.take(.character("d"), car) == .action(CarAction(.drive)))
    #expect(state.take(.character("d"), driving) == .action(CarAction(.park)))
    #expect(state.take(.character("y"), car) == .action(CarAction(.appearance, ["style": .text("dark")])))
    #expect(state.take(.character("y"), car) == .action(CarAction(.appearance, ["style": .text("light")])))
  }

  @Test("A text is typed until Enter, and dropped by Escape")
  func text() {
    var state = ConsoleState()
    for key in [ConsoleKey.character("t"), .character("q"), .character("x"), .backspace] { _ = state.take(key, car) }
    #expect(state.take(.enter, car) == .action(CarAction(.type, ["text": .text("q")])))
    _ = state.take(.character("t"), car)
    #expect(state.take(.escape, car) == .say("nothing typed"))
    #expect(state.take(.character("q"), car) == .quit)
  }

  @Test("A fault is switched on and off by its letter")
  func faults() throws {
    var state = ConsoleState()
    let index = try #require(CarFaults.switches.firstIndex { $0.name == "loseDisconnect" })
    let letter = ConsoleKey.character(Array("abcdefghijklmnopqrstuvwxyz")[index])
    for value in [1.0, 0] {
      _ = state.take(.character("f"), car)
      #expect(state.take(letter, car) == .action(CarAction(.faults, ["loseDisconnect": .number(value)])))
    }
    _ = state.take(.character("f"), car)
    #expect(state.take(.enter, car) == .say("no fault changed"))
  }

  @Test("A whole session by keys: tap, back, quit")
  func session() throws {
    let pipe = try Descriptors.pipe()
    defer { Descriptors.close(pipe.reading) }
    for byte in Array("1\u{7F}?q".utf8) { try FileHandle(fileDescriptor: pipe.writing).write(contentsOf: Data([byte])) }
    Descriptors.close(pipe.writing)
    let lines = Lines()
    let run = try start(lines: lines)
    try run.begin(CarChoice(name: "standard"))
    var printed: [String] = []
    try CarConsole(run) { text, _ in printed.append(text) }.play(input: pipe.reading)
    run.finish()
    #expect(printed.contains { $0.hasPrefix("[1]") && $0.contains("row \"Albums\"") }, "\(printed)")
    #expect(printed.contains { $0.contains("row \"In Albums\"") })
    #expect(printed.filter { $0 == ConsoleState.help[0] }.count == 2)
    #expect(lines.calls.contains { $0.hasPrefix("back") })
  }

  @Test("The end of the input ends the session")
  func endOfInput() throws {
    let pipe = try Descriptors.pipe()
    Descriptors.close(pipe.writing)
    defer { Descriptors.close(pipe.reading) }
    let run = try start()
    try run.begin(CarChoice(name: "standard"))
    try CarConsole(run) { _, _ in }.play(input: pipe.reading)
    run.finish()
  }
}
