// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Roles

/// The phone's side of an iAP2 connection to a head unit outside of the process. Its session uses bytes that the owner
/// moves over a transport, one connection after another.
///
/// The phone's connection state follows its session's reports, by all evidence; the end of a transport is proof. The
/// owner passes on bytes and time, calls ``advance(to:)`` at ``nextDeadline`` or later, and after each operation takes
/// ``takeWork()`` and the events.
package struct TransportLink: Sendable {
  /// Work for the owner, in order.
  package enum Work: Sendable, Hashable {
    /// The owner sends the bytes, then calls ``sent(at:)``. Only then do more bytes follow.
    case send([UInt8])
    /// The owner checks a certificate and calls ``answer(_:at:)``.
    case check(certificate: [UInt8])
    /// The owner verifies a response to the challenge and calls ``answer(_:at:)``.
    case verify(response: [UInt8], challenge: [UInt8], certificate: [UInt8])
    /// The connection is over. The owner closes the transport, then calls ``end(at:)``.
    case close
  }

  /// The present time.
  package private(set) var now = MonotonicTime.zero
  /// Whether a transport is open.
  package private(set) var isOpen = false

  private var phone: VehicleLinkSide<PhonePolicy>
  /// The phone before its first connection.
  private var firstState = PhoneState()
  private var work: [Work] = []
  /// The request that the owner is answering.
  private var request: SessionRequest?
  private var isSending = false
  /// The time at which a transport that accepts no bytes is closed after the end of the connection.
  private var closeDeadline: MonotonicTime?
  private var reportedPower: VehicleLink.Power?

  /// Creates a phone without a transport.
  package init() {
    var times = LifecycleTimes()
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    phone = VehicleLinkSide(Lifecycle(policy: .evidence, times: times), answer: nil)
  }

  // MARK: State

  /// Whether the phone regards the head unit as connected.
  package var isConnected: Bool { phone.isConnected }

  /// The time at which the owner calls ``advance(to:)``; nil if no event is scheduled.
  package var nextDeadline: MonotonicTime? { [phone.nextDeadline, closeDeadline].compactMap { $0 }.min() }

  private var phoneState: PhoneState { phone.session?.policy.state ?? phone.lastPolicy?.state ?? firstState }

  // MARK: The transport

  /// Begins a connection on a transport. Has no effect while another one is open.
  ///
  /// - Parameters:
  ///   - address: The address of the transport as text.
  ///   - identifyTimeout: The time within which the head unit must be identified; nil for a transport that may have no
  ///     head unit yet, such as a serial line.
  ///   - time: The current time. A time before ``now`` counts as ``now``.
  package mutating func open(_ address: String, identifyTimeout: Duration?, at time: MonotonicTime) {
    advance(to: time)
    guard !isOpen else { return }
    isOpen = true
    let state = phoneState
    phone.begin(
      address: address,
      { lifecycle in
        var options = SessionOptions<PhonePolicy> { before in
          var profile = PhoneProfile()
          profile.state = before?.state ?? state
          var policy = PhonePolicy(profile: profile)
          policy.previousIdentification = before?.identification
          return policy
        }
        options.identifyTimeout = identifyTimeout
        var limits = Limits()
        // A transport without a limit has no peer yet, so detection never gives up.
        if identifyTimeout == nil { limits.detectAttempts = .max }
        return Session(
          endpoint: Endpoint(side: .device, limits: limits, firstSequence: Endpoint.firstSequence(of: .device)),
          lifecycle: lifecycle, options: options)
      }, at: now)
    pump()
  }

  /// Processes bytes of the head unit, in order.
  package mutating func receive(_ bytes: [UInt8], at time: MonotonicTime) {
    advance(to: time)
    guard isOpen else { return }
    phone.receive(bytes, at: now)
    pump()
  }

  /// Records that the bytes of the last ``Work/send(_:)`` were sent.
  package mutating func sent(at time: MonotonicTime) {
    advance(to: time)
    guard isOpen, isSending else { return }
    isSending = false
    phone.sent(at: now)
    pump()
  }

  /// Processes the result of the last check or verification.
  package mutating func answer(_ input: RoleInput, at time: MonotonicTime) {
    advance(to: time)
    guard let asked = request else { return }
    request = nil
    phone.submit(.answer(to: asked, input), at: now)
    pump()
  }

  /// Ends the connection cleanly. ``Work/close`` follows.
  package mutating func disconnect(at time: MonotonicTime) {
    advance(to: time)
    phone.submit(.disconnect, at: now)
    pump()
  }

  /// Records that either side ended the transport. The head unit no longer supplies the phone with current.
  package mutating func end(at time: MonotonicTime) {
    advance(to: time)
    guard isOpen else { return }
    isOpen = false
    phone.submit(.transportClosed, at: now)
    pump()
    phone.retire()
    (isSending, request, closeDeadline, work) = (false, nil, nil, [])
    changePhone { $0.battery.carCurrent = 0 }
    reportPower()
  }

  // MARK: Time and apps

  /// Advances the time. All events that are due by then run in order.
  package mutating func advance(to time: MonotonicTime) {
    while let next = nextDeadline, next <= time {
      now = max(now, next)
      phone.handleDeadline(at: now)
      pump()
    }
    now = max(now, time)
  }

  /// Changes the state that the phone reports to the head unit.
  package mutating func updatePhone(at time: MonotonicTime, _ body: (inout PhoneState) -> Void) {
    advance(to: time)
    changePhone(body)
    pump()
  }

  /// Takes the requests of the head unit to apps, the oldest first.
  package mutating func takeRequests() -> [PhoneRequest] {
    guard phone.session?.policy.state.hasRequests == true else { return [] }
    var taken: [PhoneRequest] = []
    changePhone { taken = $0.takeRequests() }
    pump()
    return taken
  }

  // MARK: Results

  /// Takes the work that was not taken yet, in order.
  package mutating func takeWork() -> [Work] {
    defer { work = [] }
    return work
  }

  /// Takes the changes of the phone's connection state and power, in order.
  package mutating func takeEvents() -> [VehicleLink.Event] {
    _ = phone.takeFeatures()
    return phone.takeEvents()
  }

  /// Takes the other events of the connection, such as the identification, in order.
  package mutating func takeProgress() -> [RoleEvent] { phone.takeProgress() }

  // MARK: Steps

  private mutating func changePhone(_ body: (inout PhoneState) -> Void) {
    guard phone.session != nil || phone.lastPolicy != nil else { return body(&firstState) }
    phone.change(at: now) { $0.change(body) }
  }

  private mutating func pump() {
    while phone.work(at: now) {}
    if !isSending, let bytes = phone.nextBytes(at: now) {
      isSending = true
      work.append(.send(bytes))
      while phone.work(at: now) {}
    }
    if request == nil, let next = phone.nextRequest() {
      request = next
      ask(next)
    }
    close()
    reportPower()
  }

  private mutating func ask(_ next: SessionRequest) {
    switch next.action {
    case .checkCertificate(let certificate): work.append(.check(certificate: certificate))
    case .verify(let response, let challenge, let certificate):
      work.append(.verify(response: response, challenge: challenge, certificate: certificate))
    // A phone makes no other request.
    default: request = nil
    }
  }

  /// Requests the close of the transport after the end of the session: when the last bytes were sent, or when the
  /// transport has not accepted them for some time.
  private mutating func close() {
    guard isOpen, phone.session?.isOver == true else { return }
    let deadline = closeDeadline ?? now.adding(milliseconds: Limits().closeTimeoutMilliseconds)
    closeDeadline = deadline
    guard !isSending || deadline <= now else { return }
    closeDeadline = nil
    phone.retire()
    work.append(.close)
  }

  private mutating func reportPower() {
    let power = VehicleLink.Power(supply: phoneState.power.supply, percent: phoneState.battery.percent)
    guard power != reportedPower else { return }
    reportedPower = power
    phone.report(.power(power.supply, percent: power.percent))
  }
}
