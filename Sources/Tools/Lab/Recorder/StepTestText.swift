// swift-iap2 · Apache-2.0

/// Writes a scenario as a test in Swift, which plays it in virtual time.
enum StepTestText {
  static func test(_ yaml: String) -> String {
    // A text in the scenario must not end the literal.
    var marks = "#"
    while yaml.contains("\"\"\"\(marks)") || yaml.contains("\\\(marks)") { marks += "#" }
    let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return """
      // Recorded by iap2 lab. A test target with it depends on the product IAP2Scenario.

      import IAP2Runtime
      import IAP2Scenario
      import Testing

      @Suite struct RecordedTests {
        @Test func recordedSession() throws {
          let scenario = try Scenario(yaml: Self.yaml, file: "recorded.yaml")
          let failure = try VirtualTime.run { time in
            await ScenarioPlayer(scenario, clock: time, show: { _, _ in }).play().failure
          }
          #expect(failure == nil)
        }

        private static let yaml = \(marks)\"\"\"
      \(lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n"))
          \"\"\"\(marks)
      }

      """
  }
}
