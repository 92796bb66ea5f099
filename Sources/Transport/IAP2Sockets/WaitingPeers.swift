// swift-iap2 · Apache-2.0

import NIOCore
import Synchronization

/// The peers of a listener that were accepted and are not served yet.
///
/// At the limit the listener accepts no more. Further peers wait in the kernel's queue, so no peer is closed without a
/// reason.
final class WaitingPeers: Sendable {
  private struct State {
    var count = 0
    /// The peer that is served within the time limit of a silent peer; nil if there is none.
    var served: SocketTransport?
    /// Continues to accept; nil unless accepting is delayed.
    var resume: (@Sendable () -> Void)?
  }

  /// The number of accepted peers at which the listener pauses. Each one costs a socket, and a process may usually have
  /// 1024 of them.
  static let limit = 64

  /// The length of the kernel's queue. A connection that does not fit is dropped, and its client tries again after 1 s,
  /// 3 s, 7 s and so on. Linux takes 4096 at most.
  static let kernelQueueLength: CInt = 4096

  private let state = Mutex(State())

  /// Whether no peer waits.
  var isEmpty: Bool { state.withLock { $0.count == 0 } }

  /// Counts a peer that was accepted, and ends the connection of the served peer if it has been silent for too long.
  func accepted() {
    let served = state.withLock { state in
      state.count += 1
      return state.served
    }
    served?.endIfSilent()
  }

  /// Starts the time limit of a silent peer for a peer that is served from now on.
  func serves(_ peer: SocketTransport) {
    state.withLock { $0.served = peer }
    peer.limitSilence { [weak self] in self?.isEmpty == false }
  }

  /// Stops counting a peer, because it is served or closed.
  func left() {
    let resume: (@Sendable () -> Void)? = state.withLock { state in
      state.count -= 1
      guard state.count < Self.limit else { return nil }
      defer { state.resume = nil }
      return state.resume
    }
    resume?()
  }

  /// Returns whether accepting must wait. Then `resume` is called once a peer has left.
  func delaysAccepting(resume: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.count >= Self.limit else { return false }
      state.resume = resume
      return true
    }
  }
}

/// A handler of a listening channel that accepts no peer while too many wait.
final class AcceptLimit: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias OutboundIn = Never

  private let waiting: WaitingPeers

  init(_ waiting: WaitingPeers) { self.waiting = waiting }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    waiting.accepted()
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    let channel = context.channel
    if !waiting.delaysAccepting(resume: { channel.read() }) { context.read() }
  }
}
