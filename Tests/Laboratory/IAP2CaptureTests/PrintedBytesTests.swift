// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// Logs with bytes as programs, terminals and documents show them. Each has the whole worked session.
@Suite struct PrintedBytesTests {
  private typealias Form = @Sendable (Int, Side, [UInt8]) -> String

  private static func hex(_ bytes: [UInt8], _ separator: String = " ") -> String {
    WorkedSession.hex(bytes, separator)
  }
  private static func short(_ bytes: [UInt8], _ separator: String) -> String {
    bytes.map { String($0, radix: 16) }.joined(separator: separator)
  }
  private static func tx(_ side: Side) -> String { side == .accessory ? "TX" : "RX" }
  private static func write(_ side: Side) -> String { side == .accessory ? "write" : "read" }

  /// Logs of ESP-IDF, whose form is public: level, milliseconds or a clock time, tag, and dumps of 16 bytes.
  private static let device: [String: Form] = [
    "ESP-IDF hex": { number, side, bytes in
      let head = "I (\(1023 + number * 10)) SPP_DEMO: "
      let event =
        side == .device ? "ESP_SPP_DATA_IND_EVT len:\(bytes.count) handle:129" : "esp_spp_write \(bytes.count)"
      return "\u{1B}[0;32m\(head)\(event)\u{1B}[0m\n" + WorkedSession.rows(bytes) { head + hex($1) + " " }
    },
    "ESP-IDF hexdump": { number, side, bytes in
      let head = "D (00:00:01.\(100 + number)) iap2: "
      return head + (side == .device ? "<<< recv" : ">>> send") + " \(bytes.count) bytes\n"
        + WorkedSession.rows(bytes) { offset, row in
          let address = "0x" + String(0x3FFB_4280 + offset, radix: 16)
          return "\(head)\(address)   \(hex(row))   |\(WorkedSession.characters(row))|"
        }
    },
    "ESP-IDF tag": { number, side, bytes in
      WorkedSession.rows(bytes) { "V (\(number)) \(side == .accessory ? "uart_tx" : "uart_rx"): " + hex($1) }
    },
  ]

  private static let dynamic: [String: Form] = [
    "Python bytes": { _, side, bytes in
      let letters: [UInt8: String] = [9: "\\t", 10: "\\n", 13: "\\r"]
      return "\(tx(side)) b'\(WorkedSession.escaped(bytes, quote: 0x27, letters))'\n"
    },
    "Python bytearray": { _, side, bytes in
      "DEBUG:iap2:\(side == .accessory ? "sent" : "received"): bytearray(b'"
        + WorkedSession.escaped(bytes, quote: 0x27, [9: "\\t", 10: "\\n", 13: "\\r"]) + "')\n"
    },
    "Python list": { _, side, bytes in "\(write(side)): \(bytes)\n" },
    "Python list over lines": { _, side, bytes in
      "\(write(side))\n[\n" + bytes.map { "    \($0),\n" }.joined() + "]\n"
    },
    "Java signed": { _, side, bytes in
      "D/Iap2: \(side == .accessory ? "onSend" : "onReceive") \(bytes.map { Int8(bitPattern: $0) })\n"
    },
    "Node": { _, side, bytes in "\(side == .accessory ? "->" : "<-") <Buffer \(hex(bytes))>\n" },
    "NSData": { _, side, bytes in "\(tx(side)) {length = \(bytes.count), bytes = 0x\(hex(bytes, ""))}\n" },
    "logcat": { number, side, bytes in
      "11-28 10:00:01.\(100 + number)  1234  5678 D Link: \(tx(side)) \(hex(bytes))\n"
    },
  ]

  private static let compiled: [String: Form] = [
    "Go": { _, side, bytes in "\(write(side)) \(bytes.count) [\(bytes.map(String.init).joined(separator: " "))]\n" },
    "Rust": { _, side, bytes in "[src/main.rs:41:9] \(tx(side).lowercased()) = \(bytes)\n" },
    "Rust x": { _, side, bytes in "\(tx(side)) [\(short(bytes, ", "))]\n" },
    "Rust 02x": { _, side, bytes in "\(tx(side)) [\(hex(bytes, ", "))]\n" },
    "Rust pretty": { _, side, bytes in
      "\(tx(side)) [\n" + bytes.map { "    0x\(short([$0], "")),\n" }.joined() + "]\n"
    },
    "Rust bytes": { number, side, bytes in
      let letters: [UInt8: String] = [0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r"]
      return "2024-01-01T10:00:00.1\(number)Z DEBUG \(side == .accessory ? "sent" : "received") b\""
        + WorkedSession.escaped(bytes, quote: 0x22, letters) + "\"\n"
    },
    "C array": { number, side, bytes in
      "/* \(tx(side)) */\nstatic const uint8_t p\(number)[] = {\n"
        + WorkedSession.rows(bytes, 8) {
          "    " + $1.map { "0x" + hex([$0]).uppercased() + "," }.joined(separator: " ")
        }
        + "};\n"
    },
    "C decimal array": { number, side, bytes in
      "// \(tx(side))\nuint8_t p\(number)[] = {\n"
        + WorkedSession.rows(bytes, 12) { "  " + $1.map { "\($0)," }.joined() }
        + "};\n"
    },
    "C string": { _, side, bytes in "\(tx(side)): \"\(bytes.map { "\\x" + hex([$0]) }.joined())\"\n" },
    "C strings side by side": { _, side, bytes in
      "\(tx(side)): \(bytes.map { "\"\\x" + hex([$0]) + "\"" }.joined(separator: " "))\n"
    },
    "strace": { _, side, bytes in
      let text = bytes.map { "\\x" + hex([$0]) }.joined()
      return side == .accessory
        ? "write(5, \"\(text)\", \(bytes.count)) = \(bytes.count)\n" : "read(5, \"\(text)\", 4096) = \(bytes.count)\n"
    },
    "hexlify": { _, side, bytes in "\(write(side)) b'\(hex(bytes, ""))'\n" },
    "JSON lines": { _, side, bytes in
      "{\"dir\":\"\(tx(side).lowercased())\",\"data\":\"\(hex(bytes, ""))\"}\n"
    },
    "name and bytes": { _, side, bytes in "\(tx(side).lowercased()):\(hex(bytes, ""))\n" },
    "kernel": { number, side, bytes in
      WorkedSession.rows(bytes) { offset, row in
        let place = String(offset, radix: 16)
        let padded = String(repeating: "0", count: 8 - place.count) + place
        let head = "[  100.\(100_000 + number)] iap \(tx(side).lowercased()): \(padded): "
        return head + "\(hex(row))  \(WorkedSession.characters(row))"
      }
    },
    "kernel without offsets": { _, side, bytes in
      WorkedSession.rows(bytes) { "iap \(tx(side).lowercased()): \(hex($1))  \(WorkedSession.characters($1))" }
    },
    "length before": { _, side, bytes in
      "\(write(side)) Length \(bytes.count): \(hex(bytes).uppercased())\n"
    },
    "length in parentheses": { _, side, bytes in "\(write(side)) (\(bytes.count)) \(hex(bytes))\n" },
    "dots": { _, side, bytes in "\(tx(side)) \(hex(bytes, "."))\n" },
    "ESPHome": { _, side, bytes in
      "[12:00:00][D][uart_debug:176]: \(side == .accessory ? ">>>" : "<<<") "
        + bytes.map(String.init).joined(separator: ";") + "\n"
    },
    "curly quotes": { _, side, bytes in
      "\(tx(side)) “\(bytes.map { "\\x" + hex([$0]) }.joined())”\n"
    },
    "arrows beside bytes": { _, side, bytes in
      "[12:00:00.000]\(side == .accessory ? "发→◇" : "收←◆")\(hex(bytes).uppercased()) \n"
    },
    "wide colon": { _, side, bytes in "\(tx(side))：\(hex(bytes).uppercased())\n" },
    "ends": { _, side, bytes in
      (side == .accessory ? "unit -> host: " : "host -> unit: ") + hex(bytes, "") + "\n"
    },
    "ends by address": { _, side, bytes in
      let ends = ["10.0.0.1:51000", "10.0.0.2:7000"]
      return "\(ends[side == .accessory ? 0 : 1]) → \(ends[side == .accessory ? 1 : 0]): \(hex(bytes))\n"
    },
    "phone first": { _, side, bytes in
      (side == .accessory ? "phone <- car: " : "phone -> car: ") + hex(bytes) + "\n"
    },
    "C %x": { _, side, bytes in "\(side == .accessory ? "send" : "recv")(\(bytes.count)): \(short(bytes, " "))\n" },
    "Zephyr": { number, side, bytes in
      "[00:00:11.\(100 + number),000] <dbg> iap2: \(tx(side).lowercased())\n"
        + WorkedSession.rows(bytes) { "                 \(hex($1))  |\(WorkedSession.characters($1))|" }
    },
  ]

  private static let documents: [String: Form] = [
    "wrapped": { _, side, bytes in "\(tx(side)):\n" + WorkedSession.rows(bytes, 7) { hex($1) } },
    "wrapped with a direction on each line": { _, side, bytes in
      WorkedSession.rows(bytes, 5) { "\(tx(side)) \(hex($1))" }
    },
    "Markdown fences": { _, side, bytes in
      "**\(tx(side))**\n\n```\n" + WorkedSession.rows(bytes) { hex($1) } + "```\n\n"
    },
    "Markdown table": { number, side, bytes in "| \(number) | \(tx(side)) | `\(hex(bytes))` |\n" },
    "Markdown list": { number, side, bytes in "\(number + 1). `\(tx(side))`: `\(hex(bytes).uppercased())`\n" },
    "quotation": { _, side, bytes in "> \(tx(side)) \(hex(bytes))\n" },
    "quotation of arrows": { _, side, bytes in "> \(side == .accessory ? ">" : "<") \(hex(bytes))\n" },
  ]

  private static let forms: [String: Form] = [device, dynamic, compiled, documents].reduce([:]) { all, part in
    all.merging(part) { first, _ in first }
  }

  @Test(arguments: forms.keys.sorted()) func theSessionIsReadInEveryForm(name: String) throws {
    #expect(WorkedSession.findings.count > 30)
    let form = try #require(Self.forms[name])
    let text = WorkedSession.records.enumerated().map { form($0, $1.from, $1.bytes) }.joined()
    for piece in [1 << 20, 11] {
      let analyzer = LinkLog.read(Array(text.utf8), piece: piece)
      #expect(WorkedSession.findings(analyzer) == WorkedSession.findings)
      #expect(analyzer.counts.records == WorkedSession.records.count)
      // Each record states its sender.
      let hasGuess = analyzer.notices.contains { if case .unstatedSenders = $0 { true } else { false } }
      #expect(!hasGuess)
    }
  }

  @Test func linesWithoutADirectionAreJoinedToo() {
    let text = WorkedSession.records.map { WorkedSession.rows($0.bytes, 32) { WorkedSession.hex($1, "") } }.joined()
    let analyzer = LinkLog.read(Array(text.utf8))
    #expect(WorkedSession.findings(analyzer) == WorkedSession.findings)
    let guesses = analyzer.notices.compactMap { notice -> Int? in
      if case .unstatedSenders(_, let records, let guesses) = notice { records > guesses ? guesses : nil } else { nil }
    }
    #expect(guesses.count == 1)
    #expect(analyzer.notices.map(CaptureNoticeText.text).contains { $0.contains("--accessory-pattern") })
  }

  /// None of these lines has bytes that anything sent.
  @Test(arguments: [
    "I (345) esp_image: segment 0: paddr=00010020 vaddr=3f400020 size=1b95ch (112988) map",
    "write 1024", "len 4096 ok", "at 1730000000", "[1, 2, 3]", "commit deadbeef", "{\"a\": [10, 300, 400, 500]}", "b'",
    "say 'b' now", "x = \"\\n\"",
  ]) func numbersAreNoBytes(line: String) {
    #expect(LinkLog.read(Array("\(line)\n".utf8)).counts.decoded == 0)
  }

  @Test func linesOfAnOpenListThatAreNoneAreReadAlone() {
    let analyzer = LinkLog.read(Array("x = {\nTX ff 55 02 00 ee 10\n}\ny = [\n255, 85, 2,\n0, 238, 16\n".utf8))
    #expect(analyzer.sink.lines.map(\.content) == [.detect, .detect])
  }

  /// The worked session lacks the end of its longest packet; the packet behind it is whole.
  @Test(arguments: [
    "RX: {} ...", "RX: {}...", "RX: {} …", "RX {length = 52, bytes = 0x{} ... 1b1c1d1e 1f96 }",
    "RX <Buffer {} ... 20 more bytes>",
  ]) func aCutPacketIsNotJoinedWithTheNext(form: String) {
    let cut = form.replacing("{}", with: "ff 5a 00 34 40 66 2c 01 a0 40 40 00 2a aa 02 00")
    let next = "RX: ff 5a 00 10 40 67 2d 01 c2 40 40 00 06 aa 05 cb\n"
    let text = "RX ff 55 02 00 ee 10\nTX ff 55 02 00 ee 10\n\(cut)\n\(next)"
    let analyzer = LinkLog.read(Array(text.utf8))
    #expect(analyzer.counts.cut == 1)
    let errors = analyzer.sink.lines.compactMap { if case .error(let text, _) = $0.content { text } else { nil } }
    #expect(errors == ["packet cut by the capture: 16 of 52 bytes"])
    let messages = analyzer.sink.lines.compactMap { if case .control(let id, _, _, _) = $0.content { id } else { nil } }
    #expect(messages == [0xAA05])
  }

  /// A record that lacks its end does not take the next packet.
  @Test func aCutRecordEndsAtTheNextPacket() {
    let analyzer = LinkLog.read(Array("TX: ff 5a 00 1d 80 2b\nff 5a 00 09 40 2b 64 00 cf\n".utf8))
    #expect(analyzer.counts.records == 2 && analyzer.sink.lines.contains { $0.layer == "link" })
  }

  /// Each line ends within a packet, so the record ends at its limit only.
  @Test func aRecordOfManyLinesIsBounded() {
    let row = "ff 5a 00 10 40 65 2b 01 c6 40 40 00 06 aa 00 d0"
    let rest = "ff 5a 00 10 40 65 2b"
    let next = "01 c6 40 40 00 06 aa 00 d0"
    let lines = (0..<3000).map { $0 == 0 ? "\(row) \(row) \(rest)" : "\(next) \(row) \(row) \(rest)" }
    let records = LinkLog.read(Array(lines.joined(separator: "\n").utf8)).counts.records
    #expect(records > 1 && records < 3000)
  }
}
