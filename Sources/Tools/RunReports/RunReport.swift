// swift-iap2 · Apache-2.0

/// A run for people and build servers that did not see it: what happened, and what failed.
package struct RunReport: Sendable {
  /// A line of a run.
  package struct Row: Sendable, Equatable {
    /// The meaning of a row, which decides its color.
    package enum Kind: String, Sendable {
      case step, message, content, notice, warning, end, detail
    }

    package var kind: Kind
    /// The time in seconds of the run's clock; nil for a row without one.
    package var time: Double?
    /// The side or the part that the row is about.
    package var who: String
    package var text: String
    /// The pictures that followed the row, by their numbers.
    package var pictures: [Int] = []

    /// - Parameter who: A name that may be padded to the width of a column.
    package init(_ kind: Kind, time: Double?, who: String, _ text: String) {
      self.who = who.hasSuffix(" ") ? String(who.prefix(through: who.lastIndex { $0 != " " } ?? who.startIndex)) : who
      (self.kind, self.time, self.text) = (kind, time, text)
    }

    /// The row without its time, as runs are compared.
    var words: String { who.isEmpty ? text : "\(who): \(text)" }
  }

  /// A picture of the car's screen.
  package struct Picture: Sendable {
    package var name: String
    /// The type of its bytes, such as `image/png`.
    package var type: String
    package var bytes: [UInt8]

    package init(name: String, type: String, bytes: [UInt8]) {
      (self.name, self.type, self.bytes) = (name, type, bytes)
    }
  }

  /// A part with an outcome of its own: a scenario, a scenario in one of several cars, or a seed.
  package struct Part: Sendable {
    package var name: String
    package var rows: [Row] = []
    /// The rows for which there was no room.
    package var omitted = 0
    /// The failure in words; nil without one.
    package var failure: String?
    /// More lines about the failure, such as the screen.
    package var details: [String] = []
    /// The time that the part took, in seconds of the run's clock; nil if it has none.
    package var seconds: Double?

    package init(_ name: String) { self.name = name }
  }

  /// The command and its subject, such as `iap2 run music`.
  package var title: String
  /// Facts of the run, such as its date.
  package var facts: [String] = []
  package var parts: [Part] = []
  package var pictures: [Picture] = []
  /// The messages of both sides as a picture in SVG; nil without any.
  package var ladder: String?

  package init(title: String) { self.title = title }

  /// The number of parts that failed.
  package var failures: Int { parts.count { $0.failure != nil } }
}
