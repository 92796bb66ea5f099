// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// The text of a step.
package struct DiagramStep {
  let layer: DiagramLayer
  /// The text on the arrow.
  let name: String
  /// The smaller text after the name.
  let suffix: String
  /// The one or two lines beside the arrow.
  let more: [String]
  /// The error, which replaces `more`; nil for none.
  let problem: String?
  /// The feature, for the margin; nil for none.
  let chapter: String?
  private let step: SequenceDiagram.Step
  private let subject: SequenceDiagram.Subject
  /// The last of the alike steps that the row stands for, and their number.
  private let run: (last: SequenceDiagram.Step, count: Int)?

  /// - Parameter run: the alike steps that the row stands for, this one included.
  init(
    _ step: SequenceDiagram.Step, of subject: SequenceDiagram.Subject = .connection,
    run: ArraySlice<SequenceDiagram.Step> = []
  ) {
    self.step = step
    self.subject = subject
    self.run = run.last.map { ($0, run.count) }
    layer = DiagramLayer(step.content)
    var suffix = ""
    var more: [String] = []
    var problem: String?
    switch step.content {
    case .detect(let count):
      name = "detect"
      suffix = Self.times(count)
    case .synchronization(let parameters, let isAnswer, let count):
      name = isAnswer ? "SYN+ACK" : "SYN"
      suffix = Self.times(count)
      more = Self.lines(parameters)
    case .packet(let header, let state):
      let names = header.control.names.joined(separator: "+")
      switch state {
      case .plain: name = names
      case .repeated: name = "retransmitted"
      case .damaged(let text):
        name = "damaged packet"
        problem = text
      }
      suffix = Self.numbers(header)
      more = ["session \(header.session), \(Self.count(header.byteCount, "byte"))"]
    case .message(let message):
      name = MessageCatalog[message.id]?.name ?? "unknown message"
      suffix = MessageCatalog.text(message.id) + (subject == .session ? " over iAP2" : "")
      more = [Self.summary(message)]
      problem = message.problems.first
    case .externalAccessory(let session, let protocolName, let run):
      name = protocolName.map { Markup.fit($0, columns: 32) } ?? "EA session \(session)"
      suffix = Self.text(run)
      more = [Self.preview(run)]
    case .fileData(let file, let run):
      name = "file \(file) data"
      suffix = Self.text(run)
      more = [Self.preview(run)]
    case .file(let file, let operation, let setup):
      name = "file \(file) \(operation.name ?? "operation \(operation.rawValue)")"
      if operation == .setup { more = [ComparisonWords.setup(setup)] }
    case .damage(let text, _):
      name = "damage"
      problem = text
    case .comment(let text):
      name = "comment"
      suffix = Markup.fit(text, columns: 60)
    case .app(let step):
      name = Markup.fit(step.name, columns: 60)
      if step.isProblem { problem = step.detail } else { more = [step.detail] }
    case .session(let step):
      name = Markup.fit(step.name, columns: 48)
      suffix = Self.times(step.count)
      let bytes = step.byteCount > 0 ? Self.count(step.byteCount, "byte") : ""
      if step.kind == .problem { problem = step.detail } else { more = [step.detail.isEmpty ? bytes : step.detail] }
    }
    if !run.isEmpty { suffix += (suffix.isEmpty ? "" : " ") + "× \(run.count)" }
    (self.suffix, self.more, self.problem) = (suffix, more, problem)
    chapter = Self.chapter(step)
  }

  private static func chapter(_ step: SequenceDiagram.Step) -> String? {
    switch step.content {
    case .detect: "Detect"
    case .synchronization: "Link"
    case .packet(let header, _): header.control.contains(.reset) ? "Link" : nil
    case .message(let message): MessageCatalog[message.id].map { "\($0.info.feature)" } ?? "Unknown"
    case .externalAccessory: "External Accessory"
    case .file, .fileData: "File Transfer"
    case .damage, .comment, .app, .session: nil
    }
  }

  // MARK: Short

  package static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

  private static func times(_ count: Int) -> String { count > 1 ? "× \(count)" : "" }

  private static func numbers(_ header: LinkHeader) -> String {
    "seq \(header.sequence)" + (header.control.contains(.acknowledge) ? " ack \(header.acknowledgement)" : "")
  }

  private static func lines(_ value: LinkSynchronization) -> [String] {
    [
      "window \(value.maxOutstandingPackets) × \(value.maxPacketLength), retransmit \(value.retransmissionTimeout) ms"
        + " × \(value.maxRetransmissions), ACK within \(value.cumulativeAckTimeout) ms"
        + " or \(value.maxCumulativeAcks) packets",
      "sessions " + DecodedText.sessions(value.sessions),
    ]
  }

  private static func text(_ run: SequenceDiagram.Run) -> String {
    count(run.byteCount, "byte") + (run.datagrams > 1 ? " in \(run.datagrams) datagrams" : "")
  }

  /// Returns the first bytes, as text if they are printable.
  private static func preview(_ run: SequenceDiagram.Run) -> String {
    guard run.head.count > 0 else { return "" }
    let isText = run.head.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x0D }
    let ellipsis = run.byteCount > run.head.count ? "…" : ""
    guard isText else { return Hex.text(Array(run.head.prefix(24))) + (run.byteCount > 24 ? "…" : "") }
    return (String(decoding: run.head, as: UTF8.self) + ellipsis).quoted
  }

  private static func summary(_ message: SequenceDiagram.Message) -> String {
    guard let bytes = message.bytes else { return count(message.byteCount, "byte") }
    var parts: [String] = []
    flatten(DecodedMessage(bytes.rawBytes).parameters, &parts)
    return parts.joined(separator: ", ")
  }

  /// The limit of listed parameters, above the room beside an arrow.
  private static let summaryParts = 16

  private static func flatten(_ nodes: [ParameterNode], _ parts: inout [String]) {
    for node in nodes where parts.count < summaryParts {
      let name = node.name ?? "\(node.id)"
      switch node.value {
      case .group(let inner) where !inner.isEmpty: flatten(inner, &parts)
      case .group, .void: parts.append(name)
      case .bytes(let bytes) where bytes.count > 12: parts.append("\(name) \(count(bytes.count, "byte"))")
      // Bytes are separated by spaces, to distinguish them from numbers.
      case .bytes(let bytes): parts.append("\(name) \(bytes.map { Hex.text([$0]) }.joined(separator: " "))")
      case .list(let numbers) where numbers.count > 4: parts.append("\(name) \(count(numbers.count, "value"))")
      case .text, .unsigned, .signed, .bool, .enumeration, .list, .signedList:
        parts.append("\(name) \(FeatureValues.text(node.value))")
      }
    }
  }

  // MARK: In full

  /// The step as one line, for screen readers.
  var spoken: String {
    let sender = "\(subject.lane(step.from)) to \(subject.lane(step.from.peer))"
    let time = step.time.map { "\(DecodedText.seconds($0)), " } ?? ""
    return "\(time)\(sender): \(name)\(suffix.isEmpty ? "" : " \(suffix)")" + (problem.map { ", \($0)" } ?? "")
  }

  /// Returns the place, the time and the errors, then the content, in lines.
  func details(elapsed: Double?) -> (place: [String], content: [String]) {
    var place = ["\(subject.lane(step.from)) → \(subject.lane(step.from.peer))"]
    if let run {
      var text = "the first of \(run.count) alike, until \(subject.record) \(run.last.lastRecord)"
      if let first = step.time, let last = run.last.lastTime, last > first {
        text += ", over \(DiagramWords.duration(last - first))"
      }
      place.append(text)
    }
    place.append(
      step.record == step.lastRecord
        ? "\(subject.record) \(step.record)" : "records \(step.record) to \(step.lastRecord)")
    if let time = step.time { place.append(DecodedText.seconds(time)) }
    if let elapsed {
      place.append(
        elapsed == 0 ? "with the previous step" : "\(DiagramWords.duration(elapsed)) after the previous step")
    }
    if let time = step.time, let last = step.lastTime, last > time {
      place.append("continues for \(DiagramWords.duration(last - time))")
    }
    return ([place.joined(separator: ", ")] + problems, content)
  }

  private var problems: [String] {
    if case .message(let message) = step.content { return message.problems }
    return problem.map { [$0] } ?? []
  }

  private var content: [String] {
    switch step.content {
    case .detect: return ["ff 55 02 00 ee 10"]
    case .synchronization(let parameters, _, _):
      return DecodedText.synchronization(parameters).split(separator: ", ").map(String.init)
    case .packet(let header, _):
      return ["\(header.control.names.joined(separator: "+")), \(Self.numbers(header)), " + more.joined()]
    case .message(let message): return Self.lines(message)
    case .externalAccessory(let session, _, let run):
      return ["session \(session), " + Self.datagrams(run)] + Self.hex(run.head, of: run.byteCount)
    case .fileData(_, let run): return [Self.datagrams(run)] + Self.hex(run.head, of: run.byteCount)
    case .file: return more
    case .damage(_, let offset): return ["byte \(offset) from the \(step.from.rawValue)"]
    case .comment(let text): return text == suffix ? [] : [text]
    case .app(let step): return step.isProblem || step.detail.isEmpty ? [] : [step.detail]
    case .session(let step):
      return step.kind == .problem || step.detail.isEmpty ? step.lines : [step.detail] + step.lines
    }
  }

  private static func datagrams(_ run: SequenceDiagram.Run) -> String {
    "\(count(run.datagrams, "datagram")), \(count(run.byteCount, "byte"))"
  }

  /// The limit of listed parameters, above that of the longest identification.
  private static let maximumLines = 200
  /// The number of bytes of a message that are shown in hexadecimal.
  private static let maximumHex = 128

  private static func lines(_ message: SequenceDiagram.Message) -> [String] {
    let feature = MessageCatalog[message.id].map { ", \($0.info.feature)" } ?? ""
    var lines = ["\(count(message.byteCount, "byte"))\(feature)"]
    guard let bytes = message.bytes else { return lines + ["its bytes exceed the limit of a diagram"] }
    let nodes = DecodedMessage(bytes.rawBytes).parameters.prefix(maximumLines)
    let parameters = nodes.flatMap { DecodedText.node($0, indent: 0) }
    lines += parameters.prefix(maximumLines)
    if parameters.count > maximumLines { lines.append("… \(count(parameters.count - maximumLines, "more line"))") }
    return lines + hex(Array(bytes.prefix(maximumHex)), of: bytes.count)
  }

  private static func hex(_ bytes: [UInt8], of total: Int) -> [String] {
    guard !bytes.isEmpty else { return [] }
    var lines = [""]
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let line = bytes[start..<min(start + 16, bytes.count)].map { Hex.text([$0]) }
      lines.append(line.joined(separator: " "))
    }
    if total > bytes.count { lines.append("… of \(total) bytes") }
    return lines
  }
}

/// Texts of the whole drawing.
package enum DiagramWords {
  static func duration(_ seconds: Double) -> String {
    if seconds < 0 { return "-" + duration(-seconds) }
    let total = Int(min(seconds, 1e12).rounded())
    switch seconds {
    case ..<0.000_999_5: return "\(Int((seconds * 1_000_000).rounded())) µs"
    case ..<0.1: return "\(number(seconds * 1000)) ms"
    case ..<0.999_5: return "\(Int((seconds * 1000).rounded())) ms"
    case ..<59.95: return "\(number(seconds)) s"
    case ..<3600: return "\(total / 60) min \(total % 60) s"
    case ..<86_400: return "\(total / 3600) h \(total / 60 % 60) min"
    default: return "\(DiagramStep.count(total / 86_400, "day")) \(total / 3600 % 24) h"
    }
  }

  /// Returns a number with at most one decimal.
  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  static func pause(_ seconds: Double) -> String {
    seconds < 0 ? "the capture's clock goes back by \(duration(-seconds))" : "\(duration(seconds)) of silence"
  }

  static func time(_ time: DiagramTime, scale: Double?) -> String {
    switch (time, scale) {
    case (.folded(let pause), _):
      return "Time runs down, not to scale: one row per step, and a break for silence of at least \(duration(pause))."
    case (.scaled, let scale?):
      return "Time runs down, to scale: 100 pixels are \(duration(100 / scale)). Steps are at least"
        + " \(DiagramLayout.rowHeight) pixels apart, so dense steps stretch the time."
    case (.scaled, nil): return "Time runs down, without a scale: the capture has no times."
    }
  }

  package static func leftOut(_ connection: SequenceDiagram.Connection) -> String {
    "\(DiagramStep.count(connection.leftOut, "more step")), from \(connection.subject.record) "
      + "\(connection.firstLeftOutRecord ?? 0) on, "
      + (connection.leftOut == 1 ? "is" : "are")
      + " not drawn: there is a limit of \(SequenceDiagramLimits().steps) steps"
  }

  /// Returns why a chosen connection or CarPlay session is not there; nil if it is. All numbers are from 1.
  package static func problem(
    _ connection: Int?, of connections: [Int], _ session: Int?, of sessions: [Int]
  ) -> String? {
    if let connection, !connections.contains(connection) {
      return connections.isEmpty
        ? "CarPlay sessions and no iAP2, so there is no connection \(connection)"
        : "iAP2 in \(Self.connections(connections)), not in connection \(connection)"
    }
    guard let session, !sessions.contains(session) else { return nil }
    return "\(DiagramStep.count(sessions.count, "CarPlay session")), so there is no session \(session)"
  }

  /// Returns the numbers of connections, at most eight of them.
  package static func connections(_ numbers: [Int]) -> String {
    let shown = numbers.prefix(8).map { "\($0)" }.joined(separator: ", ")
    let more = numbers.count > 8 ? " and \(numbers.count - 8) more" : ""
    return "connection\(numbers.count == 1 ? "" : "s") \(shown)\(more)"
  }

  static func heading(_ connection: SequenceDiagram.Connection) -> String {
    var parts = [DiagramStep.count(connection.steps.count, "step")]
    if let first = connection.steps.lazy.compactMap(\.time).first,
      let last = connection.steps.lazy.compactMap(\.lastTime).last
    {
      parts.append("\(duration(last - first))")
    }
    if connection.hiddenPackets > 0 {
      parts.append("\(DiagramStep.count(connection.hiddenPackets, "plain packet")) not shown (--link shows them)")
    }
    return parts.joined(separator: ", ")
  }
}
