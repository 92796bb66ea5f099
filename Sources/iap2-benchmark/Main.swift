// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation

/// Measures the library on this machine, each figure beside the limit measured in the same run.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iap2-benchmark", abstract: "Measure the library on this machine.",
    discussion: "Run it from a release build: swift run -c release iap2-benchmark")

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case link, messages, memory, externalAccessory, handshake, tcp
    /// Only moves packets, for tools/count-allocations.
    case packets
  }

  @Argument(help: "What to measure; everything without one.")
  var parts: [Part] = []

  @Option(help: "Seconds for each figure.")
  var seconds = 0.5

  @Option(help: "With packets: how many to move.")
  var count = 10_000

  func run() async throws {
    unsafe Measure.seconds = seconds
    for part in parts.isEmpty ? Part.allCases.filter({ $0 != .packets }) : parts {
      print("== \(part.rawValue)")
      switch part {
      case .link: for figure in LinkBenchmarks.run() { print(figure.line) }
      case .messages: for figure in MessageBenchmarks.run() { print(figure.line) }
      case .externalAccessory: for figure in ExternalAccessoryBenchmarks.run() { print(figure.line) }
      case .packets:
        ExternalAccessoryBenchmarks.move(packets: count)
        print("\(count) packets moved from one endpoint to the other")
      case .memory:
        print(
          String(format: "idle core endpoint, 10 000 pairs: %.0f bytes each", SessionBenchmarks.idle(pairs: 10_000)))
      case .handshake:
        print(
          String(format: "detect to identified, both roles: %.3f ms of CPU", try SessionBenchmarks.handshake() * 1000))
      case .tcp:
        let count = 512 << 20
        let raw = try await SessionBenchmarks.rawTCP(byteCount: count)
        print(Figure(name: "raw TCP, same transports", rate: raw, unit: "B").line)
        for (window, length) in [(UInt8(32), UInt16(4096)), (127, 65_535)] {
          let rate = try await SessionBenchmarks.tcp(byteCount: count, window: window, length: length)
          print(
            Figure(
              name: "EA over TCP, \(window) x \(length)", rate: rate, unit: "B", ratio: rate / raw, limit: "raw TCP"
            ).line)
        }
      }
    }
  }
}
