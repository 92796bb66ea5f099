// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// Times that no capture program can mean (FieldBehavior.md#f31).
@Suite struct CaptureTimeTests {
  private static let start = BTSnoop.epochMicroseconds + 1_700_000_000_000_000

  /// Returns the times of the packets of a log with these times, and the analyzer.
  private static func times(_ written: [Int64]) -> (times: [Double?], analyzer: CaptureAnalyzer<LineSink>) {
    var log = LinkLog()
    for time in written { log.send(log.packet([0, 1, 2], end: 0), end: 0, time: time) }
    let analyzer = LinkLog.read(log.bytes)
    return (analyzer.sink.lines.filter { $0.layer == "link" }.map(\.time), analyzer)
  }

  private static func isClose(_ times: [Double?], _ expected: [Double]) -> Bool {
    times.count == expected.count && zip(times, expected).allSatisfy { abs(($0 ?? .infinity) - $1) < 1e-6 }
  }

  private static func implausible(_ analyzer: CaptureAnalyzer<LineSink>) -> [CaptureNotice] {
    analyzer.notices.filter { if case .decidedSides = $0 { false } else { true } }
  }

  @Test func microsecondsInTheUpperWordAreReadAsTime() {
    // 32 bits of microseconds wrap around after 71 minutes. Small steps back stay.
    let upper: [UInt32] = [0xFFFF_FC18, 0xFFFF_FC18, 0x0000_0000, 0x0000_07D0, 0x0000_03E8]
    let (times, analyzer) = Self.times(upper.map { Int64(bitPattern: UInt64($0) << 32) })
    #expect(Self.isClose(times, [0, 0, 0.001, 0.003, 0.002]))
    #expect(analyzer.startNanoseconds == nil)
    #expect(Self.implausible(analyzer) == [.upperWordTimes])
  }

  @Test(arguments: [Int64.min, -1, 0, 4_294_967_297, Int64.max]) func anImplausibleTimeTakesTheTimeBeforeIt(time: Int64)
  {
    let (times, analyzer) = Self.times([Self.start, Self.start + 1000, time, time, Self.start + 3000])
    #expect(Self.isClose(times, [0, 0.001, 0.001, 0.001, 0.003]))
    #expect(analyzer.startNanoseconds == 1_700_000_000_000_000_000)
    #expect(Self.implausible(analyzer) == [.implausibleTimes(count: 2, firstRecord: 3)])
  }

  @Test func aFileWithoutAPlausibleTimeHasNoTimes() {
    let (times, analyzer) = Self.times([0, 4_294_967_297, -5])
    #expect(times == [nil, nil, nil] && analyzer.startNanoseconds == nil)
    #expect(Self.implausible(analyzer) == [.implausibleTimes(count: 3, firstRecord: 1)])
  }

  /// A clock that is set while the log is written: the times before and after it stay true to their steps.
  @Test func aClockThatIsSetMakesNoSilenceOfYears() {
    let boot = BTSnoop.epochMicroseconds + 5_000_000
    let (times, analyzer) = Self.times([boot, boot + 1000, Self.start, Self.start + 500, boot])
    #expect(Self.isClose(times, [0, 0.001, 0.001, 0.0015, 0.0015]))
    #expect(Self.implausible(analyzer) == [.implausibleTimes(count: 2, firstRecord: 3)])
  }

  @Test func aWeekendOfSilenceIsPlausible() {
    let (times, analyzer) = Self.times([Self.start, Self.start + 3 * 86_400_000_000, Self.start - 1000])
    #expect(Self.isClose(times, [0, 259_200, -0.001]) && Self.implausible(analyzer).isEmpty)
  }

  @Test func timesBeyond64BitsOfNanosecondsAreImplausibleInPcapngToo() throws {
    var writer = CaptureWriter(.pcapng)
    var bytes = writer.header
    for time in [1_000, .min, 2_000] as [Int64] {
      bytes += writer.record(CaptureWriter.Record(nanoseconds: time, from: .accessory, bytes: LinkScanner.detect))
    }
    let analyzer = LinkLog.read(bytes)
    #expect(Self.isClose(analyzer.sink.lines.map(\.time), [0, 0, 0.000001]))
    #expect(analyzer.notices == [.implausibleTimes(count: 1, firstRecord: 2)])
  }
}
