// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2
package import IAP2Capture

/// The summary of a capture as text.
package enum SummaryText {
  package static func lines(
    _ summary: CaptureSummary, _ counts: CaptureCounts, _ keys: [FlowKey], startNanoseconds: Int64?
  ) -> [String] {
    var lines = [Color.blue("\(counts.records) records") + detail(counts, startNanoseconds)]
    for (number, connection) in summary.connections.enumerated() {
      let key = keys.indices.contains(number) ? keys[number] : nil
      let announced = key.map { counts.announced.contains($0) } ?? false
      lines.append("connection \(number + 1): \(key.map(FlowText.text) ?? "")" + (announced ? ", iAP2 by SDP" : ""))
      lines += self.lines(connection).map { "  " + $0 }
    }
    return lines
  }

  private static func detail(_ counts: CaptureCounts, _ start: Int64?) -> String {
    var parts = ["\(counts.decoded) with iAP2"]
    if counts.cut > 0 { parts.append("\(counts.cut) truncated by the capture") }
    if counts.otherLines > 0 { parts.append("\(counts.otherLines) other lines without bytes") }
    if counts.damaged > 0 { parts.append("\(counts.damaged) damaged") }
    if let start {
      let date = Date(timeIntervalSince1970: Double(start) / 1e9)
      parts.append("from \(date.formatted(.iso8601))")
    }
    return ": " + parts.joined(separator: ", ")
  }

  private static func lines(_ connection: CaptureSummary.Connection) -> [String] {
    var lines: [String] = []
    if let first = connection.firstTime, let last = connection.lastTime {
      lines.append(
        "time: \(DecodedText.seconds(first)) to \(DecodedText.seconds(last)), \(String(format: "%.3f", last - first)) s"
      )
    }
    for side in Side.allCases {
      let traffic = connection.traffic[side]
      guard traffic.packets + traffic.errors > 0 else { continue }
      var text = "\(side.rawValue): \(traffic.packets) packets, \(traffic.byteCount) bytes"
      if traffic.acknowledgements > 0 { text += ", \(traffic.acknowledgements) of them without data" }
      if traffic.repeated > 0 { text += Color.yellow(", \(traffic.repeated) retransmitted") }
      if traffic.badChecksums > 0 { text += Color.red(", \(traffic.badChecksums) with wrong checksums") }
      if traffic.errors > 0 { text += Color.red(", \(traffic.errors) error\(traffic.errors == 1 ? "" : "s")") }
      lines.append(text)
      if let offer = connection.synchronization[side] { lines.append("  " + DecodedText.synchronization(offer)) }
    }
    lines.append("reached: " + reached(connection))
    if let identification = connection.identification { lines.append(self.identification(identification)) }
    if !connection.features.isEmpty { lines.append("features: " + connection.features.joined(separator: ", ")) }
    for session in connection.externalAccessory {
      let name = connection.openProtocols[session.session] ?? "session \(session.session)"
      lines.append("external accessory \(name.printable): \(session.byteCount) bytes")
    }
    if connection.fileByteCount > 0 { lines.append("files: \(connection.fileByteCount) bytes") }
    return lines
  }

  private static func reached(_ connection: CaptureSummary.Connection) -> String {
    var steps: [String] = []
    if connection.detects > 0 { steps.append("detect") }
    if connection.synchronization.accessory != nil, connection.synchronization.device != nil { steps.append("link") }
    if connection.isAuthenticated { steps.append("authenticated") }
    if connection.isIdentified { steps.append("identified") }
    if !connection.externalAccessory.isEmpty { steps.append("external accessory") }
    if connection.messages[CarPlayStartSession.id] != nil { steps.append("CarPlay start") }
    if connection.resets > 0 { steps.append("reset") }
    return steps.isEmpty ? "nothing that the capture shows" : steps.joined(separator: ", ")
  }

  private static func identification(_ value: IdentificationInformation) -> String {
    let protocols = value.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
    let text =
      "accessory is \"\(value.name)\" (\(value.manufacturer), \(value.modelIdentifier), firmware \(value.firmwareVersion))"
      + (protocols.isEmpty ? "" : ", protocols \(protocols.joined(separator: ", "))")
    return text.printable
  }

  // MARK: Statistics

  package static func statistics(_ summary: CaptureSummary, _ timing: TimingStatistics?) -> [String] {
    var lines: [String] = []
    for (number, connection) in summary.connections.enumerated() {
      lines.append("messages of connection \(number + 1): count, bytes")
      for (id, traffic) in connection.messages.sorted(by: { $0.key < $1.key }) {
        let name = MessageCatalog[id]?.name ?? "unknown message"
        lines.append("  \(MessageCatalog.text(id)) \(name): \(traffic.count), \(traffic.byteCount)")
      }
    }
    guard let timing else { return lines }
    for side in Side.allCases where timing.acknowledgements[side].count > 0 {
      lines.append("acknowledgements by the \(side.rawValue): \(text(timing.acknowledgements[side]))")
    }
    for (request, durations) in timing.answers.sorted(by: { $0.key < $1.key }) {
      lines.append("answers to \(MessageCatalog[request]?.name ?? MessageCatalog.text(request)): \(text(durations))")
    }
    if timing.gapCount > 0 { lines.append("silence longer than the limit: \(timing.gapCount) times") }
    for gap in timing.gaps {
      lines.append(
        "  \(String(format: "%.3f", gap.seconds)) s before record \(gap.record), which the \(gap.from.rawValue) sent")
    }
    return lines
  }

  private static func text(_ durations: Durations) -> String {
    let milliseconds = { (seconds: Double) in String(format: "%.3f", seconds * 1000) }
    guard durations.count > 1 else { return "\(milliseconds(durations.most)) ms" }
    return "\(durations.count) in \(milliseconds(durations.least)) to \(milliseconds(durations.most)) ms, half within"
      + " \(milliseconds(durations.median)) ms, 99 of 100 within \(milliseconds(durations.quantile(0.99))) ms"
  }
}
