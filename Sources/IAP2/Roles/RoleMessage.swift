// swift-iap2 · Apache-2.0

/// Small things both roles do with messages.
package enum RoleMessage {
  /// Sends a message; one that cannot be encoded is our own profile's fault and is told as such.
  static func send(_ message: some ControlMessage) -> [RoleAction] {
    do { return [.send(try message.encoded())] } catch {
      return [.event(.violation(.limit(StaticName("messageByteCount"), 65_535)))]
    }
  }

  /// A message of an id and bytes that need not be parameters; at most 65 529 of them.
  package static func raw(id: UInt16, body: [UInt8]) -> [UInt8] {
    let body = body.prefix(0xFFFF - ControlHeader.byteCount)
    let count = body.count + ControlHeader.byteCount
    return [0x40, 0x40, UInt8(count >> 8), UInt8(count & 255), UInt8(id >> 8), UInt8(id & 255)] + body
  }

  /// The top-level parameter ids of a message, in wire order.
  static func parameterIDs(_ message: [UInt8]) -> [UInt16] {
    var ids: [UInt16] = []
    var offset = 6
    while offset + 4 <= message.count {
      let length = Int(message[offset]) << 8 | Int(message[offset + 1])
      ids.append(UInt16(message[offset + 2]) << 8 | UInt16(message[offset + 3]))
      guard length >= 4 else { break }
      offset += length
    }
    return ids
  }
}
