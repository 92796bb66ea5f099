// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Capture
import IAP2Roles

/// How far one connection came: what was seen of it, and the last of each kind. Its size does not grow with the
/// capture.
package struct ConnectionCourse: Sendable {
  package var flow: FlowKey?
  /// The device that carries it, or that carries nothing.
  package var usb: USBSighting?
  /// A device without iAP2 that was described after a role switch.
  var followsRoleSwitch = false
  /// Where its transport was closed.
  package internal(set) var end: SessionEvent?
  /// Seconds from the last step to the last record of the capture.
  package internal(set) var silence: Double?
  /// How often the link began.
  package internal(set) var attempts = 1
  package internal(set) var last: SessionEvent?
  var packets = BothSides(0)
  /// The packet that is being read, counted as there; nil in a log above the link layer.
  var packet: Int?
  var damagedPackets = BothSides(0)
  package internal(set) var errors = 0
  /// A side's bytes end within a packet or a message.
  var cutOff: Side?
  /// What the capture says last, as our own do of a disconnect.
  package internal(set) var comment: (text: String, record: Int)?
  var link = LinkCourse()
  private var events = 0

  package init() {}

  /// Something of iAP2 was seen.
  var hasContent: Bool {
    last != nil || damagedPackets.accessory + damagedPackets.device > 0
  }

  /// Behind every step, whoever ended it.
  mutating func endTransport(_ place: DecodedPlace) {
    end = SessionEvent(step: .transportClosed, from: nil, record: place.record, time: place.time, number: Int.max)
  }

  mutating func note(_ step: SessionStep, _ place: DecodedPlace) -> SessionEvent {
    let event = suspect(step, place)
    last = event
    return event
  }

  /// What may still turn out to be a part of something else: no step yet.
  mutating func suspect(_ step: SessionStep, _ place: DecodedPlace) -> SessionEvent {
    events += 1
    return SessionEvent(
      step: step, from: place.from, record: place.record, time: place.time, number: events, packet: packet)
  }

  mutating func restart() {
    attempts += 1
    link = LinkCourse()
  }
}

/// One life of the link, from detect to RST.
struct LinkCourse: Sendable {
  struct Offer: Sendable {
    var from: Side
    var isAnswer: Bool
    var sequence: SequenceNumber
    /// Nil while it cannot be read.
    var parameters: LinkSynchronization?
    var count = 1
    var event: SessionEvent
  }

  struct Repeats: Sendable {
    var from: Side
    var count = 0
  }

  struct ExternalAccessory: Sendable {
    var protocolNumber: UInt8?
    var opened: SessionEvent?
    var status: (code: UInt8, event: SessionEvent)?
    var stopped: SessionEvent?
    var firstData = BothSides<SessionEvent?>(nil)
    var hasData: Bool { firstData.accessory != nil || firstData.device != nil }
  }

  var detects = BothSides(0)
  /// The beginning of something, before the link is up.
  var carry = BothSides<[UInt8]>([])
  /// What stood for an answer before the link was up.
  var legacy = BothSides<SessionEvent?>(nil)
  var other = BothSides<SessionEvent?>(nil)
  var offers = BothSides<Offer?>(nil)
  /// SYN+ACKs with values that were not there before.
  var rounds = 0
  var isUp = false
  var dataPackets = 0
  /// Detect sequences of the accessory since its last packet.
  var strayDetects = 0
  var repeats: Repeats?
  var reset: SessionEvent?
  /// The accessory reset the link behind a burst of the device's messages, without acknowledging them.
  var resetFollowsBurst = false
  /// The device's last packet with data, until the accessory acknowledges it.
  var unacknowledged: SequenceNumber?
  /// Times of the device's last messages.
  private var recent: [Double] = []

  var authentication: SessionEvent?
  var isAuthenticated = false
  var certificateByteCount: Int?
  var challengeByteCount: Int?
  var responseByteCount: Int?
  var identification: SessionEvent?
  var isIdentified = false
  /// Answered requests, for where both came at once.
  var succeeded: SessionEvent?
  var declaration: Declaration?
  var rejectedParameters: [UInt16] = []
  var rejectedMessages: [UInt16] = []

  var features = BothSides<SessionEvent?>(nil)
  /// Ids of the catalogue that were seen.
  var seen: Set<UInt16> = []
  var externalAccessories: [UInt16: ExternalAccessory] = [:]
  var latestSession: UInt16?
  var availability: CarPlayOffer?
  var started: SessionEvent?
  var afterStart: SessionEvent?
  var wirelessStatus: (isAvailable: Bool, event: SessionEvent)?
  var wiFiAsked: SessionEvent?
  var wiFiGiven: SessionEvent?

  struct CarPlayOffer: Sendable {
    var isWired: Bool
    var isWireless: Bool
    var event: SessionEvent
    var isAny: Bool { isWired || isWireless }
  }

  static let maximumSessions = 64
  /// So many messages within so many seconds are a burst; the limit of the car in the profile `impatient-car`, which
  /// nobody has measured.
  static let burst = (messages: 5, seconds: 0.25)

  mutating func noteMessage(at time: Double) {
    if recent.count == Self.burst.messages { recent.removeFirst() }
    recent.append(time)
  }

  func isBurst(until time: Double?) -> Bool {
    guard unacknowledged != nil, let time, recent.count == Self.burst.messages, let first = recent.first else {
      return false
    }
    return time - first <= Self.burst.seconds
  }
}

/// What of an identification decides what comes next.
struct Declaration: Sendable {
  /// Subscriptions that the accessory says it will start, ascending.
  var starts: [UInt16]
  var sent: Set<UInt16>
  var received: Set<UInt16>
  var protocols: [UInt8: String]
  /// A transport component carries CarPlay.
  var hasCarPlay: Bool
  /// Protocols whose data go over a USB interface of their own.
  var native: Set<UInt8>
  /// Rules it breaks for which phones turn an identification down.
  var broken: [String]

  init(_ information: IdentificationInformation) {
    let listed = information.messagesSentByAccessory.elements
    // Those that nobody knows decide nothing.
    sent = Set(listed.filter { MessageCatalog[$0] != nil })
    received = Set(information.messagesReceivedFromDevice.elements.filter { MessageCatalog[$0] != nil })
    starts = sent.intersection(IdentificationRule.starts).sorted()
    protocols = Dictionary(
      information.supportedExternalAccessoryProtocol.map {
        ($0.externalAccessoryProtocolIdentifier, $0.externalAccessoryProtocolName)
      }, uniquingKeysWith: { first, _ in first })
    hasCarPlay =
      information.usbHostTransportComponent.contains { $0.transportSupportsCarPlay.isSet }
      || information.wirelessCarPlayTransportComponent != nil
    native = Set(
      information.supportedExternalAccessoryProtocol.filter { $0.nativeTransportComponentIdentifier != nil }
        .map(\.externalAccessoryProtocolIdentifier))
    var rules: Set<String> = []
    broken = IdentificationRule.findings(in: information).filter { $0.rule.severity == .reject }.map(\.rule.id)
      .filter { rules.insert($0).inserted }
  }
}

extension LinkCourse {
  /// The oldest thing that one side owes the other.
  var pending: SessionEvent? {
    [pendingAuthentication, pendingIdentification, pendingSession, pendingWiFi, pendingCarPlay]
      .compactMap { $0 }.min { $0.number < $1.number }
  }

  /// The device speaks of other things only when both are done (Authentication.md#both-needed; high).
  private func isOpen(_ event: SessionEvent) -> Bool {
    features.device.map { $0.number < event.number } ?? true
  }

  private var pendingAuthentication: SessionEvent? {
    guard let authentication, isOpen(authentication), case .message(0xAA00...0xAA03) = authentication.step else {
      return nil
    }
    return authentication
  }

  private var pendingIdentification: SessionEvent? {
    guard let identification, isOpen(identification), case .message(0x1D00...0x1D01) = identification.step else {
      return nil
    }
    return identification
  }

  /// An EA session whose status was announced and has not come.
  private var pendingSession: SessionEvent? {
    guard declaration.map({ $0.sent.contains(0xEA03) }) ?? true else { return nil }
    return externalAccessories.values.compactMap { session in
      session.status == nil && session.stopped == nil && session.firstData.accessory == nil ? session.opened : nil
    }.min { $0.number < $1.number }
  }

  private var pendingWiFi: SessionEvent? {
    guard let wiFiAsked, wiFiGiven.map({ $0.number < wiFiAsked.number }) ?? true else { return nil }
    return wiFiAsked
  }

  private var pendingCarPlay: SessionEvent? {
    guard let availability, availability.isAny, started.map({ $0.number < availability.event.number }) ?? true else {
      return nil
    }
    return availability.event
  }

  /// Where the session is, by what is pending or was reached.
  var stage: SessionStage {
    if let pending, let point = StopPoint.waiting(for: pending) { return point.stage ?? .features }
    if !isUp { return offers.accessory == nil && offers.device == nil ? .detect : .negotiation }
    guard isRunning || isAuthenticated else { return .authentication }
    guard isRunning else { return .identification }
    if externalAccessories.values.contains(where: { $0.stopped == nil }) { return .externalAccessory }
    return started == nil ? .features : .carPlay
  }

  /// Somebody spoke of what comes behind identification.
  var isRunning: Bool { isIdentified || features.device != nil }
  var session: ExternalAccessory? { latestSession.flatMap { externalAccessories[$0] } }
}
