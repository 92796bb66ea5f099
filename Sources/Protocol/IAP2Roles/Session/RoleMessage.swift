// swift-iap2 · Apache-2.0

import IAP2

/// Small things both roles do with messages.
enum RoleMessage {
  /// Sends a message; one that cannot be encoded is our own profile's fault and is told as such.
  static func send(_ message: some ControlMessage) -> [RoleAction] {
    do { return [.send(try message.encoded())] } catch {
      return [tooLong]
    }
  }

  /// What we would say fits into no message: our own state's fault.
  static let tooLong = RoleAction.event(.violation(.limit(StaticName("messageByteCount"), 65_535)))

  /// Reports a Start that asks for attributes nobody has described; it counts for the others all the same.
  static func unknownAttributes(_ message: some ControlMessage) -> [RoleAction] {
    let ids = message.residue.unknownIDs
    return ids.isEmpty ? [] : [.event(.violation(.unknownAttributes(message: type(of: message).info.id, ids)))]
  }

  /// The top-level parameter ids of a message, in wire order, as far as it can be read.
  static func parameterIDs(_ message: [UInt8]) -> [UInt16] {
    var ids: [UInt16] = []
    let bytes = message.rawBytes
    do throws(WireError) {
      try bytes.forEachParameter(in: try ControlHeader.body(bytes)) { id, _, _ in ids.append(id) }
    } catch {}
    return ids
  }

  /// 1D03 with one empty parameter for each rejected one, also for ids its own schema does not name.
  static func rejection(of parameters: [UInt16]) -> [UInt8] {
    ControlHeader.message(IdentificationRejected.info.id, body: parameters.flatMap { [0, 4] + $0.bigEndianBytes })
  }
}
