// swift-iap2 · Apache-2.0

/// Text of protocol violations.
package enum ViolationText {
  /// Returns a violation as a sentence without a full stop.
  package static func text(_ violation: ProtocolViolation) -> String {
    switch violation {
    case .link(let violation): text(violation)
    case .unknownSession(let session): "data arrived on session \(session), which was not agreed"
    case .badMessage(let error): "bytes of the control session are not a message: \(wire(error))"
    case .malformedMessage(let id, let error): "\(name(id)) breaks its schema: \(wire(error))"
    case .outOfTurn(let id) where ControlHeader.isImplied(id): "\(name(id)) arrived out of turn"
    case .outOfTurn(let id): "\(name(id)) arrived before authentication and identification were complete"
    case .notStarted(let id): "\(name(id)) arrived for a subscription that was not started"
    case .unknownTarget(let id): "\(name(id)) names an unknown object"
    case .undeclaredMessage(let id): "the identification does not list \(name(id)); the message was processed"
    case .unknownAttributes(let message, let ids):
      "\(name(message)) requests unknown attributes: \(ids.map(String.init).joined(separator: ", ")); the others are used"
    case .badReportDescriptor(let component): "the report descriptor of device \(component) cannot be read"
    case .unknownDevice(let component): "a report arrived from device \(component), which was not started"
    case .fileTransferNotPossible:
      "a file cannot be sent: the link has no session for it, or its transfer has ended"
    case .shortDatagram(let session, let count):
      "a datagram on session \(session) has \(count) byte\(count == 1 ? "" : "s"), fewer than the two bytes of its prefix"
    case .externalAccessoryNotPossible(let session):
      "EA session \(session) cannot be opened: the link has no EA session, or another has the endpoints of its protocol"
    case .externalAccessoryEndpointsFailed(let session):
      "the endpoints of EA session \(session) beside the link have failed; the session is closed"
    case .unknownExternalAccessorySession(let session): "data arrived for EA session \(session), which is not open"
    case .badFileTransfer(let file, let operation): "operation \(operation) for file \(file) arrived out of turn"
    case .messagesTooFast: "messages arrived faster than this side accepts them; the link was reset"
    case .limit(let name, let value): "the peer exceeded the limit \(name), which is \(value)"
    }
  }

  private static func text(_ violation: LinkViolation) -> String {
    switch violation {
    case .garbage(let count): count == 1 ? "1 byte is not part of a packet" : "\(count) bytes are not part of a packet"
    case .badHeader(.checksum): "a packet header has a wrong checksum"
    case .badHeader(.length): "a packet header has an impossible length"
    case .badPayloadChecksum(let sequence): "packet \(sequence) has a wrong payload checksum"
    case .packetTooLong(let count, let limit): "a packet has \(count) bytes, more than the declared limit of \(limit)"
    case .partialPacket(let count): "a packet is incomplete: only \(count) bytes of it arrived"
    case .outsideWindow(let sequence): "packet \(sequence) is outside of the window"
    case .acknowledgementOutOfRange(let sequence): "an acknowledgement names packet \(sequence), which was never sent"
    case .badSynchronization(let error): "a SYN cannot be read: \(SynchronizationText.text(error))"
    case .notNegotiated: "the two sides cannot agree on the values of a SYN"
    case .synchronizationRepeated(let limit):
      "a SYN or SYN+ACK was repeated more than \(limit) times, and its answer never acknowledged"
    case .dataBeforeLinkUp: "data arrived before the link was up"
    }
  }

  private static func name(_ id: UInt16) -> String { MessageCatalog[id]?.name ?? MessageCatalog.text(id) }

  /// Returns the reason and the place of an error in a message.
  package static func wire(_ error: WireError) -> String {
    let parameter = error.parameter.map { " in parameter \($0)" } ?? ""
    let group = error.group.map { " of group \($0)" } ?? ""
    let what =
      switch error.reason {
      case .truncated: "bytes end too early"
      case .badLength(let length): "impossible length \(length)"
      case .missing: "a required parameter is missing"
      case .duplicate: "a parameter is repeated"
      case .wrongSize(let expected, let found): "\(found) bytes instead of \(expected)"
      case .invalidText: "text that is not UTF-8"
      case .notAMessage: "bytes that are not a message"
      case .tooDeep(let limit): "groups nested deeper than \(limit)"
      case .tooManyParameters(let limit): "more than \(limit) parameters"
      case .needsCarefulWalk: "parameters out of order"
      }
    return "\(what)\(parameter)\(group), at byte \(error.offset)"
  }
}

/// English texts for the errors of a synchronization payload.
package enum SynchronizationText {
  /// Returns the text for an error.
  package static func text(_ error: LinkSynchronizationError) -> String {
    switch error {
    case .length(let count): "synchronization payload of \(count) bytes: not 10 bytes and complete session entries"
    case .tooManySessions(let count): "synchronization payload with \(count) sessions: there are 255 ids"
    }
  }
}
