// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import IAP2
import IAP2Transport

/// One function of a gadget, and the three threads that wait for its files.
///
/// The threads live as long as the gadget; users come and go on them. The link has one at a time; a native EA protocol has
/// one for each session, each after the other. What the host sends while there is none waits, or is nobody's, as the files
/// want it.
///
/// Invariant for `@unchecked`: `changed` guards everything that changes.
final class GadgetFunction: @unchecked Sendable {
  /// FunctionFS tells that it is disabled a little before or after its files do.
  private static let retryMicroseconds: UInt32 = 2000
  /// For a host to fetch the last packet; one that does not read keeps nobody longer.
  private static let drainSeconds = 0.1

  let address: String
  let isNative: Bool
  private let files: any GadgetFiles
  private let onEvent: @Sendable (FunctionEvent) -> Void
  private let changed = NSCondition()
  /// What tasks are told once the lock is free. Waking a task takes a lock of its own, which a cancellation holds while it
  /// calls `cancel`: under ours, both would wait for each other.
  private var due: [() -> Void] = []
  private var isEnabled = false
  /// How often it was enabled.
  private var enableCount = 0
  private var isClosing = false
  private var current: GadgetTransport?
  /// Sessions that wait for the end of the one before.
  private var waiting: [GadgetTransport] = []
  /// The current session ends as soon as its reads and writes are back.
  private var isLeaving = false
  private var outgoingCount = 0
  private var startedThreads = 3
  /// Those of them that run now.
  private var threads: [pthread_t] = []
  /// Threads that are in the kernel with a read or a write.
  private var reading: pthread_t?
  private var writing: pthread_t?

  init(
    _ files: any GadgetFiles, isNative: Bool, address: String,
    onEvent: @escaping @Sendable (FunctionEvent) -> Void = { _ in }
  ) {
    self.files = files
    self.isNative = isNative
    self.address = address
    self.onEvent = onEvent
    for work in [watch, readOn, writeOn] {
      startThread {
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

  /// Does something under the lock, and wakes the threads to look at it.
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
    for tell in due { tell() }
  }

  /// Ends the threads. Blocks until then.
  ///
  /// That the gadget leaves its bus ends what they wait for in the kernel; where it did not leave, a signal does.
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

  /// A new user. For the link: if the host has enabled the function, is heard if it has to be, and there is none yet.
  func connect(_ gadget: any GadgetUse) -> GadgetTransport? {
    locked {
      guard !isClosing, isNative || isEnabled && current == nil && files.isSpokenTo else { return nil }
      let transport = GadgetTransport(self, of: gadget)
      if current == nil { current = transport } else { waiting.append(transport) }
      return transport
    }
  }

  /// The user wants no more; what the host has kept of its bytes may still leave.
  func cancel(_ transport: GadgetTransport) {
    locked {
      end(transport, .closed)
      if current === transport, !isNative { current = nil }
    }
  }

  /// Ends a native session: reads and writes under way are taken back, so that the next session begins with nothing.
  /// Blocks until then.
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
    // It may have gone otherwise meanwhile.
    if current === transport { current = waiting.isEmpty ? nil : waiting.removeFirst() }
  }

  /// A signal may have come before its thread was where it waits.
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

  /// Returns when the host has what was sent last, or has had the time for it. Blocks.
  ///
  /// A controller may call a short packet written as soon as it has it in a buffer of its own, and forgets it when the
  /// gadget leaves its bus: Linux's `dummy_hcd.c` does, up to its FIFO_SIZE of 64 bytes. An empty packet behind it waits
  /// until that buffer is free.
  func drain(_ transport: GadgetTransport) {
    changed.lock()
    defer { unlock() }
    guard current === transport, isEnabled, !isClosing, !transport.isOver, transport.outgoing == nil else { return }
    outgoingCount += 1
    transport.outgoing = GadgetTransport.Outgoing(number: outgoingCount, bytes: [])
    changed.broadcast()
    let limit = Date(timeIntervalSinceNow: Self.drainSeconds)
    while transport.outgoing != nil, changed.wait(until: limit) {}
  }

  /// Room again for what the host sends.
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

  /// Waits until a condition holds; false when the gadget closes.
  private func wait(until condition: () -> Bool) -> Bool {
    while !isClosing, !condition() { changed.wait() }
    return !isClosing
  }

  /// Waits until there is something to read for; false when the gadget closes.
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
        // The files know before the event is read: until then a new user would find the same.
        if case .unplugged = failure, enabling == enableCount { isEnabled = false }
        guard transport.outgoing?.number == next.number else { return }
        answer(transport, failure)
      }
    }
  }

  /// What is to be written, and how often the function had been enabled then.
  private func nextOutgoing() -> (GadgetTransport, GadgetTransport.Outgoing, enabling: Int)? {
    changed.lock()
    defer { changed.unlock() }
    guard wait(until: { isEnabled && !isLeaving && current?.outgoing != nil }), let transport = current,
      let outgoing = transport.outgoing
    else { return nil }
    return (transport, outgoing, enableCount)
  }

  /// False when nobody wants it sent any more: a host that has stopped reading may have kept it until then.
  private func beginWriting(_ next: GadgetTransport.Outgoing, of transport: GadgetTransport) -> Bool {
    locked {
      guard transport.outgoing?.number == next.number, !isClosing else { return false }
      writing = pthread_self()
      return true
    }
  }

  /// Writes all of it; after a full last packet, or none, an empty one, which FunctionFS does not send by itself.
  private func write(_ next: GadgetTransport.Outgoing, of transport: GadgetTransport) -> TransportError? {
    var rest = next.bytes[...]
    var isEnded = false
    while !rest.isEmpty || !isEnded {
      guard beginWriting(next, of: transport) else { return nil }
      let packet = rest.isEmpty ? files.packetByteCount ?? 0 : 0
      // An empty packet is not wanted after a short one.
      let isNeeded = !rest.isEmpty || packet > 0 && next.bytes.count.isMultiple(of: packet)
      let outcome = isNeeded ? files.write(rest.prefix(files.writeByteCount)) : .done(0)
      locked { writing = nil }
      switch outcome {
      case .done(let count):
        isEnded = rest.isEmpty
        rest = rest.dropFirst(count)
      case .interrupted: break
      // A host that selects a setting of a native interface takes back what waits there; nothing of it has been sent.
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

/// Gets a thread of ours out of a blocking read or write.
///
/// FunctionFS takes a request back for a signal and for nothing else; then either its bytes were moved, or none. SIGURG
/// is ignored by programs that do not want it, so that one more of it, to a thread of ours, disturbs nobody.
enum ThreadInterruption {
  /// A signal without a handler interrupts nothing.
  private static let isInstalled: Bool = {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    return unsafe sigaction(SIGURG, &action, nil) == 0
  }()

  /// Threads that come from a pool have signals blocked; called by the one that wants to be interrupted.
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
