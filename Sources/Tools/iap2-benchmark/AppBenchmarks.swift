// swift-iap2 · Apache-2.0

import AccessoryPlatform
import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import IAP2
import IAP2Runtime
import IAP2Sockets
import IAP2Transport
import Synchronization

/// Benchmarks of the streams that an app has, compared with the engine's own stream over the same transport.
enum AppBenchmarks {
  static let byteCount = 64 << 20
  private static let name = "com.example.work"
  private static let bufferByteCount = 65_536

  /// The sent bytes: a pattern without a short period.
  private static let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ $0 >> 16) }

  static func run() async throws {
    let offer = LinkSynchronization.standard
    let engine = try await TCPBenchmarks.session(
      .echo, byteCount: byteCount, window: offer.maxOutstandingPackets, length: offer.maxPacketLength)
    print(Figure(name: "engine's stream, 64 MiB echoed over TCP", rate: engine, unit: "B").line)
    for (name, size, work) in [
      ("polled, buffers of 64 KiB, over TCP", bufferByteCount, Echo.poll),
      ("events, buffers of 64 KiB, over TCP", bufferByteCount, Echo.waitForEvents),
      ("polled, default buffers, over TCP", nil, Echo.poll),
      ("events, default buffers, over TCP", nil, Echo.waitForEvents),
    ] as [(String, Int?, @Sendable (Echo) -> Void)] {
      let rate = try await overTCP(size, work)
      print(Figure(name: name, rate: rate, unit: "B", ratio: rate / engine, limit: "the engine's stream").line)
    }
    for (name, size, work) in [
      ("polled, buffers of 64 KiB, accessory in the process", bufferByteCount, Echo.poll),
      ("events, buffers of 64 KiB, accessory in the process", bufferByteCount, Echo.waitForEvents),
      ("events, default buffers, accessory in the process", nil, Echo.waitForEvents),
    ] as [(String, Int?, @Sendable (Echo) -> Void)] {
      let rate = try await inMemory(size, work)
      print(Figure(name: name, rate: rate, unit: "B", ratio: rate / engine, limit: "the engine's stream").line)
    }
    print(String(format: "one event and its answer, own run loop: %.1f µs", await turn(onMain: false)))
    print(String(format: "one event and its answer, main run loop: %.1f µs", await turn(onMain: true)))
  }

  // MARK: Echo

  private static func begin(_ size: Int?) async {
    await AccessoryBench.reset()
    AccessoryBench.declare(protocols: [name])
    if let size {
      AccessoryBench.options.outputByteCount = size
      AccessoryBench.options.inputByteCount = size
    }
  }

  @Sendable private static func serve(_ stream: ExternalAccessoryStream) async {
    while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
  }

  private static func overTCP(_ size: Int?, _ work: @escaping @Sendable (Echo) -> Void) async throws -> Double {
    await begin(size)
    let source = try await TransportAddress.tcpListen(host: "127.0.0.1", port: 0).open()
    let headUnit = HeadUnit(profile: .standard(protocols: [name], features: []))
    await headUnit.serve(name, serve)
    let attached = try AccessoryBench.attach(
      transport: source.address.replacingOccurrences(of: "tcp-listen", with: "tcp"))
    async let served: Void = {
      do { if let peer = try await source.next() { _ = await headUnit.run(on: peer) } } catch {}
    }()
    let start = ContinuousClock.now
    while attached.eaAccessory == nil, ContinuousClock.now - start < .seconds(10) {
      try await Task.sleep(for: .milliseconds(1))
    }
    let rate = await measure(attached.eaAccessory, work)
    await AccessoryBench.reset()
    await headUnit.drop()
    await source.close()
    await served
    return rate
  }

  private static func inMemory(_ size: Int?, _ work: @escaping @Sendable (Echo) -> Void) async throws -> Double {
    await begin(size)
    let attached = try await AccessoryBench.attach(name: "Work", protocols: [name], services: [name: serve])
    let rate = await measure(attached.eaAccessory, work)
    await AccessoryBench.reset()
    return rate
  }

  /// Runs an echo on a thread of its own and returns its bytes per second.
  private static func measure(_ accessory: EAAccessory?, _ work: @escaping @Sendable (Echo) -> Void) async -> Double {
    guard let accessory, let session = EASession(accessory: accessory, forProtocol: name) else {
      fatalError("no session")
    }
    let echo = Echo(session, bytes)
    let start = ContinuousClock.now
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        work(echo)
        done.resume()
      }
    }
    let rate = Double(byteCount) / TCPBenchmarks.seconds(since: start)
    guard echo.received == bytes else { fatalError("other bytes came back") }
    return rate
  }

  // MARK: Events

  /// Returns the microseconds of an event on a run loop, which another thread requests, and of the answer to that
  /// thread.
  private static func turn(onMain: Bool) async -> Double {
    let count = 20_000
    return await withCheckedContinuation { (done: CheckedContinuation<Double, Never>) in
      let answers = DispatchSemaphore(value: 0)
      @Sendable func request(_ delivery: EventDelivery) {
        Thread.detachNewThread {
          let start = ContinuousClock.now
          for _ in 0..<count {
            delivery.request()
            answers.wait()
          }
          let microseconds = TCPBenchmarks.seconds(since: start) * 1e6 / Double(count)
          delivery.cancel()
          done.resume(returning: microseconds)
        }
      }
      guard !onMain else { return request(EventDelivery(.main, .default) { answers.signal() }) }
      Thread.detachNewThread {
        let turns = Mutex(0)
        let delivery = EventDelivery(.current, .default) {
          turns.withLock { $0 += 1 }
          answers.signal()
        }
        request(delivery)
        while turns.withLock({ $0 }) < count, RunLoop.current.run(mode: .default, before: .distantFuture) {}
      }
    }
  }
}

/// A session that sends bytes and keeps what comes back.
///
/// Invariant for `@unchecked Sendable`: one thread at a time uses it.
private final class Echo: NSObject, StreamDelegate, @unchecked Sendable {
  private let input: InputStream
  private let output: OutputStream
  private let bytes: [UInt8]
  private var sentCount = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private(set) var received: [UInt8] = []
  private var isOver: Bool { received.count >= bytes.count || input.streamStatus != .open }

  init(_ session: EASession, _ bytes: [UInt8]) {
    guard let input = session.inputStream, let output = session.outputStream else { fatalError("no streams") }
    (self.input, self.output, self.bytes) = (input, output, bytes)
    received.reserveCapacity(bytes.count)
  }

  @Sendable static func poll(_ echo: Echo) {
    echo.input.open()
    echo.output.open()
    while !echo.isOver {
      if echo.output.hasSpaceAvailable { echo.write() }
      if echo.input.hasBytesAvailable { echo.read() } else { sched_yield() }
    }
    echo.close()
  }

  @Sendable static func waitForEvents(_ echo: Echo) {
    for stream in [echo.input, echo.output] as [Stream] {
      stream.delegate = echo
      stream.schedule(in: .current, forMode: .default)
      stream.open()
    }
    while !echo.isOver, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    echo.close()
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasSpaceAvailable: write()
    case .hasBytesAvailable: read()
    default: break
    }
  }

  private func write() {
    let count = min(buffer.count, bytes.count - sentCount)
    guard count > 0 else { return }
    let taken = unsafe bytes.withUnsafeBufferPointer { all in
      guard let start = all.baseAddress else { return 0 }
      return unsafe output.write(start + sentCount, maxLength: count)
    }
    sentCount += max(0, taken)
  }

  private func read() {
    let count = unsafe input.read(&buffer, maxLength: buffer.count)
    if count > 0 { received += buffer[..<count] }
  }

  private func close() {
    input.close()
    output.close()
  }
}
