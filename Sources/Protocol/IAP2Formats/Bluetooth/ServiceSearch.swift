// swift-iap2 · Apache-2.0

import IAP2

/// Asks a host over SDP on which RFCOMM channel a service is: what goes to it, and what its answers mean (Bluetooth Core,
/// volume 3, part B, section 4.7). One question at a time, each with one packet of L2CAP.
package struct ServiceSearch: Sendable {
  package enum Step: Sendable, Equatable {
    /// The answer goes on: ask with this.
    case ask([UInt8])
    /// The channel, or nil when the host has no such service.
    case done(UInt8?)
  }

  package enum Problem: Error, Sendable, Equatable {
    /// The host does not want to answer; its error code.
    case refused(code: UInt16)
    /// Not an answer to the question.
    case malformed
    /// More than any host has to say; the limit in bytes.
    case tooLong(limit: Int)
  }

  /// A record of iAP2 has some 100 bytes, and only two attributes of each are asked for.
  package static let maximumByteCount = 1 << 14
  /// What one packet may hold: L2CAP's smallest unit that every host has is 672 bytes.
  private static let answerByteCount: UInt16 = 600
  /// Of the state that a host gives to go on with.
  private static let maximumStateByteCount = 16

  private let service: BluetoothUUID
  private var transaction: UInt16 = 1
  private var lists: [UInt8] = []

  package init(_ service: BluetoothService) { self.service = service.uuid }

  /// The first question.
  package var request: [UInt8] { request(state: []) }

  /// For the classes and protocols (attributes 1 and 4) of every record with the service.
  private func request(state: [UInt8]) -> [UInt8] {
    let parameters =
      [0x35, 0x11, 0x1C] + service.bytes + Self.answerByteCount.bigEndianBytes
      + [0x35, 0x06, 0x09, 0x00, 0x01, 0x09, 0x00, 0x04] + [UInt8(state.count)] + state
    return [0x06] + transaction.bigEndianBytes + UInt16(parameters.count).bigEndianBytes + parameters
  }

  /// - Parameter answer: one packet, whole.
  package mutating func take(_ answer: RawSpan) throws(Problem) -> Step {
    guard answer.byteCount >= 7, answer.bigEndian16(1) == transaction,
      Int(answer.bigEndian16(3)) == answer.byteCount - 5
    else { throw .malformed }
    guard answer.byte(0) == 0x07 else {
      throw answer.byte(0) == 0x01 ? .refused(code: answer.bigEndian16(5)) : .malformed
    }
    let end = 7 + Int(answer.bigEndian16(5))
    guard end < answer.byteCount, case let stateCount = Int(answer.byte(end)),
      stateCount <= Self.maximumStateByteCount, answer.byteCount == end + 1 + stateCount
    else { throw .malformed }
    guard lists.count + end - 7 <= Self.maximumByteCount else { throw .tooLong(limit: Self.maximumByteCount) }
    lists.append(copying: answer.extracting(7..<end))
    guard stateCount == 0 else {
      // One that never comes to anything would be asked for ever.
      guard end > 7 else { throw .malformed }
      transaction &+= 1
      return .ask(request(state: [UInt8](copying: answer.extracting(end + 1..<answer.byteCount))))
    }
    return .done(ServiceRecord.channels(lists.rawBytes, isList: true, of: [service]).first)
  }
}
