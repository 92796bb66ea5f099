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
    var run = DecodeRun(json: json, analyzer: CaptureAnalyzer(options: source.options, sink: LineSink()))
    let input = try CaptureInput(file)
    while let bytes = try input.next() { try run.add(bytes) }
    try run.finish()
    guard run.hasDecoded else {
      throw CommandFailure(.badInput, CaptureInput.nothing(in: file, run.analyzer.counts))
    }
  }
}

/// One decoding on its way: bytes in, lines out.
struct DecodeRun {
  let json: Bool
  var analyzer: CaptureAnalyzer<LineSink>
  private(set) var hasDecoded = false

  init(json: Bool, analyzer: CaptureAnalyzer<LineSink>) {
    self.json = json
    self.analyzer = analyzer
  }

  mutating func add(_ bytes: [UInt8]) throws {
    analyzer.append(bytes)
    try show()
  }

  mutating func finish() throws {
    analyzer.finish()
    try show()
  }

  private mutating func show() throws {
    for line in analyzer.sink.take() {
      if case .error = line.content {} else { hasDecoded = true }
      if json { try Output.json(line) } else { DecodedText.lines(line).forEach(Output.line) }
    }
  }
}
