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
      text = "the session ended without an answer to \(sent)"
    } else {
      isSuccess = true
      let isSilent = report.receivedByteCount == 0 && report.sentByteCount > 0
      text = isSilent ? "no answer to \(sent) within \(Self.seconds(rules)) s; --linger SECONDS waits longer" : nil
    }
  }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  private static func seconds(_ rules: ExternalAccessoryTransfer) -> String {
    let seconds = Double(rules.lingerMilliseconds ?? 0) / 1000
    return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }

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
