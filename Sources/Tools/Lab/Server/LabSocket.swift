// swift-iap2 · Apache-2.0

import Dispatch
import IAP2Capture
import NIOCore
import NIOWebSocket

/// The socket of a page. It takes what the hub has at the speed of the browser: a slow one loses pictures, and no entry
/// of the record.
final class LabSocket: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The filter of the page.
  private struct Filter {
    var id: Int
    var filter: LabFilter
    /// The number of the next entry that it has not seen.
    var next = 0
    /// Whether the page knows that long entries are left out.
    var hasLeftOut = false
  }

  /// The client as the hub knows it, on any thread.
  private final class Client: LabClient {
    private let loop: any EventLoop
    private let socket: NIOLoopBound<LabSocket>

    init(_ socket: LabSocket, _ loop: any EventLoop) {
      (self.loop, self.socket) = (loop, NIOLoopBound(socket, eventLoop: loop))
    }

    func wake() { loop.execute { self.socket.value.scheduleFlush() } }

    func offer(_ picture: LabPicture) { loop.execute { self.socket.value.show(picture) } }

    func deliver(_ file: String) { loop.execute { self.socket.value.send(.text, ByteBuffer(string: file)) } }
  }

  private let hub: LabHub
  private let session: any LabSession
  private var client: Client?
  private var cursor: LabCursor?
  private var context: ChannelHandlerContext?
  private var isScheduled = false
  private var lastFlush = NIODeadline.distantPast
  /// The displays whose next picture must stand alone.
  private var needsKeyFrame = Set(LabPicture.Display.allCases)
  /// Whether the page takes pictures as PNG, and whether its finger is on the screen.
  private var takesPNG = false, isTouching = false
  /// Whether a picture was lost since the last one that the page got.
  private var hasLostPicture = false
  /// Whether entries are held against the filter.
  private var isFiltering = false
  private var filter: Filter?

  /// The bytes that wait in the socket above which nothing is added, and below which it goes on.
  static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1 << 18, high: 1 << 20)
  /// The entries in a message.
  private static let entriesPerMessage = 500
  /// The entries that are held against a filter at once.
  private static let entriesPerFilter = 5000
  /// The time that a filter has for these entries.
  private static let maximumFilterTime = Duration.seconds(5)
  /// The time for which the first change waits for others of the same cause, such as the calls after a click.
  private static let gatherTime = TimeAmount.milliseconds(4)
  /// The least time between two messages with what has changed. The browser's work for a message hardly depends on the
  /// number of its rows.
  private static let pause = TimeAmount.milliseconds(50)

  init(hub: LabHub, session: any LabSession) { (self.hub, self.session) = (hub, session) }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let client = Client(self, context.eventLoop)
    guard let cursor = hub.add(client) else {
      // "Try again later", with the reason that the page shows.
      let reason = "too many pages are open; close one of them"
      send(.connectionClose, ByteBuffer(bytes: [0x03, 0xF5] + Array(reason.utf8)))
      context.close(promise: nil)
      return
    }
    (self.client, self.cursor) = (client, cursor)
    session.take(.keyFrame)
    flush()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if let client { hub.remove(client) }
    if isTouching { session.take(.letGo) }
    (client, self.context) = (nil, nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      flush()
      if hasLostPicture, context.channel.isWritable { session.take(.keyFrame) }
    }
    context.fireChannelWritabilityChanged()
  }

  // MARK: To the page

  private func scheduleFlush() {
    guard !isScheduled, let context else { return }
    isScheduled = true
    let socket = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(deadline: max(.now() + Self.gatherTime, lastFlush + Self.pause)) {
      socket.value.isScheduled = false
      socket.value.flush()
    }
  }

  private func flush() {
    lastFlush = .now()
    while let context, context.channel.isWritable, var next = cursor {
      let texts = hub.next(&next, limit: Self.entriesPerMessage)
      cursor = next
      for text in texts { send(.text, ByteBuffer(string: text)) }
      if !texts.isEmpty { passFilter(isFirst: false) }
      // Newer entries wait for further ones.
      let count = hub.count(after: next)
      guard count >= Self.entriesPerMessage else { return count > 0 ? scheduleFlush() : () }
    }
  }

  private func show(_ picture: LabPicture) {
    guard let context, (picture.format == .png) == takesPNG else { return }
    // The page drops its pictures when a session begins. The first one of that session must come behind its hello.
    if let cursor, hub.hasBegun(after: cursor) { flush() }
    let standsAlone = picture.format != .nextFrame
    guard context.channel.isWritable else {
      // The pictures after a lost one depend on it.
      needsKeyFrame.insert(picture.display)
      hasLostPicture = true
      return
    }
    if needsKeyFrame.contains(picture.display), !standsAlone { return session.take(.keyFrame) }
    needsKeyFrame.remove(picture.display)
    hasLostPicture = false
    send(.binary, ByteBuffer(bytes: picture.header + picture.bytes))
  }

  private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    context?.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
  }

  private func send(_ message: LabMessage) { send(.text, ByteBuffer(string: LabHub.text(message))) }

  // MARK: From the page

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text:
      var bytes = frame.unmaskedData
      do throws(LabRequestProblem) { take(try LabRequest(bytes.readBytes(length: bytes.readableBytes) ?? [])) } catch {
        send(.note(error.text, level: .warning))
      }
    case .ping: send(.pong, frame.unmaskedData)
    case .connectionClose:
      send(.connectionClose, frame.unmaskedData)
      context.close(promise: nil)
    case .binary, .continuation, .pong: break
    default: context.close(promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A page that only watches sends nothing.
    if !(event is IdleStateHandler.IdleStateEvent) { context.fireUserInboundEventTriggered(event) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func take(_ request: LabRequest) {
    switch request {
    case .detail(let number): if let text = hub.detail(number) { send(.text, ByteBuffer(string: text)) }
    case .saveEarlier(let product):
      send(hub.earlier(product) ?? .note("nothing was recorded before the last restart", level: .warning))
    case .filter(let id, let text):
      filter = nil
      guard !text.isEmpty else { return send(.filter(id: id, problem: nil, numbers: [], isFirst: true)) }
      do throws(LabFilter.Problem) {
        filter = Filter(id: id, filter: try LabFilter(text))
        passFilter(isFirst: true)
      } catch { send(.filter(id: id, problem: error.text, numbers: [], isFirst: true)) }
    default:
      if case .touch(_, let phase, _, _) = request { isTouching = phase != .up }
      if case .pictures(let isPNG) = request { takesPNG = isPNG }
      if case .save(let product) = request, let client, !hub.awaitFile(product, for: client) {
        return send(.note("the page waits for too many files; save this one later", level: .warning))
      }
      session.take(request)
      // A page that takes another format has none of the present pictures.
      if case .pictures = request { session.take(.keyFrame) }
    }
  }

  /// Holds entries that the page has against its filter, on another thread, because a filter may take its time.
  private func passFilter(isFirst: Bool) {
    guard let present = filter, let context, !isFiltering else { return }
    let entries = hub.entries(from: present.next, limit: Self.entriesPerFilter)
    guard isFirst || !entries.isEmpty else { return }
    isFiltering = true
    let socket = NIOLoopBound(self, eventLoop: context.eventLoop)
    DispatchQueue.global().async { [loop = context.eventLoop] in
      let result = present.filter.result(of: entries, within: Self.maximumFilterTime)
      loop.execute { socket.value.pass(result, through: entries.last?.number, of: present.id, isFirst: isFirst) }
    }
  }

  private func pass(_ result: LabFilter.Result, through last: Int?, of id: Int, isFirst: Bool) {
    isFiltering = false
    guard filter?.id == id else { return passFilter(isFirst: true) }
    guard result.isInTime else {
      filter = nil
      let problem = "the filter was stopped: it takes too long for these messages. Make its patterns simpler."
      return send(.filter(id: id, problem: problem, numbers: [], isFirst: true))
    }
    if let last { filter?.next = last + 1 }
    if isFirst || !result.numbers.isEmpty {
      send(.filter(id: id, problem: nil, numbers: result.numbers, isFirst: isFirst))
    }
    if result.hasLeftOut, filter?.hasLeftOut == false {
      filter?.hasLeftOut = true
      send(.note("long messages are left out: the pattern of the filter could take too long for them", level: .warning))
    }
    passFilter(isFirst: false)
  }
}
