// swift-iap2 · Apache-2.0

import CaptureSupport
import Foundation
import IAP2
import Testing

@testable import IAP2Analysis

/// Judges the explanations of captures/blind, which were made without knowledge of how `iap2 explain` works.
@Suite struct BlindCaptureTests {
  /// The right answer for a capture.
  private struct Answer: Decodable {
    var file: String
    var complete: Bool
    /// The side that made the mistake, or `none`.
    var side: String
    /// The id of the rule that the explanation names, or of its stop point; nil for a healthy session.
    var found: String?
  }

  private static func answers() throws -> [Answer] {
    try JSONDecoder().decode([Answer].self, from: Data(try CaptureFiles.bytes("blind/answers.json")))
  }

  @Test func everyCaptureHasItsAnswer() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: CaptureFiles.root.appending(path: "blind").path())
    #expect(Set(names).subtracting(["answers.json"]) == Set(try Self.answers().map(\.file)))
  }

  @Test func theSideAndTheRuleAreNamed() throws {
    for answer in try Self.answers() {
      let found = try #require(ExplanationTests.explain(try CaptureFiles.bytes("blind/\(answer.file)")).last)
      let line = ExplanationLine(found)
      #expect(line.complete == answer.complete, "\(answer.file)")
      guard !answer.complete else { continue }
      #expect((line.rule?.side ?? line.turn) == answer.side, "\(answer.file)")
      #expect((line.rule?.id ?? line.point) == answer.found, "\(answer.file)")
    }
  }
}
