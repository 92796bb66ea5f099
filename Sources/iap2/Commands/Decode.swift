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

  @Option(
    help: "The input is raw bytes sent by this side: accessory or device.",
    transform: { text in
      guard let side = Side(rawValue: text) else { throw ValidationError("a side is accessory or device, not \(text)") }
      return side
    })
  var from: Side?

  func run() throws {
    let handle = try open()
    var run = DecodeRun(json: json)
    if let side = from {
      try raw(handle, side, &run)
    } else {
      try text(handle, &run)
    }
    try run.finish()
    guard run.hasDecoded else {
      throw CommandFailure(.badInput, "nothing in \(file) could be decoded")
    }
  }

  private func open() throws -> FileHandle { file == "-" ? .standardInput : try InputFile.open(file) }

  private static let chunkByteCount = 1 << 16

  private func raw(_ handle: FileHandle, _ side: Side, _ run: inout DecodeRun) throws {
    run.number = 1
    while let data = try InputFile.read(handle, upToCount: Self.chunkByteCount, file), !data.isEmpty {
      try run.record(CaptureRecord(number: 1, time: nil, from: side, bytes: Array(data)))
    }
  }

  private func text(_ handle: FileHandle, _ run: inout DecodeRun) throws {
    var rest = Data()
    // Within a line that is too long to be a record.
    var isSkipping = false
    while let data = try InputFile.read(handle, upToCount: Self.chunkByteCount, file), !data.isEmpty {
      rest += data
      while let end = rest.firstIndex(of: 0x0A) {
        if isSkipping { run.pass(rest.prefix(through: end).count) } else { try run.line(rest[..<end], endByteCount: 1) }
        isSkipping = false
        rest = rest[(end + 1)...]
      }
      rest = Data(rest)
      guard isSkipping || rest.count > TextRecords.maximumLineByteCount else { continue }
      if !isSkipping { try run.line(rest, endByteCount: 0) } else { run.pass(rest.count) }
      isSkipping = true
      rest = Data()
    }
    if !rest.isEmpty, !isSkipping { try run.line(rest, endByteCount: 0) }
  }
}

/// One decoding on its way: records in, lines out.
struct DecodeRun {
  let json: Bool
  var number = 0
  private(set) var hasDecoded = false
  private var lineNumber = 0
  /// Bytes of the file before this line.
  private var byteCount = 0
  private var lastProblem: String?
  private var repeated = (count: 0, offset: 0)
  private var lastSide = Side.accessory
  private var lastTime: Double?
  private var decoder = CaptureDecoder()

  init(json: Bool) { self.json = json }

  /// - Parameter endByteCount: bytes of the line's end, which `data` has not.
  mutating func line(_ data: Data, endByteCount: Int) throws {
    lineNumber += 1
    defer { byteCount += data.count + endByteCount }
    do {
      guard data.count <= TextRecords.maximumLineByteCount else {
        throw TextRecords.Problem.lineTooLong(limit: TextRecords.maximumLineByteCount)
      }
      let text = String(decoding: data, as: UTF8.self)
      guard let (time, from, bytes) = try TextRecords.parse(text[...].utf8) else { return }
      try tellRepeated()
      number += 1
      try record(CaptureRecord(number: number, time: time, from: from, bytes: bytes))
    } catch let problem as TextRecords.Problem { try tell(Self.text(problem)) }
  }

  /// Goes on behind bytes that were told of already.
  mutating func pass(_ count: Int) { byteCount += count }

  /// A line that is no record; of many with the same fault one after the other, the first and how many more.
  private mutating func tell(_ problem: String) throws {
    number += 1
    if lastProblem == problem {
      repeated.count += 1
      if repeated.count == 1 { repeated.offset = byteCount }
      return
    }
    try tellRepeated()
    lastProblem = problem
    try error("line \(lineNumber): \(problem)", offset: byteCount)
  }

  private mutating func tellRepeated() throws {
    guard let problem = lastProblem else { return }
    lastProblem = nil
    guard repeated.count > 0 else { return }
    try error(
      "the same in \(repeated.count) more line\(repeated.count == 1 ? "" : "s"): \(problem)", offset: repeated.offset)
    repeated.count = 0
  }

  private mutating func error(_ message: String, offset: Int) throws {
    try show([
      DecodedLine(record: number, time: nil, from: lastSide, content: .error(message: message, offset: offset))
    ])
  }

  mutating func record(_ record: CaptureRecord) throws {
    lastSide = record.from
    lastTime = record.time
    try show(decoder.decode(record))
  }

  mutating func finish() throws {
    try tellRepeated()
    try show(decoder.finish(number: max(1, number), time: lastTime))
  }

  private mutating func show(_ lines: [DecodedLine]) throws {
    for line in lines {
      if case .error = line.content {} else { hasDecoded = true }
      if json { try Output.json(line) } else { DecodedText.lines(line).forEach(Output.line) }
    }
  }

  static func text(_ problem: TextRecords.Problem) -> String {
    switch problem {
    case .missingDirection: "no direction: a record is [seconds] A>D or D>A and hexadecimal bytes"
    case .notATime: "the time is not a number of seconds"
    case .notHexadecimal(let column): "not hexadecimal at column \(column + 1)"
    case .oddDigitCount: "an odd number of hexadecimal digits"
    case .noBytes: "a record without bytes"
    case .lineTooLong(let limit): "longer than \(limit) bytes"
    }
  }
}
