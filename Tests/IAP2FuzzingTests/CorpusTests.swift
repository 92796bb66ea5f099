// swift-iap2 · Apache-2.0

import Foundation
import IAP2Fuzzing
import Testing

/// What the fuzzer is given to begin with, and what it has found, without it.
@Suite struct CorpusTests {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  @Test(arguments: FuzzTarget.allCases) func everyTargetKeepsItsPromisesWithItsSeeds(target: FuzzTarget) throws {
    let seeds = Seeds(captures: try KeptInputs.captures(of: Self.repository)).inputs[target] ?? [:]
    #expect(!seeds.isEmpty)
    for (name, bytes) in seeds {
      do {
        let isOurs = try target.check(bytes)
        #expect(isOurs, "\(name) is not an input of \(target.rawValue)")
      } catch { Issue.record("\(name): \(error)") }
    }
  }

  @Test(arguments: FuzzTarget.allCases) func everyTargetKeepsItsPromisesWithWhatWasFound(target: FuzzTarget) throws {
    for (index, bytes) in try KeptInputs.all(of: target, in: Self.repository).enumerated() {
      do { _ = try target.check(bytes) } catch { Issue.record("input \(index): \(error)") }
    }
  }

  /// Every seed cut short and with one byte changed, the same each time.
  @Test(arguments: FuzzTarget.allCases) func everyTargetKeepsItsPromisesWithDamagedSeeds(target: FuzzTarget) throws {
    let seeds = Seeds(captures: try KeptInputs.captures(of: Self.repository)).inputs[target] ?? [:]
    for (name, bytes) in seeds.sorted(by: { $0.key < $1.key }) where !bytes.isEmpty {
      let place = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % bytes.count
      var changed = bytes
      changed[place] ^= 0x55
      for input in [changed, Array(bytes[..<place])] {
        do { _ = try target.check(input) } catch { Issue.record("\(name), at \(place): \(error)") }
      }
    }
  }
}
