// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import IAP2Roles

extension LabHello {
  /// A failure that app teams have published, with what a click on it does.
  package struct Failure: Sendable {
    /// The effect of a click.
    package enum Deed: Sendable, Hashable {
      /// Sets faults of the car; the next click clears them.
      case faults([String: CarValue])
      /// Performs steps in the words of scenarios, in their order.
      case steps([String])
      /// Restarts the app in a car whose behavior has these settings; the next click takes them back.
      case behavior([String: CarValue])
      /// Restarts the app in the car of another profile; the next click returns to the car of the start.
      case car(CarProfile)
      /// Restarts the app as a car starts it, without a scene on the phone; the next click takes that back.
      case coldStart
      /// Restarts the session with a side that behaves like a profile; the next click takes that back.
      case behave(as: Role, String)
      /// Shows what the car reports about the app: the app makes the failure, and no switch of the car can.
      case reports(Evidence)
    }

    /// The entries of the ladder that show a failure of the app.
    package struct Evidence: Sendable, Hashable {
      /// The kind of the report; nil for the end of the app.
      package var kind: CarDiagnostic.Kind?
      /// Words of the entry, of which it has one.
      package var words: [String]

      /// Returns the words of the evidence that a text has; nil without one.
      func found(in text: String) -> String? { words.first { text.contains($0) } }
    }

    /// The number and the title of the failure in Documentation/Tasks/CarPlayFailures.md.
    package var number: Int
    package var title: String
    /// The effect to look for.
    package var summary: String
    package var deed: Deed

    init(_ number: Int, _ title: String, _ deed: Deed, _ summary: String) {
      (self.number, self.title, self.summary, self.deed) = (number, title, summary, deed)
    }
  }
}

extension LabHello.Failure.Deed {
  /// The change in words of the car, such as `watchdog: 0.5`.
  var words: String {
    switch self {
    case .faults(let values), .behavior(let values):
      values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    case .steps(let lines): lines.joined(separator: ", ")
    case .car(let profile): "car: \(profile.rawValue)"
    case .coldStart: "launch: {phoneScene: false}"
    case .behave(let role, let name): "behavior: {\(role.rawValue): \(name)}"
    case .reports(let evidence): evidence.words.joined(separator: ", ")
    }
  }

  /// The kind of the button.
  fileprivate var kind: String {
    switch self {
    case .faults: "switch"
    case .steps: "steps"
    case .behavior, .car, .coldStart, .behave: "restart"
    case .reports: "reports"
    }
  }
}

extension LabHello.Failure: Encodable {
  private enum Key: String, CodingKey { case number, title, summary, deed, words }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(number, forKey: .number)
    try values.encode(title, forKey: .title)
    try values.encode(summary, forKey: .summary)
    try values.encode(deed.kind, forKey: .deed)
    try values.encode(deed.words, forKey: .words)
  }
}
