// swift-iap2 · Apache-2.0

import IAP2

/// The words about the result of a transfer.
package struct TransferWords: Sendable {
  /// Whether the transfer did what was wanted.
  package let isSuccess: Bool
  /// The notice for the user; nil without one.
  package let text: String?

  /// Creates the words for a report.
  package init(_ report: ExternalAccessoryTransfer.Report, _ rules: ExternalAccessoryTransfer) {
    let sent = Self.bytes(report.sentByteCount)
    if let difference = report.difference {
      isSuccess = false
      text = Self.text(difference)
    } else if !report.isSent {
      isSuccess = false
      text = "the session ended before the whole input was sent, after \(sent)"
    } else if rules.expectsEcho, report.receivedByteCount < report.sentByteCount {
      isSuccess = false
      text = "the session ended after \(report.receivedByteCount) of \(sent) had come back"
    } else if !report.isOver, report.receivedByteCount == 0, report.sentByteCount > 0 {
      isSuccess = false
      text = Self.endedUnanswered(report.sentByteCount)
    } else if report.receivedByteCount == 0, report.sentByteCount > 0, let wait = rules.lingerMilliseconds, wait > 0 {
      isSuccess = false
      text = Self.unanswered(report.sentByteCount, milliseconds: wait)
    } else {
      isSuccess = true
      text = nil
    }
  }

  /// Returns that the session ended before a byte came back.
  package static func endedUnanswered(_ byteCount: Int) -> String {
    "the session ended without an answer to \(bytes(byteCount))"
  }

  /// Returns that no byte came back, with the ways to expect one later, or none.
  package static func unanswered(_ byteCount: Int, milliseconds: Int) -> String {
    let seconds = Double(milliseconds) / 1000
    let wait = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    return
      "no answer to \(bytes(byteCount)) within \(wait) s; --linger SECONDS waits longer, and --linger 0 expects none"
  }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  private static func text(_ difference: EchoDifference) -> String {
    func hex(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
    guard let sent = difference.sent else {
      return "more bytes came back than were sent: byte \(difference.offset + 1) is \(hex(difference.received))"
    }
    return "the echo differs: byte \(difference.offset + 1) was sent as \(hex(sent)) and came back as"
      + " \(hex(difference.received))"
  }

  /// Returns that the accessory lacks the wanted EA protocol, with those that it has.
  package static func unsupported(_ protocols: [String]) -> String {
    let names = protocols.isEmpty ? "none" : protocols.map(\.printable).joined(separator: ", ")
    return "the accessory has no such protocol; it has \(names)"
  }
}
