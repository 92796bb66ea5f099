// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Synchronization

extension SessionNetwork {
  /// The sockets and deadlines of both sides, as text; empty for sides that never met.
  var leftovers: [String] {
    var left: [String] = []
    func add(_ name: String, _ sockets: Set<SessionSocket>, _ deadline: MonotonicTime?) {
      if !sockets.isEmpty { left.append("\(sockets.count) sockets of \(name)") }
      if let deadline { left.append("a deadline of \(name) at \(deadline.seconds) s") }
    }
    add("the head unit", headUnit.inspection.sockets, headUnit.nextDeadline)
    for (index, phone) in phones.enumerated() {
      add("phone \(index + 1)", phone.inspection.sockets, phone.nextDeadline)
    }
    if openEndCount > 0 { left.append("\(openEndCount) bound or connected ends on the network") }
    return left
  }
}

extension CarPlaySettings {
  /// A fault of the network that loses datagrams.
  var datagramFault: @Sendable (SessionNetwork.Delivery) -> [SessionNetwork.Delivery] {
    let generator = Mutex(SeededGenerator(seed: seed))
    return { [datagramLoss] delivery in
      guard case .datagram = delivery.content else { return [delivery] }
      return generator.withLock { $0.chance(datagramLoss) } ? [] : [delivery]
    }
  }
}
