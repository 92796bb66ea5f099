// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Capture

/// The announcements of both sides and the control requests in a capture. Its size does not grow with the capture.
struct DiscoveryStory: Sendable {
  /// A service that a side announced.
  struct Announcement: Sendable {
    var service: CarPlayService
    var name: String
    /// The name of the machine; nil if no message had it. Several phones may have one name.
    var host: String?
    var port: UInt16?
    var text: [String: String] = [:]
    var addresses: Set<[UInt8]> = []
    /// The first message about it, and the message with which it goes.
    var moment: CaptureMoment
    var goodbye: CaptureMoment?

    private var record: TextRecord { TextRecord(text.map { TextRecord.Entry($0.key, $0.value) }) }

    /// Whether it is a side of CarPlay. A speaker or a television has the service of a head unit, too; its record has
    /// features. A record without them may be that of a head unit that no phone finds.
    var isOfCarPlay: Bool {
      guard service == .airPlay else { return true }
      return HeadUnitRecord(record).features.map { $0.contains(.car) } ?? !text.isEmpty
    }

    /// The faults of its record, each in words; none for a record that the capture does not have.
    var faults: [String] {
      guard !text.isEmpty else { return [] }
      let problems = service == .airPlay ? HeadUnitRecord(record).problems : PhoneRecord(record).problems
      return problems.map { "\(name): \($0)" }
    }

    /// The announcement in words.
    var words: String {
      "announces \(name), \(service.rawValue)" + (port.map { ", port \($0)" } ?? "")
    }
  }

  /// A control request on a connection of its own.
  struct Call: Sendable {
    /// The ends of the connection, an address and a port.
    let headUnit, phone: [UInt8]
    /// The place of the first bytes, or of the whole request.
    var moment: CaptureMoment
    /// The request as a phone reads it; nil for one that is not complete.
    var request: Result<ControlCall, ControlCall.Refusal>?
    /// The status of the answer, and its place.
    var answer: (status: Int, moment: CaptureMoment)?
    /// The end of the connection.
    var end: (side: SessionSide, moment: CaptureMoment)?
    /// The sides of which the capture lacks bytes. What these send behind them has no meaning.
    var cut: Set<SessionSide> = []
    /// Whether a session followed.
    var isFollowed = false
    /// The bytes of both sides that were not read.
    var requests = RequestReader(), answers = RequestReader()
  }

  /// A connection to the port of an announced head unit that brought no session.
  struct Attempt: Sendable {
    /// The addresses of its ends.
    let phone, headUnit: [UInt8]
    let isAccepted: Bool
    let moment: CaptureMoment
  }

  /// A head unit and a phone, by the addresses that announcements show of each.
  private struct Pair {
    let headUnit, phone: Set<[UInt8]>

    func has(_ headUnit: [UInt8], _ phone: [UInt8]) -> Bool {
      self.headUnit.contains(headUnit) && self.phone.contains(phone)
    }
  }

  /// A finding of Bonjour with the address of its sender.
  struct Told: Hashable {
    let source: [UInt8]
    let finding: SessionFinding
  }

  static let bonjourPort = BonjourMessage.port.bigEndianBytes[...]
  /// The most findings of Bonjour that are remembered, and the most addresses of head units. A network has fewer services
  /// of CarPlay.
  static let maximumTold = 4096
  /// The most announcements of a service, addresses of one, and control requests that are kept.
  private static let maximumAnnouncements = 256, maximumAddresses = 16, maximumCalls = 1024, maximumAttempts = 64
  /// The most announcements of a service and requests that an explanation shows, and the most pairs that have one.
  private static let maximumSteps = 16, maximumPairs = 64

  /// The findings of Bonjour that were reported.
  var told: Set<Told> = []
  /// The head unit that each address has advertised.
  private(set) var headUnits: [[UInt8]: BonjourMessage.Instance] = [:]
  private(set) var announcements: [Announcement] = []
  var calls: [Call] = []
  /// The last connections to ports of announced head units that brought no session, one of each pair of addresses.
  private(set) var attempts: [Attempt] = []

  // MARK: Bonjour

  /// Takes a message of Bonjour of a sender.
  mutating func take(_ message: BonjourMessage, from source: [UInt8], at moment: CaptureMoment) {
    for instance in message.instances {
      let addresses = [source] + (instance.host.flatMap { message.addresses[$0] } ?? [])
      if instance.service == .airPlay, instance.text != nil {
        for address in addresses where headUnits.count < Self.maximumTold { headUnits[address] = instance }
      }
      note(instance, addresses, at: moment)
    }
  }

  private mutating func note(_ instance: BonjourMessage.Instance, _ addresses: [[UInt8]], at moment: CaptureMoment) {
    let known = announcements.firstIndex { known in
      known.service == instance.service && known.name == instance.name
        && (known.host == nil || instance.host == nil || known.host == instance.host)
        && (instance.host != nil || known.addresses.isEmpty || !known.addresses.isDisjoint(with: addresses))
    }
    if known == nil {
      let count = announcements.count { $0.service == instance.service }
      guard count < Self.maximumAnnouncements, !instance.isGoodbye else { return }
      announcements.append(Announcement(service: instance.service, name: instance.name, moment: moment))
    }
    let place = known ?? announcements.count - 1
    announcements[place].goodbye = instance.isGoodbye ? moment : nil
    announcements[place].port = instance.port ?? announcements[place].port
    announcements[place].host = instance.host ?? announcements[place].host
    if instance.text != nil { announcements[place].text = instance.values }
    for address in addresses where announcements[place].addresses.count < Self.maximumAddresses {
      announcements[place].addresses.insert(address)
    }
  }

  // MARK: Control requests

  /// Begins a control request; nil if there are too many.
  mutating func begin(from headUnit: [UInt8], to phone: [UInt8], at moment: CaptureMoment) -> Int? {
    guard calls.count < Self.maximumCalls else { return nil }
    calls.append(Call(headUnit: headUnit, phone: phone, moment: moment))
    return calls.count - 1
  }

  mutating func end(_ call: Int, byHeadUnit: Bool, at moment: CaptureMoment) {
    calls[call].end = (byHeadUnit ? .headUnit : .phone, moment)
    (calls[call].requests, calls[call].answers) = (RequestReader(), RequestReader())
  }

  /// Notes a connection that ended without a message.
  ///
  /// - Parameter moment: The place of its SYN; nil without one.
  mutating func noteConnection(from phone: [UInt8], to end: [UInt8], isAccepted: Bool, at moment: CaptureMoment?) {
    let headUnit = Array(end.dropLast(2))
    guard let moment, announcement(of: .airPlay, at: headUnit, port: end.suffix(2)) != nil else { return }
    attempts.removeAll { ($0.phone, $0.headUnit) == (phone, headUnit) }
    if attempts.count == Self.maximumAttempts { attempts.removeFirst() }
    attempts.append(Attempt(phone: phone, headUnit: headUnit, isAccepted: isAccepted, moment: moment))
  }

  // MARK: Explanations

  /// Returns the announcement of a service at an address.
  ///
  /// - Parameter port: The bytes of its port; nil for any.
  func announcement(
    of service: CarPlayService, at address: [UInt8], port: ArraySlice<UInt8>? = nil
  ) -> Announcement? {
    announcements.last { known in
      known.service == service && known.addresses.contains(address)
        && (port == nil || known.port.map { $0.bigEndianBytes[...] } == port)
    }
  }

  /// Returns the addresses of the machine that has one, as far as announcements show them.
  private func addresses(of address: [UInt8]) -> Set<[UInt8]> {
    announcements.reduce(into: [address]) { all, known in
      if known.addresses.contains(address) { all.formUnion(known.addresses) }
    }
  }

  /// Returns the steps before a session, and notes that it followed the control requests between its sides.
  ///
  /// - Parameter moment: The place at which the phone connected; nil if the capture does not have it.
  mutating func steps(
    before moment: CaptureMoment?, phone: [UInt8], headUnit: [UInt8]
  ) -> [SessionExplanation.Step] {
    let pair = Pair(headUnit: addresses(of: headUnit), phone: addresses(of: phone))
    attempts.removeAll { pair.has($0.headUnit, $0.phone) }
    let announced = announcements(of: headUnit, phone)
    var asked = calls.indices.filter { index in
      !calls[index].isFollowed && pair.has(calls[index].headUnit.dropLast(2), calls[index].phone.dropLast(2))
    }
    if asked.isEmpty { asked = moment.flatMap { otherwiseAddressed(pair, before: $0) }.map { [$0] } ?? [] }
    for index in asked { calls[index].isFollowed = true }
    guard !announced.isEmpty || !asked.isEmpty else { return [] }
    var steps = Self.steps(announced) + asked.suffix(Self.maximumSteps).flatMap { self.steps(of: calls[$0]) }
    steps.sort { $0.record < $1.record }
    guard let moment else { return steps }
    let answered = asked.last.flatMap { calls[$0].answer?.moment ?? calls[$0].moment }
    let words = answered.map { before in
      let seconds = Self.seconds(from: before, to: moment).map { " \(DecodedText.seconds($0))" } ?? ""
      return "connects\(seconds) after \(asked.last.flatMap { calls[$0].answer } == nil ? "the request" : "its answer")"
    }
    steps.append(
      Self.step(words ?? "connects; the capture has no control request before that", .phone, moment))
    return steps
  }

  /// Returns the granted control request that a session answers at addresses of the other family.
  ///
  /// A head unit may call over IPv4 a phone that then connects over IPv6. Without announcements, time alone joins them.
  /// The capture must have no other pair that waits, and no other address of that family of either side.
  private func otherwiseAddressed(_ pair: Pair, before moment: CaptureMoment) -> Int? {
    let granted = calls.indices.filter { !calls[$0].isFollowed && calls[$0].answer?.status == 200 }
    guard let last = granted.last, let answered = calls[last].answer?.moment else { return nil }
    let (headUnit, phone) = (calls[last].headUnit.dropLast(2), calls[last].phone.dropLast(2))
    guard
      granted.allSatisfy({ calls[$0].headUnit.dropLast(2) == headUnit && calls[$0].phone.dropLast(2) == phone }),
      pair.headUnit.allSatisfy({ $0.count != headUnit.count }), pair.phone.allSatisfy({ $0.count != phone.count }),
      let seconds = Self.seconds(from: answered, to: moment), seconds <= Self.connectionSeconds
    else { return nil }
    return last
  }

  /// Returns the announcements of a head unit and of a phone.
  private func announcements(of headUnit: [UInt8], _ phone: [UInt8]) -> [Announcement] {
    [announcement(of: .airPlay, at: headUnit), announcement(of: .control, at: phone)].compactMap(\.self)
  }

  private static func steps(_ announced: [Announcement]) -> [SessionExplanation.Step] {
    let first = CarPlayService.allCases.flatMap { service in
      announced.filter { $0.service == service }.prefix(maximumSteps)
    }
    return first.sorted { $0.moment.record < $1.moment.record }.flatMap { known in
      [step(known.words, known.service.side, known.moment)]
        + (known.goodbye.map { [step("says goodbye: \(known.name)", known.service.side, $0)] } ?? [])
    }
  }

  /// Returns a control request and its answer.
  private func steps(of call: Call) -> [SessionExplanation.Step] {
    let phone = announcement(of: .control, at: Array(call.phone.dropLast(2)), port: call.phone.suffix(2))
    let name = phone?.name ?? "the phone at \(TCPEndpoints.text(call.phone))"
    let words =
      switch call.request {
      case nil: "sends a part of a control request to \(name)"
      case .success(let request)?:
        "asks \(name) to connect, as \(request.readings[0].deviceID) (\(request.readings[0].form.rawValue))"
      case .failure(let refusal)?: "sends a control request to \(name): \(refusal)"
      }
    var steps = [Self.step(words, .headUnit, call.moment)]
    if let (status, moment) = call.answer { steps.append(Self.step("answers with status \(status)", .phone, moment)) }
    return steps
  }

  private static func step(_ text: String, _ side: SessionSide, _ moment: CaptureMoment) -> SessionExplanation.Step {
    SessionExplanation.Step(record: moment.record, time: moment.time, from: Side(side), text: text)
  }

  static func seconds(from start: CaptureMoment, to end: CaptureMoment) -> Double? {
    start.time.flatMap { start in end.time.map { max(0, $0 - start) } }
  }
}

// MARK: - Without a session

extension DiscoveryStory {
  /// The seconds after which an answer counts as missing. Ours, as long as our head unit waits.
  private static let answerSeconds = 5.0
  /// The seconds after which a connection counts as missing: those of our head unit.
  private static let connectionSeconds = PhoneCaller.Settings(.any).patience / .seconds(1)

  private struct Stop {
    var point: SessionExplanation.Point
    var text: String
    var turn: SessionSide?
    var expected: [String]
    var details: [String] = []
  }

  /// Returns the explanations of discovery that no session followed, one of each head unit and phone between which
  /// control requests were sent, in the order of time. Without requests, the announcements have one together.
  ///
  /// - Parameters:
  ///   - hasSessions: Whether the capture has sessions. Then announcements alone have no explanation.
  ///   - now: The last record.
  func explanations(hasSessions: Bool, at now: CaptureMoment) -> [SessionExplanation] {
    var pairs: [(pair: Pair, calls: [Call])] = []
    for call in calls where !call.isFollowed {
      let (headUnit, phone) = (Array(call.headUnit.dropLast(2)), Array(call.phone.dropLast(2)))
      if let known = pairs.firstIndex(where: { $0.pair.has(headUnit, phone) }) {
        pairs[known].calls.append(call)
      } else if pairs.count < Self.maximumPairs {
        pairs.append((Pair(headUnit: addresses(of: headUnit), phone: addresses(of: phone)), [call]))
      }
    }
    guard pairs.isEmpty else {
      return pairs.map { pair, calls in
        let ends = calls.last.map { ($0.headUnit.dropLast(2), $0.phone.dropLast(2)) }
        let announced = ends.map { announcements(of: Array($0), Array($1)) } ?? []
        let attempt = attempts.last { pair.has($0.headUnit, $0.phone) }
        return explanation(of: announced.filter(\.isOfCarPlay), calls, attempt, at: now)
      }
    }
    let shown = announcements.filter(\.isOfCarPlay)
    return hasSessions || shown.isEmpty ? [] : [explanation(of: shown, [], attempts.last, at: now)]
  }

  private func explanation(
    of shown: [Announcement], _ asked: [Call], _ attempt: Attempt?, at now: CaptureMoment
  ) -> SessionExplanation {
    var steps = Self.steps(shown) + asked.suffix(Self.maximumSteps).flatMap { self.steps(of: $0) }
    if let attempt { steps.append(Self.step("connects", .phone, attempt.moment)) }
    steps.sort { $0.record < $1.record }
    let stop = asked.last.map { self.stop(of: $0, attempt, at: now) } ?? stop(of: shown, attempt)
    func names(_ service: CarPlayService) -> String {
      let names = shown.filter { $0.service == service }.map(\.name)
      let more = names.count - Self.maximumSteps
      guard names.isEmpty else {
        return names.prefix(Self.maximumSteps).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
      }
      guard let call = asked.last else { return "not announced" }
      return "\(TCPEndpoints.address((service == .control ? call.phone : call.headUnit).dropLast(2))), not announced"
    }
    let silence = steps.last.flatMap { last in last.time.flatMap { time in now.time.map { max(0, $0 - time) } } }
    return SessionExplanation(
      discovery: steps, ends: "phone \(names(.control)), head unit \(names(.airPlay)), without a session",
      point: stop.point, stage: SessionState.connected.rawValue, reached: [], text: stop.text, last: steps.last,
      silence: silence, turn: stop.turn.map(Side.init), expected: stop.expected, details: stop.details, finding: nil,
      others: [])
  }

  /// The remark about captures of other machines.
  private static let otherMachine =
    "a capture on a third machine has the announcements, and neither requests nor connections"

  private func stop(of announced: [Announcement], _ attempt: Attempt?) -> Stop {
    let services = Set(announced.map(\.service))
    let who =
      services.count == 2
      ? "Both sides are announced"
      : services == [.airPlay]
        ? "A head unit is announced, and no phone"
        : "A phone is announced, and no head unit"
    if let attempt {
      let words = attempt.isAccepted ? "ended without a message" : "was not accepted"
      return Stop(
        point: .notConnected, text: "\(who). A connection to the head unit \(words).",
        turn: attempt.isAccepted ? nil : .headUnit, expected: ["a session"])
    }
    return Stop(
      point: .notCalled, text: "\(who). The capture has neither a control request nor a connection.",
      expected: ["a control request of the head unit", "a connection of the phone"],
      details: announced.flatMap(\.faults) + [Self.otherMachine])
  }

  private func stop(of call: Call, _ attempt: Attempt?, at now: CaptureMoment) -> Stop {
    let connection = ["a connection to the head unit"]
    if !call.cut.isEmpty, call.answer == nil {
      return Stop(
        point: .unread, text: "The capture lacks bytes of the control request or of its answer.", expected: [])
    }
    guard let (status, answered) = call.answer else {
      let waited = Self.seconds(from: call.moment, to: call.end?.moment ?? now)
      guard call.end != nil || waited ?? 0 >= Self.answerSeconds else {
        return Stop(
          point: .waiting, text: "The capture ends before the answer to the control request.", turn: .phone,
          expected: ["an answer to the control request"])
      }
      let closed = call.end.map { ", and the \($0.side == .headUnit ? "head unit" : "phone") closed the connection" }
      return Stop(
        point: .callUnanswered, text: "The control request has no answer\(closed ?? "").",
        turn: call.request == nil
          ? .headUnit : call.end?.side == .headUnit && waited ?? 0 < Self.answerSeconds ? nil : .phone,
        expected: [call.request == nil ? "a whole control request" : "an answer to the control request"])
    }
    guard status == 200 else {
      guard case .failure(let refusal)? = call.request else {
        return Stop(
          point: .callRefused, text: "The phone refused the control request with status \(status).", turn: nil,
          expected: ["status 200", "a control request that the phone takes"])
      }
      return Stop(
        point: .callRefused, text: "The phone refused the control request with status \(status): \(refusal).",
        turn: .headUnit, expected: ["GET \(ControlCall.path) with the address of the head unit"])
    }
    if let attempt, attempt.moment.record > call.moment.record {
      let words = attempt.isAccepted ? "ended without a message" : "was not accepted"
      return Stop(
        point: .notConnected,
        text: "The phone answered the control request, and its connection to the head unit \(words).",
        turn: attempt.isAccepted ? nil : .headUnit, expected: ["a session"])
    }
    let waited = Self.seconds(from: answered, to: now) ?? 0
    guard waited >= Self.connectionSeconds else {
      return Stop(
        point: .waiting, text: "The phone answered the control request, and the capture ends before a connection.",
        turn: .phone, expected: connection)
    }
    let isKnown = announcements.contains { $0.service == .airPlay && $0.isOfCarPlay && $0.goodbye == nil }
    return Stop(
      point: .notConnected,
      text: "The phone answered the control request, and in \(DecodedText.seconds(waited)) no connection followed.",
      turn: isKnown ? .phone : nil, expected: connection,
      details: isKnown ? [] : ["the capture has no announcement of the head unit, by which a phone finds its port"])
  }
}
