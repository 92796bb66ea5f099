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
    guard run.hasDecoded || run.errorCount == 0 else {
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
    while let data = try InputFile.read(handle, upToCount: Self.chunkByteCount, file), !data.isEmpty {
      rest += data
      while let end = rest.firstIndex(of: 0x0A) {
        try run.line(rest[rest.startIndex..<end])
        rest = rest[(end + 1)...]
      }
      rest = Data(rest)
      if rest.count > TextRecords.maximumLineByteCount {
        throw CommandFailure(.badInput, "\(file) has a line of more than \(TextRecords.maximumLineByteCount) bytes")
      }
    }
    if !rest.isEmpty { try run.line(rest) }
  }
}

/// One decoding on its way: records in, lines out.
struct DecodeRun {
  let json: Bool
  var number = 0
  private(set) var errorCount = 0
  private(set) var hasDecoded = false
  private var lineNumber = 0
  private var lastSide = Side.accessory
  private var lastTime: Double?
  private var decoder = Decoder()

  init(json: Bool) { self.json = json }

  mutating func line(_ data: Data) throws {
    lineNumber += 1
    let text = String(decoding: data, as: UTF8.self)
    do {
      guard let (time, from, bytes) = try TextRecords.parse(text[...].utf8) else { return }
      number += 1
      try record(CaptureRecord(number: number, time: time, from: from, bytes: bytes))
    } catch let problem as TextRecords.Problem {
      number += 1
      try show([
        DecodedLine(
          record: number, time: nil, from: lastSide,
          content: .error(message: "line \(lineNumber): \(Self.text(problem))", offset: 0))
      ])
    }
  }

  mutating func record(_ record: CaptureRecord) throws {
    lastSide = record.from
    lastTime = record.time
    try show(decoder.decode(record))
  }

  mutating func finish() throws { try show(decoder.finish(number: max(1, number), time: lastTime)) }

  private mutating func show(_ lines: [DecodedLine]) throws {
    for line in lines {
      if case .error = line.content { errorCount += 1 } else { hasDecoded = true }
      if json { try Output.json(line) } else { DecodedText.lines(line).forEach(Output.line) }
    }
  }

  private static func text(_ problem: TextRecords.Problem) -> String {
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
