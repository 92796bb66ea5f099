// swift-iap2 · Apache-2.0

import IAP2Runtime

extension ExternalAccessoryStream {
  /// Carries bytes both ways until either end is over, then ends the other; neither is read faster than the other takes.
  func join(_ peer: any ByteTransport) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do { while let bytes = try await peer.receive() { try await self.write(bytes) } } catch {}
        await self.close()
      }
      group.addTask {
        do { while let bytes = await self.read() { try await peer.send(bytes) } } catch {}
        await peer.close()
      }
    }
  }
}
