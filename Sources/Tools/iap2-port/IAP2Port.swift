// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import PortCommand
import SourcePorting

/// The command `iap2 port` as a program of its own, which builds without the rest of the package.
@main
struct IAP2Port: ParsableCommand {
  static let configuration = PortArguments.configuration("iap2-port", examples: "iap2-port")

  @OptionGroup var arguments: PortArguments

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let report: PortReport
    do throws(PortRun.Failure) { report = try arguments.run() } catch {
      try print("iap2-port: \(error.text)", to: .standardError)
      throw ExitCode(error.exitCode)
    }
    for source in report.unreadable { try print("iap2-port: \(source.text)", to: .standardError) }
    if arguments.json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      try print(String(decoding: encoder.encode(report), as: UTF8.self), to: .standardOutput)
    } else {
      try print(report.lines.joined(separator: "\n"), to: .standardOutput)
    }
    if report.exitCode != 0 { throw ExitCode(report.exitCode) }
  }

  /// Prints lines. A reader that has closed its pipe, such as `head`, does not change the exit code.
  private func print(_ text: String, to file: FileHandle) throws {
    do { try file.write(contentsOf: Data((text + "\n").utf8)) } catch {
      guard errno == EPIPE else { throw error }
    }
  }
}
