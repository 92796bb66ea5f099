// swift-iap2 · Apache-2.0

/// A breach of the protocol by the peer, or a limit that the peer exceeded. Unless the case says otherwise, the bytes
/// or the message are ignored and the connection goes on.
public enum ProtocolViolation: Sendable, Equatable {
  /// A breach of the link's rules.
  case link(LinkViolation)
  /// Data on a session that was not agreed was acknowledged and dropped.
  case unknownSession(UInt8)
  /// Bytes on the control session are not a message. The rest of the packet was dropped.
  case badMessage(WireError)
  /// A message breaks its schema and was ignored.
  case malformedMessage(UInt16, WireError)
  /// A message does not follow from the messages before it and was ignored.
  case outOfTurn(UInt16)
  /// A Stop of a feature that was not started was ignored.
  case notStarted(UInt16)
  /// A message about an unknown object, such as a library or a component, was ignored.
  case unknownTarget(message: UInt16)
  /// A message is not in the peer's list of sent messages, or not in this side's list of received ones.
  case undeclaredMessage(UInt16)
  /// A subscription names unknown attributes. It is valid for the others.
  case unknownAttributes(message: UInt16, [UInt16])
  /// A report descriptor cannot be read. The device does not count as started.
  case badReportDescriptor(component: UInt16)
  /// A report came from an HID device that was not started.
  case unknownDevice(component: UInt16)
  /// A datagram is shorter than its two-byte prefix.
  case shortDatagram(session: UInt8, byteCount: Int)
  /// An EA session cannot be opened: the link has no session for EA, or the id is already open.
  case externalAccessoryNotPossible(session: UInt16)
  /// The endpoints that carry an EA session outside the link have failed.
  case externalAccessoryEndpointsFailed(session: UInt16)
  /// EA data has the id of a session that is not open.
  case unknownExternalAccessorySession(UInt16)
  /// A file-transfer datagram does not fit the state of its transfer.
  case badFileTransfer(file: UInt8, operation: UInt8)
  /// A file that was announced cannot be sent, because the link has no session for it or the transfer has ended.
  case fileTransferNotPossible
  /// Messages arrived faster than `EndpointQuirks.resetsAbove` allows. The link was reset.
  case messagesTooFast
  /// A limit of this side was exceeded: its name and its value. The name is that of a property of ``Limits``, or
  /// `portRequestLimit`, `pacedActions` or `fileTransferSteps`, which are bounds that no setting changes.
  case limit(StaticName, Int)
}

extension ProtocolViolation {
  /// The name in JSON and in scenarios: the name of the case, for a breach of the link's rules that of its case.
  public var name: String {
    if case .link(let violation) = self { return Self.caseName(of: violation) }
    return Self.caseName(of: self)
  }

  private static func caseName(of value: some Any) -> String {
    // A case without values has no children, and its description is its name.
    Mirror(reflecting: value).children.first?.label ?? "\(value)"
  }

  /// The id of the message that the violation is about; nil if it is not about a message.
  public var message: UInt16? {
    switch self {
    case .malformedMessage(let id, _), .outOfTurn(let id), .notStarted(let id), .unknownTarget(let id),
      .undeclaredMessage(let id), .unknownAttributes(let id, _):
      id
    default: nil
    }
  }
}

/// The name of a limit, compared by its text.
public struct StaticName: Sendable, Hashable, CustomStringConvertible {
  let text: StaticString
  /// Creates a name.
  package init(_ text: StaticString) { self.text = text }
  /// The name as text.
  public var description: String { "\(text)" }
  /// Compares the texts.
  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
