// swift-iap2 · Apache-2.0

import NIOCore

/// The first handler in the pipeline of a TCP connection outside a session. It makes the records of the connection.
final class RecordHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let tap: @Sendable (SocketRecord) -> Void
  /// The ends of the connection, while it is open.
  private var path: (local: SocketRecord.Endpoint, remote: SocketRecord.Endpoint)?
  private let isOwn: Bool

  /// - Parameters:
  ///   - isOwn: Whether this side connects.
  ///   - tap: Receives the records, on the event loop.
  init(isOwn: Bool, _ tap: @escaping @Sendable (SocketRecord) -> Void) { (self.isOwn, self.tap) = (isOwn, tap) }

  func channelActive(context: ChannelHandlerContext) {
    if let local = SocketRecord.Endpoint(context.channel.localAddress),
      let remote = SocketRecord.Endpoint(context.channel.remoteAddress)
    {
      path = (local, remote)
    }
    note(.opened(isOwn: isOwn))
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    note(.bytes(Array(buffer: unwrapInboundIn(data)), isOwn: false))
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    note(.bytes(Array(buffer: unwrapOutboundIn(data)), isOwn: true))
    context.write(data, promise: promise)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    end(isOwn: true)
    context.close(mode: mode, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(isOwn: false)
    context.fireChannelInactive()
  }

  private func end(isOwn: Bool) {
    note(.closed(isOwn: isOwn))
    path = nil
  }

  private func note(_ content: SocketRecord.Content) {
    guard let path else { return }
    tap(SocketRecord(isDatagram: false, content: content, local: path.local, remote: path.remote))
  }
}

extension ChannelPipeline.SynchronousOperations {
  /// Adds the handler that makes records, if there is a tap.
  func addRecords(isOwn: Bool, _ tap: (@Sendable (SocketRecord) -> Void)?) throws {
    if let tap { try addHandler(RecordHandler(isOwn: isOwn, tap)) }
  }
}
