// swift-iap2 · Apache-2.0

import CarPlayPlatform
import CarPlayScreen
import CarPlayTesting
import Testing

extension CarTests {
  /// A test of random operation. `tools/proof` runs a million steps of the same function.
  @Suite @MainActor
  struct RandomOperationTests {
    /// The first run of each seed also compares more than 2,000 screens with their pictures.
    @Test func noSeedCrashesOrHangsTheCarAndEachScreenIsItsPicture() async {
      var compared = 0
      for seed in UInt64(0)..<24 {
        let summary = await RandomOperation.run(seed: seed, steps: 150) { car in
          if Self.compare(car, "seed \(seed)") { compared += 1 }
        }
        #expect(summary.steps == 150 && summary.events > 20, "seed \(seed)")
        let again = await RandomOperation.run(seed: seed, steps: 150)
        #expect(again == summary, "seed \(seed)")
      }
      #expect(compared > 2000, "\(compared)")
    }

    /// Compares the screen that a test reads with the picture that a person sees. What reacts in the one is a target in
    /// the other, unless the picture has no room for it and counts it as hidden.
    ///
    /// - Returns: Whether the screen is one of a real car.
    private static func compare(_ car: Car, _ name: String) -> Bool {
      let look = car.settings.look
      guard look.screen.pixelWidth >= 748, look.screen.pixelHeight >= 456 else { return false }
      let screen = car.screen
      let picture = ScreenLayout.picture(of: screen, on: look)
      var targets = picture.targets.map(\.name)
      var missing: [ScreenNode] = []
      for part in car.host.reacting {
        if let index = targets.firstIndex(of: part.title) { targets.remove(at: index) } else { missing.append(part) }
      }
      #expect(
        missing.count <= picture.hiddenCount,
        "\(name): \(missing.map(\.line)) of \(picture.hiddenCount) hidden parts\n\(screen)\n\(picture.targets.map(\.name))"
      )
      // Without a grid in its header, a page of a list has room for what it has.
      if screen.first(.page) != nil, screen.first(.header) == nil {
        #expect(picture.hiddenCount == 0, "\(name)\n\(screen)")
      }
      // The dock and the keyboard have keys of the car.
      let titles = Set(screen.all.map(\.title) + ["home"])
      let others = targets.filter { !titles.contains($0) }
      #expect(others.isEmpty || screen.first(.keyboard) != nil, "\(name): \(others)\n\(screen)")
      return true
    }
  }
}
