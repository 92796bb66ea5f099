// swift-iap2 · Apache-2.0

import Foundation

/// The subcommands that work without a fuzzer, for tools/fuzz/run and for analyzing a finding.
enum Command {
  private enum Failure: Error { case usage }

  private static let usage = """
    usage: iap2-fuzz list
           iap2-fuzz limit TARGET            the longest input, in bytes
           iap2-fuzz check TARGET FILE…      runs inputs; exit code 1 if one violates an invariant
           iap2-fuzz seed REPOSITORY FOLDER  writes the seeds of each target into FOLDER/TARGET/
    """

  /// - Returns: nil if the arguments name no subcommand.
  static func run(_ arguments: [String]) -> CInt? {
    guard ["list", "limit", "check", "seed", "--help"].contains(arguments.first) else { return nil }
    do {
      switch (arguments.first, arguments.count) {
      case ("list", 1): for target in Target.all { print(target.name) }
      case ("limit", 2): print(try target(arguments[1]).maximumByteCount)
      case ("check", 3...): return try check(arguments[1], arguments.dropFirst(2))
      case ("seed", 3): try SeedFiles.write(from: arguments[1], to: arguments[2])
      case ("--help", 1): print(usage)
      default: throw Failure.usage
      }
      return 0
    } catch Failure.usage {
      return refuse()
    } catch {
      say("iap2-fuzz: \(error)")
      return 66
    }
  }

  static func refuse() -> CInt {
    say(usage)
    return 64
  }

  private static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  private static func target(_ name: String) throws -> Target {
    guard let target = Target.named(name) else { throw Failure.usage }
    return target
  }

  private static func check(_ name: String, _ files: ArraySlice<String>) throws -> CInt {
    let target = try target(name)
    var status: CInt = 0
    for file in files {
      let bytes = Array(try Data(contentsOf: URL(filePath: file)))
      do {
        let isOurs = try target.check(bytes)
        print("\(file): \(isOurs ? "kept" : "not an input of \(name)")")
      } catch {
        print("\(file): \(error)")
        status = 1
      }
    }
    return status
  }
}
