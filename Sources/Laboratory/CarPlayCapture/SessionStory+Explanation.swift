// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2
import IAP2Capture

// The explanation of a session from its course.
extension SessionStory {
  /// The seconds after which an answer, also that to a connection, counts as missing. Unverified: the limits of phones
  /// are not public, and those of one program are 10 s and more; answers of head units come within a second.
  private static let answerSeconds = 3.0
  /// The same for the answer to TEARDOWN, if the phone closes the connection. Ours: our own phone waits 2 s.
  private static let tearDownSeconds = 1.5
  /// The seconds from the end of another connection to that of the session for which it is taken as the cause. Ours: a
  /// phone of one program waits 2 s for the event connection.
  private static let closingSeconds = 5.0
  /// The seconds of silence behind which a live session is lost. Ours, longer than the 10 s after which our head unit
  /// ends a session without requests (CarPlaySession.md#session-times).
  private static let silentSeconds = 15.0
  /// The seconds of silence of a phone, before the head unit ends a live session, for which the phone was lost. Ours: our
  /// phone sends feedback each 2 s.
  private static let lostSeconds = 5.0

  /// Returns the explanation of the session.
  ///
  /// - Parameter now: The last record of the capture, or the end of the session.
  func explanation(at now: CaptureMoment) -> SessionExplanation {
    var story = self
    for (name, way) in ways.sorted(by: { $0.key < $1.key }) {
      switch way {
      case .open: continue
      case .asked(let moment, let isRepeated):
        // The capture may lack the answer to a single SYN.
        guard isRepeated, seconds(from: moment, to: now) ?? 0 >= Self.answerSeconds else { continue }
        story.judge(at: moment) { $0.refuse(stream: name == "events" ? nil : name) }
      case .refused(let moment):
        story.judge(at: moment) { $0.refuse(stream: name == "events" ? nil : name) }
      }
    }
    if let wrongSignature, blamesSignature {
      story.judge(at: wrongSignature.moment) { $0.takeWrongAuthSignature(wrongSignature.bytes) }
    }
    let damage = story.judgeDamage()
    var made = story.made(at: now)
    made.details += damage
    if let disorder {
      made.details.append(disorder.line)
      if !disorder.isSorted { made.withdrawBlame() }
    }
    return made
  }

  /// Whether the head unit is blamed for a wrong signature. Nothing but the signature shows whether the key log's secret
  /// is right: it is if the signature has a form, and otherwise the head unit is blamed only if the phone left without a
  /// further request.
  private var blamesSignature: Bool {
    if let wrongSignature, AuthSetupInspection.isDER(wrongSignature.bytes) { return true }
    return !isSignatureAccepted && end?.side == .phone && judge.seesAll
  }

  private func seconds(from start: CaptureMoment, to end: CaptureMoment) -> Double? {
    start.time.flatMap { start in end.time.map { max(0, $0 - start) } }
  }

  /// The rules that a wrong secret of a key log makes both sides break. A secret that has opened a frame is right.
  private var doubted: Set<CarPlayRule> {
    Set(
      ([CarPlayRule.setupIdentity] + (hasOpenedFrame ? [] : [.verifyIdentity, .frames])).filter { rule in
        Set(breaches.filter { $0.breach.rule == rule }.map(\.breach.side)).count == 2
      })
  }

  /// The rules of pairing whose proofs and messages the other side checks. Behind a complete pair-verify, both have
  /// taken all before it, so what does not fit is damage of the capture, or was not checked.
  private var acceptedRules: Set<CarPlayRule> {
    judge.reached.contains(.verified)
      ? [.pairingList, .pairingOrder, .setupProof, .setupIdentity, .verifyIdentity, .verifySignature] : []
  }

  /// Returns whether a breach may be damage of the capture: a frame behind others that opened, behind which the other
  /// side did not leave, and a single sequence number.
  private func isDamage(_ breach: CarPlayBreach) -> Bool {
    switch breach.rule {
    case .frames: hasOpenedFrame && !endsAbruptly(by: breach.side.other)
    case .sequence: breach.problem.key != nil && wrongSequences.areDamage(of: breach.side)
    default: acceptedRules.contains(breach.rule)
    }
  }

  /// Whether the capture lacks the event connection, so that it does not show whether the phone opened it.
  private var lacksEvents: Bool {
    guard judge.reached.contains(.setUp) else { return false }
    return switch ways["events"] {
    case nil: !seesAllConnections
    // The phone went on, and did not try again.
    case .asked(_, isRepeated: false)?: judge.reached.contains(.recording)
    case .asked?, .refused?, .open?: false
    }
  }

  /// The part of the event connection that the capture lacks, in words.
  private var lackOfEvents: String {
    if ways["events"] != nil {
      return "the capture has no answer to the phone's event connection, so it does not show whether it was accepted"
    }
    let lack =
      lacksDatagrams
      ? "neither the event connection nor a datagram to a port that the set-up names"
      : "no other TCP connection of these sides"
    return
      "the capture has \(lack), so it does not show whether the phone opened the event connection: record without a"
      + " filter of ports"
  }

  private func made(at now: CaptureMoment) -> SessionExplanation {
    let doubted = self.doubted
    // The capture may lack the bytes that these rules demand.
    var unseen: Set<CarPlayRule> = judge.hasGap ? [.eventsFirst, .commandEarly] : lacksEvents ? [.eventsFirst] : []
    if case .asked? = ways["events"] { unseen.insert(.eventsFirst) }
    let known = breaches.filter {
      !doubted.union(unseen).contains($0.breach.rule) && !isDamage($0.breach)
    }
    let reached = judge.reached
    // Without the event connection, a session that records goes as far as the capture can show.
    let isRecording = lacksEvents && reached.contains(.recording)
    let isLive = reached.contains(.live) || isRecording || isLate
    var stage: SessionState = isRecording ? .recording : isLive ? .live : next(after: reached)
    var place = stop(isLive: isLive, doubted, at: now)
    var first =
      known.first { $0.breach.rule.level == .required } ?? known.last { explains($0.breach, $0.moment, place) }
    if [.sealed, .unread].contains(place.point), first?.breach.rule.level != .required { first = nil }
    var finding = first.map { Self.finding($0.breach, $0.moment) }
    if place.point == .unanswered, finding == nil, judge.seesAll, let asked = waiting.oldest {
      finding = Self.owed(asked)
    }
    if let first, place.point != .sealed {
      let (rule, problem) = (first.breach.rule, first.breach.problem)
      place.point = isLive || isTornDown ? .ruleIgnored : .ruleBroken
      if place.point == .ruleIgnored { stage = rule.step }
      place.turn = Side(first.breach.side)
      place.expected = ["\(problem.key ?? problem.message): \(problem.expected)"]
    }
    var made = SessionExplanation(
      discovery: discovery, ends: ends, point: place.point, stage: stage.rawValue, reached: reached.map(\.rawValue),
      text: place.text,
      last: last.map { .init(record: $0.moment.record, time: $0.moment.time, from: Side($0.side), text: $0.text) },
      silence: last.flatMap { seconds(from: $0.moment, to: now) }, turn: place.turn, expected: place.expected,
      details: details(doubted), finding: finding,
      others: known.map { Self.finding($0.breach, $0.moment) }.filter { $0 != finding })
    (made.requests, made.streams) = (requests.all, streams.all)
    (made.firstTime, made.lastTime) = (times?.lowerBound, times?.upperBound)
    return made
  }

  /// Returns whether a rule that is not required explains a stop: it was broken by the refused request, or by the message
  /// after which the other side left.
  private func explains(_ breach: CarPlayBreach, _ moment: CaptureMoment, _ place: Stop) -> Bool {
    guard breach.rule.level == .recommended else { return false }
    switch place.point {
    case .refused: return moment.record == refusals.last?.request.moment.record
    case .closed: return last.map { $0.side == breach.side && $0.moment.record == moment.record } ?? false
    default: return false
    }
  }

  /// The first step that is not reached.
  private func next(after reached: [SessionState]) -> SessionState {
    // A session of an old generation has no verification, and a new one may have no auth-setup.
    let furthest = reached.last ?? .connected
    let cases = SessionState.allCases
    return cases.firstIndex(of: furthest).flatMap { cases.dropFirst($0 + 1).first } ?? .live
  }

  private struct Stop {
    var point: SessionExplanation.Point
    var text: String
    var turn: Side?
    var expected: [String] = []
  }

  private static func name(_ side: SessionSide) -> String { side == .headUnit ? "head unit" : "phone" }

  /// Returns the place at which the session stopped, apart from broken rules.
  private func stop(isLive: Bool, _ doubted: Set<CarPlayRule>, at now: CaptureMoment) -> Stop {
    if isTornDown {
      let lacks = judge.hasGap || isLate
      let words =
        lacks
        ? ""
        : !isLive
          ? ", before it was live"
          : !judge.hasStream ? ", before a stream was set up" : judge.hasScreen ? "" : "; no screen was set up"
      return Stop(
        point: isLive && judge.hasStream || lacks ? .complete : .closed,
        text: "The phone ended the session in order, with TEARDOWN\(words).")
    }
    if !doubted.isDisjoint(with: [.verifyIdentity, .frames]) {
      return Stop(
        point: .sealed,
        text: "The secret in the key log opens neither side: it is damaged, or one of another session.")
    }
    if let unread { return Stop(point: .unread, text: "The control connection cannot be read any more: \(unread).") }
    if isSealed {
      return Stop(
        point: .sealed,
        text:
          "The session is encrypted after pair-verify, and no key log has its secret: give that of a side with --key-log."
      )
    }
    return unansweredStop(isLive: isLive, at: now) ?? lateStop(isLive: isLive, at: now)
  }

  /// Returns the stop at a request without an answer; nil if none is owed.
  private func unansweredStop(isLive: Bool, at now: CaptureMoment) -> Stop? {
    guard let asked = waiting.oldest else { return nil }
    let answer = "an answer to \(asked.text)"
    if judge.hasGap {
      return Stop(
        point: .unread, text: "The capture lacks bytes, so it does not show whether \(asked.text) was answered.")
    }
    let waited = seconds(from: asked.moment, to: end?.moment ?? now) ?? .infinity
    let isTearDown = end?.side == .phone && waiting.elements.contains { $0.text.hasPrefix("TEARDOWN") }
    if end?.side == .headUnit || waited >= (isTearDown ? Self.tearDownSeconds : Self.answerSeconds) {
      if isLive, !isTearDown, let lost = lostStop(of: .headUnit, since: asked.moment) { return lost }
      let words = end.map { "The \(Self.name($0.side)) closed the control connection without \(answer)." }
      return Stop(
        point: .unanswered, text: words ?? "The head unit did not answer \(asked.text).", turn: .accessory,
        expected: [answer])
    }
    if isTearDown, hasUnreadAnswer {
      return Stop(
        point: .unread,
        text:
          "The phone sent TEARDOWN, and closed the control connection. The frame of the head unit before that is not"
          + " complete by its length, so it cannot be read.")
    }
    if isTearDown {
      return Stop(
        point: .closed, text: "The phone sent TEARDOWN, and closed the control connection before an answer came.",
        turn: .device)
    }
    guard end == nil, !isLive else { return nil }
    return Stop(
      point: .waiting, text: "The capture ends before the answer to \(asked.text).", turn: .accessory,
      expected: [answer])
  }

  /// Returns the stop of a live session of which nothing of a side came any more, on any socket; nil if something came,
  /// or if the capture may lack its datagrams.
  ///
  /// - Parameter moment: The place behind which nothing came.
  private func lostStop(of side: SessionSide, since moment: CaptureMoment) -> Stop? {
    guard !lacksDatagrams, !isLate, end?.side != side, let heard = heardAt[side], heard.record <= moment.record else {
      return nil
    }
    let name = Self.name(side)
    let words = end == nil ? "" : ", and the \(Self.name(side.other)) ended it"
    return Stop(
      point: .silent,
      text: "The session was live, and nothing of the \(name) came behind record \(heard.record)\(words): the cable was"
        + " pulled, the network was lost, or a program ended.")
  }

  /// Returns the stop of a session in which no answer is owed.
  private func lateStop(isLive: Bool, at now: CaptureMoment) -> Stop {
    if let (request, answer) = refusals.last, end != nil || !isLive {
      let words = "The head unit refused \(request.text)"
      return Stop(
        point: .refused, text: "\(words): \(Self.result(of: answer)).",
        turn: .accessory, expected: ["success of \(request.text)"])
    }
    if isLive, let end, end.side == .headUnit, let heard = heardAt[.phone],
      seconds(from: heard, to: end.moment) ?? 0 >= Self.lostSeconds,
      let lost = lostStop(of: .phone, since: heard)
    {
      return lost
    }
    guard let end else {
      if isLive, let replacement {
        return Stop(
          point: .silent,
          text: "The session was live and fell silent, without an end of its connection. The same phone connected again"
            + " in record \(replacement.record).")
      }
      guard !isLive else {
        let state = isLate ? "running when the capture begins" : lacksEvents ? "recording" : "live"
        let silence = now.time.flatMap { now in times.map { now - $0.upperBound } } ?? 0
        guard silence < Self.silentSeconds else {
          return Stop(
            point: .silent,
            text:
              "The session was \(state) and fell silent, without an end of its connection. The capture goes on for"
              + " \(Int(silence)) s: the cable was pulled, the network was lost, or a program ended.")
        }
        guard judge.hasStream || judge.hasGap || isLate else {
          return Stop(
            point: .waiting, text: "The session is \(state), and the capture ends before a stream is set up.",
            turn: .device, expected: ["SETUP with streams"])
        }
        return Stop(point: .complete, text: "The session is \(state), and the capture ends.")
      }
      return Stop(
        point: .waiting, text: "The capture ends before the next step of the phone.", turn: .device,
        expected: nextOfPhone)
    }
    if let side = lacking.contains(.phone) ? .phone : lacking.first {
      let (what, name) = (heard.contains(side) ? "bytes" : "all messages", Self.name(side))
      let question = side == .phone ? "whether the phone sent TEARDOWN" : "why"
      return Stop(
        point: .unread,
        text:
          "The \(Self.name(end.side)) closed the control connection. The capture lacks \(what) of the \(name) before"
          + " that, so it does not show \(question).")
    }
    if let closing = closings.last(where: { $0.mark.side != end.side }),
      seconds(from: closing.mark.moment, to: end.moment) ?? .infinity <= Self.closingSeconds
    {
      let (one, other) = (Self.name(closing.mark.side), Self.name(end.side))
      return Stop(
        point: .closed, text: "The \(one) closed the connection of \(closing.name), and then the \(other) the session.",
        turn: Side(closing.mark.side), expected: ["an open connection of \(closing.name)"])
    }
    let cause = last.map { $0.side != end.side ? ", after \($0.text)" : "" } ?? ""
    return Stop(
      point: .closed, text: "The \(Self.name(end.side)) closed the control connection without TEARDOWN\(cause).",
      turn: Side(end.side.other), expected: [])
  }

  /// Returns what an answer says, without its request: a status, or the error of pairing.
  private static func result(of answer: Mark) -> String {
    let words = answer.text.split(separator: " to ", maxSplits: 1)
    guard words.count == 2, words[0].hasPrefix("200"), let comma = words[1].firstIndex(of: ",") else {
      return words.first.map(String.init) ?? answer.text
    }
    return String(words[1][comma...].dropFirst(2))
  }

  /// The next requests of a phone.
  private var nextOfPhone: [String] {
    let reached = judge.reached
    if reached.contains(.recording) { return ["connection to eventPort"] }
    if reached.contains(.informed), reached.contains(.setUp) { return ["RECORD"] }
    if reached.contains(.setUp) { return ["connection to eventPort", "GET /info"] }
    if reached.contains(.verified) || reached.contains(.authenticated) { return ["POST /auth-setup", "SETUP"] }
    return ["POST /pair-setup", "POST /pair-verify", "POST /auth-setup"]
  }

  private func details(_ doubted: Set<CarPlayRule>) -> [String] {
    var lines: [String] = []
    if !judge.isWhole {
      lines.append("the capture has no beginning of the control connection, so rules of order were not judged")
    }
    // Without a port there is no connection that a filter could have left out.
    if lacksEvents, !breaches.contains(where: { $0.breach.rule == .eventPort }) {
      lines.append(lackOfEvents)
    }
    if judge.isWhole, judge.hasGap {
      lines.append("the capture lacks bytes or has damaged ones, so what was in them was not judged")
    }
    if cutCount > 0 {
      lines.append(
        "\(cutCount) packet\(cutCount == 1 ? " of the session is" : "s of the session are") cut, so what they had was not"
          + " judged: record whole packets, with no snap length")
    }
    if let damagedPackets { lines.append(damagedPackets) }
    if doubted.contains(.setupIdentity) {
      lines.append("the key log's secret of pair-setup opens the identity of neither side, so it is not this session's")
    }
    for (breach, moment) in breaches where isDamage(breach) && !doubted.contains(breach.rule) {
      let rest =
        breach.rule == .frames
        ? "; nothing behind it shows who is at fault"
        : ", and the \(Self.name(breach.side.other)) went on: the capture is damaged, or nothing checks it"
      lines.append("record \(moment.record): \(breach.problem.reason)\(rest)")
    }
    if let wrongSignature, !blamesSignature {
      lines.append(
        "record \(wrongSignature.moment.record): with the key log's secret of auth-setup the signature is wrong: the secret "
          + "is not this session's, or the head unit breaks \(CarPlayRule.authEvidence.id)"
          + (isSignatureAccepted
            ? " and the phone goes on, as with --authentication any: iap2 conformance --carplay --as phone --only "
              + "\(CarPlayRule.authEvidence.id) decides it" : ""))
    }
    for (request, answer) in refusals {
      let isOfProof =
        request.text.hasPrefix("POST /pair-setup, M3") && !breaches.contains { $0.breach.rule == .setupProof }
      let hint =
        isOfProof ? "; with the key log of a side, it shows which side breaks \(CarPlayRule.setupProof.id)" : ""
      lines.append(
        "record \(answer.moment.record): the answer to \(request.text) is \(Self.result(of: answer))\(hint)")
    }
    for side in SessionSide.allCases where partial.contains(side) {
      lines.append("the last message of the \(Self.name(side)) is not complete")
    }
    for (name, mark) in closings {
      lines.append("record \(mark.moment.record): the \(Self.name(mark.side)) closed the connection of \(name)")
    }
    if let end {
      lines.append("record \(end.moment.record): the \(Self.name(end.side)) closed the control connection")
    }
    return lines
  }

  // MARK: Findings

  private static func finding(_ breach: CarPlayBreach, _ moment: CaptureMoment) -> SessionExplanation.Finding {
    let (rule, problem) = (breach.rule, breach.problem)
    return SessionExplanation.Finding(
      id: rule.id, level: rule.level.rawValue, text: rule.text, side: Side(breach.side), isOwed: false,
      request: problem.message, key: problem.key, value: problem.value, expected: problem.expected,
      record: moment.record, time: moment.time, detail: "\(problem)", evidence: rule.evidence,
      confidence: rule.confidence?.rawValue, repair: rule.repair)
  }

  private static func owed(_ asked: Mark) -> SessionExplanation.Finding {
    let rule = CarPlayRule.answered
    return SessionExplanation.Finding(
      id: rule.id, level: rule.level.rawValue, text: rule.text, side: Side(asked.side.other), isOwed: true,
      request: asked.text, key: nil, value: nil, expected: "an answer", record: asked.moment.record,
      time: asked.moment.time, detail: "\(asked.text) has no answer", evidence: rule.evidence,
      confidence: rule.confidence?.rawValue, repair: rule.repair)
  }
}
