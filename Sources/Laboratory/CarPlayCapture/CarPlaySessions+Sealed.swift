// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Capture

/// The datagrams of one sender to one port, whose purpose is in a set-up that cannot be read.
struct SealedFlow: Sendable {
  let session: Int
  let side: SessionSide
  /// The port of the receiver.
  let port: Int
  /// The datagrams and their bytes since the last summary, and its first time.
  var packets = 0, byteCount = 0
  var start: Int64?
}

// Datagrams between the sides of a session without keys. The clock is in the clear; of the others, sizes and times
// remain.
extension CarPlaySessions {
  /// The most flows of a capture. A session has about ten.
  private static let maximumSealedFlows = 1024
  /// The time after which datagrams are summarized, in nanoseconds.
  private static let sealedSummaryTime: Int64 = 1_000_000_000

  /// Takes a datagram that no readable set-up names.
  mutating func takeSealed(_ datagram: UDPDatagram, in bytes: RawSpan, at moment: CaptureMoment) {
    guard wantsFinding || explains else { return }
    let (source, target) = (Array(datagram.source(in: bytes)), Array(datagram.destination))
    let key = source + target
    let isClock = !datagram.isCut && datagram.data.count == ClockPacket.byteCount
    let data = isClock ? [UInt8](copying: bytes.extracting(datagram.data)) : []
    let clock = isClock ? ClockPacket(bytes: data) : nil
    if sealedFlows[key] == nil {
      guard sealedFlows.count < Self.maximumSealedFlows,
        let flow = sealedFlow(from: source, to: target, asksClock: clock?.isRequest == true)
      else { return }
      sealedFlows[key] = flow
    }
    guard let flow = sealedFlows[key] else { return }
    if clock != nil { return takeClock(data, flow.session, from: flow.side, moment) }
    if flow.packets > 0, let start = flow.start, let now = moment.nanoseconds, now - start >= Self.sealedSummaryTime {
      summarizeSealed(key, at: moment)
    }
    if sealedFlows[key]?.packets == 0 { sealedFlows[key]?.start = moment.nanoseconds }
    sealedFlows[key]?.packets += 1
    sealedFlows[key]?.byteCount += datagram.data.count
  }

  /// Returns the flow of two ends of a session whose set-up cannot be read; nil for other ends.
  ///
  /// - Parameter asksClock: Whether the first datagram is a question of the clock.
  private func sealedFlow(from source: [UInt8], to target: [UInt8], asksClock: Bool) -> SealedFlow? {
    let (sender, receiver) = (Array(source.dropLast(2)), Array(target.dropLast(2)))
    let found = sessions.lastIndex { session in
      !session.isOver && session.lacksSetUp
        && ((session.phone, session.headUnit) == (sender, receiver)
          || (session.phone, session.headUnit) == (receiver, sender))
    }
    guard let found else { return nil }
    // Sides on one machine have one address. Head units ask for the time (CarPlaySession.md#clock).
    let isOnOneMachine = sender == receiver
    let isPhone = isOnOneMachine ? !asksClock : sessions[found].phone == sender
    let side =
      isOnOneMachine
      ? sealedFlows[target + source]?.side.other ?? (isPhone ? .phone : .headUnit)
      : isPhone ? .phone : .headUnit
    return SealedFlow(session: found, side: side, port: target.suffix(2).reduce(0) { $0 << 8 | Int($1) })
  }

  /// Reports the datagrams of a session that wait for their summary.
  mutating func summarizeSealed(of session: Int, at moment: CaptureMoment) {
    let keys = sealedFlows.filter { $0.value.session == session && $0.value.packets > 0 }.keys
    for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) { summarizeSealed(key, at: moment) }
  }

  private mutating func summarizeSealed(_ key: [UInt8], at moment: CaptureMoment) {
    guard let flow = sealedFlows[key] else { return }
    sealedFlows[key]?.packets = 0
    sealedFlows[key]?.byteCount = 0
    let name = "datagrams to port \(flow.port)"
    sessions[flow.session].story?.add(name, count: flow.packets, byteCount: flow.byteCount, at: moment)
    let words = "\(flow.packets) packet\(flow.packets == 1 ? "" : "s"), \(flow.byteCount) bytes"
    let fields: [SessionFinding.Field] = [
      .init(.packets, .integer(Int128(flow.packets))), .init(.byteCount, .integer(Int128(flow.byteCount))),
    ]
    add(
      .sealed, "\(name): \(words); they are encrypted, or the set-up that names them cannot be read", fields,
      flow.session, flow.side, moment)
  }
}
