// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Dispatch
import Foundation
import Glibc
import IAP2
import Synchronization
import Testing

@testable import CarPlayCommand

@Suite struct ContentWriterTests {
  @Test func aWriterThatDoesNotKeepUpSaysSoAndKeepsABound() throws {
    let writer = ContentWriter()
    let states = Mutex<[Bool]>([])
    writer.whenPressureChanges { isPressed in states.withLock { $0.append(isPressed()) } }
    let mayWrite = DispatchSemaphore(value: 0)
    let written = Mutex(0)
    let piece = ContentWriter.maximumWaiting / 4
    writer.write(byteCount: piece) { mayWrite.wait() }
    for _ in 0..<3 { writer.write(byteCount: piece) { written.withLock { $0 += 1 } } }
    #expect(states.withLock { $0 } == [true])
    mayWrite.signal()
    try writer.close()
    #expect(states.withLock { $0 } == [true, false] && written.withLock { $0 } == 3)
    // Content that comes all the same is lost from then on, and told.
    writer.write(byteCount: 2 * ContentWriter.maximumWaiting) { mayWrite.wait() }
    writer.write(byteCount: 1) { Issue.record("this was written") }
    mayWrite.signal()
    #expect(throws: CommandFailure.self) { try writer.close() }
  }

  @Test func aFailureStopsWhatFollows() {
    let writer = ContentWriter()
    writer.write(byteCount: 1) { throw CommandFailure(.failed, "no space") }
    writer.write(byteCount: 1) { Issue.record("this was written") }
    #expect(throws: CommandFailure.self) { try writer.close() }
  }
}

@Suite struct ScreenFileTests {
  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "content-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) } }
    try body(folder)
  }

  @Test func theFileOfAnEarlierRunStaysUntilTheFirstBytes() throws {
    try inFolder { folder in
      let screen = folder.appending(path: "screen.h264")
      try Data("earlier".utf8).write(to: screen)
      try ScreenFile(screen.path()).close()
      #expect(try Data(contentsOf: screen) == Data("earlier".utf8))
      let file = try ScreenFile(screen.path())
      file.take(.screen(.screen, [1, 2]), at: .zero)
      file.take(.screen(.screen, [3]), at: .zero)
      try file.close()
      #expect(try Data(contentsOf: screen) == Data([1, 2, 3]))
    }
  }

  /// A pipe as `--screen` whose reader reads nothing: what does not fit is given up.
  @Test func aReaderOfAPipeThatDoesNotReadIsGivenUp() throws {
    var ends: [Int32] = [0, 0]
    let isMade = unsafe pipe(&ends) == 0
    #expect(isMade)
    defer { for end in ends { close(end) } }
    let writer = PipeWriter(ends[1], name: "the reader")
    let queue = DispatchQueue(label: "test")
    let isRefused = Mutex(false)
    queue.async {
      do { try writer.write([UInt8](repeating: 1, count: 1 << 20)) } catch { isRefused.withLock { $0 = true } }
    }
    #expect(!writer.finish(queue, within: 0.1))
    #expect(isRefused.withLock { $0 })
  }
}

@Suite struct SessionOutputTests {
  @Test func anEndThatWaitsForTheLinkIsToldBeforeTheNextSession() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
    defer { do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) } }
    let pairings = try PairingFile(path: folder.appending(path: "pairings.json").path())
    let events = Mutex<[SessionEvent]>([])
    let output = SessionOutput(
      .headUnit, json: true, isLinked: true, pairings: pairings, linkTime: .seconds(600), now: { .zero },
      onEvent: { event, _ in events.withLock { $0.append(event) } })
    let session: [SessionEvent] = [.state(.connected), .ended(.controlLost)]
    for event in session + session { output.take(event) }
    #expect(events.withLock { $0 } == [.state(.connected), .ended(.controlLost), .state(.connected)])
    output.endsWithLink("transportClosed")
    #expect(events.withLock { $0 }.suffix(1) == [.ended(.linkLost)])
    output.flush()
    #expect(events.withLock { $0 }.count == 4)
  }
}
