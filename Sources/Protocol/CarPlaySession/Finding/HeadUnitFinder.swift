// swift-iap2 · Apache-2.0

public import Basics

/// A phone's side of discovery: which head unit it connects to, by which address, and when.
///
/// A value without I/O. Its owner reports found head units, control requests and connections, and performs the actions.
public struct HeadUnitFinder: Sendable {
  /// Which head unit the phone connects to.
  public enum Target: Sendable, Hashable {
    /// The first that is found.
    case any
    /// The one with this name, or with this address as its `deviceid`.
    case named(String)
    /// The one that asks for it by a control request.
    case caller
  }

  /// The settings.
  public struct Settings: Sendable {
    /// Which head unit the phone connects to.
    public var target: Target
    /// The pairing identifiers (`pi`) of the head units with which the phone has paired. They are tried first.
    public var known: Set<String> = []
    /// The time in which further addresses of a head unit may be found, before the best one is taken. Ours.
    public var settling = Duration.milliseconds(200)
    /// The time within which a head unit that called must be found. Ours.
    public var patience = Duration.seconds(10)
    /// The time before a head unit is tried again. Ours.
    public var pause = Duration.seconds(1)
    /// The time before a head unit is tried again that has a session with another phone. Ours.
    public var busyPause = Duration.seconds(5)

    /// Creates settings.
    public init(_ target: Target) { self.target = target }
  }

  /// An action that the finder requests from its owner.
  public enum Action: Sendable, Hashable {
    /// Connect to a head unit, and call ``HeadUnitFinder/sessionBegan(at:)``,
    /// ``HeadUnitFinder/failed(at:)`` or ``HeadUnitFinder/sessionEnded(_:at:)``.
    case connect(FoundService)
    /// Report an event.
    case report(DiscoveryEvent)
  }

  private enum Phase: Sendable, Hashable {
    case searching
    /// Addresses are collected.
    case settling(until: MonotonicTime)
    /// The number of addresses of that head unit that were tried before this one.
    case connecting(String, tried: Int)
    /// All addresses were tried.
    case pausing(until: MonotonicTime)
    case busy(String)
    /// The session ended in order: only a call begins another one.
    case resting
  }

  private let settings: Settings
  /// The longest pause of a head unit that refuses the phone, in times of ``Settings/busyPause``.
  private static let longestPause = 12
  private var headUnits = ServiceList()
  private var phase = Phase.searching
  /// The failed attempts with each head unit since its last session.
  private var failures: [String: Int] = [:]
  /// The first address to try of a head unit that took a connection and set no session up: behind the one that it took.
  private var offsets: [String: Int] = [:]
  /// Whether the present session was set up.
  private var isSetUp = false
  /// The call of a head unit that was not served yet, and the end of the wait for it.
  private var call: (readings: [ControlCall.Reading], end: MonotonicTime)?
  private var actions: [Action] = []

  /// Creates a finder.
  public init(_ settings: Settings) { self.settings = settings }

  /// The time of the next ``handleDeadline(at:)``; nil without one.
  public var nextDeadline: MonotonicTime? {
    let own: MonotonicTime? =
      switch phase {
      case .settling(let end), .pausing(let end): end
      case .searching, .connecting, .busy, .resting: nil
      }
    return [own, call?.end].compactMap { $0 }.min()
  }

  /// Removes and returns the actions in their order.
  public mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Takes a change of the head units on the network.
  public mutating func take(_ change: ServiceChange, at time: MonotonicTime) {
    let effect = headUnits.take(change)
    if effect == .gone, case .lost(let id) = change { (failures[id.name], offsets[id.name]) = (nil, nil) }
    switch (effect, change) {
    case (.none, _): return
    case (_, .found(let service)): actions.append(.report(.found(service)))
    case (_, .lost(let id)): actions.append(.report(.lost(id)))
    }
    // A head unit that came anew begins anew.
    if phase == .resting, effect == .new { phase = .searching }
    proceed(at: time)
  }

  /// Takes a control request.
  public mutating func called(_ call: ControlCall, at time: MonotonicTime) {
    let found = headUnit(calling: call.readings)
    let reading = found?.reading ?? call.readings[0]
    actions.append(.report(.called(reading, name: found?.named.name)))
    // A running session is not interrupted by another head unit, and one by the same head unit goes on.
    switch phase {
    case .busy, .connecting: return
    case .searching, .settling, .pausing, .resting: break
    }
    // Anybody can call: who is on the network comes before who is not.
    if found == nil, let call = self.call, headUnit(calling: call.readings) != nil { return }
    self.call = (call.readings, time.advanced(by: settings.patience))
    if case .settling = phase { return }
    phase = .searching
    proceed(at: time)
  }

  /// Takes a head unit whose address the user or an iAP2 link gave, and which its owner connects to.
  ///
  /// - Returns: False while a session runs, or is being connected.
  public mutating func begins(with name: String) -> Bool {
    switch phase {
    case .connecting, .busy: return false
    case .searching, .settling, .pausing, .resting: break
    }
    call = nil
    phase = .connecting(name, tried: 0)
    return true
  }

  /// Reports that the last connection was not established.
  public mutating func failed(at time: MonotonicTime) {
    guard case .connecting(let name, let tried) = phase else { return }
    let usable = headUnits.names.first { $0.name == name }?.usable ?? []
    guard tried + 1 < usable.count else {
      failures[name, default: 0] += 1
      // Another head unit that has not failed is tried at once: dead records of strangers cost little time.
      let hasOther = wanted.map { failures[$0.name] == nil } ?? false
      phase = .pausing(until: time.advanced(by: hasOther ? .zero : settings.pause))
      return
    }
    connect(usable[(tried + 1 + offsets[name, default: 0]) % usable.count], tried: tried + 1)
  }

  /// Reports that the connection is established.
  public mutating func sessionBegan(at time: MonotonicTime) {
    guard case .connecting(let name, _) = phase else { return }
    (call, isSetUp) = (nil, false)
    phase = .busy(name)
  }

  /// Reports that the session is set up, so that the head unit is one.
  public mutating func sessionSetUp() {
    guard case .busy(let name) = phase else { return }
    isSetUp = true
    (failures[name], offsets[name]) = (nil, nil)
  }

  /// Reports that the session ended.
  public mutating func sessionEnded(_ end: SessionEnd, at time: MonotonicTime) {
    switch phase {
    case .busy(let name), .connecting(let name, _):
      let wasSetUp = isSetUp
      if !wasSetUp {
        failures[name, default: 0] += 1
        offsets[name, default: 0] += 1
      }
      isSetUp = false
      switch end {
      case .busy: phase = .pausing(until: time.advanced(by: settings.busyPause))
      case _ where end.isLoss: phase = .pausing(until: time.advanced(by: settings.pause))
      case .teardown, .stopped, .linkLost: phase = .resting
      // One that refuses the phone is tried more and more rarely, and another one before it.
      default:
        let pause = settings.busyPause * min(failures[name, default: 0], Self.longestPause)
        phase = wasSetUp ? .resting : .pausing(until: time.advanced(by: pause))
      }
    case .searching, .settling, .pausing, .resting: break
    }
  }

  /// Handles the deadlines that have passed.
  public mutating func handleDeadline(at time: MonotonicTime) {
    if let call, call.end <= time {
      self.call = nil
      let reason = "no head unit with this address was found"
      actions.append(.report(.failed(name: "\(call.readings[0].deviceID)", reason: reason, pauses: false)))
    }
    switch phase {
    case .settling(let end) where end <= time:
      phase = .searching
      guard let headUnit = wanted else { return }
      let usable = headUnit.usable
      connect(usable[offsets[headUnit.name, default: 0] % usable.count], tried: 0)
    case .pausing(let end) where end <= time:
      phase = .searching
      proceed(at: time)
    case .searching, .settling, .pausing, .connecting, .busy, .resting: break
    }
  }

  private mutating func proceed(at time: MonotonicTime) {
    guard phase == .searching, wanted != nil else { return }
    phase = .settling(until: time.advanced(by: settings.settling))
  }

  private mutating func connect(_ service: FoundService, tried: Int) {
    phase = .connecting(service.id.name, tried: tried)
    actions.append(.report(.connects(name: service.id.name, address: service.endpoint ?? "")))
    actions.append(.connect(service))
  }

  /// The head unit to connect to; nil if it is not on the network.
  private var wanted: ServiceList.Named? {
    // A call from an unknown address does not replace the user's target.
    if let call, let found = headUnit(calling: call.readings) { return found.named }
    return switch settings.target {
    case .caller: nil
    case .any: next(isCar)
    case .named(let name): next { $0.name == name || has(DeviceID(name), $0) }
    }
  }

  private func headUnit(calling readings: [ControlCall.Reading]) -> (
    named: ServiceList.Named, reading: ControlCall.Reading
  )? {
    for reading in readings {
      let named = next { has(reading.deviceID, $0) }
      if let named { return (named, reading) }
    }
    return nil
  }

  /// The head unit that has failed least; of several a known one, and then the one that was found first. Several may
  /// have one address: anybody can announce any.
  private func next(_ isMeant: (ServiceList.Named) -> Bool) -> ServiceList.Named? {
    headUnits.names.filter { !$0.usable.isEmpty && isMeant($0) }.min { rank($0) < rank($1) }
  }

  private func rank(_ headUnit: ServiceList.Named) -> (failures: Int, isStranger: Int) {
    let isKnown = headUnit.services.contains { service in
      HeadUnitRecord(service.text).pairingID.map(settings.known.contains) ?? false
    }
    return (failures[headUnit.name, default: 0], isKnown ? 0 : 1)
  }

  private func has(_ id: DeviceID?, _ headUnit: ServiceList.Named) -> Bool {
    id != nil && headUnit.services.contains { HeadUnitRecord($0.text).deviceID == id }
  }

  /// Whether it is a car, and no speaker or television.
  private func isCar(_ headUnit: ServiceList.Named) -> Bool {
    headUnit.services.contains { HeadUnitRecord($0.text).features?.contains(.car) == true }
  }
}
