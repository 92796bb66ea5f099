// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Formats

// The rules of messages that name an object: an EA session, a HID component, a network.
extension SessionRule {
  static let declaredProtocol = SessionRule(
    "protocol-not-declared", .externalAccessory, "An EA session has the id of a protocol that the accessory declares.",
    "ExternalAccessory.md#protocol-of-session", .high,
    repair: "Open the session with the protocol id of parameter 10 that belongs to the protocol's name.",
    effect: .fails)

  static let sessionIDFree = SessionRule(
    "session-id-in-use", .externalAccessory, "The id of a new EA session is unique among the open ones.",
    "ExternalAccessory.md#session-id", .high,
    repair: "Give each open EA session an id of its own, or close the other one first.", effect: .decides, forbids: true
  )

  static let sessionOpen = SessionRule(
    "session-not-open", .externalAccessory, "Status, stop and data have the id of an EA session that is open.",
    "ExternalAccessory.md#unknown-session-id, and ExternalAccessory.md#after-closing (low)", .medium,
    repair: "Use the session id of the last 0xEA00, and none after the close.", effect: .fails)

  static let statusValue = SessionRule(
    "session-status-value", .externalAccessory, "The status of an EA session is 0 (open) or 1 (closed).",
    "ExternalAccessory.md#ea-status", .high, repair: "Answer 0xEA00 with status 0 or 1.", effect: .fails, isLocal: true)

  static let statusNamed = SessionRule(
    "session-status-id", .externalAccessory, "A status has the id of the EA session that it answers.",
    "ExternalAccessory.md#session-of-status", .high,
    repair: "Send 0xEA03 with the session id of its 0xEA00, high byte first.",
    effect: .decides)

  static let hidStarted = SessionRule(
    "hid-not-started", .features, "HID reports follow StartHID of their component.",
    "inferred from Features.md#hid-start, which has the report descriptor", .medium,
    repair: "Send StartHID with the component's report descriptor before its first report.", effect: .fails)

  static let sameNetwork = SessionRule(
    "networks-differ", .carPlay, "The CarPlay start names the network that the accessory gave before.",
    "CarPlayStart.md#credentials; inferred: the phone is on the network of 0x5703", .medium,
    repair: "Send the same SSID and passphrase in 0x5703 and 0x4301.", effect: .fails)

  static let offered = SessionRule(
    "carplay-not-available", .carPlay, "The accessory starts CarPlay over a transport that the phone has offered.",
    "CarPlayStart.md#start-session: 0x4301 answers 0x4300", .high,
    repair: "Send 0x4301 after a 0x4300 that offers the same transport, with the attributes of that transport.",
    effect: .fails)

  static let addresses = SessionRule(
    "carplay-addresses", .carPlay, "A CarPlay start names the accessory's addresses for its transport.",
    "CarPlayStart.md#start-session, and CarPlayStart.md#network-first (low)", .medium,
    repair: "Send the attributes of the transport that the phone offered, with at least one IP address.",
    effect: .fails, isLocal: true)

  static let networkAsked = SessionRule(
    "network-unasked", .carPlay, "The accessory names its network when the phone asks.",
    "Sessions.md#device-started", .high, repair: "Send 0x5703 as the answer to 0x5702.", effect: .tolerated)
}

extension LinkHistory {
  mutating func judgeObjects(
    _ id: UInt16, _ bytes: RawSpan, _ step: SessionStep, at place: DecodedPlace
  ) throws(WireError) {
    switch id {
    case StartExternalAccessoryProtocolSession.id:
      try judge(StartExternalAccessoryProtocolSession(decoding: bytes), step, at: place)
    case StatusExternalAccessoryProtocolSession.id:
      let status = try StatusExternalAccessoryProtocolSession(decoding: bytes)
      let session = status.externalAccessoryProtocolSessionIdentifier
      let waiting = latestSession.flatMap { externalAccessories[$0]?.status == nil ? $0 : nil }
      if externalAccessories[session] == nil, hasBeginning, let waiting {
        ledger.addBreach(
          .statusNamed, step, object: Int(waiting), place,
          "0xEA03 has the session \(session), and session \(waiting) waits for its status")
      } else {
        judgeSession(session, step, at: place)
        ledger.removeBreach(.statusNamed, object: Int(session), by: .accessory)
      }
      guard status.externalAccessoryProtocolSessionStatus.rawValue > 1 else { return }
      ledger.addBreach(
        .statusValue, step, object: Int(session), place,
        "the status of session \(session) is \(status.externalAccessoryProtocolSessionStatus.rawValue)")
    case StopExternalAccessoryProtocolSession.id:
      let stop = try StopExternalAccessoryProtocolSession(decoding: bytes)
      judgeSession(stop.externalAccessoryProtocolSessionIdentifier, step, at: place)
    case StartHID.id:
      let start = try StartHID(decoding: bytes)
      hidComponents.insert(start.hidComponentIdentifier)
      // A descriptor that cannot be read decides nothing.
      guard objects.descriptors.count < NamedObjects.maximum else { return }
      objects.descriptors[start.hidComponentIdentifier] = try? HIDReportDescriptor(start.hidReportDescriptor.bytes)
    case StopHID.id:
      let component = try StopHID(decoding: bytes).hidComponentIdentifier
      hidComponents.remove(component)
      ledger.abandonOwed(.released, object: Int(component), at: place, isOwn: true)
    case AccessoryHIDReport.id:
      let report = try AccessoryHIDReport(decoding: bytes)
      let component = report.hidComponentIdentifier
      judgeKeys([UInt8](report.hidReport.bytes), component, step, at: place)
      guard hasBeginning, !hidComponents.contains(component) else { return }
      ledger.addBreach(
        .hidStarted, step, object: Int(component), place, "\(step.name) of component \(component) came without StartHID"
      )
    case AccessoryWiFiConfigurationInformation.id:
      judge(try AccessoryWiFiConfigurationInformation(decoding: bytes), step, at: place)
    case CarPlayStartSession.id: judge(try CarPlayStartSession(decoding: bytes), step, at: place)
    default: try judgeNames(id, bytes, step, at: place)
    }
  }

  private mutating func judge(
    _ start: StartExternalAccessoryProtocolSession, _ step: SessionStep, at place: DecodedPlace
  ) {
    let (number, id) = (start.externalAccessoryProtocolIdentifier, start.externalAccessoryProtocolSessionIdentifier)
    if let declaration, declaration.protocols[number] == nil {
      let known = declaration.protocols.keys.sorted().map { String($0) }.joined(separator: ", ")
      ledger.addBreach(
        .declaredProtocol, step, object: Int(id), place,
        "session \(id) has the protocol \(number), and the accessory declares \(known.isEmpty ? "none" : known)")
    }
    if let open = externalAccessories[id], open.opened != nil, open.stopped == nil,
      open.status.map({ $0.code == 0 }) ?? true
    {
      ledger.addBreach(.sessionIDFree, step, object: Int(id), place, "session \(id) is open already")
    }
  }

  private mutating func judgeSession(_ id: UInt16, _ step: SessionStep, at place: DecodedPlace) {
    guard hasBeginning else { return }
    guard let session = externalAccessories[id], session.opened != nil else {
      let open = externalAccessories.filter { $0.value.opened != nil && $0.value.stopped == nil }.keys.sorted()
      let known = open.isEmpty ? "none is open" : "\(open.map { String($0) }.joined(separator: ", ")) is open"
      return ledger.addBreach(
        .sessionOpen, step, object: Int(id), place, "\(step.name) has the session \(id), which no 0xEA00 has; \(known)")
    }
  }

  /// Judges data of an EA session by the state of the session.
  mutating func judgeData(session id: UInt16, at place: DecodedPlace) {
    guard reset == nil else { return }
    ledger.countStep(place.from)
    guard hasBeginning else { return }
    guard let session = externalAccessories[id], session.opened != nil else {
      return ledger.addBreach(
        .sessionOpen, .externalAccessoryData, object: Int(id), place, "data have the session \(id), which no 0xEA00 has"
      )
    }
    guard session.stopped == nil, let status = session.status, status.code != 0 else { return }
    let isLate = place.time.flatMap { now in status.event.time.map { now - $0 > 1 } } ?? false
    guard isLate else { return }
    ledger.addBreach(
      .sessionOpen, .externalAccessoryData, object: Int(id), place,
      "data have the session \(id), which the accessory closed by status \(status.code)")
  }

  private mutating func judge(
    _ network: AccessoryWiFiConfigurationInformation, _ step: SessionStep, at place: DecodedPlace
  ) {
    objects.network = network
    if wiFiAsked == nil, hasBeginning {
      ledger.addBreach(.networkAsked, step, place, "\(step.name) came without 0x5702")
    }
  }

  private static func difference(
    _ wireless: CarPlayStartSession.WirelessAttributes, _ network: AccessoryWiFiConfigurationInformation
  ) -> String? {
    if let ssid = wireless.wiFiSSID, ssid != network.wiFiSSID {
      return "0x4301 has the SSID \(ssid), and 0x5703 has \(network.wiFiSSID)"
    }
    let (key, other) = (wireless.passphrase ?? "", network.wiFiPassphrase ?? "")
    if wireless.passphrase != nil, key != other { return "0x4301 and 0x5703 differ in the passphrase" }
    return nil
  }

  private mutating func judge(_ start: CarPlayStartSession, _ step: SessionStep, at place: DecodedPlace) {
    ledger.removeBreach(.addresses, by: place.from)
    ledger.removeBreach(.offered, by: place.from)
    let (wired, wireless) = (start.wiredAttributes, start.wirelessAttributes)
    if wired == nil, wireless == nil {
      ledger.addBreach(.addresses, step, place, "it has neither wired nor wireless attributes")
    } else if let wired, wired.ipAddress.isEmpty {
      ledger.addBreach(.addresses, step, place, "its wired attributes have no IP address")
    }
    if let wireless, let network = objects.network, let difference = Self.difference(wireless, network) {
      ledger.addBreach(.sameNetwork, step, place, difference)
    }
    guard hasBeginning else { return }
    guard let availability else {
      return ledger.addBreach(.offered, step, place, "\(step.name) came without 0x4300")
    }
    if wired != nil, wireless == nil, !availability.isWired, !objects.carPlayOffers.wired {
      ledger.addBreach(.offered, step, place, "it has wired attributes, and the phone has not offered wired CarPlay")
    } else if wireless != nil, wired == nil, !availability.isWireless, !objects.carPlayOffers.wireless {
      ledger.addBreach(
        .offered, step, place, "it has wireless attributes, and the phone has not offered wireless CarPlay")
    }
  }
}
