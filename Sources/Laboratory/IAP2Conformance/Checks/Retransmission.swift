// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime

extension Check {
  static let retransmission: [Check] = [
    Check(
      "RET-01", .retransmission, of: .both, "An unacknowledged packet is retransmitted",
      "A data packet without an acknowledgement is retransmitted when the retransmission timeout has expired.",
      .at("Reliability.md#retransmission-timer", .high)
    ) { probe throws(Stop) in
      let first = try await probe.unacknowledged(timeout: 1000)
      _ = try await probe.again(first)
    },
    Check(
      "RET-02", .retransmission, of: .both, "A retransmission is the same packet",
      "A retransmitted packet keeps its sequence number, session and payload. Its acknowledgement number may be newer.",
      .at("Reliability.md#retransmission-bytes", .high)
    ) { probe throws(Stop) in
      let first = try await probe.unacknowledged(timeout: 1000)
      let second: Probe.Observation
      do throws(Stop) { second = try await probe.again(first) } catch { throw error.before("it retransmits nothing") }
      guard second.packet?.payload == first.packet?.payload, second.packet?.session == first.packet?.session else {
        throw .failed("the retransmission of \(second.unit.text) has different bytes")
      }
    },
    Check(
      "RET-03", .retransmission, of: .both, "No retransmission before the timeout",
      "A packet is not retransmitted before the agreed retransmission timeout.",
      .at("Reliability.md#retransmission-timer", .high)
    ) { probe throws(Stop) in
      let first = try await probe.unacknowledged(timeout: 2000)
      let timeout = Int(await probe.ours.retransmissionTimeout)
      // Allow a tenth for the accuracy of clocks and the transport.
      try await probe.refuse("it retransmits before \(timeout) ms", for: timeout * 9 / 10) {
        $0.packet?.isData == true && $0.packet?.sequence == first.packet?.sequence
      }
      try await probe.stays()
    },
    Check(
      "RET-04", .retransmission, of: [.device], "The SYN+ACK is retransmitted",
      "A SYN+ACK without an acknowledgement is retransmitted.",
      .at("Link.md#synack-retry", .low, "whether phones do is unverified")
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let first = try await probe.offer(Probe.usual)
      let again = try await probe.expect("second SYN+ACK") { $0.packet?.isAnswer == true ? $0.packet : nil }
      guard again.sequence == first.sequence else { throw .failed("the second SYN+ACK has another sequence number") }
    },
    // These checks are last, because a peer that gives up may not connect again.
    Check(
      "RET-05", .retransmission, of: .both, "Retransmission ends at the limit",
      "A packet is retransmitted as often as agreed, or once less, and then not again.",
      .at("Reliability.md#give-up-count", .medium, "sources differ by one, so both counts pass"), mayEndPeer: true
    ) { probe throws(Stop) in
      let (count, limit, _) = try await probe.giveUp()
      guard count <= limit + 1 else {
        throw .failed("it sent the packet \(count) times with \(limit) retransmissions agreed")
      }
      guard count >= limit else {
        throw .failed("it sent the packet only \(count) times with \(limit) retransmissions agreed")
      }
    },
    Check(
      "RET-06", .retransmission, of: .both, "RST follows the retransmission limit",
      "A side that reached the retransmission limit sends RST before the transport ends.",
      .at("Reliability.md#give-up-rst", .medium, "one known accessory only closes the transport"), .recommended,
      mayEndPeer: true
    ) { probe throws(Stop) in
      let (_, _, hasReset) = try await probe.giveUp()
      guard hasReset else { throw .failed("it sent no RST") }
    },
  ]
}

extension Probe {
  /// Sets up a link and returns a data packet of the peer without an acknowledgement.
  func unacknowledged(timeout: UInt16, retransmissions: UInt8 = 30) async throws(Stop) -> Observation {
    try await linkUp(
      Probe.usual.with {
        $0.retransmissionTimeout = timeout
        $0.cumulativeAckTimeout = 50
        $0.maxRetransmissions = retransmissions
      })
    hold()
    do throws(Stop) {
      try await provoke()
      _ = try await newData()
    } catch { throw error.before("it sends no data") }
    guard let first = held.first else { throw .inconclusive("it sends no data") }
    return first
  }

  /// Waits for the retransmission of a packet.
  func again(_ first: Observation) async throws(Stop) -> Observation {
    let number = first.packet?.sequence
    return try await expect("retransmission of an unacknowledged packet", within: resendLimit) { observation in
      observation.packet?.isData == true && observation.packet?.sequence == number ? observation : nil
    }
  }

  /// Acknowledges nothing until the peer gives up.
  ///
  /// - Returns: the number of transmissions of the packet, the agreed number of retransmissions, and whether RST
  ///   followed.
  func giveUp() async throws(Stop) -> (count: Int, limit: Int, hasReset: Bool) {
    let first = try await unacknowledged(timeout: 500, retransmissions: 3)
    let timeout = Int(ours.retransmissionTimeout)
    let limit = Int(ours.maxRetransmissions)
    let longest = timeout * (limit + 2) + Timeouts.slack
    guard longest <= setting.checkMilliseconds / 2 else {
      throw .inconclusive("the link agreed on \(limit) retransmissions of \(timeout) ms, longer than a check may take")
    }
    let number = first.packet?.sequence
    let deadline = clock.now.adding(milliseconds: longest)
    var count = 1
    while let observation = await next(until: deadline) {
      if observation.packet?.isReset == true { return (count, limit, true) }
      if observation.packet?.isData == true, observation.packet?.sequence == number { count += 1 }
    }
    return (count, limit, false)
  }
}
