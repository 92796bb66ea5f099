// swift-iap2 · Apache-2.0

package import Basics
package import CarPlaySession
import CarPlaySimulation

/// A head unit in memory and in virtual time, with the probes that connect to it as phones. It finds the probe by
/// Bonjour, and a second phone while that is announced.
package actor MemoryHeadUnit<HeadUnit: SessionMachine> {
  private var network: MachineNetwork<HeadUnit, ProbeMachine>
  /// The head unit's side of control requests, which knows the probe alone.
  private var caller = PhoneCaller(PhoneCaller.Settings(.any))
  /// The bytes of its requests.
  private let request: [UInt8]
  /// The control requests to the probe so far.
  package private(set) var requests: [Result<ControlCall, ControlCall.Refusal>] = []
  /// The control requests to the second phone since it was announced.
  private var secondRequests: [Result<ControlCall, ControlCall.Refusal>] = []

  /// Creates a network around a head unit.
  ///
  /// - Parameters:
  ///   - request: The bytes of its control requests.
  ///   - sign: Signs for the head unit.
  package init(
    _ headUnit: HeadUnit, request: [UInt8], sign: @escaping @Sendable ([UInt8]) -> AccessoryEvidence?
  ) {
    self.request = request
    network = MachineNetwork(headUnit: headUnit, phones: [], sign: sign)
    caller.take(.found(Self.service("probe", address: "fe80::2")), at: network.now)
  }

  private static func service(_ name: String, address: String) -> FoundService {
    let id = FoundService.ID(.control, name: name, interface: "memory", isIPv6: true)
    return FoundService(id, host: "\(name).local", address: address, port: 49_152, text: TextRecord([]))
  }

  /// The second phone.
  private let second = service("second", address: "fe80::3")

  /// Announces a second phone.
  package func announceSecond() -> ProbeControl.SecondPhone {
    secondRequests = []
    caller.take(.found(second), at: network.now)
    return ProbeControl.SecondPhone {
      await self.secondRequests
    } withdraw: {
      await self.withdrawSecond()
    }
  }

  private func withdrawSecond() { caller.take(.lost(second.id), at: network.now) }

  /// Connects a new probe, whose control connection is the first thing that happens.
  package func dial() -> any ProbeLine {
    network.phones.append(ProbeMachine())
    let line = Line(network: self, index: network.phones.count - 1)
    act(line.index, [.connect(.control(0), port: MachineNetwork<HeadUnit, ProbeMachine>.controlPort)])
    return line
  }

  fileprivate var now: MonotonicTime { network.now }

  fileprivate func act(_ index: Int, _ actions: [SessionAction]) {
    network.actPhone(index) { machine, _ in machine.add(actions) }
  }

  fileprivate func next(_ index: Int, until deadline: MonotonicTime) -> [Occurrence] {
    while true {
      let occurrences = network.phones[index].takeOccurrences()
      follow()
      guard occurrences.isEmpty, network.now < deadline else { return occurrences }
      network.run(until: [network.nextTime, caller.nextDeadline].compactMap(\.self).reduce(deadline, min))
    }
  }

  /// Lets the caller follow the head unit's sessions, and keeps its requests, which the probe grants.
  private func follow() {
    for entry in network.entries where entry.node == .headUnit {
      switch entry.event {
      case .state(.setUp): caller.sessionBegan(at: entry.time)
      case .ended(let end, _): caller.sessionEnded(end, at: entry.time)
      default: break
      }
    }
    network.entries = []
    caller.handleDeadline(at: network.now)
    for action in caller.takeActions() {
      guard case .call(let phone) = action, requests.count + secondRequests.count < ProbeControl.maximumCount else {
        continue
      }
      if phone.id == second.id {
        secondRequests.append(ControlCall.read(request))
      } else {
        requests.append(ControlCall.read(request))
      }
      caller.answered(.status(200), at: network.now)
    }
  }

  fileprivate func close(_ index: Int) { network.cut(index) }

  private struct Line: ProbeLine {
    let network: MemoryHeadUnit
    let index: Int

    var now: MonotonicTime { get async { await network.now } }

    func act(_ actions: [SessionAction]) async { await network.act(index, actions) }

    func next(until deadline: MonotonicTime) async -> [Occurrence] { await network.next(index, until: deadline) }

    func close() async { await network.close(index) }
  }
}

/// A phone in memory and in virtual time, with a probe as its head unit. After each session a new phone connects.
package actor MemoryPhone<Phone: SessionMachine>: ProbeLine {
  private var network: MachineNetwork<ProbeMachine, Phone>
  private let make: @Sendable (Phone?, MonotonicTime) -> Phone

  /// Creates a network around a phone.
  ///
  /// - Parameters:
  ///   - make: Returns the next phone, whose connection begins at a time. The argument is the phone before, whose
  ///     pairings it may have.
  ///   - sign: Signs for the probe.
  package init(
    _ make: @escaping @Sendable (Phone?, MonotonicTime) -> Phone,
    sign: @escaping @Sendable ([UInt8]) -> AccessoryEvidence?
  ) {
    self.make = make
    network = MachineNetwork(headUnit: ProbeMachine(), phones: [], sign: sign)
  }

  package var now: MonotonicTime { network.now }

  /// Lets the next phone connect.
  package func restart() {
    let phone = make(network.phones.first, network.now)
    if network.phones.isEmpty { network.phones.append(phone) } else { network.replace(0, by: phone) }
    network.actPhone { _, _ in }
  }

  package func act(_ actions: [SessionAction]) { network.actHeadUnit { machine, _ in machine.add(actions) } }

  package func next(until deadline: MonotonicTime) -> [Occurrence] {
    while true {
      let occurrences = network.headUnit.takeOccurrences()
      network.entries = []
      guard occurrences.isEmpty, network.now < deadline else { return occurrences }
      network.run(until: min(network.nextTime ?? deadline, deadline))
    }
  }

  package func close() { if !network.phones.isEmpty { network.cut() } }
}
