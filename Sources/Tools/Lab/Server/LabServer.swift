// swift-iap2 · Apache-2.0

import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A session that the page shows and moves. Its methods may be called from any thread.
package protocol LabSession: Sendable {
  /// Takes a request of the page. A request that the session does not have has no effect.
  func take(_ request: LabRequest)
}

/// The server of the page: its files, and one socket for each page.
///
/// SwiftNIO serves both: it is the package that the sockets of this project use already, so that the lab adds two of its
/// modules to a build and no package.
package final class LabServer: Sendable {
  private let channel: any Channel
  /// The address of the page, with its secret.
  package let address: String

  private init(_ channel: any Channel, address: String) { (self.channel, self.address) = (channel, address) }

  /// The most connections that wait to be accepted.
  private static let backlog: Int32 = 16
  /// The most connections at once. Eight pages need fewer.
  private static let maximumConnections = 64
  /// The largest message of the page in bytes: the arguments of a step.
  static let maximumMessage = 1 << 16
  /// The longest line of a step in bytes.
  static let maximumLine = 4096

  /// Begins to serve.
  ///
  /// - Parameters:
  ///   - host: The address to listen on.
  ///   - port: The port; 0 for a free one.
  ///   - hub: The record that pages show.
  ///   - session: The session that takes their requests.
  /// - Throws: The reason, such as that the port is taken.
  package static func serve(
    host: String, port: Int, hub: LabHub, session: any LabSession
  ) async throws(Problem) -> LabServer {
    do { return try await begin(host: host, port: port, hub: hub, session: session) } catch {
      guard let error = error as? IOError else { throw Problem(reason: "the host has no address") }
      throw Problem(reason: unsafe String(cString: strerror(error.errnoCode)))
    }
  }

  /// The reason why the server does not listen.
  package struct Problem: Error {
    package var reason: String
  }

  private static func begin(
    host: String, port: Int, hub: LabHub, session: any LabSession
  ) async throws -> LabServer {
    let access = LabAccess(host: host)
    let count = Mutex(0)
    let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
      .serverChannelOption(.backlog, value: backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: LabSocket.waterMark)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let isWanted = count.withLock { count in
            count += 1
            return count <= maximumConnections
          }
          channel.closeFuture.whenComplete { _ in count.withLock { $0 -= 1 } }
          guard isWanted else { throw ChannelError.ioOnClosedChannel }
          try prepare(channel, access: access, hub: hub, session: session)
        }
      }
      .bind(host: host, port: port).get()
    let port = channel.localAddress?.port ?? port
    let name = host.contains(":") ? "[\(host)]" : host
    return LabServer(channel, address: "http://\(name):\(port)/\(access.secret)/")
  }

  private static func prepare(
    _ channel: any Channel, access: LabAccess, hub: LabHub, session: any LabSession
  ) throws {
    // A peer that does not read its answers sends no further requests.
    try channel.pipeline.syncOperations.addHandler(BackPressureHandler())
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: maximumMessage,
      shouldUpgrade: { channel, head in
        let host = head.headers.first(name: "Host")
        let isWanted =
          access.place(path: head.uri, host: host) == .socket
          && access.isOwn(origin: head.headers.first(name: "Origin"), host: host)
        return channel.eventLoop.makeSucceededFuture(isWanted ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64, maxAccumulatedFrameSize: maximumMessage),
            LabSocket(hub: hub, session: session))
        }
      })
    let files = LabFileHandler(access: access)
    try channel.pipeline.syncOperations.addHandler(IdleStateHandler(readTimeout: LabFileHandler.idleTime))
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { context in
          context.pipeline.syncOperations.removeHandler(files, promise: nil)
        }
      ))
    try channel.pipeline.syncOperations.addHandler(files)
  }

  /// Takes no more connections. Those of pages end with the process.
  package func close() async {
    do { try await channel.close() } catch {}
  }
}
