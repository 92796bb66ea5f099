// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import IAP2Conformance

// The head unit of a recording. Pairing, auth-setup, the clock and /feedback are live.
extension ScriptedHeadUnit {
  /// Answers the phone as the recording has it, and sends the recorded commands.
  ///
  /// - Returns: Why it stopped early; nil if it went to its end.
  func replay(_ replay: SessionReplay, _ began: (Int) -> Void) async -> String? {
    let recording = replay.recording
    var answers = RecordedAnswers(recording)
    answerer = { request, usual in answers.take(request, usual) }
    var clock = ReplayClock(replay, at: await line.now)
    var controlCount = 0
    for (index, exchange) in recording.exchanges.enumerated() {
      guard exchange.channel == .events else {
        if exchange.uncounted != nil || exchange.isPairing { continue }
        controlCount += 1
        continue
      }
      guard exchange.uncounted == nil, exchange.method == "POST" else { continue }
      // The phone's requests before the command come first, and then its event channel.
      let count = controlCount
      guard await wait(peer.answer * 3, for: { isOver || countedRequests >= count && open.contains(.events) }),
        !isOver
      else { return end(before: count) }
      await pass(clock.wait(for: exchange.moment, now: await line.now))
      guard !isOver else { return end(before: count) }
      began(index)
      await send(request(exchange.request.body, path: exchange.path))
    }
    guard let last = recording.exchanges.last else { return nil }
    await pass(clock.wait(for: last.moment, now: await line.now))
    let count = controlCount
    _ = await wait(peer.answer * 3) { isOver || countedRequests >= count }
    return end(before: count)
  }

  /// Returns why the session ended before a number of requests; nil if the phone sent them, or ended it in order.
  private func end(before count: Int) -> String? {
    guard countedRequests < count, !handled.contains(.tearDown) else { return nil }
    let last = requests.last.map { ", the last one \($0.step.name)" } ?? ""
    let what = "the phone sent \(countedRequests) of \(count) requests after pairing\(last)"
    if let damage { return "\(what); what it sends then cannot be read: \(damage)" }
    return isClosed ? "\(what), and closed the connection" : what
  }

  /// Whether nothing follows from the phone.
  private var isOver: Bool { isClosed || damage != nil || handled.contains(.tearDown) }

  /// The number of requests that the phone sends once, without pairing and without `/feedback`.
  private var countedRequests: Int {
    requests.count { step, _ in
      switch step {
      case .pairSetup, .pairVerify, .feedback, .other("OPTIONS"): false
      default: true
      }
    }
  }
}

/// The recorded answers of a head unit, by the names of their requests, in their order.
private struct RecordedAnswers {
  private var answers: [String: ArraySlice<RecordedSession.Exchange>] = [:]

  init(_ recording: RecordedSession) {
    for exchange in recording.exchanges where exchange.channel == .control {
      answers[exchange.name, default: []].append(exchange)
    }
  }

  /// Returns the answer to a request: the next recorded one with the live ports and names, or the usual one if the
  /// recording has none; nil if the recorded head unit did not answer.
  mutating func take(_ request: RequestMessage, _ usual: RequestMessage) -> RequestMessage? {
    let asked = RecordedSession.Exchange(channel: .control, request: request)
    guard let recorded = answers[asked.name]?.popFirst() else { return usual }
    guard let answer = recorded.answer else { return nil }
    switch asked.path {
    case "/pair-setup", "/pair-verify", "/auth-setup", "/feedback":
      return answer.status == 200 ? usual : usual.refused(answer.status)
    default: break
    }
    let sent = answer.numbered(request.sequence)
    guard let values = answer.values else { return sent }
    return sent.replacing(body: Self.merged(.dictionary(values), .dictionary(usual.values ?? [:])).binary)
  }

  /// Returns recorded values with the live ones of what is new in every session. Streams are matched by their types.
  private static func merged(_ recorded: PropertyValue, _ live: PropertyValue) -> PropertyValue {
    switch (recorded, live) {
    case (.dictionary(let values), .dictionary(let own)):
      var merged: [String: PropertyValue] = [:]
      for (key, value) in values {
        if SessionValueRule.isVolatile(key) {
          merged[key] = own[key]
        } else {
          merged[key] = own[key].map { Self.merged(value, $0) } ?? value
        }
      }
      return .dictionary(merged)
    case (.array(let values), .array(let own)):
      return .array(
        values.map { value in
          let match = value["type"].flatMap { type in own.first { $0["type"] == type } }
          return match.map { merged(value, $0) } ?? value
        })
    default: return recorded
    }
  }
}
