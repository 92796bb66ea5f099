// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Capture

/// The entries of the bytes between a head unit and a phone: their captures, decoded as `iap2 decode` does.
package struct LinkEntries {
  private var analyzer: CaptureAnalyzer<LineSink>

  package init(options: CaptureAnalyzerOptions = CaptureAnalyzerOptions()) {
    analyzer = CaptureAnalyzer(options: options, sink: LineSink(keepsBytes: true))
  }

  /// Takes the next bytes of a capture, and returns the entries that they complete.
  package mutating func take(_ bytes: [UInt8]) -> [LabEntry] {
    analyzer.append(bytes)
    return entries()
  }

  private mutating func entries() -> [LabEntry] {
    analyzer.sink.take().map { line in
      switch line.content {
      case .detect, .link, .control, .session: isEmpty = false
      case .synchronization, .externalAccessory, .fileTransfer, .error, .comment: break
      }
      return Self.entry(line)
    }
  }

  /// Returns the entries of what is left.
  package mutating func finish() -> [LabEntry] {
    analyzer.finish()
    return entries()
  }

  /// Whether there was no packet and no message.
  package private(set) var isEmpty = true

  private static func entry(_ line: DecodedLine) -> LabEntry {
    let from: LabEntry.Lane = line.from == .accessory ? .headUnit : .phone
    let to: LabEntry.Lane = from == .headUnit ? .phone : .headUnit
    func entry(
      _ kind: LabEntry.Kind, _ name: String, _ text: String = "", level: LabEntry.Level = .info, isNote: Bool = false
    ) -> LabEntry {
      LabEntry(
        kind, name, text: text, time: line.time, from: from, to: isNote ? from : to, level: level, detail: .line(line))
    }
    switch line.content {
    case .detect: return entry(.packet, "detect")
    case .link(let header, let headerState, let payloadState):
      let isDamaged = headerState == .invalid || payloadState == .invalid
      return entry(
        .packet, header.control.names.joined(separator: "+"),
        "seq \(header.sequence.rawValue), ack \(header.acknowledgement.rawValue), session \(header.session), "
          + "\(header.byteCount) bytes" + (isDamaged ? ", a checksum is wrong" : ""),
        level: isDamaged ? .error : .detail)
    case .synchronization(let value): return entry(.message, "synchronization", DecodedText.synchronization(value))
    case .control(let id, let name, let parameters, _):
      return entry(.message, name ?? MessageCatalog.text(id), summary(parameters))
    case .externalAccessory(let session, let data):
      return entry(.message, "EA session \(session)", "\(data.count) bytes: \(DecodedText.short(data))")
    case .fileTransfer(let file, let operation, let byteCount):
      return entry(
        .message, "file \(file)", "\(operation.name ?? "operation \(operation.rawValue)"), \(byteCount) bytes")
    case .error(let message, _): return entry(.finding, "damage", message, level: .error, isNote: true)
    case .comment(let text): return entry(.event, text, level: .notice, isNote: true)
    case .session(let finding):
      return switch finding.layer {
      case .request, .answer, .data: entry(.message, finding.text)
      case .discovery, .stream: entry(.event, finding.text, isNote: true)
      case .picture, .sound, .clock, .sealed: entry(.packet, finding.text, level: .detail)
      case .problem: entry(.finding, finding.text, level: .warning, isNote: true)
      }
    }
  }

  /// The parameters whose values stand in a row.
  private static let shownParameters = 6

  private static func summary(_ parameters: [ParameterNode]) -> String {
    let words = parameters.prefix(shownParameters).flatMap { DecodedText.node($0, indent: 0) }
      .map { $0.drop { $0 == " " || $0.isNumber }.description.trimmingPrefix(" ") }
    return words.joined(separator: ", ") + (parameters.count > shownParameters ? ", …" : "")
  }
}
