// swift-iap2 · Apache-2.0

package import ArgumentParser
import CommandSupport
import Foundation

/// The options for reports of a run.
package struct ReportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the run as one HTML page: its steps, what failed and why, pictures and messages.", valueName: "file"),
    completion: .file())
  package var report: String?

  @Option(
    help: ArgumentHelp(
      "With --report: show the differences from the run of an earlier report, times aside.", valueName: "file"),
    completion: .file())
  package var base: String?

  @Option(help: ArgumentHelp("Write a JUnit XML report for build servers.", valueName: "file"), completion: .file())
  package var junit: String?

  package init() {}

  /// Whether a report is asked for.
  package var areGiven: Bool { report != nil || junit != nil }

  package func validate() throws {
    if base != nil, report == nil { throw ValidationError("--base needs --report, in which the differences stand") }
    if report != nil, report == junit { throw ValidationError("--report and --junit need a file each") }
  }

  /// Opens the files, so that a fault is reported before the run, and reads the base run.
  package func open() throws -> ReportFiles? { areGiven ? try ReportFiles(self) : nil }
}

/// An earlier run, from which a later one may differ.
package struct EarlierRun {
  let name: String
  let run: RunBase

  /// Reads the run of a page.
  package init(_ name: String) throws {
    let bytes = try InputFile.bytes(name, limit: RunBase.maximumByteCount)
    guard let run = RunBase(page: String(decoding: bytes, as: UTF8.self)) else {
      throw CommandFailure(.badInput, "\(name) is no report of a run: give a page that --report wrote")
    }
    (self.name, self.run) = (name, run)
  }
}

/// The open files of a run's reports. A file keeps its content until the report is written.
package final class ReportFiles {
  private let base: EarlierRun?
  private let report, junit: (path: String, file: FileHandle)?
  private var isWritten = false

  fileprivate init(_ options: ReportOptions) throws {
    base = try options.base.map { try EarlierRun($0) }
    report = try options.report.map { ($0, try OutputFile.open($0)) }
    junit = try options.junit.map { ($0, try OutputFile.open($0)) }
  }

  deinit {
    // Without a run there is no report, and a new file of one is removed.
    guard !isWritten else { return }
    for file in [report, junit] { if let file { OutputFile.removeIfEmpty(file.path, file.file) } }
  }

  /// Writes the reports of a run.
  package func write(_ run: RunReport) throws { try write(page: run.html, junit: run.junit) }

  /// Writes reports.
  ///
  /// - Parameters:
  ///   - page: Returns the page, with the differences from an earlier run.
  ///   - junit: The report in JUnit XML.
  package func write(page: (_ base: EarlierRun?) throws -> String, junit text: @autoclosure () -> String) throws {
    isWritten = true
    if let report { try write(try page(base), report) }
    if let junit { try write(text(), junit) }
  }

  private func write(_ text: String, _ file: (path: String, file: FileHandle)) throws {
    OutputFile.empty(file.file)
    do { try file.file.write(contentsOf: Data(text.utf8)) } catch {
      throw CommandFailure(.failed, "cannot write \(file.path): \(InputFile.reason(error))")
    }
  }
}
