// swift-iap2 · Apache-2.0

import Bonjour
import CarPlayLive
import CarPlaySession
import CommandSupport
import IAP2Transport

/// The discovery of a head unit: it announces itself, and asks phones to connect.
final class HeadUnitDiscovery: Sendable {
  private enum Input: Sendable {
    case directory(DirectoryEvent)
    case session(SessionEvent)
    case link(isUp: Bool)
    case outcome(PhoneCaller.Outcome)
    case deadline
  }

  private let name: String
  private let target: PhoneCaller.Target?
  private let text: TextRecord
  private let deviceID: DeviceID?
  private let tap: SocketTap?
  private let report: @Sendable (DiscoveryEvent) -> Void
  private let inputs: AsyncStream<Input>
  private let sender: AsyncStream<Input>.Continuation

  /// The most inputs that wait. A network with more changes at once is hostile.
  private static let maximumInputs = 4096

  /// - Parameters:
  ///   - text: The TXT record of the head unit.
  ///   - tap: Receives the control requests; nil for none.
  ///   - report: Receives each event.
  init(
    name: String, target: PhoneCaller.Target?, text: TextRecord, tap: SocketTap?,
    report: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    (self.name, self.target, self.text, self.tap, self.report) = (name, target, text, tap, report)
    deviceID = HeadUnitRecord(text).deviceID
    (inputs, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumInputs))
  }

  /// Takes an event of the head unit's session.
  func take(_ event: SessionEvent) {
    switch event {
    case .state(.setUp), .ended: sender.yield(.session(event))
    default: break
    }
  }

  /// Takes the begin or the end of an iAP2 link, which brings its phone without a call.
  func linkChanged(isUp: Bool) { sender.yield(.link(isUp: isUp)) }

  /// Announces the head unit, and follows the network until the task is cancelled or the directory fails.
  ///
  /// - Throws: What is missing on this machine.
  func open(port: UInt16) throws(DirectoryProblem) -> Task<Void, Never> {
    let directory = try AvahiDirectory(
      advertising: [AdvertisedService(.airPlay, name: name, port: port, text: text)],
      searching: target == nil ? [] : [.control]
    ) { [sender] in sender.yield(.directory($0)) }
    return Task {
      await withTaskCancellationHandler {
        await follow()
      } onCancel: { [sender] in
        sender.finish()
      }
      await directory.close()
    }
  }

  private func follow() async {
    var caller = target.map { PhoneCaller(PhoneCaller.Settings($0)) }
    // A phone that is called looks for the head unit at once.
    var (isAdvertised, isLinkUp) = (false, false)
    caller?.hold(true, at: SessionSystem.now)
    var timer: DiscoveryTimer.Running?
    var calling: Task<Void, Never>?
    for await input in inputs {
      let now = SessionSystem.now
      switch input {
      case .directory(.changed(let change)): caller?.take(change, at: now)
      case .directory(.advertised(let service, let name, let port)):
        report(.advertised(service, name: name, port: port))
        isAdvertised = true
        caller?.hold(isLinkUp, at: now)
      case .directory(.daemonGone): report(.daemonGone)
      case .directory(.daemonBack): report(.daemonBack)
      case .directory(.crowded(let limit)): Output.note(Self.crowded(limit))
      case .directory(.failed(let problem)): Output.note(problem.explanation)
      case .session(.ended(let end, _)):
        caller?.sessionEnded(end, at: now)
        // A link that came during the session begins none, nor does one again whose set-up failed.
        isLinkUp = false
        caller?.hold(!isAdvertised, at: now)
      case .link(let isUp):
        isLinkUp = isUp
        caller?.hold(isLinkUp || !isAdvertised, at: now)
      case .session:
        caller?.sessionBegan(at: now)
        // The link has brought the phone. It begins no second session.
        isLinkUp = false
        caller?.hold(!isAdvertised, at: now)
      case .outcome(let outcome): caller?.answered(outcome, at: now)
      case .deadline: caller?.handleDeadline(at: now)
      }
      for action in caller?.takeActions() ?? [] {
        switch action {
        case .report(let event): report(event)
        case .call(let phone):
          calling = Task {
            let outcome = await call(phone)
            if !Task.isCancelled { sender.yield(.outcome(outcome)) }
          }
        case .cancel: calling?.cancel()
        }
      }
      timer = DiscoveryTimer.next(caller?.nextDeadline, after: timer) { [sender] in sender.yield(.deadline) }
    }
    timer?.task.cancel()
    calling?.cancel()
  }

  /// The note about a network with too many services.
  static func crowded(_ limit: Int) -> String {
    "over \(limit) services are on the network; the others wait until one is gone"
  }

  private func call(_ phone: FoundService) async -> PhoneCaller.Outcome {
    guard let deviceID, let address = phone.address else { return .none(reason: "no address") }
    let request = ControlCall.request(
      deviceID, sourceVersion: HeadUnitRecord(text).sourceVersion ?? "", host: phone.host)
    do {
      return try await ControlClient.send(request, host: address, port: phone.port, tap: tap?.receive)
    } catch {
      return .none(reason: SocketAddresses.reason(of: error))
    }
  }
}

/// The timer of a machine of discovery.
enum DiscoveryTimer {
  typealias Running = (deadline: MonotonicTime, task: Task<Void, Never>)

  /// Returns the timer for a deadline: the same one if the deadline is the same.
  static func next(
    _ deadline: MonotonicTime?, after running: Running?, _ fire: @escaping @Sendable () -> Void
  ) -> Running? {
    // A deadline that has passed fires once: the machine then has another one.
    if let running, running.deadline == deadline, !running.task.isCancelled { return running }
    running?.task.cancel()
    guard let deadline else { return nil }
    let task = Task {
      do { try await Task.sleep(for: SessionSystem.now.duration(to: deadline)) } catch { return }
      fire()
    }
    return (deadline, task)
  }
}
