// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Capture
import IAP2Formats
package import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
package import IAP2Transports
import Synchronization

/// The lab of one role against a live peer: it shows the messages on the transport, and takes steps of the role.
package final class LiveLab: LabSession {
  private let role: Role
  private let live: any LiveRole
  private let headUnit: HeadUnit?
  private let phone: Phone?
  private let address: AnyTransportAddress
  private let hub: LabHub
  private let clock = WallClock()
  private let log: ScenarioLog
  private let script: LiveScenario
  private let requests: AsyncStream<LabRequest>
  private let added: AsyncStream<LabRequest>.Continuation

  /// The most requests that wait.
  private static let maximumRequests = 1000
  /// The time between two attempts to reach a peer that is not there.
  private static let pause = Duration.seconds(1)
  /// The time between two looks at the session for the page.
  private static let lookTime = Duration.milliseconds(100)

  /// - Parameters:
  ///   - role: The role that this program plays. Its phone accepts any accessory's certificate, because the lab shows
  ///     what an accessory does.
  ///   - address: The transport to the peer.
  package init(_ role: Role, at address: AnyTransportAddress, hub: LabHub) {
    (self.role, self.address, self.hub) = (role, address, hub)
    var options = RoleOptions()
    options.clock = clock
    headUnit = role == .headUnit ? HeadUnit(profile: .standard(), options: options) : nil
    phone = role == .phone ? Phone(verifier: .any, options: options) : nil
    guard let live: any LiveRole = headUnit ?? phone as (any LiveRole)? else { preconditionFailure("there is a role") }
    self.live = live
    log = ScenarioLog(hub)
    script = LiveScenario(Self.nothing, role: role)
    (requests, added) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumRequests))
    var hello = LabHello(
      .live, title: "\(role == .phone ? "head unit" : "phone") at \(address)", lanes: [.headUnit, .phone],
      [.lines, .save])
    hello.lines = LabHello.Line.all(of: role)
    hub.begin(hello)
  }

  /// A scenario without steps: all of them come from the page.
  private static let nothing: Scenario = {
    do { return try Scenario(yaml: "steps:\n  - wait: 0\n", file: "lab") } catch {
      preconditionFailure("a wait is a scenario: \(error)")
    }
  }()

  package func take(_ request: LabRequest) { added.yield(request) }

  /// Serves the peer, and the next one after it, until the task is cancelled.
  ///
  /// - Parameter report: Receives lines for the user, such as a refused connection.
  package func run(report: @escaping @Sendable (String) -> Void) async {
    let source = ReopenedSource(
      address, as: role.side, waiting: { report("waiting at \($0)") },
      report: { [log, clock, role] notice in
        guard let text = notice.text else { return }
        log.add(LabEntry(.event, "transport", text: text, time: clock.now.seconds, from: role.lane, level: .notice))
      })
    if let phone { await script.hold(on: phone) }
    await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.follow() }
        group.addTask { await self.answer() }
        group.addTask { await self.look() }
        await serve(source, report)
        await source.close()
        live.finish()
        group.cancelAll()
      }
    } onCancel: {
      Task {
        await source.close()
        await live.disconnect()
      }
    }
  }

  private func serve(_ source: ReopenedSource, _ report: @escaping @Sendable (String) -> Void) async {
    let capture = log.capture(by: clock)
    var last = ""
    while !Task.isCancelled {
      do throws(TransportError) {
        guard let transport = try await source.next() else { return }
        last = ""
        _ = await live.run(on: capture.capturing(transport, side: role.side))
      } catch {
        let text = AnyTransportAddress.explanation(of: error)
        // A peer that starts later is found by the same attempt again.
        if text != last { report("\(text); trying again") }
        last = text
        do { try await Task.sleep(for: Self.pause) } catch { return }
      }
    }
  }

  private func follow() async {
    for await event in live.events {
      log.add(event, of: role)
      script.handle(event.event)
    }
  }

  // MARK: Requests

  private func answer() async {
    for await request in requests {
      switch request {
      case .line(let line): await perform(line)
      case .save(.capture): hub.deliver("session.pcapng", .bytes(log.capture))
      case .save(.html): hub.deliverPage(picture: nil)
      default: break
      }
    }
  }

  private func perform(_ line: String) async {
    do throws(ScenarioProblem) {
      for step in try Scenario(yaml: "steps:\n  - \(line)\n", file: "step").steps {
        log.add(LabEntry(.step, step.text, time: clock.now.seconds, from: role.lane, level: .notice))
        let outcome = await script.perform(step, headUnit: headUnit, phone: phone, clock: clock)
        if let failure = outcome.failure { hub.send(.note(failure, level: .warning)) }
      }
    } catch { hub.send(.note(error.description, level: .warning)) }
  }

  private func look() async {
    while !Task.isCancelled {
      var state = LabState()
      (state.time, state.isConnected, state.phone) = (clock.now.seconds, log.isConnected, log.phone)
      hub.set(state)
      do { try await Task.sleep(for: Self.lookTime) } catch { return }
    }
  }
}

extension LabHello.Line {
  /// The steps of a role that fit any peer.
  fileprivate static func all(of role: Role) -> [Self] {
    switch role {
    case .headUnit:
      [
        Self("Play or pause", "headUnit: {press: playPause}", "A button of the head unit's remote."),
        Self("Next song", "headUnit: {press: next}", "A button of the head unit's remote."),
        Self("Disconnect", "disconnect: headUnit", "Ends the link in order."),
      ]
    case .phone:
      [
        Self("Call comes in", "phone: {call: {name: Ann Miller, number: \"+15550100\"}}", "Somebody calls."),
        Self("Disconnect", "disconnect: phone", "Ends the link in order."),
      ]
    }
  }
}
