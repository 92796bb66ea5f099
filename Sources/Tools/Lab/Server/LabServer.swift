// swift-iap2 · Apache-2.0

import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

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
  private let redirect: LabRedirect
  /// The addresses of the page, with its secret. A server on all interfaces has several: that of this machine first,
  /// under which a browser decodes H.264.
  package let addresses: [String]

  private init(_ channel: any Channel, _ redirect: LabRedirect, addresses: [String]) {
    (self.channel, self.redirect, self.addresses) = (channel, redirect, addresses)
  }

  /// The most connections that wait to be accepted.
  private static let backlog: Int32 = 16
  /// The most connections for files at once. Eight pages need fewer.
  private static let maximumConnections = 64
  /// The largest message of the page in bytes: the arguments of a step.
  static let maximumMessage = 1 << 16

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
    let redirect = LabRedirect()
    let files = { @Sendable in LabFileHandler(access: access, onPage: redirect.remove) }
    let connections = LabConnections(limit: maximumConnections)
    let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
      .serverChannelOption(.backlog, value: backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: LabSocket.waterMark)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          connections.add(channel)
          try prepare(channel, access: access, connections, files: files(), hub: hub, session: session)
        }
      }
      .bind(host: host, port: port).get()
    let port = channel.localAddress?.port ?? port
    let addresses = hosts(host).map { host in
      "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(access.secret)/"
    }
    return LabServer(channel, redirect, addresses: addresses)
  }

  /// Returns the hosts under which a browser reaches a server: those of all interfaces if it listens on all.
  static func hosts(_ host: String) -> [String] {
    guard ["0.0.0.0", "::"].contains(host) else { return [host] }
    let local = host == "::" ? "::1" : "127.0.0.1"
    let all: [String]
    do { all = try System.enumerateDevices().compactMap { $0.address?.ipAddress } } catch { return [local] }
    // An address of one link needs the name of its interface, which no address of a page can have.
    let others = all.filter { address in
      let isUsable = !address.hasPrefix("127.") && address != "::1" && !address.lowercased().hasPrefix("fe80")
      return isUsable && (host == "::" || !address.contains(":"))
    }
    return [local] + others.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Writes a file that leads a browser to the page, and that only this user can read. It is removed when the page was
  /// read, or with the server.
  ///
  /// - Returns: Its path; nil if it cannot be written.
  package func makeRedirect() -> String? { addresses.first.flatMap(redirect.write) }

  private static func prepare(
    _ channel: any Channel, access: LabAccess, _ connections: LabConnections, files: LabFileHandler, hub: LabHub,
    session: any LabSession
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
    try channel.pipeline.syncOperations.addHandler(IdleStateHandler(readTimeout: LabFileHandler.idleTime))
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { context in
          connections.remove(context.channel)
          context.pipeline.syncOperations.removeHandler(files, promise: nil)
        }
      ))
    try channel.pipeline.syncOperations.addHandler(files)
  }

  /// Takes no more connections. Those of pages end with the process.
  package func close() async {
    redirect.remove()
    do { try await channel.close() } catch {}
  }
}
