// swift-iap2 · Apache-2.0

import Foundation
import IAP2Fuzzing
import Testing

/// Runs the targets with their seeds and stored inputs, without the fuzzer. The tests are serial and yield often,
/// because other tests wait for processes at the same time.
@Suite(.serialized) struct CorpusTests {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
  private static let seeds = Result { Seeds(captures: try KeptInputs.captures(of: repository)).inputs }

  @Test(arguments: FuzzTarget.allCases) func everyTargetHoldsItsInvariantsForItsSeeds(target: FuzzTarget) async throws {
    let seeds = try Self.seeds.get()[target] ?? [:]
    #expect(!seeds.isEmpty)
    for (name, bytes) in seeds {
      await Task.yield()
      do {
        let isOurs = try target.check(bytes)
        #expect(isOurs, "\(name) is not an input of \(target.rawValue)")
      } catch { Issue.record("\(name): \(error)") }
    }
  }

  @Test(arguments: FuzzTarget.allCases) func everyTargetHoldsItsInvariantsForEarlierFindings(target: FuzzTarget)
    async throws
  {
    let inputs = try KeptInputs.all(of: target, in: Self.repository)
    #expect(inputs.count >= 10, "\(inputs.count) stored inputs")
    var examined = 0
    for (index, bytes) in inputs.enumerated() {
      await Task.yield()
      do { if try target.check(bytes) { examined += 1 } } catch { Issue.record("input \(index): \(error)") }
    }
    // The target examines its own inputs, and skips those of another one.
    #expect(examined > inputs.count / 2, "\(examined) of \(inputs.count) inputs were examined")
  }

  /// No byte, each single byte, and each of them behind a zero.
  @Test(arguments: FuzzTarget.allCases) func everyTargetHoldsItsInvariantsForTheShortestInputs(
    target: FuzzTarget
  ) async {
    let inputs: [[UInt8]] = [[]] + (0...255).flatMap { [[$0], [0, $0]] }
    for input in inputs {
      await Task.yield()
      do { _ = try target.check(input) } catch { Issue.record("\(input): \(error)") }
    }
  }

  /// Every third seed with one changed byte; half of them are cut after it. The changes are the same in every run.
  @Test(arguments: FuzzTarget.allCases) func everyTargetHoldsItsInvariantsForDamagedSeeds(
    target: FuzzTarget
  ) async throws {
    let seeds = try Self.seeds.get()[target] ?? [:]
    let some = seeds.sorted { $0.key < $1.key }.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
    #expect(some.contains { !$0.value.isEmpty })
    for (name, bytes) in some where !bytes.isEmpty {
      await Task.yield()
      let hash = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
      let place = hash % bytes.count
      var input = hash & 1 == 0 ? bytes : Array(bytes[...place])
      input[place] ^= 0x55
      do { _ = try target.check(input) } catch { Issue.record("\(name), at \(place): \(error)") }
    }
  }
}
