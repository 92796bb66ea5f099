// swift-iap2 · Apache-2.0

import Glibc
import IAP2Transport
import NIOCore
import NIOPosix

/// A transport on a stream socket or a terminal, through SwiftNIO.
///
/// Incoming bytes are read ahead up to a limit. A send returns when the system has taken its bytes, so it buffers
/// nothing more.
final class SocketTransport: ByteTransport {
  private let channel: any Channel
  private let reader: NIOLoopBound<ReadAhead>
  let address: String
  let taskExecutor: (any TaskExecutor)?

  init(channel: any Channel, reader: NIOLoopBound<ReadAhead>, address: String) {
    self.channel = channel
    self.reader = reader
    self.address = address
    taskExecutor = EventLoopExecutor(loop: channel.eventLoop)
  }

  func receive() async throws(TransportError) -> [UInt8]? {
    let promise = channel.eventLoop.makePromise(of: [UInt8]?.self)
    let reader = reader
    if channel.eventLoop.inEventLoop {
      reader.value.request(promise)
    } else {
      channel.eventLoop.execute { reader.value.request(promise) }
    }
    do {
      return try await withTaskCancellationHandler {
        try await promise.futureResult.get()
      } onCancel: {
        channel.close(promise: nil)
      }
    } catch { throw TransportError(error, operation: "read", address: address) }
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    // A peer that stopped reading must not hold a task that was cancelled because the connection has ended.
    do {
      try await withTaskCancellationHandler {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
      } onCancel: {
        channel.close(promise: nil)
      }
    } catch {
      throw TransportError(error, operation: "write", address: address)
    }
  }

  func close() async {
    // The only failure is that the peer has already closed the socket.
    do { try await channel.close() } catch {}
  }

  // MARK: Silent peers

  /// Starts the time limit of a peer that sends nothing. The limit applies only while other peers wait.
  ///
  /// - Parameter othersWait: Returns whether other peers wait. Called on the thread of the channel.
  func limitSilence(while othersWait: @escaping @Sendable () -> Bool) {
    channel.eventLoop.execute { [reader, address] in reader.value.limitSilence(of: address, while: othersWait) }
  }

  /// Ends the connection if the time limit has passed and other peers wait.
  func endIfSilent() { channel.eventLoop.execute { [reader] in reader.value.endIfSilent() } }

  // MARK: Opening

  static func dial(host: String, port: Int) async throws(TransportError) -> SocketTransport {
    let address = "tcp:\(host.contains(":") ? "[\(host)]" : host):\(port)"
    return try await dial(address) {
      try await $0.connect(host: host, port: port) { SocketTransport.made(of: $0, address: address) }
    }
  }

  static func dial(path: String) async throws(TransportError) -> SocketTransport {
    let address = "unix:\(path)"
    return try await dial(address) {
      try await $0.connect(unixDomainSocketPath: path) { SocketTransport.made(of: $0, address: address) }
    }
  }

  private static func dial(
    _ address: String, _ connect: (ClientBootstrap) async throws -> SocketTransport
  ) async throws(TransportError) -> SocketTransport {
    let bootstrap = ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
      .channelOption(.recvAllocator, value: ReadAhead.allocator)
      .connectTimeout(.seconds(10))
    do { return try await connect(bootstrap) } catch {
      throw TransportError(error, operation: "connect", address: address)
    }
  }

  /// Creates the transport while its channel is initialized, because a peer may send everything and close before the
  /// connection is reported.
  static func made(of channel: any Channel, address: String) -> EventLoopFuture<SocketTransport> {
    channel.eventLoop.makeCompletedFuture {
      let reader = ReadAhead()
      try channel.pipeline.syncOperations.addHandler(reader)
      return SocketTransport(
        channel: channel, reader: NIOLoopBound(reader, eventLoop: channel.eventLoop), address: address)
    }
  }
}

/// An executor that runs tasks on the thread of an event loop.
final class EventLoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// A channel handler that keeps incoming bytes until they are requested, and stops reading when too many wait. Only the
/// channel's event loop may use it.
final class ReadAhead: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The read buffer sizes: 2 KiB, which an idle connection keeps, to 256 KiB. A socket rarely has more bytes ready;
  /// larger buffers only cause larger copies.
  static var allocator: any RecvByteBufferAllocator {
    AdaptiveRecvByteBufferAllocator(minimum: 1 << 11, initial: 1 << 11, maximum: 1 << 18)
  }

  /// The number of waiting bytes at which reading pauses. It holds several reads, so that reading and processing
  /// overlap.
  private static let limit = 1 << 19

  /// The time in seconds after which a peer that has sent nothing is disconnected, if other peers wait. An accessory
  /// sends DETECT once a second and a device echoes it at once, so that four DETECT may be lost.
  static let silenceSeconds = 5

  /// The time limit of a peer that has sent nothing.
  private struct Silence {
    let address: String
    let end: NIODeadline
    let othersWait: @Sendable () -> Bool
  }

  private var context: ChannelHandlerContext?
  private var hasReceived = false
  private var silence: Silence?
  /// The reason why this side ended the connection; nil if it has none.
  private var failure: TransportError?
  private var waiter: EventLoopPromise<[UInt8]?>?
  private var arrived: [UInt8] = []
  private var isPaused = false
  private var isEnded = false

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    end()
  }

  func request(_ promise: EventLoopPromise<[UInt8]?>) {
    waiter?.succeed(nil)
    waiter = promise
    deliver()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    hasReceived = true
    if let bytes = buffer.readBytes(length: buffer.readableBytes) {
      if arrived.isEmpty { arrived = bytes } else { arrived += bytes }
    }
    if waiter == nil, arrived.count >= Self.limit { pause(true) }
  }

  func channelReadComplete(context: ChannelHandlerContext) { deliver() }

  func limitSilence(of address: String, while othersWait: @escaping @Sendable () -> Bool) {
    guard let loop = context?.eventLoop else { return }
    let limit = TimeAmount.seconds(Int64(Self.silenceSeconds))
    silence = Silence(address: address, end: loop.now + limit, othersWait: othersWait)
    _ = loop.assumeIsolated().scheduleTask(in: limit) { self.endIfSilent() }
  }

  /// Ends the connection if the peer has sent nothing within the time limit and other peers wait.
  func endIfSilent() {
    guard let silence, let context, !hasReceived, !isEnded, silence.end <= context.eventLoop.now, silence.othersWait()
    else { return }
    failure = .specific(
      SpecificTransportProblem(SocketProblem.silent(seconds: Self.silenceSeconds), address: silence.address))
    end()
    context.close(promise: nil)
  }

  private func pause(_ wanted: Bool) {
    guard isPaused != wanted, let context else { return }
    isPaused = wanted
    // The option fails only on a channel that is closing, where it does not matter.
    _ = context.channel.setOption(.autoRead, value: !wanted)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { end() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end()
    context.close(promise: nil)
  }

  private func end() {
    isEnded = true
    deliver()
  }

  private func deliver() {
    guard let promise = waiter else { return }
    if !arrived.isEmpty {
      waiter = nil
      var bytes: [UInt8] = []
      swap(&bytes, &arrived)
      pause(false)
      promise.succeed(bytes)
    } else if isEnded {
      waiter = nil
      if let failure { promise.fail(failure) } else { promise.succeed(nil) }
    }
  }
}

/// A source of the peers that connect to a listening socket.
final class SocketListener: TransportSource {
  private let channel: any Channel
  private let peers: AsyncStream<SocketTransport>
  private let arriving: AsyncStream<SocketTransport>.Continuation
  private let waiting: WaitingPeers
  private let limitsSilence: Bool
  let address: String
  private let path: String?

  private init(
    channel: any Channel, peers: AsyncStream<SocketTransport>,
    arriving: AsyncStream<SocketTransport>.Continuation, waiting: WaitingPeers, limitsSilence: Bool, address: String,
    path: String?
  ) {
    self.channel = channel
    self.peers = peers
    self.arriving = arriving
    self.waiting = waiting
    self.limitsSilence = limitsSilence
    self.address = address
    self.path = path
  }

  /// - Parameter limitsSilence: Whether a peer that sends nothing is disconnected while other peers wait.
  static func open(
    host: String, port: Int, limitsSilence: Bool = false
  ) async throws(TransportError) -> SocketListener {
    let asked = "tcp-listen:\(host):\(port)"
    return try await open(asked, path: nil, limitsSilence) { try await $0.bind(host: host, port: port).get() }
  }

  static func open(path: String, limitsSilence: Bool = false) async throws(TransportError) -> SocketListener {
    // A killed process leaves its socket file behind, which would block the path forever. A socket that accepts a
    // connection is in use.
    do { await (try await SocketTransport.dial(path: path)).close() } catch {
      switch error {
      case .refused:
        // Connecting to an ordinary file is refused too. Such a file belongs to the user and is not removed.
        guard isSocket(path) else { throw .addressInUse(address: "unix-listen:\(path)") }
        unsafe unlink(path)
      case .notFound: break
      default: throw error
      }
      return try await open("unix-listen:\(path)", path: path, limitsSilence) {
        try await $0.bind(unixDomainSocketPath: path).get()
      }
    }
    throw .addressInUse(address: "unix-listen:\(path)")
  }

  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static func open(
    _ asked: String, path: String?, _ limitsSilence: Bool, _ bind: (ServerBootstrap) async throws -> any Channel
  ) async throws(TransportError) -> SocketListener {
    // `AcceptLimit` bounds the stream.
    let (peers, arriving) = AsyncStream.makeStream(of: SocketTransport.self)
    let waiting = WaitingPeers()
    let bootstrap = ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: WaitingPeers.kernelQueueLength)
      .serverChannelInitializer { server in
        server.eventLoop.makeCompletedFuture { try server.pipeline.syncOperations.addHandler(AcceptLimit(waiting)) }
      }
      .childChannelOption(.recvAllocator, value: ReadAhead.allocator)
      // A peer that has closed its sending side may still receive. The task that serves it closes the connection.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { child in
        let remote = child.remoteAddress.map { "\($0.ipAddress ?? "local"):\($0.port ?? 0)" } ?? "local"
        let made = SocketTransport.made(of: child, address: path.map { "unix:\($0)" } ?? "tcp:\(remote)")
        made.whenFailure { _ in waiting.left() }
        return made.map { transport in
          if case .enqueued = arriving.yield(transport) { return }
          waiting.left()
          child.close(promise: nil)
        }
      }
    do {
      let channel = try await bind(bootstrap)
      let local = channel.localAddress
      let host = local?.ipAddress ?? ""
      let address =
        path.map { "unix-listen:\($0)" }
        ?? "tcp-listen:\(host.contains(":") ? "[\(host)]" : host):\(local?.port ?? 0)"
      return SocketListener(
        channel: channel, peers: peers, arriving: arriving, waiting: waiting, limitsSilence: limitsSilence,
        address: address, path: path)
    } catch { throw TransportError(error, operation: "listen", address: asked) }
  }

  func next() async throws(TransportError) -> (any ByteTransport)? {
    for await peer in peers {
      waiting.left()
      if limitsSilence { waiting.serves(peer) }
      return peer
    }
    return nil
  }

  func close() async {
    arriving.finish()
    do { try await channel.close() } catch {}
    if let path { unsafe unlink(path) }
  }
}

extension TransportError {
  /// Maps an error of SwiftNIO or of the system to the case that shows what the user can do.
  init(_ error: any Error, operation: String, address: String) {
    if let own = error as? TransportError {
      self = own
      return
    }
    if let failed = error as? NIOConnectionError {
      if failed.dnsAError != nil || failed.dnsAAAAError != nil, failed.connectionErrors.isEmpty {
        self = .notFound(address: address)
        return
      }
      if let first = failed.connectionErrors.first {
        self.init(first.error, operation: operation, address: address)
        return
      }
    }
    if let channel = error as? ChannelError {
      switch channel {
      case .connectTimeout: self = .unreachable(address: address)
      default: self = .closed
      }
      return
    }
    guard let system = error as? IOError else {
      self =
        error is SocketAddressError || error is SocketAddressError.UnknownHost
        ? .notFound(address: address) : .system(number: 0, operation: "\(operation): \(error)")
      return
    }
    self.init(number: system.errnoCode, operation: operation, address: address)
  }
}
