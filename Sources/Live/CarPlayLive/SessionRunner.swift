// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession
import NIOCore
import NIOPosix

/// A session on the sockets of this machine.
///
/// Everything runs on one event loop: bytes, timers, the session, and its program. Other tasks reach the session
/// through ``act(_:)``. A head unit listens; a phone connects.
public actor SessionRunner<Machine: SessionMachine> {
  private let loop: any EventLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.executor.asUnownedSerialExecutor() }

  private var machine: Machine
  private let onEvent: @Sendable (SessionEvent) -> Void
  private let sign: @Sendable ([UInt8]) async -> AccessoryEvidence?
  private let tap: (@Sendable (SocketRecord) -> Void)?
  private let keyLog: (@Sendable (AgreedSecret) -> Void)?
  private var listeners: [SessionSocket: any Channel] = [:]
  private var channels: [SessionSocket: any Channel] = [:]
  /// The last write of each connection, after which the connection may close.
  private var writes: [SessionSocket: EventLoopFuture<Void>] = [:]
  private var timer: (deadline: MonotonicTime, task: Scheduled<Void>)?
  /// The connections whose reading the owner has stopped, and those whose reading the session has stopped.
  private var unread: Set<SessionSocket> = [], paused: Set<SessionSocket> = []
  private var nextConnection = 0
  private var isDriving = false
  /// The actions that are being performed. The memory is reused.
  private var actions: [SessionAction] = []

  /// The time limit for sending the bytes before a close.
  private static var closingTime: TimeAmount { .seconds(1) }

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - machine: The session.
  ///   - sign: Signs with the accessory's key; nil if it cannot.
  ///   - tap: Receives a record for all bytes of the sockets, on the event loop; nil for none.
  ///   - keyLog: Receives the secrets from which the keys follow, on the event loop; nil drops them.
  ///   - onEvent: Receives each event on the event loop, and must return soon.
  public init(
    _ machine: Machine, sign: @escaping @Sendable ([UInt8]) async -> AccessoryEvidence? = { _ in nil },
    tap: (@Sendable (SocketRecord) -> Void)? = nil, keyLog: (@Sendable (AgreedSecret) -> Void)? = nil,
    onEvent: @escaping @Sendable (SessionEvent) -> Void
  ) {
    loop = MultiThreadedEventLoopGroup.singleton.next()
    (self.machine, self.sign, self.tap, self.keyLog, self.onEvent) = (machine, sign, tap, keyLog, onEvent)
  }

  /// Stops or resumes reading a connection. While reading is stopped, the sender has to wait. The setting also applies
  /// to later connections of the same socket.
  ///
  /// - Parameters:
  ///   - socket: The connection.
  ///   - isReading: Returns whether to read. It is called on the event loop, so the last of several calls decides.
  public func setReading(_ socket: SessionSocket, _ isReading: @Sendable () -> Bool) {
    if isReading() { unread.remove(socket) } else { unread.insert(socket) }
    updateReading(of: socket)
  }

  private func updateReading(of socket: SessionSocket) {
    guard let channel = channels[socket] else { return }
    // If a peer does not read its answers, its requests are not read either, so that answers do not accumulate.
    channel.setOption(.autoRead, value: channel.isWritable && !unread.contains(socket) && !paused.contains(socket))
      .whenComplete { _ in }
  }

  /// Calls the session, and performs its actions.
  public func act<Result: Sendable>(_ body: @Sendable (inout Machine, MonotonicTime) -> Result) -> Result {
    drive { body(&$0, $1) }
  }

  private func drive<Result>(_ body: (inout Machine, MonotonicTime) -> Result) -> Result {
    let result = body(&machine, SessionSystem.now)
    guard !isDriving else { return result }
    isDriving = true
    while true {
      machine.takeActions(into: &actions)
      guard !actions.isEmpty else { break }
      for action in actions { perform(action) }
    }
    isDriving = false
    setTimer()
    return result
  }

  private func setTimer() {
    let deadline = machine.nextDeadline
    guard deadline != timer?.deadline else { return }
    timer?.task.cancel()
    timer = nil
    guard let deadline else { return }
    let task = loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(max(0, deadline.nanoseconds)))) {
      [weak self] () -> Void in
      self?.assumeIsolated { runner in
        runner.timer = nil
        runner.drive { $0.handleDeadline(at: $1) }
      }
    }
    timer = (deadline, task)
  }

  // MARK: Listening and connecting

  /// Binds the port for phones. They are served after ``accept(_:)``.
  ///
  /// - Returns: The address with its real port, such as `127.0.0.1:7000`.
  /// - Throws: The error of the system.
  public func listen(host: String, port: Int) async throws -> String {
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.autoRead, value: false)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { [weak self] channel in
        guard let self else { return channel.close() }
        return self.assumeIsolated { $0.acceptControl(channel) }
      }
      .bind(at: host, port: port).get()
    listeners[.control(0)] = channel
    return channel.localAddress.map(SocketText.text) ?? "\(host):\(port)"
  }

  /// Starts or stops accepting phones. Phones that connect while accepting is stopped wait in the system's queue.
  public func accept(_ isAccepting: Bool = true) {
    listeners[.control(0)]?.setOption(.autoRead, value: isAccepting).whenComplete { _ in }
  }

  private func acceptControl(_ channel: any Channel) -> EventLoopFuture<Void> {
    nextConnection += 1
    return add(channel, as: .control(nextConnection))
  }

  /// Adds a connection, and reports it once it is active.
  private func add(_ channel: any Channel, as socket: SessionSocket) -> EventLoopFuture<Void> {
    do {
      try channel.pipeline.syncOperations.addHandler(ConnectionHandler(self, socket))
      channels[socket] = channel
      if unread.contains(socket) { updateReading(of: socket) }
      return channel.eventLoop.makeSucceededVoidFuture()
    } catch { return channel.eventLoop.makeFailedFuture(error) }
  }

  /// The call that begins the session, made when its own connection is there.
  private var beginning: (@Sendable (inout Machine, MonotonicTime) -> Void)?

  /// The time limit of a connection: two repetitions of the first packet. Ours.
  private static var connectTime: TimeAmount { .seconds(5) }

  /// Connects to a head unit. After a failure it may be called again.
  ///
  /// - Parameters:
  ///   - host: The name or the address of the head unit.
  ///   - port: Its port.
  ///   - begin: Begins the session when the connection is there, so that the session's own time limits do not run during
  ///     attempts.
  /// - Throws: The error of the system.
  public func connect(
    host: String, port: Int, _ begin: @escaping @Sendable (inout Machine, MonotonicTime) -> Void = { _, _ in }
  ) async throws {
    beginning = begin
    let channel = try await ClientBootstrap(group: loop)
      .connectTimeout(Self.connectTime)
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [weak self] channel in
        guard let self else { return channel.close() }
        return self.assumeIsolated { $0.add(channel, as: .control(0)) }
      }
      .connect(host: host, port: port).get()
    _ = channel
  }

  /// Closes every socket. The session must have ended before; otherwise its end is not reported.
  public func close() {
    timer?.task.cancel()
    timer = nil
    let closing = channels
    for (socket, channel) in closing where !socket.isDatagram { note(.closed(isOwn: true), socket, channel) }
    // Without channels and attempts, the end of a connection is not taken for one of the other side, and no UDP socket
    // is bound again.
    let all = Array(listeners.values) + Array(closing.values)
    (listeners, channels, writes, attempts) = ([:], [:], [:], [:])
    for channel in all { channel.close(promise: nil) }
  }

  // MARK: Actions

  private func perform(_ action: SessionAction) {
    switch action {
    case .bind(let socket, let control): bind(socket, beside: control)
    case .connect(.control, _): break
    case .connect(let socket, let port): connect(socket, port: port)
    case .send(let socket, let bytes):
      guard let channel = channels[socket] else { return }
      note(.bytes(bytes, isOwn: true), socket, channel)
      writes[socket] = channel.writeAndFlush(channel.allocator.buffer(bytes: bytes))
    case .sendDatagram(let socket, let bytes, let port):
      // Port 0 is not a valid port.
      guard port > 0, let channel = channels[socket], var address = remote(of: socket) else { return }
      address.port = Int(port)
      note(.bytes(bytes, isOwn: true), socket, channel, remote: address)
      let envelope = AddressedEnvelope(remoteAddress: address, data: channel.allocator.buffer(bytes: bytes))
      channel.writeAndFlush(envelope, promise: nil)
    case .close(let socket): close(socket)
    case .setReading(let socket, let isReading):
      if isReading { paused.remove(socket) } else { paused.insert(socket) }
      updateReading(of: socket)
    case .sign(let bytes):
      // The session expects the signatures in the order of its `sign` actions.
      signing = Task { [sign, signing] in
        await signing?.value
        let evidence = await sign(bytes)
        drive { $0.signed(evidence, at: $1) }
      }
    case .log(let secret): keyLog?(secret)
    case .report(let event): onEvent(event)
    }
  }

  /// The task that makes the last requested signature, after those before it.
  private var signing: Task<Void, Never>?
  /// The number of the last attempt to bind or connect each socket. A socket that was closed has none, so the result of
  /// a pending attempt is closed when it arrives.
  private var attempts: [SessionSocket: Int] = [:]
  private var attemptCount = 0

  private func newAttempt(_ socket: SessionSocket) -> Int {
    attemptCount += 1
    attempts[socket] = attemptCount
    return attemptCount
  }

  /// The control connection to which each socket belongs.
  private var owners: [SessionSocket: Int] = [:]

  private func remote(of socket: SessionSocket) -> SocketAddress? {
    channels[.control(owners[socket] ?? 0)]?.remoteAddress
  }

  private func connect(_ socket: SessionSocket, port: UInt16) {
    guard var address = channels[.control(0)]?.remoteAddress else {
      return later { $0.closed(socket, at: $1) }
    }
    address.port = Int(port)
    let attempt = newAttempt(socket)
    ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [weak self] channel in
        guard let self else { return channel.close() }
        return self.assumeIsolated { runner in
          guard runner.attempts[socket] == attempt else { return channel.close() }
          return runner.add(channel, as: socket)
        }
      }
      .connect(to: address).whenFailure { [weak self] _ in
        self?.assumeIsolated { runner in
          guard runner.attempts[socket] == attempt else { return }
          runner.channels[socket] = nil
          runner.drive { $0.closed(socket, at: $1) }
        }
      }
  }

  /// Calls the session after the current call.
  private func later(_ body: @escaping @Sendable (inout Machine, MonotonicTime) -> Void) {
    loop.execute { [weak self] in self?.assumeIsolated { $0.drive(body) } }
  }

  private func bind(_ socket: SessionSocket, beside control: Int) {
    owners[socket] = control
    guard var address = channels[.control(control)]?.localAddress,
      let peer = channels[.control(control)]?.remoteAddress
    else { return later { $0.bound(socket, port: nil, at: $1) } }
    address.port = 0
    let attempt = newAttempt(socket)
    let bound: EventLoopFuture<any Channel>
    if socket.isDatagram {
      bound = bindDatagrams(socket, address, peer: peer)
    } else {
      bound = ServerBootstrap(group: loop, childGroup: loop)
        .serverChannelOption(.backlog, value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { [weak self] channel in
          guard let self else { return channel.close() }
          return self.assumeIsolated { $0.accept(channel, as: socket, from: peer) }
        }
        .bind(to: address)
    }
    bound.whenComplete { [weak self] result in
      self?.assumeIsolated { $0.finishBinding(socket, attempt, result) }
    }
  }

  private func bindDatagrams(
    _ socket: SessionSocket, _ address: SocketAddress, peer: SocketAddress
  ) -> EventLoopFuture<any Channel> {
    DatagramBootstrap(group: loop)
      .channelOption(.socketOption(.so_rcvbuf), value: DatagramHandler<Machine>.receiveBuffer)
      .channelInitializer { [weak self] channel in
        guard let self else { return channel.close() }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(DatagramHandler(self, socket, peer: peer))
        }
      }
      .bind(to: address)
  }

  /// Binds a UDP socket to its port again. SwiftNIO closes the socket when the system refuses one datagram, such as one
  /// without a route. The next datagram may have a route.
  func lostDatagrams(_ channel: any Channel, _ socket: SessionSocket, _ address: SocketAddress, peer: SocketAddress) {
    guard let present = channels[socket], present === channel, let attempt = attempts[socket] else { return }
    bindDatagrams(socket, address, peer: peer).whenComplete { [weak self] result in
      self?.assumeIsolated { runner in
        guard let result = runner.current(result, of: socket, attempt) else { return }
        do { runner.channels[socket] = try result.get() } catch {
          runner.channels[socket] = nil
          runner.drive { $0.closed(socket, at: $1) }
        }
      }
    }
  }

  /// Returns the result of an attempt to bind. If the socket was closed meanwhile, closes the new channel and returns
  /// nil.
  private func current(
    _ result: Result<any Channel, any Error>, of socket: SessionSocket, _ attempt: Int
  ) -> Result<any Channel, any Error>? {
    if attempts[socket] == attempt { return result }
    if case .success(let channel) = result { channel.close(promise: nil) }
    return nil
  }

  private func finishBinding(_ socket: SessionSocket, _ attempt: Int, _ result: Result<any Channel, any Error>) {
    guard let result = current(result, of: socket, attempt) else { return }
    guard case .success(let channel) = result, let port = channel.localAddress?.port else {
      return drive { $0.bound(socket, port: nil, at: $1) }
    }
    if socket.isDatagram { channels[socket] = channel } else { listeners[socket] = channel }
    drive { $0.bound(socket, port: UInt16(port), at: $1) }
  }

  /// Accepts the only connection of a listener. A further connection, or one of another peer, is closed.
  private func accept(
    _ channel: any Channel, as socket: SessionSocket, from peer: SocketAddress
  ) -> EventLoopFuture<Void> {
    guard channels[socket] == nil, listeners[socket] != nil,
      channel.remoteAddress?.ipAddress == peer.ipAddress
    else { return channel.close() }
    return add(channel, as: socket)
  }

  private func close(_ socket: SessionSocket) {
    listeners.removeValue(forKey: socket)?.close(promise: nil)
    (owners[socket], attempts[socket]) = (nil, nil)
    paused.remove(socket)
    guard let channel = channels.removeValue(forKey: socket) else { return }
    if !socket.isDatagram { note(.closed(isOwn: true), socket, channel) }
    guard let write = writes.removeValue(forKey: socket) else { return channel.close(promise: nil) }
    write.whenComplete { _ in channel.close(promise: nil) }
    let limit = loop.scheduleTask(in: Self.closingTime) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in limit.cancel() }
  }

  // MARK: Handlers

  func opened(_ socket: SessionSocket) {
    if socket == .control(0), let begin = beginning {
      beginning = nil
      drive(begin)
    }
    // The listener is closed only now. Closing it earlier would also close the connection that is being accepted.
    listeners.removeValue(forKey: socket)?.close(promise: nil)
    let isOwn = socket == .control(0) || owners[socket] == nil && attempts[socket] != nil
    note(.opened(isOwn: isOwn), socket, channels[socket])
    drive { $0.connected(socket, at: $1) }
  }

  func received(_ bytes: [UInt8], on socket: SessionSocket, from port: Int) {
    if tap != nil {
      var address = socket.isDatagram ? remote(of: socket) : channels[socket]?.remoteAddress
      if socket.isDatagram { address?.port = port }
      note(.bytes(bytes, isOwn: false), socket, channels[socket], remote: address)
    }
    drive { $0.receive(bytes, on: socket, from: UInt16(truncatingIfNeeded: port), at: $1) }
  }

  func writability(of socket: SessionSocket, _ isWritable: Bool) {
    updateReading(of: socket)
    drive { $0.writability(of: socket, isWritable, at: $1) }
  }

  func lost(_ channel: any Channel, _ socket: SessionSocket) {
    guard let present = channels[socket], present === channel else { return }
    note(.closed(isOwn: false), socket, channel)
    channels[socket] = nil
    writes[socket] = nil
    drive { $0.closed(socket, at: $1) }
  }

  /// Passes a record of a socket to the tap.
  private func note(
    _ content: SocketRecord.Content, _ socket: SessionSocket, _ channel: (any Channel)?,
    remote: SocketAddress? = nil
  ) {
    guard let tap, let local = SocketRecord.Endpoint(channel?.localAddress),
      let remote = SocketRecord.Endpoint(remote ?? channel?.remoteAddress)
    else { return }
    tap(SocketRecord(isDatagram: socket.isDatagram, content: content, local: local, remote: remote))
  }
}

/// The text of an address.
enum SocketText {
  static func text(_ address: SocketAddress) -> String {
    let host = address.ipAddress ?? ""
    return (host.contains(":") ? "[\(host)]" : host) + ":\(address.port ?? 0)"
  }
}
