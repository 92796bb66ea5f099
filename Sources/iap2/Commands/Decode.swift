// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Capture

struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Explain captured bytes.",
    discussion: """
      Reads pcap and pcapng (USB, Bluetooth, TCP), btsnoop, PacketLogger, hexadecimal dumps, and the project's text form: \
      one record a line, an optional time in seconds, A>D (accessory to device) or D>A, and the bytes in hexadecimal. The \
      content tells which it is, where iAP2 is in it, and which side is the accessory. With --from, the file is raw bytes \
      of one side. What a file has in it comes first, what a pipe had last.

      Examples:
        iap2 decode captures/real/boya-mini2.txt
        iap2 decode --summary bluetooth.btsnoop
        iap2 decode --stats --gap 0.2 usb.pcapng
        printf 'A>D ff550200ee10' | iap2 decode - --json
        iap2 decode --from accessory dump.bin
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Flag(help: "One JSON object a line.")
  var json = false

  @OptionGroup var source: CaptureOptions

  @Flag(help: "Only what the capture has in it: connections, link, identification, damage.")
  var summary = false

  @Flag(help: "Only counts and times: messages, acknowledgements, answers, silence.")
  var stats = false

  @Option(help: "With --stats: seconds of silence that are told.")
  var gap = 1.0

  func validate() throws {
    guard !json || !summary && !stats else { throw ValidationError("--summary and --stats are for people, not --json") }
    guard gap > 0, gap < 1e9 else { throw ValidationError("--gap takes seconds above 0") }
  }

  func run() throws {
    if json {
      return try decode(try CaptureInput(file), JSONSink()) { sink in
        Output.bytes(sink.takeBytes())
        return sink.hasDecoded
      }
    }
    if summary || stats { return try summarize(try CaptureInput(file)) }
    let input = try CaptureInput(file)
    // What cannot be read twice is summed up at its end.
    let isFile = input.isRegular
    if isFile {
      try summarize(try CaptureInput(file))
      Output.line("")
    }
    var hasDecoded = false
    try decode(input, BothSinks(LineSink(), SummarySink())) { sink in
      for line in sink.first.take() {
        if case .error = line.content {} else { hasDecoded = true }
        DecodedText.lines(line).forEach(Output.line)
      }
      return hasDecoded
    } end: { analyzer in
      guard !isFile else { return }
      Output.line("")
      Self.show(analyzer.sink.second.summary, analyzer.counts, analyzer.flowKeys, analyzer.startNanoseconds)
    }
  }

  /// What the capture has in it, and with --stats its counts and times.
  private func summarize(_ input: CaptureInput) throws {
    let timing = stats ? TimingStatistics(gapLimit: gap) : nil
    try decode(input, SummarySink(timing: timing)) { sink in
      sink.summary.connections.contains { $0.firstRecord > 0 }
    } end: { analyzer in
      if !stats || summary {
        Self.show(analyzer.sink.summary, analyzer.counts, analyzer.flowKeys, analyzer.startNanoseconds)
      }
      if stats {
        for line in SummaryText.statistics(analyzer.sink.summary, analyzer.sink.timing) { Output.line(line) }
      }
    }
  }

  private static func show(
    _ summary: CaptureSummary, _ counts: CaptureCounts, _ keys: [FlowKey], _ start: Int64?
  ) {
    for line in SummaryText.lines(summary, counts, keys, startNanoseconds: start) { Output.line(line) }
  }

  /// - Parameter show: what was found since the last time; false while there is nothing but damage.
  private func decode<Sink: DecodedSink>(
    _ input: CaptureInput, _ sink: Sink, _ show: (inout Sink) -> Bool,
    end: (CaptureAnalyzer<Sink>) -> Void = { _ in }
  ) throws {
    var analyzer = CaptureAnalyzer(options: source.options, sink: sink)
    while let bytes = try input.next() {
      analyzer.append(bytes)
      _ = show(&analyzer.sink)
    }
    analyzer.finish()
    guard show(&analyzer.sink) else {
      throw CommandFailure(.badInput, CaptureInput.nothing(in: file, analyzer.counts))
    }
    end(analyzer)
  }
}
