// swift-iap2 · Apache-2.0

import Testing

@testable import LogSupport

@Suite struct LogTests {
  @Test("A message has its values, whatever their privacy is")
  func message() {
    let (name, count) = ("Blue Monk", 3)
    let message: OSLogMessage = "song \(name, privacy: .private(mask: .hash)), \(count, privacy: .public) of 7"
    #expect(message.text == "song Blue Monk, 3 of 7")
  }

  @Test("A message has its values in their forms and columns")
  func forms() {
    let (level, mask, name) = (2.25, UInt8(255), "a")
    let message: OSLogMessage = """
      \(level, format: .fixed(precision: 1)) \(mask, format: .hex) [\(name, align: .right(columns: 3))] \
      [\(mask, format: .decimal, align: .left(columns: 5))] \(level, format: .exponential, privacy: .public)
      """
    #expect(message.text == "2.2 ff [  a] [255  ] 2.250000e+00")
    #expect(("\(name, align: .left(columns: .max))" as OSLogMessage).text.count == 200)
  }

  @Test("A disabled log writes nothing, and every other writes all levels")
  func enabled() {
    #expect(!OSLog.disabled.isEnabled(type: .fault))
    #expect(OSLog(subsystem: "a", category: .pointsOfInterest).isEnabled(type: .debug))
  }
}
