// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Testing

@testable import Lab

@Suite struct LabRequestTests {
  private static func request(_ text: String) throws(LabRequestProblem) -> LabRequest {
    try LabRequest(Array(text.utf8))
  }

  @Test("A verb has the arguments of scenarios")
  func verbs() throws {
    guard case .verb(let action) = try Self.request(#"{"do":"verb","verb":"unplug","arguments":{"noticed":false}}"#)
    else {
      Issue.record("no verb")
      return
    }
    #expect(action == CarAction(.unplug, ["noticed": .flag(false)]))
  }

  @Test(
    "What is no request has a reason",
    arguments: [
      "", "x", "[]", "{}", #"{"do":"fly"}"#, #"{"do":"verb"}"#, #"{"do":"verb","verb":"fly"}"#,
      #"{"do":"verb","verb":"begin"}"#, #"{"do":"verb","verb":"transport","arguments":{"input":"use"}}"#,
      #"{"do":"verb","verb":"turn","arguments":{"steps":1e9}}"#, #"{"do":"verb","verb":"tap","arguments":{"text":1}}"#,
      #"{"do":"touch","phase":"down","x":1}"#, #"{"do":"touch","phase":"sideways","x":1,"y":1}"#,
      #"{"do":"touch","display":9,"phase":"down","x":1,"y":1}"#, #"{"do":"speed","value":0}"#,
      #"{"do":"speed","value":1000}"#, #"{"do":"save","what":"everything"}"#, #"{"do":"line","text":"a: 1\nb: 2"}"#,
      #"{"do":"expect"}"#, #"{"ask":"detail"}"#, #"{"do":"touch","phase":"down","x":1e999,"y":1}"#,
    ])
  func wrong(text: String) {
    let problem = #expect(throws: LabRequestProblem.self) { _ = try Self.request(text) }
    #expect(problem?.text.isEmpty == false)
  }

  @Test("A finger far outside of the picture stays a number")
  func farAway() throws {
    guard case .touch(_, .move, let x, let y) = try Self.request(#"{"do":"touch","phase":"move","x":1e300,"y":-5.7}"#)
    else {
      Issue.record("no touch")
      return
    }
    #expect(x == 100_000 && y == -5)
  }
}
