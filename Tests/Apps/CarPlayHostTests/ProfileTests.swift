// swift-iap2 · Apache-2.0

import Basics
import CarPlayTesting
import Testing

/// Tests of profiles, Info.plist and entitlements: their values, and the texts of their faults.
@Suite @MainActor
struct ProfileTests {
  @Test func everyProfileIsReadAndHasItsName() throws {
    #expect(CarProfiles.names.count >= 12)
    for name in CarProfiles.names { #expect(try CarSettings.profile(name).name == name) }
    #expect(try CarSettings.profile("standard") == .standard)
  }

  @Test func aProfileGivesTheScreenItNames() throws {
    let size = try CarSettings.profile("portrait").screen.pointSize
    #expect(size == CGSize(width: 300, height: 400))
    #expect(try CarSettings.profile("odd-shape").screen.appArea == CGRect(x: 188, y: 0, width: 312, height: 240))
  }

  @Test(
    arguments: [
      ("screen:\n  scale: 4", "car.yaml:2: screen.scale: expected a whole number from 2 to 3"),
      (
        "screen:\n  safeArea: {top: 200, bottom: 200}",
        "car.yaml:2: screen: the safe area and the dock leave 352 x 40 points for apps, and 88 are the least on each side"
      ),
      ("link: cable", "car.yaml:1: link: \"cable\" is not one of wired, wireless"),
      (
        "inputs: [touch, wheel]",
        "car.yaml:1: inputs.1: \"wheel\" is not one of keys, knob, lowFidelityTouch, touch, touchpad"
      ),
      ("iOS: \"9\"", "car.yaml:1: iOS: expected a version from 12, such as 17.4"),
      (
        "limits: {maximumMapButtons: x}",
        "car.yaml:1: limits.maximumMapButtons: expected a whole number from 0 to 100000"
      ),
      ("behavior:\n  panGestures: perhaps", "car.yaml:2: behavior.panGestures: expected true or false"),
      ("", "car.yaml: the file is empty"),
    ])
  func aFaultNamesFileLineKeyAndTheAllowedValues(_ text: String, _ fault: String) {
    #expect { try CarSettings(yaml: text, file: "car.yaml") } throws: { ($0 as? CarFileProblem)?.description == fault }
  }

  @Test func anUnknownKeyNamesTheKnownOnes() {
    #expect { try CarSettings(yaml: "name: a\nscren: 1", file: "car.yaml") } throws: {
      let text = ($0 as? CarFileProblem)?.description ?? ""
      return text.hasPrefix(
        "car.yaml:2: scren: unknown key, did you mean \"screen\"?; the keys here are accessoryProtocols,")
    }
  }

  @Test func anUnknownCarNamesTheKnownOnes() {
    #expect { try CarSettings.profile("spaceship") } throws: {
      ($0 as? CarFileProblem)?.text.contains("the cars are standard, minimum") == true
    }
  }

  @Test func settingsSurviveJSON() throws {
    let settings = try CarSettings.profile("odd-shape")
    let data = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(CarSettings.self, from: data) == settings)
  }

  /// Returns an Info.plist with a scene of the car.
  private func plist(_ flag: String, delegate: String = "<string>$(PRODUCT_MODULE_NAME).CarScene</string>") -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
        <key>UIApplicationSceneManifest</key><dict>
          <key>UIApplicationSupportsMultipleScenes</key>\(flag)
          <key>UISceneConfigurations</key><dict>
            <key>CPTemplateApplicationSceneSessionRoleApplication</key><array><dict>
              <key>UISceneClassName</key><string>CPTemplateApplicationScene</string>
              <key>UISceneDelegateClassName</key>\(delegate)
            </dict></array>
          </dict>
        </dict>
      </dict></plist>
      """.utf8)
  }

  private func write(_ data: Data, _ name: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent(name)
    try data.write(to: file)
    return file
  }

  @Test func aSceneManifestIsReadFromAFile() throws {
    let manifest = try AppManifest(contentsOf: write(plist("<true/>"), "Info.plist"))
    #expect(manifest.supportsMultipleScenes)
    #expect(
      manifest.scenes["CPTemplateApplicationSceneSessionRoleApplication"]?.first?.delegateClass
        == "$(PRODUCT_MODULE_NAME).CarScene")
  }

  @Test func aFaultOfAPlistNamesItsLineAndKey() throws {
    let flag = try write(plist("<string>yes</string>"), "Info.plist")
    #expect { try AppManifest(contentsOf: flag) } throws: {
      ($0 as? CarFileProblem)?.description
        == "Info.plist:4: UIApplicationSceneManifest.UIApplicationSupportsMultipleScenes: expected true or false"
    }
    let name = try write(plist("<true/>", delegate: "<integer>1</integer>"), "Info.plist")
    #expect { try AppManifest(contentsOf: name) } throws: {
      ($0 as? CarFileProblem)?.line == 8 && ($0 as? CarFileProblem)?.text == "expected a text"
    }
    let broken = try write(Data("<plist>".utf8), "Info.plist")
    #expect { try AppManifest(contentsOf: broken) } throws: {
      ($0 as? CarFileProblem)?.description == "Info.plist: the file is not a property list"
    }
  }

  @Test func entitlementsAreThoseThatAreGranted() throws {
    let granted = try Entitlements.read([
      "com.apple.developer.carplay-maps": true, "com.apple.developer.carplay-audio": false,
      "com.apple.developer.carplay-protocols": ["com.example.car"],
    ])
    #expect(granted == [AppCategory.navigation.entitlement, AppCategory.automaker.entitlement])
    #expect(throws: CarFileProblem.self) { try Entitlements.read(["com.apple.developer.carplay-maps": "YES"]) }
  }

  @Test func theTablesOfTemplatesFollowTheGuide() {
    let audio = TemplateRules(categories: [.audio], iOSVersion: IOSVersion(16))
    #expect(audio.allowedClassNames(at: .pushed) == ["CPGridTemplate", "CPListTemplate", "CPNowPlayingTemplate"])
    #expect(!audio.allowed.contains(.actionSheet))
    #expect(TemplateRules(categories: [.audio], iOSVersion: IOSVersion(17)).allowed.contains(.actionSheet))
    #expect(TemplateRules(categories: [.fueling, .charging], iOSVersion: IOSVersion(17)).depth == 5)
    #expect(TemplateRules(categories: [.drivingTask], iOSVersion: IOSVersion(17)).depth == 2)
    #expect(TemplateRules(categories: [.audio], iOSVersion: IOSVersion(13)).allowed.isEmpty)
  }

  @Test func sizesOfImagesAreRead() throws {
    let settings = try CarSettings(yaml: "imageSizes: {gridButton: 50x60.5, tab: 30x30}", file: "car.yaml")
    #expect(settings.imageSizes.gridButton == CGSize(width: 50, height: 60.5))
    #expect(settings.imageSizes.tab == CGSize(width: 30, height: 30))
    #expect(settings.imageSizes.pin == CarImageSizes().pin)
    for wrong in ["50", "50x", "0x10", "axb", "1x2x3", "9000x1", "nanx1"] {
      #expect(throws: CarFileProblem.self, "\(wrong)") {
        try CarSettings(yaml: "imageSizes: {gridButton: \(wrong)}", file: "car.yaml")
      }
    }
    #expect(throws: CarFileProblem.self) { try CarSettings(yaml: "imageSizes: {gridButon: 1x1}", file: "car.yaml") }
  }
}
