// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySimulation
import IAP2Transport

/// The access point of a scenario's car, in memory and on the scenario's clock: the phone joins it, the two sides find
/// each other there by Bonjour, and lose and find each other again.
///
/// Over an iAP2 link the start message says where the head unit is, so the head unit does not ask the phone to connect
/// (CarPlayStart.md#start-replaces-bonjour). Without a link it does: a known pair meets on the network first
/// (CarPlayStart.md#known-network).
struct MemoryWiFi: Sendable {
  /// An action that the owner performs.
  enum Action: Sendable {
    /// Connects the phone to the head unit.
    case connect
    case report(SessionSide, DiscoveryEvent)
    /// Passes a record of a control request to the capture.
    case tap(NetworkRecord)
  }

  private enum Event: Sendable {
    case joined
    /// A record of the other side is heard.
    case heard(ServiceChange, by: SessionSide, stay: Int)
    /// The record of another phone is heard.
    case heardOther
    /// The head unit's cache forgets the phone's record.
    case expired
    case called(port: UInt16)
    case outcome(PhoneCaller.Outcome)
  }

  /// The time from the credentials, or from the return of the network, until the phone has an address. Ours, unverified.
  static let joiningMilliseconds = 2_000
  /// The time until a new record is heard. Ours.
  private static let hearingMilliseconds = 100
  /// The latency of a request, and the time limit of one to an unused address, in milliseconds.
  private static let latency = 1, connectTime = 2_000
  /// The lifetime of a record with an address (RFC 6762).
  private static let lifetimeMilliseconds = 120_000
  private static let deviceID = "02:00:00:00:00:01"
  private static let phoneID = FoundService.ID(.control, name: "Phone", interface: "wlan0", isIPv6: true)
  private static let otherPhone = FoundService(
    FoundService.ID(.control, name: "Other phone", interface: "wlan0", isIPv6: true), host: "other.local",
    address: "fe80::3%wlan0", port: 48_999, text: TextRecord([.init("id", "02:00:00:00:01:02")]))
  private static let carID = FoundService.ID(.airPlay, name: "Car", interface: "wlan0", isIPv6: true)

  private var caller = PhoneCaller(PhoneCaller.Settings(.any))
  private var finder = HeadUnitFinder(HeadUnitFinder.Settings(.caller))
  private let car: FoundService
  private var queue: [(time: MonotonicTime, event: Event)] = []
  private var knowsNetwork = false, isInRange = true, isJoined = false
  /// Whether the head unit's start message waits until the phone has joined.
  private var hasStart = false
  /// The number of the phone's stay on the network. Its port changes at each join (CarPlayStart.md#ctrl-service).
  private var stay = 0
  private var port: UInt16 { UInt16(49_000 + stay % 1_000) }
  /// The number of control requests that reached the phone.
  private var callCount = 0
  private var actions: [Action] = []

  /// - Parameter text: The TXT record of the head unit.
  init(text: TextRecord) {
    car = FoundService(Self.carID, host: "car.local", address: "fe80::1%wlan0", port: 7000, text: text)
  }

  /// The time of the next ``advance(to:)``; nil if nothing is planned.
  var nextTime: MonotonicTime? {
    [queue.map(\.time).min(), caller.nextDeadline, finder.nextDeadline].compactMap { $0 }.min()
  }

  /// Removes and returns the actions in their order.
  mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: The link and the sessions

  /// Reports that a link with the phone is up, or that none is: meanwhile the head unit does not call.
  mutating func linkChanged(isUp: Bool, at time: MonotonicTime) {
    drive(at: time) { caller, _, time in caller.hold(isUp, at: time) }
    if !isUp { hasStart = false }
  }

  /// Takes the access point's name and password, with which the phone joins.
  mutating func receivedCredentials(at time: MonotonicTime) {
    knowsNetwork = true
    join(at: time)
  }

  /// Takes the head unit's start message.
  mutating func started(at time: MonotonicTime) {
    guard !isJoined else { return actions.append(.connect) }
    hasStart = true
  }

  /// Takes an event of a side's session.
  mutating func take(_ event: SessionEvent, of side: SessionSide, at time: MonotonicTime) {
    drive(at: time) { caller, finder, time in
      switch (side, event) {
      case (.headUnit, .state(.setUp)):
        caller.sessionBegan(at: time)
        // The link has brought the phone. It begins no second session (CarPlayStart.md#offered-once).
        caller.hold(false, at: time)
      case (.headUnit, .ended(let end, _)):
        caller.sessionEnded(end, at: time)
        // A link that came during the session begins none, nor does one again whose set-up failed.
        caller.hold(false, at: time)
      case (.phone, .state(.connected)): finder.sessionBegan(at: time)
      case (.phone, .state(.setUp)): finder.sessionSetUp()
      case (.phone, .ended(let end, _)): finder.sessionEnded(end, at: time)
      default: break
      }
    }
  }

  // MARK: The network

  /// Takes the phone out of the range of the access point without a word, or brings it back.
  mutating func setInRange(_ isInRange: Bool, at time: MonotonicTime) {
    guard isInRange != self.isInRange else { return }
    self.isInRange = isInRange
    guard !isInRange else { return join(at: time) }
    guard isJoined else { return }
    isJoined = false
    plan(.expired, after: Self.lifetimeMilliseconds, at: time)
    drive(at: time) { _, finder, time in finder.take(.lost(Self.carID), at: time) }
  }

  /// Lets another phone join the access point. It stays there, and does not answer control requests.
  mutating func otherJoins(at time: MonotonicTime) {
    plan(.heardOther, after: Self.joiningMilliseconds + Self.hearingMilliseconds, at: time)
  }

  private mutating func join(at time: MonotonicTime) {
    guard knowsNetwork, isInRange, !isJoined else { return }
    queue.removeAll { if case .joined = $0.event { true } else { false } }
    plan(.joined, after: Self.joiningMilliseconds, at: time)
  }

  private mutating func plan(_ event: Event, after milliseconds: Int, at time: MonotonicTime) {
    queue.append((time.adding(milliseconds: milliseconds), event))
  }

  /// Handles everything that is due.
  mutating func advance(to time: MonotonicTime) {
    while let next = nextTime, next <= time {
      if let index = queue.indices.min(by: { queue[$0].time < queue[$1].time }), queue[index].time <= next {
        take(queue.remove(at: index).event, at: next)
      } else {
        drive(at: next) { caller, finder, time in
          caller.handleDeadline(at: time)
          finder.handleDeadline(at: time)
        }
      }
    }
  }

  private mutating func take(_ event: Event, at time: MonotonicTime) {
    switch event {
    case .joined:
      guard isInRange, !isJoined else { return }
      isJoined = true
      stay += 1
      let phone = FoundService(
        Self.phoneID, host: "phone.local", address: "fe80::2%wlan0", port: port,
        text: TextRecord([.init("id", "02:00:00:00:01:01")]))
      plan(.heard(.found(phone), by: .headUnit, stay: stay), after: Self.hearingMilliseconds, at: time)
      plan(.heard(.found(car), by: .phone, stay: stay), after: Self.hearingMilliseconds, at: time)
      if hasStart {
        hasStart = false
        actions.append(.connect)
      }
    case .heard(let change, let side, let number):
      guard isJoined, number == stay else { return }
      drive(at: time) { caller, finder, time in
        if side == .headUnit { caller.take(change, at: time) } else { finder.take(change, at: time) }
      }
    case .heardOther: drive(at: time) { caller, _, time in caller.take(.found(Self.otherPhone), at: time) }
    case .expired:
      guard !isJoined else { return }
      drive(at: time) { caller, _, time in caller.take(.lost(Self.phoneID), at: time) }
    case .called(let called):
      guard isJoined, called == port, let call = Self.call else {
        return plan(.outcome(.none(reason: "no answer")), after: Self.connectTime, at: time)
      }
      record([.opened(isOwn: true), .bytes(call.request, isOwn: true)])
      drive(at: time) { _, finder, time in finder.called(call.read, at: time) }
      record([.bytes(call.answer, isOwn: false), .closed(isOwn: false)])
      callCount += 1
      plan(.outcome(.status(200)), after: Self.latency, at: time)
    case .outcome(let outcome): drive(at: time) { caller, _, time in caller.answered(outcome, at: time) }
    }
  }

  private mutating func drive(
    at time: MonotonicTime, _ body: (inout PhoneCaller, inout HeadUnitFinder, MonotonicTime) -> Void
  ) {
    body(&caller, &finder, time)
    for action in caller.takeActions() {
      switch action {
      case .call(let phone): plan(.called(port: phone.port), after: Self.latency, at: time)
      case .cancel: queue.removeAll { if case .called = $0.event { true } else { false } }
      case .report(let event): actions.append(.report(.headUnit, event))
      }
    }
    for action in finder.takeActions() {
      switch action {
      case .connect: actions.append(.connect)
      case .report(let event): actions.append(.report(.phone, event))
      }
    }
  }

  /// Passes what a control request sends to the capture.
  private mutating func record(_ contents: [NetworkRecord.Content]) {
    let path = NetworkRecord.Path(port: UInt16(50_000 + callCount % 10_000), phone: 0, phonePort: port)
    actions += contents.map { .tap(NetworkRecord(content: $0, path: path)) }
  }

  /// The head unit's request, and the phone's answer.
  private static let call: (request: [UInt8], read: ControlCall, answer: [UInt8])? = {
    guard let id = DeviceID(deviceID) else { return nil }
    let request = ControlCall.request(id, sourceVersion: Generation.current.sourceVersion, host: "phone.local")
    var reader = RequestReader()
    reader.add(request)
    do {
      guard let message = try reader.next() else { return nil }
      return (request, try ControlCall(message), ControlCall.answer(message).bytes)
    } catch { return nil }
  }()
}
