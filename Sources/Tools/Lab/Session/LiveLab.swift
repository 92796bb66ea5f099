// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Capture
import IAP2Faults
import IAP2Roles
package import IAP2Runtime
package import IAP2Scenario
import IAP2Transport
package import IAP2Transports
import Synchronization

/// The lab of one role against a live peer: it shows the messages on the transport and the pictures of a CarPlay
/// session, and takes steps of the role.
package final class LiveLab: LabSession {
  /// The role that this program plays.
  package enum Player: Sendable {
    case headUnit(HeadUnit)
    case phone(Phone)
  }

  private struct State {
    var recorder = StepRecorder()
    var plan = FaultPlan()
    var finger = PictureFinger()
  }

  private let player: Player
  private let address: AnyTransportAddress
  /// The address in the words of the user.
  private let name: String
  private let hub: LabHub
  private let clock: WallClock
  private let log: SessionLog
  private let carPlay: (any LabCarPlay)?
  private let script: LiveScenario
  private let faults: FaultInjection
  private let state = Mutex(State())
  private let ending = Signal()
  private let requests: AsyncStream<LabRequest>
  private let added: AsyncStream<LabRequest>.Continuation

  /// The most requests that wait.
  private static let maximumRequests = 1000
  /// The time between two attempts to reach a peer that is not there.
  private static let pause = Duration.seconds(1)
  /// The time between two looks at the session for the page.
  private static let lookTime = Duration.milliseconds(100)

  /// - Parameters:
  ///   - address: The transport to the peer.
  ///   - name: The address in the words of the user.
  ///   - log: The record of the session.
  ///   - losses: What the options of the role ask for lost notifications.
  ///   - carPlay: The CarPlay session beside the link; nil for none.
  package init(
    _ player: Player, at address: AnyTransportAddress, name: String, hub: LabHub, log: SessionLog,
    losses: NoticeLosses, carPlay: (any LabCarPlay)?, clock: WallClock
  ) {
    (self.player, self.address, self.hub, self.log) = (player, address, hub, log)
    (self.name, self.carPlay, self.clock) = (name, carPlay, clock)
    let role = player.role
    faults = FaultInjection(FaultPlan(), side: role.side, clock: clock)
    script = LiveScenario(Self.nothing, role: role, faults: faults, losses: losses)
    (requests, added) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumRequests))
    var abilities: [LabHello.Ability] = [.lines, .record]
    if carPlay?.takesTouch == true { abilities.append(.input) }
    var hello = LabHello(
      .live, title: "\(role == .phone ? "head unit" : "phone") at \(name)",
      lanes: [.headUnit, .phone] + (carPlay != nil && role == .phone ? [.app, .car] : []), abilities)
    hello.lines = LabHello.Line.all(of: role) + (carPlay == nil || role == .phone ? [] : LabHello.Line.ofSessions)
    hello.faults = LabHello.Fault.ofLinks
    hello.saves = [LabRequest.Product.yaml, .capture, .html].map(\.rawValue)
    hub.begin(hello)
  }

  /// A scenario without steps: all of them come from the page.
  private static let nothing: Scenario = {
    do { return try Scenario(yaml: "steps:\n  - wait: 0\n", file: "lab") } catch {
      preconditionFailure("a wait is a scenario: \(error)")
    }
  }()

  package func take(_ request: LabRequest) { added.yield(request) }

  /// Ends the connection in order, and then ``run(report:)``.
  package func end() { ending.notify() }

  /// Serves the peer, and the next one after it, until ``end()``. The task must not be cancelled.
  ///
  /// - Parameter report: Receives lines for the user, such as a refused connection.
  package func run(report: @escaping @Sendable (String) -> Void) async {
    let source = ReopenedSource(
      address, as: player.role.side, waiting: { report("waiting at \($0)") },
      report: { [log, clock, player] notice in
        guard let text = notice.text else { return }
        log.add(
          LabEntry(.event, "transport", text: text, time: clock.now.seconds, from: player.role.lane, level: .notice))
      })
    if let phone = player.phone { await script.hold(on: phone) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.follow() }
      group.addTask { await self.answer() }
      group.addTask { await self.look() }
      group.addTask {
        // The connection ends before its transport.
        await self.ending.wait()
        await self.player.live.stop()
        await source.close()
      }
      await serve(source, report)
      await source.close()
      player.live.finish()
      group.cancelAll()
    }
    await carPlay?.close()
  }

  private func serve(_ source: ReopenedSource, _ report: @escaping @Sendable (String) -> Void) async {
    let capture = log.capture(by: clock)
    var last = ""
    while !Task.isCancelled {
      do throws(TransportError) {
        guard let transport = try await source.next() else { return }
        last = ""
        _ = await player.live.run(on: capture.capturing(faults.around(transport), side: player.role.side))
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
    for await event in player.live.events {
      log.add(event, of: player.role)
      script.handle(event.event)
      await carPlay?.take(event.event, from: player.phone)
    }
  }

  // MARK: Requests

  private func answer() async {
    for await request in requests {
      switch request {
      case .line(let line): await perform(line)
      case .touch(.screen, let phase, let x, let y):
        touched(phase, x, y)
        await carPlay?.touch(x: x, y: y, isDown: phase != .up)
      case .keyFrame: await carPlay?.requestKeyFrame()
      case .save(.capture): hub.deliver("session.pcapng", .bytes(log.capture))
      case .save(.html): hub.deliverPage(picture: nil)
      case .save(.yaml):
        if let text = recorded {
          hub.deliver("recorded.yaml", .text(text))
        } else {
          hub.send(.note("no step is recorded, so there is nothing to save", level: .warning))
        }
      case .expectEntry(let number):
        hub.expect(number) { line, time in state.withLock { $0.recorder.expect(line, at: time) } }
      case .unrecord(let index): state.withLock { $0.recorder.remove(index) }
      case .forget: state.withLock { $0.recorder.removeAll() }
      default: break
      }
    }
  }

  private func perform(_ line: String) async {
    do throws(ScenarioProblem) {
      for step in try Scenario(yaml: "carPlay: true\nsteps:\n  - \(line)\n", file: "step").steps {
        let time = clock.now.seconds
        log.add(LabEntry(.step, step.text, text: line, time: time, from: player.role.lane, level: .notice))
        state.withLock { state in
          state.recorder.add(line, step.action, at: time)
          if case .faults(let change) = step.action { state.plan.change(change) }
        }
        let outcome = await script.perform(
          step, headUnit: player.headUnit, phone: player.phone,
          carPlay: sessionStep, clock: clock)
        state.withLock { $0.recorder.endLast(outcome, at: clock.now.seconds) }
        if let failure = outcome.failure { hub.send(.note(failure, level: .warning)) }
      }
    } catch { hub.send(.note(error.description, level: .warning)) }
  }

  /// Records a finger when it leaves the screen.
  private func touched(_ phase: LabRequest.Phase, _ x: Int, _ y: Int) {
    let time = clock.now.seconds
    let line = state.withLock { state -> String? in
      guard let (line, start) = state.finger.take(phase, x, y, at: time) else { return nil }
      state.recorder.add(line, from: start, to: time)
      return line
    }
    guard let line else { return }
    log.add(LabEntry(.step, "finger", text: line, time: time, from: player.role.lane, level: .notice))
  }

  private var sessionStep: (@Sendable (CarPlayStep) async -> String?)? {
    guard let carPlay else { return nil }
    return { await carPlay.perform($0) }
  }

  /// The recorded steps, which the same role plays against such a peer.
  private var recorded: String? {
    let command = player.role == .phone ? "phone" : "headunit"
    let play = "iap2 \(command) --transport \(name) --scenario FILE\(carPlay == nil ? "" : " --carplay")"
    return StepText.scenario(
      state.withLock(\.recorder), beside: nil, hasSession: carPlay != nil, of: player.role, play: play)
  }

  private func look() async {
    while !Task.isCancelled {
      var state = LabState()
      (state.time, state.isConnected, state.phone) = (clock.now.seconds, log.isConnected, log.phone)
      (state.faults, state.recorded) = self.state.withLock { ($0.plan.values, $0.recorder.lines) }
      if let size = carPlay?.screenSize {
        state.look = LabState.Look(name: name, pixelWidth: size.width, pixelHeight: size.height)
        state.displays = log.displays
      }
      hub.set(state)
      log.addFindings()
      do { try await Task.sleep(for: Self.lookTime) } catch { return }
    }
  }
}

extension LiveLab.Player {
  var role: Role {
    switch self {
    case .headUnit: .headUnit
    case .phone: .phone
    }
  }

  var headUnit: HeadUnit? { if case .headUnit(let headUnit) = self { headUnit } else { nil } }
  var phone: Phone? { if case .phone(let phone) = self { phone } else { nil } }

  fileprivate var live: any LiveRole {
    switch self {
    case .headUnit(let headUnit): headUnit
    case .phone(let phone): phone
    }
  }
}

extension LabHello.Line {
  /// The steps of a role that fit any peer.
  fileprivate static func all(of role: Role) -> [Self] {
    switch role {
    case .headUnit:
      [
        .playOrPause, .nextSong,
        Self("Disconnect", "headUnit: disconnect", "Ends the link in order."),
        Self("Drop", "cut: true", "Ends the transport without a word."),
        Self("Lose the next notice", "loseNotice: headUnit", "The platform loses its next notice of a disconnect."),
      ]
    case .phone:
      [
        .call,
        Self("Disconnect", "phone: disconnect", "Ends the link in order."),
        Self("Drop", "cut: true", "Ends the transport without a word."),
        Self("Lose the next notice", "loseNotice: phone", "The platform loses its next notice of a disconnect."),
      ]
    }
  }
}
