// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Faults
import IAP2Recordings
import IAP2Replay
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import IAP2Transports
import Synchronization

/// A session that plays a script once or several times and shows its events.
struct ReplaySession: Sendable {
  let script: ReplayScript
  let role: Role
  let replay: ReplayOptions
  let port: AuthenticationPort
  let loops: Int
  let json: Bool
  let capturePath: String?
  /// The faults injected into each transport; nil for none.
  let fault: FaultPlan?
  /// The time limit for the link; nil for the transport's default.
  let linkTimeout: Duration?

  /// Plays against a live peer.
  func play(on address: AnyTransportAddress, clock: any RuntimeClock) async throws -> ReplayTotal {
    let capture = try capturePath.map { try CaptureFile($0) }
    let side = side(clock, linkTimeout: linkTimeout ?? address.defaultTimeout)
    let faults = FaultInjection(fault, side: role.side, clock: clock)
    let end = LiveEnd()
    let source = ReopenedSource(address, as: role.side) {
      Output.note("waiting at \($0)")
    } report: {
      $0.show()
    }
    let stop = StopSignal {
      end.reach()
      await source.close()
      await side.stop()
    }
    let keys = stepping(side)
    defer { keys?.cancel() }
    var total = ReplayTotal()
    do {
      while total.loops < loops, !end.isReached {
        guard let transport = try await source.next() else { break }
        let faulty = faults.around(transport)
        let report = await side.run(on: capture?.log.capturing(faulty, side: role.side) ?? faulty)
        total.add(report)
        print(report, total.loops)
        if capture?.log.isComplete == false { break }
      }
      await source.close()
    } catch {
      total.isEqual = false
      if json { try Output.json(total.line) }
      throw CommandFailure(error)
    }
    try capture?.check()
    total.time = clock.now.seconds
    if total.loops < loops || stop.isRequested { total.isEqual = false }
    return total
  }

  /// Plays against this program's other role, in memory.
  ///
  /// - Parameter start: the time of the capture's begin, in nanoseconds since the Unix epoch.
  func play(against peer: ReplayPeer, clock: any RuntimeClock, start: Int64) async throws -> ReplayTotal {
    let capture = try capturePath.map { try CaptureFile($0, now: { start + clock.now.nanoseconds }) }
    let faults = FaultInjection(fault, side: role.side, clock: clock)
    var total = ReplayTotal()
    while total.loops < loops {
      let life = peer.life
      let side = side(clock, linkTimeout: linkTimeout ?? .seconds(60)) { [script] in life.handle($0, of: script) }
      let keys = stepping(side)
      defer { keys?.cancel() }
      let pair = MemoryTransport.pair(delay: .init(milliseconds: ScenarioPlayer.delayMilliseconds, clock: clock))
      let (ours, theirs) = role == .headUnit ? (pair.accessory, pair.device) : (pair.device, pair.accessory)
      let faulty = faults.around(ours)
      let transport = capture?.log.capturing(faulty, side: role.side) ?? faulty
      async let failure = life.live(on: theirs, clock: clock)
      let report = await side.run(on: transport)
      total.add(report)
      print(report, total.loops)
      if let failure = await failure, !report.isEqual { Output.note("the other role: \(failure)") }
    }
    try capture?.check()
    total.time = clock.now.seconds
    return total
  }

  private func side(
    _ clock: any RuntimeClock, linkTimeout: Duration?, onEvent: @escaping @Sendable (ReplayEvent) -> Void = { _ in }
  ) -> ReplaySide {
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = linkTimeout
    let (script, role, json) = (script, role, json)
    return ReplaySide(script, replay: replay, port: port, options: options) { time, event in
      onEvent(event)
      if json {
        for record in event.records(of: script) { Output.tryJSON(EventLine(record, role: role.rawValue, at: time)) }
      } else {
        Output.rows(ReplayText.lines(event, time, role, script))
      }
      if case .ready(let step) = event {
        Output.note("next: \(ReplayWords.name(script.steps[step], script)); press Return to send it")
      }
    }
  }

  private func print(_ report: ReplayReport, _ number: Int) {
    guard !json else { return }
    if loops > 1 { Output.line("loop \(number) of \(loops)") }
    for line in ReplayText.summary(report, script) { Output.line(line) }
  }

  /// Each line of standard input sends a step; its end ends the session.
  private func stepping(_ side: ReplaySide) -> Task<Void, Never>? {
    guard replay.isStepped else { return nil }
    return Task {
      while let bytes = await FileChunks.standardInput.next() {
        for byte in bytes where byte == UInt8(ascii: "\n") { await side.go() }
      }
      if !Task.isCancelled { await side.endSteps() }
    }
  }
}
