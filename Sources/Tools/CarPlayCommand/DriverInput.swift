// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2Scenario
import IAP2Transport

/// The driver's actions as lines on the standard input: the steps of a scenario's session.
enum DriverInput {
  /// The longest line in bytes. A step has a hundredth of it.
  private static let maximumByteCount = 64 << 10

  /// Runs the steps of the lines until the input ends. A line that is no step is reported, and the next one counts.
  static func follow(_ run: @escaping @Sendable (CarPlayStep) async -> String?) async {
    let input = StandardTransport()
    var line: [UInt8] = []
    var number = 0
    while let bytes = try? await input.receive() {
      for byte in bytes {
        guard byte == UInt8(ascii: "\n") else {
          if line.count <= maximumByteCount { line.append(byte) }
          continue
        }
        number += 1
        await perform(line, number, run)
        line = []
      }
    }
    if !line.isEmpty { await perform(line, number + 1, run) }
  }

  private static func perform(
    _ line: [UInt8], _ number: Int, _ run: @Sendable (CarPlayStep) async -> String?
  ) async {
    let text = String(decoding: line, as: UTF8.self)
    guard line.count <= maximumByteCount else { return Output.note("line \(number) of the input is too long") }
    guard text.contains(where: { !$0.isWhitespace }), !text.hasPrefix("#") else { return }
    do {
      let step = try CarPlayStep(driverLine: text, source: "line \(number)")
      if let problem = await run(step) { Output.note("line \(number): \(problem)") }
    } catch { Output.note("\(error)") }
  }
}
