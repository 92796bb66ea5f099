// swift-iap2 · Apache-2.0

import CarPlayInnerLink
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import IAP2
import IAP2Authentication
import IAP2Roles
import IAP2Runtime
import IAP2Transport

/// The CarPlay sessions of a scenario in memory, beside its iAP2 roles and on their clock.
///
/// The phone connects when the head unit's start message comes. A wired session has the link's cable: when it is pulled
/// nothing arrives, and the end of the iAP2 link ends both sides. A wireless one is on the car's access point and
/// continues when the link ends; each of its sides has an ``InnerLink``.
actor MemoryCarPlay {
  private var network: SessionNetwork
  private var phone: PhoneConfiguration
  /// The access point of a wireless session.
  private var wiFi: MemoryWiFi?
  /// iAP2 inside a wireless session, of each side; empty for a wired one.
  private let innerLinks: [(node: SessionNetwork.Node, link: InnerLink)]
  /// Receives everything that passes the network, and the secrets of the sessions; nil for none.
  private let tap: SessionTap?
  /// The number of secrets that ``tap`` has received.
  private var tappedSecrets = 0
  /// Ends the link, as a head unit drops Bluetooth.
  private let dropLink: @Sendable () -> Void
  private let settings: CarPlaySettings
  private let clock: any RuntimeClock
  private let log: EventLog
  private let show: @Sendable (SessionSide, MonotonicTime, CarPlaySession.SessionEvent, String?) -> Void
  private let changed = Signal()
  private var isEnded = false
  private var linkCause: String?
  /// Whether the present link has connected the phone, so that its end ends a session.
  private var isStarted = false
  /// The seed of the next session's keys.
  private var connections: UInt64 = 100

  init(
    _ settings: CarPlaySettings, of scenario: Scenario, clock: any RuntimeClock, log: EventLog, tap: SessionTap? = nil,
    show: @escaping @Sendable (SessionSide, MonotonicTime, CarPlaySession.SessionEvent, String?) -> Void,
    dropLink: @escaping @Sendable () -> Void
  ) throws(PairingProblem) {
    (self.settings, self.clock, self.log, self.show) = (settings, clock, log, show)
    (self.dropLink, self.tap) = (dropLink, tap)
    innerLinks = settings.isWireless ? Self.innerLinks(of: scenario, clock: clock) : []
    let text: TextRecord
    (network, phone, text) = try Self.network(settings, phoneCount: 2, at: clock.now)
    network.tap = tap?.record
    if settings.isWireless { wiFi = MemoryWiFi(text: text) }
    if settings.datagramLoss > 0 { network.fault = settings.datagramFault }
    network.latency = .milliseconds(settings.latencyMilliseconds)
    for (node, link) in innerLinks {
      link.sends { [weak self] in await self?.send($0, from: node) ?? false }
      // Only the first phone is the scenario's phone.
      if node != .phone(1) { link.reports { [weak self] in await self?.report($0, of: node) } }
    }
  }

  private static func network(
    _ settings: CarPlaySettings, phoneCount: Int, at time: MonotonicTime
  ) throws(PairingProblem) -> (SessionNetwork, PhoneConfiguration, TextRecord) {
    let own = try TestParties.identity("scenario head unit")
    var configuration = HeadUnitConfiguration(
      identity: own,
      info: .standard(
        generation: settings.generation, deviceID: "02:00:00:00:00:01", displays: settings.displays),
      generation: settings.generation, features: ["altScreen", "iAPChannel", "mainBuffered", "viewAreas"])
    configuration.times = settings.headUnitTimes
    var phones: [PhoneConfiguration] = []
    for index in 0..<phoneCount {
      let name = "scenario phone \(index + 1)"
      var phone = PhoneConfiguration(
        identity: try TestParties.identity(name), generation: settings.generation, judge: { TestParties.judge($0) })
      phone.times = settings.phoneTimes
      phone.request.name = name
      phone.request.deviceID = "02:00:00:00:01:0\(index + 1)"
      phone.request.features = ["altScreen", "iAPChannel", "viewAreas"]
      if settings.isPaired, index == 0 {
        configuration.phones[name] = phone.identity.publicKey
        phone.headUnits[own.identifier] = own.publicKey
      }
      phones.append(phone)
    }
    let network = SessionNetwork(
      headUnit: HeadUnitSession(configuration, random: SeededBytes(1).bytes),
      phones: phones.enumerated().map { PhoneSession($1, random: SeededBytes(UInt64($0) + 2).bytes) }, at: time,
      sign: { TestParties.sign($0) })
    return (network, phones[0], configuration.textRecord)
  }

  // MARK: iAP2 inside the session

  private static func innerLinks(
    of scenario: Scenario, clock: any RuntimeClock
  ) -> [(node: SessionNetwork.Node, link: InnerLink)] {
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(60)
    return [
      (.headUnit, InnerLink(scenario.headUnit, authenticator: SoftwareAuthenticator.test, options: options)),
      (.phone(0), InnerLink(scenario.phone, verifier: .test, options: options)),
      (.phone(1), InnerLink(PhoneProfile(), verifier: .test, options: options)),
    ]
  }

  /// Sends bytes of a side's link in its session. Returns false if the session does not take them.
  private func send(_ bytes: [UInt8], from node: SessionNetwork.Node) -> Bool {
    var isTaken = false
    advance { network in
      isTaken =
        switch node {
        case .headUnit: network.actHeadUnit { $0.send(iAP: bytes, at: $1) }
        case .phone(let phone): network.actPhone(phone) { $0.send(iAP: bytes, at: $1) }
        }
    }
    return isTaken
  }

  private func report(_ event: InnerLinkEvent, of node: SessionNetwork.Node) {
    tell(node == .headUnit ? .headUnit : .phone, clock.now, .innerLink(event))
  }

  // MARK: The link

  /// Follows the iAP2 roles: the start message connects the phone, the end of a link ends its side.
  func handle(_ event: RoleEvent, of role: Role) {
    if wiFi != nil { return handleWireless(event, of: role) }
    switch event {
    case .carPlayStarted where role == .phone:
      isStarted = true
      advance { $0.start(0) }
    case .disconnected(let end):
      linkCause = end.cause.rawValue
      switch role {
      case .phone where isStarted:
        isStarted = false
        advance { $0.actPhone { $0.stop(.linkLost, at: $1) } }
        renewPhone()
      case .phone: break
      case .headUnit: advance { $0.actHeadUnit { $0.stop(.linkLost, at: $1) } }
      }
    default: break
    }
  }

  /// Follows the roles of a link that only begins a session.
  private func handleWireless(_ event: RoleEvent, of role: Role) {
    let now = clock.now
    switch (role, event) {
    case (.phone, .feature(.accessoryWiFi)): wiFi?.receivedCredentials(at: now)
    case (.phone, .carPlayStarted): wiFi?.started(at: now)
    case (.headUnit, .identified): wiFi?.linkChanged(isUp: true, at: now)
    case (.headUnit, .disconnected): wiFi?.linkChanged(isUp: false, at: now)
    default: return
    }
    advance { _ in }
  }

  /// Changes the phones on the access point.
  func change(_ change: Scenario.WiFiChange) {
    switch change {
    case .lost, .back:
      advance { $0.isCut = change == .lost }
      wiFi?.setInRange(change == .back, at: clock.now)
    case .other: wiFi?.otherJoins(at: clock.now)
    }
    advance { _ in }
  }

  /// A phone has one session; the next connection has a new one, with the pairing of the last.
  private func renewPhone() {
    connections += 1
    network.replace(0, by: PhoneSession(phone, random: SeededBytes(connections).bytes))
  }

  /// Pulls the cable: nothing arrives any more.
  func cut() { if wiFi == nil { network.isCut = true } }

  /// Plugs the cable in.
  func plug() { if wiFi == nil { network.isCut = false } }

  // MARK: Steps

  func run(_ step: CarPlayStep) -> String? {
    var result: String?
    switch step {
    case .headUnit(let body): advance { network in result = network.actHeadUnit(body) }
    case .phone(let body): advance { network in result = network.actPhone(0, body) }
    case .otherPhone: advance { $0.start(1) }
    }
    return result
  }

  private func advance(_ body: (inout SessionNetwork) -> Void) {
    move()
    body(&network)
    showEvents()
    changed.notify()
  }

  /// Moves the network with the clock until ``end()``, and runs the links inside its sessions.
  func run() async {
    await withDiscardingTaskGroup { group in
      for (_, link) in innerLinks { group.addTask { await link.run() } }
      await moveUntilEnd()
      for (_, link) in innerLinks { link.finish() }
    }
  }

  private func moveUntilEnd() async {
    while !isEnded {
      move()
      let next = [network.nextTime, wiFi?.nextTime].compactMap { $0 }.min()
      await wait(until: max(next ?? clock.now.adding(milliseconds: 3_600_000), clock.now))
    }
  }

  /// Moves the network and the access point to the present.
  private func move() {
    network.run(until: clock.now)
    showEvents()
    wiFi?.advance(to: clock.now)
    showEvents()
  }

  /// Returns what both sides have now beyond sides that never met, as text.
  func leftovers() -> [String] {
    move()
    return network.leftovers + (wiFi?.nextTime.map { ["a deadline of discovery at \($0.seconds) s"] } ?? [])
  }

  func end() {
    isEnded = true
    changed.notify()
  }

  private func wait(until deadline: MonotonicTime) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [clock] in do { try await clock.sleep(until: deadline) } catch {} }
      group.addTask { [changed] in await changed.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: Events

  private func showEvents() {
    tapSecrets()
    while !network.entries.isEmpty || takeWiFiActions() {
      guard !network.entries.isEmpty else { continue }
      let entry = network.entries.removeFirst()
      innerLinks.first { $0.node == entry.node }?.link.take(entry.event)
      let side: SessionSide = entry.node == .headUnit ? .headUnit : .phone
      // Only the first phone is the scenario's phone.
      if entry.node == .phone(1) { continue }
      tell(side, entry.time, entry.event)
      wiFi?.take(entry.event, of: side, at: entry.time)
      if wiFi != nil, side == .headUnit, case .command(.disableBluetooth, _, from: .phone) = entry.event { dropLink() }
      if wiFi != nil, side == .phone, case .ended = entry.event { renewPhone() }
      if case .paired(let headUnit) = entry.event, side == .phone {
        phone.headUnits[headUnit.identifier] = headUnit.publicKey
      }
      if settings.showsScreen, side == .phone, case .state(.live) = entry.event {
        network.actPhone { _ = $0.setUp(StreamRequest(.screen), at: $1) }
      }
      if case .stream(let type, .running, let format) = entry.event, side == .phone {
        network.actPhone { $0.sendFirstContent(of: type, format, at: $1) }
      }
    }
  }

  /// Passes new secrets to the tap. Both sides have the same ones.
  private func tapSecrets() {
    guard let tap else { return }
    for (node, secret) in network.keyLog.dropFirst(tappedSecrets) where node == .headUnit { tap.secret(secret) }
    tappedSecrets = network.keyLog.count
  }

  private func tell(_ side: SessionSide, _ time: MonotonicTime, _ event: CarPlaySession.SessionEvent) {
    show(side, time, event, linkCause)
    if let summary = EventSummary(event, of: side, linkCause: linkCause) {
      log.add(side == .phone ? .phone : .headUnit, summary)
    }
  }

  /// Performs what the access point asks for. Returns false if there was nothing.
  private func takeWiFiActions() -> Bool {
    let actions = wiFi?.takeActions() ?? []
    for action in actions {
      switch action {
      case .connect: network.start(0)
      case .report(let side, let event): tell(side, clock.now, .discovery(event))
      case .tap(let record): tap?.record(record)
      }
    }
    return !actions.isEmpty
  }
}
