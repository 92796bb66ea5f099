// swift-iap2 · Apache-2.0

import Dispatch
import IAP2
import IAP2Runtime
import IAP2Transport
import Synchronization

/// An open session: the engine's stream, the two streams of the app, and the pumps between them.
///
/// The session ends when the app has closed both streams, or when the accessory or the connection ends it. The session
/// of a disconnected accessory has no stream of the engine and carries nothing.
package final class SessionCore: Sendable {
  /// The name of the protocol.
  package var protocolName: String { label.protocolName }
  /// The input stream.
  package let input: StreamCore
  /// The output stream.
  package let output: StreamCore

  private struct State {
    var closedCount = 0
    var inputPump: Task<Void, Never>?
    var outputPump: Task<Void, Never>?
    var hasInputEnded = false
    /// The bytes of the app that are still to be lost.
    var swallowByteCount = 0
  }

  let label: SessionLabel
  private let connection: AccessoryConnection
  private let stream: ExternalAccessoryStream?
  private let slot: SessionSlot
  private let faults: PhoneFaults
  private let state = Mutex(State())
  private var thread: WorkThread { label.platform.phoneThread }

  init(
    _ stream: ExternalAccessoryStream?, _ protocolName: String, of connection: AccessoryConnection,
    in slot: SessionSlot
  ) {
    self.stream = stream
    self.connection = connection
    self.slot = slot
    faults = connection.platform.faults
    label = SessionLabel(
      platform: connection.platform, connectionID: connection.id, protocolName: protocolName)
    input = StreamCore(.input, of: label)
    output = StreamCore(.output, of: label)
  }

  func start() {
    label.log(.sessionOpened(protocolName))
    for side in [input, output] { side.whenClosed { self.streamClosed() } }
    guard let stream else { return }
    let inputPump = Task(executorPreference: thread) { await self.pumpInput(stream) }
    let outputPump = Task(executorPreference: thread) { await self.pumpOutput(stream) }
    state.withLock { state in
      state.swallowByteCount = faults.swallow ?? 0
      state.inputPump = inputPump
      state.outputPump = outputPump
    }
  }

  // MARK: Pumps

  private func pumpInput(_ stream: ExternalAccessoryStream) async {
    while let bytes = await stream.read() {
      var rest = bytes[...]
      while !rest.isEmpty, !Task.isCancelled {
        rest = rest.dropFirst(input.offer(rest))
        // While the buffer is full, the unread bytes hold the accessory back.
        if !rest.isEmpty { await input.pumpSignal.wait() }
      }
    }
    state.withLock { $0.hasInputEnded = true }
    guard !Task.isCancelled else { return }
    // The stream of the engine ends a moment before its connection, whose notice is to come first.
    if faults.noticeFirst { do { try await thread.sleep(Self.noticePause) } catch { return } }
    // The connection ends the session with the notice of its end.
    if !connection.reportsEndItself { end() }
  }

  private func pumpOutput(_ stream: ExternalAccessoryStream) async {
    while !Task.isCancelled {
      let taken = output.takeOutput()
      guard !taken.isEmpty else {
        await output.pumpSignal.wait()
        continue
      }
      let bytes = swallow(taken)
      let before = stream.bytesSent
      do { try await stream.send(bytes) } catch {
        let sent = stream.bytesSent - before
        return await flush(Array(bytes.dropFirst(sent)), to: stream)
      }
      guard stream.isOpen else { return }
      output.sent(taken.count)
    }
    await flush([], to: stream)
  }

  /// Removes the bytes that a fault loses.
  private func swallow(_ bytes: [UInt8]) -> [UInt8] {
    guard faults.swallow != nil else { return bytes }
    let count = state.withLock { state in
      let count = min(state.swallowByteCount, bytes.count)
      state.swallowByteCount -= count
      return count
    }
    return Array(bytes.dropFirst(count))
  }

  /// Writes the bytes that the app wrote before it closed the stream, within the limit of an orderly end.
  private func flush(_ rest: [UInt8], to stream: ExternalAccessoryStream) async {
    let rest = rest + swallow(output.takeOutput())
    guard !rest.isEmpty, stream.isOpen else { return }
    let clock = thread
    // A new task, because this one is cancelled.
    await Task(executorPreference: thread) {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { do { try await stream.write(rest) } catch {} }
        group.addTask {
          do { try await clock.sleep(until: clock.now.adding(milliseconds: Self.flushMilliseconds)) } catch {}
        }
        await group.next()
        group.cancelAll()
      }
    }.value
  }

  private static var noticePause: Duration { .milliseconds(100) }

  private static var flushMilliseconds: Int { 5000 }

  // MARK: The end

  private func streamClosed() {
    let isLast = state.withLock { state in
      state.closedCount += 1
      return state.closedCount == 2
    }
    if isLast { close() }
  }

  /// Ends the session without waiting. The slot is free when the accessory knows of the end.
  private func close() {
    // A session that lingers does not let the next one wait.
    if faults.linger == nil { slot.beginClosing() }
    connection.forget(self)
    let (inputPump, outputPump) = state.withLock { ($0.inputPump, $0.outputPump) }
    inputPump?.cancel()
    outputPump?.cancel()
    Task(executorPreference: thread) {
      await outputPump?.value
      await self.stream?.close()
      await inputPump?.value
      await self.label.platform.wait(for: \.linger)
      self.endSession()
    }
  }

  /// The app has released its session object. Its streams keep the session, unless the options say otherwise.
  package func ownerReleased() {
    guard label.platform.options.sessionOwnsStreams else { return }
    input.close()
    output.close()
  }

  /// Ends the session for a newer one of the same protocol.
  func replace() {
    endStreams()
    close()
  }

  private func endSession() { if slot.release() { label.log(.sessionClosed(protocolName)) } }

  /// Ends the session after the accessory or the connection has ended it.
  func end() {
    endStreams()
    endSession()
  }

  private func endStreams() {
    let end = connection.endsWithError ? .error : faults.endAs ?? label.platform.options.streamEnd
    input.end(end == .inputOnly ? .end : end)
    output.end(end == .inputOnly ? .silent : end)
  }

  /// Waits until the bytes that the phone has received are readable for the app, as far as they fit.
  func settleInput() async {
    // The pump runs on this thread; each yield gives it a turn.
    for _ in 0..<1000 {
      if stream == nil || state.withLock({ $0.hasInputEnded }) || input.isFull || input.isClosed { return }
      await Task.yield()
    }
  }

  var isEventDue: Bool { input.isEventDue || output.isEventDue }
}

/// The right to one session of a protocol of an accessory, from the request to the end of the session.
final class SessionSlot: Sendable {
  private struct State {
    var isClosing = false
    var isReleased = false
  }

  private let state = Mutex(State())
  private let gone = DispatchGroup()
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
    gone.enter()
  }

  /// Whether the app has given the session back, or the request for it was given up.
  var isClosing: Bool { state.withLock { $0.isClosing } }

  func beginClosing() { state.withLock { $0.isClosing = true } }

  /// Blocks until the slot is free. Returns false at the deadline.
  func wait(until deadline: DispatchTime) -> Bool { gone.wait(timeout: deadline) == .success }

  /// Frees the slot. Returns false if it is free already.
  func release() -> Bool {
    let isFirst = state.withLock { state in
      defer { state.isReleased = true }
      return !state.isReleased
    }
    guard isFirst else { return false }
    onRelease()
    gone.leave()
    return true
  }
}
