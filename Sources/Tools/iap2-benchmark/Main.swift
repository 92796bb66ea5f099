// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2Runtime
import IAP2Transport

/// A command that measures the library on this machine. Each figure is printed with the machine's limit in the same
/// run.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iap2-benchmark", abstract: "Measure the library on this machine.",
    discussion: "tools/bench/benchmark builds it for release and runs it.")

  enum Part: String, ExpressibleByArgument, CaseIterable {
    /// Memory comes first: it measures resident bytes, and pages that other benchmarks freed would hide the growth.
    case memory
    /// Idle connections. It runs alone, because pages that the part before has freed would hide memory.
    case connections
    /// The same over Unix sockets. Each pair has two descriptors.
    case socketConnections
    case link, messages, externalAccessory, handshake, tcp, apps, capture
    /// Pictures and sound of a CarPlay session.
    case streams
    /// Pair-setup and pair-verify of CarPlay sessions.
    case pairing
    /// The delays of the codecs of sound in real time, which take 40 s and ffmpeg.
    case sound
    /// Each message of the catalog by itself, which takes more than a minute.
    case catalog
    /// Cycles of connecting, using and disconnecting with the same two roles, which take minutes.
    case soak
    /// Only moves packets, for tools/bench/count-allocations.
    case packets
    /// Only writes the capture that is decoded to standard output, for tools/bench/compare-tshark.
    case captureFile
  }

  @Argument(help: "The benchmark to run (default: all except connections, socketConnections, sound, catalog and soak).")
  var parts: [Part] = []

  @Option(help: "Seconds for each figure.")
  var seconds = 0.5

  @Option(help: "With connections, packets, captureFile and soak: the number of pairs, packets or cycles.")
  var count = 10_000

  func run() async throws {
    unsafe Measure.seconds = seconds
    if parts == [.captureFile] {
      return try FileHandle.standardOutput.write(contentsOf: Data(CaptureBenchmarks.file(packets: count)))
    }
    let tools: Set<Part> = [.connections, .socketConnections, .packets, .sound, .catalog, .captureFile, .soak]
    for part in Part.allCases where parts.isEmpty ? !tools.contains(part) : parts.contains(part) {
      print("== \(part.rawValue)")
      switch part {
      case .link: for figure in LinkBenchmarks.run() { print(figure.line) }
      case .capture:
        for figure in CaptureBenchmarks.run() { print(figure.line) }
      case .messages: for figure in MessageBenchmarks.run() { print(figure.line) }
      case .catalog: for figure in MessageBenchmarks.catalog() { print(figure.line) }
      case .externalAccessory: for figure in ExternalAccessoryBenchmarks.run() { print(figure.line) }
      case .packets:
        ExternalAccessoryBenchmarks.move(packets: count)
        print("\(count) packets moved from one endpoint to the other")
      case .apps: try await AppBenchmarks.run()
      case .streams: try StreamBenchmarks.run()
      case .pairing: for figure in PairingBenchmarks.run() { print(figure.line) }
      case .sound: try SoundBenchmarks.run()
      case .soak: print(try SessionBenchmarks.soak(cycles: count))
      case .captureFile: print("captureFile writes a file to standard output, so it runs alone")
      case .memory:
        print(
          String(format: "idle core endpoint, 10 000 pairs: %.0f bytes each", SessionBenchmarks.idle(pairs: 10_000)))
      case .connections:
        let byteCount = try await SessionBenchmarks.idleConnections(pairs: count) { MemoryTransport.pair() }
        print(String(format: "idle connection with its runtime, %d pairs: %.0f bytes a side", count, byteCount))
      case .socketConnections:
        let byteCount = try await SessionBenchmarks.idleSockets(pairs: count)
        print(String(format: "idle connection over a Unix socket, %d pairs: %.0f bytes a side", count, byteCount))
      case .handshake:
        print(
          String(format: "detect to identified, both roles: %.3f ms of CPU", try SessionBenchmarks.handshake() * 1000))
      case .tcp:
        let count = 1 << 30
        let plain = try TCPBenchmarks.plain(byteCount: 4 * count)
        print(Figure(name: "plain sockets, one way", rate: plain, unit: "B").line)
        let stopping = try TCPBenchmarks.plain(byteCount: count, window: 32 * 4096)
        print(
          Figure(
            name: "the same, an answer every 128 KiB", rate: stopping, unit: "B", ratio: stopping / plain,
            limit: "plain sockets"
          ).line)
        let raw = try await TCPBenchmarks.transport(byteCount: count)
        print(
          Figure(name: "our transports alone", rate: raw, unit: "B", ratio: raw / plain, limit: "plain sockets").line)
        for (window, length) in [(UInt8(32), UInt16(4096)), (127, 65_535)] {
          for work in [TCPBenchmarks.Work.oneWay, .echo] {
            let rate = try await TCPBenchmarks.session(work, byteCount: count, window: window, length: length)
            let name = "EA 1 GiB \(work == .echo ? "echoed" : "one way"), \(window) x \(length)"
            print(Figure(name: name, rate: rate, unit: "B", ratio: rate / plain, limit: "plain sockets").line)
          }
        }
      }
    }
  }
}
