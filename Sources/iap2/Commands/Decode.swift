// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Capture

struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Explain captured bytes.",
    discussion: """
      Reads the text form, one record a line: an optional time in seconds, A>D (accessory to device) or D>A, and the \
      bytes in hexadecimal; # starts a comment. With --from, the file is raw bytes of one side.

      Examples:
        iap2 decode captures/real/boya-mini2.txt
        printf 'A>D ff550200ee10' | iap2 decode - --json
        iap2 decode --from accessory dump.bin
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Flag(help: "One JSON object a line.")
  var json = false

  @OptionGroup var source: CaptureOptions

  func run() throws {
    let input = try CaptureInput(file)
    if json {
      try decode(input, JSONSink()) { sink in
        Output.bytes(sink.takeBytes())
        return sink.hasDecoded
      }
    } else {
      var hasDecoded = false
      try decode(input, LineSink()) { sink in
        for line in sink.take() {
          if case .error = line.content {} else { hasDecoded = true }
          DecodedText.lines(line).forEach(Output.line)
        }
        return hasDecoded
      }
    }
  }

  /// - Parameter show: what was found since the last time; false while there is nothing but damage.
  private func decode<Sink: DecodedSink>(
    _ input: CaptureInput, _ sink: Sink, _ show: (inout Sink) -> Bool
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
  }
}
