// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Testing

@Suite(.ownTurn) struct WiresharkTests {
  @Test func theCommandPrintsADissectorOfEveryMessage() async throws {
    let outcome = try await Command.run("wireshark")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output.hasPrefix("-- swift-iap2 · Apache-2.0\n"))
    for entry in MessageCatalog.all { #expect(outcome.output.contains("name = \"\(entry.name)\"")) }
  }

  static let tshark = ["/usr/bin/tshark", "/usr/local/bin/tshark"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Runs tshark with a home folder of its own, and returns its status and its output.
  static func show(_ arguments: [String], home: URL) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: try #require(tshark))
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["HOME": home.path()]) { $1 }
    let said = Pipe()
    process.standardOutput = said
    process.standardError = said
    try process.run()
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// `tools/check wireshark` compares all that tshark shows; it installs tshark.
  @Test(.enabled(if: tshark != nil, "tshark is not installed")) func tsharkLoadsThePrintedDissector() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "iap2.lua")
    try (try await Command.run("wireshark").output).write(to: file, atomically: true, encoding: .utf8)
    let (status, text) = try Self.show(
      [
        "-X", "lua_script:\(file.path())", "-r", Command.root.appending(path: "captures/formats/usbmon.pcap").path(),
        "-Y", "iap2.message",
      ], home: folder)
    #expect(status == 0 && !text.contains("Lua:"), "\(text.prefix(2000))")
    #expect(text.contains("AuthenticationCertificate"), "\(text.prefix(2000))")
  }

  @Test func noTwoFieldsShareAName() async throws {
    let text = try await Command.run("wireshark").output
    // A field of the schema, or of the handwritten part.
    let names = text.matches(of: /(?:field = |[a-z0-9]\()\s*"(iap2[a-z0-9_]*\.[a-z0-9_.]+)"/).map(\.1)
    #expect(names.count > 600)
    for (name, count) in Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +) where count > 1 {
      Issue.record("\(name) stands for \(count) fields")
    }
  }

  /// Field names that users have in their filters.
  static let fields = [
    "iap2.message.id", "iap2.power_update.battery_charge_level",
    "iap2.identification_information.usb_host_transport_component.transport_supports_iap2_connection",
    "iap2.identification_information.iap2_hid_component.hid_component_function",
    "iap2.identification_rejected.messages_sent_by_accessory.array_of_u16",
    "iap2.route_guidance_update.route_guidance_display_component_ids",
    "iap2.identification_information.vehicle_status_component.range_warning_6",
    "iap2.wifi_information.wifi_ssid", "iap2.call_state_update.call_uuid",
  ]

  @Test func fieldsKeepTheirNames() async throws {
    let text = try await Command.run("wireshark").output
    for field in Self.fields { #expect(text.contains("\"\(field)\""), "\(field)") }
  }

  @Test func installingWritesIntoTheFolderOfTheUser() async throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    let process = Process()
    process.executableURL = Command.program
    process.arguments = ["wireshark", "--install"]
    process.environment = ProcessInfo.processInfo.environment.merging(["HOME": home.path()]) { $1 }
    let said = Pipe()
    process.standardOutput = said
    try process.run()
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let file = home.appending(path: ".local/lib/wireshark/plugins/iap2.lua")
    #expect(process.terminationStatus == 0 && text.contains(file.path()))
    #expect(try String(contentsOf: file, encoding: .utf8) == (try await Command.run("wireshark").output))
    try FileManager.default.removeItem(at: home)
  }
}
