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
  /// - Returns: The error because of which the peer did not receive all bytes; nil if it received them.
  @discardableResult
  package func join(_ peer: any ByteTransport, linger: Duration = .zero) async -> TransportError? {
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

  /// Waits until the accessory has sent nothing for `linger`. Bytes that the peer has not accepted yet do not count as
  /// silence.
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

/// The number of bytes that the peer has accepted, and the time of the last ones.
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
