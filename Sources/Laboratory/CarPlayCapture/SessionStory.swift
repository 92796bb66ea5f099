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
  enum Way: Sendable {
    /// The phone has sent SYN; whether it did so again, as it does without an answer.
    case asked(CaptureMoment, isRepeated: Bool)
    case refused(CaptureMoment)
    case open
  }

  private(set) var judge: SessionJudge
  private(set) var breaches: [(breach: CarPlayBreach, moment: CaptureMoment)] = []
  /// The requests of the phone that are not answered.
  private(set) var waiting = PendingRequests<Mark>()
  /// The answers with an error and their requests, the oldest first, without those whose request succeeded later.
  private(set) var refusals: [(request: Mark, answer: Mark)] = []
  /// The sides of which a part of a message came before the end.
  var partial: Set<SessionSide> = []
  /// Whether a part of a frame of the head unit came before the end.
  var hasUnreadAnswer = false
  /// The ends of other connections, by their names.
  private(set) var closings: [(name: String, mark: Mark)] = []
  /// The last step.
  var last: Mark?
  /// The requests by their names, and the content of streams by their names.
  private(set) var requests = Counts(), streams = Counts()
  /// The times of the first and the last message or content.
  private(set) var times: ClosedRange<Double>?
  /// The last bytes of each side on any socket of the session.
  private(set) var heardAt: [SessionSide: CaptureMoment] = [:]
  /// The place at which the same phone connected again, although the capture has no end of this session.
  var replacement: CaptureMoment?
  /// The end of the control connection, and whether the phone ended the session before.
  var end: Mark?
  var isTornDown = false
  /// Whether the bytes are encrypted with an unknown key.
  var isSealed = false
  /// Whether the capture begins behind pair-verify.
  var isLate = false
  /// Whether a frame was opened, so that the secret of pair-verify is right.
  var hasOpenedFrame = false
  /// The signature of auth-setup that is wrong with the key log's secret, and its place; nil without one.
  private(set) var wrongSignature: (bytes: [UInt8], moment: CaptureMoment)?
  /// Whether the phone went on behind it: either the secret is damaged, or the phone does not check the signature.
  private(set) var isSignatureAccepted = false
  /// The reasons why the sides of the control connection cannot be read.
  private(set) var unreadSides: [SessionSide: String] = [:]
  var unread: String? { unreadSides[.phone] ?? unreadSides[.headUnit] }
  private(set) var ways: [String: Way] = [:]
  /// Whether the capture would have the event connection, if the phone opened it.
  var seesAllConnections = true
  /// The sides of which bytes of the control connection are missing, and no message is behind them.
  var lacking: Set<SessionSide> = []
  /// The sides of which a message of the control connection was read.
  private(set) var heard: Set<SessionSide> = []
  /// The packets of which the capture has only the beginning.
  var cutCount = 0
  /// The line about packets that the capture has damaged; nil for none.
  var damagedPackets: String?
  /// The records that are not in the order of their times; nil if all are.
  var disorder: PacketQueue.Disorder?
  /// The damage of streams.
  var damage = StreamDamage()
  /// The answers of each side on a channel with another sequence number than their requests.
  private(set) var wrongSequences = WrongSequences()
  /// Whether the capture has no datagram to the ports that the set-up names.
  var lacksDatagrams = false

  /// The steps of discovery before the session.
  var discovery: [SessionExplanation.Step] = []
  /// The ends of the control connection, as text.
  let ends: String

  /// Creates the course of a session.
  ///
  /// - Parameters:
  ///   - ends: The ends of the control connection.
  ///   - isWhole: Whether the capture has the beginning of that connection.
  ///   - textRecord: The TXT record of the head unit by keys in lowercase; nil if the capture has none.
  init(_ ends: String, isWhole: Bool, textRecord: [String: String]?) {
    self.ends = ends
    judge = SessionJudge(isWhole: isWhole)
    judge.textRecord = textRecord
  }

  /// The most refusals and ends that are kept.
  private static let maximumMarks = 16

  /// The answers of each side whose sequence number is not that of their requests.
  struct WrongSequences: Sendable {
    private struct Side: Sendable {
      var answers = 0, wrong = 0
      /// Whether the other side went on behind the last wrong one.
      var isAccepted = false
    }

    private var sides: [SessionSide: Side] = [:]

    /// The right answers of a side from which a single wrong one counts as damage. Ours: a side that writes a wrong
    /// number does so more than once.
    private static let minimumAnswers = 4

    mutating func takeRequest(from side: SessionSide) { sides[side.other]?.isAccepted = true }

    mutating func takeAnswer(_ message: RequestMessage, to request: RequestMessage?, from side: SessionSide) {
      guard let request else { return }
      var known = sides[side] ?? Side()
      known.answers += 1
      if request.sequence != message.sequence {
        known.wrong += 1
        known.isAccepted = false
      }
      sides[side] = known
    }

    /// Returns whether a single answer of a side was wrong, and the other side went on: the capture is damaged, or
    /// nothing checks the number.
    func areDamage(of side: SessionSide) -> Bool {
      sides[side].map { $0.wrong == 1 && $0.isAccepted && $0.answers > Self.minimumAnswers } ?? false
    }
  }

  // MARK: Counts

  /// Messages by the names of their kinds.
  struct Counts: Sendable {
    private var values: [String: SessionExplanation.Count] = [:]

    /// The most names. Sessions have fewer.
    private static let maximumCount = 64

    /// The counts, sorted by their names.
    var all: [SessionExplanation.Count] { values.values.sorted { $0.name < $1.name } }

    mutating func add(_ name: String, count: Int, byteCount: Int) {
      guard values[name] != nil || values.count < Self.maximumCount else { return }
      values[name, default: .init(name: name, count: 0, byteCount: 0)].count += count
      values[name]?.byteCount += byteCount
    }
  }

  /// Counts content of a stream.
  mutating func add(_ stream: String, count: Int = 1, byteCount: Int, at moment: CaptureMoment) {
    streams.add(stream, count: count, byteCount: byteCount)
    note(moment)
  }

  /// Notes that bytes of a side came, whatever they are.
  mutating func hear(_ side: SessionSide, at moment: CaptureMoment) { heardAt[side] = moment }

  private mutating func note(_ moment: CaptureMoment) {
    guard let time = moment.time else { return }
    times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
  }

  // MARK: Messages

  /// Judges a message of the control or event connection.
  ///
  /// - Parameter isExact: Whether an answer belongs only to a request of its number.
  mutating func take(
    _ message: RequestMessage, to request: RequestMessage?, isControl: Bool, isExact: Bool, from side: SessionSide,
    _ words: String, at moment: CaptureMoment
  ) {
    let mark = Mark(text: words, side: side, moment: moment)
    if isControl {
      heard.insert(side)
      lacking.remove(side)
      noteAcceptance(by: side, of: message, hasRequest: request != nil)
    }
    last = mark
    note(moment)
    hear(side, at: moment)
    switch message.start {
    case .request(let method, let path, _):
      // The path of a session's own requests is its address.
      requests.add(path.hasPrefix("/") ? "\(method) \(path)" : method, count: 1, byteCount: message.body.count)
      judge.take(request: message, on: isControl ? .control : .events, from: side)
      wrongSequences.takeRequest(from: side)
      guard isControl else { break }
      if wrongSignature != nil, side == .phone, method != "TEARDOWN" { isSignatureAccepted = true }
      waiting.add(mark, message.sequence)
    case .answer(let status, _, _):
      judge.take(answer: message, to: request, on: isControl ? .control : .events, from: side)
      wrongSequences.takeAnswer(message, to: request, from: side)
      guard isControl else { break }
      if let asked = waiting.remove(answeredBy: message.sequence, isExact: isExact) {
        refusals.removeAll { $0.request.text == asked.text }
        let isRefused = status != 200 || Self.isRefusal(message, of: request)
        if isRefused, refusals.count < Self.maximumMarks { refusals.append((asked, mark)) }
      }
      if status == 200, case .request("TEARDOWN", _, _)? = request?.start, Self.endsSession(request) {
        isTornDown = true
      }
    }
    collect(at: moment)
  }

  /// Withdraws the damage of a side if the other side has taken the message: it answers what could not be read, or the
  /// phone sends its next request. Then the capture is damaged.
  private mutating func noteAcceptance(by side: SessionSide, of message: RequestMessage, hasRequest: Bool) {
    let isTaken = { (breach: CarPlayBreach) in
      breach.side != side && breach.problem.message == "control" && [.frames, .form].contains(breach.rule)
    }
    guard breaches.contains(where: { isTaken($0.breach) }) else { return }
    switch message.start {
    case .request where side == .headUnit: return
    case .answer(let status, _, _) where status != 200 || hasRequest: return
    case .request, .answer: break
    }
    let reason = breaches.first { isTaken($0.breach) }?.breach.problem.reason
    if let reason { unreadSides[side.other] = unreadSides[side.other] ?? reason }
    breaches.removeAll { isTaken($0.breach) }
    judge.noteGap()
  }

  /// Returns whether a TEARDOWN has no streams, so that it ends the session.
  private static func endsSession(_ request: RequestMessage?) -> Bool {
    guard let body = request?.body, !body.isEmpty else { return true }
    do { return try !StreamList(bytes: body).hasStreams } catch { return false }
  }

  /// Returns whether an answer of pairing has an error in its body.
  private static func isRefusal(_ answer: RequestMessage, of request: RequestMessage?) -> Bool {
    guard let path = request?.path, path == "/pair-setup" || path == "/pair-verify" else { return false }
    do { return try TLV8(bytes: answer.body)[.error] != nil } catch { return false }
  }

  /// Notes that the signature of auth-setup is wrong with the key log's secret.
  mutating func noteWrongSignature(_ signature: [UInt8], at moment: CaptureMoment) {
    wrongSignature = (signature, moment)
  }

  /// Notes that the session was verified before the capture.
  mutating func noteVerified() { judge.noteVerified() }

  /// Notes that the capture lacks bytes.
  mutating func noteGap() { judge.noteGap() }

  /// Notes that the capture lacks bytes of a screen.
  mutating func noteGap(ofScreen type: StreamType) { judge.noteGap(ofScreen: type) }

  /// Notes that a side of the control connection cannot be read.
  mutating func lose(_ side: SessionSide, _ reason: String) { unreadSides[side] = reason }

  /// Notes that a side can be read again. The other side has taken what came before, so the capture is damaged, and not
  /// the frame of the side.
  mutating func resume(_ side: SessionSide, isControl: Bool) {
    judge.noteGap()
    if isControl { unreadSides[side] = nil }
    breaches.removeAll { $0.breach.rule == .frames && $0.breach.side == side }
  }

  /// Lets the judge see something, and keeps the breaches that it finds.
  mutating func judge(at moment: CaptureMoment, _ sees: (inout SessionJudge) -> Void) {
    sees(&judge)
    collect(at: moment)
  }

  /// Keeps the breaches that the judge has found.
  mutating func collect(at moment: CaptureMoment) {
    for breach in judge.takeBreaches() { breaches.append((breach, moment)) }
  }

  // MARK: Connections

  /// Notes that the phone connects to a socket by name.
  mutating func ask(_ name: String, at moment: CaptureMoment) {
    switch ways[name] {
    case .open?: return
    case .asked(let first, _)?: ways[name] = .asked(first, isRepeated: true)
    case .refused?, nil: ways[name] = .asked(moment, isRepeated: false)
    }
  }

  /// Notes that a connection of the phone is open.
  ///
  /// - Parameter isWhole: Whether the capture has its beginning.
  mutating func open(_ name: String, isWhole: Bool, at moment: CaptureMoment) {
    if name == "events" {
      // Of a connection whose handshake is not complete, the capture does not show when it was opened.
      var first = isWhole ? nil : 0
      if case .asked(let asked, _)? = ways[name] { first = asked.record }
      if let first { breaches.removeAll { $0.breach.rule == .eventsFirst && $0.moment.record >= first } }
      judge.openEvents()
    }
    ways[name] = .open
    collect(at: moment)
  }

  /// Whether the session was set up, and no packet of its event connection came.
  var lacksEventPackets: Bool { judge.reached.contains(.setUp) && ways["events"] == nil }

  mutating func refuse(_ name: String, at moment: CaptureMoment) {
    if case .asked? = ways[name] { ways[name] = .refused(moment) }
  }

  /// Notes the end of a connection beside the control connection. The phone closes its streams as it likes, and while it
  /// ends streams or the session, their ends are in order.
  mutating func close(_ name: String, by side: SessionSide, at moment: CaptureMoment) {
    guard side == .headUnit || name == "events", !isTornDown, closings.count < Self.maximumMarks,
      !waiting.elements.contains(where: { $0.text.hasPrefix("TEARDOWN") })
    else {
      return
    }
    closings.append((name, Mark(text: "\(name) ends", side: side, moment: moment)))
  }
}
