// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CarPlayConformance
import CommandSupport
import ConformanceCommand
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
import RunReports
import Synchronization

struct Conformance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check an implementation of the other side, requirement by requirement.",
    usage: """
      iap2 conformance --as <as> --transport <transport> [<options>]
      iap2 conformance --carplay --as <as> --transport <transport> [<options>]
      iap2 conformance --list [--carplay] [--as <as>] [--markdown] [--json]
      """,
    discussion: """
      This program plays one side and runs numbered checks against the other: how it detects, negotiates, acknowledges, \
      retransmits, authenticates, identifies itself and ends. Each check has its own connection, a requirement with \
      evidence, and a verdict: pass, fail, inconclusive (the behavior was never reached) or not applicable.

      A check is required (the sources agree, real hardware shows it, or another side depends on it), recommended (the \
      sources advise it, or a known implementation fails and works all the same) or observed (known implementations do \
      it, and no source asks for it). Failures of the last two are counted, and the run passes all the same. The last \
      lines say what to repair first.

      \(EvidencePages.help)

      It uses the named transport only. Some checks send damaged or forbidden packets: use it on equipment you own.
      A transport that dials is dialed again for each check. One that listens waits for the other side to reconnect.

      A peer that has gone after a check may have crashed: the report names the check and the last packet that it was \
      sent. The checks that remain are played only if --restart starts it again. After the last check nothing shows \
      whether the peer is still there.

      With --carplay it plays a phone or a head unit of CarPlay sessions over TCP, with the checks of `iap2 conformance \
      --list --carplay`. The rules of `iap2 explain` are judged from one ordinary session and have the same ids; \
      numbers above 50 are of checks that provoke the peer. A head unit that accepts the connection and answers nothing \
      fails CRQ-01, and is not provoked. As a phone it has the identity of `iap2 phone`, and the head \
      unit keeps its pairing.

      Exit code: 0 when all checks were run and no required one failed, 1 when one failed, when the peer had gone after \
      one or Ctrl-C came before the last, 64 when the peer plays the same role as this program, 69 when the peer sends nothing or something else than \
      iAP2, or when no check could be decided. With --fault the verdicts are about the peer and the faulty transport \
      together.

      Examples:
        iap2 conformance --as headunit --transport unix:/tmp/phone.sock
        iap2 conformance --as phone --transport tcp:127.0.0.1:7000 --captures run
        iap2 conformance --as phone --transport tcp:127.0.0.1:7000 --restart './headunit --port 7000'
        iap2 conformance --as phone --transport usb --json
        iap2 conformance --as headunit --transport rfcomm-listen --junit report.xml
        iap2 conformance --as phone --transport loopback --only windows,RET-04
        iap2 conformance --as phone --transport loopback --fault splitting=1,delay=5 --seed 7
        iap2 conformance --carplay --as phone --transport tcp:127.0.0.1:7000
        iap2 conformance --carplay --as phone --transport loopback --only pairing,CIN-03
        iap2 conformance --list
      """)

  @Flag(help: "Check CarPlay sessions instead of iAP2.") var carplay = false

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
      "Run only these checks: by id, by strictness (\(Strictness.allCases.map(\.rawValue).joined(separator: ", "))) or by area: \(Area.allCases.map(\.rawValue).joined(separator: ", ")); with --carplay: \(Area.sessionAreas.map(\.rawValue).joined(separator: ", ")).",
      valueName: "id|strictness|area,…"), completion: .nameList(orFiles: false) { wordsOfChecks })
  var only: String?

  @Option(
    help: ArgumentHelp("Leave out these checks.", valueName: "id|strictness|area,…"),
    completion: .nameList(orFiles: false) { wordsOfChecks })
  var skip: String?

  /// The words that choose checks, of both suites.
  private static var wordsOfChecks: [String] {
    let areas = Set((Area.allCases + Area.sessionAreas).map(\.rawValue))
    let ids = (IAP2Conformance.Check.all + SessionCheck.all.map(\.check)).map(\.id)
    return Strictness.allCases.map(\.rawValue) + areas.sorted() + ids
  }

  @Option(
    help: ArgumentHelp(
      "The time limit for an answer of the peer. Its first bytes may take three times as long, its next connection six times.",
      valueName: "seconds"))
  var timeout = Double(Setting.defaultAnswerMilliseconds) / 1000

  @Option(
    name: .customLong("authentication"),
    help: ArgumentHelp(
      "As a phone: the CA whose accessories are trusted: test (the project's CA), a CA file in PEM, or any: neither certificate nor response is checked (default: any certificate, and a response by its key).",
      valueName: "test|any|file"), completion: .file())
  var trusted: String?

  @Flag(help: "Print the checks instead of running them; with --as, only the checks of the other side.")
  var list = false

  @Flag(help: "With --list: print all checks as a Markdown page.") var markdown = false

  @Flag(help: "Print one JSON object per check, and a summary as the last line.") var json = false

  @OptionGroup var colors: ColorOptions

  @OptionGroup(title: "Reports") var reports: ReportOptions

  @Option(help: ArgumentHelp("The older name of --report.", valueName: "file", visibility: .hidden))
  var html: String?

  @Option(
    help: ArgumentHelp("Write the capture of each check into this folder, as ID.pcapng.", valueName: "folder"),
    completion: .directory)
  var captures: String?

  @Option(
    help: ArgumentHelp(
      "When the peer has gone after a check, start it again with this shell command. What it starts ends with the run. A phone of CarPlay sessions is started for each check.",
      valueName: "command"))
  var restart: String?

  @Option(
    name: .customLong("external-accessory"),
    help: ArgumentHelp(
      "As a head unit: the EA protocol to identify with, which an app on the phone opens.", valueName: "protocol"))
  var protocolName = Setting.defaultProtocolName

  @OptionGroup(title: "CarPlay sessions") var sessions: SessionConformanceOptions
  @OptionGroup(title: "As a head unit") var authentication: AuthenticatorOptions
  @OptionGroup(title: "Faults") var faults: FaultOptions

  static let loopback = "loopback"

  func validate() throws {
    _ = try selected()
    try sessions.check(
      isUsed: carplay, transport: transport, side: role?.side, captures: captures, hasFaults: !faults.isEmpty)
    guard timeout.isFinite, Self.timeouts.contains(timeout) else {
      throw ValidationError(
        "--timeout takes \(Int(Self.timeouts.lowerBound)) to \(Int(Self.timeouts.upperBound)) seconds")
    }
    guard trusted == nil || role != .headUnit else {
      throw ValidationError("--authentication checks a head unit: it goes with --as phone")
    }
    guard !authentication.isGiven || role != .phone else {
      throw ValidationError("--certificate, --key and --authenticator are a head unit's: they go with --as headunit")
    }
    try faults.check(events: [])
    guard !protocolName.isEmpty else {
      throw ValidationError("--external-accessory takes the name of a protocol; this one is empty")
    }
    guard html == nil || reports.report == nil else { throw ValidationError("--html is --report: give one of them") }
    guard html == nil || html != reports.junit else { throw ValidationError("--report and --junit need a file each") }
    guard !carplay || protocolName == Setting.defaultProtocolName else {
      throw ValidationError("--external-accessory is for the checks of iAP2: leave it out with --carplay")
    }
    guard !markdown || list else { throw ValidationError("--markdown goes with --list") }
    guard !list || !reports.areGiven && html == nil && captures == nil else {
      throw ValidationError("--list runs no checks: leave out --junit, --report and --captures")
    }
    if let restart {
      guard !list else { throw ValidationError("--list runs no checks: leave out --restart") }
      try PeerStarter.check(restart, transport: transport)
    }
    if list { return }
    guard let role else { throw ValidationError("--as is needed: the role of this program, headunit or phone") }
    guard let transport else {
      throw ValidationError("--transport is needed: an address, or loopback for this program's other role")
    }
    guard transport != Self.loopback, !carplay else { return }
    _ = try AnyTransportAddress(option: transport, as: role.side)
  }

  /// The allowed time limits of an answer, in seconds.
  private static let timeouts = 1.0...600.0

  /// Returns the checks that the options select.
  private func selected() throws -> [IAP2Conformance.Check] {
    let checks = known.filter { check in role.map { check.subjects.contains($0.side.peer) } ?? true }
    let named = try only.map { try self.named($0, by: "--only") }
    let left = try skip.map { try self.named($0, by: "--skip") }
    let chosen = checks.filter { (named?($0) ?? true) && !(left?($0) ?? false) }
    guard !chosen.isEmpty else {
      let options = [only.map { _ in "--only" }, skip.map { _ in "--skip" }].compactMap { $0 }
      throw ValidationError("\(options.joined(separator: " and ")): no check of a \(subject) remains")
    }
    return chosen
  }

  /// The checks of the suite, in the order of a session.
  private var known: [IAP2Conformance.Check] {
    carplay ? SessionCheck.all.map(\.check) : IAP2Conformance.Check.all
  }

  /// Returns a function that says whether a list of names has a check.
  private func named(
    _ list: String, by option: String
  ) throws -> (IAP2Conformance.Check) -> Bool {
    let given = list.split(separator: ",").map(String.init)
    let wanted = Set(given.map { $0.lowercased() })
    func names(of check: IAP2Conformance.Check) -> [String] {
      [check.id, check.area.rawValue, check.strictness.rawValue].map { $0.lowercased() }
    }
    guard !wanted.isEmpty else { throw ValidationError("\(option) is empty: name a check, a strictness or an area") }
    let words = Set(known.flatMap(names))
    if let name = given.first(where: { !words.contains($0.lowercased()) }) {
      let near = NearWords.question(name, among: words).map { "\($0) " } ?? ""
      throw ValidationError(
        "\(option): \(name) is neither a check, a strictness nor an area; \(near)`iap2 conformance \(carplay ? "--carplay " : "")--list` shows all"
      )
    }
    return { check in names(of: check).contains(where: wanted.contains) }
  }

  /// Reads the file of `--authentication`.
  private func trust() throws -> AccessoryTrust {
    switch trusted {
    case nil: return .certificateKey
    case "any": return .any
    case let name?: return .verifier(try VerifierChoice.verifier(name))
    }
  }

  var subject: String { role.map { $0.side.peer.roleName } ?? "peer" }

  func run() async throws {
    let checks = try selected()
    if list {
      return markdown ? Output.text(carplay ? SessionCheckTable.page : CheckTable.page) : try show(checks)
    }
    guard let role, let transport else { return }
    Output.continueWithoutReader()
    // The folder is created first, so that a problem is known before an hour of checks.
    let folder = try captures.map { try OutputFolder($0) }
    defer { folder?.removeIfUnused() }
    if let captures { try CheckCaptures.checkWritable(checks, in: captures) }
    let trust = try trust()
    var reports = reports
    reports.report = reports.report ?? html
    let files = try reports.open()
    let suite = Suite(of: role.side.peer, checks)
    let plan = try faults.drawn(events: [])
    let links = CaptureLinks()
    let outcomes: [Outcome]
    if carplay {
      outcomes = try await sessions(checks, trust, transport, links)
    } else if transport == Self.loopback {
      outcomes = try loopBack(suite, plan, trust, links)
    } else {
      outcomes = try await live(suite, plan, trust, try AnyTransportAddress(option: transport), links)
    }
    let asked = Set(outcomes.map(\.check.id))
    let all = outcomes + checks.filter { !asked.contains($0.id) }.map(Outcome.init(notRun:))
    let advice = RepairAdvice(outcomes, of: subject, order: known)
    let remarks = remarks(outcomes, plan)
    try files?.write(
      page: { base in
        HTMLReport.text(
          all, of: subject, advice: advice.sentences + remarks, details: details,
          captures: links.addresses(from: reports.report ?? ""), comparison: try run(all).comparison(with: base))
      }, junit: JUnitReport.text(all, of: subject))
    let tally = Tally(outcomes)
    let summary = SummaryLine(tally, advice, remarks)
    if json { try Output.json(summary) } else { Output.line(summary.text) }
    if outcomes.count < checks.count { Output.note("ended after \(outcomes.count) of \(checks.count) checks") }
    if tally.failures(.required) > 0 || outcomes.count < checks.count { throw ExitStatus.failed.code }
    // Without one passed check, the peer was absent or silent.
    if tally[.pass] == 0, tally.failures.isEmpty {
      let command = carplay ? "iap2 carplay phone or headunit" : "iap2 phone or headunit"
      throw CommandFailure(.unavailable, "no check could be decided; \(command) shows what the peer does")
    }
    if outcomes.contains(where: { $0.leftPeerGone || $0.sessionStop != nil }) { throw ExitStatus.failed.code }
  }

  // MARK: Running

  /// Runs the checks of CarPlay sessions.
  private func sessions(
    _ checks: [IAP2Conformance.Check], _ trust: AccessoryTrust, _ transport: String, _ links: CaptureLinks
  ) async throws -> [Outcome] {
    let progress = CheckProgress(checks.count)
    defer { progress?.end() }
    let starter = restart.map { PeerStarter($0) }
    defer { starter?.end() }
    var settings = SessionConformance.Settings(sessions)
    settings.answer = .seconds(timeout)
    settings.trust = trust
    settings.captures = captures
    if let starter { settings.restart = { starter.startOrReport() } }
    if role == .headUnit { settings.authenticator = try await authentication.open(clock: WallClock()) }
    let run = try SessionConformance(checks, of: role?.side.peer ?? .accessory, settings, transport: transport)
    if transport != Self.loopback {
      Output.note("checking the \(subject) at \(transport) and no other peer; Ctrl-C ends with the results so far")
    }
    let (result, _) = await StopSignal.finish { () -> Result<[Outcome], any Error> in
      do {
        return .success(
          try await run.run {
            progress?.begin($0)
          } absent: {
            show($0, progress)
          } report: { outcome, capture in
            show(outcome, capture, progress, links)
          })
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Runs the checks against this program's other role, in virtual time.
  private func loopBack(
    _ suite: Suite, _ plan: FaultPlan?, _ trust: AccessoryTrust, _ links: CaptureLinks
  ) throws -> [Outcome] {
    let wall = CaptureFile.wallClock()
    let captures = CheckCaptures(captures)
    let protocolName = protocolName
    let side = suite.subject
    let progress = CheckProgress(suite.checks.count)
    defer { progress?.end() }
    let result = Result {
      try VirtualTime.run { time in
        let faults = FaultInjection(plan, side: side.peer, clock: time)
        var setting = Setting(clock: time) { () async throws(TransportError) in
          faults.around(ReferenceRole.connection(to: side, clock: time, protocolName: protocolName))
        }
        setting.protocolName = protocolName
        setting.accessoryTrust = trust
        setting.answerMilliseconds = Int(timeout * 1000)
        setting.capture = { captures.begin($0) { wall + time.now.nanoseconds } }
        return try await suite.run(setting) {
          progress?.begin($0)
        } report: {
          show($0, captures, progress, links)
        }
      }
    }
    try captures.check()
    return try result.get()
  }

  private func live(
    _ suite: Suite, _ plan: FaultPlan?, _ trust: AccessoryTrust, _ address: AnyTransportAddress, _ links: CaptureLinks
  ) async throws -> [Outcome] {
    let clock = WallClock()
    let progress = CheckProgress(suite.checks.count)
    defer { progress?.end() }
    let captures = CheckCaptures(captures)
    let peers = CheckedPeers(clock: clock, isDialed: address.isDialed, isLine: address.isLine) {
      [side = suite.subject.peer] () async throws(TransportError) in
      let opened = try await address.open(once: address.isDialed, as: side) { $0.show() }
      if address.isWaiting { Output.note("waiting at \(opened.address)") }
      return opened
    }
    let faults = FaultInjection(plan, side: suite.subject.peer, clock: clock)
    var setting = Setting(clock: clock) { () async throws(TransportError) in
      try await peers.next().map { faults.around($0) }
    }
    setting.giveUp = { await peers.close() }
    setting.keepsTransport = address.isLine
    setting.authenticator = try await authentication.open(clock: clock)
    // Only the phone's owner knows which certificates it trusts, so a rejection is not the phone's fault.
    setting.isTrusted = false
    setting.accessoryTrust = trust
    setting.answerMilliseconds = Int(timeout * 1000)
    setting.protocolName = protocolName
    setting.capture = { captures.begin($0) { CaptureFile.wallClock() } }
    Output.note(
      "checking the \(subject) at \(transport ?? "") and no other peer; Ctrl-C ends with the results so far")
    let starter = restart.map { PeerStarter($0) }
    defer { starter?.end() }
    if let starter {
      setting.restart = { starter.startOrReport() }
    }
    let (result, isInterrupted) = await StopSignal.finish(ending: peers.close) { [setting] in
      do throws(TransportError) {
        // Faults would hide the peer.
        var clean = setting
        clean.connect = { () async throws(TransportError) in try await peers.next() }
        if let recognition = try await suite.recognize(clean), recognition != .peer {
          return Run.wrongPeer(recognition)
        }
        if Task.isCancelled { return Run.done([]) }
        return Run.done(
          try await suite.run(setting) {
            progress?.begin($0)
          } absent: {
            show($0, progress)
          } report: {
            show($0, captures, progress, links)
          })
      } catch { return .failed(error) }
    }
    await peers.close()
    try captures.check()
    switch result {
    case .done(let outcomes): return outcomes
    case _ where isInterrupted: return []
    case .wrongPeer(let recognition):
      progress?.clear()
      throw failure(recognition, address)
    case .failed(let error): throw CommandFailure(error)
    }
  }

  private enum Run: Sendable {
    case done([Outcome])
    case wrongPeer(Recognition)
    case failed(TransportError)
  }

  /// Returns the failure for a peer that cannot be checked, with the remedy.
  private func failure(_ recognition: Recognition, _ address: AnyTransportAddress) -> CommandFailure {
    let peer = transport ?? ""
    let own = role?.commandName ?? ""
    let other = role?.peer.commandName ?? ""
    switch recognition {
    case .sameSide:
      return CommandFailure(
        .usage,
        "\(peer): the peer is a \((role ?? .phone).side.roleName), which this program plays with --as \(own); "
          + "to check it, use --as \(other)")
    case .silent(let milliseconds):
      return CommandFailure(
        .unavailable,
        "\(peer): nothing arrived within \(milliseconds / 1000) s; check address, cable and speed, whether the "
          + "\(subject) is started and free, and whether it is a \(subject)")
    case .closed:
      return CommandFailure(
        .unavailable,
        "\(peer): the other side closed the connection without a byte; it may serve another peer, or be no \(subject)")
    case .otherProtocol(let bytes):
      let shown = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
      return CommandFailure(
        .unavailable,
        "\(peer): the other side does not speak iAP2, it sends \(shown) …; check the address"
          + (address.isLine ? " and the speed of the line" : ""))
    case .peer: return CommandFailure(.software, "\(peer): the peer was recognized")
    }
  }

  // MARK: Showing

  private func show(_ checks: [IAP2Conformance.Check]) throws {
    for check in checks {
      if json { try Output.json(RequirementLine(check)) } else { Output.line(ConformanceText.requirement(check)) }
    }
  }

  private func show(_ absence: PeerAbsence, _ progress: CheckProgress?) {
    progress?.clear()
    if json {
      Output.tryJSON(AbsenceLine(absence))
    } else {
      Output.line(ConformanceText.absence(absence, canRestart: restart != nil))
    }
  }

  private func show(_ outcome: Outcome, _ captures: CheckCaptures, _ progress: CheckProgress?, _ links: CaptureLinks) {
    show(outcome, captures.end(outcome.check), progress, links)
  }

  private func show(_ outcome: Outcome, _ capture: String?, _ progress: CheckProgress?, _ links: CaptureLinks) {
    progress?.clear()
    links.note(capture, of: outcome.check)
    if json {
      Output.tryJSON(OutcomeLine(outcome, capture: capture))
    } else if outcome.isPlayed {
      Output.line(ConformanceText.outcome(outcome))
    }
  }
}
