// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
import Foundation
import Testing

@testable import CarPlayControl

/// Tests of pictures on terminals. CommandTests contain the tests with a real terminal.
@Suite struct GraphicsTests {
  private static let kitty = "\u{1B}_Gi=31;OK\u{1B}\\"
  private static let sixel = "\u{1B}[?63;1;2;4;6;9;15;22c"
  private static let plain = "\u{1B}[?1;2c"

  @Test(
    "The answer of a terminal names its graphics, and keys among it are kept",
    arguments: [
      (kitty + "\u{1B}[?62;c", TerminalGraphics.kitty, ""), (sixel, .sixel, ""), (kitty + sixel, .kitty, ""),
      (plain, nil, ""), ("\u{1B}[?6c", nil, ""),
      // The level of a VT132 is 4.
      ("\u{1B}[?4;6c", nil, ""), ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\" + plain, nil, ""),
      ("\u{1B}_Gi=30;OK\u{1B}\\" + plain, nil, ""),
      ("a\u{1B}[A" + kitty + "\u{1B}\u{1B}[Bé" + sixel + "\r", .kitty, "a\u{1B}[A\u{1B}\u{1B}[Bé\r"),
      ("\u{1B}" + sixel, .sixel, "\u{1B}"), ("\u{1B}_Gi=31;O\u{1B}[?1;2\u{1B}\\" + sixel + "q", .sixel, "q"),
      ("\u{1B}[?1;2" + sixel + "q", .sixel, "q"), ("\u{1B}[?2026;0$y" + sixel, .sixel, ""),
      ("\u{1B}_" + String(repeating: "x", count: 9999) + "\u{1B}\\" + sixel, .sixel, ""),
      ("\u{1B}[?" + String(repeating: "9;", count: 9999) + "c" + sixel, .sixel, ""),
    ] as [(String, TerminalGraphics?, String)])
  func answers(bytes: String, graphics: TerminalGraphics?, keys: String) {
    var whole = TerminalAnswer()
    whole.take(bytes.utf8)
    var pieces = TerminalAnswer()
    for byte in bytes.utf8 { pieces.take([byte]) }
    for var answer in [whole, pieces] {
      #expect(answer.isComplete)
      answer.finish()
      #expect(answer.graphics == graphics && String(decoding: answer.keys, as: UTF8.self) == keys)
    }
  }

  @Test(
    "A cut answer is no key, and Escape is one",
    arguments: [
      ("\u{1B}", "\u{1B}"), ("\u{1B}[", "\u{1B}["), ("\u{1B}_Gi=3", ""), ("\u{1B}[?62;4", ""), ("ab", "ab"),
      (kitty + "\u{1B}[?6", ""), ("", ""),
    ])
  func cutAnswers(bytes: String, keys: String) {
    var answer = TerminalAnswer()
    answer.take(bytes.utf8)
    #expect(!answer.isComplete)
    answer.finish()
    #expect(String(decoding: answer.keys, as: UTF8.self) == keys)
  }

  @Test(
    "The number of color registers is known if the terminal reports it",
    arguments: [
      ("\u{1B}[?1;0;16S", 16), ("\u{1B}[?1;3;0S", nil), ("\u{1B}[?2;0;800;480S", nil), ("\u{1B}[?1;0;0S", nil),
      ("\u{1B}[?S", nil), ("", nil),
    ] as [(String, Int?)])
  func colors(bytes: String, colors: Int?) {
    var answer = TerminalAnswer()
    answer.take((bytes + Self.sixel + "q").utf8)
    #expect(answer.isComplete && answer.colors == colors && answer.keys == Array("q".utf8))
  }

  @Test("Any bytes are taken, and no more keys come out")
  func garbage() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let bytes = (0..<500).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random) : Array("\u{1B}_[?;4cG\\".utf8).randomElement(using: &random) ?? 0
      }
      var answer = TerminalAnswer()
      answer.take(bytes)
      answer.finish()
      #expect(answer.keys.count <= bytes.count)
    }
  }

  @Test("A PNG is sent in pieces of at most 4096 bytes of base64", arguments: [0, 1, 3071, 3072, 3073, 100_000])
  func chunks(count: Int) throws {
    let png = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let text = String(decoding: KittyImage.showing(png, columns: 61), as: UTF8.self)
    let parts = text.components(separatedBy: "\u{1B}\\")
    #expect(parts.last == "" && parts.count == max(1, (count + 3071) / 3072) + 1)
    var payload = ""
    for (index, part) in parts.dropLast().enumerated() {
      let fields = part.split(separator: ";", maxSplits: 1).map(String.init)
      let isLast = index == parts.count - 2
      let keys = index == 0 ? "a=T,f=100,t=d,i=1765888050,q=2,C=1,c=61," : ""
      #expect(fields[0] == "\u{1B}_G\(keys)m=\(isLast ? 0 : 1)")
      let bytes = fields.count > 1 ? fields[1] : ""
      #expect(isLast ? bytes.count <= 4096 : bytes.count == 4096)
      payload += bytes
    }
    #expect(Data(base64Encoded: payload) == Data(png))
  }

  @Test(
    "A picture is as wide as the window, if some lines below it stay free",
    arguments: [
      // 80 columns of 9 pixels are 720 x 432, which are 24 lines of 18.
      (TerminalSize(columns: 80, rows: 40, width: 720, height: 720), [80, 24, 720]),
      (TerminalSize(columns: 80, rows: 24, width: 720, height: 432), [60, 18, 540]),
      (TerminalSize(), [60, 18, 480]), (TerminalSize(columns: 80, rows: 24), [60, 18, 480]),
      (TerminalSize(columns: 1, rows: 1, width: 9, height: 18), [1, 1, 9]),
      // The drawing program accepts no side of more than 8192 pixels.
      (TerminalSize(columns: 65535, rows: 65535, width: 65535, height: 65535), [65535, 39321, 1920]),
    ] as [(TerminalSize, [Int])])
  func places(window: TerminalSize, expected: [Int]) {
    let place = PicturePlace(of: CarScreen(), in: window)
    #expect([place.columns, place.rows, place.width] == expected)
  }

  @Test("The numbers of a host that no car has give a place, too", arguments: [Int.min, -1, 0, 1, Int.max])
  func hostileScreens(side: Int) {
    for (width, height) in [(side, 480), (800, side), (side, side)] {
      let screen = CarScreen(pixelWidth: width, pixelHeight: height)
      let place = PicturePlace(of: screen, in: TerminalSize(columns: 80, rows: 24, width: 720, height: 432))
      #expect((1...80).contains(place.columns) && (1...18).contains(place.rows) && (1...1920).contains(place.width))
    }
  }
}
