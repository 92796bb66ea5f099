// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Transport

// EA sessions whose bytes go beside the link.
extension Connection {
  /// The medium of a session's own, if the identification and the transport have one for its protocol.
  func nativeStream(_ name: String) throws(APIMisuse) -> (any ByteTransport)? {
    let protocols = policy.nativeProtocols
    guard protocols.contains(name), isCarryingNatives else { return nil }
    // There is one way for each protocol: two sessions on it could not be told apart.
    if let other = natives.first(where: { $0.value.stream.protocolName == name }) {
      throw .externalAccessorySessionAlreadyOpen(other.key)
    }
    return transport.nativeStream(of: name, among: protocols)
  }

  /// Moves the bytes of sessions as they are opened.
  func carryNatives() async {
    await withDiscardingTaskGroup { group in
      for await native in openedNatives {
        group.addTask {
          await native.run {
            await self.settle()
          } failed: {
            await self.failed(native)
          }
          await self.ended(native)
        }
      }
    }
  }

  /// Its medium fails while the link lives: the session ends.
  private func failed(_ native: NativeSession) {
    let session = native.stream.session
    if natives[session] === native {
      tell(.violation(.externalAccessoryEndpointsFailed(session: session)))
      perform(policy.closeExternalAccessory(session))
      settle()
    }
    native.finish()
  }

  private func ended(_ native: NativeSession) {
    guard let index = endingNatives.firstIndex(where: { $0 === native }) else { return }
    endingNatives.remove(at: index)
    closed(native.stream)
  }

  /// Those that are still being read tell their end before the connection's.
  func closeEndingNatives() {
    let natives = endingNatives
    endingNatives = []
    for native in natives { closed(native.stream) }
  }

  func queuedByteCount(_ session: UInt16) -> Int {
    natives[session]?.queuedByteCount ?? endpoint.queuedByteCount(externalAccessory: session)
  }
}
