// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Authentication
import IAP2Capture
import IAP2Conformance
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Simulation
import IAP2Sockets
import IAP2Transport
import IAP2Transports
import Synchronization

struct Conformance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check an implementation of the other side, requirement by requirement.",
    discussion: """
      This program plays one side and runs numbered checks against the other: how it detects, negotiates, acknowledges,
      retransmits, authenticates, identifies itself and ends. Each check has its own connection, a requirement with
      evidence, and a verdict: pass, fail, inconclusive (the behavior was never reached) or not applicable.

      It uses the named transport only. Some checks send damaged or forbidden packets: use it on equipment you own.
      A transport that dials is dialed again for each check. One that listens waits for the other side to reconnect.

      Exit status: 0 when all checks were run and none failed, 1 when one failed or Ctrl-C came before the last, 69 \
      when no check could be decided. With --fault the verdicts are about the peer and the faulty transport together.

      Examples:
        iap2 conformance --as headunit --transport unix:/tmp/phone.sock
        iap2 conformance --as phone --transport tcp:127.0.0.1:7000 --captures run
        iap2 conformance --as phone --transport usb --json
        iap2 conformance --as headunit --transport rfcomm-listen --junit report.xml
        iap2 conformance --as phone --transport loopback --only windows,RET-04
        iap2 conformance --as phone --transport loopback --fault splitting=1,delay=5 --seed 7
        iap2 conformance --list
      """)

  @Option(name: .customLong("as"), help: "The role of this program: headunit or phone. The other side is checked.")
  var role: Role?

  @Option(
    help: ArgumentHelp(
      "The transport to the other side: \(AnyTransportAddress.forms), or loopback: this program's other role.",
      valueName: "transport")
  )
  var transport: String?

  @Option(
    help: ArgumentHelp(
      "Run only these checks or areas: \(Area.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "id|area,…"))
  var only: String?

  @Flag(help: "Print the checks instead of running them; with --as, only the checks of the other side.")
  var list = false

  @Flag(help: "With --list: print all checks as a Markdown page.")
  var markdown = false

  @Flag(help: "Print one JSON object per check, and a summary as the last line.")
  var json = false

  @Option(help: ArgumentHelp("Write a JUnit XML report for build servers.", valueName: "file"))
  var junit: String?

  @Option(help: ArgumentHelp("Write the capture of each check into this folder, as ID.pcapng.", valueName: "folder"))
  var captures: String?

  @Option(
    name: .customLong("external-accessory"),
    help: ArgumentHelp(
      "As a head unit: the EA protocol to identify with, which an app on the phone opens.", valueName: "protocol"))
  var protocolName = Setting.defaultProtocolName

  @OptionGroup(title: "As a head unit") var authentication: AuthenticatorOptions
  @OptionGroup(title: "Faults") var faults: FaultOptions

  static let loopback = "loopback"

  func validate() throws {
    _ = try selected()
    try faults.check(events: [])
    guard !protocolName.isEmpty else {
      throw ValidationError("--external-accessory takes the name of a protocol; this one is empty")
    }
    guard !markdown || list else { throw ValidationError("--markdown goes with --list") }
    guard !list || junit == nil && captures == nil else {
      throw ValidationError("--list runs no checks: leave out --junit and --captures")
    }
    if list { return }
    guard let role else { throw ValidationError("--as is needed: the role of this program, headunit or phone") }
    guard let transport else {
      throw ValidationError("--transport is needed: an address, or loopback for this program's other role")
    }
    guard transport != Self.loopback else { return }
    _ = try AnyTransportAddress(option: transport, as: role.side)
  }

  /// Returns the checks that the options select.
  private func selected() throws -> [IAP2Conformance.Check] {
    let checks = role.map { IAP2Conformance.Check.all(of: $0.side.peer) } ?? IAP2Conformance.Check.all
    guard let only else { return checks }
    let names = only.split(separator: ",").map { $0.lowercased() }
    func isNamed(_ check: IAP2Conformance.Check, _ name: String) -> Bool {
      check.id.lowercased() == name || check.area.rawValue.lowercased() == name
    }
    if let name = names.first(where: { name in !IAP2Conformance.Check.all.contains { isNamed($0, name) } }) {
      throw ValidationError("--only: \(name) is neither a check nor an area; iap2 conformance --list shows all")
    }
    let chosen = checks.filter { check in names.contains { isNamed(check, $0) } }
    guard !chosen.isEmpty else { throw ValidationError("--only: none of these checks applies to a \(subject)") }
    return chosen
  }

  private var subject: String { role.map { CheckTable.word($0.side.peer) } ?? "peer" }

  func run() async throws {
    let checks = try selected()
    if list { return markdown ? Output.text(CheckTable.page) : try show(checks) }
    guard let role, let transport else { return }
    Output.goOnUnread()
    // The folder is created first, so that a problem is known before an hour of checks.
    let folder = try captures.map { try OutputFolder($0) }
    defer { folder?.removeIfUnused() }
    let report = try junit.map { try OutputFile.open($0) }
    let suite = Suite(of: role.side.peer, checks)
    let plan = try faults.drawn(events: [])
    let outcomes =
      try await transport == Self.loopback
      ? loopBack(suite, plan) : live(suite, plan, try AnyTransportAddress(option: transport))
    if let report, let junit {
      OutputFile.empty(report)
      let asked = Set(outcomes.map(\.check.id))
      let all = outcomes + checks.filter { !asked.contains($0.id) }.map(Outcome.init(notRun:))
      do { try report.write(contentsOf: Data(JUnitReport.text(all, of: subject).utf8)) } catch {
        throw CommandFailure(.failed, "cannot write \(junit): \(InputFile.reason(error))")
      }
    }
    let tally = Tally(outcomes)
    if json { try Output.json(SummaryLine(tally)) } else { Output.line(SummaryLine(tally).text) }
    if outcomes.count < checks.count { Output.note("ended after \(outcomes.count) of \(checks.count) checks") }
    if tally[.fail] > 0 || outcomes.count < checks.count { throw ExitStatus.failed.code }
    // Without one passed check, the peer was absent or silent.
    if tally[.pass] == 0 {
      throw CommandFailure(.unavailable, "no check could be decided; iap2 phone or headunit shows what the peer does")
    }
  }

  // MARK: Running

  /// Runs the checks against this program's other role, in virtual time.
  private func loopBack(_ suite: Suite, _ plan: FaultPlan?) throws -> [Outcome] {
    let wall = CaptureFile.wallClock()
    let captures = CheckCaptures(captures)
    let protocolName = protocolName
    let side = suite.subject
    let result = Result {
      try VirtualTime.run { time in
        let faults = FaultInjection(plan, side: side.peer, clock: time)
        var setting = Setting(clock: time) { () async throws(TransportError) in
          faults.around(ReferenceRole.connection(to: side, clock: time, protocolName: protocolName))
        }
        setting.protocolName = protocolName
        setting.capture = { captures.begin($0) { wall + time.now.nanoseconds } }
        return try await suite.run(setting) { show($0, captures) }
      }
    }
    try captures.check()
    return try result.get()
  }

  private func live(_ suite: Suite, _ plan: FaultPlan?, _ address: AnyTransportAddress) async throws -> [Outcome] {
    let clock = WallClock()
    let captures = CheckCaptures(captures)
    let peers = CheckedPeers(address, side: suite.subject.peer)
    let faults = FaultInjection(plan, side: suite.subject.peer, clock: clock)
    var setting = Setting(clock: clock) { () async throws(TransportError) in
      try await peers.next().map { faults.around($0) }
    }
    setting.giveUp = { await peers.close() }
    setting.keepsTransport = address.isLine
    setting.authenticator = try await authentication.open(clock: clock)
    // Trust can be assumed only for a certificate that the user chose.
    setting.isTrusted = authentication.isGiven
    setting.protocolName = protocolName
    setting.capture = { captures.begin($0) { CaptureFile.wallClock() } }
    Output.note(
      "checking the \(subject) at \(transport ?? "") and no other peer; Ctrl-C ends with the results so far")
    let (result, isInterrupted) = await StopSignal.finish(ending: peers.close) { [setting] in
      do throws(TransportError) {
        return Result<[Outcome], TransportError>.success(try await suite.run(setting) { show($0, captures) })
      } catch { return .failure(error) }
    }
    await peers.close()
    try captures.check()
    switch result {
    case .success(let outcomes): return outcomes
    case .failure(let error): if isInterrupted { return [] } else { throw CommandFailure(error) }
    }
  }

  // MARK: Showing

  private func show(_ checks: [IAP2Conformance.Check]) throws {
    for check in checks {
      if json { try Output.json(RequirementLine(check)) } else { Output.line(RequirementLine(check).text) }
    }
  }

  private func show(_ outcome: Outcome, _ captures: CheckCaptures) {
    let line = OutcomeLine(outcome, capture: captures.end(outcome.check))
    if json { Output.tryJSON(line) } else { Output.line(line.text) }
  }
}

/// Connections to the peer, one for each check.
private actor CheckedPeers {
  private let address: AnyTransportAddress
  private let side: Side
  private var source: (any TransportSource)?
  private var line: SharedLine?
  private var isClosed = false
  private var hasBeenThere = false

  init(_ address: AnyTransportAddress, side: Side) {
    self.address = address
    self.side = side
  }

  func next() async throws(TransportError) -> (any ByteTransport)? {
    if let line { return line.connection() }
    if address.isDialed { return try await dial() }
    if source == nil {
      let opened = try await address.open(once: false, as: side) { $0.show() }
      if address.isWaiting { Output.note("waiting at \(opened.address)") }
      source = opened
    }
    guard !isClosed, let next = try await source?.next() else { return nil }
    guard address.isLine else { return next }
    let shared = SharedLine(next, clock: WallClock())
    line = shared
    return shared.connection()
  }

  /// Dials. After the first connection, it dials repeatedly until the peer listens again or the suite closes the
  /// source.
  private func dial() async throws(TransportError) -> (any ByteTransport)? {
    while !isClosed {
      do throws(TransportError) {
        let dialled = try await address.open(once: true, as: side) { $0.show() }.next()
        hasBeenThere = true
        return dialled
      } catch { if !hasBeenThere { throw error } }
      do { try await Task.sleep(for: .milliseconds(Self.redialMilliseconds)) } catch { return nil }
    }
    return nil
  }

  private static let redialMilliseconds = 200

  func close() async {
    isClosed = true
    await source?.close()
    await line?.close()
  }
}

/// The captures of the checks, one file each.
private final class CheckCaptures: Sendable {
  private struct State {
    var current: CaptureFile?
    var failure: CommandFailure?
  }

  private let folder: String?
  private let state = Mutex(State())

  init(_ folder: String?) { self.folder = folder }

  private func path(_ check: IAP2Conformance.Check) -> String? { folder.map { "\($0)/\(check.id).pcapng" } }

  func begin(_ check: IAP2Conformance.Check, now: @escaping @Sendable () -> Int64) -> CaptureLog? {
    guard let path = path(check) else { return nil }
    return state.withLock { state in
      do {
        let file = try CaptureFile(path, now: now)
        state.current = file
        return file.log
      } catch {
        state.failure = error as? CommandFailure ?? CommandFailure(.failed, "cannot write \(path)")
        return nil
      }
    }
  }

  /// Ends the capture of a check and returns its file.
  func end(_ check: IAP2Conformance.Check) -> String? {
    state.withLock { state in
      defer { state.current = nil }
      do { try state.current?.check() } catch { state.failure = error as? CommandFailure }
      return state.current == nil ? nil : path(check)
    }
  }

  func check() throws { if let failure = state.withLock({ $0.failure }) { throw failure } }
}
