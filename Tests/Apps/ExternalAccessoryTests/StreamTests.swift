// swift-iap2 · Apache-2.0

import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Synchronization
import Testing

extension AccessoryAppTests {
  @Suite struct Streams {
    @Test(arguments: 0..<12) func everyOrderOfCallsOnTheMainRunLoopDeliversAllEvents(order: Int) async throws {
      let attached = try await attachEcho()
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(20_000))
      client.begin(in: .main, mode: order.isMultiple(of: 3) ? .common : .default, order: order)
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(20_000))
      let events = client.events.withLock { $0 }
      #expect(events.filter { $0 == "input open" }.count == 1)
      #expect(events.filter { $0 == "output open" }.count == 1)
      #expect(events.first { $0.hasPrefix("input") } == "input open")
      #expect(events.first { $0.hasPrefix("output") } == "output open")
      client.end()
    }

    @Test func aThreadOfItsOwnThatWaitsWithoutLimitGetsItsEvents() async throws {
      let carried = try Carried(try await attachEcho())
      let result = Mutex<[UInt8]>([])
      await onThread {
        guard let session = carried.open() else { return }
        let client = Client(session, sending: pattern(20_000))
        client.begin(in: .current)
        while !client.isOver, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        result.withLock { $0 = client.received.withLock { $0 } }
        client.end()
      }
      #expect(result.withLock { $0 } == pattern(20_000))
    }

    @Test func theRunLoopOfAnotherThreadGetsItsEvents() async throws {
      let carried = try Carried(try await attachEcho())
      struct Loop: @unchecked Sendable { let loop: RunLoop }
      let found = Mutex<Loop?>(nil)
      let ready = DispatchSemaphore(value: 0)
      let over = Mutex(false)
      async let thread: Void = onThread {
        let port = Timer(timeInterval: 3600, repeats: true) { _ in }
        RunLoop.current.add(port, forMode: .default)
        found.withLock { $0 = Loop(loop: .current) }
        ready.signal()
        while !over.withLock({ $0 }) {
          _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.2))
        }
        port.invalidate()
      }
      #expect(await waits(for: ready))
      let loop = try #require(found.withLock { $0 })
      let client = Client(try #require(carried.open()), sending: pattern(20_000))
      client.begin(in: loop.loop)
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(20_000))
      client.end()
      over.withLock { $0 = true }
      await thread
    }

    @Test func streamsWithoutARunLoopCanBePolledFromAnotherThread() async throws {
      let carried = try Carried(try await attachEcho())
      let result = Mutex<[UInt8]>([])
      await onThread {
        guard let session = carried.open(), let input = session.inputStream, let output = session.outputStream else {
          return
        }
        input.open()
        output.open()
        var rest = pattern(300_000)[...]
        var received: [UInt8] = []
        while received.count < 300_000, input.streamStatus == .open {
          if !rest.isEmpty, output.hasSpaceAvailable {
            let count = output.put(rest.prefix(10_000))
            #expect(count > 0, "a promised space takes at least one byte")
            rest = rest.dropFirst(max(0, count))
          }
          if input.hasBytesAvailable, let bytes = input.bytes(10_000) {
            #expect(!bytes.isEmpty, "a promised byte can be read")
            received += bytes
          }
        }
        result.withLock { $0 = received }
        input.close()
        output.close()
      }
      #expect(result.withLock { $0 } == pattern(300_000))
    }

    @Test func aReadWithoutBytesReturnsAtOnceAndAWriteWithoutSpaceTakesNothing() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      AccessoryBench.options.outputByteCount = 10
      let attached = try await AccessoryBench.attach(
        name: "Mute", protocols: [echoName], services: [echoName: { await $0.closed() }])
      let session = try #require(try Carried(attached).open())
      let (input, output) = (try #require(session.inputStream), try #require(session.outputStream))
      #expect(input.streamStatus == .notOpen && output.put([1]) == -1 && input.bytes(1) == nil)
      input.open()
      output.open()
      #expect(input.bytes(100) == [] && !input.hasBytesAvailable)
      #expect(output.put(pattern(100)) == 10)
      input.close()
      output.close()
      #expect(input.streamStatus == .closed && output.put([1]) == -1)
      input.close()
      output.remove(from: .main, forMode: .common)
    }

    @Test func partialWritesLoseNoByteAndNoEvent() async throws {
      let attached = try await attachEcho()
      AccessoryBench.options.outputByteCount = 7
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(5_000))
      client.begin(in: .main)
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(5_000))
      client.end()
    }

    @Test func someMebibytesComeBackByteForByte() async throws {
      let attached = try await attachEcho()
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(3 << 20))
      client.begin(in: .main)
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(3 << 20))
      client.end()
    }

    @Test func noEventFollowsACloseInTheHandler() async throws {
      final class Closer: NSObject, StreamDelegate {
        let count = Mutex(0)
        func stream(_ stream: Stream, handle event: Stream.Event) {
          count.withLock { $0 += 1 }
          stream.close()
        }
      }
      let attached = try await attachEcho()
      let session = try #require(try Carried(attached).open())
      let closers = [Closer(), Closer()]
      for (stream, closer) in zip([session.inputStream, session.outputStream] as [Stream?], closers) {
        stream?.delegate = closer
        stream?.schedule(in: .main, forMode: .default)
        stream?.open()
      }
      try await until { closers.allSatisfy { $0.count.withLock { $0 } > 0 } }
      // The pull would be the next event.
      await attached.unplug()
      #expect(closers.map { $0.count.withLock { $0 } } == [1, 1])
    }

    @Test func eventsWithoutAReaderMoveToTheMainQueue() async throws {
      let attached = try await attachEcho()
      AccessoryBench.options.undeliveredEventLimit = .milliseconds(20)
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(100))
      await onLoopThatEnds(Shared(client: client))
      #expect(await client.finishedInTime())
      #expect(AccessoryBench.log.contains { $0.event == .eventsNotTaken(.input, echoName) })
      client.end()
    }

    // Without a limit, an event of a loop that no thread runs would never come.
    @Test(arguments: [RunLoop.Mode.default, .common])
    func theRunLoopOfAThreadThatServesTheMainQueueNeedsNoWait(mode: RunLoop.Mode) async throws {
      let attached = try await attachEcho()
      AccessoryBench.options.undeliveredEventLimit = nil
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(20_000))
      let isMain = await begin(Shared(client: client), mode)
      #expect(!isMain)
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(20_000))
      client.end()
    }

    @Test func aLoopThatRunsWithinATurnOfTheMainQueueGetsItsEvents() async throws {
      let attached = try await attachEcho()
      AccessoryBench.options.undeliveredEventLimit = nil
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(20_000))
      await beginAndRunLoop(Shared(client: client))
      #expect(client.received.withLock { $0 } == pattern(20_000))
      client.end()
    }

    /// Schedules a client in the loop of the thread that serves the main queue. Returns whether it is the main run loop.
    @MainActor private func begin(_ shared: Shared, _ mode: RunLoop.Mode) -> Bool {
      shared.client.begin(in: .current, mode: mode)
      return RunLoop.current === RunLoop.main
    }

    /// Runs the loop in which it has scheduled a client, as an app does that waits in a function without `async`.
    @MainActor private func beginAndRunLoop(_ shared: Shared) {
      shared.client.begin(in: .current)
      while !shared.client.isOver, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    }

    private func onLoopThatEnds(_ shared: Shared) async {
      await onThread { shared.client.begin(in: .current) }
    }

    @Test func bytesThatWereReadFromTheAccessoryBeforeItsEndStayReadable() async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      let attached = try await AccessoryBench.attach(
        name: "Greeter", protocols: [echoName],
        services: [echoName: { do { try await $0.write(pattern(5_000)) } catch {} }])
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(1_000_000))
      client.begin(in: .main)
      #expect(await client.finishedInTime())
      #expect(client.received.withLock { $0 } == pattern(5_000))
      #expect(client.events.withLock { $0 }.contains("input end"))
      #expect(attached.eaAccessory?.isConnected == true)
      client.end()
    }

    /// A message of a length and a body, whose body comes when the app asks for it.
    @Test(arguments: [false, true])
    func twoReadsInARowGetASplitMessageOnlyIfReadsWait(isWaiting: Bool) async throws {
      await AccessoryBench.reset()
      AccessoryBench.declare(protocols: [echoName])
      AccessoryBench.options.blockingRead = isWaiting
      let attached = try await AccessoryBench.attach(
        name: "Split", protocols: [echoName],
        services: [
          echoName: { stream in
            do {
              try await stream.write([3])
              guard await stream.read() != nil else { return }
              try await stream.write([1, 2, 3])
            } catch { return }
            await stream.closed()
          }
        ])
      let carried = try Carried(attached)
      let reads = Mutex<[[UInt8]?]>([])
      await onThread {
        guard let session = carried.open(), let input = session.inputStream, let output = session.outputStream else {
          return
        }
        input.open()
        output.open()
        while !input.hasBytesAvailable, input.streamStatus == .open {}
        reads.withLock { $0.append(input.bytes(1)) }
        if isWaiting { _ = output.put([1]) }
        reads.withLock { $0.append(input.bytes(3)) }
        input.close()
        output.close()
      }
      #expect(reads.withLock { $0.first } == [3])
      #expect(reads.withLock { $0.last }??.isEmpty == !isWaiting)
    }

    @Test func anErrorAtTheEndIsAnOption() async throws {
      let attached = try await attachEcho(upTo: 1 << 16)
      AccessoryBench.options.streamEnd = .error
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(1_000_000))
      client.begin(in: .main)
      await attached.unplug()
      #expect(await client.finishedInTime())
      #expect(client.events.withLock { $0 }.contains { $0.hasSuffix("error") })
      #expect((client.session.inputStream?.streamError as NSError?)?.domain == NSPOSIXErrorDomain)
      AccessoryBench.options.streamErrorCode = 57
      #expect((client.session.inputStream?.streamError as NSError?)?.code == 57)
      client.end()
    }
  }
}

extension ExternalAccessoryStream {
  /// Waits for the end of the session and drops its bytes.
  func closed() async { while await read() != nil {} }
}
