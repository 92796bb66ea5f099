// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Capture

struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a capture's link bytes in another format.",
    discussion: """
      Reads whatever `iap2 decode` reads, and keeps the bytes of iAP2 with who sent them and when. What else a capture \
      holds is left out, but for comments and for blocks of a pcapng that another can hold.

      Examples:
        iap2 convert bluetooth.btsnoop session.pcapng
        iap2 convert usb.pcapng session.txt
        iap2 convert - --to btsnoop out.log < captures/synthetic/worked-session.txt
      """)

  @Argument(help: "The capture, or - for standard input.")
  var input: String

  @Argument(help: "The file to write, or - for standard output.")
  var output: String

  @Option(
    help: ArgumentHelp("pcapng, btsnoop or text (default: by the output's ending).", valueName: "format"),
    transform: { text in
      guard let format = CaptureWriter.Format(rawValue: text) else {
        throw ValidationError("a format is pcapng, btsnoop or text, not \(text)")
      }
      return format
    })
  var to: CaptureWriter.Format?

  @OptionGroup var source: CaptureOptions

  func run() throws {
    guard let format = to ?? CaptureWriter.Format(path: output) else {
      throw ValidationError("which format? end the output's name in .pcapng, .btsnoop or .txt, or give --to")
    }
    var analyzer = CaptureAnalyzer(options: try source.options, sink: ConvertSink(CaptureWriter(format)))
    let from = try CaptureInput(input)
    let target = output == "-" ? FileHandle.standardOutput : try OutputFile.open(output)
    if output != "-" { OutputFile.empty(target) }
    try Self.write(analyzer.sink.takeBytes(), to: target, output)
    while let bytes = try from.next() {
      analyzer.append(bytes)
      try Self.write(analyzer.sink.takeBytes(), to: target, output)
    }
    analyzer.finish()
    try Self.write(analyzer.sink.takeBytes(), to: target, output)
    for message in analyzer.sink.problems { Output.note(message) }
    if analyzer.sink.leftOut > 0 {
      Output.note("left out: \(analyzer.sink.leftOut) control messages of a log above the link layer")
    }
    if analyzer.sink.blocksLeftOut > 0 {
      Output.note("left out: \(analyzer.sink.blocksLeftOut) blocks that are no packets")
    }
    guard analyzer.sink.hasFound else {
      throw CommandFailure(.badInput, CaptureInput.nothing(in: input, analyzer.counts))
    }
  }

  private static func write(_ bytes: [UInt8], to file: FileHandle, _ path: String) throws {
    do { try file.write(contentsOf: Data(bytes)) } catch {
      throw CommandFailure(.failed, "cannot write \(path): \(InputFile.reason(error))")
    }
  }
}

/// The link bytes of a capture as records of another.
private struct ConvertSink: DecodedSink {
  private var writer: CaptureWriter
  private var bytes: [UInt8]
  /// Something that only iAP2 has.
  private(set) var hasFound = false
  /// Parts of the file that this format cannot hold.
  private(set) var blocksLeftOut = 0
  /// Of the piece that comes next.
  private var comment: String?
  /// Messages that have no link packet.
  private(set) var leftOut = 0
  private(set) var problems: [String] = []

  /// Problems told one by one.
  private static let maximumProblems = 20

  init(_ writer: CaptureWriter) {
    self.writer = writer
    bytes = writer.header
  }

  mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  mutating func piece(_ piece: RawSpan, isMessage: Bool, at place: DecodedPlace) {
    guard !isMessage else {
      leftOut += 1
      return
    }
    bytes += writer.record(
      CaptureWriter.Record(
        nanoseconds: place.nanoseconds, from: place.from, connection: UInt16(clamping: place.flow),
        bytes: unsafe piece.withUnsafeBytes { unsafe Array($0) }, comment: comment))
    comment = nil
  }

  mutating func comment(_ text: String, at place: DecodedPlace) { comment = text }

  mutating func block(_ block: CaptureBlock, _ body: RawSpan) {
    let copy = writer.block(block, body)
    if copy.isEmpty { blocksLeftOut += 1 }
    bytes += copy
  }

  mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    error(message, offset: offset, at: place)
  }

  mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    guard problems.count < Self.maximumProblems else { return }
    problems.append("record \(place.record): \(message) (byte \(offset))")
  }

  mutating func detect(at place: DecodedPlace) { hasFound = true }
  mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) { hasFound = true }
  mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {}
  mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {}
  mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {}
  mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {}
}
