// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Roles

extension LinkHistory {
  mutating func note(_ id: UInt16, _ bytes: RawSpan, _ event: SessionEvent, at place: DecodedPlace) {
    let from = place.from
    if MessageCatalog[id] != nil { seen.insert(id) }
    notCharging = nil
    switch id {
    case RequestAuthenticationCertificate.id...AccessoryAuthenticationSerialNumber.id: authenticate(id, bytes, event)
    case StartIdentification.id...CancelIdentification.id: identify(id, bytes, event)
    default:
      guard !ControlHeader.isImplied(id) else { return }
      troubles.noteFeature(id, isReady: isAuthenticated && isIdentified || !hasBeginning, at: place)
      features[from] = event
      if from == .device, started != nil { afterStart = event }
      feature(id, bytes, event, at: place)
    }
  }

  /// Returns whether a side may send a message; true while no identification was read.
  func isListed(_ id: UInt16, from: Side) -> Bool {
    guard let declaration, isIdentified, MessageCatalog[id] != nil, !ControlHeader.isImplied(id) else { return true }
    return (from == .accessory ? declaration.sent : declaration.received).contains(id)
  }

  private mutating func authenticate(_ id: UInt16, _ bytes: RawSpan, _ event: SessionEvent) {
    authentication = event
    // The length of the message's only value: without the message header and the parameter's own four bytes.
    let count = max(0, bytes.byteCount - ControlHeader.byteCount - 4)
    switch id {
    case AuthenticationCertificate.id:
      certificateByteCount = count
      certificateDeclaredByteCount = Self.lengthInDER(bytes, at: ControlHeader.byteCount + 4)
    case RequestAuthenticationChallengeResponse.id:
      challengeByteCount = count
      challenge = count <= Self.maximumChallenge ? Self.value(bytes) : []
    case AuthenticationResponse.id:
      responseByteCount = count
      returnsChallenge = count == challenge.count && count > 0 && Self.value(bytes) == challenge
    case AuthenticationSucceeded.id:
      isAuthenticated = true
      succeeded = event
    default: break
    }
  }

  /// The longest challenge to keep in bytes; known ones have 20 and 32 (Authentication.md#challenge).
  private static let maximumChallenge = 64

  /// Returns the value of the first parameter of a message.
  private static func value(_ bytes: RawSpan) -> [UInt8] {
    let start = ControlHeader.byteCount + 4
    return bytes.byteCount > start ? [UInt8](copying: bytes.extracting(start..<bytes.byteCount)) : []
  }

  /// Returns the size in bytes of a DER sequence with a length of two bytes, from its first bytes.
  static func lengthInDER(_ bytes: RawSpan, at offset: Int) -> Int? {
    guard bytes.byteCount >= offset + 4, bytes.bigEndian16(offset) == 0x3082 else { return nil }
    return 4 + Int(bytes.bigEndian16(offset + 2))
  }

  /// Whether a certificate ends before its own length.
  var isCertificateCut: Bool {
    guard let certificateByteCount, let certificateDeclaredByteCount else { return false }
    return certificateByteCount < certificateDeclaredByteCount
  }

  private mutating func identify(_ id: UInt16, _ bytes: RawSpan, _ event: SessionEvent) {
    identification = event
    switch id {
    case IdentificationInformation.id:
      parameters = IdentificationParameters(bytes)
      var rules: Set<[String]> = []
      findings = CheckLine.lines(ofIdentification: [UInt8](copying: bytes))
        .filter { line in rules.insert([line.rule] + (line.parameters ?? []).map { "\($0)" }).inserted }
      // An identification that cannot be decoded declares nothing.
      do { declaration = Declaration(try IdentificationInformation(decoding: bytes)) } catch { declaration = nil }
    case IdentificationAccepted.id: isIdentified = true
    case IdentificationRejected.id:
      rejections += 1
      rejection = event
      let named = Rejection(bytes)
      rejectedParameters = named.parameters
      rejectedMessages = named.messages
    default: break
    }
  }

  private mutating func feature(_ id: UInt16, _ bytes: RawSpan, _ event: SessionEvent, at place: DecodedPlace) {
    // A message that violates its schema is reported by `decode`. Here only its presence counts.
    do {
      switch id {
      case StartExternalAccessoryProtocolSession.id:
        let start = try StartExternalAccessoryProtocolSession(decoding: bytes)
        let session = start.externalAccessoryProtocolSessionIdentifier
        makeRoom(session)
        troubles.noteOpened(session)
        externalAccessories[session] = ExternalAccessory(
          protocolNumber: start.externalAccessoryProtocolIdentifier, opened: event)
        latestSession = session
      case StatusExternalAccessoryProtocolSession.id:
        let status = try StatusExternalAccessoryProtocolSession(decoding: bytes)
        let session = status.externalAccessoryProtocolSessionIdentifier
        let code = status.externalAccessoryProtocolSessionStatus.rawValue
        externalAccessories[session]?.status = (code, event)
        if code == 0 { externalAccessories[session]?.isAccepted = true }
      case StopExternalAccessoryProtocolSession.id:
        let stop = try StopExternalAccessoryProtocolSession(decoding: bytes)
        externalAccessories[stop.externalAccessoryProtocolSessionIdentifier]?.stopped = event
        externalAccessories[stop.externalAccessoryProtocolSessionIdentifier]?.stopNumber = traffic[place.from].last
      case PowerUpdate.id:
        if let state = try PowerUpdate(decoding: bytes).batteryChargingState, state != .charging {
          notCharging = (state == .charged, event)
        }
      case CarPlayAvailability.id:
        let offer = try CarPlayAvailability(decoding: bytes)
        availability = CarPlayOffer(
          isWired: offer.wiredAttributes?.wiredCarPlayAvailable ?? false,
          isWireless: offer.wirelessAttributes?.wirelessCarPlayAvailable ?? false, event: event)
        objects.carPlayOffers.wired =
          objects.carPlayOffers.wired || offer.wiredAttributes?.wiredCarPlayAvailable ?? false
        objects.carPlayOffers.wireless =
          objects.carPlayOffers.wireless || offer.wirelessAttributes?.wirelessCarPlayAvailable ?? false
      case CarPlayStartSession.id: started = event
      case WirelessCarPlayUpdate.id:
        wirelessStatus = (try WirelessCarPlayUpdate(decoding: bytes).status.rawValue == 1, event)
      case RequestAccessoryWiFiConfigurationInformation.id: wiFiAsked = event
      case AccessoryWiFiConfigurationInformation.id:
        wiFiGiven = event
        troubles.noteNetwork(try AccessoryWiFiConfigurationInformation(decoding: bytes), at: place)
      case StartHID.id:
        noteReport(id, try StartHID(decoding: bytes).hidComponentIdentifier, at: place)
      case AccessoryHIDReport.id:
        noteReport(id, try AccessoryHIDReport(decoding: bytes).hidComponentIdentifier, at: place)
      default: try troubles.noteCall(id, bytes, at: place)
      }
    } catch {}
  }

  private mutating func noteReport(_ id: UInt16, _ component: UInt16, at place: DecodedPlace) {
    guard let known = declaration?.hidComponents, !known.isEmpty else { return }
    troubles.note(component: component, of: id, known: known, at: place)
  }

  /// Whether the capture has the set-up of the link, so that it has every offer of a file and every opened session.
  var hasBeginning: Bool { offers.accessory != nil || offers.device != nil }

  /// Removes a closed session, or else the oldest one, when the limit is reached.
  private mutating func makeRoom(_ session: UInt16) {
    guard externalAccessories.count >= Self.maximumSessions, externalAccessories[session] == nil else { return }
    let oldest = externalAccessories.min { a, b in
      (a.value.stopped == nil ? 1 : 0, a.value.opened?.number ?? 0)
        < (b.value.stopped == nil ? 1 : 0, b.value.opened?.number ?? 0)
    }
    if let oldest { externalAccessories[oldest.key] = nil }
  }

  /// The EA session that was opened last and is not closed.
  private var openSession: UInt16? {
    externalAccessories.filter { $0.value.stopped == nil && $0.value.opened != nil }
      .max { ($0.value.opened?.number ?? 0) < ($1.value.opened?.number ?? 0) }?.key
  }

  mutating func noteData(_ event: SessionEvent, session: UInt16, at place: DecodedPlace) {
    let from = place.from
    if let closed = externalAccessories[session]?.stopped {
      let isUnderWay = externalAccessories[session]?.stopNumber.map { !isAcknowledged($0, by: from) }
      troubles.note(closed: session, at: closed.time, isUnderWay: isUnderWay, open: openSession, data: place)
    } else if externalAccessories[session] == nil, hasBeginning, let open = openSession {
      return troubles.note(unknown: session, open: open, data: place)
    } else {
      troubles.noteOpen(dataFrom: from)
    }
    if externalAccessories[session] == nil {
      makeRoom(session)
      externalAccessories[session] = ExternalAccessory()
    }
    latestSession = session
    guard externalAccessories[session]?.firstData[from] == nil else { return }
    externalAccessories[session]?.firstData[from] = event
  }
}

extension LinkHistory {
  mutating func noteDamage(_ header: LinkHeader, _ checksum: WrongChecksum?, _ place: DecodedPlace) {
    let count = damage[place.from].map { $0.count + 1 } ?? 1
    damage[place.from] = Damage(
      sequence: header.sequence, count: count, carries: header.payloadByteCount > 0, checksum: checksum,
      record: place.record)
  }

  /// Forgets damaged packets after a valid one that takes their place. A pure ACK has the number of the packet before
  /// it, and a packet that was received before the damage proves nothing.
  mutating func noteValid(_ header: LinkHeader, isRepeated: Bool, from: Side) {
    guard let damaged = damage[from], !header.control.contains(.reset) else { return }
    let ownsNumber = header.control.contains(.synchronize) || header.payloadByteCount > 0
    let takesItsPlace = ownsNumber && (!isRepeated || header.sequence == damaged.sequence)
    if takesItsPlace || !damaged.carries { damage[from] = nil }
  }
}
