// swift-iap2 · Apache-2.0

public import Basics
import IAP2

// The events of a role as all outputs have them. An event is declared here alone: its case, its kind and its record.
extension RoleEvent {
  fileprivate enum Kinds {
    static let transportOpened = EventKind(
      "transportOpened", "The transport is open.", .detail, text: "transport open: {address}",
      EventField<String>("address", "the address of the transport"))
    static let detected = EventKind("detected", "The peer speaks iAP2.", .detail, text: "detected")
    static let legacyPeer = EventKind(
      "legacyPeer", "The peer has spoken only iAP1 so far.", .warning, text: "the other side answers in iAP1",
      for: .people)
    static let proposal = EventKind(
      "proposal", "A SYN or SYN+ACK of the peer arrived.", .detail, for: .people,
      EventField<EventGroup>("values", "the values of the SYN"))
    static let linkUp = EventKind(
      "linkUp", "The link is up.", .step,
      text: """
        link up: window {maxOutstandingPackets} × {maxPacketLength} bytes, retransmit after {retransmissionTimeout} ms \
        up to {maxRetransmissions} times, acknowledge within {cumulativeAckTimeout} ms or {maxCumulativeAcks} packets, \
        sessions {sessions/{id} {type} v{version}}
        """, note: "link up",
      EventField<Int>("version", "the version of the link"),
      EventField<Int>("maxOutstandingPackets", "the packets of the window"),
      EventField<Int>("maxPacketLength", "the bytes of the longest packet"),
      EventField<Int>("retransmissionTimeout", "in ms"), EventField<Int>("cumulativeAckTimeout", "in ms"),
      EventField<Int>("maxRetransmissions", "the retransmissions of a packet at most"),
      EventField<Int>("maxCumulativeAcks", "the packets that one acknowledgement covers at most"),
      EventField<EventGroup>("sessions", "each with `id`, `type` and `version`"))
    static let authenticated = EventKind(
      "authenticated", "Authentication succeeded.", .step, text: "authenticated")
    static let authenticationFailed = EventKind(
      "authenticationFailed", "Authentication failed.", .warning, text: "authentication failed[: {reason}]",
      EventField<String?>("reason", "absent if the peer made the decision"))
    static let identified = EventKind(
      "identified", "The identification was accepted.", .step, text: "identified", note: "identified")
    static let identificationRejected = EventKind(
      "identificationRejected", "The identification was rejected.", .warning,
      EventField<[Int]>("parameters", "the ids of the parameters that the device named"))
    static let message = EventKind(
      "message", "A control message was sent or received.", .detail, text: "{direction} {id}",
      EventField<String>("direction", "`sent` or `received`"), EventField<String>("id", "such as `0xAA00`"),
      EventField<EventTextOrNull>("name", "the name in the catalog"))
    static let externalAccessoryOpened = EventKind(
      "externalAccessoryOpened", "An EA session opened.", .content, text: "{protocol} open as session {session}",
      EventField<String>("protocol", "the name of the protocol"), EventField<Int>("session", "the id of the session"))
    static let externalAccessoryClosed = EventKind(
      "externalAccessoryClosed", "An EA session closed.", .content,
      text: "{protocol} session {session} closed: {bytesSent} bytes sent, {bytesReceived} received",
      EventField<String>("protocol", "the name of the protocol"), EventField<Int>("session", "the id of the session"),
      EventField<Int>("bytesSent", "the bytes of data"), EventField<Int>("bytesReceived", "the bytes of data"))
    static let externalAccessoryUndelivered = EventKind(
      "externalAccessoryUndelivered", "Written bytes of an EA session could not be sent at its end.", .warning,
      text: "{protocol} session {session}: {byteCount} written bytes were not delivered",
      EventField<String>("protocol", "the name of the protocol"), EventField<Int>("session", "the id of the session"),
      EventField<Int>("byteCount", "the bytes"))
    static let externalAccessoryServiceStopped = EventKind(
      "externalAccessoryServiceStopped", "The service of an EA session was cancelled after the end.", .warning,
      text: "{protocol} session {session}: its service did not return after the end and was cancelled",
      EventField<String>("protocol", "the name of the protocol"), EventField<Int>("session", "the id of the session"))
    static let carPlayAvailable = EventKind(
      "carPlayAvailable", "The phone reported the availability of CarPlay.", .step, text: "CarPlay available",
      EventField<EventGroup>("values", "the parameters of 0x4300"))
    static let carPlayStarted = EventKind(
      "carPlayStarted", "The head unit answered an offer of CarPlay.", .step, text: "CarPlay started",
      EventField<EventGroup>("values", "the parameters of 0x4301"))
    static let powerChanged = EventKind(
      "powerChanged", "The phone told its power state, or the head unit its offer of current.", .notice,
      EventField<EventGroup>("values", "the parameters of 0xAE01 or 0xAE03"))
    static let fileTransfer = EventKind(
      "fileTransfer", "A step of a file transfer.", .detail, text: "file {file} {step}[: {byteCount} bytes]",
      EventField<Int>("file", "the id of the file"),
      EventField<String>("step", "`offered`, `refused`, `complete`, `paused`, `delivered`, `failed`, `cancelled`"),
      EventField<Int?>("byteCount", "the bytes of an offered file, or those of a refused one"))
    static let violation = EventKind(
      "violation", "The peer broke the protocol, or exceeded a limit.", .warning, text: "{reason}",
      EventField<String>("kind", "the name of the violation"),
      EventField<String?>("id", "the message that it is about"), EventField<String>("reason", "a sentence"))
    static let eventsLost = EventKind(
      "eventsLost", "The reader of the events was too slow.", .warning,
      text: "{count} events were not shown, because they came too fast", for: .people,
      EventField<Int>("count", "the events that were dropped"))
    // The text has `identified` and `authenticated`; the rest is only in JSON.
    static let connected = EventKind("connected", "Both sides are authenticated and identified.", .step)
    static let suspected = EventKind(
      "suspected", "There is evidence against the connection, and it is being checked.", .notice,
      text: "disconnect suspected: {evidence}", EventField<EvidenceList>("evidence", "each with `kind` and `time`"))
    static let cleared = EventKind(
      "cleared", "The peer answered, so the suspicion is withdrawn.", .notice,
      text: "disconnect ruled out: the peer has answered")
    static let disconnected = EventKind(
      "disconnected", "The connection ended.", .end, note: "disconnected: {cause}",
      EventField<String>("cause", DisconnectCause.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")),
      EventField<EvidenceList>("evidence", "each with `kind` and `time`"),
      EventField<Double>("latencyMilliseconds", "the time from the first evidence to the decision, in ms"))
  }

  /// The declarations of all events.
  public static let declarations: [EventDeclaration] =
    [
      Kinds.transportOpened.declaration, Kinds.detected.declaration, Kinds.legacyPeer.declaration,
      Kinds.proposal.declaration, Kinds.linkUp.declaration, Kinds.authenticated.declaration,
      Kinds.authenticationFailed.declaration, Kinds.identified.declaration, Kinds.identificationRejected.declaration,
      Kinds.message.declaration, Kinds.externalAccessoryOpened.declaration, Kinds.externalAccessoryClosed.declaration,
      Kinds.externalAccessoryUndelivered.declaration, Kinds.externalAccessoryServiceStopped.declaration,
      Kinds.carPlayAvailable.declaration, Kinds.carPlayStarted.declaration, Kinds.powerChanged.declaration,
      Kinds.fileTransfer.declaration, Kinds.violation.declaration, Kinds.eventsLost.declaration,
      Kinds.connected.declaration, Kinds.suspected.declaration, Kinds.cleared.declaration,
      Kinds.disconnected.declaration,
    ] + FeatureEvent.declarations

  /// The event with its values; nil for a piece of a file, of which there may be thousands.
  public var record: EventRecord? {
    switch self {
    case .transportOpened(let address): Kinds.transportOpened(address)
    case .detected: Kinds.detected()
    case .legacyPeer: Kinds.legacyPeer()
    case .proposal(let values): Kinds.proposal(EventGroup(.fields(values.eventValues)))
    case .linkUp(let local, _): Kinds.linkUp(of: local)
    case .authenticated: Kinds.authenticated()
    case .authenticationFailed(let reason): Kinds.authenticationFailed(reason)
    case .identified: Kinds.identified()
    case .identificationRejected(let parameters):
      Kinds.identificationRejected(parameters.map(Int.init)).saying(
        "identification rejected: \(parameters.map(IdentificationInformation.parameterText).joined(separator: ", "))")
    case .message(let direction, let id, _):
      Kinds.message(direction.rawValue, MessageCatalog.text(id), EventTextOrNull(MessageCatalog[id]?.name))
    case .externalAccessoryOpened(let name, let session): Kinds.externalAccessoryOpened(name, Int(session))
    case .externalAccessoryClosed(let name, let session, let sent, let received):
      Kinds.externalAccessoryClosed(name, Int(session), sent, received)
    case .externalAccessoryUndelivered(let name, let session, let byteCount):
      Kinds.externalAccessoryUndelivered(name, Int(session), byteCount)
    case .externalAccessoryServiceStopped(let name, let session):
      Kinds.externalAccessoryServiceStopped(name, Int(session))
    case .carPlayAvailable(let message): Kinds.carPlayAvailable(EventGroup(FeatureValues(message).eventValue))
    case .carPlayStarted(let message): Kinds.carPlayStarted(EventGroup(FeatureValues(message).eventValue))
    case .powerChanged(let update):
      Kinds.powerChanged(EventGroup(FeatureValues(update).eventValue)).saying("power: \(Self.text(update))")
    case .powerSourceChanged(let update):
      Kinds.powerChanged(EventGroup(FeatureValues(update).eventValue)).saying(
        "power offered: \(update.availableCurrentForDevice.map { "\($0) mA" } ?? "unchanged")")
    case .feature(let event): event.record
    case .fileTransfer(let event):
      event.step.map { Kinds.fileTransfer(Int($0.file), $0.name, $0.byteCount.map { Int(clamping: $0) }) }
    case .violation(let violation):
      Kinds.violation(violation.name, violation.message.map(MessageCatalog.text), ViolationText.text(violation))
    case .eventsLost(let count): Kinds.eventsLost(count)
    case .connected: Kinds.connected()
    case .suspected(let evidence): Kinds.suspected(EvidenceList(evidence))
    case .cleared: Kinds.cleared()
    case .disconnected(let end):
      Kinds.disconnected(end.cause.rawValue, EvidenceList(end.evidence), end.latencyMilliseconds).saying(
        "disconnected: \(end.cause.rawValue)"
          + (end.evidence.count > 1 ? " (\(EvidenceList.text(end.evidence, separator: ", ")))" : ""))
    }
  }

  private static func text(_ update: PowerUpdate) -> String {
    var parts: [String] = []
    if let current = update.maximumCurrentDrawnFromAccessory { parts.append("draws up to \(current) mA") }
    if let will = update.deviceBatteryWillChargeIfPowerIsPresent {
      parts.append(will ? "will charge" : "will not charge")
    }
    if let external = update.isExternalChargerConnected {
      parts.append(external ? "external charger" : "no external charger")
    }
    if let state = update.batteryChargingState { parts.append("battery \(state.name ?? "state \(state.rawValue)")") }
    if let level = update.batteryChargeLevel { parts.append("battery at \(level) %") }
    return parts.joined(separator: ", ")
  }
}

extension RoleEvent.Kinds {
  fileprivate static func linkUp(of link: LinkSynchronization) -> EventRecord {
    linkUp(
      Int(link.version), Int(link.maxOutstandingPackets), Int(link.maxPacketLength), Int(link.retransmissionTimeout),
      Int(link.cumulativeAckTimeout), Int(link.maxRetransmissions), Int(link.maxCumulativeAcks),
      EventGroup(link.eventSessions))
  }
}

extension LinkSynchronization {
  /// The sessions, each with `id`, `type` and `version`.
  fileprivate var eventSessions: EventValue {
    .list(
      sessions.map { session in
        .fields([
          EventRecord.Value(name: "id", value: .integer(Int(session.id))),
          EventRecord.Value(
            name: "type", value: .worded(session.type.name ?? "type \(session.type.rawValue)", .text(session.typeName))),
          EventRecord.Value(name: "version", value: .integer(Int(session.version))),
        ])
      })
  }

  /// All values of a SYN.
  fileprivate var eventValues: [EventRecord.Value] {
    LinkField.allCases.map { EventRecord.Value(name: $0.rawValue, value: .integer(Int(self[$0]))) }
      + [EventRecord.Value(name: "sessions", value: eventSessions)]
  }
}

extension LinkSession {
  fileprivate var typeName: String { type.name ?? String(type.rawValue) }
}

/// Evidence as a field: each with its time in JSON, and its kinds in expectations.
private struct EvidenceList: EventFieldType {
  static var eventForm: String { "list of objects" }
  let evidence: [Evidence]

  init(_ evidence: [Evidence]) { self.evidence = evidence }

  static func text(_ evidence: [Evidence], separator: String) -> String {
    evidence.map(\.kind.rawValue).joined(separator: separator)
  }

  var eventValue: EventValue? {
    let values = evidence.map { one in
      EventValue.fields([
        EventRecord.Value(name: "kind", value: .text(one.kind.rawValue)),
        EventRecord.Value(name: "time", value: .number(one.time.seconds)),
      ])
    }
    return .worded(Self.text(evidence, separator: ","), .list(values))
  }
}

extension FileTransferEvent {
  /// The step with its file; nil for a piece that is not the last.
  fileprivate var step: (file: UInt8, name: String, byteCount: UInt64?)? {
    switch self {
    case .offered(let id, let setup): (id, "offered", setup.byteCount)
    case .refused(let id, let count): (id, "refused", count)
    case .data(_, _, isLast: false): nil
    case .data(let id, _, isLast: true): (id, "complete", nil)
    case .paused(let id): (id, "paused", nil)
    case .delivered(let id): (id, "delivered", nil)
    case .failed(let id): (id, "failed", nil)
    case .cancelled(let id): (id, "cancelled", nil)
    }
  }
}

extension IdentificationInformation {
  /// Returns the id and the name of a parameter.
  package static func parameterText(_ id: UInt16) -> String {
    "\(id)" + (rows.first { $0.id == id }.map { " \($0.name)" } ?? "")
  }
}
