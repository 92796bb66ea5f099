// swift-iap2 · Apache-2.0

import NIOCore
import NIOHTTP1

/// Answers requests for the files of the page.
final class LabFileHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let access: LabAccess
  private let onPage: @Sendable () -> Void

  /// The time after which a connection without a request ends.
  static let idleTime = TimeAmount.seconds(60)

  /// - Parameter onPage: Called when a browser reads the page.
  init(access: LabAccess, onPage: @escaping @Sendable () -> Void) { (self.access, self.onPage) = (access, onPage) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    guard head.method == .GET || head.method == .HEAD else {
      return answer(context, head, .methodNotAllowed, text: "only GET\n")
    }
    switch access.place(path: head.uri, host: head.headers.first(name: "Host")) {
    case .file(let name):
      guard let file = LabPage.files[name] else { return answer(context, head, .notFound, text: "no such file\n") }
      if name == "index.html" { onPage() }
      answer(context, head, .ok, file.bytes, type: file.type)
    case .socket: answer(context, head, .forbidden, text: "only the lab's own page opens this socket\n")
    case nil: answer(context, head, .notFound, text: "open the address that iap2 lab printed, with its secret\n")
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func answer(
    _ context: ChannelHandlerContext, _ head: HTTPRequestHead, _ status: HTTPResponseStatus, text: String
  ) {
    answer(context, head, status, Array(text.utf8), type: "text/plain; charset=utf-8")
  }

  private func answer(
    _ context: ChannelHandlerContext, _ head: HTTPRequestHead, _ status: HTTPResponseStatus, _ bytes: [UInt8],
    type: String
  ) {
    let headers: HTTPHeaders = [
      "Content-Type": type, "Content-Length": "\(bytes.count)", "Content-Security-Policy": LabPage.policy,
      "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
      "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
      "Connection": head.isKeepAlive ? "keep-alive" : "close",
    ]
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
    if head.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }
    let isLast = !head.isKeepAlive
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      if isLast { channel.close(promise: nil) }
    }
  }
}
