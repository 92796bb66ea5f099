// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2
import IAP2Capture

/// The course of a session, from which its explanation is made. Its size does not grow with the session.
struct SessionStory: Sendable {
  /// A request, an answer or an end, by its place.
  struct Mark: Sendable {
    var text: String
    var side: SessionSide
    var moment: CaptureMoment
  }

  /// The way of a connection of the phone to a port of the head unit.
  private enum Way: Sendable {
    case asked(CaptureMoment)
    case refused(CaptureMoment)
    case open
  }

  var judge: SessionJudge
  private(set) var breaches: [(breach: CarPlayBreach, moment: CaptureMoment)] = []
  /// The requests of the phone that are not answered, the oldest first.
  private var waiting: [(sequence: String?, mark: Mark)] = []
  /// The last answer with an error, unless a later request was answered with success.
  var refusal: Mark?
  /// The last step.
  var last: Mark?
  /// The end of the control connection, and whether the phone ended the session before.
  var end: Mark?
  var isTornDown = false
  /// Whether the bytes are encrypted with an unknown key.
  var isSealed = false
  /// The reason why a direction of the control connection cannot be read.
  var unread: String?
  private var ways: [String: Way] = [:]

  init(isWhole: Bool) { judge = SessionJudge(isWhole: isWhole) }

  /// The most requests that wait.
  private static let maximumWaiting = 256

  // MARK: Messages

  /// Judges a message of the control or event connection.
  mutating func take(
    _ message: RequestMessage, to request: RequestMessage?, isControl: Bool, from side: SessionSide,
    _ words: String, at moment: CaptureMoment
  ) {
    let mark = Mark(text: words, side: side, moment: moment)
    last = mark
    switch message.start {
    case .request:
      judge.take(request: message, on: isControl ? .control : .events, from: side)
      guard isControl else { break }
      waiting.append((message.sequence, mark))
      if waiting.count > Self.maximumWaiting { waiting.removeFirst() }
    case .answer(let status, _, _):
      judge.take(answer: message, to: request, on: isControl ? .control : .events, from: side)
      guard isControl else { break }
      refusal = status == 200 && !Self.isRefusal(message, of: request) ? nil : mark
      let place = message.sequence.flatMap { sequence in waiting.firstIndex { $0.sequence == sequence } } ?? 0
      if waiting.indices.contains(place) { waiting.remove(at: place) }
      if status == 200, case .request("TEARDOWN", _, _)? = request?.start, request?.body.isEmpty != false {
        isTornDown = true
      }
    }
    collect(at: moment)
  }

  /// Returns whether an answer of pairing has an error in its body.
  private static func isRefusal(_ answer: RequestMessage, of request: RequestMessage?) -> Bool {
    guard let path = request?.path, path == "/pair-setup" || path == "/pair-verify" else { return false }
    do { return try TLV8(bytes: answer.body)[.error] != nil } catch { return false }
  }

  /// Keeps the breaches that the judge has found.
  mutating func collect(at moment: CaptureMoment) {
    for breach in judge.takeBreaches() { breaches.append((breach, moment)) }
  }

  // MARK: Connections

  /// Notes that the phone connects to a socket by name.
  mutating func ask(_ name: String, at moment: CaptureMoment) {
    if case .open? = ways[name] { return }
    ways[name] = .asked(moment)
  }

  mutating func open(_ name: String, at moment: CaptureMoment) {
    ways[name] = .open
    if name == "events" { judge.openEvents() }
    collect(at: moment)
  }

  mutating func refuse(_ name: String, at moment: CaptureMoment) {
    if case .asked? = ways[name] { ways[name] = .refused(moment) }
  }

  // MARK: Explanation

  /// The seconds after which an answer, also that to a connection, counts as missing. Unverified: the limits of phones are not public, and those of
  /// one program are 10 s and more; answers of head units come within a second.
  private static let answerSeconds = 3.0

  /// Returns the explanation of the session.
  ///
  /// - Parameters:
  ///   - ends: The ends of the control connection.
  ///   - now: The last record of the capture, or the end of the session.
  func explanation(_ ends: String, at now: CaptureMoment) -> SessionExplanation {
    var story = self
    for (name, way) in ways.sorted(by: { $0.key < $1.key }) {
      switch way {
      case .open: continue
      case .asked(let moment):
        guard let asked = moment.time, let end = now.time, end - asked >= Self.answerSeconds else { continue }
        story.judge.refuse(stream: name == "events" ? nil : name)
        story.collect(at: moment)
      case .refused(let moment):
        story.judge.refuse(stream: name == "events" ? nil : name)
        story.collect(at: moment)
      }
    }
    return story.made(ends, at: now)
  }

  private func made(_ ends: String, at now: CaptureMoment) -> SessionExplanation {
    let all = breaches.map { Self.finding($0.breach, $0.moment) }
    let silence = last?.moment.time.flatMap { time in now.time.map { max(0, $0 - time) } }
    let reached = judge.reached
    let isLive = reached.contains(.live)
    var finding = all.first { $0.level == CarPlayRule.Level.required.rawValue }
    var place = stop(isLive: isLive, silence: silence)
    if place.point == .unanswered, finding == nil, judge.seesAll, let asked = waiting.first?.mark {
      finding = Self.owed(asked)
    }
    if let finding, !finding.isOwed, place.point != .sealed {
      let goesOn = isLive || isTornDown
      place.point = goesOn ? .ruleIgnored : .ruleBroken
      place.turn = Side(rawValue: finding.side.rawValue)
      place.expected = [finding.expected]
    }
    return SessionExplanation(
      ends: ends, point: place.point, stage: (isLive ? .live : next(after: reached)).rawValue,
      reached: reached.map(\.rawValue), text: place.text,
      last: last.map { .init(record: $0.moment.record, time: $0.moment.time, from: Side($0.side), text: $0.text) },
      silence: silence, turn: place.turn, expected: place.expected, details: details, finding: finding,
      others: all.filter { $0 != finding })
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

  /// Returns the place at which the session stopped, apart from broken rules.
  private func stop(isLive: Bool, silence: Double?) -> Stop {
    let next = nextOfPhone(isLive: isLive)
    if isTornDown { return Stop(point: .complete, text: "The phone ended the session in order, with TEARDOWN.") }
    if let unread {
      return Stop(point: .unread, text: "The control connection cannot be read any more: \(unread).")
    }
    if isSealed {
      return Stop(
        point: .sealed,
        text: "The session is encrypted from pair-verify on, and no key log has its secret: give --key-log.")
    }
    if let asked = waiting.first?.mark {
      let answer = "an answer to \(asked.text)"
      if judge.isWhole, !judge.seesAll {
        return Stop(
          point: .unread, text: "The capture lacks bytes, so it does not show whether \(asked.text) was answered.")
      }
      if let end {
        let who = end.side == .headUnit ? "the head unit" : "the phone"
        return Stop(
          point: .unanswered,
          text: "\(capitalized(who)) closed the control connection without an answer to \(asked.text).",
          turn: .accessory, expected: [answer])
      }
      if silence ?? .infinity >= Self.answerSeconds {
        return Stop(
          point: .unanswered, text: "The head unit did not answer \(asked.text).", turn: .accessory, expected: [answer])
      }
      if !isLive {
        return Stop(
          point: .waiting, text: "The capture ends before the answer to \(asked.text).", turn: .accessory,
          expected: [answer])
      }
    }
    if let refusal {
      return Stop(
        point: .refused, text: "The head unit refused a request: \(refusal.text).", turn: .device, expected: next)
    }
    if let end {
      let who = end.side == .headUnit ? "The head unit" : "The phone"
      let cause = last.map { $0.side != end.side ? ", behind \($0.text)" : "" } ?? ""
      return Stop(
        point: .closed, text: "\(who) closed the control connection without TEARDOWN\(cause).",
        turn: end.side == .headUnit ? .device : .accessory, expected: [])
    }
    guard !isLive else { return Stop(point: .complete, text: "The session is live, and the capture ends.") }
    return Stop(point: .waiting, text: "The capture ends while the phone is to go on.", turn: .device, expected: next)
  }

  private func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  /// The next requests of a phone.
  private func nextOfPhone(isLive: Bool) -> [String] {
    guard !isLive else { return [] }
    let reached = judge.reached
    if reached.contains(.recording) { return ["connection to eventPort"] }
    if reached.contains(.informed), reached.contains(.setUp) { return ["RECORD"] }
    if reached.contains(.setUp) { return ["connection to eventPort", "GET /info"] }
    if reached.contains(.verified) || reached.contains(.authenticated) { return ["POST /auth-setup", "SETUP"] }
    return ["POST /pair-setup", "POST /pair-verify", "POST /auth-setup"]
  }

  private var details: [String] {
    var lines: [String] = []
    if !judge.isWhole {
      lines.append("the capture has no beginning of the control connection, so rules of order were not judged")
    }
    if let refusal { lines.append("record \(refusal.moment.record): the answer \(refusal.text)") }
    if let end {
      lines.append(
        "record \(end.moment.record): the \(end.side == .headUnit ? "head unit" : "phone") closed the control connection"
      )
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
