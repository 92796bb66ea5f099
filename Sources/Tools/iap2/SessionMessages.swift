// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture

/// The control messages of a file: a capture of any format, or JSON as `iap2 decode` prints it.
struct SessionMessages {
  struct Message {
    var from: Side
    var id: UInt16
    var bytes: [UInt8]
  }

  private(set) var messages: [Message] = []

  /// The size limit of a file, above that of any session's messages.
  private static let maximumByteCount = 256 << 20

  /// Returns a whole file, or all of standard input.
  static func read(_ path: String) throws -> Data {
    let handle = path == "-" ? FileHandle.standardInput : try InputFile.open(path)
    guard let data = try InputFile.read(handle, upToCount: maximumByteCount + 1, path), !data.isEmpty else {
      throw CommandFailure(.badInput, "\(path) is empty")
    }
    guard data.count <= maximumByteCount else {
      throw CommandFailure(.badInput, "\(path) is larger than \(maximumByteCount >> 20) MiB")
    }
    return data
  }

  init(_ data: Data, _ path: String) throws {
    if data.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      try addJSON(data, path)
    } else {
      try addCapture(data, path)
    }
    guard !messages.isEmpty else { throw CommandFailure(.badInput, "\(path) has no control message") }
  }

  /// The findings about the messages.
  var check: FileCheck {
    messages.reduce(into: FileCheck()) { check, message in check.add(message.from, message.id, message.bytes) }
  }

  private mutating func addJSON(_ data: Data, _ path: String) throws {
    var number = 0
    for line in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      do { try addJSON(line) } catch let problem as JSONMessage.Problem {
        throw CommandFailure(.badInput, "\(path): line \(number): \(problem.text)")
      } catch is DecodingError {
        throw CommandFailure(.badInput, "\(path): line \(number) is not a JSON object")
      }
    }
  }

  private mutating func addJSON(_ line: Data) throws {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    let value = try JSONDecoder().decode(JSONValue.self, from: line)
    guard value["layer"]?.text ?? "control" == "control", let bytes = try JSONMessage.bytes(value) else { return }
    let id = ControlHeader.id(of: bytes)
    // JSON written by hand may omit the sender, which the catalog has.
    let from = value["from"]?.text.flatMap(Side.init) ?? MessageCatalog[id]?.info.sender ?? .accessory
    messages.append(Message(from: from, id: id, bytes: bytes))
  }

  private mutating func addCapture(_ data: Data, _ path: String) throws {
    var analyzer = CaptureAnalyzer(sink: LineSink())
    analyzer.append(Array(data))
    analyzer.finish()
    CaptureInput.show(analyzer, of: path)
    for line in analyzer.sink.take() {
      if case .control(let id, _, _, let bytes) = line.content {
        messages.append(Message(from: line.from, id: id, bytes: bytes))
      } else if case .error(let text, _) = line.content, analyzer.counts.damaged > 0 {
        throw CommandFailure(.badInput, "\(path): \(text)")
      }
    }
  }
}
