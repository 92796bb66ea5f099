// swift-iap2 · Apache-2.0

package import Basics
package import IAP2
package import IAP2Roles

/// A head unit's and a phone's ``Session`` joined in memory, in virtual time, without delay.
///
/// Requests are answered at once with bytes that mean nothing, so that an authentication costs nothing. The owner may
/// lose bytes, inject bytes, and stop at any moment; a copy of the pair continues independently.
package struct SessionPair: Sendable {
  package var headUnit: Session<HeadUnitPolicy>
  package var phone: Session<PhonePolicy>
  package private(set) var now = MonotonicTime.zero
  /// The events of each side that were not taken yet, in order.
  private var reported: [Side: [SessionEvent]] = [.accessory: [], .device: []]
  /// The bytes of each side that have not arrived yet, one element for each transmission.
  package private(set) var inFlight: [Side: [[UInt8]]] = [.accessory: [], .device: []]
  /// Whether requests are answered.
  package var answersRequests = true
  /// Whether the verdicts on certificate and signature are positive.
  package var accepts = true

  package init(
    headUnit: HeadUnitProfile, phone: PhoneProfile = PhoneProfile(), preferences: LinkPreferences = LinkPreferences(),
    limits: Limits = Limits(), identifyTimeout: Duration? = nil, lifecycle: Lifecycle = Lifecycle()
  ) {
    var headUnitOptions = SessionOptions<HeadUnitPolicy> { before in
      var profile = headUnit
      if let before { profile.state = before.state }
      return HeadUnitPolicy(profile: profile)
    }
    headUnitOptions.identifyTimeout = identifyTimeout
    var phoneOptions = SessionOptions<PhonePolicy> { before in
      var profile = phone
      if let before { profile.state = before.state }
      return PhonePolicy(profile: profile)
    }
    phoneOptions.identifyTimeout = identifyTimeout
    func endpoint(_ side: Side) -> Endpoint {
      Endpoint(
        side: side, preferences: preferences, limits: limits, firstSequence: Endpoint.firstSequence(of: side))
    }
    self.headUnit = Session(endpoint: endpoint(.accessory), lifecycle: lifecycle, options: headUnitOptions)
    self.phone = Session(endpoint: endpoint(.device), lifecycle: lifecycle, options: phoneOptions)
  }

  package mutating func start() {
    headUnit.start(address: "memory", at: now)
    phone.start(address: "memory", at: now)
    collect()
  }

  /// Gives a side an input.
  package mutating func submit(_ input: SessionInput, to side: Side) {
    switch side {
    case .accessory: headUnit.submit(input, at: now)
    case .device: phone.submit(input, at: now)
    }
    collect()
  }

  /// Gives a side bytes of its transport.
  package mutating func inject(_ bytes: [UInt8], to side: Side) {
    switch side {
    case .accessory: headUnit.receive(bytes, at: now)
    case .device: phone.receive(bytes, at: now)
    }
    collect()
  }

  /// Carries out actions of a side's role.
  package mutating func perform(_ actions: [RoleAction], of side: Side) {
    switch side {
    case .accessory: headUnit.act(at: now) { _ in ((), actions) }
    case .device: phone.act(at: now) { _ in ((), actions) }
    }
    collect()
  }

  /// Delivers the oldest transmission of a side.
  ///
  /// - Returns: false when there is none.
  package mutating func deliver(from side: Side) -> Bool {
    guard let bytes = inFlight[side]?.first else { return false }
    inFlight[side]?.removeFirst()
    inject(bytes, to: side.peer)
    return true
  }

  /// Loses the oldest transmission of a side.
  package mutating func lose(from side: Side) { if inFlight[side]?.isEmpty == false { inFlight[side]?.removeFirst() } }

  /// Delivers everything at this moment, until the condition holds or nothing is in flight.
  ///
  /// - Returns: true when the condition holds.
  package mutating func exchange(limit: Int = 10_000, until condition: (SessionPair) -> Bool = { _ in false }) -> Bool {
    for _ in 0..<limit {
      if condition(self) { return true }
      let hasMoved = deliver(from: .accessory)
      if condition(self) { return true }
      guard deliver(from: .device) || hasMoved else { return false }
    }
    return condition(self)
  }

  /// Goes to the next deadline and handles it.
  ///
  /// - Returns: false when neither side waits for anything.
  package mutating func expire() -> Bool {
    let deadlines = [headUnit.nextDeadline, phone.nextDeadline].compactMap { $0 }
    guard let next = deadlines.min() else { return false }
    advance(to: next)
    return true
  }

  /// Lets time pass, and handles the deadlines that are due at its end.
  package mutating func advance(to time: MonotonicTime) {
    now = max(now, time)
    if let deadline = headUnit.nextDeadline, deadline <= now { headUnit.handleDeadline(at: now) }
    if let deadline = phone.nextDeadline, deadline <= now { phone.handleDeadline(at: now) }
    collect()
  }

  /// Takes the events of a side that were not taken yet.
  package mutating func takeEvents(of side: Side) -> [SessionEvent] {
    defer { reported[side] = [] }
    return reported[side] ?? []
  }

  /// Takes events and bytes of both sides, and answers requests, until neither has anything more.
  package mutating func collect() {
    var isActive = true
    var rounds = 0
    while isActive {
      rounds += 1
      precondition(rounds < Self.roundLimit, "the sessions do not stop sending at one moment")
      isActive = Self.collectOnce(
        &headUnit, at: now, &reported[.accessory, default: []], &inFlight[.accessory, default: []], verdict)
      let isPhoneActive = Self.collectOnce(
        &phone, at: now, &reported[.device, default: []], &inFlight[.device, default: []], verdict)
      isActive = isActive || isPhoneActive
    }
  }

  /// Above the rounds that full queues of both sides need.
  private static let roundLimit = 100_000

  /// The verdict on certificates and signatures; nil when requests stay without an answer.
  private var verdict: Bool? { answersRequests ? accepts : nil }

  private static func collectOnce<Policy>(
    _ session: inout Session<Policy>, at now: MonotonicTime, _ reported: inout [SessionEvent],
    _ inFlight: inout [[UInt8]], _ verdict: Bool?
  ) -> Bool {
    var isActive = false
    while let event = session.nextEvent() {
      isActive = true
      reported.append(event)
      switch event {
      case .data(let id, let bytes): session.submit(.consumed(session: id, byteCount: bytes.count), at: now)
      case .openNative(let id, _): session.submit(.nativeUnavailable(session: id), at: now)
      case .role, .opened, .closed, .closeNative, .nativeClosed: break
      }
    }
    while let verdict, let request = session.nextRequest() {
      isActive = true
      session.submit(.answer(to: request, Self.answer(to: request, verdict)), at: now)
    }
    var bytes: [UInt8] = []
    if session.transmit(into: &bytes, at: now) {
      isActive = true
      inFlight.append(bytes)
      session.sent(at: now)
    }
    return isActive
  }

  private static func answer(to request: SessionRequest, _ verdict: Bool) -> RoleInput? {
    switch request.action {
    case .fetchCertificate: .certificateReady([UInt8](repeating: 0x30, count: 610))
    case .fetchSerialNumber: .serialNumberReady([UInt8](repeating: 1, count: 32))
    case .sign: .signatureReady([UInt8](repeating: 2, count: 64))
    case .checkCertificate: .certificateChecked(challenge: [UInt8](repeating: 3, count: 32), reason: nil)
    case .verify: .responseChecked(isValid: verdict, reason: verdict ? nil : "refused")
    default: nil
    }
  }
}
