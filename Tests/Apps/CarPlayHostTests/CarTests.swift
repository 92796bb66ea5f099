// swift-iap2 · Apache-2.0

import CarPlayTesting
import CarSupport
import Foundation
import Testing

/// The tests with a car. A process has one phone, so they run one after another.
@Suite(.onlyCar) enum CarTests {}

extension CarTests {
  @Suite @MainActor
  struct ScreenshotTests {
    /// Whether a drawing program exists: the trait `Screen` builds one beside the tests, or the environment names one.
    private static var draws: Bool {
      #if Screen
        true
      #else
        ProcessInfo.processInfo.environment["IAP2_SCREEN"] != nil
      #endif
    }

    @Test func aCarHasAPictureOrSaysHowToGetAProgramThatDraws() async throws {
      let car = Car(try .profile("portrait"))
      await car.launch(.audio) {
        PlainScene { $0.setRootTemplate(list("Library", ["Albums"]), animated: false, completion: nil) }
      }
      guard Self.draws else {
        let problem = #expect(throws: ScreenshotProblem.self) { try car.screenshot() }
        return #expect(problem?.description.contains("tools/screen-program") == true)
      }
      let picture = try car.screenshot()
      #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      // The width and the height of the header.
      #expect(Array(picture[16..<24]) == [0, 0, 0x03, 0x84, 0, 0, 0x04, 0xB0])
      #expect(try car.dashboardScreenshot() == nil)
      let pixels = try car.pixels()
      #expect(pixels.width == 900 && pixels.height == 1200 && pixels.bytes.count == 900 * 1200 * 4)
      #expect(try car.pixels() == pixels)
      #expect(String(decoding: try car.screenshot(as: .svg), as: UTF8.self).contains("<svg"))
    }
  }
}
