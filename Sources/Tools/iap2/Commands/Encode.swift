// swift-iap2 · Apache-2.0

import ArgumentParser
import Basics
import CommandSupport
import Foundation
import IAP2Capture

struct Encode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make messages from JSON.",
    discussion: """
      Reads one JSON object a line, as `iap2 decode --json` prints them, and prints the bytes of each message as \
      hexadecimal. In JSON written by hand, messages and parameters may have an id or a name, and enumerations a name. \
      An unknown key or a value that does not fit is an error. A number may be written as text only for 64-bit types. \
      Lines of the link layer and of errors are skipped.

      Examples:
        iap2 decode captures/synthetic/worked-session.txt --json | iap2 encode -
        echo '{"name":"PowerUpdate","parameters":[{"name":"BatteryChargeLevel","value":80}]}' | iap2 encode -
        echo '{"id":"0x4154","parameters":[{"id":2,"type":"void","value":true}]}' | iap2 encode -
      """)

  @Argument(help: "The file, or - for standard input.", completion: .file())
  var file: String

  func run() throws {
    let handle = file == "-" ? FileHandle.standardInput : try InputFile.open(file)
    // Lines are read whole: the longest message is 65 535 bytes, as JSON a few hundred thousand.
    var rest = Data()
    var number = 0
    while let data = try InputFile.read(handle, upToCount: 1 << 16, file), !data.isEmpty {
      rest += data
      while let end = rest.firstIndex(of: 0x0A) {
        number += 1
        try line(rest[..<end], number)
        rest = Data(rest[(end + 1)...])
      }
      guard rest.count <= TextRecords.maximumLineByteCount else {
        throw CommandFailure(.badInput, "\(file): line \(number + 1) is longer than any message")
      }
    }
    if !rest.isEmpty { try line(rest, number + 1) }
  }

  private func line(_ data: Data, _ number: Int) throws {
    guard data.contains(where: { $0 > 0x20 }) else { return }
    do {
      let value = try JSONDecoder().decode(JSONValue.self, from: data)
      if let bytes = try JSONMessage.bytes(value) { Output.line(Hex.text(bytes)) }
    } catch let problem as JSONMessage.Problem {
      throw CommandFailure(.badInput, "\(file): line \(number): \(problem.text)")
    } catch is DecodingError {
      throw CommandFailure(.badInput, "\(file): line \(number) is not a JSON object")
    }
  }
}
