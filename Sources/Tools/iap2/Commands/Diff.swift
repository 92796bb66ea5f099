// swift-iap2 · Apache-2.0

import ArgumentParser
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

      Examples:
        iap2 diff captures/formats/usbmon.pcap captures/formats/rfcomm.pklg
        iap2 run music --capture ours.pcapng && iap2 diff ours.pcapng theirs.btsnoop --all
        iap2 diff ours.pcapng theirs.btsnoop --ignore certificate --ignore transports
        iap2 convert --swap theirs.pcap - --to text | iap2 diff ours.pcapng - --json
      """)

  @Argument(help: "A capture, or - for standard input.")
  var a: String

  @Argument(help: "The capture to compare it with, or - for standard input.")
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

  @OptionGroup var source: CaptureOptions

  static let optionalRules = ComparisonRule.allCases.filter(\.isOptional).map(\.rawValue).joined(separator: ", ")

  func validate() throws {
    guard a != "-" || b != "-" else { throw ValidationError("only one of the captures can be standard input") }
    if let connection, connection < 1 { throw ValidationError("--connection takes a number from 1") }
  }

  func run() throws {
    Output.continueWithoutReader()
    let rules = ComparisonRules(ignoring: Set(ignore))
    let (inA, inB) = (
      try CaptureInput.session(a, options: source.options, connection: connection, rules: rules),
      try CaptureInput.session(b, options: source.options, connection: connection, rules: rules)
    )
    let comparison = SessionComparison(
      inA.session, inB.session, rules: rules, transports: (a: inA.transport, b: inB.transport))
    if json {
      try ComparisonJSON.show(comparison)
    } else {
      ComparisonText(comparison, showsAll: all).lines { Output.line($0) }
    }
    if !comparison.isEqual { throw ExitStatus.failed.code }
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
    let numbers = analyzer.sink.connectionNumbers
    guard !numbers.isEmpty else { throw CommandFailure(.badInput, nothing(in: path, analyzer)) }
    let found = "\(path) has iAP2 in connection\(numbers.count == 1 ? "" : "s") \(list(numbers))"
    guard let session = analyzer.sink.session else {
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
