// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import IAP2
import IAP2Transport

/// One function of a gadget, and the three threads that wait on its files.
///
/// The threads exist as long as the gadget and serve its users. The link has one user at a time. A native EA protocol
/// has one user for each session, one after another. Bytes from the host that arrive without a user wait or are
/// discarded, as `files.keepsFirstBytes` says.
///
/// Invariant for `@unchecked`: `changed` guards all mutable state.
final class GadgetFunction: @unchecked Sendable {
  /// The time between two attempts. FunctionFS reports that the function is disabled a little before or after its files
  /// fail.
  private static let retryMicroseconds: UInt32 = 2000
  /// The time in seconds that the host has to fetch the last packet. It limits the wait for a host that does not read.
  static let drainSeconds = 0.1

  let address: String
  let isNative: Bool
  private let files: any GadgetFiles
  private let drainSeconds: Double
  private let onEvent: @Sendable (FunctionEvent) -> Void
  private let changed = NSCondition()
  /// Continuations to resume once the lock is free. Resuming a task takes a lock that a cancellation holds while it
  /// calls `cancel`. Resuming under this lock would cause a deadlock.
  private var due: [() -> Void] = []
  private var isEnabled = false
  /// The number of times that the function was enabled.
  private var enableCount = 0
  private var isClosing = false
  private var current: GadgetTransport?
  /// Sessions that wait for the end of the previous one.
  private var waiting: [GadgetTransport] = []
  /// Whether the current session ends as soon as its reads and writes have returned.
  private var isLeaving = false
  private var outgoingCount = 0
  private var startedThreads = 3
  /// The threads that are running.
  private var threads: [pthread_t] = []
  /// The threads that block in a read or a write.
  private var reading: pthread_t?
  private var writing: pthread_t?

  init(
    _ files: any GadgetFiles, isNative: Bool, address: String, drainSeconds: Double = drainSeconds,
    onEvent: @escaping @Sendable (FunctionEvent) -> Void = { _ in }
  ) {
    self.files = files
    self.isNative = isNative
    self.address = address
    self.drainSeconds = drainSeconds
    self.onEvent = onEvent
    for work in [watch, readOn, writeOn] {
      startThread(usbThread) {
        ThreadInterruption.allow()
        self.locked { self.threads.append(pthread_self()) }
        work()
        self.locked {
          self.threads.removeAll { $0 == pthread_self() }
          self.startedThreads -= 1
        }
      }
    }
  }

  /// Calls `body` under the lock and wakes the waiting threads.
  private func locked<Result>(_ body: () -> Result) -> Result {
    changed.lock()
    defer { unlock() }
    return body()
  }

  private func unlock() {
    let due = due
    self.due = []
    changed.broadcast()
    changed.unlock()
    for report in due { report() }
  }

  /// Ends the threads and closes the files. Blocks until then.
  ///
  /// The threads' calls into the kernel end when the gadget leaves its bus. If it did not leave, a signal ends them.
  func close() {
    locked { isClosing = true }
    files.stopEvents()
    changed.lock()
    while startedThreads > 0 {
      for thread in threads { ThreadInterruption.interrupt(thread) }
      waitForNextTry()
    }
    changed.unlock()
    disable()
    files.close()
  }

  // MARK: Users

  var isIdle: Bool { locked { current == nil } }

  /// Returns a new user. For the link, returns nil unless the host has enabled the function and has sent what the files
  /// require, and there is no user yet.
  func connect(_ gadget: any GadgetUse) -> GadgetTransport? {
    locked {
      guard !isClosing, isNative || isEnabled && current == nil && files.isReadyForConnection else { return nil }
      let transport = GadgetTransport(self, of: gadget)
      if current == nil { current = transport } else { waiting.append(transport) }
      return transport
    }
  }

  /// Ends the use by a user. Bytes that the host has not taken yet may still be sent.
  func cancel(_ transport: GadgetTransport) {
    locked {
      end(transport, .closed)
      if current === transport, !isNative { current = nil }
    }
  }

  /// Ends a native session. Cancels its reads and writes, so that the next session starts without old bytes. Blocks
  /// until then.
  func leave(_ transport: GadgetTransport) {
    changed.lock()
    defer { unlock() }
    end(transport, .closed)
    waiting.removeAll { $0 === transport }
    guard current === transport else { return }
    isLeaving = true
    changed.broadcast()
    while reading != nil || writing != nil {
      for thread in [reading, writing] { if let thread { ThreadInterruption.interrupt(thread) } }
      waitForNextTry()
    }
    isLeaving = false
    // The session may have ended in another way meanwhile.
    if current === transport { current = waiting.isEmpty ? nil : waiting.removeFirst() }
  }

  /// Waits before the next signal, because a signal may arrive before its thread blocks.
  private func waitForNextTry() {
    _ = changed.wait(until: Date(timeIntervalSinceNow: Double(Self.retryMicroseconds) / 1e6))
  }

  private func end(_ transport: GadgetTransport, _ reason: TransportError) {
    transport.isOver = true
    answer(transport, reason)
  }

  private func answer(_ transport: GadgetTransport, _ failure: TransportError?) {
    guard let outgoing = transport.outgoing else { return }
    transport.outgoing = nil
    guard let done = outgoing.done else { return }
    due.append { done.resume(returning: failure) }
  }

  func send(_ bytes: [UInt8], of owner: GadgetTransport) async -> TransportError? {
    await withCheckedContinuation { done in
      locked {
        if !owner.isOver, isNative || current === owner && isEnabled, owner.outgoing == nil {
          outgoingCount += 1
          owner.outgoing = GadgetTransport.Outgoing(number: outgoingCount, bytes: bytes, done: done)
        } else {
          due.append { done.resume(returning: .closed) }
        }
      }
    }
  }

  /// Waits until the host has taken the last bytes, or until the time limit. Blocks.
  ///
  /// A controller may report a short packet as written as soon as the packet is in the controller's buffer, and may
  /// drop it when the gadget leaves the bus. Linux's `dummy_hcd.c` does so for up to 64 bytes, its FIFO_SIZE. An empty
  /// packet behind it waits until that buffer is free.
  func drain(_ transport: GadgetTransport) {
    changed.lock()
    defer { unlock() }
    guard current === transport, isEnabled, !isClosing, !transport.isOver, transport.outgoing == nil else { return }
    outgoingCount += 1
    transport.outgoing = GadgetTransport.Outgoing(number: outgoingCount, bytes: [])
    changed.broadcast()
    let limit = Date(timeIntervalSinceNow: drainSeconds)
    while transport.outgoing != nil, changed.wait(until: limit) {}
  }

  /// Wakes the reading thread, because the inbox has room again.
  func caughtUp() { locked {} }

  // MARK: Events

  private func watch() {
    while let events = files.nextEvents() {
      for event in events {
        switch event {
        case .enable:
          locked {
            isEnabled = true
            enableCount += 1
          }
        case .disable, .unbind: disable()
        case .bind, .setup, .suspend, .resume: break
        }
        onEvent(event)
      }
    }
  }

  private func disable() {
    locked {
      isEnabled = false
      for transport in [current].compactMap({ $0 }) + waiting {
        let reason = TransportError.unplugged(address: address)
        due.append { transport.inbox.finish(reason) }
        end(transport, reason)
      }
      current = nil
      waiting = []
    }
  }

  // MARK: Bytes

  /// Waits until a condition holds. Returns false if the gadget closes.
  private func wait(until condition: () -> Bool) -> Bool {
    while !isClosing, !condition() { changed.wait() }
    return !isClosing
  }

  /// Waits until bytes from the host are wanted. Returns false if the gadget closes.
  private func beginReading() -> Bool {
    changed.lock()
    defer { changed.unlock() }
    let isWanted = wait { isEnabled && !isLeaving && (current.map { !$0.inbox.isFull } ?? !files.keepsFirstBytes) }
    if isWanted { reading = pthread_self() }
    return isWanted
  }

  private func readOn() {
    var buffer = [UInt8](repeating: 0, count: FunctionFiles.chunkByteCount)
    while beginReading() {
      let outcome = files.read(into: &buffer)
      let inbox = locked {
        reading = nil
        return current?.inbox
      }
      if case .done(let count) = outcome, count > 0 { _ = inbox?.append(buffer.rawBytes.extracting(0..<count)) }
      switch outcome {
      case .done, .interrupted: break
      case .disabled: usleep(Self.retryMicroseconds)
      case .failed(let number): fail(number, "read")
      }
    }
  }

  private func writeOn() {
    while let (transport, next, enabling) = nextOutgoing() {
      let failure = write(next, of: transport)
      locked {
        // The files fail before the event is read. Until the event, a new user would fail in the same way.
        if case .unplugged = failure, enabling == enableCount { isEnabled = false }
        guard transport.outgoing?.number == next.number else { return }
        answer(transport, failure)
      }
    }
  }

  /// Waits for bytes to write. Returns them with the number of times that the function was enabled; nil if the gadget
  /// closes.
  private func nextOutgoing() -> (GadgetTransport, GadgetTransport.Outgoing, enabling: Int)? {
    changed.lock()
    defer { changed.unlock() }
    guard wait(until: { isEnabled && !isLeaving && current?.outgoing != nil }), let transport = current,
      let outgoing = transport.outgoing
    else { return nil }
    return (transport, outgoing, enableCount)
  }

  /// Marks the start of a write. Returns false if the bytes are no longer wanted, because a host that does not read may
  /// have delayed them until now.
  private func beginWriting(_ next: GadgetTransport.Outgoing, of transport: GadgetTransport) -> Bool {
    locked {
      guard transport.outgoing?.number == next.number, !isClosing else { return false }
      writing = pthread_self()
      return true
    }
  }

  /// Writes all bytes. Adds an empty packet after a full last packet or if there are no bytes, because FunctionFS adds
  /// none.
  private func write(_ next: GadgetTransport.Outgoing, of transport: GadgetTransport) -> TransportError? {
    var rest = next.bytes[...]
    var isEnded = false
    while !rest.isEmpty || !isEnded {
      guard beginWriting(next, of: transport) else { return nil }
      let packet = rest.isEmpty ? files.packetByteCount ?? 0 : 0
      // A short last packet needs no empty packet.
      let isNeeded = !rest.isEmpty || packet > 0 && next.bytes.count.isMultiple(of: packet)
      let outcome = isNeeded ? files.write(rest.prefix(files.writeByteCount)) : .done(0)
      locked { writing = nil }
      switch outcome {
      case .done(let count):
        isEnded = rest.isEmpty
        rest = rest.dropFirst(count)
      case .interrupted: break
      // A host that selects a setting of a native interface cancels the pending write. None of its bytes were sent.
      case .disabled where isNative: usleep(Self.retryMicroseconds)
      case .disabled: return .unplugged(address: address)
      case .failed(let number): return .system(number: number, operation: "\(address): write")
      }
    }
    return nil
  }

  private func fail(_ number: Int32, _ operation: String) {
    locked {
      if let inbox = current?.inbox {
        let reason = TransportError.system(number: number, operation: "\(address): \(operation)")
        due.append { inbox.finish(reason) }
      }
      if !isNative { current = nil }
    }
    usleep(Self.retryMicroseconds)
  }
}

/// A way to interrupt a thread of this program in a blocking read or write.
///
/// FunctionFS cancels a request only for a signal; then either its bytes were transferred or none. A program that does
/// not use SIGURG ignores it. So an extra SIGURG to a thread of this program disturbs nothing else.
enum ThreadInterruption {
  /// Whether the handler is installed. A signal without a handler interrupts nothing.
  private static let isInstalled: Bool = {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    return unsafe sigaction(SIGURG, &action, nil) == 0
  }()

  /// Unblocks the signal for the calling thread. Threads of a pool have signals blocked.
  static func allow() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGURG)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  static func interrupt(_ thread: pthread_t) {
    if isInstalled { _ = pthread_kill(thread, SIGURG) }
  }
}
