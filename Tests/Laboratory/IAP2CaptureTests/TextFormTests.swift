// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// Texts that btmon and usbmon print. Each has the whole worked session in a form whose examples are public.
@Suite struct TextFormTests {
  private static func hex(_ bytes: some Sequence<UInt8>) -> String { WorkedSession.hex(bytes) }

  static func read(_ text: String, _ kind: TextFormKind) -> CaptureAnalyzer<LineSink> {
    let whole = LinkLog.read(Array(text.utf8))
    #expect(whole.reader.textReading?.form == kind)
    let cut = LinkLog.read(Array(text.utf8), piece: 13)
    #expect(whole.sink.lines == cut.sink.lines && whole.counts == cut.counts)
    return whole
  }

  // MARK: btmon

  /// Returns the RFCOMM frame of a packet as it is on the air.
  private static func frame(_ side: Side, _ bytes: [UInt8]) -> [UInt8] {
    var frame = RFCOMMFrame.frame(bytes, channel: 3)
    guard side == .device else { return frame }
    // The other side's frames have another command bit, which the check sequence covers.
    frame[0] ^= 2
    frame[frame.count - 1] = 0x55
    return frame
  }

  private static func dump(_ bytes: [UInt8]) -> String {
    WorkedSession.rows(bytes) { _, row in
      let text = hex(row)
      return "        \(text)\(String(repeating: " ", count: 49 - text.utf8.count))\(WorkedSession.characters(row))"
    }
  }

  private static func btmon(_ records: [(from: Side, bytes: [UInt8])]) -> String {
    var text = "Bluetooth monitor ver 5.66\n= Note: Linux version 6.1.0 (x86_64)                0.148480\n"
    for (number, record) in records.enumerated() {
      let isSent = record.from == .accessory
      let frame = frame(record.from, record.bytes)
      let time = "\(20 + number).500000"
      text += "\(isSent ? "< ACL Data TX" : "> ACL Data RX"): Handle 42 flags 0x0\(isSent ? 0 : 2)"
      text += " dlen \(frame.count + 4)       #\(number) [hci0] \(time)\n"
      text += "      Channel: 65 len \(frame.count) [PSM 3 mode Basic (0x00)] {chan 1}\n"
      text += "      RFCOMM: Unnumbered Info with Header Check (UIH) (0xef)\n"
      text += "         Address: 0x\(hex([frame[0]])) cr \(frame[0] >> 1 & 1) dlci 0x06\n"
      text += "         Control: 0xef poll/final 0\n         Length: \(record.bytes.count)\n"
      text += "         FCS: 0x\(hex([frame[frame.count - 1]]))\n"
      text += dump(record.bytes + [frame[frame.count - 1]])
      text += "> HCI Event: Number of Completed Packets (0x13) plen 5   #\(number) [hci0] \(time)\n"
      text += "        Num handles: 1\n        Handle: 42\n"
    }
    return text
  }

  @Test func btmonsTextIsRead() throws {
    let analyzer = Self.read(Self.btmon(WorkedSession.records), .btmon)
    #expect(WorkedSession.findings(analyzer) == WorkedSession.findings)
    #expect(analyzer.flowKeys == [.rfcomm(adapter: 0, connection: 42, channel: 3)])
    #expect(analyzer.sink.lines.first?.time == 20.5)
    #expect(analyzer.counts.cut == 0 && analyzer.counts.damaged == 0)
  }

  /// The text in a mail, in Markdown, and in a quotation of a quotation.
  @Test(arguments: ["> ", ">> ", "> > ", "    "]) func btmonsTextWithinAnotherTextIsRead(mark: String) {
    let text = "On Mon, X wrote:\n\n" + Self.btmon(WorkedSession.records)
    let marked = text.split(separator: "\n", omittingEmptySubsequences: false).map { mark + $0 }.joined(separator: "\n")
    #expect(WorkedSession.findings(Self.read(marked, .btmon)) == WorkedSession.findings)
  }

  /// These lines have the form of a mail of the list linux-bluetooth; the payload is this project's.
  @Test func creditsAreNoPayload() {
    let text = """
      > ACL Data RX: Handle 2 flags 0x02 dlen 16       #5338 [hci0] 91.977373
            Channel: 70 len 12 [PSM 3 mode Basic (0x00)] {chan 3}
            RFCOMM: Unnumbered Info with Header Check (UIH) (0xef)
               Address: 0x09 cr 0 dlci 0x02
               Control: 0xff poll/final 1
               Length: 6
               FCS: 0x5c
               Credits: 4
              ff 55 02 00 ee 10 5c                             .U....\\
      """
    #expect(Self.read(text, .btmon).sink.lines.map(\.content) == [.detect])
  }

  /// Without the packets that opened the channel, btmon prints the frames whole.
  @Test func framesThatBtmonDidNotDecodeAreRead() {
    var text = "< HCI Command: Reset (0x03|0x0003) plen 0          #1 [hci0] 2026-09-29 02:30:44.995667\n"
    for record in WorkedSession.records {
      let frame = Self.frame(record.from, record.bytes)
      text += record.from == .accessory ? "\u{1B}[0;36m< ACL Data TX\u{1B}[0m" : "> ACL Data RX"
      text += ": Handle 42 flags 0x00 dlen \(frame.count + 4)  #2 [hci0] 2026-09-29 02:30:45.000000\n"
      text += "      Channel: 65 len \(frame.count) [PSM 0 mode Basic (0x00)] {chan 65535}\n"
      text += Self.dump(frame)
    }
    #expect(WorkedSession.findings(Self.read(text, .btmon)) == WorkedSession.findings)
  }

  @Test func otherChannelsOfBtmonAreNoLinkBytes() {
    let handsFree: [UInt8] = Array("AT+BRSF=20\r".utf8)
    let analyzer = Self.read(Self.btmon([(.accessory, handsFree), (.device, handsFree)]), .btmon)
    #expect(analyzer.counts.records == 2 && analyzer.counts.decoded == 0)
  }

  // MARK: usbmon

  /// Returns the lines of usbmon's text: the accessory is the device.
  private static func usbmon(
    _ records: [(from: Side, bytes: [UInt8])], hasBus: Bool = true, limit: Int
  ) -> String {
    let bus = hasBus ? "1:005:1" : "005:01"
    return records.enumerated().map { number, record in
      let time = 1_000_000 + number * 10_000
      let words = WorkedSession.rows(Array(record.bytes.prefix(limit)), 4) { Hex.text($1) }
        .split(separator: "\n").joined(separator: " ")
      let data = "\(record.bytes.count) = \(words)\n"
      return record.from == .accessory
        ? "ffff89f472f4d000 \(time) S Bi:\(bus) -115 512 <\nffff89f472f4d000 \(time + 50) C Bi:\(bus) 0 \(data)"
        : "ffff89f472f4d0c0 \(time) S Bo:\(bus) -115 \(data)ffff89f472f4d0c0 \(time + 9) C Bo:\(bus) 0 0 >\n"
    }.joined()
  }

  @Test(arguments: [true, false]) func usbmonsTextIsRead(hasBus: Bool) {
    let text =
      "ffff89f472f4d000 999000 S Ci:1:005:0 s 80 06 0200 0000 0009 9 <\nffff89f44262cf00 999100 C Ii:1:005:3 0:8 0\n"
      + Self.usbmon(WorkedSession.records, hasBus: hasBus, limit: .max)
    let analyzer = Self.read(text, .usbmon)
    #expect(WorkedSession.findings(analyzer) == WorkedSession.findings)
    #expect(analyzer.flowKeys == [.usb(bus: hasBus ? 1 : 0, device: 5)] && analyzer.counts.cut == 0)
    #expect(analyzer.sink.lines.first?.time == 1.00005)
  }

  @Test(arguments: ["Nov 28 12:00:00 host kernel: ", "> "]) func usbmonsTextBehindOtherWordsIsRead(lead: String) {
    let lines = Self.usbmon(WorkedSession.records, limit: .max).split(separator: "\n").map { "\(lead)\($0)\n" }.joined()
    #expect(WorkedSession.findings(Self.read("A report.\n\n\n\n" + lines, .usbmon)) == WorkedSession.findings)
  }

  // MARK: Followed streams

  /// Returns the lines of a record; those of the phone are indented.
  private static func followed(_ records: [(from: Side, bytes: [UInt8])], indent: String) -> String {
    var counts: [Side: Int] = [:]
    return records.map { record in
      defer { counts[record.from, default: 0] += record.bytes.count }
      return WorkedSession.rows(record.bytes) { offset, row in
        let place = String(counts[record.from, default: 0] + offset, radix: 16, uppercase: true)
        let digits = hex(row.prefix(8)) + (row.count > 8 ? "  " + hex(row.dropFirst(8)) : "")
        let lead = (record.from == .device ? indent : "") + String(repeating: "0", count: 8 - place.count)
        let gap = String(repeating: " ", count: 51 - digits.utf8.count)
        return "\(lead)\(place)  \(digits)\(gap)\(WorkedSession.characters(row))"
      }
    }.joined()
  }

  @Test(arguments: ["    ", "\t"]) func followedStreamsAreRead(indent: String) {
    let text = "Follow: tcp,hex\nNode 0: 10.0.0.1:51000\n" + Self.followed(WorkedSession.records, indent: indent)
    #expect(WorkedSession.findings(Self.read(text, .followedStream)) == WorkedSession.findings)
  }

  /// The kernel prints at most 32 bytes of a transfer.
  @Test func transfersThatUsbmonCutAreCounted() throws {
    let analyzer = Self.read(Self.usbmon(WorkedSession.records, limit: 32), .usbmon)
    let errors = analyzer.sink.lines.compactMap { if case .error(let text, _) = $0.content { text } else { nil } }
    #expect(!errors.isEmpty && errors.allSatisfy { $0.hasPrefix("packet cut by the capture: 32 of ") })
    #expect(analyzer.counts.cut == WorkedSession.records.filter { $0.bytes.count > 32 }.count)
    #expect(analyzer.notices.map(CaptureNoticeText.text).contains { $0.contains("at most 32 bytes") })
  }

  @Test(arguments: [
    "x 1 S Bo:1:005:1 -115 4 = ff550200", "ff 1 S Bo:1:005:99 0 4 = ff", "ff 1 Q Bo:1:005:1 0 4",
    "ff 1 S Xo:1:5:1 0 4", "ff 1 S Bo:1:005:1", "ff 99999999999999999999 S Bo:1:005:1 0 4",
    "ff 1 S Co:1:005:0 s 80 06 0200",
  ]) func linesThatUsbmonDoesNotPrintAreNone(line: String) {
    #expect(USBMonText([line[...]]) == nil)
  }
}
