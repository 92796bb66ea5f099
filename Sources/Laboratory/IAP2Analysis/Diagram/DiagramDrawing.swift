// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// One connection as SVG elements.
struct DiagramDrawing {
  static let width = 1290
  static let headsHeight = 50
  private static let timeX = 92
  private static let chapterX = 104
  private static let accessoryX = 280
  private static let deviceX = 712
  private static let moreX = 736
  /// The number of columns from `moreX` to the right edge, at most 6.62 pixels each.
  private static let moreColumns = 80
  private static let middleX = (accessoryX + deviceX) / 2
  /// The distance of an arrow from the top of its row.
  private static let arrowY = 20

  let connection: SequenceDiagram.Connection
  let layout: DiagramLayout
  /// Whether each step has its details as a title, which SVG viewers show on hover.
  let hasTitles: Bool

  private let hasTimes: Bool
  /// The origin of the column of times: the begin of the capture, or of the connection if the capture has the time of
  /// day.
  let origin: Double

  /// A limit in seconds, above the duration of a session.
  private static let longest = 1e5

  init(connection: SequenceDiagram.Connection, layout: DiagramLayout, hasTitles: Bool) {
    self.connection = connection
    self.layout = layout
    self.hasTitles = hasTitles
    let first = connection.steps.lazy.compactMap(\.time).first
    hasTimes = first != nil
    origin = first.flatMap { abs($0) < Self.longest ? nil : $0 } ?? 0
  }

  // MARK: Heads

  func heads() -> String {
    let (left, right) = connection.subject.columns
    return Self.head(at: Self.accessoryX, connection.subject.lane(.accessory), connection.accessoryName)
      + Self.head(at: Self.deviceX, connection.subject.lane(.device), connection.deviceName)
      + "<text class=\"left\" x=\"\(Self.timeX)\" y=\"42\" text-anchor=\"end\">"
      + "\(hasTimes ? "seconds" : "record")</text>\n"
      + "<text class=\"left\" x=\"\(Self.chapterX)\" y=\"42\">\(left)</text>\n"
      + "<text class=\"left\" x=\"\(Self.moreX + 110)\" y=\"42\">\(right)</text>\n"
  }

  private static func head(at x: Int, _ side: String, _ name: String?) -> String {
    let detail = name.map { Markup.escape(Markup.fit($0, columns: 26)) } ?? ""
    return """
      <g class="head"><rect class="box" x="\(x - 105)" y="4" width="210" height="42" rx="6"/>
      <text class="head-name" x="\(x)" y="\(name == nil ? 30 : 21)" text-anchor="middle">\(side)</text>
      <text class="head-detail" x="\(x)" y="38" text-anchor="middle">\(detail)</text></g>

      """
  }

  // MARK: Rows

  /// - Parameter write: receives the elements in pieces.
  func body(_ write: (String) throws -> Void) rethrows {
    try write(lanes())
    var chapter: String?
    var time: Double?
    for row in layout.rows {
      switch row.kind {
      case .step(let number, let elapsed, let startsPhase):
        let step = connection.steps[number]
        let words = DiagramStep(step, of: connection.subject, run: run(row, from: number))
        let newChapter = words.chapter == chapter ? nil : words.chapter
        if let next = words.chapter { chapter = next }
        let isNewTime = time == nil || step.time != time
        time = step.time
        if startsPhase { try write(Self.rule(at: row.top - 5)) }
        try write(
          group(step, words, row, elapsed: elapsed, chapter: newChapter, showsTime: isNewTime))
      case .pause(let seconds):
        time = nil
        chapter = nil
        try write(Self.pause(DiagramWords.pause(seconds), at: row.top))
      case .tick(let seconds): try write(Self.tick(seconds - origin, at: row.top + Self.arrowY))
      case .leftOut: try write(Self.pause(DiagramWords.leftOut(connection), at: row.top))
      }
    }
  }

  /// Returns the alike steps that a row stands for; empty for a row of one step.
  func run(_ row: DiagramLayout.Row, from number: Int) -> ArraySlice<SequenceDiagram.Step> {
    row.count > 1 ? connection.steps[number..<(number + row.count)] : []
  }

  /// Returns both lanes, dotted at breaks.
  private func lanes() -> String {
    var text = ""
    var top = 0
    let breaks = layout.rows.filter {
      switch $0.kind {
      case .pause, .leftOut: true
      case .step, .tick: false
      }
    }
    for row in breaks {
      text += Self.lane(from: top, to: row.top + 2, isCut: false)
      text += Self.lane(from: row.top + 2, to: row.top + DiagramLayout.pauseHeight - 2, isCut: true)
      top = row.top + DiagramLayout.pauseHeight - 2
    }
    return text + Self.lane(from: top, to: layout.height, isCut: false)
  }

  private static func lane(from top: Int, to bottom: Int, isCut: Bool) -> String {
    guard bottom > top else { return "" }
    return
      "<path class=\"lane\(isCut ? " cut" : "")\" d=\"M\(accessoryX) \(top)V\(bottom)M\(deviceX) \(top)V\(bottom)\"/>\n"
  }

  private static func rule(at y: Int) -> String { "<path class=\"rule\" d=\"M\(chapterX) \(y)H\(width - 10)\"/>\n" }

  private static func pause(_ text: String, at top: Int) -> String {
    "<text class=\"pause\" x=\"\(middleX)\" y=\"\(top + 21)\" text-anchor=\"middle\">\(Markup.escape(text))</text>\n"
  }

  private static func tick(_ seconds: Double, at y: Int) -> String {
    // Ticks are at round times, so their trailing zeros are removed.
    var text = DecodedText.seconds(seconds).dropLast()[...]
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return "<path class=\"rule\" d=\"M\(timeX + 4) \(y)h8\"/><text class=\"tick\" x=\"\(timeX)\" y=\"\(y + 4)\""
      + " text-anchor=\"end\">\(text)</text>\n"
  }

  private func group(
    _ step: SequenceDiagram.Step, _ words: DiagramStep, _ row: DiagramLayout.Row, elapsed: Double?, chapter: String?,
    showsTime: Bool
  ) -> String {
    let y = row.top + Self.arrowY
    var text = "<g class=\"step \(words.layer.rawValue)\">"
    if hasTitles { text += Self.title(words, elapsed: elapsed) }
    // The rectangle under the text makes the whole row respond to the pointer.
    text += "<rect x=\"0\" y=\"\(row.top)\" width=\"\(Self.width)\" height=\"\(DiagramLayout.rowHeight)\""
    text += " pointer-events=\"all\"/>\n"
    // A page hides the time that the row above has too, until rows are selected.
    if showsTime || !hasTimes || !hasTitles { text += time(step, y, isSame: !showsTime && hasTimes) }
    if let chapter {
      text += "<text class=\"chapter\" x=\"\(Self.chapterX)\" y=\"\(y + 4)\">\(Markup.escape(chapter))</text>\n"
    }
    if row.extent > 0 {
      let x = (step.from == .accessory ? Self.accessoryX : Self.deviceX) - 3
      text += "<rect class=\"bar\" x=\"\(x)\" y=\"\(y)\" width=\"6\" height=\"\(row.extent)\"/>\n"
    }
    if case .damage = step.content { return text + Self.mark(words, step.from, y) + "</g>\n" }
    if case .comment = step.content { return text + Self.note(words, step.from, y) + "</g>\n" }
    text += Self.name(words, y - 7) + Self.arrow(words.layer, step.from, y)
    if words.layer == .damage {
      // A damaged packet is drawn with a cross, because it is not delivered.
      text += Self.cross(at: step.from == .accessory ? Self.deviceX - 24 : Self.accessoryX + 24, y)
    }
    return text + Self.more(words, y) + "</g>\n"
  }

  private static func title(_ words: DiagramStep, elapsed: Double?) -> String {
    let (place, content) = words.details(elapsed: elapsed)
    let lines = ["\(words.name) \(words.suffix)"] + place + content.prefix(titleLines)
    return "<title>\(Markup.escape(lines.joined(separator: "\n")))</title>"
  }

  /// Viewers show titles in a box that does not scroll.
  private static let titleLines = 40

  private func time(_ step: SequenceDiagram.Step, _ y: Int, isSame: Bool) -> String {
    let text =
      step.time.map { String(DecodedText.seconds($0 - origin).dropLast()) } ?? (hasTimes ? "" : "\(step.record)")
    return
      "<text class=\"time\(isSame ? " same" : "")\" x=\"\(Self.timeX)\" y=\"\(y + 4)\" text-anchor=\"end\">\(text)</text>\n"
  }

  private static func name(_ words: DiagramStep, _ y: Int) -> String {
    let suffix = words.suffix.isEmpty ? "" : " <tspan class=\"suffix\">\(Markup.escape(words.suffix))</tspan>"
    return "<text class=\"name\" x=\"\(middleX)\" y=\"\(y)\" text-anchor=\"middle\">"
      + "\(Markup.escape(words.name))\(suffix)</text>\n"
  }

  static func arrow(_ layer: DiagramLayer, _ from: Side, _ y: Int) -> String {
    from == .accessory ? arrow(layer, from: accessoryX, to: deviceX, y) : arrow(layer, from: deviceX, to: accessoryX, y)
  }

  /// Returns an arrow, also for the legend.
  static func arrow(_ layer: DiagramLayer, from start: Int, to end: Int, _ y: Int) -> String {
    let back = end > start ? -1 : 1
    let (tail, tip) = (start - 2 * back, end + 2 * back)
    let stop = tip + back * (layer.hasOpenHead ? 1 : 8)
    var text = "<path class=\"line\" d=\"M\(tail) \(y)H\(stop)\"/>"
    if layer == .externalAccessory { text += "<path class=\"core\" d=\"M\(tail) \(y)H\(stop)\"/>" }
    let (x, style) = (tip + back * 9, layer.hasOpenHead ? "open" : "filled")
    text += "<path class=\"\(style)\" d=\"M\(x) \(y - 4)L\(tip) \(y)L\(x) \(y + 4)\(layer.hasOpenHead ? "" : "Z")\"/>\n"
    return text
  }

  private static func cross(at x: Int, _ y: Int) -> String {
    "<path class=\"cross\" d=\"M\(x - 5) \(y - 5)l10 10m0 -10l-10 10\"/>\n"
  }

  /// Returns the mark of damage without an arrow, at the lane of its sender.
  private static func mark(_ words: DiagramStep, _ from: Side, _ y: Int) -> String {
    let isLeft = from == .accessory
    let x = isLeft ? accessoryX + 14 : deviceX - 14
    let text = Markup.escape(Markup.fit(words.problem ?? "", columns: 60))
    return cross(at: isLeft ? accessoryX : deviceX, y)
      + "<text class=\"more bad\" x=\"\(x)\" y=\"\(y + 4)\" text-anchor=\"\(isLeft ? "start" : "end")\">"
      + "\(text)</text>\n"
  }

  /// Returns a comment of the capture, at the lane of the record's sender.
  private static func note(_ words: DiagramStep, _ from: Side, _ y: Int) -> String {
    let (lane, text) = from == .accessory ? (accessoryX, accessoryX + 14) : (deviceX, deviceX - 14)
    let anchor = from == .accessory ? "start" : "end"
    return "<path class=\"filled\" d=\"M\(lane - 5) \(y)l5 -5l5 5l-5 5Z\"/>"
      + "<text class=\"note\" x=\"\(text)\" y=\"\(y + 4)\" text-anchor=\"\(anchor)\">"
      + "\(Markup.escape(words.suffix))</text>\n"
  }

  private static func more(_ words: DiagramStep, _ y: Int) -> String {
    if let problem = words.problem {
      let text = Markup.escape(Markup.fit("! " + problem, columns: moreColumns))
      return "<text class=\"more bad\" x=\"\(moreX)\" y=\"\(y + 4)\">\(text)</text>\n"
    }
    let lines = words.more.filter { !$0.isEmpty }
    let first = lines.count > 1 ? y - 4 : y + 4
    return lines.enumerated().map { number, line in
      let text = Markup.escape(Markup.fit(line, columns: moreColumns))
      return "<text class=\"more\" x=\"\(moreX)\" y=\"\(first + 14 * number)\">\(text)</text>\n"
    }.joined()
  }
}
