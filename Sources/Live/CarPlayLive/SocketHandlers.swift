// swift-iap2 · Apache-2.0

import CarPlaySession
import NIOCore

/// The end of a TCP connection's pipeline.
final class ConnectionHandler<Machine: SessionMachine>: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let runner: SessionRunner<Machine>
  private let socket: SessionSocket

  init(_ runner: SessionRunner<Machine>, _ socket: SessionSocket) { (self.runner, self.socket) = (runner, socket) }

  func channelActive(context: ChannelHandlerContext) {
    let socket = socket
    runner.assumeIsolated { $0.opened(socket) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Array(buffer: unwrapInboundIn(data))
    let socket = socket
    runner.assumeIsolated { $0.received(bytes, on: socket, from: 0) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    let (channel, socket) = (context.channel, socket)
    runner.assumeIsolated { $0.writability(of: socket, channel.isWritable) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    let (channel, socket) = (context.channel, socket)
    runner.assumeIsolated { $0.lost(channel, socket) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The end of a UDP socket's pipeline. Datagrams of other hosts than the peer are dropped.
final class DatagramHandler<Machine: SessionMachine>: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  /// The bytes of datagrams that the system keeps: half a second of stereo sound of 48 kHz.
  static var receiveBuffer: SocketOptionValue { 128 << 10 }

  private let runner: SessionRunner<Machine>
  private let socket: SessionSocket
  private let peer: SocketAddress
  private let host: String?
  /// The own address; nil before it is bound.
  private var address: SocketAddress?

  init(_ runner: SessionRunner<Machine>, _ socket: SessionSocket, peer: SocketAddress) {
    (self.runner, self.socket, self.peer, host) = (runner, socket, peer, peer.ipAddress)
  }

  func channelActive(context: ChannelHandlerContext) { address = context.channel.localAddress }

  func channelInactive(context: ChannelHandlerContext) {
    guard let address else { return }
    let (channel, socket, peer) = (context.channel, socket, peer)
    runner.assumeIsolated { $0.lostDatagrams(channel, socket, address, peer: peer) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    guard envelope.remoteAddress.ipAddress == host, let port = envelope.remoteAddress.port else { return }
    let bytes = Array(buffer: envelope.data)
    let socket = socket
    runner.assumeIsolated { $0.received(bytes, on: socket, from: port) }
  }

  /// An error of a datagram, such as a port without a socket, concerns that datagram alone.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
