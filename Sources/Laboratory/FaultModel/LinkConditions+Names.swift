// swift-iap2 · Apache-2.0

extension LinkConditions {
  /// A condition with its name in plans and steps.
  package typealias Named<Value> = (name: String, place: any WritableKeyPath<LinkConditions, Value> & Sendable)

  /// The probabilities, in the order in which a plan is written.
  package static let probabilities: [Named<Double>] = [
    ("loss", \.loss), ("duplication", \.duplication), ("reordering", \.reordering), ("corruption", \.corruption),
    ("truncation", \.truncation), ("splitting", \.splitting), ("coalescing", \.coalescing),
  ]

  /// The times in milliseconds.
  package static let times: [Named<Int>] = [("delay", \.delayMilliseconds), ("jitter", \.jitterMilliseconds)]

  /// The times in milliseconds that a condition may have: at most a day, longer than any session and far from overflow.
  package static let milliseconds = 0...86_400_000

  /// The data rates in bytes a second that a condition may have.
  package static let rates = 1...1_000_000_000
}
