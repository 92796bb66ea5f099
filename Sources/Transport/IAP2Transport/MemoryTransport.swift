// swift-iap2 · Apache-2.0

import IAP2
import Synchronization

/// One end of an in-memory medium: bounded, without threads, so that it also runs in virtual time. Beside the link it
/// carries whatever EA protocol an accessory identifies as native, as USB does.
public final class MemoryTransport: ByteTransport {
  /// How long bytes travel, and by which clock.
  public struct Delay: Sendable {
    public var milliseconds: Int
    public var clock: any RuntimeClock

    public init(milliseconds: Int, clock: any RuntimeClock) {
      self.milliseconds = milliseconds
      self.clock = clock
    }
  }

  /// One direction.
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
  private let end: End
  /// What both ends have beside the link; nil for what is beside it already.
  private let natives: Natives?
  public let address = "loopback"

  fileprivate enum End { case accessory, device }

  private init(_ end: End, incoming: Pipe, outgoing: Pipe, natives: Natives?, delay: Delay?) {
    self.end = end
    self.incoming = incoming
    self.outgoing = outgoing
    self.natives = natives
    self.delay = delay
  }

  /// Two ends of one medium that holds so many bytes each way; without a delay they arrive at once.
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

  public func close() async {
    outgoing.close(discarding: false)
    incoming.close(discarding: false)
  }

  /// Pulls the cable: both ends see the end at once, and what was on the way is lost.
  public func cut() {
    outgoing.close(discarding: true)
    incoming.close(discarding: true)
    natives?.cut()
  }

  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    guard let (toAccessory, toDevice) = natives?.open(name, by: end) else { return nil }
    return switch end {
    case .accessory: MemoryTransport(end, incoming: toAccessory, outgoing: toDevice, natives: nil, delay: delay)
    case .device: MemoryTransport(end, incoming: toDevice, outgoing: toAccessory, natives: nil, delay: delay)
    }
  }
}

/// The ways beside a link, one for each session of a native EA protocol.
private final class Natives: Sendable {
  private struct Way {
    var toAccessory: MemoryTransport.Pipe
    var toDevice: MemoryTransport.Pipe
    var opened: Set<MemoryTransport.End>
  }

  private let capacity: Int
  private let ways = Mutex<[String: Way]>([:])

  init(capacity: Int) { self.capacity = capacity }

  /// Whoever comes second joins the first; a way that its own side opens anew is over.
  func open(
    _ name: String, by end: MemoryTransport.End
  ) -> (toAccessory: MemoryTransport.Pipe, toDevice: MemoryTransport.Pipe) {
    ways.withLock { ways in
      if var way = ways[name], !way.opened.contains(end) {
        way.opened.insert(end)
        ways[name] = way
        return (way.toAccessory, way.toDevice)
      }
      let way = Way(
        toAccessory: MemoryTransport.Pipe(capacity: capacity), toDevice: MemoryTransport.Pipe(capacity: capacity),
        opened: [end])
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
