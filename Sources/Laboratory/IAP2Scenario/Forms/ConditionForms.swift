// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import YAMLForms

/// Changes of the conditions of a cable, as steps have them.
enum ConditionForms {
  typealias Change = (words: String, change: ConditionChange)

  /// The conditions of both directions, or of one.
  static let changes: Form<[Change]> = Form.any(
    of: conditions + [
      direction("toHeadUnit", "Conditions of bytes to the head unit.", .accessory),
      direction("toPhone", "Conditions of bytes to the phone.", .device),
    ]
  ).map { $0.flatMap(\.self) }

  private static func direction(_ name: String, _ summary: String, _ side: Side) -> Verb<[Change]> {
    Verb(name, summary, Form.any(of: conditions)) { changes in
      changes.flatMap(\.self).map { change in
        ("\(name) \(change.words)", { conditions, to in if to == side { change.change(&conditions, to) } })
      }
    }
  }

  private static let conditions: [Verb<[Change]>] =
    LinkConditions.probabilities.map { condition in
      Verb(condition.name, "The probability of \(condition.name), 0 to 1.", .number(0...1)) { value in
        [("\(condition.name) \(value)", { conditions, _ in conditions[keyPath: condition.place] = value })]
      }
    }
    + LinkConditions.times.map { condition in
      Verb(condition.name, "The \(condition.name) in milliseconds.", .integer(LinkConditions.milliseconds)) { value in
        [("\(condition.name) \(value) ms", { conditions, _ in conditions[keyPath: condition.place] = value })]
      }
    }
    + [
      Verb("rate", "The data rate in bytes a second; 0 for no limit.", .integer(0...LinkConditions.rates.upperBound)) {
        rate in
        [
          (
            rate == 0 ? "rate without limit" : "rate \(rate) bytes/s",
            { conditions, _ in conditions.bytesPerSecond = rate == 0 ? nil : rate }
          )
        ]
      }
    ]
}
