// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation
import PortCommand
import SourcePorting

struct Port: ParsableCommand {
  static let configuration = PortArguments.configuration("port", examples: "iap2 port")

  @OptionGroup var arguments: PortArguments

  func run() throws {
    let report: PortReport
    do throws(PortRun.Failure) { report = try arguments.run() } catch {
      throw CommandFailure(ExitStatus(rawValue: error.exitCode) ?? .failed, error.text)
    }
    for source in report.unreadable { Output.note(source.text) }
    if arguments.json { try Output.json(report) } else { for line in report.lines { Output.line(line) } }
    if report.exitCode != 0 { throw ExitCode(report.exitCode) }
  }
}
