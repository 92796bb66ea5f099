// swift-iap2 · Apache-2.0

import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Sockets

/// Peers that wait at a listener.
@Suite struct ListenerTests {
  @Test func acceptingPausesAtTheLimit() {
    let waiting = WaitingPeers()
    let resumed = Mutex(0)
    let resume: @Sendable () -> Void = { resumed.withLock { $0 += 1 } }
    for _ in 0..<WaitingPeers.limit {
      #expect(!waiting.delaysAccepting(resume: resume))
      waiting.accepted()
    }
    #expect(waiting.delaysAccepting(resume: resume) && resumed.withLock { $0 } == 0)
    waiting.left()
    waiting.left()
    #expect(resumed.withLock { $0 } == 1)
    #expect(!waiting.delaysAccepting(resume: resume))
  }

  /// With the queue of 128 that SwiftNIO asks for, each connection above it waits for a second at least.
  @Test(.timeLimit(.minutes(2))) func noPeerAboveTheLimitIsClosed() async throws {
    let listener = try await SocketListener.open(host: "127.0.0.1", port: 0)
    let address = try TransportAddress(parsing: listener.address.replacing("tcp-listen:", with: "tcp:"))
    var clients: [any ByteTransport] = []
    for _ in 0..<WaitingPeers.limit + 150 { clients.append(try #require(try await address.open().next())) }
    for _ in clients {
      let peer = try #require(try await listener.next())
      try await peer.send([1])
      await peer.close()
    }
    for client in clients {
      #expect(try await client.receive() == [1])
      await client.close()
    }
    await listener.close()
  }
}
