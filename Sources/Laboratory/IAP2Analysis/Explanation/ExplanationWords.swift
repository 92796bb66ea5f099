// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Capture
import IAP2Roles

/// The words of explanations, for the command and for JSON.
package enum ExplanationWords {
  /// The number of records before the last step that the suggested command shows.
  private static let recordsBefore = 8

  /// Returns the command lines that show the bytes before the stop, and the check of a rejected identification.
  package static func commands(for explanation: Explanation, _ file: String) -> [String] {
    let file = quoted(file)
    let check = explanation.history.rejected == nil ? [] : ["iap2 check identification \(file)"]
    // Only a connection with bytes has a number in `iap2 decode`.
    guard explanation.history.flow != nil else { return check }
    var filter = "connection = \(explanation.connection)"
    if let record = explanation.last?.record { filter += " and record >= \(max(1, record - recordsBefore))" }
    return check + ["iap2 decode --filter '\(filter)' \(file)"]
  }

  /// Returns a file name as a word of a shell's command line.
  package static func quoted(_ file: String) -> String {
    let isPlain = file.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789._-/+:".unicodeScalars.contains($0)
    }
    return isPlain ? file : "'" + file.replacing("'", with: "'\\''") + "'"
  }

  /// Returns the transport of a connection.
  package static func transport(_ history: ConnectionHistory) -> String {
    if let flow = history.flow { return FlowText.text(flow) }
    return history.usb.map { "USB bus \($0.bus) device \($0.device)" } ?? ""
  }

  /// Returns a stage in words.
  package static func word(_ stage: SessionStage) -> String {
    switch stage {
    case .enumeration, .detect, .negotiation, .authentication, .identification, .features, .complete: stage.rawValue
    case .externalAccessory: "external accessory"
    case .carPlay: "CarPlay"
    }
  }

  /// Returns the last step with its place and time.
  package static func last(_ explanation: Explanation) -> String {
    guard let last = explanation.last else { return "only damaged bytes" }
    var text = "record \(last.record)\(time(last.time))\(last.from.map { ", \($0.rawValue)" } ?? ""): \(last.step.name)"
    if let silence = explanation.history.silence, silence >= 0.0005 {
      text += "; the capture goes on for \(String(format: "%.3f", silence)) s"
    }
    return text
  }

  /// Returns the steps that were expected, and from which side.
  package static func turn(_ turn: SessionTurn, isComplete: Bool) -> String {
    guard !turn.steps.isEmpty else {
      return isComplete ? "nothing" : turn.owner.map { "nothing from the \($0.rawValue)" } ?? "unknown"
    }
    let steps = turn.steps.map(\.name).joined(separator: ", or ")
    return "\(steps), from \(turn.owner.map { "the \($0.rawValue)" } ?? "either side")"
  }

  /// Returns the details of this connection that the stop point's text does not have.
  package static func details(_ explanation: Explanation) -> [String] {
    let history = explanation.history
    var lines = explanation.doubts.map { "sides: \($0)" }
    if let rejected = history.rejected {
      lines.append(text(rejected) + (rejected.count > 1 ? "; it rejected \(rejected.count) times" : ""))
      lines += rejected.broken.map(text)
    }
    if let decisive = explanation.decisive {
      let side = decisive.from.map { ", \($0.rawValue)" } ?? ""
      let answers = StopPoint.waiting(for: decisive)?.turn.steps.map(\.name) ?? []
      let lack = answers.isEmpty ? "" : ", and no \(answers.joined(separator: " or ")) followed"
      lines.append("the step that decided is record \(decisive.record)\(side): \(decisive.step.name)\(lack)")
    }
    lines += ([explanation.finding].compactMap { $0 } + explanation.otherBreaches).map(text)
    if history.lacksPackets {
      lines.append("the capture lacks packets that the other side received, so rules that need them were not judged")
    }
    if let fault = history.fault { lines.append(text(fault)) }
    if let breach = history.breach { lines.append(text(breach)) }
    if let unfinished = history.leftUnfinished { lines.append(text(unfinished)) }
    if let trouble = history.trouble, history.fault == nil { lines.append(text(trouble)) }
    if let wrong = history.wrongAcknowledgement {
      lines.append("the ACK has the number \(wrong.found), and the SYN+ACK has \(wrong.expected)")
    }
    if explanation.point.id == StopPoint.authenticationFailed.id, let cut = history.cutCertificate {
      lines.append("the certificate has \(cut.byteCount) bytes, and its DER length says \(cut.declared)")
    }
    if let idle = history.repeatedIdleReset {
      lines.append("the silence before the RST was \(String(format: "%.1f", idle.silence)) s, as before")
    }
    if explanation.point.id == StopPoint.authenticationFailed.id, let count = history.signatureByteCount {
      lines.append("the signature has \(count) byte\(count == 1 ? "" : "s")")
    }
    if let session = history.shownSession(for: explanation.stage) {
      let name = session.name.map { ", protocol \($0.printable)" } ?? ""
      let seconds = history.secondsUntilClose(of: session.id)
      let close = seconds.map { ", closed by the device after \(String(format: "%.3f", $0)) s" } ?? ""
      lines.append("EA session \(session.id)\(name)\(close)")
    }
    if let repeats = history.repeats {
      lines.append(
        "retransmitted by the \(repeats.from.rawValue): \(repeats.count) packet\(repeats.count == 1 ? "" : "s")"
          + (repeats.limit.map { " (the limit in a row is \($0))" } ?? ""))
    }
    if let damage = history.damage { lines.append(text(damage)) }
    if let reset = history.reset {
      lines.append("the \(reset.from?.rawValue ?? "") reset the link in record \(reset.record)")
    }
    if let end = history.end, end != explanation.last {
      lines.append("the transport was closed in record \(end.record)")
    }
    if let comment = history.comment {
      lines.append("the capture says in record \(comment.record): \(comment.text.printable)")
    }
    if history.hasNoEnd, !explanation.point.isComplete {
      lines.append("the capture has no end of the session: it may have continued after the last record")
    }
    if history.attempts > 1 { lines.append("the link was started \(history.attempts) times; this is the last attempt") }
    if history.errors > 0 {
      lines.append("damage in \(history.errors) place\(history.errors == 1 ? "" : "s"): `iap2 decode` shows them")
    }
    return lines
  }

  private static func text(
    _ damage: (from: Side, count: Int, sequence: UInt8, record: Int, checksum: WrongChecksum?)
  ) -> String {
    var text = "\(damage.count) damaged packet\(damage.count == 1 ? "" : "s") of the \(damage.from.rawValue) in a row"
    text += ", the last with sequence number \(damage.sequence) in record \(damage.record)"
    guard let checksum = damage.checksum else { return text }
    if let cut = checksum.cutAt { text += ": another packet begins after \(cut) of its bytes" }
    func hex(_ byte: UInt8) -> String { "0x" + Hex.text([byte]).uppercased() }
    return text + ": \(checksum.isHeader ? "header" : "payload") checksum \(hex(checksum.found)) instead of"
      + " \(hex(checksum.expected))"
  }

  private static func text(_ finding: CheckLine) -> String {
    "\(finding.rule), parameter \((finding.parameters ?? []).map(String.init).joined(separator: ", ")):"
      + " \(finding.text)\(finding.context)"
  }

  private static func text(_ breach: LinkBreach) -> String {
    let other = "the \(breach.from.peer.rawValue)"
    let text =
      switch breach.rule {
      case .window(let count, let limit):
        "\(count) packets without an acknowledgement, and the window of \(other) is \(limit)"
      case .packetLength(let count, let limit): "a packet of \(count) bytes, and \(other) takes at most \(limit)"
      case .sequenceNumber(let number): "a new packet with the sequence number \(number) of an earlier one"
      case .gap(let number):
        "sequence number \(breach.sequence) although \(number) is the next, and \(number) never came"
      case .backwards(let last):
        "sequence number \(breach.sequence) after \(last), and \(last.next) is the next"
          + (last.rawValue == 127 ? ": the counter seems to have seven bits, so that 0 follows 127" : "")
      case .otherPacket(let asked):
        "the EAK of \(other) asks for the missing packet \(asked), and packet \(breach.sequence) was retransmitted again"
      }
    return "record \(breach.record), \(breach.from.rawValue): \(text)"
  }

  private static func text(_ unfinished: (from: Side, message: UnfinishedMessage)) -> String {
    let name = unfinished.message.id.map { SessionStep.message($0).name } ?? "a message"
    let length = unfinished.message.byteCount.map { ", whose length field says \($0)" } ?? ""
    return "the \(unfinished.from.rawValue) sent \(unfinished.message.received) bytes of \(name)\(length)"
  }

  private static func text(_ trouble: SessionTrouble) -> String {
    func bytes(_ count: UInt64) -> String { "\(count) byte\(count == 1 ? "" : "s")" }
    let text =
      switch trouble.mistake {
      case .brokenMessage(let fault): fault.text.printable
      case .unknownCall(let id, let uuid):
        "\(SessionStep.message(id).name) has the CallUUID \(uuid.printable), which no 0x4155 has"
      case .unknownComponent(let id, let component, let known):
        "\(SessionStep.message(id).name) has the component \(component), and parameter 18 iAP2HIDComponent has "
          + known.map(String.init).joined(separator: ", ")
      case .tooEarly(let id):
        "\(SessionStep.message(id).name) came before authentication and identification were complete"
      case .closedSession(let id, let open):
        "data with id \(id), whose EA session is closed" + (open.map { "; session \($0) is open" } ?? "")
      case .unknownSession(let id, let open):
        "data with id \(id) (bytes \(Hex.text([UInt8(id >> 8), UInt8(id & 0xFF)]))), which no 0xEA00 has; session \(open) is open"
      case .unknownFile(let id, let offered): "Start of file \(id), and the file that was offered is \(offered)"
      case .failedFile(let id, let announced, let received):
        "file \(id) failed after \(bytes(received))" + (announced.map { " of the \($0) in its Setup" } ?? "")
      case .noPassphrase(let security):
        "\(SessionStep.message(AccessoryWiFiConfigurationInformation.id).name) has security \(security) and no passphrase"
      case .dataAfterReset(let count): "\(count) packets with data after the RST"
      }
    return "record \(trouble.record), \(trouble.from.rawValue): \(text)"
  }

  private static func text(_ finding: RuleFinding) -> String {
    let (side, id) = (finding.side.rawValue, finding.rule.id)
    let verb =
      finding.isLate
      ? "was late with \(finding.step.name) (rule \(id))"
      : finding.isOwed ? "owes \(finding.step.name) (rule \(id))" : "breaks the rule \(id)"
    return "record \(finding.record): the \(side) \(verb): \(finding.detail.printable)"
  }

  private static func text(_ fault: MessageFault) -> String {
    let name = fault.id.map { SessionStep.message($0).name } ?? "bytes"
    let verb = fault.id == nil ? "cannot be read" : "breaks its schema"
    return "record \(fault.record), \(fault.from.rawValue), \(verb): \(name): \(fault.text.printable)"
  }

  private static func text(_ rejected: ConnectionHistory.Rejected) -> String {
    func names(_ parameters: [UInt16]) -> String {
      parameters.map { id in
        "\(id)" + (IdentificationInformation.rows.first { $0.id == id }.map { " \($0.name)" } ?? "")
      }.joined(separator: ", ")
    }
    var text = rejected.parameters.isEmpty ? "it named no parameter" : "it named \(names(rejected.parameters))"
    if !rejected.messages.isEmpty {
      text += "; messages \(rejected.messages.map { SessionStep.message($0).name }.joined(separator: ", "))"
    }
    if !rejected.absent.isEmpty { text += "; absent from the identification: \(names(rejected.absent))" }
    if !rejected.unreadable.isEmpty { text += "; unreadable: \(names(rejected.unreadable))" }
    if !rejected.broken.isEmpty { text += "; it breaks \(rejected.broken.map(\.rule).joined(separator: ", "))" }
    return text
  }

  /// Returns the confidence in a cause.
  package static func confidence(_ cause: KnownCause) -> String { cause.confidence?.rawValue ?? "unverified" }

  private static func time(_ time: Double?) -> String { time.map { " at \(DecodedText.seconds($0))" } ?? "" }
}
