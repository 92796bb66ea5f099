// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import Glibc
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Faults
import IAP2Formats
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import IAP2Transports
import RunReports
import Synchronization

/// A live session that serves peers, shows their events, and ends in order on Ctrl-C.
struct LiveSession: Sendable {
  let role: Role
  let live: any LiveRole
  let options: LiveOptions
  let clock: any RuntimeClock
  /// The USB functions that a head unit offers beside the link.
  let functions: AccessoryFunctions
  /// JSON goes to stderr when stdout carries a session's bytes.
  let jsonToStandardError: Bool
  let onEvent: @Sendable (RoleEvent) async -> Void
  /// Takes a notice of the transport, on any thread.
  let onNotice: @Sendable (TransportNotice) -> Void
  /// The condition that ends the connection in order. After it, no other peer is served.
  let end: LiveEnd
  /// Whether wireless CarPlay is announced, on transports that support it.
  let offersCarPlay: Bool
  /// Prepares a connection that has opened, before its first byte.
  let prepare: @Sendable () async -> Void
  /// Returns when the next connection may be opened.
  let gate: @Sendable () async -> Void
  /// Returns when nothing goes on behind the last connection.
  let rest: @Sendable () async -> Void
  /// Ends what goes on without a connection, because the user wants it.
  let onStop: @Sendable () async -> Void
  private let violations = ViolationCount()
  private let advice: LiveAdvice
  private let faults: FaultInjection
  private let capture: CaptureFile?

  /// - Parameters:
  ///   - faults: The faults of the link; nil for those of `life`.
  ///   - capture: The capture of the link; nil for none.
  init(
    role: Role, live: any LiveRole, options: LiveOptions, clock: any RuntimeClock, life: LifecycleConditions,
    faults: FaultInjection? = nil, capture: CaptureFile?, functions: AccessoryFunctions = AccessoryFunctions(),
    offersCarPlay: Bool = false, jsonToStandardError: Bool = false, end: LiveEnd = LiveEnd(),
    onNotice: @escaping @Sendable (TransportNotice) -> Void = { _ in },
    prepare: @escaping @Sendable () async -> Void = {},
    gate: @escaping @Sendable () async -> Void = {},
    rest: @escaping @Sendable () async -> Void = {},
    onStop: @escaping @Sendable () async -> Void = {},
    onEvent: @escaping @Sendable (RoleEvent) async -> Void = { _ in }
  ) {
    self.role = role
    self.live = live
    self.options = options
    self.clock = clock
    self.functions = functions
    self.jsonToStandardError = jsonToStandardError
    (self.onNotice, self.prepare, self.gate, self.rest) = (onNotice, prepare, gate, rest)
    (self.onStop, self.onEvent) = (onStop, onEvent)
    self.end = end
    self.offersCarPlay = offersCarPlay
    advice = LiveAdvice(role: role, options: options, silenceMilliseconds: life.silenceMilliseconds)
    self.faults = faults ?? FaultInjection(life.fault, side: role.side, clock: clock)
    self.capture = capture
  }

  private static let eventsInARow = 64
  /// The limit of queued notices. A stalled reader loses the oldest ones above it. A bus or an adapter reports fewer in
  /// a minute.
  private static let waitingNotices = 1024

  /// Serves peers until the session ends, and throws an exit code unless it succeeded.
  ///
  /// - Parameters:
  ///   - acceptsAnyEnd: Whether any end of the connection is a success, as with a scenario that pulls the cable.
  ///   - succeeded: Called after the end; false turns a success into a failure.
  func serve(acceptsAnyEnd: Bool = false, succeeded: () async -> Bool = { true }) async throws {
    Output.queue()
    try capture?.begin()
    let opened = Mutex<(any TransportSource)?>(nil)
    let listen = { [live, onStop] in
      StopSignal(whenUnread: true) {
        await onStop()
        await opened.withLock { $0 }?.close()
        await live.stop()
      }
    }
    let isListening = try options.address().isListening
    // A listener is closed in order, also during opening, so that no gadget, record or socket file stays. An outgoing
    // connection attempt is abandoned.
    let early = isListening ? listen() : nil
    let source: any TransportSource
    let (notices, reported) = AsyncStream<EventRecord>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.waitingNotices))
    do {
      source = try await options.address().open(
        once: options.once, as: role.side, functions: functions, offersCarPlay: offersCarPlay,
        limitsSilence: !options.once
      ) { [role, clock, onNotice] notice in
        notice.show()
        onNotice(notice)
        reported.yield(CommandEvents.notice(notice, role: role, time: clock.now))
      }
    } catch let error as TransportError {
      finish(false)
      throw CommandFailure(error)
    }
    opened.withLock { $0 = source }
    let stop = early ?? listen()
    if try options.address().isWaiting { Output.note("waiting at \(source.address)") }
    if try options.address().isSearching, !options.once {
      Output.note("\(source.address): waiting for a device; iap2 devices lists what is attached")
    }
    if isListening { show(TimedEvent(time: clock.now, event: .transportOpened(address: source.address))) }
    let ending = Task { [live, end] in
      await end.wait()
      guard end.isReached else { return }
      await source.close()
      await live.stop()
    }
    var last: ServeResult?
    var failure: TransportError?
    let check = LiveCheck()
    let endsWithLink = try options.once && !options.address().showsLeaving
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        var count = 0
        for await event in live.events {
          count += 1
          // If a peer produces events faster than they are shown, other tasks need a turn.
          if count.isMultiple(of: Self.eventsInARow) { await Task.yield() }
          show(event)
          if options.check { check.add(event.event, of: role) }
          capture?.note(event, of: role.side, now: clock.now)
          faults.happened(event.event)
          await onEvent(event.event)
          if endsWithLink, case .disconnected = event.event { await live.disconnect() }
        }
      }
      group.addTask {
        for await line in notices where options.json { Output.tryJSON(line, toStandardError: jsonToStandardError) }
      }
      do {
        while !stop.isRequested, !end.isReached, let transport = try await source.next() {
          // A connection may open after the end was requested.
          if stop.isRequested || end.isReached {
            await transport.close()
            break
          }
          await prepare()
          let faulty = faults.around(transport)
          last = await live.run(on: capture?.log.capturing(faulty, side: role.side) ?? faulty)
          if let error = last?.transportError { Output.note(CommandFailure(error).text) }
          if capture?.log.isComplete == false { break }
          if options.once { break }
          await gate()
        }
        if !options.once, !stop.isRequested, !end.isReached { await rest() }
      } catch { failure = error as? TransportError ?? .closed }
      ending.cancel()
      // Closing reports the end of the transport, so the notices finish afterwards.
      await source.close()
      live.finish()
      reported.finish()
      await group.waitForAll()
    }
    // A session may go on without the link here, until Ctrl-C.
    let isComplete = await succeeded()
    // Without `--once`, a stop request is a clean exit. With `--once`, it is one only after the peer was identified.
    let isEnded = stop.isRequested && (!options.once || last?.wasIdentified ?? false)
    let isOrderly = isEnded || (last.map { acceptsAnyEnd ? $0.wasIdentified : $0.isOrderly } ?? false)
    let isDone = isComplete && isOrderly && failure == nil && isListed(check.value) && !Output.hasFailed
    let isStored = capture?.log.isComplete ?? true
    finish(isDone && isStored)
    try capture?.check()
    if let failure { throw CommandFailure(failure) }
    if !isDone { throw ExitStatus.failed.code }
  }

  /// Prints the result of `--check` and returns whether it found no rejection; true without the option.
  private func isListed(_ check: SessionCheck) -> Bool {
    guard options.check else { return true }
    guard let lines = check.lines else {
      Output.note("--check: no identification was received, so nothing was checked")
      return false
    }
    for line in lines { Output.message(line.rendered) }
    return !lines.contains(where: \.isRejection)
  }

  private func finish(_ isDone: Bool) {
    guard options.json else { return }
    Output.tryJSON(
      CommandEvents.finished(ok: isDone, violations: violations.value, time: clock.now.seconds),
      toStandardError: jsonToStandardError)
  }

  private func show(_ event: TimedEvent) {
    violations.note(event.event)
    let line = RoleLine(role: role, timed: event)
    if options.json {
      if line.hasJSON {
        Output.tryJSON(line, toStandardError: jsonToStandardError)
      } else if let warning = line.warning {
        Output.note(warning)
      }
    } else if let ladderLine = line.ladderLine(showingBoth: false) {
      if jsonToStandardError { Output.plainNote(ladderLine) } else { Output.rows([ladderLine]) }
    }
    advice.show(event)
  }
}

/// The advice of a live session, on standard error.
private final class LiveAdvice: Sendable {
  private let advice: Mutex<RoleAdvice>

  init(role: Role, options: LiveOptions, silenceMilliseconds: Int?) {
    let conditions = RoleAdvice.Conditions(
      identifySeconds: options.identifySeconds, silenceSeconds: silenceMilliseconds.map { Double($0) / 1000 })
    advice = Mutex(RoleAdvice(role: role, conditions: conditions))
  }

  func show(_ event: TimedEvent) {
    for line in advice.withLock({ $0.lines(after: event.event, at: event.time) }) { Output.note(line.printable) }
  }
}

/// A collector of the messages of a live session.
private final class LiveCheck: Sendable {
  private let state = Mutex(SessionCheck())

  var value: SessionCheck { state.withLock { $0 } }

  func add(_ event: RoleEvent, of role: Role) { state.withLock { $0.add(event, of: role) } }
}
