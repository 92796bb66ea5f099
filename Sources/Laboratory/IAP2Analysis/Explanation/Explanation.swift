// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// An explanation of one connection of a capture: how far it got, where it stopped and whose turn it was.
package struct Explanation: Sendable {
  /// The number of the connection in the capture, from 1. USB devices without data follow the last connection.
  package var connection: Int
  /// The progress of the connection.
  package var history: ConnectionHistory
  /// The stop point that applies.
  package var point: StopPoint
  /// The stage in which the connection stopped.
  package var stage: SessionStage
  /// The stages that the capture shows or that must precede them, in the order of ``SessionStage``.
  package var reached: [SessionStage]
  /// The last step; nil if there is none.
  package var last: SessionEvent?
  /// The side whose turn it was, and the expected steps.
  package var turn: SessionTurn
  /// The known causes that the capture does not rule out.
  package var causes: [KnownCause]
  /// The first broken rule or the owed answer that explains the connection; nil if no rule does.
  package var finding: RuleFinding?
  /// The reasons why the sides may be wrong, with the options that state them; empty if they are stated or proven.
  package var doubts: [String] = []
  /// Other breaches of the same side; empty unless the finding is the stop point.
  package var otherBreaches: [RuleFinding]

  init(_ history: ConnectionHistory, connection: Int, end: Double?) {
    self.connection = connection
    self.history = history
    last = history.latest
    if let end, let time = last?.time { self.history.silence = max(0, end - time) }
    // A side that goes on after a wrong acknowledgement sent the packet, and the capture lacks it.
    for side in [Side.accessory, .device] where history.link.ledger.hasForeignAcknowledgement(of: side) {
      guard history.link.reset?.from != side.peer, history.link.repeats?.from != side.peer else { continue }
      self.history.link.ledger.isIncomplete = true
    }
    // With the packets of one side, what the other one sent is unknown.
    if (history.packets.accessory == 0) != (history.packets.device == 0) {
      self.history.link.ledger.isIncomplete = true
    }
    let history = self.history
    point = StopPoint.of(history)
    turn = point.turnOf(history) ?? point.turn
    stage = point.stage ?? history.link.stage
    // A session that ended within an exchange may have ended for a reason of that exchange.
    var known = point.causes
    let isLinkAtFault =
      history.link.repeats != nil || history.link.worstDamage != nil || history.breach != nil
    if point.stage == nil, history.link.reset != nil || history.end != nil, !isLinkAtFault {
      let exchange = history.link.owedExchange?.causes ?? []
      known += exchange.filter { cause in !known.contains { $0.id == cause.id && $0.text == cause.text } }
    }
    finding = Self.finding(at: point, stage, history)
    if point.id == StopPoint.ruleIgnored.id, let finding { stage = finding.rule.stage }
    let isOfRule = point.isOfRule && finding != nil
    otherBreaches = isOfRule ? history.otherBreaches(than: finding) : []
    causes =
      (isOfRule ? finding.map(KnownCause.init) : nil).map { [$0] }
      ?? known.filter { $0.applies(history) }.map { $0.specific(history) }
    reached = history.reached
  }

  /// The step that decided the end, if it is not the last one: a refusal, or the request that stayed unanswered.
  package var decisive: SessionEvent? {
    let link = history.link
    let session = link.failedSession.flatMap { link.externalAccessories[$0.id] }
    let event: SessionEvent? =
      switch point.id {
      case StopPoint.authenticationFailed.id: link.authentication
      case StopPoint.identificationRejected.id: link.rejection
      case StopPoint.identificationCancelled.id: link.identification
      case StopPoint.sessionRefused.id: session?.status?.event
      case StopPoint.sessionUnanswered.id: session?.opened
      case "reset-in-negotiation": link.lastOffer?.event
      // With one side's bytes, an answer may only be missing in the capture.
      case "one-side-only": nil
      default: point.stage == nil ? link.pending : nil
      }
    return event == last ? nil : event
  }

  /// The number of the CarPlay session that the connection is inside, from 0; nil for another connection.
  package var session: Int? { history.session }

  /// Returns an explanation for each connection in which iAP2 or an accessory's interface was found.
  package static func all(_ analyzer: CaptureAnalyzer<ExplanationSink>) -> [Explanation] {
    let end = analyzer.end.time
    let observations = analyzer.usb.devices
    let keys = analyzer.flowKeys
    var histories: [(number: Int, history: ConnectionHistory)] = []
    for (number, key) in keys.enumerated() {
      guard analyzer.sink.histories.indices.contains(number) else { continue }
      var history = analyzer.sink.histories[number]
      history.flow = key
      if let (bus, device) = key.usbDevice {
        history.usb = observations.last { $0.bus == bus && $0.device == device }
      }
      if let (end, from) = analyzer.end(of: number) { history.close(end, from) }
      if history.hasContent || history.usb?.hasInterface == true { histories.append((number, history)) }
    }
    let carried = Set(
      histories.compactMap { $0.history.flow?.usbDevice.map { UInt32($0.bus) << 8 | UInt32($0.device) } })
    histories += withoutBytes(observations, carried).enumerated().map { (keys.count + $0, $1) }
    let notices = analyzer.notices
    return histories.map { number, history in
      var explanation = Explanation(history, connection: number + 1, end: end)
      explanation.doubts = notices.filter { $0.flow == number }.map(CaptureNoticeText.body)
      return explanation
    }
  }

  /// Returns the USB devices that carried no data. Requests of a role switch belong to the connection that followed
  /// them.
  private static func withoutBytes(_ observations: [USBObservation], _ carried: Set<UInt32>) -> [ConnectionHistory] {
    let silent = observations.filter { !carried.contains(UInt32($0.bus) << 8 | UInt32($0.device)) }
    if let last = observations.lastIndex(where: \.hasInterface) {
      return silent.filter { $0.hasInterface && $0 == observations[last] }.map { ConnectionHistory(usb: $0) }
    }
    guard carried.isEmpty, let asked = observations.last(where: \.concernsIAP2) else { return [] }
    let later = observations.last { $0.isDescribed && $0 != asked && $0.record > asked.record }
    guard asked.roleSwitch == .accepted, var later else { return [ConnectionHistory(usb: asked)] }
    later.query = asked.query
    later.roleSwitch = asked.roleSwitch
    return [ConnectionHistory(usb: later, followsRoleSwitch: true)]
  }
}

extension FlowKey {
  var usbDevice: (bus: UInt16, device: UInt8)? {
    switch self {
    case .usb(let bus, let device), .usbReports(let bus, let device): (bus, device)
    case .rfcomm, .tcp, .own, .text, .session: nil
    }
  }
}

extension ConnectionHistory {
  init(usb: USBObservation, followsRoleSwitch: Bool = false) {
    self.usb = usb
    self.followsRoleSwitch = followsRoleSwitch
  }

  fileprivate mutating func close(_ end: TransportEnd, _ from: Side?) {
    // A transport end before the last step does not count: the transport was opened again.
    guard last.map({ $0.record <= end.record }) ?? true else { return }
    self.end = SessionEvent(step: .transportClosed, from: from, record: end.record, time: end.time, number: Int.max)
  }

  /// The last event of the connection; without one, the last USB step.
  fileprivate var latest: SessionEvent? {
    let stray = link.isUp || StopPoint.of(self).stage != .detect ? nil : link.lastStray
    if let last = [last, stray, end].compactMap({ $0 }).max(by: { $0.number < $1.number }) { return last }
    guard let usb, !hasDamage else { return nil }
    let (step, from): (SessionStep, Side) =
      if usb.hasInterface {
        (.usbInterface, .accessory)
      } else if followsRoleSwitch {
        (.usbConfiguration, .accessory)
      } else if let answer = usb.roleSwitch {
        answer == .unanswered ? (.roleSwitch, .accessory) : (.roleSwitchAnswer, .device)
      } else {
        usb.query == .unanswered ? (.roleSwitchQuery, .accessory) : (.roleSwitchQueryAnswer, .device)
      }
    return SessionEvent(step: step, from: from, record: usb.record, time: usb.time, number: 0)
  }

  private var hasDamage: Bool { damagedPackets.accessory + damagedPackets.device > 0 }

  fileprivate var reached: [SessionStage] {
    SessionStage.allCases.filter { stage in
      switch stage {
      case .enumeration: usb?.hasInterface ?? false
      case .detect: link.isUp || link.offers.device != nil || link.detects.device > 0 && link.detects.accessory > 0
      case .negotiation: link.isUp
      case .authentication: link.isAuthenticated || link.isAuthenticationImplied
      case .identification: link.isRunning
      case .features: link.isRunning && (link.features.accessory != nil || link.features.device != nil)
      case .externalAccessory: link.externalAccessories.values.contains(where: \.hasData)
      case .carPlay: link.started != nil
      case .complete: StopPoint.of(self).isComplete
      }
    }
  }
}

extension LinkHistory {
  /// The last bytes of the device that stand where an echo of detect is expected; nil if it echoed.
  var lastStray: SessionEvent? {
    detects.device > 0 ? nil : [legacy.device, other.device].compactMap { $0 }.max { $0.number < $1.number }
  }
}

// Facts of a history that are shown beside its stop point.
extension ConnectionHistory {
  /// The content of a rejection.
  package struct Rejected: Sendable {
    /// The ids of the rejected parameters.
    package var parameters: [UInt16]
    /// The ids of the rejected messages.
    package var messages: [UInt16]
    /// The ids of the parameters that the device requires or names and that the identification does not have.
    package var absent: [UInt16]
    /// The ids of the parameters that cannot be read.
    package var unreadable: [UInt16]
    /// The number of rejections.
    package var count: Int
    /// The broken rules of the identification that phones check, or that concern a rejected parameter.
    package var broken: [CheckLine]
  }

  /// The rejection of the last identification; nil unless the device rejected it.
  package var rejected: Rejected? {
    guard isRejected else { return nil }
    return Rejected(
      parameters: link.rejectedParameters, messages: link.rejectedMessages, absent: link.absentParameters,
      unreadable: link.parameters?.unreadable ?? [], count: link.rejections, broken: link.brokenRules)
  }

  /// The packets that were retransmitted last: their sender, their number and the maximum that the link allows.
  package var repeats: (from: Side, count: Int, limit: Int?)? {
    link.repeats.map { repeats in
      (repeats.from, repeats.count, link.offers[repeats.from.peer]?.parameters.map { Int($0.maxRetransmissions) })
    }
  }

  /// The damaged packets of one side with no valid one after them: the sender, the number of packets, and the sequence
  /// number, record and wrong checksum of the last one.
  package var damage: (from: Side, count: Int, sequence: UInt8, record: Int, checksum: WrongChecksum?)? {
    link.worstDamage.map {
      ($0.from, $0.damage.count, $0.damage.sequence.rawValue, $0.damage.record, $0.damage.checksum)
    }
  }

  /// Whether the capture has bytes of the connection and no end of it: no RST, no end of the transport, and no comment
  /// of this program that states one. The session may have continued after the capture.
  package var hasNoEnd: Bool {
    last != nil && link.reset == nil && end == nil && ownEnd == nil && cutOff == nil
  }

  /// The length of the last signature in bytes; nil without one.
  package var signatureByteCount: Int? { link.responseByteCount }

  /// The number of an ACK of the SYN+ACK that is not the SYN+ACK's; nil if the link came up.
  package var wrongAcknowledgement: (found: SequenceNumber, expected: SequenceNumber)? {
    link.isUp ? nil : link.wrongAcknowledgement
  }

  /// The sizes of a certificate that is shorter than its own length, in bytes; nil after authentication.
  package var cutCertificate: (byteCount: Int, declared: Int)? {
    guard link.isCertificateCut, !link.isAuthenticated, let count = link.certificateByteCount,
      let declared = link.certificateDeclaredByteCount
    else { return nil }
    return (count, declared)
  }

  /// The RST that ended the link.
  package var reset: SessionEvent? { link.reset }

  /// The message that cannot be read and after which the other side reset the link; nil if it did not.
  package var fault: MessageFault? {
    guard let fault = link.fault, link.reset?.from == fault.from.peer else { return nil }
    return fault
  }

  /// Returns the EA session that a stop in this stage is about, with its protocol name if known.
  package func shownSession(for stage: SessionStage) -> (id: UInt16, name: String?)? {
    guard stage == .externalAccessory, let id = link.failedSession?.id ?? link.latestSession else { return nil }
    return (id, link.externalAccessories[id]?.protocolNumber.flatMap { link.declaration?.protocols[$0] })
  }

  /// Returns the seconds after which the device closed the EA session with this id; nil while it is open and in a
  /// capture without times.
  package func secondsUntilClose(of session: UInt16) -> Double? {
    guard let session = link.externalAccessories[session], let opened = session.opened?.time,
      let stopped = session.stopped?.time
    else { return nil }
    return stopped - opened
  }
}
