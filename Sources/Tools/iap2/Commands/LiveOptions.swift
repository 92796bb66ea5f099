// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import IAP2
import IAP2Capture
import IAP2Faults
import IAP2Formats
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import IAP2Transport
import IAP2USB
import Synchronization

/// What `headunit` and `phone` share.
struct LiveOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Where the other side is: \(LiveTransport.forms).", valueName: "transport"))
  var transport: String

  @Flag(help: "One JSON object a line.")
  var json = false

  @Option(help: "The name this side gives itself.")
  var name: String?

  @Flag(help: "Serve one transport connection, then exit: 0 if it got identified and ended orderly, else 1.")
  var once = false

  @Option(help: "Seconds until identification must be done (default: 60; no limit on pty and serial lines).")
  var timeout: Double?

  @Option(
    help: ArgumentHelp(
      "Link values to offer: max-outstanding, max-length, retransmission-timeout, cumulative-ack-timeout, max-retransmissions, max-cumulative-acks, each =NUMBER, separated by commas.",
      valueName: "values"))
  var link: String?

  @Flag(help: "At the end, tell on stderr what was advertised and never used; exit 1 if used without being advertised.")
  var check = false

  @Option(
    help: ArgumentHelp(
      "Write what goes over the transport into this capture, pcapng unless it ends in .btsnoop or .txt.",
      valueName: "file"))
  var capture: String?

  @OptionGroup(title: "Connection") var life: LifeOptions

  func validate() throws {
    _ = try address()
    _ = try preferences()
    if let name, name.utf8.count > Self.maximumNameByteCount {
      throw ValidationError("--name has at most \(Self.maximumNameByteCount) bytes")
    }
    if let timeout, !(timeout > 0 && timeout < 1e9) { throw ValidationError("--timeout takes seconds above 0") }
  }

  /// Far more than any display shows, far less than a message holds.
  static let maximumNameByteCount = 255

  func address() throws -> LiveTransport { try LiveTransport(parsing: transport) }

  /// - Parameter conduct: of a profile or scenario; `--link` counts for more.
  func options(clock: any RuntimeClock, conduct: Conduct?, life: LifeConditions) throws -> RoleOptions {
    var options = RoleOptions()
    options.clock = clock
    life.apply(to: &options)
    conduct?.apply(to: &options)
    options.preferences = try preferences(options.preferences)
    options.identifyTimeout = try timeout.map { .nanoseconds(Int64($0 * 1e9)) } ?? address().defaultTimeout
    // Where nobody may be yet, nobody's not answering means nothing.
    if options.identifyTimeout == nil { options.limits.detectAttempts = .max }
    return options
  }

  private func preferences(_ base: LinkPreferences = LinkPreferences()) throws -> LinkPreferences {
    var preferences = base
    var offer = base.offer
    for item in (link ?? "").split(separator: ",") {
      let parts = item.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = UInt16(parts[1]) else {
        throw ValidationError("--link takes NAME=NUMBER, not \(item)")
      }
      let small = UInt8(exactly: number)
      switch (String(parts[0]), small) {
      case ("max-outstanding", let value?): offer.maxOutstandingPackets = value
      case ("max-length", _): offer.maxPacketLength = number
      case ("retransmission-timeout", _): offer.retransmissionTimeout = number
      case ("cumulative-ack-timeout", _): offer.cumulativeAckTimeout = number
      case ("max-retransmissions", let value?): offer.maxRetransmissions = value
      case ("max-cumulative-acks", let value?): offer.maxCumulativeAcks = value
      case ("max-outstanding", nil), ("max-retransmissions", nil), ("max-cumulative-acks", nil):
        throw ValidationError("--link \(parts[0]) is at most 255")
      default: throw ValidationError("--link does not know \(parts[0])")
      }
    }
    // What follows from others is only checked if it was asked for.
    let named = link ?? ""
    if !named.isEmpty, !named.contains("max-cumulative-acks") {
      offer.maxCumulativeAcks = min(offer.maxCumulativeAcks, offer.maxOutstandingPackets)
    }
    if !named.isEmpty, !named.contains("cumulative-ack-timeout") {
      offer.cumulativeAckTimeout = min(offer.cumulativeAckTimeout, offer.retransmissionTimeout / 2)
    }
    // A profile may be out of range on purpose.
    let bad = offer.outOfRange.filter { !base.offer.outOfRange.contains($0) }
    guard bad.isEmpty else {
      throw ValidationError("--link: outside the recommended range: \(bad.joined(separator: ", "))")
    }
    preferences.offer = offer
    return preferences
  }
}

/// What a live side is and does, from files.
struct PlayOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Be what a scenario says and play this side's steps of it.", valueName: "name|file"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "Be this head unit or phone: a profile that comes with the program (`iap2 run --list`), or a YAML file.",
      valueName: "name|file"))
  var profile: String?

  func validate() throws {
    guard profile == nil || scenario == nil else {
      throw ValidationError("--scenario names its own profiles; --profile goes without it")
    }
  }
}

/// What a live command does with its role, whichever it is.
protocol LiveRole: Sendable {
  var events: RoleEvents { get }
  func run(on transport: any ByteTransport) async -> ServeResult
  func disconnect() async
  func finish()
}

extension HeadUnit: LiveRole {}
extension Phone: LiveRole {}

/// Serves peers, shows what happens, and ends orderly on Ctrl-C.
struct LiveSession: Sendable {
  let role: RoleLine.Role
  let live: any LiveRole
  let options: LiveOptions
  let clock: any RuntimeClock
  /// What a head unit on USB shows beside its link.
  let functions: AccessoryFunctions
  /// JSON goes to stderr when stdout carries a session's bytes.
  let jsonToStandardError: Bool
  let onEvent: @Sendable (RoleEvent) async -> Void
  /// Once it is reached the connection ends in order, and no other is served.
  let end: LiveEnd
  /// Wireless CarPlay is announced where the medium has a way to.
  let offersCarPlay: Bool
  private let violations = ViolationCount()
  private let faults: FaultInjection

  init(
    role: RoleLine.Role, live: any LiveRole, options: LiveOptions, clock: any RuntimeClock, life: LifeConditions,
    functions: AccessoryFunctions = AccessoryFunctions(), offersCarPlay: Bool = false,
    jsonToStandardError: Bool = false, end: LiveEnd = LiveEnd(),
    onEvent: @escaping @Sendable (RoleEvent) async -> Void = { _ in }
  ) {
    self.role = role
    self.live = live
    self.options = options
    self.clock = clock
    self.functions = functions
    self.jsonToStandardError = jsonToStandardError
    self.onEvent = onEvent
    self.end = end
    self.offersCarPlay = offersCarPlay
    faults = FaultInjection(life.fault, side: role.side, clock: clock)
  }

  private static let eventsInARow = 64
  /// A reader that stalls loses the oldest ones above this; a bus or an adapter has hardly more to tell in a minute.
  private static let waitingNotices = 1024

  /// Ends by exit code.
  ///
  /// - Parameters:
  ///   - endsAnyhow: how the connection ends is for `judge` to say, as with a scenario that pulls the cable.
  ///   - judge: asked when everything is over; false makes a failure of what went well so far.
  func serve(endsAnyhow: Bool = false, judge: () async -> Bool = { true }) async throws {
    let capture = try options.capture.map { try CaptureFile($0) }
    let opened = Mutex<(any TransportSource)?>(nil)
    let listen = { [live] in
      StopSignal(whenUnread: true) {
        await opened.withLock { $0 }?.close()
        await live.disconnect()
      }
    }
    let isListening = try options.address().isListening
    // What others can see is not left behind. A call that takes long is just dropped.
    let early = isListening ? listen() : nil
    let source: any TransportSource
    let (notices, told) = AsyncStream<NoticeLine>.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingNotices))
    do {
      source = try await options.address().open(
        once: options.once, as: role.side, functions: functions, offersCarPlay: offersCarPlay
      ) { [role, clock] notice in
        notice.tell()
        told.yield(NoticeLine(notice, role: role, time: clock.now))
      }
    } catch let error as TransportError {
      finish(false)
      throw Self.failure(error)
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
      await live.disconnect()
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
          // Where a peer makes more events than are shown in the time, others need their turn.
          if count.isMultiple(of: Self.eventsInARow) { await Task.yield() }
          show(event)
          if options.check { check.add(event.event, of: role) }
          capture?.note(event.event, of: role.side)
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
          // It may have come while somebody already wanted the end.
          if stop.isRequested || end.isReached {
            await transport.close()
            break
          }
          let faulty = faults.around(transport)
          last = await live.run(on: capture?.log.capturing(faulty, side: role.side) ?? faulty)
          if let error = last?.transportError { Output.note(Self.failure(error).text) }
          if capture?.log.isComplete == false { break }
          if options.once { break }
        }
      } catch { failure = error as? TransportError ?? .closed }
      ending.cancel()
      // What it tells of its end is still told.
      await source.close()
      live.finish()
      told.finish()
      await group.waitForAll()
    }
    // Who serves one peer after another may be ended at any time; who was to serve one should have had it.
    let isEnded = stop.isRequested && (!options.once || last?.wasIdentified ?? false)
    let isOrderly = isEnded || (last.map { endsAnyhow ? $0.wasIdentified : $0.isOrderly } ?? false)
    let isDone = await judge() && isOrderly && failure == nil && isListed(check.value) && !Output.hasFailed
    let isStored = capture?.log.isComplete ?? true
    finish(isDone && isStored)
    try capture?.check()
    if let failure { throw Self.failure(failure) }
    if !isDone { throw ExitStatus.failed.code }
  }

  /// What the check says, if it was asked for.
  private func isListed(_ check: SessionCheck) -> Bool {
    guard options.check else { return true }
    guard let lines = check.lines else {
      Output.note("nothing to check: no identification was seen")
      return false
    }
    for line in lines { Output.plainNote(line.rendered) }
    return !lines.contains(where: \.isRejection)
  }

  private func finish(_ isDone: Bool) {
    guard options.json else { return }
    Output.tryJSON(
      FinishedLine(ok: isDone, violations: violations.value, time: clock.now.seconds),
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
    } else if let rung = line.rung(showingBoth: false) {
      if jsonToStandardError { Output.plainNote(rung) } else { Output.line(rung) }
    }
  }

  static func failure(_ error: TransportError) -> CommandFailure {
    switch error {
    case .refused(let address): CommandFailure(.unavailable, "\(address): nobody listens there")
    case .unreachable(let address):
      CommandFailure(.unavailable, "\(address): \(LiveTransport.unreachableText(address))")
    case .notFound(let address): CommandFailure(.unavailable, "\(address): \(LiveTransport.absence(address))")
    case .permissionDenied(let address):
      CommandFailure(.noPermission, "\(address): no permission; \(LiveTransport.permissionAdvice(address))")
    case .addressInUse(let address):
      CommandFailure(.unavailable, "\(address): \(LiveTransport.useAdvice(address))")
    case .unplugged(let address): CommandFailure(.unavailable, "\(address): \(LiveTransport.unplugText(address))")
    case .notBuilt(let address, let trait):
      CommandFailure(.unavailable, "\(address): this build is without \(trait) (package trait \(trait))")
    case .bluetooth(let problem, let address):
      CommandFailure(.unavailable, "\(address): \(LiveTransport.text(problem))")
    case .deviceMode(let address, let problem):
      CommandFailure(.unavailable, "\(address): \(DeviceModeText.text(problem))")
    case .closed: CommandFailure(.unavailable, "the transport closed before it was used")
    // Not the system's: all there is to say is in the operation.
    case .system(0, let operation): CommandFailure(.unavailable, operation)
    case .system(let number, let operation):
      CommandFailure(.unavailable, "\(operation): \(unsafe String(cString: strerror(number)))")
    }
  }
}

/// The messages of a live session, as they come.
private final class LiveCheck: Sendable {
  private let state = Mutex(SessionCheck())

  var value: SessionCheck { state.withLock { $0 } }

  func add(_ event: RoleEvent, of role: RoleLine.Role) { state.withLock { $0.add(event, of: role) } }
}

/// Tells a live session that nothing is left to do.
final class LiveEnd: Sendable {
  private let state = Mutex(false)
  private let reached = Signal()

  var isReached: Bool { state.withLock { $0 } }

  func reach() {
    state.withLock { $0 = true }
    reached.notify()
  }

  /// Also returns when it is cancelled. One task waits.
  func wait() async { await reached.wait() }
}
