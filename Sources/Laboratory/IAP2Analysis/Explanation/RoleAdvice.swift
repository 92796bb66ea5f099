// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Roles

/// The advice of a live session: for events that stop it, what this side knows about the reason and the remedy.
///
/// It reads the events of one role in order and returns lines for the user. An event that needs no advice has no line.
package struct RoleAdvice: Sendable {
  /// The conditions of a live session that its end may depend on.
  package struct Conditions: Sendable {
    /// The limit of identification in seconds; nil without a limit.
    package var identifySeconds: Double?
    /// The seconds of silence after which the peer is probed; nil if it is not probed.
    package var silenceSeconds: Double?

    /// Creates conditions.
    package init(identifySeconds: Double? = nil, silenceSeconds: Double? = nil) {
      self.identifySeconds = identifySeconds
      self.silenceSeconds = silenceSeconds
    }
  }

  /// An EA session from its request to its end.
  private struct Session {
    var name: String
    var requested: MonotonicTime
    var isOpen = false
    /// The peer closed the session while it was open.
    var isPulled = false
  }

  private let role: Role
  private let conditions: Conditions
  private var start = MonotonicTime.zero
  private var isLegacy = false
  private var isDetected = false
  private var isLinkUp = false
  private var isAuthenticated = false
  private var isIdentified = false
  /// The last message of authentication or identification, with its direction.
  private var last: (direction: RoleEvent.Direction, id: UInt16)?
  private var hasChallenge = false
  private var identification: [UInt8]?
  private var rejected: [UInt16] = []
  /// The lines about the last rejection.
  private var rejectionText: [String] = []
  private var protocols: [UInt8: String] = [:]
  /// Whether the accessory lists 0xEA03. One that does not opens EA sessions without an answer.
  private var answersOpening = true
  private var sessions: [UInt16: Session] = [:]

  /// The EA sessions that are observed at most. A peer opens far fewer at once.
  private static var maximumSessions: Int { 256 }

  /// Creates the advice of a role, before its first event.
  package init(role: Role, conditions: Conditions = Conditions()) {
    self.role = role
    self.conditions = conditions
  }

  /// Adds an event and returns the lines for the user.
  package mutating func lines(after event: RoleEvent, at time: MonotonicTime) -> [String] {
    switch event {
    case .transportOpened: restart(at: time)
    case .legacyPeer: isLegacy = true
    case .detected: isDetected = true
    case .linkUp: (isDetected, isLinkUp) = (true, true)
    case .authenticated: isAuthenticated = true
    case .identified: isIdentified = true
    case .authenticationFailed(let reason): return [authenticationLine(reason)]
    case .identificationRejected(let parameters):
      rejected = parameters
      return rejectionLines(parameters)
    case .message(let direction, let id, let bytes): return message(direction, id, bytes, at: time)
    case .externalAccessoryClosed(let name, let id, let sent, let received):
      guard let session = sessions.removeValue(forKey: id), session.isPulled else { return [] }
      let seconds = Self.seconds(since: session.requested, time)
      return ["\(name): \(peer) closed EA session \(id) after \(seconds) s, \(sent) bytes sent, \(received) received"]
    case .disconnected(let end):
      defer { restart(at: time) }
      return endLine(end).map { [$0] } ?? []
    default: break
    }
    return []
  }

  private var peer: String { role == .phone ? "the accessory" : "the phone" }

  private mutating func restart(at time: MonotonicTime) {
    self = RoleAdvice(role: role, conditions: conditions)
    start = time
  }

  private static func seconds(since start: MonotonicTime, _ end: MonotonicTime) -> String {
    let tenths = (end.nanoseconds - start.nanoseconds + 50_000_000) / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func name(_ id: UInt16) -> String {
    MessageCatalog.text(id) + (MessageCatalog[id].map { " \($0.name)" } ?? "")
  }

  // MARK: Authentication

  private func authenticationLine(_ reason: String?) -> String {
    let subject = hasChallenge ? "signature" : "certificate"
    if role == .phone {
      let why = reason.map { " (\($0))" } ?? ""
      return "the accessory's \(subject) was not accepted\(why): --authentication any accepts every accessory,"
        + " --authentication FILE trusts the CA in that file"
    }
    if let reason {
      return "the authenticator of this side failed (\(reason)): `iap2 coprocessor --authenticator …` tests it"
    }
    return
      "the phone did not accept the \(subject): a phone of this project takes any with --authentication any; a real"
      + " phone accepts only an authentication coprocessor (--authenticator)"
  }

  // MARK: Identification

  private mutating func rejectionLines(_ parameters: [UInt16]) -> [String] {
    let read = identification.map { IdentificationParameters(unsafe $0.span.bytes) }
    var findings: [IdentificationFinding] = []
    // The parameters that cannot be read are named one by one.
    if let identification {
      do { findings = IdentificationRule.findings(in: try .init(decoding: unsafe identification.span.bytes)) } catch {}
    }
    var lines: [String] = []
    for id in parameters {
      let name = IdentificationInformation.parameterText(id)
      let own = findings.filter { $0.parameters.contains(id) }
      if let read, !read.present.contains(id) {
        lines.append("the identification has no parameter \(name): add it")
      } else if read?.unreadable.contains(id) == true {
        lines.append("parameter \(name) cannot be read: `iap2 messages IdentificationInformation` shows its form")
      } else if own.isEmpty {
        let remedy = IdentificationParameters.isOptional(id) ? "leave it out or change it" : "change it"
        lines.append("parameter \(name) was rejected, and no known rule says why: \(remedy)")
      }
      for finding in own { lines.append("parameter \(name): \(Self.text(finding))") }
    }
    if parameters.isEmpty { lines.append("the rejection names no parameter") }
    defer { rejectionText = lines }
    guard lines != rejectionText else { return ["the identification was rejected again for the same reasons"] }
    let whose = role == .phone ? "the accessory's identification" : "the identification of this side"
    return lines
      + ["change \(whose) and connect again; `iap2 check identification CAPTURE` checks it without a phone"]
  }

  private static func text(_ finding: IdentificationFinding) -> String {
    var details = finding.messages.map(name)
    if !finding.detail.isEmpty { details.append(finding.detail) }
    return finding.rule.text + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
  }

  // MARK: Messages

  private mutating func message(
    _ direction: RoleEvent.Direction, _ id: UInt16, _ bytes: [UInt8], at time: MonotonicTime
  ) -> [String] {
    if ControlHeader.isImplied(id) { last = (direction, id) }
    // A message that cannot be read is reported as a violation.
    do {
      switch id {
      case RequestAuthenticationChallengeResponse.id: hasChallenge = true
      case IdentificationInformation.id:
        defer { identification = bytes }
        let information = try IdentificationInformation(decoding: unsafe bytes.span.bytes)
        for entry in information.supportedExternalAccessoryProtocol {
          protocols[entry.externalAccessoryProtocolIdentifier] = entry.externalAccessoryProtocolName
        }
        answersOpening = information.messagesSentByAccessory.elements.contains(
          StatusExternalAccessoryProtocolSession.id)
        guard direction == .sent, !rejected.isEmpty else { return [] }
        return ["the identification was sent again without the optional ones of these parameters"]
      case StartExternalAccessoryProtocolSession.id:
        let request = try StartExternalAccessoryProtocolSession(decoding: unsafe bytes.span.bytes)
        guard sessions.count < Self.maximumSessions else { return [] }
        let number = request.externalAccessoryProtocolIdentifier
        sessions[request.externalAccessoryProtocolSessionIdentifier] = Session(
          name: protocols[number] ?? "EA protocol \(number)", requested: time, isOpen: !answersOpening)
      case StatusExternalAccessoryProtocolSession.id:
        return status(direction, try StatusExternalAccessoryProtocolSession(decoding: unsafe bytes.span.bytes))
      case StopExternalAccessoryProtocolSession.id:
        let stop = try StopExternalAccessoryProtocolSession(decoding: unsafe bytes.span.bytes)
        return stopped(direction, stop.externalAccessoryProtocolSessionIdentifier, at: time)
      default: break
      }
    } catch {}
    return []
  }

  private mutating func status(
    _ direction: RoleEvent.Direction, _ message: StatusExternalAccessoryProtocolSession
  ) -> [String] {
    let id = message.externalAccessoryProtocolSessionIdentifier
    let status = message.externalAccessoryProtocolSessionStatus
    guard let session = sessions[id] else { return misdirected(direction, id) }
    guard status != .ok else {
      sessions[id]?.isOpen = true
      return []
    }
    guard !session.isOpen else {
      sessions[id]?.isPulled = direction == .received
      return []
    }
    sessions[id] = nil
    return [
      direction == .received
        ? "\(session.name): the accessory refused EA session \(id), with status \(status.rawValue) in"
          + " \(Self.name(StatusExternalAccessoryProtocolSession.id))"
        : "\(session.name): EA session \(id) was refused, because the identification has no such protocol"
    ]
  }

  /// Handles a status with an id that no session has, while one waits for its status.
  private mutating func misdirected(_ direction: RoleEvent.Direction, _ id: UInt16) -> [String] {
    let waiting = sessions.filter { !$0.value.isOpen }.max { $0.value.requested < $1.value.requested }
    guard direction == .received, let waiting else { return [] }
    return [
      "\(waiting.value.name): the accessory answered for EA session \(id), and session \(waiting.key) waits for its"
        + " answer: \(Self.name(StatusExternalAccessoryProtocolSession.id)) has the session id of the request, high byte"
        + " first"
    ]
  }

  /// Handles the end of a session by the phone. One that was never answered has ended unopened.
  private mutating func stopped(_ direction: RoleEvent.Direction, _ id: UInt16, at time: MonotonicTime) -> [String] {
    guard direction == .sent, let session = sessions[id], !session.isOpen else { return [] }
    let listed = MessageCatalog.text(StatusExternalAccessoryProtocolSession.id)
    sessions[id] = nil
    return [
      "\(session.name): the accessory lists \(listed) and did not answer the request for EA session \(id) within"
        + " \(Self.seconds(since: session.requested, time)) s"
    ]
  }

  // MARK: The end

  private func endLine(_ end: Disconnection) -> String? {
    let isReady = isAuthenticated && isIdentified
    let waited = isReady ? nil : "; this side waited for \(expected)"
    switch end.cause {
    case .timeout: return timeoutLine(end, isReady: isReady)
    case .transportClosed:
      return "\(peer) closed the connection without ending the session" + (waited ?? "")
    case .linkReset: return waited.map { "\(peer) ended the link before the session began\($0)" }
    case .peerRestarted: return "\(peer) restarted: it began with detection again while the link was up"
    case .retransmissionLimit:
      return "\(peer) acknowledges nothing any more: a packet was sent as often as agreed" + (waited ?? "")
    case .negotiationFailed:
      return "the two sides did not agree on the values of the link: --link sets those that this side offers"
    case .identificationRejected where rejected.isEmpty: return "\(peer) cancelled identification"
    case .requested, .authenticationFailed, .identificationRejected, .notification, .chargingStopped, .sessionEnded,
      .replugged:
      return nil
    }
  }

  private func timeoutLine(_ end: Disconnection, isReady: Bool) -> String {
    if isReady {
      let silence =
        conditions.silenceSeconds.map { ", the first after \(Self.text($0)) s of silence (--silence)" } ?? ""
      return "\(peer) said nothing any more and answered no probe of the link\(silence)"
    }
    let seconds = Self.seconds(since: start, end.time)
    let elapsed = Double(end.time.nanoseconds - start.nanoseconds) / 1e9
    let limit = conditions.identifySeconds.map { elapsed >= $0 - 0.001 ? " (--timeout)" : "" } ?? ""
    return "given up after \(seconds) s\(limit): this side waited for \(expected)"
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }

  /// The step that this side waits for before the session begins.
  private var expected: String {
    guard isDetected else {
      let legacy = isLegacy ? ", which has spoken only iAP1" : ""
      return role == .phone
        ? "the detect sequence of the accessory\(legacy)" : "the phone's answer to detection\(legacy)"
    }
    guard isLinkUp else { return role == .phone ? "the accessory's SYN" : "the phone's SYN+ACK" }
    let answers: [UInt16: [UInt16]] =
      role == .phone
      ? [
        RequestAuthenticationCertificate.id: [AuthenticationCertificate.id],
        RequestAuthenticationChallengeResponse.id: [AuthenticationResponse.id],
        StartIdentification.id: [IdentificationInformation.id],
        IdentificationRejected.id: [IdentificationInformation.id],
      ]
      : [
        AuthenticationCertificate.id: [RequestAuthenticationChallengeResponse.id],
        AuthenticationResponse.id: [AuthenticationSucceeded.id, AuthenticationFailed.id],
        IdentificationInformation.id: [IdentificationAccepted.id, IdentificationRejected.id],
      ]
    if let last, last.direction == .sent, let next = answers[last.id] {
      return "\(next.map(Self.name).joined(separator: " or ")), from \(peer)"
    }
    if role == .headUnit, let last, last.direction == .received, Self.asks.contains(last.id) {
      return "its own authenticator, to answer \(Self.name(last.id))"
    }
    if role == .phone { return "its own check of the accessory's \(hasChallenge ? "signature" : "certificate")" }
    let rest = [
      isAuthenticated ? nil : Self.name(RequestAuthenticationCertificate.id),
      isIdentified ? nil : Self.name(StartIdentification.id),
    ]
    return "\(rest.compactMap { $0 }.joined(separator: " or ")), from the phone"
  }

  /// The requests that an accessory answers with its authenticator.
  private static let asks: Set<UInt16> = [
    RequestAuthenticationCertificate.id, RequestAuthenticationChallengeResponse.id,
  ]
}
