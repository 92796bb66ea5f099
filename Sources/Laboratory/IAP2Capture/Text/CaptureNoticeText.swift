// swift-iap2 · Apache-2.0

import IAP2

/// English texts of notices.
package enum CaptureNoticeText {
  /// Returns the text of a notice, with the connection that it is about.
  package static func text(_ notice: CaptureNotice) -> String {
    (notice.flow.map { "connection \($0 + 1): " } ?? "") + body(notice)
  }

  /// Returns the text of a notice without its connection.
  package static func body(_ notice: CaptureNotice) -> String {
    switch notice {
    case .implausibleTimes(let count, let first):
      return
        "\(count) record\(count == 1 ? " has an implausible time: record" : "s have implausible times, the first is record")"
        + " \(first). Each takes the time of the record before it, so the order is kept"
    case .upperWordTimes:
      return "the times are not those of btsnoop: they were read as microseconds in the upper word, which have no date"
        + " and count from the first record"
    case .decidedSides(_, let key, let evidence): return sides(key, evidence)
    case .unstatedSenders(_, let records, let guesses):
      return "\(records) record\(records == 1 ? "" : "s") without a sender:"
        + " the side of \(guesses) of them is a guess from sequence numbers and turns. --accessory-word and"
        + " --device-word, or --accessory-pattern and --device-pattern, state it"
    case .wrongSides(_, let record):
      return "the sides are exchanged: record \(record) proves it. Read the capture with --swap"
    case .text(let reading): return text(reading)
    case .sealedCopy:
      return "this is a copy of decode --decrypted, and a key log opens nothing more in it: give the key log with the"
        + " capture that the copy was made from"
    case .lateSession(let ends, let reason, let hasKeys):
      return "the TCP connection of \(ends) may be a CarPlay session whose beginning was not captured: \(reason). "
        + (hasKeys
          ? "No secret of the key log opens it" : "The secret of its pair-verify would open it: give --key-log")
    }
  }

  private static func sides(_ key: FlowKey, _ evidence: SideEvidence) -> String {
    let accessory = FlowText.end(evidence.first == .accessory ? 0 : 1, of: key)
    let confidence = evidence.confidence.map { "confidence: \($0)" } ?? "a guess"
    return "no SYN and no control message proves the sides. The accessory is \(accessory)"
      + " (\(confidence)), because \(reason(evidence, key)). If that is wrong, give --swap"
  }

  private static func reason(_ evidence: SideEvidence, _ key: FlowKey) -> String {
    let isAccessory = (evidence.end == 0) == (evidence.first == .accessory)
    let end = FlowText.end(evidence.end, of: key)
    switch evidence.kind {
    case .detect: return "it sent detect first"
    case .loggedDetect: return "the first detect of the log is of it, and the log may lack an earlier one"
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
    let form = reading.isOwnForm ? "the project's text form" : name(reading.form)
    let with = columns.isEmpty || reading.isOwnForm ? "" : " with \(columns.joined(separator: ", "))"
    let records = "\(reading.records) record\(reading.records == 1 ? "" : "s")"
    let lines = "\(reading.lines) line\(reading.lines == 1 ? "" : "s")"
    let unmatched = reading.lacksMatches ? "no line matches a pattern; " : ""
    return "\(unmatched)read as \(form) in \(name(reading.encoding))\(with): \(records) in \(lines); if that is wrong,"
      + " --pattern describes the lines, and --from reads raw bytes"
      + (reading.hasWholePackets
        ? ". Its records have link packets behind other bytes, as packets of Ethernet, USB or Bluetooth do: read the"
          + " capture file itself, or make one of the text with text2pcap" : "")
  }

  private static func name(_ form: TextFormKind) -> String {
    switch form {
    case .lines: "a text of hexadecimal bytes"
    case .btmon: "btmon's text"
    case .usbmon: "usbmon's text, which has at most 32 bytes of a transfer (a capture of its binary interface has all)"
    case .table: "a table of bytes"
    case .levels: "a table of levels of serial lines with eight data bits and no parity"
    case .byteLines: "a text with one byte a line"
    case .followedStream: "a followed TCP stream in hexadecimal"
    }
  }

  private static func name(_ encoding: TextEncoding) -> String {
    switch encoding {
    case .utf8: "UTF-8"
    case .utf8WithMark: "UTF-8 with a byte order mark"
    case .utf16(let isLittleEndian, _): "UTF-16 (\(isLittleEndian ? "little" : "big")-endian)"
    }
  }
}
