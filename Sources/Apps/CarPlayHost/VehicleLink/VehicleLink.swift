// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
package import IAP2
package import IAP2Roles

/// The iAP2 connection of the emulated car: a head unit and a phone, each with a complete session, in virtual time.
///
/// The phone's connection state decides when an app is connected: ``Event/connected`` and ``Event/disconnected(_:)`` of
/// `Side.device` are those of the system below the app. A pulled cable stops the bytes, as in the field: neither side's
/// transport reports an end. The policy of the options then decides from the notification, if it is not lost, from the
/// phone's power, or from probes of the link.
///
/// The owner calls ``advance(to:)`` at ``nextDeadline`` or later, and takes ``takeReports()`` after each operation.
/// Authentication needs no keys: the sessions' requests are answered with bytes that both sides accept.
package struct VehicleLink: Sendable {
  /// A change that one side observes.
  package enum Event: Sendable, Hashable {
    /// Both sides are ready.
    case connected
    /// A new connection is ready, but the end of the previous one was never reported.
    case reconnected
    /// The supply of the phone's battery or its level in percent changed. Only the phone reports it.
    case power(PowerSupply, percent: Int)
    /// The side decided that the other one is disconnected.
    case disconnected(DisconnectCause)
  }

  /// An event with its side and time.
  package struct Report: Sendable, Hashable {
    /// The time of the event.
    package var time: MonotonicTime
    /// The side that observes the event: `device` is the phone.
    package var side: Side
    /// The event.
    package var event: Event
  }

  /// A physical change whose signal has not arrived.
  private enum Signal: Sendable, Hashable {
    case notice(Side)
    case supplyStopped
  }

  /// Bytes that a side put on the cable.
  package struct Sent: Sendable, Hashable {
    /// The time, and the number of the connection from 1.
    package var time: MonotonicTime
    package var connection: Int
    /// The side.
    package var from: Side
    /// The bytes.
    package var bytes: [UInt8]
  }

  private struct Pending<Content: Sendable>: Sendable {
    var time: MonotonicTime
    var content: Content
  }

  /// The power that was reported last.
  struct Power: Sendable, Hashable {
    var supply: PowerSupply
    var percent: Int
  }

  /// The options of the connection.
  package let options: VehicleLinkOptions
  /// The present time.
  package private(set) var now = MonotonicTime.zero
  /// Whether the cable is plugged in, or the wireless connection is in range.
  package private(set) var isPlugged = false

  private var headUnit: VehicleLinkSide<HeadUnitPolicy>
  private var phone: VehicleLinkSide<PhonePolicy>
  /// The phone before its first connection.
  private var firstState: PhoneState
  private var generator: SeededGenerator
  /// The bytes on the cable, by the side that sent them.
  private var wire: [Pending<(from: Side, bytes: [UInt8])>] = []
  private var signals: [Pending<Signal>] = []
  /// Whether the bytes on the cable are kept for ``takeSent()``.
  package var isTapped = false
  private var tapped: [Sent] = []
  /// The number of connections so far.
  private var connectionCount = 0
  private var reports: [Report] = []
  private var reportedPower: Power?
  /// The status of the car, which the head unit reports to a phone that requests it.
  package private(set) var vehicleStatus = VehicleStatusUpdate()
  /// The movement of the car with its start time; nil for a head unit without a position.
  private var motion: (value: VehicleMotion, start: MonotonicTime)?
  /// The time of the next position; nil unless the phone requests positions.
  private var positionDue: MonotonicTime?

  /// Creates a connection that is not plugged in.
  package init(_ options: VehicleLinkOptions = VehicleLinkOptions()) {
    self.options = options
    let lifecycle = Lifecycle(policy: options.policy, times: options.times)
    headUnit = VehicleLinkSide(lifecycle)
    phone = VehicleLinkSide(lifecycle)
    firstState = options.phone
    generator = SeededGenerator(seed: options.seed)
  }

  // MARK: State

  /// Returns whether a side regards the other one as connected, correctly or not.
  package func isConnected(_ side: Side) -> Bool { side == .device ? phone.isConnected : headUnit.isConnected }

  /// The supply of the phone's battery, as `UIDevice` knows it.
  package var supply: PowerSupply { phoneState.power.supply }
  /// The charge level of the phone in percent.
  package var batteryPercent: Int { phoneState.battery.percent }

  /// Whether bytes are on the cable. They arrive within milliseconds.
  package var hasBytesUnderWay: Bool { !wire.isEmpty }

  /// The time at which the owner calls ``advance(to:)``; nil if no event is scheduled.
  package var nextDeadline: MonotonicTime? {
    let times = [wire.first?.time, signals.map(\.time).min(), headUnit.nextDeadline, phone.nextDeadline, positionDue]
    return times.compactMap { $0 }.min()
  }

  private var phoneState: PhoneState { phone.session?.policy.state ?? phone.lastPolicy?.state ?? firstState }

  // MARK: Operations

  /// Plugs the phone in. Has no effect if it is plugged in.
  ///
  /// - Parameter time: The current time. A time before ``now`` counts as ``now``.
  package mutating func connect(at time: MonotonicTime) {
    advance(to: time)
    guard !isPlugged else { return }
    isPlugged = true
    connectionCount += 1
    wire = []
    // The pause was too short for the phone to report the end of its supply.
    signals.removeAll { $0.content == .supplyStopped }
    let state = phoneState
    var profile = options.headUnit
    profile.state.vehicleStatus = vehicleStatus
    headUnit.begin({ [profile] in Self.session(.accessory, $0) { _ in HeadUnitPolicy(profile: profile) } }, at: now)
    phone.begin(
      {
        Self.session(.device, $0) { before in
          var profile = PhoneProfile()
          profile.state = before?.state ?? state
          return PhonePolicy(profile: profile)
        }
      }, at: now)
    pump()
  }

  /// Pulls the cable, or moves out of range. Bytes in transit are lost. Has no effect if nothing is plugged in.
  ///
  /// - Parameters:
  ///   - isNoticed: Whether both sides are notified; nil for a random choice for each side.
  ///   - time: The current time. A time before ``now`` counts as ``now``.
  package mutating func unplug(noticed isNoticed: Bool? = nil, at time: MonotonicTime) {
    advance(to: time)
    guard isPlugged else { return }
    isPlugged = false
    positionDue = nil
    wire = []
    for side in [Side.accessory, .device] {
      guard isNoticed ?? !generator.chance(options.noticeLoss) else { continue }
      signals.append(Pending(time: now.adding(milliseconds: options.noticeMilliseconds), content: .notice(side)))
    }
    if options.link == .wired {
      signals.append(Pending(time: now.adding(milliseconds: options.supplyMilliseconds), content: .supplyStopped))
    }
  }

  /// Plugs in, changes or removes a charger other than the car, such as a power bank.
  ///
  /// - Parameters:
  ///   - milliamperes: The current of the charger; 0 removes it.
  ///   - time: The current time. A time before ``now`` counts as ``now``.
  package mutating func setOtherCurrent(_ milliamperes: Int, at time: MonotonicTime) {
    advance(to: time)
    changePhone { $0.battery.wallCurrent = max(0, milliamperes) }
    pump()
  }

  /// Sets the charge level of the phone in percent.
  package mutating func setBatteryPercent(_ percent: Int, at time: MonotonicTime) {
    advance(to: time)
    changePhone { $0.battery.percent = percent }
    pump()
  }

  /// Advances the time. All events that are due by then run in order.
  package mutating func advance(to time: MonotonicTime) {
    while let next = nextDeadline, next <= time {
      now = max(now, next)
      step()
    }
    now = max(now, time)
  }

  /// Takes the events that were not taken yet, in order.
  package mutating func takeReports() -> [Report] {
    defer { reports = [] }
    return reports
  }

  /// Takes the bytes on the cable that were not taken yet, in order.
  package mutating func takeSent() -> [Sent] {
    defer { tapped = [] }
    return tapped
  }

  // MARK: Reports of apps, and requests of the head unit

  /// Changes the state that the phone reports to the head unit.
  package mutating func updatePhone(at time: MonotonicTime, _ body: (inout PhoneState) -> Void) {
    advance(to: time)
    changePhone(body)
    pump()
  }

  /// Takes the requests of the head unit to apps, the oldest first.
  package mutating func takeRequests() -> [PhoneRequest] {
    var taken: [PhoneRequest] = []
    // Most steps have no request, and a change would make the phone check for updates.
    guard phone.session?.policy.state.hasRequests == true else { return [] }
    changePhone { taken = $0.takeRequests() }
    return taken
  }

  /// Takes the events of features that a side observed, the oldest first.
  package mutating func takeFeatures(of side: Side) -> [FeatureEvent] {
    side == .device ? phone.takeFeatures() : headUnit.takeFeatures()
  }

  /// Presses and releases a media key of the head unit.
  ///
  /// - Returns: Whether the head unit has such a key and is connected.
  package mutating func press(_ button: MediaButton, at time: MonotonicTime) -> Bool {
    advance(to: time)
    defer { pump() }
    return headUnit.act(at: now) { policy in
      do { return (true, try policy.press(button)) } catch { return (false, []) }
    } ?? false
  }

  /// Sends a message of the head unit.
  ///
  /// - Returns: Whether the head unit lists the message and is connected.
  package mutating func request(_ message: some ControlMessage, at time: MonotonicTime) -> Bool {
    advance(to: time)
    defer { pump() }
    return headUnit.act(at: now) { policy in
      let actions = policy.request(message)
      return (actions != nil, actions ?? [])
    } ?? false
  }

  // MARK: The car

  /// Changes the status of the car. The head unit reports it to a phone that requests it, and again on each new
  /// connection.
  package mutating func setVehicleStatus(_ status: VehicleStatusUpdate, at time: MonotonicTime) {
    advance(to: time)
    vehicleStatus = status
    headUnit.change(at: now) { $0.change { $0.vehicleStatus = status } }
    pump()
  }

  /// Changes the position and the movement of the car. While the phone requests positions, the head unit reports the
  /// new one immediately and then one every ``positionMilliseconds``.
  package mutating func move(_ motion: VehicleMotion, at time: MonotonicTime) {
    advance(to: time)
    self.motion = (motion, now)
    positionDue = nil
    pump()
    advance(to: now)
  }

  /// The time between two positions: about a second (Features.md#location-order).
  private static let positionMilliseconds = 1000

  private mutating func reportPosition() {
    guard let due = positionDue, due <= now, let motion else { return }
    let fix = motion.value.fix(
      after: motion.start.duration(to: now) / .seconds(1),
      unixTime: options.unixTime + MonotonicTime.zero.duration(to: now) / .seconds(1))
    _ = headUnit.act(at: now) { policy in ((), policy.report(NMEA.sentences(fix))) }
    positionDue = now.adding(milliseconds: Self.positionMilliseconds)
  }

  /// Starts position reports when the phone requests them, and stops them afterwards.
  private mutating func schedulePositions() {
    let isRequested = headUnit.session?.policy.reportsLocation ?? false
    guard isRequested, isPlugged, motion != nil else {
      positionDue = nil
      return
    }
    positionDue = positionDue ?? now
  }

  // MARK: Steps

  private mutating func step() {
    while let first = wire.first, first.time <= now {
      wire.removeFirst()
      switch first.content.from {
      case .accessory: phone.receive(first.content.bytes, at: now)
      case .device: headUnit.receive(first.content.bytes, at: now)
      }
    }
    let due = signals.filter { $0.time <= now }
    signals.removeAll { $0.time <= now }
    for signal in due {
      switch signal.content {
      case .notice(.accessory): headUnit.notice(at: now)
      case .notice(.device): phone.notice(at: now)
      case .supplyStopped: changePhone { $0.battery.carCurrent = 0 }
      }
    }
    headUnit.handleDeadline(at: now)
    phone.handleDeadline(at: now)
    reportPosition()
    pump()
  }

  private mutating func changePhone(_ body: (inout PhoneState) -> Void) {
    guard phone.session != nil || phone.lastPolicy != nil else { return body(&firstState) }
    phone.change(at: now) { $0.change(body) }
  }

  private mutating func pump() {
    var sent: [(from: Side, bytes: [UInt8])] = []
    headUnit.pump(at: now) { sent.append((.accessory, $0)) }
    phone.pump(at: now) { sent.append((.device, $0)) }
    if isPlugged {
      let arrival = now.adding(milliseconds: max(1, options.delayMilliseconds))
      wire += sent.map { Pending(time: arrival, content: $0) }
      if isTapped {
        tapped += sent.map { Sent(time: now, connection: connectionCount, from: $0.from, bytes: $0.bytes) }
      }
    }
    reports += headUnit.takeEvents().map { Report(time: now, side: .accessory, event: $0) }
    reportPower()
    schedulePositions()
    reports += phone.takeEvents().map { Report(time: now, side: .device, event: $0) }
  }

  private mutating func reportPower() {
    let power = Power(supply: supply, percent: batteryPercent)
    guard power != reportedPower else { return }
    reportedPower = power
    reports.append(Report(time: now, side: .device, event: .power(power.supply, percent: power.percent)))
  }

  private static func session<Policy>(
    _ side: Side, _ lifecycle: Lifecycle, _ makePolicy: @escaping @Sendable (Policy?) -> Policy
  ) -> Session<Policy> {
    var options = SessionOptions<Policy>(makePolicy: makePolicy)
    // The notifications come from the cable, not from the end of the link.
    options.losesNotice = true
    return Session(
      endpoint: Endpoint(side: side, firstSequence: Endpoint.firstSequence(of: side)), lifecycle: lifecycle,
      options: options)
  }

  /// Returns the answer to a request of an authentication without keys.
  static func answer(to action: RoleAction) -> RoleInput? {
    switch action {
    case .fetchCertificate: .certificateReady([UInt8](repeating: 0x30, count: 610))
    case .fetchSerialNumber: .serialNumberReady([UInt8](repeating: 1, count: 32))
    case .sign: .signatureReady([UInt8](repeating: 2, count: 64))
    case .checkCertificate: .certificateChecked(challenge: [UInt8](repeating: 3, count: 32), reason: nil)
    case .verify: .responseChecked(isValid: true, reason: nil)
    default: nil
    }
  }
}
