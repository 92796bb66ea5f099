// Prints the findings of a capture that match a filter, and where its connections stopped:
//
//     swift run decode-capture ../../captures/failures/authentication-failed.txt control

import Foundation
import IAP2Analysis
import IAP2Capture

@main
struct DecodeCapture {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let path = arguments.first else { return print("usage: decode-capture FILE [FILTER]") }
    let capture = Capture([UInt8](try Data(contentsOf: URL(filePath: path))))
    for line in try lines(of: capture, matching: arguments.dropFirst().first) { print(line) }
  }

  /// Returns a line for each finding and each connection.
  static func lines(of capture: Capture, matching filter: String?) throws -> [String] {
    let found = try filter.map { try capture.lines(matching: $0) } ?? capture.lines()
    let findings = found.map { line in
      if case .control(_, let name, _, _) = line.content {
        "\(line.record) \(line.from.rawValue): \(name ?? "unknown message")"
      } else {
        "\(line.record) \(line.from.rawValue): \(line.layer)"
      }
    }
    return findings + capture.explanations().map { "connection \($0.connection): \($0.text)" }
  }
}
