// swift-iap2 · Apache-2.0

import IAP2

/// English texts of notices.
package enum CaptureNoticeText {
  /// Returns the text of a notice.
  package static func text(_ notice: CaptureNotice) -> String {
    switch notice {
    case .implausibleTimes(let count, let first):
      return
        "\(count) record\(count == 1 ? " has an implausible time: record" : "s have implausible times, the first is record")"
        + " \(first). Each takes the time of the record before it, so the order is kept"
    case .upperWordTimes:
      return "the times are not those of btsnoop: they were read as microseconds in the upper word, which have no date"
        + " and count from the first record"
    case .decidedSides(let flow, let key, let evidence): return sides(flow, key, evidence)
    case .wrongSides(let flow, let record):
      return "connection \(flow + 1): the sides are exchanged: record \(record) proves it. Read the capture with --swap"
    case .text(let reading): return text(reading)
    }
  }

  private static func sides(_ flow: Int, _ key: FlowKey, _ evidence: SideEvidence) -> String {
    let accessory = FlowText.end(evidence.first == .accessory ? 0 : 1, of: key)
    let confidence = evidence.confidence.map { "confidence: \($0)" } ?? "a guess"
    return "connection \(flow + 1): no SYN and no control message proves the sides. The accessory is \(accessory)"
      + " (\(confidence)), because \(reason(evidence, key)). If that is wrong, give --swap"
  }

  private static func reason(_ evidence: SideEvidence, _ key: FlowKey) -> String {
    let isAccessory = (evidence.end == 0) == (evidence.first == .accessory)
    let end = FlowText.end(evidence.end, of: key)
    switch evidence.kind {
    case .detect: return "it sent detect first"
    case .service: return "\(end) offers the iAP2 service of \(isAccessory ? "an accessory" : "a device") by SDP"
    case .deviceClass: return "\(end) has the class of device of \(isAccessory ? "an audio device" : "a phone")"
    case .acknowledgements: return "its ACKs without data carry the next sequence number, those of devices the last"
    case .firstSender: return "it sent first"
    }
  }

  private static func text(_ reading: TextReading) -> String {
    let columns = [
      (reading.hasLineNumbers, "line numbers"), (reading.hasOffsets, "offsets"), (reading.hasTimes, "times"),
      (reading.hasDirections, "directions"),
    ].filter(\.0).map(\.1)
    let form = reading.isOwnForm ? "the project's text form" : "a text of hexadecimal bytes"
    let with = columns.isEmpty || reading.isOwnForm ? "" : " with \(columns.joined(separator: ", "))"
    let records = "\(reading.records) record\(reading.records == 1 ? "" : "s")"
    let lines = "\(reading.lines) line\(reading.lines == 1 ? "" : "s")"
    return "read as \(form) in \(name(reading.encoding))\(with): \(records) in \(lines); if that is wrong, --pattern"
      + " describes the lines, and --from reads raw bytes"
  }

  private static func name(_ encoding: TextEncoding) -> String {
    switch encoding {
    case .utf8: "UTF-8"
    case .utf8WithMark: "UTF-8 with a byte order mark"
    case .utf16(let isLittleEndian, _): "UTF-16 (\(isLittleEndian ? "little" : "big")-endian)"
    }
  }
}
