// swift-iap2 · Apache-2.0

import IAP2
import Synchronization

/// One end of an in-memory transport. Its buffers are bounded and it uses no threads, so it also runs in virtual time.
/// As USB does, it carries native EA protocols beside the link, whichever an accessory identifies.
public final class MemoryTransport: ByteTransport {
  /// The latency of a transport and the clock that measures it.
  public struct Delay: Sendable {
    /// The time in milliseconds from sending bytes to their arrival.
    public var milliseconds: Int
    /// The clock of the arrival times.
    public var clock: any RuntimeClock

    /// Creates a delay.
    public init(milliseconds: Int, clock: any RuntimeClock) {
      self.milliseconds = milliseconds
      self.clock = clock
    }
  }

  /// One direction of a transport.
  fileprivate final class Pipe: Sendable {
    struct State {
      var chunks: [(arrival: MonotonicTime, bytes: [UInt8])] = []
      var byteCount = 0
      var isClosed = false
    }
    let state = Mutex(State())
    let readable = Signal()
    let writable = Signal()
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func close(discarding: Bool) {
      state.withLock {
        $0.isClosed = true
        if discarding { $0.chunks = [] }
      }
      readable.notify()
      writable.notify()
    }
  }

  private let incoming: Pipe
  private let outgoing: Pipe
  private let delay: Delay?
  private let side: Side
  /// The native streams that both ends share; nil for a transport that is itself a native stream.
  private let natives: Natives?
  /// The text `loopback`, for both ends.
  public let address = "loopback"

  private init(_ side: Side, incoming: Pipe, outgoing: Pipe, natives: Natives?, delay: Delay?) {
    self.side = side
    self.incoming = incoming
    self.outgoing = outgoing
    self.natives = natives
    self.delay = delay
  }

  /// Creates the two ends of a transport.
  ///
  /// - Parameters:
  ///   - capacityByteCount: The fill level of one direction at which a send waits. A send below it is accepted whole.
  ///   - delay: The latency of both directions; nil delivers bytes at once.
  public static func pair(
    capacityByteCount: Int = 1 << 18, delay: Delay? = nil
  ) -> (accessory: MemoryTransport, device: MemoryTransport) {
    let toDevice = Pipe(capacity: capacityByteCount)
    let toAccessory = Pipe(capacity: capacityByteCount)
    let natives = Natives(capacity: capacityByteCount)
    return (
      MemoryTransport(.accessory, incoming: toAccessory, outgoing: toDevice, natives: natives, delay: delay),
      MemoryTransport(.device, incoming: toDevice, outgoing: toAccessory, natives: natives, delay: delay)
    )
  }

  private var now: MonotonicTime { delay?.clock.now ?? .zero }

  private enum Front {
    case bytes([UInt8])
    case onTheWay(until: MonotonicTime)
    case empty
    case ended
  }

  /// Returns the bytes of the oldest send that has arrived; nil at the end of the stream or when the task is cancelled.
  public func receive() async throws(TransportError) -> [UInt8]? {
    while true {
      let now = now
      let front: Front = incoming.state.withLock { state in
        guard let first = state.chunks.first else { return state.isClosed ? .ended : .empty }
        guard first.arrival <= now else { return .onTheWay(until: first.arrival) }
        state.byteCount -= first.bytes.count
        return .bytes(state.chunks.removeFirst().bytes)
      }
      switch front {
      case .bytes(let bytes):
        incoming.writable.notify()
        return bytes
      case .ended: return nil
      case .onTheWay(let arrival): do { try await delay?.clock.sleep(until: arrival) } catch { return nil }
      case .empty:
        if Task.isCancelled { return nil }
        await incoming.readable.wait()
      }
    }
  }

  /// Sends bytes. Waits while the direction is full, and throws `closed` after either end has closed or when the task
  /// is cancelled while it waits.
  public func send(_ bytes: [UInt8]) async throws(TransportError) {
    guard !bytes.isEmpty else { return }
    while true {
      let arrival = now.adding(milliseconds: delay?.milliseconds ?? 0)
      let outcome: Bool? = outgoing.state.withLock { state in
        if state.isClosed { return nil }
        guard state.byteCount < outgoing.capacity else { return false }
        state.chunks.append((arrival, bytes))
        state.byteCount += bytes.count
        return true
      }
      guard let isSent = outcome, !Task.isCancelled || isSent else { throw .closed }
      if isSent { return outgoing.readable.notify() }
      await outgoing.writable.wait()
    }
  }

  /// Closes both directions. Bytes that were accepted can still be received.
  public func close() async {
    outgoing.close(discarding: false)
    incoming.close(discarding: false)
  }

  /// Simulates a pulled cable: both ends reach the end of the stream at once, and bytes in transit are lost. Native
  /// streams are cut too.
  public func cut() {
    outgoing.close(discarding: true)
    incoming.close(discarding: true)
    natives?.cut()
  }

  /// Returns one end of a native stream that both ends of the transport share by the protocol's name.
  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    guard let (toAccessory, toDevice) = natives?.open(name, by: side) else { return nil }
    return switch side {
    case .accessory: MemoryTransport(side, incoming: toAccessory, outgoing: toDevice, natives: nil, delay: delay)
    case .device: MemoryTransport(side, incoming: toDevice, outgoing: toAccessory, natives: nil, delay: delay)
    }
  }
}

/// The native streams beside a link, one for each session of a native EA protocol.
private final class Natives: Sendable {
  private struct Way {
    var toAccessory: MemoryTransport.Pipe
    var toDevice: MemoryTransport.Pipe
    var opened: Set<Side>
  }

  private let capacity: Int
  private let ways = Mutex<[String: Way]>([:])

  init(capacity: Int) { self.capacity = capacity }

  /// Returns the stream that the other end has opened, or a new one. If this end has already opened the stream of that
  /// name, the old stream is replaced.
  func open(
    _ name: String, by side: Side
  ) -> (toAccessory: MemoryTransport.Pipe, toDevice: MemoryTransport.Pipe) {
    ways.withLock { ways in
      if var way = ways[name], !way.opened.contains(side) {
        way.opened.insert(side)
        ways[name] = way
        return (way.toAccessory, way.toDevice)
      }
      let way = Way(
        toAccessory: MemoryTransport.Pipe(capacity: capacity), toDevice: MemoryTransport.Pipe(capacity: capacity),
        opened: [side])
      ways[name] = way
      return (way.toAccessory, way.toDevice)
    }
  }

  func cut() {
    for way in ways.withLock({ Array($0.values) }) {
      way.toAccessory.close(discarding: true)
      way.toDevice.close(discarding: true)
    }
  }
}
