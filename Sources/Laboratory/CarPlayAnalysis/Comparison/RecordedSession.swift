// swift-iap2 · Apache-2.0

package import CarPlaySession

/// A CarPlay session of a capture or of a run, as its messages in the clear.
package struct RecordedSession: Sendable {
  /// A place in the capture.
  package struct Moment: Sendable {
    /// The number of the record, from 1.
    package var record: Int
    /// The seconds, as the capture has them; nil for a capture without times.
    package var seconds: Double?

    /// Creates a place.
    package init(record: Int, seconds: Double? = nil) { (self.record, self.seconds) = (record, seconds) }
  }

  /// A request with its answer.
  package struct Exchange: Sendable {
    /// The channel.
    package let channel: SessionJudge.Channel
    /// The request.
    package let request: RequestMessage
    /// The answer; nil if none came.
    package fileprivate(set) var answer: RequestMessage?
    /// The place of the request.
    package let moment: Moment

    /// Creates an exchange without an answer.
    package init(channel: SessionJudge.Channel, request: RequestMessage, at moment: Moment = Moment(record: 1)) {
      (self.channel, self.request, self.moment) = (channel, request, moment)
    }
  }

  /// A message of a stream.
  package struct Piece: Sendable {
    /// The content of a piece.
    package enum Content: Sendable {
      /// A message of a screen, opened.
      case picture(ScreenMessage)
      /// A packet of sound, opened.
      case sound(AudioPacket)
    }

    /// The stream, and the side that sent.
    package let type: StreamType
    package let from: SessionSide
    /// The content.
    package let content: Content
    /// The number of exchanges whose requests came before.
    package let exchangeCount: Int
    /// The place.
    package let moment: Moment
  }

  /// The sums of a stream.
  package struct Content: Sendable, Hashable {
    /// The pictures, or the packets of sound.
    package fileprivate(set) var count = 0
    /// The bytes of them.
    package fileprivate(set) var byteCount = 0
    /// The configurations of a screen: a configuration like the one before is not in it.
    package fileprivate(set) var configurations: [ScreenMessage] = []
  }

  /// A stream of one side.
  package struct Source: Sendable, Hashable {
    /// The stream, and the side that sends.
    package let type: StreamType
    package let side: SessionSide

    /// Creates the name of a stream.
    package init(type: StreamType, side: SessionSide) { (self.type, self.side) = (type, side) }
  }

  /// The limits of a recording.
  package struct Limits: Sendable {
    /// The most exchanges: a day of a busy session has fewer.
    package var exchanges = 1 << 18
    /// The most bytes of messages.
    package var messageByteCount = 256 << 20
    /// The most bytes of pieces; 0 keeps none. A comparison needs none.
    package var pieceByteCount = 0

    /// Creates the limits of a comparison.
    package init() {}
  }

  /// The exchanges in the order of their requests.
  package private(set) var exchanges: [Exchange] = []
  /// The pieces of streams.
  package private(set) var pieces: [Piece] = []
  /// The content of streams in sum.
  package private(set) var contents: [Source: Content] = [:]
  /// Whether something was left out by a limit.
  package private(set) var isCut = false
  /// Whether the capture lacks bytes of the session, or has damaged ones.
  package private(set) var lacksBytes = false
  private let limits: Limits
  private var messageByteCount = 0, pieceByteCount = 0
  /// The exchanges of each channel that are not answered.
  private var open: [SessionJudge.Channel: [Int]] = [:]

  /// The most configurations of a stream that are kept, and the most requests that wait. More are no session.
  private static let maximumConfigurations = 64, maximumOpen = 256
  /// The memory of a piece beside its bytes.
  private static let pieceOverheadByteCount = 128

  /// Creates a session without messages.
  package init(_ limits: Limits = Limits()) { self.limits = limits }

  /// The seconds of the first request; nil for a capture without times.
  package var start: Double? { exchanges.first?.moment.seconds }

  /// Returns the seconds since the first request.
  package func time(of moment: Moment) -> Double? {
    guard let start, let seconds = moment.seconds else { return nil }
    // The difference of two decimal fractions has more digits than a capture.
    return ((seconds - start) * 1e6).rounded() / 1e6
  }

  // MARK: Messages

  /// Notes that the capture lacks bytes of the session, or has damaged ones.
  package mutating func noteLack() { lacksBytes = true }

  /// Adds a request or an answer.
  ///
  /// - Parameter isExact: Whether an answer belongs only to a request of its number, because messages are missing.
  package mutating func take(
    _ message: RequestMessage, on channel: SessionJudge.Channel, isExact: Bool = false, at moment: Moment
  ) {
    if case .answer = message.start { return answer(message, on: channel, isExact: isExact) }
    messageByteCount += message.body.count
    guard exchanges.count < limits.exchanges, messageByteCount <= limits.messageByteCount else {
      isCut = true
      return
    }
    open[channel, default: []].append(exchanges.count)
    if open[channel]?.count ?? 0 > Self.maximumOpen { open[channel]?.removeFirst() }
    exchanges.append(Exchange(channel: channel, request: message, at: moment))
  }

  /// Adds an answer to its request: that of its number, or else the oldest one.
  private mutating func answer(_ message: RequestMessage, on channel: SessionJudge.Channel, isExact: Bool) {
    guard let waiting = open[channel], !waiting.isEmpty else { return }
    let known = waiting.firstIndex { exchanges[$0].request.sequence == message.sequence }
    guard known != nil || !isExact else { return }
    messageByteCount += message.body.count
    let place = known ?? waiting.startIndex
    exchanges[waiting[place]].answer = message
    // A side answers in order, so the answers to earlier requests are missing.
    open[channel]?.removeSubrange(isExact ? 0...place : place...place)
  }

  // MARK: Streams

  /// Adds a message of a screen.
  package mutating func take(_ message: ScreenMessage, of type: StreamType, at moment: Moment) {
    let source = Source(type: type, side: .phone)
    if message.kind == .configuration { add(configuration: message, to: source) }
    if message.kind == .frame { add(message.body.count, to: source) }
    keep(.picture(message), byteCount: message.body.count, of: source, at: moment)
  }

  private mutating func add(configuration message: ScreenMessage, to source: Source) {
    var content = contents[source] ?? Content()
    let isNew = content.configurations.last.map { !$0.configures(like: message) } ?? true
    if isNew, content.configurations.count < Self.maximumConfigurations { content.configurations.append(message) }
    contents[source] = content
  }

  /// Adds a packet of sound.
  package mutating func take(_ packet: AudioPacket, of type: StreamType, from side: SessionSide, at moment: Moment) {
    let source = Source(type: type, side: side)
    add(packet.payload.count, to: source)
    keep(.sound(packet), byteCount: packet.payload.count, of: source, at: moment)
  }

  private mutating func add(_ byteCount: Int, to source: Source) {
    contents[source, default: Content()].count += 1
    contents[source, default: Content()].byteCount += byteCount
  }

  private mutating func keep(_ content: Piece.Content, byteCount: Int, of source: Source, at moment: Moment) {
    guard limits.pieceByteCount > 0 else { return }
    pieceByteCount += byteCount + Self.pieceOverheadByteCount
    guard pieceByteCount <= limits.pieceByteCount else {
      isCut = true
      return
    }
    pieces.append(
      Piece(
        type: source.type, from: source.side, content: content, exchangeCount: exchanges.count, moment: moment))
  }
}

extension ScreenMessage {
  /// Returns whether another configuration says the same about the pictures.
  package func configures(like other: ScreenMessage) -> Bool {
    (body, width, height, picture, flags) == (other.body, other.width, other.height, other.picture, other.flags)
  }
}
