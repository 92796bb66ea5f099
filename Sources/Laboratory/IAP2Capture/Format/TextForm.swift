// swift-iap2 · Apache-2.0

import IAP2

/// A form of a text with captured bytes.
package enum TextFormKind: Sendable, Hashable {
  /// Lines with hexadecimal bytes, in one of many notations.
  case lines
  /// The text that btmon prints.
  case btmon
  /// The text of Linux's usbmon.
  case usbmon
  /// A table with a column of bytes, as logic analyzers and oscilloscopes export decoded serial lines.
  case table
  /// A table of level changes, as logic analyzers export them.
  case levels
  /// Lines with one byte each.
  case byteLines
  /// A TCP stream as Wireshark shows it in hexadecimal.
  case followedStream
}

/// The result of a line of a text.
struct TextOutcome {
  /// The records that the line completes.
  var records: [HexDump.Record] = []
  /// Whether the line has bytes of a record.
  var hasBytes = false
  /// Whether a pattern of the user matches the line.
  var isMatched = false
  /// Whether the line has an offset before its bytes.
  var hasOffset = false
  /// Whether the line has a number before its offset.
  var hasNumber = false
}

/// A reader of one form of texts. It takes the lines in their order.
protocol TextForm: Sendable {
  /// The form that it reads.
  var kind: TextFormKind { get }
  /// Takes the next line, without its end.
  mutating func take(_ line: Substring) -> TextOutcome
  /// Returns the records that the end of the text completes.
  mutating func finish() -> [HexDump.Record]
}

/// The forms of texts that are recognized.
enum TextForms {
  /// Returns a reader for a text by its first lines.
  ///
  /// - Parameter log: The layout that the user supplies. With patterns, the lines are read by them.
  static func detect(_ lines: [Substring], _ log: TextLog?) -> any TextForm {
    if log?.hasPatterns == true { return LineForm(log) }
    let words = SenderWords(log)
    let special: (any TextForm)? =
      USBMonText(lines) ?? BtmonText(lines) ?? LevelTable(lines, words) ?? ByteTable(lines, words)
      ?? ByteLines(lines, words) ?? FollowedText(lines)
    return special ?? LineForm(log)
  }
}

/// The words that state the sender in a text.
struct SenderWords: Sendable {
  private let log: TextLog?

  init(_ log: TextLog?) { self.log = log }

  /// Returns the sender that a name states, such as the name of a channel; nil without a word for it.
  func stated(_ name: Substring) -> CaptureSender? {
    let bare = name.prefix { $0 != ":" }
    let words = [name, bare] + name.split { !$0.isLetter && !$0.isNumber }
    return words.lazy.compactMap { log?.sender(String($0)) ?? CaptureSender(word: String($0)) }.first
      ?? CaptureSender(identifier: name)
  }

  /// Returns the sender that a name stands for. Two names without a word for a sender are the two ends of a connection;
  /// of one such name alone, nothing is known.
  ///
  /// - Parameter all: All names of the text, as far as they are known.
  func sender(_ name: Substring, of all: [Substring]) -> CaptureSender {
    if let stated = stated(name) { return stated }
    let others = all.filter { stated($0) == nil }
    guard others.count == 2, let index = others.firstIndex(of: name) else { return .unknown }
    return index == 0 ? .here : .there
  }
}

/// A reader of lines with hexadecimal bytes (CaptureFormats.md#text-content).
struct LineForm: TextForm {
  private let log: TextLog?
  private var dump = HexDump()
  private var isNumbered = false
  /// The numbers of a list whose end has not been read, with the line that began it.
  private var list: (items: [String], heading: HexDump.Line)?

  /// The names of the ends of connections in the lines so far, the first ones.
  private var ends: [Substring] = []

  /// The names of a head unit and of a phone that people use for the ends of a connection.
  private static let sides: [String: Side] = [
    "car": .accessory, "headunit": .accessory, "head-unit": .accessory, "vehicle": .accessory,
    "phone": .device, "iphone": .device, "ipad": .device, "ipod": .device,
  ]
  /// More names than those of two ends.
  private static let maximumEndCount = 3

  /// The maximum of numbers in a list: those of two of the longest packets.
  private static let maximumItemCount = PacketExtent.maximumByteCount

  init(_ log: TextLog?) { self.log = log }

  var kind: TextFormKind { .lines }

  mutating func take(_ text: Substring) -> TextOutcome {
    if let line = log?.read(text) {
      let whole = dump.takePending()
      dump.hold(line)
      return TextOutcome(records: whole.map { [$0] } ?? [], hasBytes: true, isMatched: true)
    }
    var outcome = TextOutcome()
    if list != nil, goOn(text, &outcome) { return outcome }
    var line = HexDump.Line(text, log, isNumbered: isNumbered)
    // A heading of bytes ends with a colon. Other arrows join states.
    let isHeading = text.last { !$0.isWhitespace } == ":"
    if let route = line.route, isHeading || !line.bytes.isEmpty { line.sender = sender(of: route) ?? line.sender }
    if line.bytes.isEmpty, let items = PrintedBytes.openList(text) {
      list = (items, line)
      return outcome
    }
    isNumbered = isNumbered || line.hasNumber
    outcome.hasBytes = outcome.hasBytes || !line.bytes.isEmpty
    outcome.hasOffset = line.offset != nil
    outcome.hasNumber = line.hasNumber
    if let record = dump.add(line) { outcome.records.append(record) }
    return outcome
  }

  /// Returns the sender of bytes that go from one end to another; nil if the names show nothing.
  private mutating func sender(of route: (from: Substring, to: Substring)) -> CaptureSender? {
    if let sender = log?.sender(String(route.from)) { return sender }
    let sides = [route.from, route.to].map { Self.sides[$0.lowercased()] }
    if let side = sides[0] ?? sides[1]?.peer { return .side(side) }
    for name in [route.from, route.to] where ends.count < Self.maximumEndCount && !ends.contains(name) {
      // A copy, so that the line is not kept.
      ends.append(String(name)[...])
    }
    let sender = SenderWords(log).sender(route.from, of: ends)
    return sender == .unknown ? nil : sender
  }

  /// Takes a line into the open list. Returns false for a line of something else, which ends the list.
  private mutating func goOn(_ text: Substring, _ outcome: inout TextOutcome) -> Bool {
    guard let (items, isLast) = PrintedBytes.listPart(text), (list?.items.count ?? 0) <= Self.maximumItemCount else {
      closeList(&outcome)
      return false
    }
    list?.items += items
    outcome.hasBytes = !items.isEmpty
    if isLast { closeList(&outcome) }
    return true
  }

  private mutating func closeList(_ outcome: inout TextOutcome) {
    guard let (items, heading) = list else { return }
    list = nil
    var line = heading
    line.bytes = PrintedBytes.numbers(items.map { $0[...] }) ?? []
    line.doubtful = []
    outcome.hasBytes = outcome.hasBytes || !line.bytes.isEmpty
    if let record = dump.add(line) { outcome.records.append(record) }
  }

  mutating func finish() -> [HexDump.Record] {
    var outcome = TextOutcome()
    closeList(&outcome)
    return outcome.records + (dump.takePending().map { [$0] } ?? [])
  }
}
