// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture
import IAP2Roles

/// The progress of one connection: counts, and the last event of each kind. Its size does not grow with the capture.
package struct ConnectionHistory: Sendable {
  /// The key of the connection; nil for a USB device without data.
  package var flow: FlowKey?
  /// The USB device that carries the connection, or that carries no data.
  package var usb: USBObservation?
  /// Whether the device has no accessory interface and was described after a role switch.
  var followsRoleSwitch = false
  /// The end of the transport.
  package internal(set) var end: SessionEvent?
  /// The time from the last step to the last record of the capture, in seconds.
  package internal(set) var silence: Double?
  /// The number of times that the link was started, from 1.
  package internal(set) var attempts = 1
  /// The last step.
  package internal(set) var last: SessionEvent?
  var packets = BothSides(0)
  /// The number of the packet that is being read, counted as in `packets`; nil in a log without link packets.
  var packet: Int?
  var damagedPackets = BothSides(0)
  /// The number of packets of which the capture has only the beginning.
  var cutPackets = 0
  /// The number of errors of the connection.
  package internal(set) var errors = 0
  /// The side whose bytes end within a packet or a message.
  var cutOff: Side?
  /// The control message of one side whose rest is absent.
  package internal(set) var unfinished: (from: Side, message: UnfinishedMessage)?
  /// The last comment of the capture. This project's own captures have one for a disconnection.
  package internal(set) var comment: (text: String, record: Int)?
  /// The cause of the connection's end in the comment of this program's own capture.
  var ownEnd: DisconnectCause?
  var link = LinkHistory()
  /// The last end of a link before this one by an RST in silence.
  private(set) var previousIdleReset: IdleReset?
  /// The ids of the catalog that were seen on the link before this one.
  private(set) var seenBefore: Set<UInt16> = []
  private var events = 0

  /// Creates the progress of a new connection.
  package init() {}

  /// The number of the CarPlay session that the connection is inside, from 0; nil for another connection.
  var session: Int? { if case .session(let number)? = flow { number } else { nil } }

  /// Whether any iAP2 was found.
  var hasContent: Bool {
    last != nil || damagedPackets.accessory + damagedPackets.device > 0
  }

  /// Records the end of the transport after every step. The comment does not state the side that closed it.
  mutating func endTransport(_ place: DecodedPlace) {
    end = SessionEvent(step: .transportClosed, from: nil, record: place.record, time: place.time, number: Int.max)
  }

  mutating func note(_ step: SessionStep, _ place: DecodedPlace) -> SessionEvent {
    let event = suspect(step, place)
    last = event
    return event
  }

  /// Creates an event that is not a step yet, because its bytes may turn out to be part of something else.
  mutating func suspect(_ step: SessionStep, _ place: DecodedPlace) -> SessionEvent {
    events += 1
    return SessionEvent(
      step: step, from: place.from, record: place.record, time: place.time, number: events, packet: packet)
  }

  mutating func restart() {
    attempts += 1
    if let reset = link.idleReset { previousIdleReset = reset }
    ownEnd = nil
    seenBefore = link.seen
    let signatures = link.signatures
    link = LinkHistory()
    link.signatures = signatures
  }
}

/// A checksum of a packet that differs from the one that its bytes need.
package struct WrongChecksum: Sendable, Equatable {
  /// Whether it is the header's checksum, or else the payload's.
  package var isHeader: Bool
  /// The checksum in the packet.
  package var found: UInt8
  /// The checksum that the bytes need.
  package var expected: UInt8
  /// The place at which another packet begins within the bytes of this one, so that the rest of this one is missing.
  package var cutAt: Int?

  /// Returns the offset of a header with a right checksum behind that of the packet itself.
  private static func otherPacket(in packet: RawSpan) -> Int? {
    let count = LinkHeader.byteCount
    return (count..<max(count, packet.byteCount - count)).first { offset in
      packet.bigEndian16(offset) == LinkHeader.start && Checksum.sum(packet, offset..<(offset + count)) == 0
    }
  }

  /// Returns the first wrong checksum of a whole packet; nil if both are right.
  init?(_ packet: RawSpan) {
    guard packet.byteCount >= LinkHeader.byteCount else { return nil }
    let (header, last) = (LinkHeader.byteCount - 1, packet.byteCount - 1)
    let own = 0 &- Checksum.sum(packet, 0..<header)
    let payload = last > header ? 0 &- Checksum.sum(packet, (header + 1)..<last) : nil
    if own != packet.byte(header) {
      (isHeader, found, expected) = (true, packet.byte(header), own)
    } else if let payload, payload != packet.byte(last) {
      (isHeader, found, expected) = (false, packet.byte(last), payload)
      cutAt = Self.otherPacket(in: packet)
    } else {
      return nil
    }
  }
}

/// An RST of a side after a silence in seconds, while nothing waited for an acknowledgement or for an answer.
struct IdleReset: Sendable {
  var from: Side
  var silence: Double
}

/// A control message that cannot be read.
package struct MessageFault: Sendable, Equatable {
  /// The side that sent it.
  package var from: Side
  /// The record that completed it.
  package var record: Int
  /// The message id; nil for bytes that are no message.
  package var id: UInt16?
  /// The error.
  package var text: String

  /// Whether an error of the decoder is about bytes of the control session that are no message.
  static func isOfControlSession(_ text: String) -> Bool {
    text.hasPrefix("control session bytes") || text.hasPrefix("message length") || text.hasSuffix(unknownSession)
  }

  private static let unknownSession = "was not agreed"

  /// The cause and the remedy for a message that lacks a parameter; nil for another error.
  var words: (text: String, check: String)? {
    guard id != nil, text.hasSuffix(Self.missing) else { return nil }
    let parameter = text.dropLast(Self.missing.count)
    return ("A message lacks a parameter that it needs: \(parameter).", "Send it with \(parameter).")
  }

  private static let missing = " is missing"

  /// Whether the bytes are on a session that was not agreed.
  var isOfUnknownSession: Bool { text.hasSuffix(Self.unknownSession) }
}

/// The progress of one link, from detect to RST.
struct LinkHistory: Sendable {
  struct Offer: Sendable {
    var from: Side
    var isAnswer: Bool
    var sequence: SequenceNumber
    /// The payload; nil until it was read.
    var parameters: LinkSynchronization?
    var count = 1
    var event: SessionEvent
  }

  struct Repeats: Sendable {
    var from: Side
    var count = 0
  }

  /// Damaged packets of one side, with no valid one after them.
  struct Damage: Sendable {
    /// The sequence number of the last one, which is itself uncertain if the header is damaged.
    var sequence: SequenceNumber
    var count = 1
    /// Whether the last one had a payload, so that its sender retransmits it.
    var carries: Bool
    var checksum: WrongChecksum?
    var record: Int
  }

  struct ExternalAccessory: Sendable {
    var protocolNumber: UInt8?
    var opened: SessionEvent?
    var status: (code: UInt8, event: SessionEvent)?
    /// Whether a status accepted the session. A later status closes it.
    var isAccepted = false
    var stopped: SessionEvent?
    /// The number of the packet with 0xEA01; nil in a log without packets.
    var stopNumber: SequenceNumber?
    var firstData = BothSides<SessionEvent?>(nil)
    var hasData: Bool { firstData.accessory != nil || firstData.device != nil }
  }

  /// The last message of either side, if it cannot be read.
  var fault: MessageFault?
  /// The last message of either side, if the identification does not list it.
  var unlisted: SessionEvent?
  /// The last rejection of an identification.
  var rejection: SessionEvent?
  /// The number of rejections of an identification.
  var rejections = 0
  var detects = BothSides(0)
  /// The last message if it is a PowerUpdate that says that the battery is not charging; nil after any other.
  var notCharging: (isCharged: Bool, event: SessionEvent)?
  /// The bytes of an incomplete packet, detect sequence or iAP1 frame, before the link is up.
  var carry = BothSides<[UInt8]>([])
  /// The last bytes before the link was up that are neither a packet nor detect: iAP1 frames and others.
  var legacy = BothSides<SessionEvent?>(nil)
  var other = BothSides<SessionEvent?>(nil)
  var offers = BothSides<Offer?>(nil)
  /// The number of SYN+ACKs with other values than the side's offer before.
  var rounds = 0
  var isUp = false
  var dataPackets = 0
  /// The detect sequences of the accessory since its last packet, on a link that is up.
  var strayDetects = 0
  var repeats: Repeats?
  var damage = BothSides<Damage?>(nil)
  var reset: SessionEvent?
  /// The RST, if it came in silence and nothing waited.
  var idleReset: IdleReset?
  /// The time of the last packet in seconds.
  var lastPacket: Double?
  /// The packets of each side on the link, and the rule of the link that one of them broke.
  var traffic = BothSides(LinkTraffic())
  var breach: LinkBreach?
  /// The mistakes of either side in a session that runs.
  var troubles = SessionTroubles()
  /// The breaches of rules and the answers that are owed, and the states that rules depend on.
  var ledger = RuleLedger()
  var turns = ExchangeTurns()
  var subscriptions = SubscriptionStates()
  var files = FileStates()
  var packetStates = BothSides(PacketStates())
  /// The HID components of the accessory that are started.
  var hidComponents: Set<UInt16> = []
  /// The objects that messages have named.
  var objects = NamedObjects()
  /// The signatures of this link and of those before it.
  var signatures = SignatureMemory()
  /// The number that an ACK of the last offer has in the place of the offer's own.
  var wrongAcknowledgement: (found: SequenceNumber, expected: SequenceNumber)?
  /// Whether a packet other than an offer came before the link was up.
  var hasPacketBeforeOffer = false
  /// The file whose offer is the last step of the sessions.
  var offeredFile: (id: UInt8, event: SessionEvent)?
  /// Whether the accessory reset the link after a burst of the device's messages, without acknowledging them.
  var resetFollowsBurst = false
  /// The sequence number of the device's last data packet, until the accessory acknowledges it.
  var unacknowledged: SequenceNumber?
  /// The times of the device's last messages, in seconds.
  private var recent: [Double] = []

  var authentication: SessionEvent?
  var isAuthenticated = false
  var certificateByteCount: Int?
  /// The bytes that a certificate in DER says it has; nil for other forms.
  var certificateDeclaredByteCount: Int?
  var challengeByteCount: Int?
  /// The size of the challenge that the accessory's certificate needs in bytes; nil if it is not known.
  var neededChallenge: Int?
  /// The last challenge; empty if it is longer than any known one.
  var challenge: [UInt8] = []
  /// Whether the last response is the challenge itself.
  var returnsChallenge = false
  var responseByteCount: Int?
  var identification: SessionEvent?
  var isIdentified = false
  /// The AuthenticationSucceeded message, to detect that the next request shared its packet.
  var succeeded: SessionEvent?
  var declaration: Declaration?
  /// The findings about the last identification, one for each rule and place.
  var findings: [CheckLine] = []
  /// The parameters of the last identification; nil without one.
  var parameters: IdentificationParameters?
  var rejectedParameters: [UInt16] = []
  var rejectedMessages: [UInt16] = []

  var features = BothSides<SessionEvent?>(nil)
  /// The ids of the catalog that were seen.
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
  /// The number of messages and the seconds that make a burst. They are the limit of the car in the profile
  /// `impatient-car`.
  /// Unverified: no source has measured that limit.
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

/// The parameters of an identification, which need not be readable.
struct IdentificationParameters: Sendable {
  /// The known ids of the top-level parameters.
  var present: Set<UInt16>
  /// The ids of the required parameters that are absent, ascending.
  var missing: [UInt16]
  /// The ids of the parameters that are present and cannot be read, ascending.
  var unreadable: [UInt16]

  init(_ message: RawSpan) {
    let rows = IdentificationInformation.rows
    let (nodes, errors) = ParameterNode.nodes(of: message, rows: rows)
    let present = Set(nodes.map(\.id)).intersection(rows.map(\.id))
    self.present = present
    missing = rows.filter { $0.count.isRequired && !present.contains($0.id) }.map(\.id).sorted()
    unreadable = Set(errors.compactMap { $0.group ?? $0.parameter }).intersection(present).sorted()
  }

  /// Returns the absent ones of the parameters that a rejection names and of the required parameters, ascending.
  func absent(named: [UInt16]) -> [UInt16] { Set(named).subtracting(present).union(missing).sorted() }

  /// Whether an accessory may leave the parameter out.
  static func isOptional(_ id: UInt16) -> Bool {
    IdentificationInformation.rows.first { $0.id == id }.map { !$0.count.isRequired } ?? true
  }
}

/// The parts of an identification that decide the next steps.
struct Declaration: Sendable {
  /// The ids of the subscriptions that the accessory lists as sent by it, ascending.
  var starts: [UInt16]
  var sent: Set<UInt16>
  var received: Set<UInt16>
  var protocols: [UInt8: String]
  /// Whether a transport component supports CarPlay.
  var hasCarPlay: Bool
  /// The protocols whose data uses a USB interface of their own (EA native transport).
  var native: Set<UInt8>
  /// The ids of the components whose HID reports the device takes.
  var hidComponents: Set<UInt16>
  /// The ids of the Bluetooth components, and of the displays for route guidance.
  var bluetoothComponents: Set<UInt16>
  var displays: Set<UInt16>
  /// The component of each Start of the device, if it offers nothing that the device could ask for.
  var emptyComponents: [UInt16: UInt16]
  init(_ information: IdentificationInformation) {
    let listed = information.messagesSentByAccessory.elements
    // Ids that are not in the catalog decide nothing.
    sent = Set(listed.filter { MessageCatalog[$0] != nil })
    received = Set(information.messagesReceivedFromDevice.elements.filter { MessageCatalog[$0] != nil })
    starts = sent.intersection(IdentificationRule.starts).sorted()
    protocols = Dictionary(
      information.supportedExternalAccessoryProtocol.map {
        ($0.externalAccessoryProtocolIdentifier, $0.externalAccessoryProtocolName)
      }, uniquingKeysWith: { first, _ in first })
    hidComponents = Set(information.iAP2HIDComponent.map(\.componentIdentifier))
    bluetoothComponents = Set(information.bluetoothTransportComponent.map(\.transportComponentIdentifier))
    displays = Set(information.routeGuidanceDisplayComponent.map(\.componentIdentifier))
    let known: [UInt16: UInt16] = [21: StartVehicleStatusUpdates.id, 22: StartLocationInformation.id]
    emptyComponents = [:]
    for (id, _) in IdentificationRule.emptyComponents(information) {
      if let start = known[id] { emptyComponents[start] = id }
    }
    hasCarPlay =
      information.usbHostTransportComponent.contains { $0.transportSupportsCarPlay.isSet }
      || information.wirelessCarPlayTransportComponent != nil
    native = Set(
      information.supportedExternalAccessoryProtocol.filter { $0.nativeTransportComponentIdentifier != nil }
        .map(\.externalAccessoryProtocolIdentifier))
  }
}

extension LinkHistory {
  /// The oldest request that waits for a response.
  var pending: SessionEvent? {
    [pendingAuthentication, pendingIdentification, pendingSession, pendingWiFi, pendingCarPlay]
      .compactMap { $0 }.min { $0.number < $1.number }
  }

  /// Returns whether a request may still wait. The device sends messages of features only after both exchanges
  /// (Authentication.md#both-needed; high).
  private func isOpen(_ event: SessionEvent) -> Bool {
    features.device.map { $0.number < event.number } ?? true
  }

  private var pendingAuthentication: SessionEvent? {
    guard let authentication, isOpen(authentication),
      case .message(RequestAuthenticationCertificate.id...AuthenticationResponse.id) = authentication.step
    else {
      return nil
    }
    return authentication
  }

  private var pendingIdentification: SessionEvent? {
    guard let identification, isOpen(identification),
      case .message(StartIdentification.id...IdentificationInformation.id) = identification.step
    else {
      return nil
    }
    return identification
  }

  /// The oldest EA session whose status message was declared and not sent.
  private var pendingSession: SessionEvent? {
    guard declaration.map({ $0.sent.contains(StatusExternalAccessoryProtocolSession.id) }) ?? true else { return nil }
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

  /// The stage of the session, from the pending request or the progress.
  var stage: SessionStage {
    if let pending, let point = StopPoint.waiting(for: pending) { return point.stage ?? .features }
    if !isUp { return offers.accessory == nil && offers.device == nil ? .detect : .negotiation }
    guard isRunning || isAuthenticated, !isAuthenticationMissing else { return .authentication }
    guard isRunning else { return .identification }
    if externalAccessories.values.contains(where: { $0.stopped == nil }) { return .externalAccessory }
    return started == nil ? .features : .carPlay
  }

  /// Whether identification was accepted, or the device sent a message of a feature, which it does only after that.
  var isRunning: Bool { isIdentified || features.device != nil }
  var session: ExternalAccessory? { latestSession.flatMap { externalAccessories[$0] } }
}
