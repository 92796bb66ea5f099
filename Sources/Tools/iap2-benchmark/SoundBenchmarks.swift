// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySound
import Foundation
import Synchronization

/// The delays of the codecs of sound at the pace of a stream.
enum SoundBenchmarks {
  /// The number of measured packets: four seconds of OPUS.
  private static let count = 200

  static func run() throws {
    for format in AudioFormat.all where SoundProgram.codecs.contains(format.codec) {
      let frameCount = SoundEncoder.framesPerPacket(of: format)
      let part = [UInt8](repeating: 1, count: frameCount * format.channels * 2)
      let pause = Double(frameCount) / Double(format.rate)
      let packets = Mutex<[[UInt8]]>([])
      let encoding = Delays(ready: { $0 }, pause: pause)
      let encoder = try SoundEncoder(
        format,
        onPacket: { packet in
          packets.withLock { $0.append(packet) }
          encoding.came()
        }, onEnd: encoding.end)
      for _ in 0..<count { try encoding.put { try encoder.write(part) } }
      encoder.finish()
      encoding.wait()
      let decoding = Delays(ready: { ($0 + part.count / 10) / part.count }, pause: pause)
      let decoder = try SoundDecoder(format, onSound: { decoding.came($0.count) }, onEnd: decoding.end)
      for packet in packets.withLock({ $0 }).prefix(count) { try decoding.put { try decoder.write(packet) } }
      decoder.finish()
      decoding.wait()
      print("\(format)".padding(toLength: 20, withPad: " ", startingAt: 0), terminator: "")
      print("  samples to packet \(encoding.line)  packet to samples \(decoding.line)")
    }
  }
}

/// The delays between parts that a codec gets and those that it gives.
private final class Delays: Sendable {
  private struct State {
    var given: [ContinuousClock.Instant] = []
    var delays: [Duration] = []
    var amount = 0
  }

  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)
  private let ready: @Sendable (Int) -> Int
  private let pause: Double

  /// - Parameters:
  ///   - ready: Returns the number of parts that are complete with an amount of output.
  ///   - pause: The seconds between two parts.
  init(ready: @escaping @Sendable (Int) -> Int, pause: Double) { (self.ready, self.pause) = (ready, pause) }

  func put(_ body: () throws -> Void) rethrows {
    Thread.sleep(forTimeInterval: pause)
    state.withLock { $0.given.append(.now) }
    try body()
  }

  func came(_ amount: Int = 1) {
    state.withLock { state in
      state.amount += amount
      while state.delays.count < min(ready(state.amount), state.given.count) {
        state.delays.append(state.given[state.delays.count].duration(to: .now))
      }
    }
  }

  func end(_ problem: SoundProblem?) {
    if let problem { print(problem.words) }
    ended.signal()
  }

  func wait() { ended.wait() }

  /// The delays in milliseconds: that of the first part, in which the program starts, and those behind it.
  var line: String {
    let delays = state.withLock { $0.delays }.map { $0 / .milliseconds(1) }
    guard let first = delays.first, delays.count > 50 else { return "no delays" }
    // The program has started and worked off what came meanwhile.
    let later = delays.dropFirst(20).dropLast(5).sorted()
    return String(format: "%.0f ms, worst %.0f, first %.0f", later[later.count / 2], later[later.count - 1], first)
  }
}
