// swift-iap2 · Apache-2.0

public import CarPlaySession
import NIOCore
import NIOPosix
import Synchronization

/// The phone's server for control requests, on the sockets of this machine.
public final class ControlServer: Sendable {
  private let channel: any Channel
  /// The TCP port.
  public let port: UInt16

  /// The most connections at once. A head unit has one, for a moment. Ours.
  private static let maximumConnections = 16

  /// Listens at a free port of every address.
  ///
  /// - Parameters:
  ///   - tap: Receives a record for all bytes of the connections, on an event loop; nil for none.
  ///   - onCall: Receives each request or the reason why it was refused, on an event loop.
  /// - Throws: The error of the system.
  public static func listen(
    tap: (@Sendable (SocketRecord) -> Void)? = nil,
    onCall: @escaping @Sendable (Result<ControlCall, ControlCall.Refusal>) -> Void
  ) async throws -> ControlServer {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let count = ConnectionCount()
    let bootstrap = ServerBootstrap(group: loop, childGroup: loop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard count.begin(limit: maximumConnections) else { return channel.close() }
        channel.closeFuture.whenComplete { _ in count.end() }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addRecords(isOwn: false, tap)
          try channel.pipeline.syncOperations.addHandler(ControlServerHandler(onCall))
        }
      }
    let channel: any Channel
    do { channel = try await bootstrap.bind(at: "::", port: 0).get() } catch {
      // A system without IPv6.
      channel = try await bootstrap.bind(at: "0.0.0.0", port: 0).get()
    }
    return ControlServer(channel)
  }

  private init(_ channel: any Channel) {
    (self.channel, port) = (channel, UInt16(channel.localAddress?.port ?? 0))
  }

  /// Stops listening.
  public func close() async {
    do { try await channel.close() } catch {}
  }
}

/// The number of open connections.
private final class ConnectionCount: Sendable {
  private let count = Mutex(0)

  /// Counts another connection, unless there are as many as the limit.
  func begin(limit: Int) -> Bool {
    count.withLock { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
  }

  func end() { count.withLock { $0 -= 1 } }
}

/// Answers one request, and closes the connection.
private final class ControlServerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The time within which a request must arrive. Ours.
  private static let patience = TimeAmount.seconds(5)

  private let onCall: @Sendable (Result<ControlCall, ControlCall.Refusal>) -> Void
  private var reader = RequestReader()
  private var isAnswered = false
  private var limit: Scheduled<Void>?

  init(_ onCall: @escaping @Sendable (Result<ControlCall, ControlCall.Refusal>) -> Void) { self.onCall = onCall }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    limit = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) { limit?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isAnswered else { return }
    reader.add(unwrapInboundIn(data).readableBytesView)
    let message: RequestMessage?
    do throws(RequestReader.Problem) { message = try reader.next() } catch {
      answer(RequestMessage(.answer(status: error.status, reason: "", protocolWord: "HTTP/1.1")), context)
      return onCall(.failure(.malformed(error)))
    }
    guard let message else { return }
    do throws(ControlCall.Refusal) {
      let call = try ControlCall(message)
      answer(ControlCall.answer(message), context)
      onCall(.success(call))
    } catch {
      answer(message.answer(error.status, headers: [("Connection", "close")]), context)
      onCall(.failure(error))
    }
  }

  private func answer(_ message: RequestMessage, _ context: ChannelHandlerContext) {
    isAnswered = true
    let channel = context.channel
    channel.writeAndFlush(channel.allocator.buffer(bytes: message.bytes)).whenComplete { _ in
      channel.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The head unit's side of control requests.
public enum ControlClient {
  /// The time to connect. LIVI waits as long.
  private static let connectTime = TimeAmount.seconds(2)
  /// The time until the answer. Ours.
  public static let answerTime = Duration.seconds(5)

  /// Sends a request, and returns the status of the answer, or why none came.
  ///
  /// - Parameters:
  ///   - request: The bytes of the request.
  ///   - host: An IP address, with its interface if it is link-local.
  ///   - port: The phone's port.
  ///   - limit: The time until the answer.
  ///   - tap: Receives a record for all bytes of the connection, on an event loop; nil for none.
  /// - Throws: The error of the system if the phone cannot be reached.
  public static func send(
    _ request: [UInt8], host: String, port: UInt16, within limit: Duration = answerTime,
    tap: (@Sendable (SocketRecord) -> Void)? = nil
  ) async throws -> PhoneCaller.Outcome {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: PhoneCaller.Outcome.self)
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: loop)
        .connectTimeout(connectTime)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addRecords(isOwn: true, tap)
            try channel.pipeline.syncOperations.addHandler(ControlClientHandler(answer))
          }
        }
        .connect(host: host, port: Int(port)).get()
    } catch {
      answer.fail(error)
      throw error
    }
    let limit = loop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    channel.writeAndFlush(channel.allocator.buffer(bytes: request), promise: nil)
    defer {
      limit.cancel()
      channel.close(promise: nil)
    }
    return try await withTaskCancellationHandler {
      try await answer.futureResult.get()
    } onCancel: {
      channel.close(promise: nil)
    }
  }
}

/// Reads one answer.
private final class ControlClientHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var answer: EventLoopPromise<PhoneCaller.Outcome>?
  private var reader = RequestReader()

  init(_ answer: EventLoopPromise<PhoneCaller.Outcome>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    reader.add(unwrapInboundIn(data).readableBytesView)
    do throws(RequestReader.Problem) {
      while let message = try reader.next() {
        guard case .answer(let status, _, _) = message.start else {
          return finish(.none(reason: "a request came in place of an answer"))
        }
        // An interim answer says nothing yet.
        if status >= 200 { return finish(.status(status)) }
      }
    } catch { finish(.none(reason: "the answer is no answer of HTTP")) }
  }

  func channelInactive(context: ChannelHandlerContext) { finish(.none(reason: "no answer")) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func finish(_ outcome: PhoneCaller.Outcome) {
    answer?.succeed(outcome)
    answer = nil
  }
}
