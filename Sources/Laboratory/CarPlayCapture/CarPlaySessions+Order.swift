// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

// The order of packets of both sides: a capture may have an answer before its request.
extension CarPlaySessions {
  /// A packet that waits for one of the other side, which the capture has behind it.
  struct WaitingPacket: Sendable {
    var bytes: [UInt8]
    var comment: String?
    var moment: CaptureMoment
    var isClient: Bool
    /// The number that it acknowledges.
    var acknowledged: UInt32
  }

  /// The place of a packet in the order of its connection.
  private enum Turn {
    case now
    /// It waits, behind others that do.
    case later
    /// All waiting packets come first.
    case behindAll
  }

  /// The most packets of a connection that wait. What they wait for then counts as not captured.
  private static var maximumWaiting: Int { 8 }

  /// Lets a packet of a connection wait if the capture has it before a packet that its sender had received.
  ///
  /// - Returns: Whether the packet waits.
  mutating func wait(
    _ segment: TCPSegment, _ bytes: RawSpan, from start: Int, comment: String?, _ number: Int, at moment: CaptureMoment
  ) -> Bool {
    let turn = turn(of: segment, number)
    if case .now = turn {
      if !connections[number].waiting.isEmpty { due = (number, isForced: false) }
      return false
    }
    // An event connection may have no packet behind its handshake.
    noteAcceptance(segment, number, at: moment)
    let packet = [UInt8](copying: bytes.extracting(start..<bytes.byteCount))
    connections[number].waiting.append(
      WaitingPacket(
        bytes: packet, comment: comment, moment: moment, isClient: segment.source == connections[number].client,
        acknowledged: segment.acknowledgement ?? 0))
    if case .behindAll = turn { due = (number, isForced: true) }
    return true
  }

  private func turn(of segment: TCPSegment, _ number: Int) -> Turn {
    let isClient = segment.source == connections[number].client
    guard let first = connections[number].waiting.first else {
      guard canWait(number), !segment.begins, let acknowledged = segment.acknowledgement,
        lacks(acknowledged, number, ofClient: !isClient)
      else { return .now }
      return .later
    }
    if isClient == first.isClient {
      return connections[number].waiting.count < Self.maximumWaiting ? .later : .behindAll
    }
    // The bytes that were acknowledged come first, and bytes behind them are later.
    let isAwaited = Int32(bitPattern: segment.sequence &- first.acknowledged) < 0
    return isAwaited && (!segment.data.isEmpty || segment.begins) ? .now : .behindAll
  }

  /// Returns whether the order of both sides matters for a connection. A copy has the right order.
  private func canWait(_ number: Int) -> Bool {
    guard !isDecrypted, !connections[number].isOneSided else { return false }
    switch connections[number].role {
    case .undecided, .late, .control, .call, .socket(_, .events): return true
    case .ignored, .socket, .unknown: return false
    }
  }

  private func lacks(_ acknowledged: UInt32, _ number: Int, ofClient: Bool) -> Bool {
    ofClient
      ? connections[number].fromClient.lacks(acknowledged) : connections[number].fromServer.lacks(acknowledged)
  }

  /// Takes the packets of a connection that need not wait any more.
  ///
  /// - Parameter isForced: Whether all of them are taken.
  mutating func takeWaiting(of number: Int, isForced: Bool) {
    if connections[number].waiting.count > Self.maximumWaiting { connections[number].isOneSided = true }
    while let first = connections[number].waiting.first,
      isForced || !lacks(first.acknowledged, number, ofClient: !first.isClient)
    {
      connections[number].waiting.removeFirst()
      read(first.bytes.rawBytes, from: 0, comment: first.comment, at: first.moment, canWait: false)
    }
  }
}
