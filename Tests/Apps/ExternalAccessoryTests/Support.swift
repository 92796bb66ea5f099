// swift-iap2 · Apache-2.0

import Dispatch
import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Synchronization
import Testing

/// All tests of the one phone of the process, one after another.
@Suite(.serialized) struct AccessoryAppTests {}

let echoName = "com.example.echo"

/// A service that sends back what it reads.
@Sendable func echo(_ session: ExternalAccessoryStream) async {
  while let bytes = await session.read() { do { try await session.write(bytes) } catch { return } }
}

/// Resets the bench and attaches an accessory that echoes.
///
/// - Parameter count: The bytes that it echoes; it reads those after them, so that a longer transfer never ends.
func attachEcho(upTo count: Int = .max, faults: String = "") async throws -> AttachedAccessory {
  await AccessoryBench.reset()
  AccessoryBench.declare(protocols: [echoName])
  let service: @Sendable (ExternalAccessoryStream) async -> Void = { session in
    var left = count
    while let bytes = await session.read() {
      let answer = Array(bytes.prefix(left))
      left -= answer.count
      do { if !answer.isEmpty { try await session.write(answer) } } catch { return }
    }
  }
  return try await AccessoryBench.attach(
    name: "Echo", protocols: [echoName, "com.example.other"], services: [echoName: service], faults: faults)
}

/// The bytes of a pattern without a short period.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

extension InputStream {
  /// Reads at most this number of bytes; nil after the end or an error.
  func bytes(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe self.read(&bytes, maxLength: count)
    return read < 0 ? nil : Array(bytes.prefix(read))
  }
}

extension OutputStream {
  func put(_ bytes: some Collection<UInt8>) -> Int {
    let bytes = Array(bytes)
    return unsafe write(bytes, maxLength: bytes.count)
  }
}

/// A session with its delegate: sends bytes as space permits, keeps what it reads, and records the events.
///
/// It is used by one thread at a time: that of its run loop.
final class Client: NSObject, StreamDelegate {
  let session: EASession
  private let bytes: [UInt8]
  private let sentCount = Mutex(0)
  let received = Mutex<[UInt8]>([])
  let events = Mutex<[String]>([])
  private let expected: Int
  private let finished = DispatchSemaphore(value: 0)
  private let isFinished = Mutex(false)
  /// Called with the number of received bytes.
  let onReceived: @Sendable (Int) -> Void

  init(_ session: EASession, sending bytes: [UInt8], onReceived: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.session = session
    self.bytes = bytes
    expected = bytes.count
    self.onReceived = onReceived
  }

  /// Schedules both streams in a run loop and opens them, in one of the orders that apps have.
  func begin(in loop: RunLoop, mode: RunLoop.Mode = .default, order: Int = 0) {
    guard let input = session.inputStream, let output = session.outputStream else { return }
    for stream in order & 1 == 0 ? [input, output] : [output, input] as [Stream] {
      let steps: [() -> Void] = [
        { stream.delegate = self }, { stream.schedule(in: loop, forMode: mode) }, { stream.open() },
      ]
      let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
      for step in orders[order / 2 % 6] { steps[step]() }
    }
  }

  func end() {
    for stream in [session.inputStream, session.outputStream] as [Stream?] {
      stream?.close()
      stream?.delegate = nil
    }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    let side = stream === session.inputStream ? "input" : "output"
    events.withLock { $0.append("\(side) \(Self.name(of: event))") }
    switch event {
    case .hasBytesAvailable: readAll()
    case .hasSpaceAvailable: writeSome()
    case .endEncountered, .errorOccurred: finish()
    default: break
    }
  }

  private func readAll() {
    while let input = session.inputStream, input.hasBytesAvailable, let bytes = input.bytes(8192) {
      let count = received.withLock {
        $0 += bytes
        return $0.count
      }
      onReceived(count)
      if count == expected { finish() }
    }
  }

  private func writeSome() {
    sentCount.withLock { sent in
      guard sent < bytes.count else { return }
      sent += max(0, session.outputStream?.put(bytes[sent..<min(sent + 8192, bytes.count)]) ?? 0)
    }
  }

  private func finish() {
    let isFirst = isFinished.withLock { isFinished in
      defer { isFinished = true }
      return !isFinished
    }
    if isFirst { finished.signal() }
  }

  var isOver: Bool { isFinished.withLock { $0 } }

  /// Waits on a thread of its own. Returns false if the client has not finished within a minute.
  func finishedInTime() async -> Bool { await waits(for: finished) }

  static func name(of event: Stream.Event) -> String {
    switch event {
    case .openCompleted: "open"
    case .hasBytesAvailable: "bytes"
    case .hasSpaceAvailable: "space"
    case .errorOccurred: "error"
    case .endEncountered: "end"
    default: "unknown"
    }
  }
}

/// Waits for a semaphore, at most a minute. The thread is its own, because Dispatch replaces a blocked one only after a
/// second, for which other tests would wait.
func waits(for semaphore: DispatchSemaphore) async -> Bool {
  await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
    Thread.detachNewThread { done.resume(returning: semaphore.wait(timeout: .now() + 60) == .success) }
  }
}

/// Runs a body on a thread of its own and returns when it has returned.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
    Thread.detachNewThread {
      body()
      done.resume()
    }
  }
}

/// A client that another thread than that of its run loop looks at.
///
/// Invariant for `@unchecked Sendable`: only locked properties are used from another thread.
struct Shared: @unchecked Sendable {
  let client: Client
}

/// An accessory that goes to another thread.
///
/// Invariant for `@unchecked Sendable`: the object has no state of its own but a locked delegate.
struct Carried: @unchecked Sendable {
  let accessory: EAAccessory

  init(_ attached: AttachedAccessory) throws { accessory = try #require(attached.eaAccessory) }

  func open(_ name: String = echoName) -> EASession? { EASession(accessory: accessory, forProtocol: name) }
}

/// Waits until a condition holds, for at most a minute. It is no proof: the caller checks the condition again.
func until(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async throws {
  let limit = ContinuousClock.now + .seconds(60)
  while !condition(), ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(1)) }
}
