// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  static let sessionUnanswered =
    StopPoint(
      "session-unanswered", .externalAccessory, "The device opened an EA session, and the accessory did not answer.",
      .accessory(.message(StatusExternalAccessoryProtocolSession.id)),
      request: StartExternalAccessoryProtocolSession.id,
      orWhen: { $0.link.pending == nil && $0.link.failedSession?.isRefused == false },
      turnOf: { $0.turnAfterSession },
      causes: [
        KnownCause(
          "no-link-session", "The link has no session of type 2 to carry the data.",
          "Link.md#shortened-list: the SYN lists the sessions, and a device may remove some of them (CAT)",
          .medium, "Compare the sessions of SYN and SYN+ACK.", when: { $0.link.lacksExternalAccessory }),
        KnownCause(
          "protocol-unknown", "The protocol's number is not one that the accessory declared.",
          "inferred: the number is that of the identification's group 10 (ExternalAccessory.md#ea-start: FLIR, BOYA)",
          .low,
          "Compare the number with the protocols in 0x1D01.", when: { $0.link.opensUnknownProtocol }),
        KnownCause(
          "not-handled", "The accessory's program does not answer 0xEA00.", "Sources.md#inferred", .low,
          "Let the accessory send 0xEA03 for each 0xEA00."),
        KnownCause(
          "busy", "The accessory opens the data path first, or is busy with another session.", "Sources.md#inferred",
          .low,
          "Close the other sessions, and wait."),
      ])

  static let sessionRefused =
    StopPoint(
      "session-refused", .externalAccessory, "The accessory closed the EA session instead of accepting it.",
      .device(.message(StopExternalAccessoryProtocolSession.id)),
      when: { $0.link.isUp && $0.link.pending == nil && $0.link.failedSession?.isRefused == true },
      turnOf: { $0.turnAfterSession },
      causes: [
        KnownCause(
          "protocol-unknown", "The protocol's number is not one that the accessory declared.",
          "inferred: the number is that of the identification's group 10 (ExternalAccessory.md#ea-start: FLIR, BOYA)",
          .low,
          "Compare the number with the protocols in 0x1D01.", when: { $0.link.opensUnknownProtocol }),
        KnownCause(
          "status-close", "Status 1 is how an accessory closes or refuses a session; there is no other message for it.",
          "FieldBehavior.md#f21: BRIDGE's accessory sends it and never 0xEA01", .medium,
          "Look in the accessory's log for sessions that were opened and closed."),
        KnownCause(
          "service-missing", "The program that serves the protocol does not run on the accessory.",
          "Sources.md#inferred", .low,
          "Start the program, and open the session again."),
      ])

  /// The silence in seconds after data of the device that counts as no answer.
  /// Unverified: no source states how long a service may take.
  private static let unansweredSilence = 2.0

  static let externalAccessory: [StopPoint] = [
    StopPoint(
      "session-early-data", .externalAccessory,
      "The device sent data before the accessory had accepted the EA session, and received none.",
      .device(.externalAccessoryData), when: { $0.link.session?.isEarly ?? false },
      causes: [
        KnownCause(
          "early-data-dropped", "The accessory drops data that arrives together with the opening.",
          "FieldBehavior.md#f21: WIO does when both share a TCP segment; BRIDGE's device does not"
            + " wait", .medium,
          "Wait for 0xEA03 with status 0, then send.")
      ]),
    StopPoint(
      "session-silent", .externalAccessory, "The EA session is open, and the accessory sends no data.",
      .either(.externalAccessoryData),
      when: { history in
        history.link.session.map { session in
          let isOpen = session.stopped == nil && (session.status.map { $0.code == 0 } ?? true)
          let since = session.firstData.device?.time ?? .infinity
          let isQuiet = (history.last?.time ?? 0) + (history.silence ?? 0) - since >= unansweredSilence
          return isOpen && session.firstData.accessory == nil && (session.firstData.device == nil || isQuiet)
        } ?? false
      },
      causes: [
        KnownCause(
          "app-waits", "The app and the accessory each wait for the other to send first.",
          "inferred: the stream has no framing and no greeting (ExternalAccessory.md#byte-stream)", .low,
          "Ask the protocol's author which side sends first.",
          when: { $0.link.session?.firstData.device == nil }),
        KnownCause(
          "service-silent", "The accessory's service does not read the data, or does not answer it.",
          "Sources.md#inferred", .low,
          "Look whether the service behind the protocol runs on the accessory, and which data it reads."),
        KnownCause(
          "one-way", "The protocol is one-way: the accessory has nothing to send.", "Sources.md#inferred", .low,
          "Ask the protocol's author whether the app's data has an answer.",
          when: { $0.link.session?.firstData.device != nil }),
        KnownCause(
          "wrong-link-session", "Data is sent on a link session that the other side does not know as type 2.",
          "FieldBehavior.md#f6: BRIDGE has fixed ids and drops data on other sessions", .medium,
          "Look for `session … was not agreed` in `iap2 decode`.", when: { $0.errors > 0 }),
        KnownCause(
          "native-transport", "The data uses a USB interface of its own.",
          "ExternalAccessory.md#native-bytes: a protocol with parameter 3 uses FF/F0/01 without the link (TCC,"
            + " USEE)", .high,
          "Capture that interface's endpoints.",
          when: { history in
            history.link.session?.protocolNumber.map { history.link.declaration?.native.contains($0) ?? false } ?? false
          }),
      ]),
    StopPoint(
      "session-closed", .externalAccessory, "The device closed the EA session in order.", .either(), isComplete: true,
      when: { $0.link.isLastSessionClosed }, causes: []),
    StopPoint(
      "session-not-opened", .externalAccessory, "The accessory is identified, and no app opened one of its protocols.",
      .device(.message(StartExternalAccessoryProtocolSession.id)),
      when: { history in
        guard let declaration = history.link.declaration, history.link.isRunning else { return false }
        return !declaration.protocols.isEmpty && declaration.starts.isEmpty
          && !declaration.sent.contains(CarPlayStartSession.id)
          && history.link.externalAccessories.isEmpty && history.link.features.accessory == nil
      },
      causes: [
        KnownCause(
          "not-listed", "The accessory does not list 0xEA00 as a message it receives.",
          "Sessions.md#list-gate: the device sends only messages in parameter 7", .high,
          "Add 0xEA00 and 0xEA01 to parameter 7.",
          when: { $0.link.declaration?.received.contains(StartExternalAccessoryProtocolSession.id) == false }),
        KnownCause(
          "no-app", "No app on the phone declares one of these protocols, or none was started.",
          "inferred: an app is matched by its list of protocol names (ExternalAccessory.md#protocol-match:"
            + " W17-719)", .low,
          "Compare the names, letter by letter."),
        KnownCause(
          "app-launch-expected", "The device opens a session only when the accessory requests the app.",
          "FieldBehavior.md#f20: BRIDGE's device opens one on 0xEA02 with a bundle id that equals a protocol's name",
          .medium,
          "Send RequestAppLaunch."),
        KnownCause(
          "joined-protocols", "Several protocols are in one parameter, of which the device reads one or none.",
          "FieldBehavior.md#f23: WIO writes them this way, and with BRIDGE's device EA never opens", .medium,
          "Write one parameter 10 for each protocol."),
      ]),
  ]
}

extension LinkHistory.ExternalAccessory {
  /// Whether the device sent data before the status of the session, and the accessory never sent data.
  fileprivate var isEarly: Bool {
    guard stopped == nil, firstData.accessory == nil, let early = firstData.device, let status, opened != nil else {
      return false
    }
    return status.code == 0 && early.number < status.event.number
  }
}

extension LinkHistory.ExternalAccessory {
  /// Whether the accessory closed the session instead of accepting it, or accepted it and closed it before any data.
  fileprivate var isRefused: Bool {
    guard let status, status.code != 0 else { return false }
    return isAccepted ? stopped == nil && !hasData : firstData.accessory == nil
  }

  /// Whether the device closed the session without an answer of the accessory.
  fileprivate var isUnanswered: Bool {
    opened != nil && status == nil && stopped != nil && firstData.accessory == nil
  }
}

extension ConnectionHistory {
  /// The turn after an EA session that failed; nil while the session is open.
  fileprivate var turnAfterSession: SessionTurn? {
    if link.reset != nil || end != nil { return .accessory(.detect) }
    guard link.pending == nil, let id = link.failedSession?.id, link.externalAccessories[id]?.stopped != nil else {
      return nil
    }
    return .device(.message(StartExternalAccessoryProtocolSession.id))
  }
}

extension LinkHistory {
  /// The last EA session that the accessory refused or did not answer; nil if the device opened its protocol again with
  /// success.
  var failedSession: (id: UInt16, isRefused: Bool)? {
    let mayBeSilent = declaration.map { !$0.sent.contains(StatusExternalAccessoryProtocolSession.id) } ?? false
    let latest = Dictionary(
      externalAccessories.filter { $0.value.opened != nil }.map { ($0.value.protocolNumber, $0) },
      uniquingKeysWith: { ($0.value.opened?.number ?? 0) > ($1.value.opened?.number ?? 0) ? $0 : $1 })
    let failed = latest.values.filter { $0.value.isRefused || $0.value.isUnanswered && !mayBeSilent }
    return failed.max { ($0.value.opened?.number ?? 0) < ($1.value.opened?.number ?? 0) }
      .map { ($0.key, $0.value.isRefused) }
  }

  /// Whether the last session was closed and no message of a feature followed.
  fileprivate var isLastSessionClosed: Bool {
    guard let stopped = session?.stopped else { return false }
    return !externalAccessories.values.contains { $0.stopped == nil }
      && (features.device.map { $0.number <= stopped.number } ?? true)
      && (features.accessory.map { $0.number <= stopped.number } ?? true)
  }

  var lacksExternalAccessory: Bool {
    [offers.accessory, offers.device].contains { offer in
      offer?.parameters.map { $0.sessionID(of: .externalAccessory) == nil } ?? false
    }
  }

  fileprivate var opensUnknownProtocol: Bool {
    guard let number = session?.protocolNumber, let declaration else { return false }
    return declaration.protocols[number] == nil
  }
}
