// swift-iap2 · Apache-2.0

import ArgumentParser
import CaptureText
import CarPlayCommand
import CommandSupport
import IAP2Analysis
import IAP2Capture

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Explain where a captured session stopped, which side was to act next, and which rule was broken.",
    discussion: """
      Prints for each connection: the stage that it reached (enumeration, detect, negotiation, authentication, \
      identification, features, external accessory, CarPlay), the last step, the expected next step and its side, the \
      commands that show more, and the known causes of a stop there, each with its evidence and confidence. A capture \
      that this program wrote as pcapng or text also names the limit of this program that ended the session, such as \
      --timeout. Reads every format of `iap2 decode`. Exit code 0 for any result, 65 if the capture has no iAP2.

      Connections have the numbers of `iap2 decode`; those without iAP2 are left out. Damage of the file itself \
      belongs to no connection: its count is printed on stderr.

      The CarPlay sessions of a network capture follow, such as one of tcpdump: the step that each reached, the first \
      rule that a side broke with the request, the key in its property list, the value and the expected one, or the \
      request without an answer. From pair-verify on a session is encrypted: give --key-log. `iap2 explain --rules` \
      lists the rules with their numbers. Before a session's steps stand those of discovery: the announcements of both \
      sides by Bonjour, the control request and its answer, and the connection. If no session followed, the stop is there.

      --json prints one object per connection: connection (from 1), transport, point, stage, reached (list of stages), \
      complete, lastRecord, lastTime (seconds), last, lastFrom, turn (accessory, device, either), expected (any of the \
      list), details, silence (seconds to the end of the capture), attempts, errors, text, rule (the first broken rule \
      or owed answer that explains the connection: id, text, side, owed, step, record, detail, evidence, confidence, \
      check), and causes: id (unique within its point), text, evidence, confidence (high, medium, low, unverified), \
      check. The causes of a complete connection are other explanations of its end. Unknown keys are absent. A CarPlay \
      session has session (from 1) in place of connection, and no causes; its rule also has level (required, \
      recommended, observed), request, key, value, expected and time, and breaches lists the others. discovery lists the \
      steps before it: record, time, from, text. seconds is its length; requests and streams have name, count and \
      byteCount of each kind of message.

      \(EvidencePages.help)

      Examples:
        iap2 explain captures/failures/challenge-unanswered.txt
        iap2 explain bluetooth.btsnoop --connection 2
        iap2 phone --transport tcp:127.0.0.1:7000 --once --capture live.pcapng; iap2 explain live.pcapng --json
        iap2 explain carplay.pcap --key-log secrets.txt --session 1
        iap2 explain --list
        iap2 explain --rules
      """)

  @Argument(help: "The capture, or - for standard input.", completion: .file())
  var file: String?

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Option(help: "Explain only this connection, counted from 1.")
  var connection: Int?

  @Option(help: "Explain only this CarPlay session, counted from 1.")
  var session: Int?

  @Flag(help: "List every known stop point of sessions, with its causes.")
  var list = false

  @Flag(help: "List the rules of the protocol by which sessions are judged.")
  var rules = false

  @OptionGroup var source: CaptureOptions

  func validate() throws {
    guard [list, rules, file != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("name a capture, or give --list or --rules without one")
    }
    try SessionChoice.validate(connection: connection, session: session)
    guard file != nil || connection == nil && session == nil && source.isUnused else {
      throw ValidationError("\(list ? "--list" : "--rules") reads no capture: it can be used only with --json")
    }
  }

  func run() throws {
    guard let file else { return try list ? show(StopPoint.all) : showRules() }
    let (explanations, sessions) = try read(file)
    let name = file == "-" ? nil : file
    let inside = explanations.filter { $0.session != nil }
    let output = SessionExplanationOutput(sessions, inside, of: file, keyLogs: source.sessions.keyLogs, json: json)
    if let session { return try output.show(only: session) }
    guard let connection else {
      for explanation in explanations where explanation.session == nil { try show(explanation, name) }
      try output.show()
      return
    }
    guard let wanted = explanations.first(where: { $0.connection == connection }) else {
      throw CommandFailure(.badInput, "\(file) \(Self.known(explanations.map(\.connection))), not in \(connection)")
    }
    try show(wanted, name)
  }

  /// The limit of listed connection numbers.
  private static let maximumNumbers = 16

  private static func known(_ numbers: [Int]) -> String {
    guard !numbers.isEmpty else { return "has CarPlay sessions and no iAP2 (--session selects one)" }
    let shown = numbers.prefix(maximumNumbers).map(String.init).joined(separator: ", ")
    return "has iAP2 in connection\(numbers.count == 1 ? "" : "s") \(shown)"
      + (numbers.count > maximumNumbers ? " and \(numbers.count - maximumNumbers) more" : "")
  }

  private func read(
    _ file: String
  ) throws -> (connections: [Explanation], sessions: [(number: Int, explanation: SessionExplanation)]) {
    let options = try source.options(
      capture: file, explains: true, sortsPackets: true, reportsFindings: false)
    var analyzer = CaptureAnalyzer(options: options, sink: ExplanationSink())
    let input = try CaptureInput(file)
    while let bytes = try input.next() { analyzer.append(bytes) }
    analyzer.finish()
    let explanations = Explanation.all(analyzer)
    let sessions = analyzer.sessions
    let isRead = !explanations.isEmpty || !sessions.isEmpty
    CaptureInput.show(analyzer, of: file, isRead: isRead)
    CaptureInput.showDamage(analyzer, of: file)
    guard isRead else { throw CommandFailure(.badInput, CaptureInput.nothing(in: file, analyzer)) }
    return (explanations, sessions)
  }

  private func show(_ explanation: Explanation, _ file: String?) throws {
    if json { return try Output.json(ExplanationLine(explanation)) }
    ExplanationText.lines(explanation, file: file).forEach(Output.line)
  }

  private func showRules() throws {
    for rule in SessionRule.all {
      if json { try Output.json(ListedRuleLine(rule)) } else { ExplanationText.lines(rule).forEach(Output.line) }
    }
    try SessionExplanationOutput.showRules(json: json)
  }

  private func show(_ points: [StopPoint]) throws {
    for point in points {
      if json { try Output.json(StopPointLine(point)) } else { ExplanationText.lines(point).forEach(Output.line) }
    }
  }
}

extension CaptureOptions {
  /// Whether none of the options was given.
  fileprivate var isUnused: Bool {
    let texts = accessoryPatterns + devicePatterns + accessoryWords + deviceWords
    return from == nil && !swap && pattern == nil && texts.isEmpty
  }
}
