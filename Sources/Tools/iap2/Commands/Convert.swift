// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation
import IAP2Capture

struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a capture's link bytes in another format.",
    discussion: """
      Reads every format of `iap2 decode`. Keeps the bytes of iAP2 with their sender and time, comments, and the \
      blocks of a pcapng that another pcapng can hold. Everything else in the capture is left out.

      Examples:
        iap2 convert bluetooth.btsnoop session.pcapng
        iap2 convert usb.pcapng session.txt --connection 2
        iap2 convert - --to btsnoop out.log < captures/synthetic/worked-session.txt
      """)

  @Argument(help: "The capture, or - for standard input.", completion: .file())
  var input: String

  @Argument(help: "The file to write, or - for standard output.", completion: .file())
  var output: String

  @Option(
    help: ArgumentHelp("pcapng, btsnoop or text (default: by the output's extension).", valueName: "format"),
    transform: { text in
      guard let format = CaptureWriter.Format(rawValue: text) else {
        throw ValidationError("a format is pcapng, btsnoop or text, not \(text)")
      }
      return format
    })
  var to: CaptureWriter.Format?

  @Option(help: "Convert only this connection of the capture, counted from 1.") var connection: Int?

  @OptionGroup var source: CaptureOptions

  func validate() throws {
    guard connection.map({ $0 >= 1 }) ?? true else { throw ValidationError("--connection takes a number from 1") }
  }

  func run() throws {
    guard let format = to ?? CaptureWriter.Format(path: output) else {
      throw ValidationError("the output's format is unknown: end its name in .pcapng, .btsnoop or .txt, or give --to")
    }
    guard !OutputFile.isSame(input, output) else {
      throw CommandFailure(.usage, "\(output) is the capture itself: name another output file")
    }
    let sink = ConversionSink(CaptureWriter(format), connection: connection.map { $0 - 1 })
    var analyzer = CaptureAnalyzer(options: try source.options, sink: sink)
    let from = try CaptureInput(input)
    let target = output == "-" ? FileHandle.standardOutput : try OutputFile.open(output)
    var isStarted = false
    func store() throws {
      // An existing output stays unchanged until the first result.
      guard analyzer.sink.hasFound else { return }
      if !isStarted, output != "-" { OutputFile.empty(target) }
      isStarted = true
      guard !analyzer.sink.hasSeveral else {
        throw CommandFailure(
          .badInput, "\(input) has several connections, and the text format holds one: choose with --connection")
      }
      try Self.write(analyzer.sink.takeBytes(), to: target, output)
    }
    while let bytes = try from.next() {
      analyzer.append(bytes)
      try store()
    }
    analyzer.finish()
    try store()
    CaptureInput.show(analyzer, of: input)
    for message in analyzer.sink.problems { Output.note(message) }
    if analyzer.sink.leftOut > 0 {
      Output.note("left out: \(analyzer.sink.leftOut) control messages of a log without link packets")
    }
    if analyzer.sink.blocksLeftOut > 0 {
      Output.note("left out: \(analyzer.sink.blocksLeftOut) blocks that are not packets")
    }
    guard analyzer.sink.hasFound else {
      let count = analyzer.flowKeys.count
      if let connection, connection > count, count > 0 {
        throw CommandFailure(
          .badInput, "\(input) has \(count) connection\(count == 1 ? "" : "s"), but no connection \(connection)")
      }
      throw CommandFailure(.badInput, CaptureInput.nothing(in: input, analyzer))
    }
  }

  private static func write(_ bytes: [UInt8], to file: FileHandle, _ path: String) throws {
    do { try file.write(contentsOf: Data(bytes)) } catch {
      throw CommandFailure(.failed, "cannot write \(path): \(InputFile.reason(error))")
    }
  }
}
