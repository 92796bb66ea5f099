// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

// The rules of control messages, and of the order of authentication and identification.
extension SessionRule {
  static let sender = SessionRule(
    "message-sender", .features, "Each message is sent by one side only.",
    "Sources.md#generated: the senders in the message catalog", .high,
    repair: "Do not send this message: it belongs to the other side.", isLocal: true, forbids: true)

  static let asked = SessionRule(
    "answer-without-request", .authentication, "An answer of an exchange follows its request.",
    "Authentication.md#exchange", .high,
    repair: "Send the message only as the answer to its request, once for each.", forbids: true)

  static let identificationAsked = SessionRule(
    "identification-unasked", .identification, "An answer of an exchange follows its request.",
    "Identification.md#request", .high,
    repair: "Send the message only as the answer to its request, once for each.", forbids: true)

  static let certificateForm = SessionRule(
    "certificate-form", .authentication, "A certificate is PKCS#7 in DER, whose length is that of its bytes.",
    "Authentication.md#certificate-form", .high,
    repair: "Send the bytes of the coprocessor's certificate, all of them and nothing else.", isLocal: true)

  static let challengeFits = SessionRule(
    "challenge-generation", .authentication, "The challenge has the size that the accessory's certificate needs.",
    "Authentication.md#challenge-size", .high,
    repair: "Send 32 bytes to an accessory with a P-256 certificate, and 20 bytes to one with an RSA certificate.",
    effect: .decides)

  static let authenticatesFirst = SessionRule(
    "link-without-authentication", .authentication,
    "On each link the device authenticates and identifies the accessory before any message of a feature.",
    "Sessions.md#both-ready", .high,
    repair: "Begin each new link with 0xAA00 and 0x1D00, also after a reset.", forbids: true)

  static let both = SessionRule(
    "feature-before-both", .features, "No message of a feature is sent before authentication and identification.",
    "Sessions.md#both-ready", .high,
    repair: "Send it after both 0xAA05 and 0x1D02.", forbids: true)

  static let listed = SessionRule(
    "message-not-listed", .features, "Each side sends only the messages that the identification lists.",
    "Sessions.md#list-gate: a real accessory sends an unlisted 0xEA03 (Sessions.md#list-gate-broken)", .high,
    repair: "List the message in parameter 6 if the accessory sends it, or in 7 if the device does, or do not send it.",
    forbids: true)

  static let verdictAsked = SessionRule(
    "verdict-without-answer", .authentication, "The device accepts the accessory only after its answer.",
    "Authentication.md#success-needs-challenge", .low, repair: "Send 0xAA05 after a verified 0xAA03.",
    effect: .decides, forbids: true)

  static let acceptanceAsked = SessionRule(
    "acceptance-without-identification", .identification, "0x1D02 answers 0x1D01.",
    "Identification.md#acceptance", .high, repair: "Send 0x1D02 after 0x1D01 has arrived.", effect: .decides)

  static let responseFresh = SessionRule(
    "response-reused", .authentication, "Each challenge has a signature of its own.",
    "Authentication.md#challenge-own-response: it follows from what a signature is", .low,
    repair: "Sign each new challenge; do not keep the response of an earlier link.", effect: .decides)

  static let rejectionNames = SessionRule(
    "rejection-names-nothing", .identification, "A rejection names the parameters that are not accepted.",
    "Identification.md#rejected", .high,
    repair: "Name each rejected parameter in 0x1D03.", effect: .decides, isLocal: true)

  static let schema = SessionRule(
    "message-schema", .features, "A message has the parameters that its schema lists, in their types and counts.",
    "Sources.md#generated: the counts and types of the message catalog", .high,
    repair: "Compare the message with `iap2 messages NAME`, which lists its parameters and their types.", isLocal: true)

  static let componentContents = SessionRule(
    "component-empty", .identification, "A component says what it offers.",
    "inferred from Identification.md#location-flags and Identification.md#vehicle-flags", .medium,
    repair:
      "Add the parameters for what the component offers: `iap2 messages IdentificationInformation` has their ids.",
    effect: .fails, isLocal: true)

  static let identificationRule = SessionRule(
    "identification-rule", .identification, "An identification follows the rules of `iap2 check identification`.",
    "Identification.md#lists", .medium,
    repair: "Correct what `iap2 check identification` names.", isLocal: true)
}

/// The exchanges of authentication and identification, as far as the turn of each message depends on them.
struct ExchangeTurns: Sendable {
  /// The message that each answer may follow now.
  private var open: Set<UInt16> = []

  /// The requests that an answer may follow.
  private static let requests: [UInt16: [UInt16]] = [
    AuthenticationCertificate.id: [RequestAuthenticationCertificate.id],
    RequestAuthenticationChallengeResponse.id: [AuthenticationCertificate.id],
    AuthenticationResponse.id: [RequestAuthenticationChallengeResponse.id],
    AuthenticationSucceeded.id: [AuthenticationResponse.id],
    AuthenticationFailed.id: [AuthenticationResponse.id, AuthenticationCertificate.id],
    IdentificationInformation.id: [StartIdentification.id, IdentificationRejected.id],
    IdentificationAccepted.id: [IdentificationInformation.id],
    IdentificationRejected.id: [IdentificationInformation.id],
  ]

  /// Takes a message. Returns the requests that should have come before it; nil if one did.
  mutating func take(_ id: UInt16) -> [UInt16]? {
    let requests = Self.requests[id]
    let answered = requests?.filter(open.contains) ?? []
    open.subtract(answered)
    open.insert(id)
    return requests != nil && answered.isEmpty ? requests : nil
  }
}

/// The signatures of a connection, over all of its links.
struct SignatureMemory: Sendable {
  /// The challenge of each response, as hashes.
  private var challenges: [Int: Int] = [:]

  /// The responses to keep: a connection with more resets is explained by the first ones.
  private static var maximum: Int { 64 }

  /// Takes a response. Returns false if another challenge had the same one.
  mutating func take(_ bytes: RawSpan, from offset: Int, challenge: [UInt8]) -> Bool {
    guard bytes.byteCount > offset, !challenge.isEmpty else { return true }
    let response = [UInt8](copying: bytes.extracting(offset..<bytes.byteCount)).hashValue
    guard let known = challenges[response] else {
      if challenges.count < Self.maximum { challenges[response] = challenge.hashValue }
      return true
    }
    return known == challenge.hashValue
  }
}

extension LinkHistory {
  /// Judges a message before its effects are noted. One that cannot be read has none.
  mutating func judge(_ id: UInt16, _ bytes: RawSpan, _ fault: MessageFault?, at place: DecodedPlace) {
    // Messages after an RST were sent before it arrived.
    guard reset == nil else { return }
    ledger.countStep(place.from)
    let step = SessionStep.message(id)
    if let entry = MessageCatalog[id], entry.info.sender != place.from {
      return ledger.addBreach(
        .sender, step, object: Int(id), place, "\(step.name) is a message of the \(entry.info.sender.rawValue)")
    }
    judge(fault, of: id, at: place)
    judgeValues(id, bytes, step, at: place)
    if ControlHeader.isImplied(id) {
      judgeExchange(id, bytes, step, at: place)
    } else if fault == nil {
      judgeFeature(id, bytes, step, at: place)
    }
  }

  private mutating func judgeExchange(_ id: UInt16, _ bytes: RawSpan, _ step: SessionStep, at place: DecodedPlace) {
    if let requests = turns.take(id), hasBeginning {
      let rule: SessionRule =
        switch id {
        case AuthenticationSucceeded.id: .verdictAsked
        case IdentificationAccepted.id: .acceptanceAsked
        case StartIdentification.id...CancelIdentification.id: .identificationAsked
        default: .asked
        }
      ledger.addBreach(
        rule, step, object: Int(id), place,
        "\(step.name) came without \(requests.map { SessionStep.message($0).name }.joined(separator: " or "))")
    }
    if id == IdentificationAccepted.id, identification != nil, parameters != nil {
      ledger.removeBreach(.acceptanceAsked, object: Int(id), by: .device)
    }
    let value = ControlHeader.byteCount + 4
    let count = max(0, bytes.byteCount - value)
    switch id {
    case AuthenticationCertificate.id: judgeCertificate(bytes, from: value, step, at: place)
    case RequestAuthenticationChallengeResponse.id:
      guard let needed = neededChallenge, needed != count, count == 20 || count == 32 else { return }
      ledger.addBreach(
        .challengeFits, step, place,
        "the challenge has \(bytesText(count)), and the certificate is of \(needed == 32 ? "P-256" : "RSA")")
    case AuthenticationResponse.id:
      if !signatures.take(bytes, from: value, challenge: challenge) {
        ledger.addBreach(.responseFresh, step, place, "0xAA03 has the bytes of the answer to an earlier challenge")
      }
    case IdentificationRejected.id:
      // The first one may ask for a smaller identification.
      let named = Rejection(bytes)
      guard rejections > 0, named.parameters.isEmpty, named.messages.isEmpty else { return }
      ledger.addBreach(.rejectionNames, step, place, "0x1D03 names no parameter")
    default: break
    }
  }

  private mutating func judgeCertificate(
    _ bytes: RawSpan, from offset: Int, _ step: SessionStep, at place: DecodedPlace
  ) {
    let count = bytes.byteCount - offset
    neededChallenge = Self.neededChallenge([UInt8](copying: bytes))
    guard count > 0, bytes.byte(offset) == 0x30 else {
      return ledger.addBreach(.certificateForm, step, place, "the certificate of \(bytesText(count)) is not DER")
    }
    guard let declared = Self.lengthInDER(bytes, at: offset), declared != count else { return }
    ledger.addBreach(
      .certificateForm, step, place, "the certificate has \(bytesText(count)), and its DER length says \(declared)")
  }

  /// Returns the size of the challenge for a certificate, by the object identifier of its key: 32 for P-256, 20 for RSA;
  /// nil for another.
  private static func neededChallenge(_ certificate: [UInt8]) -> Int? {
    let curve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    let (isCurve, isRSA) = (certificate.contains(curve), certificate.contains(rsa))
    return isCurve == isRSA ? nil : isCurve ? 32 : 20
  }

  /// The messages with which a device describes itself.
  private static let notices = DeviceInformationUpdate.id...DeviceTransportIdentifierNotification.id

  private mutating func judgeFeature(_ id: UInt16, _ bytes: RawSpan, _ step: SessionStep, at place: DecodedPlace) {
    let isReady = isAuthenticated && isIdentified || !hasBeginning
    // A device may describe itself before it authenticates the accessory (Authentication.md#unasked-before-both).
    let isNotice = isIdentified && Self.notices.contains(id)
    if !isReady, !isNotice, place.from == .device, authentication == nil, identification == nil {
      ledger.addBreach(
        .authenticatesFirst, .message(RequestAuthenticationCertificate.id), place, "\(step.name) came first")
    } else if !isReady, !isNotice {
      let absent = [
        isAuthenticated ? nil : "AuthenticationSucceeded", isIdentified ? nil : "IdentificationAccepted",
      ].compactMap { $0 }
      ledger.addBreach(
        .both, step, object: Int(id), place, "\(step.name) came before \(absent.joined(separator: " and "))")
    } else {
      ledger.removeBreach(.both, object: Int(id), by: place.from)
    }
    if isReady, !isListed(id, from: place.from) {
      let list = place.from == .accessory ? "6 MessagesSentByAccessory" : "7 MessagesReceivedFromDevice"
      ledger.addBreach(.listed, step, object: Int(id), place, "parameter \(list) does not have \(step.name)")
    }
    let asksForValues = bytes.byteCount > ControlHeader.byteCount
    judgeSubscription(id, step, isReady: isReady, asksForValues: asksForValues, at: place)
    do { try judgeObjects(id, bytes, step, at: place) } catch {}
  }

  /// Judges an identification after its contents are noted.
  mutating func judgeIdentification(at place: DecodedPlace) {
    ledger.removeBreach(.identificationRule, by: .accessory)
    for (start, component) in declaration?.emptyComponents ?? [:] where declaration?.received.contains(start) ?? false {
      ledger.addBreach(
        .componentContents, .message(IdentificationInformation.id), object: Int(start), place,
        "component \(component) has none of its parameters, so there is nothing that the device can ask for")
    }
    guard let finding = findings.first(where: \.isRejection) else { return }
    ledger.addBreach(
      .identificationRule, .message(IdentificationInformation.id), place,
      "\(finding.place): \(finding.text)\(finding.context)")
  }

  /// Judges the values of a message. Those of an identification are among its findings.
  private mutating func judgeValues(_ id: UInt16, _ bytes: RawSpan, _ step: SessionStep, at place: DecodedPlace) {
    guard id != IdentificationInformation.id, ValueCheck.concerns(id) else { return }
    for rule in SessionRule.values { ledger.removeBreach(rule, object: Int(id), by: place.from) }
    for finding in ValueCheck.findings(id, bytes) {
      ledger.addBreach(finding.rule, step, object: Int(id), place, finding.detail)
    }
  }

  /// Judges the form of a message.
  private mutating func judge(_ fault: MessageFault?, of id: UInt16, at place: DecodedPlace) {
    guard let fault else { return ledger.removeBreach(.schema, object: Int(id), by: place.from) }
    ledger.addBreach(
      .schema, .message(id), object: Int(id), place, "\(SessionStep.message(id).name): \(fault.text)",
      repair: fault.words?.check)
  }

  func bytesText(_ count: Int) -> String { "\(count) byte\(count == 1 ? "" : "s")" }
}
