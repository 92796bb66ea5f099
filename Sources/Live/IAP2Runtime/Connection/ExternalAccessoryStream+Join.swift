// swift-iap2 · Apache-2.0

package import IAP2Transport
import Synchronization

extension ExternalAccessoryStream {
  /// Forwards bytes in both directions until the session or the peer ends, then ends the other one. Neither is read
  /// faster than the other accepts bytes, and received bytes are delivered before the end.
  ///
  /// - Parameters:
  ///   - peer: The other end of the session.
  ///   - linger: The time without a byte from the accessory after which the session is closed, once the peer has sent
  ///     its last byte.
  /// - Returns: The end of the session.
  @discardableResult
  package func join(_ peer: any ByteTransport, linger: Duration = .zero) async -> JoinEnd {
    let delivery = Delivery()
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do { while let bytes = try await peer.receive() { try await self.write(bytes) } } catch {}
        if await self.waitForSilence(linger, delivery) { delivery.noteSilence() }
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
      return JoinEnd(error: failure, isOfSilence: delivery.isSilent)
    }
  }

  /// The end of a session that was joined with a peer.
  package struct JoinEnd: Sendable {
    /// The error because of which the peer did not receive all bytes; nil if it received them.
    package var error: TransportError?
    /// Whether the session ended because the accessory was silent for the time of `linger`.
    package var isOfSilence: Bool
  }

  /// Waits until the accessory has sent nothing for `linger`. Bytes that the peer has not accepted yet do not count as
  /// silence. Returns false if the session ended before.
  private func waitForSilence(_ linger: Duration, _ delivery: Delivery) async -> Bool {
    guard linger > .zero else { return false }
    var since = ContinuousClock.now
    while isOpen {
      do { try await Task.sleep(until: since + linger, clock: .continuous) } catch { return false }
      let (byteCount, last) = delivery.now
      if byteCount < bytesReceived {
        since = .now
      } else if let last, last > since {
        since = last
      } else {
        return isOpen
      }
    }
    return false
  }
}

/// The number of bytes that the peer has accepted, the time of the last ones, and whether silence ended the session.
private final class Delivery: Sendable {
  private struct State {
    var byteCount = 0
    var last: ContinuousClock.Instant?
    var isSilent = false
  }

  private let state = Mutex(State())

  var now: (byteCount: Int, last: ContinuousClock.Instant?) { state.withLock { ($0.byteCount, $0.last) } }
  var isSilent: Bool { state.withLock { $0.isSilent } }

  func noteSilence() { state.withLock { $0.isSilent = true } }

  func add(_ byteCount: Int) {
    state.withLock { state in
      state.byteCount += byteCount
      state.last = .now
    }
  }
}
