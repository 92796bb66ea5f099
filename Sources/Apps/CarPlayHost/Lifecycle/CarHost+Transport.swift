// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
import IAP2
package import IAP2Roles

/// An input from the transport of a phone whose head unit is outside of the process.
package enum TransportInput: Sendable {
  /// A transport is open. The values are its address and the time within which the head unit must be identified; nil
  /// for no limit.
  case opened(String, identifyTimeout: Duration?)
  /// The head unit sent bytes.
  case received([UInt8])
  /// The bytes of the last ``TransportLink/Work/send(_:)`` were sent.
  case sent
  /// The result of the last check or verification of the head unit.
  case answer(RoleInput)
  /// The user ends the connection cleanly.
  case disconnect
  /// The transport has ended.
  case ended
}

extension CarHost {
  /// Replaces the head unit in memory by a transport whose bytes the owner moves. The head unit on the transport
  /// connects and disconnects phone and car.
  ///
  /// - Parameter work: Receives the work on the transport.
  package func useTransport(_ work: @escaping @MainActor (TransportLink.Work) -> Void) {
    transport = TransportLink()
    onTransport = work
    lastReport = nil
    tellPhone()
  }

  /// Whether the head unit is on a transport.
  package var isOnTransport: Bool { transport != nil }

  /// Handles an input of the transport.
  package func take(_ input: TransportInput) {
    switch input {
    case .opened(let address, let identifyTimeout):
      notedViolations = 0
      note(.car, "transport opened", address)
      transport?.open(address, identifyTimeout: identifyTimeout, at: linkTime)
    case .received(let bytes): transport?.receive(bytes, at: linkTime)
    case .sent: transport?.sent(at: linkTime)
    case .answer(let answer): transport?.answer(answer, at: linkTime)
    case .disconnect: transport?.disconnect(at: linkTime)
    case .ended:
      note(.car, "transport ended")
      transport?.end(at: linkTime)
    }
    takeTransport()
  }

  /// Processes the results of the phone on the transport, and schedules its next step.
  func takeTransport() {
    guard isOnTransport else { return }
    for event in transport?.takeProgress() ?? [] { note(event) }
    for event in transport?.takeEvents() ?? [] {
      switch event {
      case .connected, .reconnected: setConnected(true)
      case .disconnected: setConnected(false)
      case .power: break
      }
      followTransport(event)
    }
    for request in transport?.takeRequests() ?? [] { perform(request) }
    for work in transport?.takeWork() ?? [] { onTransport?(work) }
    scheduleTransport()
  }

  private func setConnected(_ isNow: Bool) {
    guard isConnected != isNow else { return }
    isConnected = isNow
    if !isNow { leaveScreen() }
  }

  /// Applies a change of the phone's connection state, unless the fault `loseDisconnect` hides it from the app.
  private func followTransport(_ event: VehicleLink.Event) {
    if case .disconnected(let cause) = event, generator.chance(faults.loseDisconnect) {
      return note(.car, "disconnect lost", "the app gets no didDisconnect: \(cause)")
    }
    follow(event)
  }

  private func scheduleTransport() {
    events.cancel(transportDue)
    guard let due = transport?.nextDeadline else {
      transportDue = nil
      return
    }
    transportDue = events.after(max(0, linkTime.duration(to: due) / .seconds(1)), .timer) { [weak self] in
      guard let self else { return }
      self.transport?.advance(to: max(due, self.linkTime))
      self.takeTransport()
    }
  }

  // MARK: The log

  /// The maximum number of violations in the log per connection. A head unit can violate rules without end.
  private static let maximumViolations = 100

  /// Adds an event of the connection to the log, for the developer of the head unit.
  private func note(_ event: RoleEvent) {
    let detail: String
    switch event {
    case .detected, .legacyPeer, .authenticated, .suspected, .cleared: detail = ""
    case .linkUp(_, let remote): detail = "version \(remote.version), \(remote.sessions.count) sessions"
    case .authenticationFailed(let reason): detail = reason ?? "the head unit gave up"
    case .identified(let information): detail = AppReport.text(information.name)
    case .identificationRejected(let parameters): detail = "parameters \(parameters)"
    case .violation(let violation):
      notedViolations += 1
      guard notedViolations <= Self.maximumViolations else { return }
      detail = violation.name + (violation.message.map { " " + MessageCatalog.text($0) } ?? "")
    default: return
    }
    note(.car, event.name, detail, object: "head unit")
  }
}
