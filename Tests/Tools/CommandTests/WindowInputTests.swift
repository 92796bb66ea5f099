// swift-iap2 · Apache-2.0

import CarPlaySession
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CarPlayCommand

/// The mouse and the keys of the window.
struct WindowInputTests {
  @Test func `places are shares of the picture, and lines that are none have no effect`() {
    func action(_ line: String) -> InputAction? { WindowInput.action(line, width: 1280, height: 720) }
    #expect(action("down 0.5 0.5") == .finger(x: 640, y: 360, isDown: true))
    // Six digits are enough for each pixel.
    for x in 0..<4096 {
      let share = String(format: "%.6f", Double(x) / 4096)
      #expect(WindowInput.action("down \(share) 0", width: 4096, height: 1) == .finger(x: x, y: 0, isDown: true))
    }
    #expect(action("up 0 1") == .finger(x: 0, y: 719, isDown: false))
    // A finger that is dragged out of the picture stays at its edge.
    #expect(action("down -3 1e300") == .finger(x: 0, y: 719, isDown: true))
    #expect(action("back") == .turn(-1) && action("on") == .turn(1) && action("select") == .knob(.select))
    for line in ["", "down", "down 0.5", "down a b", "down nan 0", "down 0 inf", "touch 0 0", "\u{FFFD}"] {
      #expect(action(line) == nil, "\(line)")
    }
    #expect(WindowInput.action("down 1 1", width: 0, height: 0) == .finger(x: 0, y: 0, isDown: true))
  }

  @Test(.timeLimit(.minutes(1)))
  func `lines come in pieces, a long one is cut, and nothing is left behind`() async throws {
    let input = try WindowInput()
    let script = try #require(input.arguments.split(separator: "'").dropFirst().first.map(String.init))
    let folder = URL(filePath: script).deletingLastPathComponent()
    let text = try String(contentsOfFile: script, encoding: .utf8)
    let pipe = folder.appending(path: "input").path(percentEncoded: false)
    #expect(text.contains("io.open(\"\(pipe)\", \"w\")") && text.contains("line .. \"\\n\""))
    let (actions, sender) = AsyncStream<InputAction>.makeStream()
    input.follow(width: 101, height: 101) { sender.yield($0) }
    let handle = try FileHandle(forWritingTo: URL(filePath: pipe))
    for piece in ["down 0.1 0.", "2\nup 0.1 0.3\nno", "ne\n", String(repeating: "x", count: 10_000), "\nselect\n"] {
      try handle.write(contentsOf: Data(piece.utf8))
    }
    var seen: [InputAction] = []
    for await action in actions.prefix(3) { seen.append(action) }
    #expect(
      seen == [.finger(x: 10, y: 20, isDown: true), .finger(x: 10, y: 30, isDown: false), .knob(.select)])
    input.close()
    #expect(!FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)))
  }
}
