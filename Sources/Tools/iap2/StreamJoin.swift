// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import IAP2Runtime
import IAP2Transport
import Synchronization

extension ExternalAccessoryStream {
  /// Carries bytes both ways until the session or the peer is over, then ends the other; neither is read faster than the
  /// other takes, and what has arrived is delivered first.
  ///
  /// - Parameter linger: a peer that has said everything may still want to hear: the session goes on until the accessory
  ///   has been silent for this long.
  /// - Returns: why the peer could not be given all there was; nil if it was.
  @discardableResult
  func join(_ peer: any ByteTransport, linger: Duration = .zero) async -> TransportError? {
    let delivery = Delivery()
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do { while let bytes = try await peer.receive() { try await self.write(bytes) } } catch {}
        await self.waitForSilence(linger, delivery)
        await self.close()
      }
      var failure: TransportError?
      while failure == nil, let bytes = await read() {
        do throws(TransportError) {
          try await peer.send(bytes)
          delivery.add(bytes.count)
        } catch { failure = error }
      }
      await close()
      await peer.close()
      group.cancelAll()
      return failure
    }
  }

  /// Bytes that the peer has not taken yet are no silence of the accessory.
  private func waitForSilence(_ linger: Duration, _ delivery: Delivery) async {
    guard linger > .zero else { return }
    var since = ContinuousClock.now
    while isOpen {
      do { try await Task.sleep(until: since + linger, clock: .continuous) } catch { return }
      let (byteCount, last) = delivery.now
      if byteCount < bytesReceived {
        since = .now
      } else if let last, last > since {
        since = last
      } else {
        return
      }
    }
  }
}

/// How much of a session its other end has taken, and when.
private final class Delivery: Sendable {
  private let state = Mutex<(byteCount: Int, last: ContinuousClock.Instant?)>((0, nil))

  var now: (byteCount: Int, last: ContinuousClock.Instant?) { state.withLock { $0 } }

  func add(_ byteCount: Int) {
    state.withLock { state in
      state.byteCount += byteCount
      state.last = .now
    }
  }
}

/// Standard input and output as one end of a stream.
struct StandardTransport: ByteTransport {
  let address = "standard input and output"

  func receive() async throws(TransportError) -> [UInt8]? { await FileChunks.standardInput.next() }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    // A reader may take its time, which no task's thread has.
    let number = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: Self.write(bytes)) }
    }
    guard number == 0 else {
      throw number == EPIPE ? .closed : .system(number: number, operation: "cannot write the output")
    }
  }

  /// They belong to whoever started us.
  func close() async {}

  /// Returns when nobody reads standard output any more, which an end that only listens would never notice.
  static func waitUntilUnread() async {
    let unread = Signal()
    Thread.detachNewThread {
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
      unread.notify()
    }
    await unread.wait()
  }

  /// The system's error, or 0.
  private static func write(_ bytes: [UInt8]) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&output, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
