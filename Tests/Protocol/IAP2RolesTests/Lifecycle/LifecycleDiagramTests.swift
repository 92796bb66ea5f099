// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Roles
import Testing

/// Tests that compare the diagrams of the documentation with the code: every input in every state of every policy.
@Suite struct LifecycleDiagramTests {
  typealias Input = (name: String, apply: @Sendable (inout Lifecycle) -> [Lifecycle.Action])

  static func at(_ milliseconds: Int) -> MonotonicTime { LifecycleTests.at(milliseconds) }

  /// The inputs, all at one moment except the last two, which let time pass.
  static let inputs: [Input] = [
    ("begin", { $0.begin(at: at(18_000)) }),
    ("ready", { $0.ready(LifecycleTests.usual, at: at(18_000)) }),
    ("link ended", { $0.linkEnded(.transportClosed, isDecided: false, at: at(18_000)) }),
    ("ended as asked", { $0.linkEnded(.requested, isDecided: true, at: at(18_000)) }),
    ("notice", { $0.notified(at: at(18_000)) }),
    ("charging stopped", { $0.supplied(.unplugged, at: at(18_000)) }),
    ("charger disconnected", { $0.charger(false, at: at(18_000)) }),
    ("session ended", { $0.sessionEnded(at: at(18_000)) }),
    ("received", { $0.received(at: at(18_000)) }),
    ("time", { lifecycle in lifecycle.nextDeadline.map { lifecycle.handleDeadline(at: $0) } ?? [] }),
    ("time, unanswered", { lifecycle in LifecycleTests.wait(&lifecycle, until: 60_000) }),
  ]

  /// Returns a lifecycle in each state that one sequence of inputs reaches.
  static func states(_ policy: LifecyclePolicy) -> [Lifecycle] {
    var states: [Lifecycle] = []
    func add(_ lifecycle: Lifecycle) {
      if !states.contains(where: { $0.stateName == lifecycle.stateName }) { states.append(lifecycle) }
    }
    var lifecycle = Lifecycle(policy: policy, times: LifecycleTests.times)
    add(lifecycle)
    _ = lifecycle.begin(at: at(0))
    _ = lifecycle.supplied(.charging, at: at(0))
    _ = lifecycle.charger(true, at: at(0))
    add(lifecycle)
    _ = lifecycle.ready(LifecycleTests.usual, at: at(0))
    add(lifecycle)
    if let silent = lifecycle.nextDeadline {
      _ = lifecycle.handleDeadline(at: silent)
      add(lifecycle)
    }
    if let unanswered = lifecycle.nextDeadline {
      _ = lifecycle.handleDeadline(at: unanswered)
      add(lifecycle)
    }
    return states
  }

  static func diagram(_ policy: LifecyclePolicy) -> String {
    var edges: [(key: String, inputs: [String])] = []
    for state in states(policy) {
      for input in inputs {
        var next = state
        let reported = input.apply(&next).compactMap { action -> String? in
          switch action {
          case .connected: "connected"
          case .suspected: "suspected"
          case .cleared: "cleared"
          case .disconnected(let end): "disconnected (\(end.cause.rawValue))"
          case .probe: nil
          }
        }
        guard next.stateName != state.stateName || !reported.isEmpty else { continue }
        let label = input.name + (reported.isEmpty ? "" : " / " + reported.joined(separator: ", "))
        let key = "\(state.stateName) --> \(next.stateName)"
        if let index = edges.firstIndex(where: { $0.key == key }) {
          edges[index].inputs.append(label)
        } else {
          edges.append((key, [label]))
        }
      }
    }
    let lines = edges.map { "    \($0.key): \($0.inputs.joined(separator: "<br>"))" }
    return (["```mermaid", "stateDiagram-v2", "    [*] --> idle"] + lines + ["```"]).joined(separator: "\n")
  }

  @Test func theDocumentedDiagramsAreThoseOfTheCode() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Sources/Protocol/IAP2/IAP2.docc/Lifecycle.md").standardizedFileURL
    var text = try String(contentsOf: file, encoding: .utf8)
    for policy in LifecyclePolicy.allCases {
      let heading = "### \(policy.rawValue)\n"
      let start = try #require(text.range(of: heading)?.upperBound, "\(heading)")
      let end = try #require(text.range(of: "```\n", range: start..<text.endIndex)?.upperBound)
      let wanted = "\n\(Self.diagram(policy))\n"
      if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
        text.replaceSubrange(start..<end, with: wanted)
      } else {
        #expect(String(text[start..<end]) == wanted, "IAP2_RECORD_GOLDEN=1 tools/test --filter LifecycleDiagram")
      }
    }
    if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }
}
