// swift-iap2 · Apache-2.0

import ExternalAccessory
import Foundation
import IAP2
import IAP2Faults
import IAP2Roles
import Testing

@testable import AccessoryPlatform

@Suite struct ConfigurationTests {
  private func configuration(_ text: String) -> Configuration {
    Configuration(environment: ["EXTERNAL_ACCESSORY": text])
  }

  @Test func withoutAVariableThereIsNoAccessoryAndNoProblem() {
    let configuration = Configuration(environment: [:])
    #expect(configuration.emulated.isEmpty && configuration.transports.isEmpty && configuration.problems.isEmpty)
  }

  @Test func profilesAndTransportsStandSideBySideWithFaultPlans() {
    let configuration = configuration("profile:printer#stall=2000+500,seed=7 tcp:127.0.0.1:7000 usb")
    #expect(configuration.problems == [])
    #expect(configuration.emulated.map(\.headUnit.identification.name) == ["Printer"])
    #expect(configuration.emulated.first?.faults?.seed == 7)
    #expect(configuration.transports.count == 2)
  }

  @Test(arguments: [
    ("profile:nothing", "profile:nothing: nothing: no such file, and there is no profile of this name"),
    ("profile:plain-phone", "the profile plain-phone is a phone"), ("pigeon:1", "unknown transport \"pigeon\""),
    ("usb-phone", "a phone takes usb"), ("profile:printer#loss=2", "the fault plan \"loss=2\" is wrong"),
    ("scenario:mine.yaml", "mine.yaml: no such file"), ("replay:a.pcapng", "a.pcapng: no such file"),
    ("replay:a.pcapng#replay=loose", "replay takes lenient"),
  ]) func aWrongPartIsOneLineAndNoAccessory(text: String, problem: String) {
    let configuration = configuration("\(text) profile:microphone")
    #expect(
      configuration.problems.count == 1 && configuration.problems[0].contains(problem), "\(configuration.problems)")
    #expect(configuration.problems[0].hasPrefix("EXTERNAL_ACCESSORY: ") && !configuration.problems[0].contains("\n"))
    #expect(configuration.emulated.count == 1 && configuration.transports.isEmpty)
  }

  @Test func anUnreadableAuthorityAndAConfigurationFileAreProblems() {
    let configuration = Configuration(environment: [
      "EXTERNAL_ACCESSORY_AUTHENTICATION": "/nowhere.pem", "EXTERNAL_ACCESSORY_CONFIG": "file.yaml",
    ])
    #expect(configuration.problems.count == 2)
  }

  @Test func anInfoPlistDeclaresProtocolsAndTheBackgroundMode() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).plist").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let entries: [String: Any] = [
      "UISupportedExternalAccessoryProtocols": ["a", "b"], "UIBackgroundModes": ["external-accessory"],
    ]
    try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
      .write(to: URL(filePath: path))
    let declaration = try AppDeclaration(contentsOf: path)
    #expect(declaration.protocols == ["a", "b"] && declaration.runsInBackground)
    #expect(declaration.refusal(of: "a") == nil && declaration.refusal(of: "c")?.contains(path) == true)
  }

  @Test(arguments: ["", "no list", "<plist><string>x</string></plist>"])
  func aBrokenInfoPlistIsAProblem(text: String) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).plist").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text.utf8).write(to: URL(filePath: path))
    #expect(throws: ConfigurationProblem.self) { try AppDeclaration(contentsOf: path) }
    #expect(throws: ConfigurationProblem("\(path).none: no such file")) {
      try AppDeclaration(contentsOf: "\(path).none")
    }
  }

  @Test func withoutAnyInfoPlistTheRefusalNamesThePlaces() {
    let text = AppDeclaration(protocols: nil, place: "no Info.plist").refusal(of: "a") ?? ""
    for part in ["EXTERNAL_ACCESSORY_INFO_PLIST", "beside the executable", "working directory"] {
      #expect(text.contains(part))
    }
  }
}
