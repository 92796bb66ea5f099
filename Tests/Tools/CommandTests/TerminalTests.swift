// swift-iap2 · Apache-2.0

import Basics
import Foundation
import Glibc
import IAP2
import Testing

@testable import CommandSupport
@testable import iap2

/// Tests of the output on terminals: text of a peer, a file or a user has no effect on them, colors are readable, and
/// lines fit.
@Suite(.ownTurn) struct TerminalTests {
  /// Escapes of a terminal, line separators and marks that reverse text.
  private static let hostile = "x\u{1B}[2J\u{85}\u{9B}31m\u{200F}\u{2028}\u{202E}y"

  private static func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnsafeInText }
  }

  private static func inFile(_ text: String, _ name: String, _ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)-\(name)").path()
    try Data(text.utf8).write(to: URL(filePath: path))
    try await body(path)
    try FileManager.default.removeItem(atPath: path)
  }

  // MARK: Safety

  @Test func errorsOfCommandsAreSafe() async throws {
    let escaped = #"x\u001b[2J\u0085\u009b31m\u200f\u2028\u202ey"#
    let encoded = try await Command.run("encode", "-", input: "{\"name\":\"\(escaped)\"}")
    #expect(encoded.status == 65 && Self.isSafe(encoded.errors) && encoded.errors.contains("[2J"), "\(encoded.errors)")
    let yaml = #"steps: [{"x\e[2J\x85\x9b31m\u200f\L\u202e\ny": 1}]"#
    try await Self.inFile(yaml, "a.yaml") { path in
      let run = try await Command.run("run", path)
      #expect(run.status == 65 && Self.isSafe(run.errors) && run.errors.contains("[2J"), "\(run.errors)")
      // A key with a line end forges no line.
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
    for arguments in [["decode", "--filter", Self.hostile, "x"], [Self.hostile], ["run", Self.hostile]] {
      let run = try await Command(arguments).finish()
      #expect(run.status != 0 && Self.isSafe(run.errors) && run.errors.contains("[2J"), "\(run.errors)")
    }
  }

  /// One object is one line for every reader, and has the whole text.
  @Test func jsonAndTextOfAHostilePeerAreSafe() async throws {
    let yaml = """
      phone: {name: "x\\e[2J\\x85\\x9b31m\\u200f\\L\\u202ey"}
      steps: [{expect: {headUnit: deviceInformation}}]
      """
    try await Self.inFile(yaml, "b.yaml") { path in
      let capture = path + ".pcapng"
      let json = try await Command.run("run", path, "--json", "--capture", capture)
      #expect(json.status == 0 && Self.isSafe(json.output), "\(json.errors)")
      #expect(json.output.contains(#"x\u001b[2J\u0085\u009b31m\u200f\u2028\u202ey"#))
      let text = try await Command.run("run", path)
      #expect(text.status == 0 && Self.isSafe(text.output) && text.output.contains("[2J"))
      for arguments in [
        ["--json"], [], ["--verbose"], ["--fields", "DeviceName"], ["--fields", "DeviceName", "--json"],
      ] {
        let decoded = try await Command(["decode", capture] + arguments).finish()
        #expect(decoded.status == 0 && Self.isSafe(decoded.output), "\(arguments)")
        #expect(decoded.output.contains("[2J"), "\(arguments)")
      }
      try FileManager.default.removeItem(atPath: capture)
    }
  }

  @Test func onlyOurOwnColorsPass() {
    func safe(_ text: String) -> String {
      String(decoding: TerminalText.safe(text, keepsLineEnds: true), as: UTF8.self)
    }
    let own = Color.red.code + "a" + Color.reset
    #expect(safe(own + "\n") == own + "\n")
    #expect(safe("\u{1B}[31ma\u{1B}]0;t\u{7}") == "\u{FFFD}[31ma\u{FFFD}]0;t\u{FFFD}")
    #expect(safe("→ é 日本 \u{1F600}") == "→ é 日本 \u{1F600}")
    #expect(String(decoding: TerminalText.safe("a\nb\tc", keepsLineEnds: false), as: UTF8.self) == "a\u{FFFD}b\tc")
  }

  // MARK: Colors

  /// Relative luminance of one of xterm's 256 colors (WCAG 2.1).
  private static func luminance(_ number: UInt8) -> Double {
    let levels: [Double]
    if number >= 232 {
      levels = [Double](repeating: Double(8 + 10 * (Int(number) - 232)), count: 3)
    } else {
      let place = Int(number) - 16
      levels = [place / 36, place / 6 % 6, place % 6].map { $0 == 0 ? 0 : Double(55 + 40 * $0) }
    }
    let linear = levels.map { level -> Double in
      let value = level / 255
      return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }

  @Test func everyUnsafeCharacterIsReplacedAndNoOther() {
    for scalar in (0..<0x3000).compactMap(Unicode.Scalar.init) {
      let text = "→\(Character(scalar))…"
      let isKept = scalar == "\t" || scalar == "\n" || !scalar.isUnsafeInText
      let safe = String(decoding: TerminalText.safe(text, keepsLineEnds: true), as: UTF8.self)
      #expect(safe == (isKept ? text : "→\u{FFFD}…"))
    }
  }

  @Test(arguments: Color.allCases) func everyColorIsReadableOnBlackAndOnWhite(color: Color) {
    let luminance = Self.luminance(color.rawValue)
    #expect((luminance + 0.05) / 0.05 >= 4 && 1.05 / (luminance + 0.05) >= 4, "\(luminance)")
  }

  @Test func colorsAreUsedAsAsked() async throws {
    let always = try await Command.run("decode", "captures/synthetic/worked-session.txt", "--color", "always")
    let never = try await Command.run("decode", "captures/synthetic/worked-session.txt", "--color", "never")
    let auto = try await Command.run("decode", "captures/synthetic/worked-session.txt")
    #expect(always.output.contains(Color.green.code) && never.output == auto.output)
    #expect(!auto.output.contains("\u{1B}"))
    #expect(Color.isWanted(.auto, isTerminal: true, environment: [:]))
    #expect(!Color.isWanted(.auto, isTerminal: true, environment: ["NO_COLOR": "1"]))
    #expect(!Color.isWanted(.auto, isTerminal: true, environment: ["TERM": "dumb"]))
    #expect(Color.isWanted(.always, isTerminal: false, environment: ["NO_COLOR": "1"]))
    #expect(!Color.isWanted(.never, isTerminal: true, environment: [:]))
  }

  // MARK: Width

  @Test func aLineIsCutToTheColumnsOfTheTerminal() {
    #expect(TerminalText.cut("12345", columns: 5) == "12345")
    #expect(TerminalText.cut("123456", columns: 5) == "1234…")
    #expect(TerminalText.cut("日本語日", columns: 5) == "日本…")
    #expect(TerminalText.cut("日本", columns: 4) == "日本")
    #expect(TerminalText.cut("éééééé", columns: 6) == "éééééé")
    let red = Color.red.code
    #expect(TerminalText.cut(red + "12345" + Color.reset, columns: 5) == red + "12345" + Color.reset)
    #expect(TerminalText.cut("1" + red + "23456" + Color.reset, columns: 5) == "1" + red + "234…" + Color.reset)
  }

  /// Returns what a command shows until it closes the terminal, which then reports EIO.
  private static func text(of terminal: PseudoTerminal) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe Glibc.read(terminal.own.fileDescriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  @Test func linesFitTheTerminalAndOtherReadersGetAllOfThem() async throws {
    let terminal = try PseudoTerminal()
    var size = winsize(ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
    #expect(unsafe ioctl(terminal.own.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0)
    // The variable NO_COLOR, which tools/test may set, has no effect.
    let command = try Command(["run", "rules", "--color", "always"], output: terminal.other)
    try terminal.other.close()
    let shown = Self.text(of: terminal)
    #expect(try await command.finish().status == 0)
    let lines = shown.split(whereSeparator: \.isNewline).map(String.init)
    let code = /\x1B\[[0-9;]*m/
    let plain = lines.map { $0.replacing(code, with: "") }
    // The last line is a sentence, which the terminal may wrap.
    #expect(plain.count > 20 && plain.dropLast().allSatisfy { $0.count <= 60 }, "\(plain)")
    #expect(plain.contains { $0.hasSuffix("…") } && lines.contains { $0.contains("\u{1B}[38;5;") })
    let whole = try await Command.run("run", "rules")
    #expect(!whole.output.contains("…"))
  }

  // MARK: Help and errors

  @Test func aSubcommandThatDoesNotExistIsNamedWithItsNeighbors() async throws {
    for (arguments, words) in [
      (["phon", "--once"], ["\"phon\"", "did you mean phone?", "`iap2 --help`"]),
      (["coprocessor", "serv"], ["\"serv\"", "did you mean serve?", "`iap2 coprocessor --help`"]),
      (["check", "xyzzy"], ["\"xyzzy\"", "there is identification, session."]),
    ] {
      let run = try await Command(arguments).finish()
      #expect(run.status == 64 && words.allSatisfy(run.errors.contains), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
    let scenario = try await Command.run("run", "musik")
    #expect(scenario.status == 66 && scenario.errors.contains("did you mean music?"), "\(scenario.errors)")
    let message = try await Command.run("messages", "PowerUpdat")
    #expect(message.status == 66 && message.errors.contains("did you mean PowerUpdate?"), "\(message.errors)")
  }

  @Test(
    arguments: [
      (["conformance", "--only", "zzz"], "iap2 conformance --as <as> --transport <transport> [<options>]"),
      (["phone", "--transprt", "pty"], "iap2 phone [<options>] --transport <transport>"),
      (["simulate", "--shard", "9/3"], "iap2 simulate [<options>]"),
      (["run", "music", "--fault", "loss=7"], "iap2 run [<options>] [<scenario>]"),
    ] as [([String], String)])
  func theUsageBelowAnErrorIsThatOfTheCommand(arguments: [String], usage: String) async throws {
    let run = try await Command(arguments).finish()
    #expect(run.status == 64 && run.errors.contains("Usage: \(usage)"), "\(run.errors)")
  }

  @Test func theHelpHasGroups() async throws {
    let help = try await Command.run("--help")
    #expect(help.status == 0)
    for group in ["SESSIONS", "CAPTURES", "TESTS", "MESSAGES", "HARDWARE"] {
      #expect(help.output.contains("\(group) SUBCOMMANDS:"), "\(help.output)")
    }
  }

  @Test func dataOfSessionsIsShownOnDemand() async throws {
    let plain = try await Command.run("decode", "captures/synthetic/worked-session.txt")
    let data = try await Command.run("decode", "captures/synthetic/worked-session.txt", "--data")
    let row = "68 65 6c 6c 6f" + String(repeating: " ", count: 35) + "hello"
    #expect(!plain.output.contains("hello") && data.output.contains(row), "\(data.output)")
    #expect(!data.output.contains("packet of"))
    let both = try await Command.run("decode", "captures/synthetic/worked-session.txt", "--data", "--verbose")
    #expect(both.status == 64)
  }
}
