// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  /// Stop points of a session that runs or that ended, in which one side made a mistake and the other did not react.
  static let troubles: [StopPoint] = [
    StopPoint(
      "data-after-reset", nil, "One side went on with a link that the other had reset.", .either(.detect),
      when: { if case .dataAfterReset = $0.trouble?.mistake { true } else { false } },
      turnOf: { $0.trouble.map { .of($0.from, .detect) } },
      causes: [
        KnownCause(
          "reset-not-read", "After the RST that side still sends on the old link: it does not react to an RST.",
          "Reliability.md#rst-effect: the link is down at once, the queues are dropped, and a new link starts with"
            + " detect", .high,
          "Drop the state of the link and its queues at an RST; then the accessory begins again with detect.")
      ]),
    StopPoint(
      "session-id-wrong", .externalAccessory, "One side sends data with the id of an EA session that is closed.",
      .either(.externalAccessoryData), when: { if case .closedSession = $0.trouble?.mistake { true } else { false } },
      turnOf: { $0.trouble.map { .of($0.from, .externalAccessoryData) } },
      causes: [
        KnownCause(
          "old-session-id", "The sender keeps the id of a session that 0xEA01 or a status has closed.",
          "ExternalAccessory.md#after-closing and ExternalAccessory.md#unknown-session-id: no data follows the close,"
            + " and readers drop data with another id", .medium,
          "Send data with the session id of the last 0xEA00, and none after 0xEA01.")
      ]),
    StopPoint(
      "session-id-unknown", .externalAccessory, "One side sends data with an id that no EA session has.",
      .either(.externalAccessoryData), when: { if case .unknownSession = $0.trouble?.mistake { true } else { false } },
      turnOf: { $0.trouble.map { .of($0.from, .externalAccessoryData) } },
      causes: [
        KnownCause(
          "id-bytes-swapped", "The two bytes of the session id are swapped.",
          "ExternalAccessory.md#data: the session id comes first, big-endian", .high,
          "Write the session id of 0xEA00 with the high byte first.",
          when: { history in
            guard case .unknownSession(let id, let open) = history.trouble?.mistake else { return false }
            return id == open.byteSwapped
          }),
        KnownCause(
          "no-session-id", "The data lack the session id, so their first two bytes are read as one.",
          "ExternalAccessory.md#data and ExternalAccessory.md#unknown-session-id: the data begin with the session id, and"
            + " readers drop data with another id", .high,
          "Begin each payload of the EA session with the two bytes of the session id from 0xEA00, then the data.",
          when: { history in
            guard case .unknownSession(let id, let open) = history.trouble?.mistake else { return false }
            return id != open.byteSwapped
          }),
      ]),
    StopPoint(
      "session-without-link", .externalAccessory,
      "An EA session was opened, and the link has no session for its data.", .accessory(.synchronize),
      when: { $0.link.isUp && $0.link.pending == nil && $0.link.opensWithoutLinkSession },
      causes: [
        KnownCause(
          "no-link-session", "The SYN has no session of type 2, so no EA data can be sent.",
          "ExternalAccessory.md#data and Link.md#shortened-list: the data uses the type-2 session of the SYN; a device may"
            + " remove one (CAT)", .high,
          "Put an EA session (type 2) into the session list of the SYN, and compare it with that of the SYN+ACK.")
      ]),
    StopPoint(
      "file-id-wrong", .features, "One side started a file that the other has not offered.", .either(.file),
      when: { if case .unknownFile = $0.trouble?.mistake { true } else { false } },
      turnOf: { $0.trouble.map { .of($0.from, .file) } },
      causes: [
        KnownCause(
          "id-loses-high-bit", "The answer has the file's id without its high bit: ids of the device have eight bits.",
          "FileTransfer.md#ids: 128 to 255 belong to files of the device", .high,
          "Answer with the id of the Setup, with all of its eight bits.",
          when: { history in
            guard case .unknownFile(let id, let offered) = history.trouble?.mistake else { return false }
            return id == offered & 0x7F
          }),
        KnownCause(
          "other-file", "The answer has another id than the Setup, so its sender does not begin.",
          "FileTransfer.md#order: Setup is followed by Start of the receiver with the same id", .high,
          "Answer with the id of the Setup."),
      ]),
    StopPoint(
      "file-failed", .features, "The receiver of a file answered it with Failure.", .either(.file),
      when: { if case .failedFile = $0.trouble?.mistake { true } else { false } },
      turnOf: { $0.trouble.map { .of($0.from, .file) } },
      causes: [
        KnownCause(
          "size-differs", "The data are fewer or more bytes than the size in the file's Setup.",
          "FileTransfer.md#setup-size and FileTransfer.md#failure: the receiver could not take the file", .high,
          "Let the size in Setup be the number of bytes that follow, and send all of them.",
          when: { $0.trouble?.hasWrongSize ?? false }),
        KnownCause(
          "receiver-failed", "The receiver could not keep the file.",
          "FileTransfer.md#failure: the datagram gives no reason", .high,
          "Look in the receiver's log: its memory, its storage, and the type of the file.",
          when: { !($0.trouble?.hasWrongSize ?? false) }),
      ]),
    StopPoint(
      "call-unknown", .features, "The accessory acts on a call that the device has not reported.",
      .accessory(.message(AcceptCall.id)),
      when: { if case .unknownCall = $0.trouble?.mistake { true } else { false } },
      turnOf: { history in
        guard case .unknownCall(let id, _) = history.trouble?.mistake else { return nil }
        return .accessory(.message(id))
      },
      causes: [
        KnownCause(
          "uuid-differs", "Its CallUUID is not one of those in 0x4155, so the device finds no call.",
          "Features.md#call-state and Features.md#call-effects: calls are keyed by CallUUID, and the effect of an"
            + " action appears in 0x4155", .medium,
          "Send the CallUUID of 0x4155 unchanged, with all of its characters.")
      ]),
    StopPoint(
      "component-unknown", .features, "The accessory uses a HID component that its identification does not have.",
      .accessory(.message(AccessoryHIDReport.id)),
      when: { if case .unknownComponent = $0.trouble?.mistake { true } else { false } },
      turnOf: { history in
        guard case .unknownComponent(let id, _, _) = history.trouble?.mistake else { return nil }
        return .accessory(.message(id))
      },
      causes: [
        KnownCause(
          "component-differs", "The component is not one of parameter 18, so the device drops its reports.",
          "Features.md#hid-component-needed: the component is one of identification 18, else reports are dropped",
          .medium,
          "Use the component id of parameter 18 in 0x6800 and 0x6802, or add the component to the identification.")
      ]),
    StopPoint(
      "message-too-early", .features,
      "The accessory used a feature before authentication and identification were complete, and got no answer.",
      .either(),
      when: { if case .tooEarly = $0.trouble?.mistake { true } else { false } },
      turnOf: { history in
        guard case .tooEarly(let id) = history.trouble?.mistake else { return nil }
        return .accessory(.message(id))
      },
      causes: [
        KnownCause(
          "before-both", "The message came before 0xAA05 and 0x1D02, and the device may drop it.",
          "inferred from Sessions.md#both-ready: no message of a feature is sent before both are complete",
          .low,
          "Send it, or send it again, after both 0xAA05 and 0x1D02.")
      ]),
    StopPoint(
      "passphrase-missing", .carPlay, "The car named its access point without the passphrase that its security needs.",
      .accessory(.message(AccessoryWiFiConfigurationInformation.id)),
      when: { if case .noPassphrase = $0.trouble?.mistake { true } else { false } },
      causes: [
        KnownCause(
          "no-passphrase", "0x5703 has a security other than 0 and no passphrase, so the phone cannot join.",
          "Features.md#wifi-accessory-parameters and Features.md#wifi-security: parameter 2 is the passphrase; 0 is no"
            + " security", .high,
          "Send the passphrase of the access point in parameter 2 of 0x5703.")
      ]),
    StopPoint(
      "message-breaks-schema", .features,
      "A message breaks its schema, so its receiver may ignore it or a part of it.", .either(.validPacket),
      when: { if case .brokenMessage = $0.trouble?.mistake { true } else { false } },
      turnOf: { history in
        guard case .brokenMessage(let fault) = history.trouble?.mistake, let id = fault.id else { return nil }
        return .of(fault.from, .message(id))
      },
      causes: [
        KnownCause(
          "selector-has-value",
          "A selector of the subscription has a value, and a selector is a parameter without one.",
          "Features.md#now-playing-selectors: an iPhone refuses the group when a selector has a byte", .medium,
          "Send each selector as a void parameter: length 4, and no value.",
          when: { history in
            guard case .brokenMessage(let fault) = history.trouble?.mistake else { return false }
            return fault.id.flatMap { MessageCatalog[$0] }?.info.subscription != nil
              && fault.text.hasSuffix("instead of 0")
          }),
        KnownCause(
          "wrong-encoding", "The message was encoded with a wrong length, type or count of a parameter.",
          "Sources.md#generated: the counts and types of the message catalog", .high,
          "Compare the message with `iap2 messages NAME`, which lists its parameters and their types."),
        KnownCause(
          "newer-message", "The message is of a newer device, and the catalog does not know its form.",
          "Sources.md#inferred", .low, "Look for a newer version of this program.",
          when: { $0.trouble?.from == .device }),
      ]),
  ]
}

extension ConnectionHistory {
  /// The mistake that explains most, on a link that was up and while no request waits; nil if there is none.
  package var trouble: SessionTrouble? { link.isUp && link.pending == nil ? link.troubles.first : nil }
}

extension SessionTrouble {
  /// Whether a file failed after another number of bytes than its Setup says.
  fileprivate var hasWrongSize: Bool {
    guard case .failedFile(_, let announced?, let received) = mistake else { return false }
    return announced != received
  }
}

extension LinkHistory {
  /// Whether the device opened an EA session over a link without a session of type 2.
  fileprivate var opensWithoutLinkSession: Bool {
    guard lacksExternalAccessory else { return false }
    return externalAccessories.values.contains { session in
      session.opened != nil && !session.hasData
        && !(session.protocolNumber.map { declaration?.native.contains($0) ?? false } ?? false)
    }
  }
}
