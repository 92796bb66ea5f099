// swift-iap2 · Apache-2.0

import ArgumentParser
import CaptureText
import CarPlayAnalysis
import CarPlayCapture
import CarPlayCommand
import CommandSupport
import IAP2
import IAP2Analysis
import IAP2Capture

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compare two captured sessions, of any formats.",
    discussion: """
      Compares link parameters, identification, control messages and their order on each side, and the bytes of \
      EA sessions and files. The first difference is named first. Packets, sequence numbers, \
      retransmissions, times, the transport, and parameters that are new in every session (challenges, session ids, \
      the clock) are shown, but do not count as differences. --from and --swap apply to both captures. Exit code 1 if \
      there is a difference.

      The CarPlay sessions of network captures are compared first: every request and answer with the keys of its \
      property list, in the order of each channel, the configurations of screens, and where the sessions stopped, as \
      `iap2 explain` has it. Keys, ports, names of sessions, /feedback, and the number of pictures and packets do not \
      count. Sessions are encrypted: give --key-log.

      Examples:
        iap2 diff captures/formats/usbmon.pcap captures/formats/rfcomm.pklg
        iap2 run music --capture ours.pcapng && iap2 diff ours.pcapng theirs.btsnoop --all
        iap2 diff ours.pcapng theirs.btsnoop --ignore certificate --ignore transports
        iap2 convert --swap theirs.pcap - --to text | iap2 diff ours.pcapng - --json
        iap2 diff good.pcap bad.pcap --key-log good-keys.txt --key-log bad-keys.txt
      """)

  @Argument(help: "A capture, or - for standard input.", completion: .file())
  var a: String

  @Argument(help: "The capture to compare it with, or - for standard input.", completion: .file())
  var b: String

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Flag(help: "Show equal steps too.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Ignore these differences (repeatable): \(Diff.optionalRules).", valueName: "rule"),
    transform: { text in
      guard let rule = ComparisonRule(rawValue: text) else {
        throw ValidationError("a rule is one of \(Diff.optionalRules), not \(text)")
      }
      return rule
    })
  var ignore: [ComparisonRule] = []

  @Option(help: "The connection of both captures, by its number in `iap2 decode` (default: the first with iAP2).")
  var connection: Int?

  @Option(help: "The CarPlay session of both captures, by its number in `iap2 explain` (default: the first).")
  var session: Int?

  @OptionGroup var source: CaptureOptions

  static let optionalRules = ComparisonRule.allCases.filter(\.isOptional).map(\.rawValue).joined(separator: ", ")

  func validate() throws {
    guard a != "-" || b != "-" else { throw ValidationError("only one of the captures can be standard input") }
    try SessionChoice.validate(connection: connection, session: session)
  }

  func run() throws {
    Output.continueWithoutReader()
    let (inA, inB) = (try input(a), try input(b))
    let sessions = SessionComparisonOutput(
      inA.session, inB.session, ignoring: ignore.contains(.certificate) ? [.certificate] : [])
    let links = try links(inA, inB, isNeeded: sessions == nil)
    try sessions?.show(all: all, json: json)
    if let links {
      if !json, sessions != nil { Output.line("") }
      if json { try ComparisonJSON.show(links) } else { ComparisonText(links, showsAll: all).lines { Output.line($0) } }
    }
    let count = (sessions?.differenceCount ?? 0) + (links?.differences.count ?? 0)
    if json { try SessionComparisonOutput.showVerdict(differences: count) }
    if count > 0 { throw ExitStatus.failed.code }
  }

  /// The parts of a capture that are compared: a CarPlay session, and a connection with iAP2.
  private struct Input {
    let path: String
    let analyzer: CaptureAnalyzer<BothSinks<SessionRecorder, SessionEndSink>>
    let session: CapturedSession

    var link: SessionRecord? { analyzer.sink.first.session }
  }

  private func input(_ path: String) throws -> Input {
    // A connection alone needs no session.
    let recorder = connection == nil ? CarPlayRecorder((session ?? 1) - 1) : nil
    var analyzer = CaptureAnalyzer(
      options: try source.options(recorder: recorder, capture: path, explains: true),
      sink: BothSinks(
        SessionRecorder(connection: connection, rules: ComparisonRules(ignoring: Set(ignore))), SessionEndSink()))
    let input = try CaptureInput(path)
    while let bytes = try input.next() { analyzer.append(bytes) }
    analyzer.finish()
    CaptureInput.show(analyzer, of: path)
    CaptureInput.showDamage(analyzer, of: path)
    return Input(
      path: path, analyzer: analyzer, session: try CapturedSession(session, recorder, analyzer.sink.second, in: path))
  }

  /// Compares connections with iAP2; nil if CarPlay sessions are compared and neither capture has one.
  private func links(_ a: Input, _ b: Input, isNeeded: Bool) throws -> SessionComparison? {
    guard session == nil, isNeeded || a.link != nil || b.link != nil else { return nil }
    if !isNeeded, a.link == nil || b.link == nil {
      Output.note("only \((a.link == nil ? b : a).path) has iAP2, which is not compared")
      return nil
    }
    let (inA, inB) = (
      try CaptureInput.link(a.analyzer.sink.first, a.analyzer, a.path, connection),
      try CaptureInput.link(b.analyzer.sink.first, b.analyzer, b.path, connection)
    )
    return SessionComparison(
      inA.session, inB.session, rules: ComparisonRules(ignoring: Set(ignore)),
      transports: (a: inA.transport, b: inB.transport))
  }
}

extension CaptureInput {
  /// Returns a connection of a capture and its transport.
  ///
  /// - Parameter connection: its number, from 1; nil takes the first with iAP2.
  static func session(
    _ path: String, options: CaptureAnalyzerOptions, connection: Int?, rules: ComparisonRules = ComparisonRules(),
    limits: SessionRecordLimits = SessionRecordLimits()
  ) throws -> (session: SessionRecord, transport: FlowKey) {
    var analyzer = CaptureAnalyzer(
      options: options, sink: SessionRecorder(connection: connection, rules: rules, limits: limits))
    let input = try CaptureInput(path)
    while let bytes = try input.next() { analyzer.append(bytes) }
    analyzer.finish()
    show(analyzer, of: path)
    return try link(analyzer.sink, analyzer, path, connection)
  }

  /// Returns the recorded connection of a capture and its transport.
  fileprivate static func link<Sink>(
    _ recorder: SessionRecorder, _ analyzer: CaptureAnalyzer<Sink>, _ path: String, _ connection: Int?
  ) throws -> (session: SessionRecord, transport: FlowKey) {
    let numbers = recorder.connectionNumbers
    guard !numbers.isEmpty else { throw CommandFailure(.badInput, nothing(in: path, analyzer)) }
    let found = "\(path) has iAP2 in connection\(numbers.count == 1 ? "" : "s") \(list(numbers))"
    guard let session = recorder.session else {
      throw CommandFailure(.badInput, connection.map { "\(found), not in \($0)" } ?? found)
    }
    if numbers.count > 1 { Output.note("\(found); connection \(session.flow + 1) is compared") }
    return (session, analyzer.flowKeys[session.flow])
  }

  /// The number of listed connections, which fit a line of a terminal.
  private static let listedNumbers = 16

  private static func list(_ numbers: [Int]) -> String {
    let left = numbers.count - listedNumbers
    let listed = numbers.prefix(listedNumbers).map(String.init).joined(separator: ", ")
    return left > 0 ? "\(listed) and \(left) more" : listed
  }
}
