// swift-iap2 · Apache-2.0

import Foundation

extension CarBehavior {
  /// The settings by their names in profiles, sorted, with their allowed values.
  package static let settings: [(name: String, values: CarVerbForm.Values)] = {
    // Only the encoder knows the names of the properties, so they are read from an encoded value.
    do {
      let values = try JSONDecoder().decode([String: CarValue].self, from: JSONEncoder().encode(CarBehavior()))
      return values.sorted { $0.key < $1.key }.map { name, value in (name, allowed(name, value)) }
    } catch { preconditionFailure("the behavior of a car has only flags, numbers and texts: \(error)") }
  }()

  private static func allowed(_ name: String, _ value: CarValue) -> CarVerbForm.Values {
    if case .flag = value { return .flag }
    return exceptions[name] ?? .number(0...3600)
  }

  /// The allowed values of the settings that are neither flags nor times.
  private static let exceptions: [String: CarVerbForm.Values] = [
    "depthExceeded": .choice(DepthExceeded.allCases.map(\.rawValue)),
    "delegateOrder": .choice(DelegateOrder.allCases.map(\.rawValue)),
    "voiceMisuse": .choice(VoiceMisuse.allCases.map(\.rawValue)),
    "rowUpdatesPerSecond": .whole(1...1000), "contentQuestions": .whole(1...1_000_000),
  ]
}
