// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import CarPlayControl

@Suite struct AppProgramTests {
  private func executable(_ path: String, product: String? = nil) -> CarFailure? {
    failure { try AppProgram.executable(path, product: product, stop: StopRequest()) { _ in } }
  }

  @Test("An executable is taken as it is")
  func executable() throws {
    #expect(try AppProgram.executable(probe, stop: StopRequest()) { _ in } == probe)
    #expect(executable(probe, product: "probe")?.kind == .usage)
  }

  @Test("What is no app is named with what to do")
  func faults() throws {
    #expect(
      executable("/none")
        == CarFailure(.noInput, "no such file: /none; name an executable, or a folder with a Package.swift"))
    let text = try Scratch("text", "text")
    #expect(executable(text.path) == CarFailure(.badInput, "\(text.path) is not an executable"))
    let folder = URL(filePath: text.path).deletingLastPathComponent().path()
    #expect(executable(folder)?.kind == .noInput)
    #expect(
      executable(folder)?.description.hasSuffix("has no Package.swift; name an executable, or the folder of a package")
        == true)
  }

  @Test("A package needs one executable, or its name")
  func packages() throws {
    let manifest = try Scratch(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "two", targets: [.executableTarget(name: "b", path: "b"), .executableTarget(name: "a", path: "a")])
      """, "Package.swift")
    let folder = URL(filePath: manifest.path).deletingLastPathComponent()
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
      try "print(1)".write(to: folder.appending(path: "\(name)/main.swift"), atomically: true, encoding: .utf8)
    }
    let path = folder.path()
    #expect(executable(path) == CarFailure(.usage, "\(path) has several executables: name one with --product: a, b"))
    #expect(executable(path, product: "c") == CarFailure(.usage, "\(path) has no executable c; it has a, b"))
  }
}
