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
    /// Continues to accept; nil unless accepting is delayed.
    var resume: (@Sendable () -> Void)?
  }

  /// The number of accepted peers at which the listener pauses. Each one costs a socket, and a process may usually have
  /// 1024 of them.
  static let limit = 64

  private let state = Mutex(State())

  /// Counts a peer that was accepted.
  func accepted() { state.withLock { $0.count += 1 } }

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
