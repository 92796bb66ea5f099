// swift-iap2 · Apache-2.0

import NIOCore
import Synchronization

/// The connections that ask for files, up to a limit. A connection of a page's socket is none of them.
///
/// Any program of this machine can open connections and keep them, so at the limit the oldest one makes room for the
/// next: it has had its answer long ago, or never asked.
final class LabConnections: Sendable {
  private let limit: Int
  /// The open ones, oldest first.
  private let open = Mutex<[any Channel]>([])

  init(limit: Int) { self.limit = limit }

  /// Adds a connection until it ends or opens a socket, and closes the oldest one at the limit.
  func add(_ channel: any Channel) {
    let oldest = open.withLock { open in
      open.append(channel)
      return open.count > limit ? open.removeFirst() : nil
    }
    oldest?.close(promise: nil)
    channel.closeFuture.whenComplete { _ in self.remove(channel) }
  }

  /// Forgets a connection that has opened a socket. Sockets have a limit of their own.
  func remove(_ channel: any Channel) { open.withLock { $0.removeAll { $0 === channel } } }
}
