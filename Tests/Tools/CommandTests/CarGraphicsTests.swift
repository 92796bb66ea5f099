// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

/// `iap2 car` on terminals with and without graphics. A script stands for the program that draws.
@Suite(.ownTurn) struct CarGraphicsTests {
  private static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"
  private static let colorQuestion = "\u{1B}[?1;1;0S\u{1B}[c"
  private static let kitty = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c"
  private static let sixel = "\u{1B}[?63;1;2;4;6;9;15;22c"
  private static let picture = "\u{1B}_Ga=T,f=100,t=d,i=1765888050,q=2,C=1,c=60,m=1;"
  private static let hiding = "\u{1B}_Ga=d,d=i,i=1765888050,q=2\u{1B}\\"
  private static let deleting = "\u{1B}_Ga=d,d=I,i=1765888050,q=2\u{1B}\\"

  /// A terminal that answers on a thread of its own: the command waits for seconds only, and tests may wait longer for
  /// their turn.
  private final class Screen: Sendable {
    private let received = Mutex<[UInt8]>([])
    private let terminal: PseudoTerminal
    private let isOver = Atomic(false)

    /// The text that the command sent to the terminal.
    var text: String { received.withLock { String(decoding: $0, as: UTF8.self) } }

    init(_ terminal: PseudoTerminal, answer: String?) {
      self.terminal = terminal
      Thread { [self] in
        var (answer, hasColors) = (answer, false)
        while !isOver.load(ordering: .relaxed) {
          var waiting = pollfd(fd: terminal.own.fileDescriptor, events: Int16(POLLIN), revents: 0)
          if unsafe poll(&waiting, 1, 10) > 0, terminal.hasText { read() }
          if !hasColors, self.text.contains(colorQuestion) {
            hasColors = true
            press("\u{1B}[?1;0;16S" + sixel)
          }
          guard let text = answer, self.text.contains(question) else { continue }
          answer = nil
          press(text)
        }
      }.start()
    }

    private func read() {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = unsafe Glibc.read(terminal.own.fileDescriptor, &buffer, buffer.count)
      if count > 0 { received.withLock { $0 += buffer[..<count] } }
    }

    func press(_ keys: String) { _ = unsafe write(terminal.own.fileDescriptor, keys, keys.utf8.count) }

    /// Ends the thread after it has read everything.
    func close() { isOver.store(true, ordering: .relaxed) }
  }

  /// A script in the place of the program that draws, which notes its orders.
  private final class Drawing {
    let folder = FileManager.default.temporaryDirectory.appending(path: "graphics-\(UUID().uuidString)")
    var environment: [String: String] { ["IAP2_SCREEN": folder.appending(path: "draw").path(), "TERM": "xterm"] }

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // A PNG has 4000 bytes here, so it takes two sequences.
      let script = #"""
        #!/bin/sh
        while IFS= read -r line; do
          printf '%s\n' "$line" >>"$0.log"
          case $line in
            *'"format":"png"'*) echo '{"byteCount":4000}'; head -c 4000 /dev/zero ;;
            *) echo '{"byteCount":14}'; printf '\033Pq"1;1;1;1@\033\134' ;;
          esac
        done
        """#
      let program = folder.appending(path: "draw")
      try script.write(to: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path())
    }

    deinit { do { try FileManager.default.removeItem(at: folder) } catch {} }

    /// The values of a key in the orders.
    func orders(_ key: String) throws -> [String] {
      try String(contentsOf: folder.appending(path: "draw.log"), encoding: .utf8).split(separator: "\n").compactMap {
        let order = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        return order?[key].map { "\($0)" }
      }
    }
  }

  /// A window with a user, and `iap2 car` in it.
  private final class Window {
    private let terminal: PseudoTerminal
    private let screen: Screen
    private let drawing: Drawing
    let command: Command

    /// The text that the command sent to the window.
    var text: String { screen.text.hasSuffix("end") ? String(screen.text.dropLast(3)) : screen.text }

    /// - Parameter answer: The text that the terminal sends after the question; nil for one that does not know it.
    init(_ options: [String] = [], answer: String?, program: String? = nil) throws {
      drawing = try Drawing()
      var environment = drawing.environment
      if let program { environment["IAP2_SCREEN"] = program }
      terminal = try PseudoTerminal()
      var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 720, ws_ypixel: 432)
      #expect(unsafe ioctl(terminal.own.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0)
      let probe = Command.folder.appending(path: "car-probe").path()
      command = try Command(
        ["car", probe, "--color", "never"] + options, input: .terminal(terminal), output: terminal.other,
        environment: environment)
      screen = Screen(terminal, answer: answer)
    }

    deinit { screen.close() }

    func press(_ keys: String) { screen.press(keys) }

    /// Waits until the window was sent what a condition wants.
    func wait(_ condition: (String) -> Bool) async throws -> Bool {
      try await Command.wait { condition(text) || !command.process.isRunning } && condition(text)
    }

    func finish() async throws -> Command.Outcome {
      let outcome = try await command.finish()
      // A mark after everything that the command sent.
      try terminal.other.write(contentsOf: Data("end".utf8))
      _ = try await Command.wait { screen.text.hasSuffix("end") }
      return outcome
    }

    func orders(_ key: String) throws -> [String] { try drawing.orders(key) }
  }

  @Test("kitty gets the picture below the calls, once more after each change, and loses it at the end")
  func pictures() async throws {
    // A key that was pressed before the answer taps the first row.
    let window = try Window(answer: "1" + Self.kitty)
    #expect(
      try await window.wait { $0.contains("pushTemplate") && $0.hasSuffix("[1] Probe  [2] In Albums\r\n") },
      "\(window.text)")
    window.press("q")
    let outcome = try await window.finish()
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    let text = window.text
    #expect(text.hasPrefix(Self.question) && text.hasSuffix("\u{1B}[J" + Self.hiding + Self.deleting))
    // Eighteen lines are made, the picture stands there, and the legend below it.
    let rows = String(repeating: "\r\n", count: 18)
    #expect(text.contains("\r\(rows)\u{1B}[18A\u{1B}7" + Self.picture), "\(text)")
    #expect(text.contains("\u{1B}\\\u{1B}8\u{1B}[18B\u{1B}[J[1] "))
    // Calls are printed in its place.
    #expect(text.contains("car ◄─── app  pushTemplate") && !text.contains("row \"Albums\" >"))
    let widths = try window.orders("width")
    #expect(widths.count > 1 && widths.allSatisfy { $0 == "540" })
  }

  @Test("A terminal with sixels gets them")
  func sixels() async throws {
    let window = try Window(answer: Self.sixel)
    #expect(try await window.wait { $0.contains("\u{1B}7\u{1B}Pq\"1;1;1;1@\u{1B}\\\u{1B}8") }, "\(window.text)")
    window.press("q")
    #expect(try await window.finish().status == 0)
    let rest = window.text.dropFirst(Self.question.count)
    let colors = Set(try window.orders("colors"))
    #expect(rest.hasPrefix(Self.colorQuestion) && colors == ["16"], "\(colors)")
    #expect(!rest.contains("\u{1B}_") && rest.hasSuffix("\u{1B}[20A\r\u{1B}[J"), "\(rest.suffix(80))")
  }

  @Test("A terminal without graphics gets text only", arguments: [nil, "\u{1B}[?1;2c", "\u{1B}[?62;22c"])
  func text(answer: String?) async throws {
    let window = try Window(answer: answer)
    #expect(try await window.wait { $0.contains("[1]   row \"Albums\"") }, "\(window.text)")
    window.press("q")
    #expect(try await window.finish().status == 0)
    #expect(window.text.hasPrefix(Self.question) && !window.text.dropFirst(Self.question.count).contains("\u{1B}"))
  }

  @Test("Graphics that are named need no question, and none get none")
  func choices() async throws {
    for (choice, sign) in [("kitty", Self.picture), ("sixel", "\u{1B}Pq"), ("none", "row \"Albums\"")] {
      let window = try Window(["--graphics", choice], answer: nil)
      #expect(try await window.wait { $0.contains(sign) }, "\(window.text)")
      window.press("q")
      #expect(try await window.finish().status == 0)
      #expect(!window.text.contains(Self.question))
    }
  }

  @Test("Without a program that draws, graphics that are named are an error, and otherwise there is text")
  func noProgram() async throws {
    let named = try await Window(["--graphics", "kitty"], answer: nil, program: "/none").finish()
    #expect(named.status == 69 && named.errors.contains("tools/screen-program of swift-iap2 builds it"), "\(named)")
    let window = try Window(answer: Self.kitty, program: "/none")
    #expect(try await window.wait { $0.contains("row \"Albums\"") })
    window.press("q")
    #expect(try await window.finish().status == 0 && !window.text.contains("\u{1B}"))
    // A program that ends at once draws nothing.
    let ended = try Window(answer: Self.kitty, program: "/bin/true")
    #expect(try await ended.wait { $0.contains("row \"Albums\"") })
    ended.press("q")
    #expect(try await ended.finish().status == 0 && ended.text.contains("The screen is shown as text: "))
  }

  @Test("The picture is removed after Ctrl-C, and when the app dies")
  func ends() async throws {
    let stopped = try Window(answer: Self.kitty)
    #expect(try await stopped.wait { $0.contains(Self.picture) })
    try await stopped.command.interruptWhenListening()
    let interrupted = try await stopped.finish()
    #expect(interrupted.status == 0 && interrupted.errors == "" && stopped.text.hasSuffix(Self.deleting))
    let trapped = try Window(answer: Self.kitty)
    #expect(try await trapped.wait { $0.contains("[7] Trap") })
    trapped.press("7")
    let outcome = try await trapped.finish()
    #expect(outcome.status == 1 && outcome.errors.contains("the app trapped"), "\(outcome)")
    #expect(trapped.text.hasSuffix(Self.deleting))
  }

  @Test("A spinner turns in the one picture of --watch, too, and in no other")
  func spinnerInAFile() async throws {
    for (options, seconds, turns) in [(["--watch"], 600, true), ([], 1, false)] {
      let drawing = try Drawing()
      let scenario = drawing.folder.appending(path: "hang.yaml")
      let steps = "launch: true\n  - tap: Hang\n  - wait: 1\n  - expect: {screen: Nothing, within: \(seconds)}\n"
      try "steps:\n  - \(steps)".write(to: scenario, atomically: true, encoding: .utf8)
      let pictures = ["--screenshots", drawing.folder.appending(path: "pictures").path()]
      let probe = Command.folder.appending(path: "car-probe").path()
      let run = try Command(
        ["car", probe, "--scenario", scenario.path()] + pictures + options, environment: drawing.environment)
      func hasTurned() -> Bool { (try? drawing.orders("phase").contains("1")) == true }
      if turns {
        #expect(try await Command.wait { hasTurned() || !run.process.isRunning })
        run.process.interrupt()
      }
      #expect(try await run.finish().status == 1)
      #expect(hasTurned() == turns)
    }
  }

  @Test("A spinner turns as long as it is on the screen")
  func spinner() async throws {
    let window = try Window(answer: Self.kitty)
    #expect(try await window.wait { $0.contains("[6] Hang") })
    #expect(try window.orders("phase").allSatisfy { $0 == "0" })
    // The row has a spinner after half a second of the car's time.
    window.press("6w")
    #expect(try await window.wait { _ in (try? window.orders("phase").contains("3")) == true })
    window.press("q")
    #expect(try await window.finish().status == 0)
    #expect(try window.orders("phase").suffix(3) != ["0", "0", "0"])
  }
}
