// swift-iap2 · Apache-2.0

import CarPlaySession
import NIOCore

/// The last handler in the pipeline of a TCP connection.
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

/// The last handler in the pipeline of a UDP socket. It drops datagrams of hosts other than the peer.
final class DatagramHandler<Machine: SessionMachine>: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  /// The size of the system's receive buffer in bytes: half a second of stereo sound of 48 kHz.
  static var receiveBuffer: SocketOptionValue { 128 << 10 }

  private let runner: SessionRunner<Machine>
  private let socket: SessionSocket
  private let peer: SocketAddress
  private let host: String?
  /// The local address; nil before the socket is bound.
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

  /// Ignores the error, such as a port without a socket, because it concerns one datagram alone.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
