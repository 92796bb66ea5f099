// swift-iap2 · Apache-2.0

public import Basics

/// A head unit's side of control requests: which phone it asks to connect, when, and how often.
///
/// A value without I/O. Its owner reports found phones, answers and sessions, and performs the actions.
/// - A running session is not interrupted (CarPlayStart.md#one-session).
/// - After a session that was lost the phone is asked again; after one that ended in order it is not
///   (CarPlayStart.md#reconnect).
/// - Several phones take turns. After a session its phone comes first, alone, until it is gone or was asked in vain
///   ``Settings/attempts`` times: the user chooses another phone.
/// - After ``Settings/attempts`` requests to a phone, the next ones wait for ``Settings/rest``: its record may be older
///   than its absence.
public struct PhoneCaller: Sendable {
  /// Which phones are asked.
  public enum Target: Sendable, Hashable {
    /// The first that is found.
    case any
    /// The one with this name, or with this Bluetooth address.
    case named(String)
  }

  /// The settings of the requests.
  public struct Settings: Sendable {
    /// Which phones are asked.
    public var target: Target
    /// The requests to a phone before the longer pause. LIVI's number (CarPlayStart.md#ctrl-attempts).
    public var attempts = 7
    /// The time between two requests. LIVI waits 1 to 1.5 s.
    public var pause = Duration.milliseconds(1250)
    /// The longer pause. A phone may ignore a head unit that asks too often (CarPlayStart.md#ignored-invitations). Ours.
    public var rest = Duration.seconds(30)
    /// The time within which a phone that answered must connect. Ours.
    public var patience = Duration.seconds(10)
    /// The time within which a phone that is back with the same address and port never was away: a goodbye of an earlier
    /// stay came late. Ours.
    public var grace = Duration.seconds(10)

    /// Creates settings.
    public init(_ target: Target) { self.target = target }
  }

  /// An action that the caller requests from its owner.
  public enum Action: Sendable, Hashable {
    /// Send the request to a phone, and call ``PhoneCaller/answered(_:at:)``.
    case call(FoundService)
    /// Drop the last request: its outcome does not matter any more.
    case cancel
    /// Report an event.
    case report(DiscoveryEvent)
  }

  /// The outcome of a request.
  public enum Outcome: Sendable, Hashable {
    /// The status of the answer.
    case status(Int)
    /// No answer came, for this reason.
    case none(reason: String)
  }

  private enum Phase: Sendable, Hashable {
    /// No request is planned.
    case idle
    /// The next request waits.
    case pausing(until: MonotonicTime)
    /// The answer of a phone is awaited.
    case calling(String)
    /// The connection of a phone is awaited.
    case expecting(String, until: MonotonicTime)
    /// A session is live. The name is that of the phone that was asked last; nil for one that came by itself.
    case busy(String?)
  }

  private let settings: Settings
  private var phones = ServiceList()
  /// The requests to each phone since it came.
  private var attempts: [String: Int] = [:]
  /// The phones that are not asked before this time.
  private var resting: [String: MonotonicTime] = [:]
  /// The phones that are not asked again.
  private var done: Set<String> = []
  /// The phones that were not asked any more when they left.
  private var departed: [String: (endpoint: String?, until: MonotonicTime)] = [:]
  /// The phone of the last session, as far as it is known; nil when other phones are asked, too.
  private var last: String?
  private var phase = Phase.idle
  /// Whether requests are held back.
  private var isHeld = false
  private var actions: [Action] = []

  /// Creates a caller.
  public init(_ settings: Settings) { self.settings = settings }

  /// The time of the next ``handleDeadline(at:)``; nil without one.
  public var nextDeadline: MonotonicTime? {
    switch phase {
    case .pausing(let end), .expecting(_, let end): end
    case .idle: isHeld ? nil : resting.values.min()
    case .calling, .busy: nil
    }
  }

  /// Removes and returns the actions in their order.
  public mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Holds requests back, as while an iAP2 link brings the phone, or resumes them. A sent request stays.
  public mutating func hold(_ isHeld: Bool, at time: MonotonicTime) {
    self.isHeld = isHeld
    proceed(at: time)
  }

  /// Takes a change of the phones on the network.
  public mutating func take(_ change: ServiceChange, at time: MonotonicTime) {
    let name: String
    switch change {
    case .found(let service): name = service.id.name
    case .lost(let id): name = id.name
    }
    let endpoint = phones.names.first { $0.name == name }?.services.first?.endpoint
    let effect = phones.take(change)
    switch (effect, change) {
    case (.none, _): return
    case (_, .found(let service)):
      actions.append(.report(.found(service)))
      arrived(service, effect, at: time)
    case (_, .lost(let id)):
      actions.append(.report(.lost(id)))
      if effect == .gone { left(name, endpoint, at: time) }
    }
    proceed(at: time)
  }

  private mutating func arrived(_ phone: FoundService, _ effect: ServiceList.Effect, at time: MonotonicTime) {
    let name = phone.id.name
    guard effect == .new || effect == .moved else { return }
    forget(name)
    if let stay = departed.removeValue(forKey: name), effect == .new, time < stay.until, stay.endpoint == phone.endpoint
    {
      done.insert(name)
    }
  }

  private mutating func left(_ name: String, _ endpoint: String?, at time: MonotonicTime) {
    departed = departed.filter { time < $0.value.until }
    if done.contains(name), departed.count < ServiceList.maximumCount {
      departed[name] = (endpoint, time.advanced(by: settings.grace))
    }
    forget(name)
    if last == name { askOthers() }
    if case .expecting(name, _) = phase { phase = .idle }
  }

  /// Takes the outcome of the last request.
  public mutating func answered(_ outcome: Outcome, at time: MonotonicTime) {
    guard case .calling(let name) = phase else { return }
    switch outcome {
    case .status(let status):
      actions.append(.report(.answered(phone: name, status: status)))
      guard status == 200 else { return fail(name, "status \(status)", at: time) }
      phase = .expecting(name, until: time.advanced(by: settings.patience))
    case .none(let reason): fail(name, reason, at: time)
    }
  }

  /// Reports that a session was set up.
  public mutating func sessionBegan(at time: MonotonicTime) {
    switch phase {
    case .calling(let name):
      // A request that comes late would call the phone when the session is over.
      actions.append(.cancel)
      forget(name)
      phase = .busy(name)
    case .expecting(let name, _):
      forget(name)
      phase = .busy(name)
    case .idle, .pausing: phase = .busy(nil)
    case .busy: break
    }
  }

  /// Reports that the session ended.
  public mutating func sessionEnded(_ end: SessionEnd, at time: MonotonicTime) {
    guard case .busy(let name) = phase else { return }
    // The only phone is the one that came by itself, also if it ended an earlier session in order.
    if end.isLoss, name == nil, phones.names.count == 1 { done = [] }
    // After a loss the same phone is asked again. The user chooses another phone.
    done.formUnion(phones.names.map(\.name).filter { !end.isLoss || name != nil && name != $0 })
    last = name
    phase = .pausing(until: time.advanced(by: settings.pause))
  }

  /// Lets other phones than that of the last session be asked.
  private mutating func askOthers() { (done, last) = ([], nil) }

  /// Handles a deadline that has passed.
  public mutating func handleDeadline(at time: MonotonicTime) {
    guard let deadline = nextDeadline, deadline <= time else { return }
    if case .expecting(let name, _) = phase { return fail(name, "the phone answered and did not connect", at: time) }
    phase = .idle
    proceed(at: time)
  }

  private mutating func forget(_ name: String) {
    attempts[name] = nil
    resting[name] = nil
    done.remove(name)
  }

  private mutating func fail(_ name: String, _ reason: String, at time: MonotonicTime) {
    let pauses = attempts[name, default: 0] >= settings.attempts
    // A phone that is gone is not there to rest.
    if pauses, attempts[name] != nil { resting[name] = time.advanced(by: settings.rest) }
    if pauses, last == name { askOthers() }
    actions.append(.report(.failed(name: name, reason: reason, pauses: pauses)))
    phase = .pausing(until: time.advanced(by: settings.pause))
  }

  private mutating func proceed(at time: MonotonicTime) {
    guard phase == .idle, !isHeld else { return }
    resting = resting.filter { time < $0.value }
    // The phone that was asked least has its turn.
    let next = phones.names.filter { phone in
      !done.contains(phone.name) && resting[phone.name] == nil && isMeant(phone) && !phone.usable.isEmpty
    }.min { attempts[$0.name, default: 0] < attempts[$1.name, default: 0] }
    guard let phone = next else { return }
    let (usable, attempt) = (phone.usable, attempts[phone.name, default: 0])
    attempts[phone.name] = attempt + 1
    phase = .calling(phone.name)
    // Each address has its turn.
    let service = usable[attempt % usable.count]
    actions.append(.report(.calls(phone: phone.name, address: service.endpoint ?? "", attempt: attempt + 1)))
    actions.append(.call(service))
  }

  private func isMeant(_ phone: ServiceList.Named) -> Bool {
    guard case .named(let name) = settings.target else { return true }
    if phone.name == name { return true }
    guard let id = DeviceID(name) else { return false }
    return phone.services.contains { PhoneRecord($0.text).bluetoothID == id }
  }
}

extension SessionEnd {
  /// Whether the other side was lost, without a choice of either side.
  public var isLoss: Bool {
    switch self {
    case .controlLost, .eventLost, .streamLost, .requestTimeout, .feedbackSilent, .clockSilent, .videoStalled: true
    default: false
    }
  }
}
