// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Bad input of an app that runs as a process of its own: one line that says what and where, and no crash.
@Suite struct BadInputTests {
  /// Runs the probe. Returns the lines of its output and of standard error.
  private func run(
    _ environment: [String: String], _ arguments: [String] = []
  ) async throws -> (output: [String], errors: [String]) {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "accessory-probe")
    process.arguments = arguments
    // No Info.plist of the working directory takes part.
    process.currentDirectoryURL = FileManager.default.temporaryDirectory
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("EXTERNAL_ACCESSORY") }
      .merging(environment) { $1 }
    let files = [try Scratch("", "out"), try Scratch("", "err")]
    let handles = try files.map { try FileHandle(forWritingTo: URL(filePath: $0.path)) }
    (process.standardOutput, process.standardError) = (handles[0], handles[1])
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    let texts = try files.map { try String(contentsOfFile: $0.path, encoding: .utf8) }
    let lines = texts.map { $0.split(separator: "\n").map(String.init) }
    return (lines[0], lines[1])
  }

  @Test func withoutVariablesThereIsNoAccessoryAndNoLine() async throws {
    let (output, errors) = try await run([:])
    #expect(output == ["0 accessories"] && errors == [])
  }

  @Test func anAccessoryOfTheEnvironmentIsThereAtTheStart() async throws {
    let (output, errors) = try await run(
      ["EXTERNAL_ACCESSORY": "profile:printer", "EXTERNAL_ACCESSORY_PROTOCOLS": "com.example.print"],
      ["com.example.print"])
    #expect(output == ["1 accessories", "Printer: com.example.print", "session"] && errors == [])
  }

  @Test(arguments: [
    ("EXTERNAL_ACCESSORY", "pigeon:1", "pigeon:1: unknown transport \"pigeon\""),
    (
      "EXTERNAL_ACCESSORY", "profile:nothing",
      "profile:nothing: nothing: nothing: no such file, and there is no profile"
    ),
    ("EXTERNAL_ACCESSORY", "scenario:day", "scenario:day: day.yaml:"),
    ("EXTERNAL_ACCESSORY", "replay:/none.pcapng", "replay:/none.pcapng: /none.pcapng: /none.pcapng: no such file"),
    ("EXTERNAL_ACCESSORY", "profile:printer#loss=2", "the fault plan \"loss=2\" is wrong"),
    ("EXTERNAL_ACCESSORY", "profile:printer#replay=lenient", "replay=lenient goes with replay:CAPTURE"),
    ("EXTERNAL_ACCESSORY_CONFIG", "/none.yaml", "/none.yaml: no such file"),
    ("EXTERNAL_ACCESSORY_CONFIG", "/dev/zero", "/dev/zero is a device or a pipe, not a file"),
  ])
  func aWrongValueIsOneLineAndAnEmptyList(variable: String, value: String, text: String) async throws {
    let (output, errors) = try await run([variable: value])
    #expect(output == ["0 accessories"])
    #expect(errors.count == 1 && errors[0].hasPrefix("ExternalAccessory: \(variable): "), "\(errors)")
    #expect(errors.first?.contains(text) == true, "\(errors)")
  }

  @Test func anUnreadableAuthorityKeepsEveryAccessoryOut() async throws {
    let (output, errors) = try await run([
      "EXTERNAL_ACCESSORY": "profile:printer", "EXTERNAL_ACCESSORY_AUTHENTICATION": "/none.pem",
    ])
    #expect(output == ["0 accessories"])
    #expect(errors.count == 1 && errors[0].contains("EXTERNAL_ACCESSORY_AUTHENTICATION: /none.pem: no such file"))
  }

  @Test func anAccessoryOfAnotherAuthorityIsRefused() async throws {
    let (output, errors) = try await run([
      "EXTERNAL_ACCESSORY": "profile:printer",
      "EXTERNAL_ACCESSORY_AUTHENTICATION":
        repository.appending(path: "Tests/Tools/CommandTests/Fixtures/other-ca.pem").path(),
    ])
    #expect(output == ["0 accessories"])
    #expect(errors.count == 1, "\(errors)")
    #expect(errors.first?.hasPrefix("ExternalAccessory: profile:printer: the accessory was not authenticated") == true)
  }

  @Test func anAccessoryWithAWrongIdentificationIsRefused() async throws {
    // A phone rejects a list with a message of the authentication, and the lists cannot be left out.
    let profile = try Scratch("identification: {name: Wrong, sends: [\"AA00\"]}\n")
    let (output, errors) = try await run(["EXTERNAL_ACCESSORY": "profile:\(profile.path)"])
    #expect(output == ["0 accessories"])
    let line = "ExternalAccessory: profile:\(profile.path): the phone rejected the identification of the accessory: "
    #expect(errors == ["\(line)parameters 6, 7"])
  }

  @Test(arguments: [
    (nil as String?, "no such file"), ("no list", "is not a property list"),
    ("<plist><string>x</string></plist>", "is not a dictionary"),
  ])
  func aMissingOrBrokenInfoPlistIsNamedAndGivesNoSession(text: String?, reason: String) async throws {
    let file = try Scratch(text ?? "", "plist")
    let path = text == nil ? "/none.plist" : file.path
    let (output, errors) = try await run(
      ["EXTERNAL_ACCESSORY": "profile:printer", "EXTERNAL_ACCESSORY_INFO_PLIST": path], ["com.example.print"])
    #expect(output.last == "no session")
    #expect(
      errors.first?.hasPrefix("ExternalAccessory: EXTERNAL_ACCESSORY_INFO_PLIST: \(path)") == true
        && errors.first?.contains(reason) == true, "\(errors)")
    #expect(errors.count == 2 && errors[1].contains("notDeclared"), "\(errors)")
  }
}
