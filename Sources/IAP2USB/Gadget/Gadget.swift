// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Runtime
import Synchronization

/// A function on a USB device controller, and the three threads that wait for its files.
///
/// The threads live as long as the gadget; connections come and go on them, one at a time. What the host sends while there
/// is none is nobody's.
///
/// Invariant for `@unchecked`: `changed` guards everything that changes.
final class Gadget: @unchecked Sendable {
  /// Bytes to the host, and who waits until they are gone.
  private struct Outgoing {
    var number: Int
    var bytes: [UInt8]
    var owner: GadgetTransport
    var done: CheckedContinuation<TransportError?, Never>
  }

  /// FunctionFS tells that it is disabled a little before or after its files do.
  private static let retryMicroseconds: UInt32 = 2000

  let address: String
  private let tree: GadgetTree
  private let files: any GadgetFunction
  private let onEvent: @Sendable (GadgetEvent) -> Void
  private let changed = NSCondition()
  private var isEnabled = false
  /// No further connection.
  private var isStopping = false
  private var isClosing = false
  private var isRemoved = false
  private var current: GadgetTransport?
  private var outgoing: Outgoing?
  private var outgoingCount = 0
  private var threads = 3
  /// Wakes the source.
  let enabled = Signal()

  /// - Parameter describe: tells the kernel of the function, whose folder and address it is given.
  init(
    controller: String, identity: GadgetIdentity, onEvent: @escaping @Sendable (GadgetEvent) -> Void,
    describe: (String, String) throws(TransportError) -> any GadgetFunction
  ) throws(TransportError) {
    address = identity.address(controller)
    self.onEvent = onEvent
    let tree = try GadgetTree(controller: controller, identity: identity)
    self.tree = tree
    do {
      try tree.make()
      files = try describe(tree.functionFolder, address)
    } catch {
      tree.remove()
      tree.release()
      throw error
    }
    for work in [watch, readOn, writeOn] {
      startThread {
        work()
        self.locked { self.threads -= 1 }
      }
    }
    do { try tree.attach() } catch {
      close()
      throw error
    }
  }

  /// Does something under the lock, and wakes the threads to look at it.
  private func locked<Result>(_ body: () -> Result) -> Result {
    changed.lock()
    defer {
      changed.broadcast()
      changed.unlock()
    }
    return body()
  }

  /// Gives no further connection, and goes when the one there is has ended. Blocks, though not for that end.
  func stop() {
    let isIdle = locked {
      isStopping = true
      return current == nil
    }
    enabled.notify()
    if isIdle { close() }
  }

  /// Takes the gadget off the bus, ends the threads, removes everything. Blocks.
  func close() {
    let isFirst = locked {
      defer { isClosing = true }
      return !isClosing
    }
    guard isFirst else {
      changed.lock()
      while !isRemoved { changed.wait() }
      return changed.unlock()
    }
    // This also ends reads and writes under way.
    tree.detach()
    files.stopEvents()
    changed.lock()
    while threads > 0 { changed.wait() }
    changed.unlock()
    disable()
    files.close()
    tree.remove()
    tree.release()
    locked { isRemoved = true }
  }

  // MARK: Connections

  /// A new connection if the host has enabled the function and there is none yet.
  func connect() -> GadgetTransport? {
    locked {
      guard isEnabled, !isStopping, current == nil, files.isSpokenTo else { return nil }
      let transport = GadgetTransport(self)
      current = transport
      return transport
    }
  }

  var isOver: Bool { locked { isStopping } }

  /// The connection wants no more; the function stays.
  func drop(_ transport: GadgetTransport) {
    let isLast = locked {
      if outgoing?.owner === transport {
        outgoing?.done.resume(returning: .closed)
        outgoing = nil
      }
      guard current === transport else { return false }
      current = nil
      return isStopping
    }
    if isLast { startThread { self.close() } }
    enabled.notify()
  }

  func send(_ bytes: [UInt8], of owner: GadgetTransport) async -> TransportError? {
    await withCheckedContinuation { done in
      locked {
        if current === owner, isEnabled, outgoing == nil {
          outgoingCount += 1
          outgoing = Outgoing(number: outgoingCount, bytes: bytes, owner: owner, done: done)
        } else {
          done.resume(returning: .closed)
        }
      }
    }
  }

  /// Room again for what the host sends.
  func caughtUp() { locked {} }

  // MARK: Events

  private func watch() {
    while let events = files.nextEvents() {
      for event in events {
        switch event {
        case .enable: enable()
        case .disable, .unbind: disable()
        case .bind, .setup, .suspend, .resume: break
        }
        onEvent(event)
      }
    }
  }

  private func enable() {
    locked { isEnabled = true }
    enabled.notify()
  }

  private func disable() {
    locked {
      isEnabled = false
      current?.inbox.finish(.unplugged(address: address))
      current = nil
      outgoing?.done.resume(returning: .unplugged(address: address))
      outgoing = nil
    }
  }

  // MARK: Bytes

  /// Waits until a condition holds; false when the gadget closes.
  private func wait(until condition: () -> Bool) -> Bool {
    changed.lock()
    defer { changed.unlock() }
    while !isClosing, !condition() { changed.wait() }
    return !isClosing
  }

  private func readOn() {
    var buffer = [UInt8](repeating: 0, count: FunctionFiles.chunkByteCount)
    while wait(until: { isEnabled && (current.map { !$0.inbox.isFull } ?? !files.keepsFirstBytes) }) {
      switch files.read(into: &buffer) {
      case .done(let count) where count > 0:
        let inbox = locked { current?.inbox }
        _ = inbox?.append(buffer.rawBytes.extracting(0..<count))
      case .done, .interrupted: break
      case .disabled: usleep(Self.retryMicroseconds)
      case .failed(let number): fail(number, "read")
      }
    }
  }

  private func writeOn() {
    while wait(until: { isEnabled && outgoing != nil }) {
      guard let next = locked({ outgoing }) else { continue }
      let failure = write(next)
      locked {
        guard outgoing?.number == next.number else { return }
        outgoing?.done.resume(returning: failure)
        outgoing = nil
      }
    }
  }

  /// Writes all of it; after a full last packet an empty one, which FunctionFS does not send by itself.
  private func write(_ next: Outgoing) -> TransportError? {
    var rest = next.bytes[...]
    repeat {
      // A host that has stopped reading may have kept it until nobody wants it sent any more.
      guard locked({ outgoing?.number == next.number }) else { return nil }
      switch files.write(rest.prefix(files.writeByteCount)) {
      case .done(let count): rest = rest.dropFirst(count)
      case .interrupted: break
      case .disabled: return .unplugged(address: address)
      case .failed(let number): return .system(number: number, operation: "\(address): write")
      }
    } while !rest.isEmpty
    guard let packet = files.packetByteCount, packet > 0, next.bytes.count.isMultiple(of: packet) else { return nil }
    _ = files.write([])
    return nil
  }

  private func fail(_ number: Int32, _ operation: String) {
    locked {
      current?.inbox.finish(.system(number: number, operation: "\(address): \(operation)"))
      current = nil
    }
    usleep(Self.retryMicroseconds)
  }
}

/// One connection on a gadget: from the host's enabling the function to its end, or until it was closed.
final class GadgetTransport: ByteTransport {
  private let gadget: Gadget
  let inbox = Inbox()

  var address: String { gadget.address }

  init(_ gadget: Gadget) { self.gadget = gadget }

  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await inbox.take()
    gadget.caughtUp()
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    guard !bytes.isEmpty else { return }
    let failure = await withTaskCancellationHandler {
      await gadget.send(bytes, of: self)
    } onCancel: {
      gadget.drop(self)
    }
    if let failure { throw failure }
  }

  func close() async {
    gadget.drop(self)
    inbox.finish()
  }
}
