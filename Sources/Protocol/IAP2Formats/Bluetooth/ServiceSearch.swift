// swift-iap2 · Apache-2.0

import IAP2

/// A search over SDP for the RFCOMM channel of a service on a host. It makes the requests and reads the responses
/// (Bluetooth Core, volume 3, part B, section 4.7). One request is open at a time, and each request and response is one
/// L2CAP packet.
package struct ServiceSearch: Sendable {
  /// The next step after a response.
  package enum Step: Sendable, Equatable {
    /// The response is not complete: send this request.
    case ask([UInt8])
    /// The search is complete: the channel, or nil if the host does not have the service.
    case done(UInt8?)
  }

  /// An error in a response.
  package enum Problem: Error, Sendable, Equatable {
    /// The host refused the request; its error code.
    case refused(code: UInt16)
    /// The bytes are not a response to the request.
    case malformed
    /// The response is longer than any plausible one; the limit in bytes.
    case tooLong(limit: Int)
  }

  /// The limit of a whole response in bytes. A record of iAP2 has some 100 bytes, and only two attributes of each
  /// record are requested.
  package static let maximumByteCount = 1 << 14
  /// The bytes of content in one response. Every host accepts L2CAP packets of 672 bytes.
  private static let answerByteCount: UInt16 = 600
  /// The limit of the continuation state that a host returns, in bytes.
  private static let maximumStateByteCount = 16

  private let service: BluetoothUUID
  private var transaction: UInt16 = 1
  private var lists: [UInt8] = []

  /// Creates a search for a service.
  package init(_ service: BluetoothService) { self.service = service.uuid }

  /// The first request.
  package var request: [UInt8] { request(state: []) }

  /// Returns a request for the classes and protocols (attributes 1 and 4) of every record with the service.
  private func request(state: [UInt8]) -> [UInt8] {
    let parameters =
      [0x35, 0x11, 0x1C] + service.bytes + Self.answerByteCount.bigEndianBytes
      + [0x35, 0x06, 0x09, 0x00, 0x01, 0x09, 0x00, 0x04] + [UInt8(state.count)] + state
    return [0x06] + transaction.bigEndianBytes + UInt16(parameters.count).bigEndianBytes + parameters
  }

  /// Reads a response and returns the next step.
  ///
  /// - Parameter answer: One whole packet.
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
      // A response that continues without content would be requested again without end.
      guard end > 7 else { throw .malformed }
      transaction &+= 1
      return .ask(request(state: [UInt8](copying: answer.extracting(end + 1..<answer.byteCount))))
    }
    return .done(ServiceRecord.channels(lists.rawBytes, isList: true, of: [service]).first)
  }
}
