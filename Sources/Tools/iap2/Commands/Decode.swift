// swift-iap2 · Apache-2.0

import ArgumentParser
import CaptureText
import CarPlayCapture
import CarPlayCommand
import CommandSupport
import Foundation
import IAP2
import IAP2Capture

struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Decode and show captured bytes.",
    discussion: """
      Reads pcap and pcapng (USB, Bluetooth, TCP), btsnoop, PacketLogger, hexadecimal dumps and logs, and the \
      project's text form: one record a line, an optional time in seconds, A>D (accessory to device) or D>A, and the \
      bytes in hexadecimal. The format, the place of iAP2 in it and the side of the accessory are detected from the \
      content. With --from, the file is raw bytes of one side. The summary is printed first for a file, and last for a \
      pipe.

      A filter combines tests with and, or, not and parentheses. A test is FIELD = VALUE (also != < <= > >=, and ~ for \
      a regular expression), a single word, or a "text" to search for in names, texts and data. A single word matches \
      a layer, a side, a message by name or number, or the presence of a field or parameter. Fields are the keys of \
      --json, plus message (name or number of a message) and error (text of an error). Parameters have their names, \
      with the names of their groups in front where one name is ambiguous (Group.Name). Case is ignored.

      The CarPlay sessions of network captures are decoded, too. Encrypted parts are opened with the secrets that the \
      capture has, or those of --key-log; without them sizes and times remain. Their fields are the keys of --json, and \
      body.NAME for a key of a message's body at any depth (body.streams.type).

      Examples:
        iap2 decode captures/real/boya-mini2.txt
        iap2 decode --summary bluetooth.btsnoop
        iap2 decode --stats --gap 0.2 usb.pcapng
        iap2 decode --filter 'control and from = device and time > 2.5' usb.pcapng
        iap2 decode --filter 'PowerUpdate or BatteryChargeLevel < 20' usb.pcapng --verbose
        iap2 decode --filter 'message ~ "^Start" or error or "Comfort"' usb.pcapng
        iap2 decode --fields time,from,message,BatteryChargeLevel usb.pcapng
        iap2 decode --filter 'layer = externalAccessory' --data usb.pcapng
        iap2 decode --follow live.pcapng
        printf 'A>D ff550200ee10' | iap2 decode - --json
        iap2 decode --from accessory dump.bin
        iap2 decode carplay.pcapng --key-log secrets.txt
        iap2 decode carplay.pcapng --filter 'carPlayRequest and body.streams.type = 110'
        iap2 decode carplay.pcapng --key-log secrets.txt --extract streams > session.txt
        iap2 decode carplay.pcapng --key-log secrets.txt --decrypted clear.pcapng > session.txt
      """)

  @Argument(help: "The file, or - for standard input.", completion: .file())
  var file: String

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @OptionGroup var source: CaptureOptions

  @OptionGroup var wanted: FilterOptions

  @Option(
    help: ArgumentHelp(
      "Print only these fields (separated by commas); their values are separated by tabs.", valueName: "names"),
    transform: Decode.fields)
  var fields: FieldTable?

  @Flag(help: "Show also the bytes of packets, messages and data, each field with its offset.")
  var verbose = false

  @Flag(help: "Show also the bytes of EA sessions and files, as hexadecimal and as text.")
  var data = false

  @Option(
    help: ArgumentHelp(
      "Write the streams of CarPlay sessions into this folder: H.264, and sound as WAV, AAC or OPUS.",
      valueName: "folder"), completion: .directory)
  var extract: String?

  @Option(
    help: ArgumentHelp(
      "Write a copy of the capture (pcapng, mode 0600) with its CarPlay sessions in the clear, for Wireshark and for this command without keys.",
      valueName: "file"), completion: .file())
  var decrypted: String?

  @Flag(help: "Continue as the file grows, until Ctrl-C.")
  var follow = false

  @Flag(help: "Print only the summary: connections, link, identification, damage.")
  var summary = false

  @Flag(
    help: """
      Print only counts and times: messages, acknowledgements, answers, silence; requests and streams of CarPlay sessions.
      """)
  var stats = false

  @Option(help: "With --stats: report silence longer than this many seconds (default: 1).")
  var gap: Double?

  /// Parses names separated by commas.
  private static func fields(_ text: String) throws -> FieldTable {
    let fields = try text.split(separator: ",").map { word in
      do throws(FindingField.Problem) {
        return try FindingField(parsing: word.trimmingCharacters(in: .whitespaces))
      } catch {
        throw ValidationError(FilterText.text(error))
      }
    }
    guard !fields.isEmpty else { throw ValidationError("--fields takes names separated by commas") }
    return FieldTable(fields)
  }

  func validate() throws {
    guard !json || !summary && !stats else {
      throw ValidationError("--summary and --stats print text: leave out --json")
    }
    guard fields == nil || !summary && !stats && !verbose && !data else {
      throw ValidationError("--fields cannot be used with --summary, --stats, --verbose or --data")
    }
    guard !verbose || !json && !summary && !stats else {
      throw ValidationError("--verbose cannot be used with --json, --summary or --stats")
    }
    guard !data || !json && !summary && !stats && !verbose else {
      throw ValidationError(
        verbose
          ? "--verbose shows the bytes of --data too: leave out one"
          : "--data cannot be used with --json, --summary or --stats")
    }
    guard gap.map({ $0 > 0 && $0 < 1e9 }) ?? true else { throw ValidationError("--gap takes seconds, above 0") }
    guard gap == nil || stats else { throw ValidationError("--gap needs --stats") }
    guard extract == nil || !summary && !stats && !follow else {
      throw ValidationError("--extract cannot be used with --summary, --stats or --follow")
    }
    guard decrypted == nil || !summary && !stats && !follow else {
      throw ValidationError("--decrypted cannot be used with --summary, --stats or --follow")
    }
  }

  func run() throws {
    if summary || stats { return try summarize(input()) }
    if let fields { return try table(fields) }
    guard json else { return try ladder() }
    try decode(input(), JSONSink()) { Output.bytes($0.takeBytes()) }
  }

  private func input(showsLines: Bool = true) throws -> CaptureInput {
    try CaptureInput(file, follows: follow, showsProgress: !showsLines || isatty(STDOUT_FILENO) == 0)
  }

  /// Prints the findings in order, and the summary unless a filter selects findings.
  private func ladder() throws {
    let wantsSummary = wanted.filter == nil
    let input = try input()
    // An input that cannot be read twice gets its summary at the end.
    let isFirst = wantsSummary && input.isRegular && !follow
    let secrets = try source.sessions.secrets()
    if isFirst {
      if try extract == nil && decrypted == nil && showAtOnce(secrets) { return }
      try summarize(CaptureInput(file), secrets, isFirst: true)
      Output.line("")
    }
    var text = ladderText
    try decode(input, BothSinks(LineSink(keepsBytes: verbose || data), SummarySink()), secrets) { sink in
      Output.rows(sink.first.take().flatMap { text.lines($0) })
    } end: { analyzer in
      guard wantsSummary, !isFirst else { return }
      Output.line("")
      Self.show(analyzer.sink.base.second.summary, analyzer.counts, analyzer.flowKeys, analyzer.startNanoseconds)
    }
  }

  private var ladderText: LadderText {
    LadderText(showsHeads: wanted.filter != nil, bytes: verbose ? .all : data ? .data : .none)
  }

  /// The most bytes of printed findings that wait for the summary. Findings of a larger file are read again behind it.
  private static let heldByteCount = 32 << 20

  private struct TooManyFindings: Error {}

  /// Prints the summary and the findings, both from one pass, and returns true; or prints nothing and returns false,
  /// because the findings are too many to wait for the summary.
  private func showAtOnce(_ secrets: SessionSecrets) throws -> Bool {
    var (text, held, byteCount) = (ladderText, [[UInt8]](), 0)
    let sink = BothSinks(LineSink(keepsBytes: verbose || data), SummarySink())
    do {
      try decode(CaptureInput(file), sink, secrets, isFirst: true) { sink in
        held.append(Output.printedRows(sink.first.take().flatMap { text.lines($0) }))
        byteCount += held[held.count - 1].count
        guard byteCount <= Self.heldByteCount else { throw TooManyFindings() }
      } end: { analyzer in
        Self.show(analyzer.sink.base.second.summary, analyzer.counts, analyzer.flowKeys, analyzer.startNanoseconds)
        Output.line("")
        held.forEach(Output.bytes)
        CaptureInput.show(analyzer, of: file)
      }
    } catch is TooManyFindings { return false }
    return true
  }

  private func table(_ fields: FieldTable) throws {
    if !json { Output.line(fields.header) }
    try decode(input(), LineSink()) { sink in
      if json {
        for row in sink.take().compactMap(fields.object) { Output.tryJSON(row) }
      } else {
        Output.text(sink.take().compactMap(fields.row).map { $0 + "\n" }.joined())
      }
    }
  }

  /// Prints the summary, and with `--stats` counts and times.
  private func summarize(_ input: CaptureInput, _ secrets: SessionSecrets? = nil, isFirst: Bool = false) throws {
    let timing = stats ? TimingStatistics(gapLimit: gap ?? 1) : nil
    let reportsFindings = wanted.filter != nil
    try decode(input, SummarySink(timing: timing), secrets, isFirst: isFirst, reportsFindings: reportsFindings) { _ in
    } end: { analyzer in
      let sink = analyzer.sink.base
      if !stats || summary { Self.show(sink.summary, analyzer.counts, analyzer.flowKeys, analyzer.startNanoseconds) }
      guard stats else { return }
      for line in SummaryText.statistics(sink.summary, sink.timing) { Output.line(line) }
      guard !summary else { return }
      for line in SessionSummaryText.lines(sink.summary.sessions) { Output.line(line) }
    }
  }

  private static func show(
    _ summary: CaptureSummary, _ counts: CaptureCounts, _ keys: [FlowKey], _ start: Int64?
  ) {
    for line in SummaryText.lines(summary, counts, keys, startNanoseconds: start) { Output.line(line) }
    for line in SessionSummaryText.lines(summary.sessions) { Output.line(line) }
  }

  /// - Parameters:
  ///   - secrets: The secrets of the key logs, if they were read before; nil to read them.
  ///   - isFirst: Whether the notices are printed later, and streams are extracted later.
  ///   - reportsFindings: Whether the findings of CarPlay sessions are of use.
  ///   - show: prints the findings since its last call.
  ///   - end: called at the end if the capture has findings.
  private func decode<Sink: DecodedSink>(
    _ input: CaptureInput, _ sink: Sink, _ secrets: SessionSecrets? = nil, isFirst: Bool = false,
    reportsFindings: Bool = true, _ show: (inout Sink) throws -> Void,
    end: (CaptureAnalyzer<FilterSink<Sink>>) -> Void = { _ in }
  ) throws {
    let streams = isFirst ? nil : try extract.map { try ExtractedStreams($0) }
    let copy = isFirst ? nil : try decrypted.map { try DecryptedFile($0, inputs: [file] + source.sessions.keyLogs) }
    defer { copy?.discard() }
    let secrets = try secrets ?? source.sessions.secrets()
    let options = try source.options(
      secrets: secrets, extract: streams?.extraction, copy: copy?.output, capture: file,
      explains: !json && fields == nil,
      reportsFindings: reportsFindings)
    var analyzer = CaptureAnalyzer(options: options, sink: FilterSink(sink, filter: wanted.filter))
    while let bytes = try input.next() {
      analyzer.append(bytes)
      try show(&analyzer.sink.base)
    }
    analyzer.finish()
    try show(&analyzer.sink.base)
    try streams?.finish(hasKeys: secrets.count > 0)
    if !isFirst || !analyzer.sink.hasDecoded { CaptureInput.show(analyzer, of: file, isRead: analyzer.sink.hasDecoded) }
    guard analyzer.sink.hasDecoded else {
      throw CommandFailure(.badInput, CaptureInput.nothing(in: file, analyzer))
    }
    if wanted.filter != nil, !analyzer.sink.hasMatched { Output.note("no finding matches the filter") }
    end(analyzer)
    try copy?.finish()
  }
}
