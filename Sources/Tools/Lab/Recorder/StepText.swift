// swift-iap2 · Apache-2.0

import IAP2Roles
import IAP2Scenario

/// Writes what a user did beside a scenario as a scenario, in which the steps of both stand in one order.
enum StepText {
  /// Returns the text of a scenario.
  ///
  /// - Parameters:
  ///   - base: The scenario beside which the user acted; nil for none.
  ///   - hasSession: Whether there is a CarPlay session beside the link.
  ///   - play: The command that plays the file.
  ///   - role: The role that plays the scenario of a live session.
  /// - Returns: Nil without a step, and if the steps of the base have no lines of their own.
  static func scenario(
    _ recorder: StepRecorder, beside base: LabScenario?, hasSession: Bool = false, of role: Role = .headUnit,
    play: String
  ) -> String? {
    let comment = "# Recorded by iap2 lab. Play it: \(play)"
    guard let base else {
      guard !recorder.items.isEmpty else { return nil }
      // The session of the one who plays it may come later than it did here.
      let isLive = "  - expect: {\(role.lane.rawValue): carPlaySession, values: {state: live}, earlier: true}"
      let session = hasSession ? ["carPlay: true", "steps:", isLive] : ["steps:"]
      var lines = [comment, "name: recorded"] + session
      var time = recorder.items.first?.start ?? 0
      for item in recorder.items { add(item, to: &lines, "  ", &time) }
      return text(lines)
    }
    guard !recorder.begun.isEmpty || !recorder.items.isEmpty, let blocks = Blocks(base) else { return nil }
    var lines = [comment] + [base.line].compactMap(\.self) + blocks.head
    var rest = recorder.items[...]
    for (index, (block, step)) in zip(blocks.steps, base.scenario.steps).enumerated() where index < recorder.begun.count
    {
      var time = recorder.begun[index]
      // Steps that the user made before the next step of the scenario began.
      let next = recorder.begun.indices.contains(index + 1) ? recorder.begun[index + 1] : .infinity
      let own = rest.prefix { $0.start < next }
      rest = rest.dropFirst(own.count)
      switch step.action {
      case .wait(let milliseconds):
        let end = time + Double(milliseconds) / 1000
        let during = own.prefix { $0.start < end }
        for item in during { add(item, to: &lines, blocks.indent, &time) }
        if during.isEmpty { lines += block } else { wait(until: end, to: &lines, blocks.indent, &time) }
        time = end
        for item in own.dropFirst(during.count) { add(item, to: &lines, blocks.indent, &time) }
      case .expect, .expectData:
        // The scenario waited for an event while the user acted. It finds the event behind that, too.
        for item in own { add(item, to: &lines, blocks.indent, &time) }
        // An event that had not come when the user stopped is not expected.
        if recorder.isComplete || index + 1 < recorder.begun.count { lines += block }
      default:
        lines += block
        for item in own { add(item, to: &lines, blocks.indent, &time) }
      }
    }
    return text(lines + blocks.tail)
  }

  /// Returns a step that expects an event of a role, also one before those of earlier expectations.
  ///
  /// - Parameter values: The values of the event, of which those are expected that scenarios know.
  static func expectation(
    of event: String, _ values: [(key: String, value: String)], at lane: LabEntry.Lane
  ) -> String? {
    guard EventWords.isEvent(event) else { return nil }
    let known = values.filter { EventWords.isValue($0.key) }
      .map { "\($0.key): \(ScenarioText.text($0.value))" }
    let words = known.isEmpty ? "" : ", values: {\(known.joined(separator: ", "))}"
    return "expect: {\(lane.rawValue): \(event)\(words), earlier: true}"
  }

  /// The shortest wait in seconds between two steps that is kept.
  private static let shortestWait = 0.05

  private static func add(
    _ item: StepRecorder.Item, to lines: inout [String], _ indent: String, _ time: inout Double
  ) {
    wait(until: item.start, to: &lines, indent, &time)
    lines.append("\(indent)- \(item.line)")
    time = max(time, item.end)
  }

  private static func wait(until end: Double, to lines: inout [String], _ indent: String, _ time: inout Double) {
    guard end - time >= shortestWait else { return }
    lines.append("\(indent)- wait: \(((end - time) * 1000).rounded() / 1000)")
    time = end
  }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

  /// The lines of a scenario's file, by its steps.
  private struct Blocks {
    /// The lines before the first step, those of each step, and those behind the last one.
    var head: [String]
    var steps: [[String]]
    var tail: [String]
    var indent: String

    /// - Returns: Nil for steps that share lines, or that another file has.
    init?(_ base: LabScenario) {
      let lines = base.yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      // The first line of a file has the number 1.
      let places = base.scenario.steps.map { ($0.line ?? 0) - 1 }
      guard let first = places.first, let last = places.last, first >= 0, last < lines.count,
        zip(places, places.dropFirst()).allSatisfy({ $0 < $1 })
      else { return nil }
      let found = String(lines[first].prefix { $0 == " " })
      guard places.allSatisfy({ lines[$0].hasPrefix("\(found)- ") }) else { return nil }
      indent = found
      let end =
        lines[(last + 1)...].firstIndex { line in
          let isEmpty = line.allSatisfy(\.isWhitespace)
          return !isEmpty && line.prefix { $0 == " " }.count <= found.count && !line.hasPrefix("\(found)#")
        } ?? lines.count
      head = Array(lines[..<first])
      steps = zip(places, places.dropFirst() + [end]).map { Array(lines[$0..<$1]) }
      tail = lines[end...].filter { !$0.isEmpty }
      while steps[steps.count - 1].last?.isEmpty == true { steps[steps.count - 1].removeLast() }
    }
  }
}
