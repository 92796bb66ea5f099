// swift-iap2 · Apache-2.0

import IAP2

/// Functions on messages that both roles use.
enum RoleMessage {
  /// Returns the action that sends a message. A message that cannot be encoded is a fault of this side's own profile or
  /// state and is reported as a violation.
  static func send(_ message: some ControlMessage) -> [RoleAction] {
    do { return [.send(try message.encoded())] } catch {
      return [tooLong]
    }
  }

  /// The violation for values of this side that do not fit into a message.
  static let tooLong = RoleAction.event(
    .violation(.limit(StaticName("messageByteCount"), ControlHeader.maximumMessageByteCount)))

  /// Reports a Start that asks for attributes that are not described. The Start is still valid for the other
  /// attributes.
  static func unknownAttributes(_ message: some ControlMessage) -> [RoleAction] {
    let ids = message.unrepresented.unknownIDs
    return ids.isEmpty ? [] : [.event(.violation(.unknownAttributes(message: type(of: message).info.id, ids)))]
  }

  /// Returns the ids of a message's top-level parameters in wire order, up to the first malformed parameter.
  static func parameterIDs(_ message: [UInt8]) -> [UInt16] {
    var ids: [UInt16] = []
    let bytes = message.rawBytes
    do throws(WireError) {
      try bytes.forEachParameter(in: try ControlHeader.body(bytes)) { id, _, _ in ids.append(id) }
    } catch {}
    return ids
  }

  /// Returns an IdentificationRejected message (0x1D03) with one empty parameter for each rejected id, including ids
  /// that its schema does not have.
  static func rejection(of parameters: [UInt16]) -> [UInt8] {
    ControlHeader.message(IdentificationRejected.id, body: parameters.flatMap { [0, 4] + $0.bigEndianBytes })
  }
}
