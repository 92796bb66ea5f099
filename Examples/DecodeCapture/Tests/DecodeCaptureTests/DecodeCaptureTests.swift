import Foundation
import IAP2Analysis
import IAP2Capture
import Testing

@testable import decode_capture

private let captures = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../../../captures").standardized

private func capture(_ name: String) throws -> Capture {
  Capture([UInt8](try Data(contentsOf: captures.appending(path: name))))
}

@Test func theMessagesOfAFilterArePrinted() throws {
  let lines = try DecodeCapture.lines(of: capture("failures/authentication-failed.txt"), matching: "control")
  #expect(lines.contains { $0.hasSuffix("AuthenticationFailed") })
  #expect(lines.last?.hasPrefix("connection 1: ") == true)
}

@Test func aFilterThatIsNoneHasItsColumn() throws {
  let capture = try capture("failures/authentication-failed.txt")
  #expect(throws: CaptureFilterProblem.self) { try capture.lines(matching: "seq = ") }
}

@Test func aCaptureIsEqualToItself() throws {
  let capture = try capture("failures/authentication-failed.txt")
  #expect(try capture.compared(with: capture).isEqual)
  #expect(capture.diagram(name: "session").hasPrefix("<?xml"))
}
