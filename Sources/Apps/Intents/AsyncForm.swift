// swift-iap2 · Apache-2.0

/// The two forms of a handler's method: with a closure, and `async`. The closure's default calls the other form.
enum AsyncForm {
  /// A value that the system hands over to a task, or a task to the main actor.
  ///
  /// Invariant for `@unchecked Sendable`: the value is used once, and its giver uses it no more.
  private struct Handed<Value>: @unchecked Sendable {
    let value: Value
  }

  /// Calls the `async` form in a task, and gives its answer to the closure on the main actor, where Siri calls the
  /// handlers of an app.
  static func answer<Handler, Intent, Answer>(
    _ completion: @escaping (Answer) -> Void, _ handler: Handler, _ intent: Intent,
    _ body: @escaping (Handler, Intent) async -> Answer
  ) {
    let work = Handed(value: { await body(handler, intent) })
    let completion = Handed(value: completion)
    Task {
      let answer = Handed(value: await work.value())
      await MainActor.run { completion.value(answer.value) }
    }
  }
}
