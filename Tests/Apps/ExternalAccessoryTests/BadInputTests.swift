// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Bad input of an app that runs as a process of its own: one line that says what and where, and no crash.
@Suite struct BadInputTests {
  /// Runs the probe. Returns the lines of its output and of standard error.
  private func run(
    _ environment: [String: String], _ arguments: [String] = [], status: Int32 = 0
  ) async throws -> (output: [String], errors: [String]) {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "accessory-probe")
    process.arguments = arguments
    // No Info.plist takes part, and no file with the name of a profile.
    let folder = FileManager.default.temporaryDirectory.appending(path: "probe-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("EXTERNAL_ACCESSORY") }
      .merging(environment) { $1 }
    let files = [try Scratch("", "out"), try Scratch("", "err")]
    let handles = try files.map { try FileHandle(forWritingTo: URL(filePath: $0.path)) }
    (process.standardOutput, process.standardError) = (handles[0], handles[1])
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    #expect(process.terminationReason == .exit && process.terminationStatus == status)
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
      "profile:nothing: nothing: no such file, and there is no profile"
    ),
    ("EXTERNAL_ACCESSORY", "scenario:day", "scenario:day: day.yaml:"),
    ("EXTERNAL_ACCESSORY", "replay:/none.pcapng", "replay:/none.pcapng: /none.pcapng: no such file"),
    ("EXTERNAL_ACCESSORY", "replay:", "replay:: the name or the file is missing"),
    ("EXTERNAL_ACCESSORY", "profile:printer#loss=2", "the fault plan \"loss=2\" is wrong"),
    ("EXTERNAL_ACCESSORY", "profile:printer#replay=lenient", "replay=lenient goes with replay:CAPTURE"),
    ("EXTERNAL_ACCESSORY_CONFIG", "/none.yaml", "/none.yaml: no such file"),
    ("EXTERNAL_ACCESSORY_CONFIG", "/dev/zero", "/dev/zero: it is a device or a pipe, not a file"),
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
    // A phone rejects a list with a message of the authentication, and the list cannot be left out.
    let profile = try Scratch("identification: {name: Wrong, sends: [\"AA00\"]}\n")
    let (output, errors) = try await run(["EXTERNAL_ACCESSORY": "profile:\(profile.path)"])
    #expect(output == ["0 accessories"])
    let line = "ExternalAccessory: profile:\(profile.path): the phone rejected the identification of the accessory: "
    #expect(errors == ["\(line)parameter 6 MessagesSentByAccessory"])
  }

  @Test(arguments: [
    (nil as String?, "no such file"), ("no list", "is not a property list"),
    ("<plist><string>x</string></plist>", "is not a dictionary"),
  ])
  func aMissingOrBrokenInfoPlistIsOneLineAndAnEmptyList(text: String?, reason: String) async throws {
    let file = try Scratch(text ?? "", "plist")
    let path = text == nil ? "/none.plist" : file.path
    let (output, errors) = try await run(
      ["EXTERNAL_ACCESSORY": "profile:printer", "EXTERNAL_ACCESSORY_INFO_PLIST": path], ["com.example.print"])
    #expect(output == ["0 accessories"])
    #expect(
      errors.first?.hasPrefix("ExternalAccessory: EXTERNAL_ACCESSORY_INFO_PLIST: \(path)") == true
        && errors.first?.contains(reason) == true, "\(errors)")
    #expect(errors.count == 1, "\(errors)")
  }

  @Test(arguments: [
    (["EXTERNAL_ACCESSORY_PROTOCOLS": "com.example.other"], "the protocol is not in EXTERNAL_ACCESSORY_PROTOCOLS"),
    (["EXTERNAL_ACCESSORY_INFO_PLIST": ""], "EXTERNAL_ACCESSORY_INFO_PLIST is empty"),
    ([:], "set EXTERNAL_ACCESSORY_INFO_PLIST to the path"),
  ])
  func aProtocolThatIsNotDeclaredIsNamedWithItsPlace(environment: [String: String], text: String) async throws {
    let (output, errors) = try await run(
      environment.merging(["EXTERNAL_ACCESSORY": "profile:printer"]) { $1 }, ["com.example.print"])
    #expect(output.last != "session" && errors.count == 1 && errors[0].contains(text), "\(output) \(errors)")
  }

  @Test func blanksBetweenDeclaredProtocolsDoNotCount() async throws {
    let (output, _) = try await run(
      ["EXTERNAL_ACCESSORY": "profile:printer", "EXTERNAL_ACCESSORY_PROTOCOLS": "com.example.a, com.example.print"],
      ["com.example.print"])
    #expect(output.last == "session")
  }

  /// A phone that refuses an accessory of a transport tries again after a pause, and tells it once.
  @Test func anAccessoryThatIsRefusedAgainIsToldOnce() async throws {
    let socket = try Scratch("", "sock")
    let file = try Scratch("x", "bin")
    let log = try Scratch("", "jsonl")
    let headUnit = Process()
    headUnit.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "iap2")
    headUnit.arguments = ["headunit", "--transport", "unix-listen:\(socket.path).s", "--json"]
    headUnit.standardOutput = try FileHandle(forWritingTo: URL(filePath: log.path))
    headUnit.standardError = FileHandle.nullDevice
    try headUnit.run()
    let (_, errors) = try await run(
      [
        "EXTERNAL_ACCESSORY": "unix:\(socket.path).s",
        "EXTERNAL_ACCESSORY_AUTHENTICATION":
          repository.appending(path: "Tests/Tools/CommandTests/Fixtures/other-ca.pem").path(),
      ], ["com.example.echo", file.path, "8"], status: 1)
    headUnit.interrupt()
    let refused = errors.filter { $0.contains("the accessory was not authenticated") }
    #expect(refused.count == 1 && errors.count <= 2, "\(errors)")
    let links = try String(contentsOfFile: log.path, encoding: .utf8).split(separator: "\n")
      .count { $0.contains(#""event":"linkUp""#) }
    // The pauses are 1, 2 and 4 s. A busy machine may need seconds until the first link.
    #expect((1...4).contains(links), "\(links) links in 8 s")
  }
}
