// swift-iap2 · Apache-2.0

package import CarPlaySession

/// The CarPlay sessions of a scenario: the head unit that offers them.
package struct CarPlaySettings: Sendable {
  /// The generation of the head unit and of the phone.
  package var generation = Generation.current
  /// The screens of the head unit.
  package var displays = [DisplaySettings(width: 1280, height: 720)]
  /// Whether the phone is paired with the head unit already.
  package var isPaired = false

  static let keys = ["generation", "display", "cluster", "paired"]

  /// Reads `carPlay: true`, or a mapping.
  init(_ value: YAMLValue) throws(ScenarioProblem) {
    guard value.isMapping else {
      try value.confirm()
      return
    }
    let fields = try value.fields(Self.keys)
    if let value = fields["generation"] {
      generation = try value.choice(
        Dictionary(uniqueKeysWithValues: Generation.allCases.map { ("\($0.rawValue)", $0) }))
    }
    if let value = fields["display"] { displays = [try Self.display(value)] }
    if let value = fields["cluster"] { displays.append(try Self.display(value)) }
    if let value = fields["paired"] { isPaired = try value.flag() }
  }

  private static func display(_ value: YAMLValue) throws(ScenarioProblem) -> DisplaySettings {
    let numbers = try value.list()
    guard numbers.count == 2 else { throw value.problem("expected [width, height] in pixels") }
    let sides = 16...DisplaySettings.maximumSide
    return DisplaySettings(width: try numbers[0].integer(sides), height: try numbers[1].integer(sides))
  }
}
