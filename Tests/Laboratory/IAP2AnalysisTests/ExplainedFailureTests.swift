// swift-iap2 · Apache-2.0

import CaptureSupport
import Foundation
import IAP2
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

/// Judges the explanations of captures/explained by captures/explained/expected.json, which was written from the
/// protocol documents.
@Suite struct ExplainedFailureTests {
  /// The right explanation of a capture.
  private struct Expected: Decodable {
    /// The side that owes the next step or has the fault.
    var side: String
    var step: [String]
    /// The parameters of the identification that matter.
    var parameters: [Int]
    var causeWords: [String]
    var remedyWords: [String]
  }

  /// The number of causes that count: a user reads the first ones.
  private static let causes = 3

  private static func expected() throws -> [String: Expected] {
    try JSONDecoder().decode(
      [String: Expected].self, from: Data(try CaptureFiles.bytes("explained/expected.json")))
  }

  private static func contains(_ text: String, _ pattern: String) throws -> Bool {
    try Regex(pattern).ignoresCase().firstMatch(in: text) != nil
  }

  /// Returns what is wrong with an explanation; empty if it is right.
  private static func faults(_ explanation: Explanation, _ expected: Expected) throws -> [String] {
    let line = ExplanationLine(explanation)
    let json = try #require(
      JSONSerialization.jsonObject(with: try JSONEncoder().encode(line)) as? [String: Any])
    let causes = (json["causes"] as? [[String: String]] ?? []).prefix(Self.causes)
    let details = (json["details"] as? [String] ?? []).joined(separator: "\n")
    let point = json["text"] as? String ?? ""
    let steps = ((json["expected"] as? [String] ?? []) + [json["last"] as? String ?? "", details])
      .joined(separator: "\n")
    let turn = json["turn"] as? String ?? ""
    var faults: [String] = []
    if json["complete"] as? Bool != false { faults.append("complete") }
    if ![expected.side, "either"].contains(turn), !point.hasPrefix("The \(expected.side)") {
      faults.append("the side is \(turn)")
    }
    for step in expected.step where try !contains(steps, step) { faults.append("step \(step)") }
    for parameter in expected.parameters where try !contains(details, "\\b\(parameter) [A-Za-z]") {
      faults.append("parameter \(parameter)")
    }
    let text = ([point, details] + causes.compactMap { $0["text"] }).joined(separator: "\n")
    for word in expected.causeWords where try !contains(text, word) { faults.append("cause \(word)") }
    let checks = causes.compactMap { $0["check"] }.joined(separator: "\n")
    for word in expected.remedyWords where try !contains(checks, word) { faults.append("remedy \(word)") }
    return faults
  }

  @Test func everyCaptureHasItsExpectation() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: CaptureFiles.root.appending(path: "explained").path())
    let captures = Set(names.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) })
    #expect(captures == Set(try Self.expected().keys))
    var classes = Dictionary(grouping: captures) { $0.split(separator: ".")[0] }
    for layer in ["link", "authentication", "identification", "feature", "app"] {
      #expect(classes.removeValue(forKey: layer[...])?.count ?? 0 >= 7)
    }
    #expect(classes.count >= 20 && classes.values.allSatisfy { $0.count == 2 })
  }

  @Test func everyFailureIsExplainedRightly() throws {
    let expected = try Self.expected()
    var wrong: [String] = []
    for (name, right) in expected.sorted(by: { $0.key < $1.key }) {
      let found = ExplanationTests.explain(try CaptureFiles.bytes("explained/\(name).txt"))
      let faults = try found.first.map { try Self.faults($0, right) } ?? ["no explanation"]
      if !faults.isEmpty { wrong.append("\(name): \(found.first?.point.id ?? ""): \(faults.joined(separator: ", "))") }
    }
    #expect(wrong.isEmpty, "\(wrong.count) of \(expected.count) are wrong:\n\(wrong.joined(separator: "\n"))")
  }
}
