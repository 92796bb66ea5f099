// swift-iap2 · Apache-2.0

import CarPlayPlatform
import FaultModel

extension LabHello.Fault {
  /// The conditions of a cable, which are steps of scenarios.
  static let ofLinks: [Self] =
    LinkConditions.probabilities.map {
      Self(name: $0.name, kind: .values(chances, unit: ""), summary: summaries[$0.name] ?? "")
    }
    + LinkConditions.times.map {
      Self(name: $0.name, kind: .values(times, unit: "ms"), summary: summaries[$0.name] ?? "")
    } + [Self(name: "rate", kind: .values(rates, unit: "bytes/s"), summary: "The data rate; 0 for no limit.")]

  /// The values of the sliders. Small ones matter most, so they are close together.
  private static let chances = [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1]
  private static let times: [Double] = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
  private static let rates: [Double] = [
    0, 1_000_000, 500_000, 200_000, 100_000, 50_000, 20_000, 10_000, 5000, 2000, 1000, 500, 200,
  ]

  private static let summaries = [
    "loss": "The share of link packets that are lost.", "duplication": "The share that arrives twice.",
    "reordering": "The share that arrives behind later ones.", "corruption": "The share with one wrong bit.",
    "truncation": "The share without its end.", "splitting": "The share that arrives in two parts.",
    "coalescing": "The share that arrives together with the one before it.", "delay": "The delay in each direction.",
    "jitter": "The longest further delay of a packet.",
  ]
}

extension FaultPlan {
  /// The present conditions by their names. Of two directions the worse one counts.
  var values: [String: CarValue] {
    let (here, there) = (toPhone.conditions, toHeadUnit.conditions)
    var values: [String: CarValue] = [:]
    for (name, place) in LinkConditions.probabilities {
      values[name] = .number(max(here[keyPath: place], there[keyPath: place]))
    }
    for (name, place) in LinkConditions.times {
      values[name] = .number(Double(max(here[keyPath: place], there[keyPath: place])))
    }
    values["rate"] = .number([here, there].compactMap(\.bytesPerSecond).min().map(Double.init) ?? 0)
    return values
  }
}
