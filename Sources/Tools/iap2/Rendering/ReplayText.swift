// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Roles

/// A replay for people: a rung for what was sent and what came, marked where it is not what the recording has, and what
/// it came to.
enum ReplayText {
  /// Differences of a summary that are shown.
  private static let shownDifferences = 40

  static func lines(
    _ event: ReplayEvent, _ time: MonotonicTime, _ role: RoleLine.Role, _ script: ReplayScript
  ) -> [String] {
    func rung(_ mark: String, sent: Bool, _ text: String) -> String {
      let isFromHeadUnit = (role == .headUnit) == sent
      let arrow = isFromHeadUnit ? "head unit ───► phone" : "head unit ◄─── phone"
      return "\(DecodedText.seconds(time.seconds)) \(mark) \(arrow)  \(text)"
    }
    func note(_ text: String, _ colour: Colour = .dim) -> String {
      let who = role == .headUnit ? "head unit" : "phone    "
      return "\(DecodedText.seconds(time.seconds))   \(who)  \(colour(text))"
    }
    switch event {
    case .linkUp(let link): return [note("link up: \(DecodedText.synchronization(link))", .blue)]
    case .sent(let message, let step): return [rung(" ", sent: true, self.message(message, step, script))]
    case .sentData(let session, let byteCount, _):
      return [rung(" ", sent: true, Colour.magenta("\(byteCount) bytes of \(self.session(session, script))"))]
    case .offeredFile(let index, _):
      let file = script.files[index]
      return [rung(" ", sent: true, Colour.cyan("file \(file.id): \(ComparisonWords.setup(file.setup))"))]
    case .received(let message, let step, let differences):
      return [rung(mark(differences, step), sent: false, self.message(message, step, script))]
        + differences.map { details($0, script) }
    case .receivedData(let session, let byteCount):
      return [rung(" ", sent: false, Colour.magenta("\(byteCount) bytes of \(self.session(session, script))"))]
    case .receivedFile(let id, let byteCount, let step):
      let extra = step == nil ? Colour.green("+") : " "
      return [rung(extra, sent: false, Colour.cyan("file \(id): \(byteCount) bytes announced"))]
    case .overdue(let step):
      return [note("waits no longer for \(name(script.steps[step], script))", .yellow)]
    case .eventsLost(let count): return [note("\(count) events were too many to show", .red)]
    case .ready, .heard: return []
    case .note(let found): return [note(text(found, script), .yellow)]
    case .difference(let difference):
      let who = mark([difference], nil)
      let text = "\(subject(difference, script)): \(what(difference))\(tolerated(difference))"
      return ["\(DecodedText.seconds(time.seconds)) \(who) \(text)"]
    case .violation(let violation): return [note(ViolationText.text(violation), .red)]
    case .disconnected(let cause): return [note("disconnected: \(cause.rawValue)")]
    }
  }

  private static func mark(_ differences: [ReplayDifference], _ step: Int?) -> String {
    guard let first = differences.first else { return " " }
    switch first.kind {
    case .missing: return Colour.red("-")
    case .extra: return Colour.green("+")
    case .order: return Colour.yellow("^")
    case .parameter, .messageBytes, .identifier, .data, .fileSetup, .fileData, .fileOutcome: return Colour.yellow("~")
    case .authentication, .connection: return Colour.red("!")
    }
  }

  private static func details(_ difference: ReplayDifference, _ script: ReplayScript) -> String {
    String(repeating: " ", count: 14) + what(difference) + tolerated(difference)
  }

  private static func message(_ bytes: [UInt8], _ step: Int?, _ script: ReplayScript) -> String {
    let id = ControlHeader.id(of: bytes)
    let place = step.map { ", record \(script.steps[$0].record)" } ?? ", not in the recording"
    return Colour.green(MessageCatalog[id]?.name ?? "unknown message")
      + " " + Colour.dim("\(MessageCatalog.text(id)), \(bytes.count) bytes\(place)")
  }

  private static func session(_ index: Int, _ script: ReplayScript) -> String {
    ComparisonWords.name(script.sessions[index])
  }

  /// What a step is.
  static func name(_ step: ReplayScript.Step, _ script: ReplayScript) -> String {
    switch step.content {
    case .message(let bytes): ComparisonWords.message(ControlHeader.id(of: bytes)) + ", record \(step.record)"
    case .data(let session, let bytes): "\(bytes.count) bytes of \(self.session(session, script))"
    case .file(let index): "file \(script.files[index].id)"
    case .end: "the end of the link"
    }
  }

  // MARK: Differences

  static func subject(_ difference: ReplayDifference, _ script: ReplayScript) -> String {
    switch difference.subject {
    case .message(let id): ComparisonWords.message(id)
    case .externalAccessory(let index): "EA session of \(session(index, script))"
    case .file(let id): "file \(id)"
    case .connection: "connection"
    }
  }

  static func what(_ difference: ReplayDifference) -> String {
    switch difference.kind {
    case .missing: return "missing: the recording has it, and it did not come"
    case .extra: return "extra: the recording does not have it"
    case .order: return "order: the recording has it before what has already come"
    case .parameter(let parameter): return "\(ComparisonWords.path(parameter)): \(values(parameter))"
    case .messageBytes: return "bytes that are no parameter"
    case .identifier(let space, let recorded, let live):
      return "\(ComparisonWords.identifier(space)): \(FeatureValues.text(recorded)) was not"
        + " \(FeatureValues.text(live)) before"
    case .data(let place, let recorded, let live), .fileData(let place, let recorded, let live):
      return "recorded \(recorded) bytes, live \(live), \(ComparisonWords.place(place))"
    case .fileSetup(let recorded, let live):
      return "recorded \(ComparisonWords.setup(recorded)), live \(ComparisonWords.setup(live))"
    case .fileOutcome(let recorded, let live): return "recorded \(recorded.rawValue), live \(live.rawValue)"
    case .authentication(let reason): return "not accepted: \(reason)"
    case .connection(let unsent):
      return unsent == 0 ? "the link did not come up" : "ended with \(unsent) step\(unsent == 1 ? "" : "s") to be sent"
    }
  }

  private static func values(_ difference: ParameterDifference) -> String {
    switch (difference.a, difference.b) {
    case (.list(let a), .list(let b)) where difference.isSet:
      let parts = [("only recorded", Set(a).subtracting(b)), ("only live", Set(b).subtracting(a))]
      return parts.filter { !$0.1.isEmpty }.map { name, ids in
        "\(name): " + ids.sorted().map(DecodedText.messageName).joined(separator: ", ")
      }.joined(separator: "; ")
    case (.bytes(let a), .bytes(let b)) where max(a.count, b.count) > 32:
      let offset = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
      return "recorded \(a.count) bytes, live \(b.count), not the same from byte \(offset) on"
    case (.some(let a), .some(let b)): return "recorded \(FeatureValues.text(a)), live \(FeatureValues.text(b))"
    case (.some(let a), nil): return "only recorded: \(FeatureValues.text(a))"
    case (nil, .some(let b)): return "only live: \(FeatureValues.text(b))"
    case (nil, nil): return ""
    }
  }

  private static func tolerated(_ difference: ReplayDifference) -> String {
    difference.tolerance.map { Colour.dim(" (tolerated: \($0.text))") } ?? ""
  }

  static func text(_ note: ReplayNote, _ script: ReplayScript) -> String {
    switch note {
    case .recordedAuthentication(let id, let reason):
      return "\(ComparisonWords.message(id)) is sent as recorded" + (reason.map { ": \($0)" } ?? "")
        + (origin(ofAuthentication: id).map { "; \($0)" } ?? "")
    case .answeredAlone(let id): return "\(ComparisonWords.message(id)) is answered; the recording does not have it"
    case .incompleteFile(let id): return "the recording does not have all of file \(id)"
    case .unsentData(let index):
      return "the EA session of \(session(index, script)) was closed before all data had left"
    case .unplayed(let count, .link): return "\(steps(count)) behind the first link not played"
    case .unplayed(0, .limit): return "the recording has more data than is kept: the rest is not played"
    case .unplayed(let count, .limit): return "the recording has more than is kept: \(steps(count)) not played"
    }
  }

  private static func steps(_ count: Int) -> String { count == 1 ? "1 step is" : "\(count) steps are" }

  /// Why recorded authentication may not do; nil for what carries none.
  private static func origin(ofAuthentication id: UInt16) -> String? {
    switch id {
    case RequestAuthenticationChallengeResponse.info.id: "it is another session's challenge"
    case AuthenticationResponse.info.id: "it signs another session's challenge"
    case AuthenticationCertificate.info.id, AccessoryAuthenticationSerialNumber.info.id:
      "it is the recorded accessory's"
    default: nil
    }
  }

  // MARK: The summary

  static func summary(_ report: ReplayReport, _ script: ReplayScript) -> [String] {
    var lines: [String] = []
    let failures = report.differences.filter { $0.tolerance == nil }
    let tolerated = report.toleratedCount > 0 ? ", \(report.toleratedCount) tolerated" : ""
    if report.isEqual {
      lines.append(Colour.green("as recorded") + (tolerated.isEmpty ? "" : ": \(report.toleratedCount) tolerated"))
    } else if let first = failures.first {
      let place = first.record.map { "record \($0): " } ?? ""
      let count = report.differenceCount
      lines.append(
        Colour.red("first difference: ") + shortened("\(place)\(subject(first, script)): \(what(first))")
          + Colour.dim(" (\(count) difference\(count == 1 ? "" : "s")\(tolerated))"))
    } else {
      // That is no session, whatever is tolerated.
      lines.append(Colour.red("the link did not come up"))
    }
    // Where not all have room failures go first.
    let isLong = report.differences.count > shownDifferences
    let shown = isLong ? failures + report.differences.filter { $0.tolerance != nil } : report.differences
    for difference in shown.prefix(shownDifferences) {
      let place = difference.record.map { "record \($0)" } ?? "not recorded"
      lines.append(
        "  \(mark([difference], nil)) \(place): \(subject(difference, script)): \(shortened(what(difference)))"
          + self.tolerated(difference))
    }
    if report.differenceCount > shownDifferences {
      lines.append("  … \(report.differenceCount - shownDifferences) more")
    }
    for (rule, count) in report.repeated.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append("  \(count) messages more or less, by rule \(rule.rawValue): \(rule.reason)")
    }
    let recorded = script.steps.count { step in
      switch step.content {
      case .message, .file: step.from != script.side
      case .data, .end: false
      }
    }
    lines.append(
      "sent \(report.sentCount), received \(report.receivedCount), of which \(report.matchedCount) as recorded;"
        + " the recording has \(recorded) of the peer")
    return lines
  }

  private static func shortened(_ text: String) -> String { text.count <= 240 ? text : text.prefix(240) + "…" }
}
