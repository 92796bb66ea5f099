// swift-iap2 · Apache-2.0

import IAP2Transport
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import IAP2Sockets

/// The time limit of a peer that sends nothing while others wait, in virtual time.
@Suite struct SilentPeerTests {
  /// A transport on a channel whose time the test moves.
  private struct Bench {
    let channel = EmbeddedChannel()
    let waiting = WaitingPeers()
    let transport: SocketTransport
    let outcome = Outcome()

    init() throws {
      transport = try SocketTransport.made(of: channel, address: "tcp:192.0.2.1:7").wait()
      try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 7)).wait()
    }

    /// Serves the peer and waits for its bytes.
    func serve() throws {
      waiting.serves(transport)
      let promise = channel.eventLoop.makePromise(of: [UInt8]?.self)
      promise.futureResult.whenComplete { [outcome] in outcome.set($0) }
      try channel.pipeline.syncOperations.handler(type: ReadAhead.self).request(promise)
      channel.embeddedEventLoop.run()
    }

    func advance(_ milliseconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .milliseconds(milliseconds)) }
  }

  /// The result of the transport's first `receive`.
  private final class Outcome: Sendable {
    private let state = Mutex<Result<[UInt8]?, TransportError>?>(nil)

    var value: Result<[UInt8]?, TransportError>? { state.withLock { $0 } }

    func set(_ result: Result<[UInt8]?, any Error>) {
      state.withLock { $0 = result.mapError { $0 as? TransportError ?? .closed } }
    }
  }

  private static let silent = Result<[UInt8]?, TransportError>.failure(
    .specific(SpecificTransportProblem(SocketProblem.silent(seconds: 5), address: "tcp:192.0.2.1:7")))

  @Test func aSilentPeerIsDisconnectedAfterFiveSecondsIfAnotherWaits() throws {
    let bench = try Bench()
    bench.waiting.accepted()
    try bench.serve()
    bench.advance(4999)
    #expect(bench.outcome.value == nil && bench.channel.isActive)
    bench.advance(1)
    #expect(bench.outcome.value == Self.silent && !bench.channel.isActive)
  }

  @Test func aSilentPeerStaysWhileNoOtherWaits() throws {
    let bench = try Bench()
    try bench.serve()
    bench.advance(60_000)
    #expect(bench.outcome.value == nil && bench.channel.isActive)
    // The next peer does not wait for another five seconds.
    bench.waiting.accepted()
    bench.channel.embeddedEventLoop.run()
    #expect(bench.outcome.value == Self.silent && !bench.channel.isActive)
  }

  @Test func aPeerThatArrivesEarlyDoesNotShortenTheLimit() throws {
    let bench = try Bench()
    try bench.serve()
    bench.advance(1000)
    bench.waiting.accepted()
    bench.advance(3999)
    #expect(bench.outcome.value == nil && bench.channel.isActive)
  }

  @Test(arguments: [true, false]) func aPeerThatHasSentAByteIsNotSilent(isBefore: Bool) throws {
    let bench = try Bench()
    bench.waiting.accepted()
    if isBefore { try bench.channel.writeInbound(ByteBuffer(bytes: [0])) }
    try bench.serve()
    if !isBefore { try bench.channel.writeInbound(ByteBuffer(bytes: [0])) }
    bench.advance(60_000)
    bench.waiting.accepted()
    bench.channel.embeddedEventLoop.run()
    #expect(bench.outcome.value == .success([0]) && bench.channel.isActive)
  }
}
