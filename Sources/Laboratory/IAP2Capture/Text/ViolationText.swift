// swift-iap2 · Apache-2.0

package import IAP2

/// Text of protocol violations.
package enum ViolationText {
  /// Returns a violation as a sentence without the peer as its subject.
  package static func text(_ violation: ProtocolViolation) -> String {
    switch violation {
    case .link(let violation): text(violation)
    case .unknownSession(let session): "data on session \(session), which was not agreed"
    case .badMessage(let error): "a message: \(wire(error))"
    case .malformedMessage(let id, let error): "\(name(id)): \(wire(error))"
    case .outOfTurn(let id): "\(name(id)) out of turn"
    case .notStarted(let id): "\(name(id)) for a subscription that was not started"
    case .unknownTarget(let id): "\(name(id)) about an unknown object"
    case .undeclaredMessage(let id): "\(name(id)), which the identification does not list; it was processed anyway"
    case .unknownAttributes(let message, let ids):
      "\(name(message)) requests unknown attributes: \(ids.map(String.init).joined(separator: ", ")); the others are used"
    case .badReportDescriptor(let component): "a report descriptor of device \(component) that cannot be read"
    case .unknownDevice(let component): "a report of device \(component), which was not started"
    case .fileTransferNotPossible:
      "a file that cannot be sent: the link has no session for it, or its transfer has ended"
    case .shortDatagram(let session, let count): "a datagram of \(count) bytes on session \(session)"
    case .externalAccessoryNotPossible(let session):
      "the opening of EA session \(session): the link has no EA session, or another has the endpoints of its protocol"
    case .externalAccessoryEndpointsFailed(let session):
      "EA session \(session): its endpoints beside the link have failed; it is closed"
    case .unknownExternalAccessorySession(let session): "data of EA session \(session), which is not open"
    case .badFileTransfer(let file, let operation): "operation \(operation) for file \(file), out of turn"
    case .messagesTooFast: "messages faster than this side accepts them; the link was reset"
    case .limit(let name, let value): "above the limit \(name) of \(value)"
    }
  }

  private static func text(_ violation: LinkViolation) -> String {
    switch violation {
    case .garbage(let count): "\(count) byte\(count == 1 ? "" : "s") that are not a packet"
    case .badHeader(.checksum): "a packet header with a wrong checksum"
    case .badHeader(.length): "a packet header with an impossible length"
    case .badPayloadChecksum(let sequence): "packet \(sequence) with a wrong payload checksum"
    case .packetTooLong(let count, let limit): "a packet of \(count) bytes, above the declared limit of \(limit)"
    case .partialPacket(let count): "an incomplete packet, of which \(count) bytes arrived"
    case .outsideWindow(let sequence): "packet \(sequence), outside of the window"
    case .acknowledgementOutOfRange(let sequence): "an acknowledgement of packet \(sequence), which was never sent"
    case .badSynchronization(let error): "a SYN that cannot be read: \(SynchronizationText.text(error))"
    case .notNegotiated: "a SYN whose values cannot be agreed on"
    case .synchronizationRepeated(let limit):
      "a SYN or SYN+ACK repeated more than \(limit) times without an ACK of the answer"
    case .dataBeforeLinkUp: "data before the link was up"
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
