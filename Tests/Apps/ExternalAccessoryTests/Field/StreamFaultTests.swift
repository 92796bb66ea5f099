// swift-iap2 · Apache-2.0

import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Synchronization
import Testing

/// Failures of the field around streams. Each test has a naive app that fails and a careful one that does not.
extension AccessoryAppTests {
  @MainActor @Suite struct FieldStreams {
    private let message = (0..<100).map { UInt8($0) }

    /// Attaches an accessory that keeps what it receives.
    private func attachKeeper(_ faults: String) async throws -> AttachedAccessory {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      return try await AccessoryBench.attach(name: "Keeper", protocols: [echoName], faults: faults)
    }

    private func attachScript(_ script: String) async throws -> AttachedAccessory {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      return try await AccessoryBench.attach(name: "Scripted", scripts: [echoName: script])
    }

    /// Writes a message in pieces without a look at the space, and takes each write for whole.
    private final class BlindWriter: Talker {
      override func write() {
        for start in stride(from: 0, to: pending.count, by: 20) {
          _ = session?.outputStream?.put(pending[start..<min(start + 20, pending.count)])
        }
        pending = []
      }
    }

    @Test func aWriteTakesOnlyWhatFits() async throws {
      let attached = try await attachKeeper("space=7")
      let naive = BlindWriter()
      naive.open(attached.eaAccessory)
      naive.send(message)
      naive.close()
      let careful = Talker()
      #expect(careful.open(attached.eaAccessory), "the session before has sent all that its stream took")
      let naiveBytes = attached.received(echoName)
      #expect(naive.pending.isEmpty && !naiveBytes.isEmpty && naiveBytes.count < message.count)
      careful.send(message)
      try await until { attached.received(echoName).count == naiveBytes.count + message.count }
      #expect(Array(attached.received(echoName).dropFirst(naiveBytes.count)) == message)
    }

    @Test func withoutAnotherSpaceEventTheTimerOfTheCarefulAppWrites() async throws {
      let attached = try await attachKeeper("space=7,mute-output=1")
      // Both open the same way; only the careful app has a timer that looks at the streams.
      let app = Talker()
      app.open(attached.eaAccessory)
      try await until {
        AccessoryBench.log.contains { $0.event == .streamEvent(.output, echoName, .hasSpaceAvailable) }
      }
      app.send(message)
      try await until { attached.received(echoName).count >= 7 && app.session?.outputStream?.hasSpaceAvailable == true }
      #expect(attached.received(echoName).count < message.count, "the naive app waits for an event")
      try await until {
        app.look()
        return attached.received(echoName).count == message.count
      }
      #expect(attached.received(echoName) == message)
      let events = AccessoryBench.log.count { $0.event == .streamEvent(.output, echoName, .hasSpaceAvailable) }
      #expect(events == 1)
    }

    @Test func withoutAnotherBytesEventTheTimerOfTheCarefulAppReads() async throws {
      let attached = try await attachEcho(faults: "mute-input=1")
      let app = Talker()
      app.open(attached.eaAccessory)
      app.send("one ")
      try await until { app.text == "one " }
      app.send("two")
      try await until { app.session?.inputStream?.hasBytesAvailable == true }
      #expect(app.text == "one ", "the naive app waits for an event")
      app.look()
      #expect(app.text.hasPrefix("one t"))
    }

    /// Takes each read for one message.
    private class ReadTaker: Talker {
      var messages: [String] = []

      override func read() {
        while let input = session?.inputStream, input.hasBytesAvailable, let bytes = input.bytes(4096) {
          take(String(decoding: bytes, as: UTF8.self))
        }
      }

      func take(_ text: String) { messages.append(text) }
    }

    /// Reads to the end of a line.
    private final class LineParser: ReadTaker {
      private var rest = ""

      override func take(_ text: String) {
        rest += text
        var lines = rest.components(separatedBy: "\n")
        rest = lines.removeLast()
        messages += lines.map { "\($0)\n" }
      }
    }

    @Test(arguments: ["short-read=3", "splitting=1,coalescing=0.5"], [false, true])
    func aReadIsNotAMessage(faults: String, isCareful: Bool) async throws {
      let attached = try await attachEcho(faults: faults)
      let app = isCareful ? LineParser() : ReadTaker()
      app.open(attached.eaAccessory)
      app.send("temperature\npressure\n")
      try await until { app.messages.joined().count == 21 }
      #expect((app.messages == ["temperature\n", "pressure\n"]) == isCareful)
    }

    /// Adds what a write returns, also -1.
    private final class Adder: Talker {
      var sentCount = 0

      override func write() {
        guard let output = session?.outputStream else { return }
        sentCount += output.put(pending.dropFirst(max(0, sentCount)))
      }

      override func end(isError: Bool) { write() }
    }

    @Test func aWriteAfterTheEndIsNoNumberOfBytes() async throws {
      let attached = try await attachKeeper("")
      let naive = Adder()
      naive.open(attached.eaAccessory)
      await attached.close(echoName)
      try await until {
        AccessoryBench.log.contains { $0.event == .streamEvent(.output, echoName, .endEncountered) }
      }
      naive.pending = message
      naive.write()
      #expect(naive.sentCount < 0, "the next slice begins before the message, which crashed in the field")
      _ = naive.forget().map { $0.close() }
      let careful = Talker()
      careful.open(attached.eaAccessory)
      await attached.close(echoName)
      try await until { careful.hasEnded }
      careful.send(message)
      #expect(careful.hasEnded && careful.pending == message, "the message is kept for the next session")
    }

    /// Waits for the end of the output stream, and knows no error.
    private final class OutputEnd: Talker {
      override func end(isError: Bool) {}
    }

    @Test(arguments: ["error", "one", "silent"])
    func theEndOfASessionIsToldInSeveralWays(way: String) async throws {
      let attached = try await attachEcho(faults: "end-as=\(way)")
      let (naive, careful) = (OutputEnd(), Talker())
      let notices = Notices(disconnected: { accessory in
        if accessory.connectionID == careful.connectionID { careful.end(isError: true) }
      })
      naive.open(attached.eaAccessory)
      await attached.unplug()
      let ends = AccessoryBench.log.filter { $0.event == .streamEvent(.output, echoName, .endEncountered) }
      #expect(ends.isEmpty && naive.session != nil, "the naive app waits for that event")
      await attached.plug()
      careful.open(attached.eaAccessory)
      await attached.unplug()
      try await until { careful.hasEnded }
      #expect(careful.hasEnded && careful.session == nil)
      _ = naive.forget().map { $0.close() }
      withExtendedLifetime(notices) {}
    }

    @Test func aWriteOnAnotherThreadIsReported() async throws {
      let attached = try await attachKeeper("strict-thread")
      let careful = Talker()
      careful.open(attached.eaAccessory)
      careful.send(message)
      try await until { attached.received(echoName).count == message.count }
      #expect(!AccessoryBench.log.contains { $0.event == .usedOnOtherThread(.output, echoName) })
      careful.close()
      struct Streams: @unchecked Sendable { let session: EASession? }
      let naive = Talker()
      naive.open(attached.eaAccessory)
      let carried = Streams(session: naive.session)
      await onThread { _ = carried.session?.outputStream?.put([1]) }
      #expect(AccessoryBench.log.contains { $0.event == .usedOnOtherThread(.output, echoName) })
    }

    @Test func aPropertyThatHangsFreezesTheAppThatAsksOnItsMainThread() async throws {
      let attached = try await attachEcho(faults: "hang-property=300")
      let carried = try Carried(attached)
      let picture = Picture()
      let session = try #require(carried.open())
      session.inputStream?.open()
      picture.draw()
      #expect(session.inputStream?.hasBytesAvailable == false)
      #expect(!picture.isShown, "nothing was drawn while the property hung")
      try await until { picture.isShown }
      struct Streams: @unchecked Sendable { let input: InputStream? }
      let streams = Streams(input: session.inputStream)
      let wasShown = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
        Thread.detachNewThread {
          picture.draw()
          // The main thread may be busy with other tests, for longer than one property hangs.
          for _ in 0..<200 where !picture.isShown { _ = streams.input?.hasBytesAvailable }
          done.resume(returning: picture.isShown)
        }
      }
      #expect(wasShown, "the careful app draws while the property hangs on another thread")
    }

    /// Has printed when the stream has taken the document.
    private class QuickPrinter: Talker {
      var isPrinted: Bool { pending.isEmpty }
    }

    /// Has printed when the printer says so.
    private final class SurePrinter: QuickPrinter {
      override var isPrinted: Bool { text == "OK" }
    }

    @Test(arguments: [false, true])
    func aPrinterThatPrintsNothingSaysNothing(isCareful: Bool) async throws {
      let attached = try await attachScript("discard")
      let app = isCareful ? SurePrinter() : QuickPrinter()
      app.open(attached.eaAccessory)
      app.send(message)
      try await until { app.pending.isEmpty }
      #expect(app.isPrinted == !isCareful)
      guard isCareful else { return }
      // A printer that sleeps answers late, and the careful app waits.
      let sleeper = try await attachScript(#"[{expect: {hex: "01"}, after: 0.05, reply: "OK"}]"#)
      let waiting = SurePrinter()
      waiting.open(sleeper.eaAccessory)
      waiting.send([1])
      #expect(!waiting.isPrinted)
      try await until { waiting.isPrinted }
      #expect(waiting.isPrinted)
    }

    @Test func anAccessoryThatIsLockedAfterACancelNeedsAReplug() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let isLocked = Mutex(false)
      let unanswered = Mutex(0)
      let attached = try await AccessoryBench.attach(
        name: "Lock", protocols: [echoName],
        services: [
          echoName: { session in
            while let bytes = await session.read() {
              if bytes.last == UInt8(ascii: "C") { isLocked.withLock { $0 = true } }
              guard !isLocked.withLock({ $0 }) else {
                unanswered.withLock { $0 += 1 }
                continue
              }
              do { try await session.write(bytes) } catch { return }
            }
          }
        ])
      let app = Talker()
      app.open(attached.eaAccessory)
      app.send("C")
      try await until { unanswered.withLock { $0 } == 1 }
      // The naive app opens another session and asks again.
      app.close()
      #expect(app.open(attached.eaAccessory))
      app.send("R")
      try await until { unanswered.withLock { $0 } == 2 }
      #expect(app.text == "")
      // The careful app asks its user to plug the accessory in again.
      await attached.unplug()
      isLocked.withLock { $0 = false }
      await attached.plug()
      app.pending = []
      #expect(app.open(attached.eaAccessory))
      app.send("R")
      try await until { app.text == "R" }
      #expect(app.text == "R")
    }
  }
}
