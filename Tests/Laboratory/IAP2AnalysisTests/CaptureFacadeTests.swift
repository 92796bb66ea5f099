// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Replay
import IAP2Roles
import IAP2Runtime
import IAP2Simulation
import IAP2Transport
import Testing

@Suite struct CaptureFacadeTests {
  private static func capture(_ name: String) throws -> Capture {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../captures").standardized
    return Capture([UInt8](try Data(contentsOf: folder.appending(path: name))))
  }

  @Test func filteredLinesArePartOfAllLines() throws {
    let capture = try Self.capture("failures/authentication-failed.txt")
    let all = capture.lines()
    let control = try capture.lines(matching: "control")
    #expect(!control.isEmpty && control.count < all.count)
    #expect(control == all.filter { $0.layer == "control" })
  }

  @Test func aWrongFilterHasItsColumn() throws {
    let capture = try Self.capture("failures/authentication-failed.txt")
    let problem = #expect(throws: CaptureFilterProblem.self) { try capture.lines(matching: "record = ") }
    #expect(problem?.description.hasPrefix("character \(problem?.column ?? 0): ") == true)
  }

  /// The captures in `captures/failures` are named after their stop points.
  @Test func explanationsNameTheStopPoint() throws {
    let explanations = try Self.capture("failures/authentication-failed.txt").explanations()
    #expect(explanations.map(\.stopPoint) == ["authentication-failed"])
    #expect(explanations.first?.isComplete == false && explanations.first?.causes.isEmpty == false)
  }

  @Test func differentSessionsHaveDifferences() throws {
    let (a, b) = (
      try Self.capture("failures/authentication-failed.txt"), try Self.capture("failures/authentication-missing.txt")
    )
    #expect(try a.compared(with: a).isEqual)
    #expect(try !a.compared(with: b).isEqual)
    #expect(throws: Capture.NoSession.self) { try a.compared(with: Capture([])) }
  }

  @Test func aDiagramIsAPicture() throws {
    let picture = try Self.capture("failures/authentication-failed.txt").diagram(name: "a < b")
    #expect(picture.contains("<svg") && picture.contains("a &lt; b") && !picture.contains("a < b"))
  }

  @Test func aReplayComparesThePeerWithTheRecording() throws {
    let capture = try Self.capture("synthetic/worked-session.txt")
    let result = try VirtualTime.run { clock in
      let pair = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = clock
      let headUnit = HeadUnit(profile: .standard(), options: options)
      async let peer = headUnit.run(on: pair.accessory)
      let result = try await capture.replay(as: .phone, on: pair.device, clock: clock)
      _ = await peer
      return result
    }
    // The peer is not the recorded accessory, so its identification differs.
    #expect(result.sentCount > 0 && result.receivedCount > 0 && !result.isEqual)
    #expect(!result.differences.isEmpty)
  }
}
