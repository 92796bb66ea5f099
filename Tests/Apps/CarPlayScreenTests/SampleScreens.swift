// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation

/// A screen of each kind, as the host creates it, with invented contents in several scripts. `tools/check pictures`
/// draws the same screens.
enum SampleScreens {
  private struct Sample: Decodable {
    var name: String
    var screen: ScreenNode
  }

  static let all: [(name: String, screen: ScreenNode)] = {
    do {
      let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Screens.jsonl")
      return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
        let sample = try JSONDecoder().decode(Sample.self, from: Data($0.utf8))
        return (sample.name, sample.screen)
      }
    } catch { preconditionFailure("Screens.jsonl: \(error)") }
  }()

  static let list = screen("list")
  static let guidance = screen("guidance")

  private static func screen(_ name: String) -> ScreenNode {
    all.first { $0.name == name }?.screen ?? ScreenNode(.off)
  }
}
