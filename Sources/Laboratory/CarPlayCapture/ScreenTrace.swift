// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography
import IAP2Capture

/// The messages of a screen in a capture. Behind bytes that are missing or damaged, it goes on at the next picture whose
/// tag fits. Without keys, the form of a header decides.
struct ScreenTrace: Sendable {
  private enum Cipher: Sendable {
    case sealed(ChaCha20Poly1305)
    /// No tag shows the place in the key stream, so it is lost with the first missing byte.
    case counter(ScreenOpener)
    case unknown
  }

  /// A part of what the bytes gave.
  enum Event: Sendable {
    case message(ScreenMessage, isOpened: Bool)
    /// The phone broke a rule, in words. The stream is read on.
    case broken(ScreenOpener.Problem, String)
    /// The next bytes cannot be read, for a reason.
    case lost(String)
    /// The next message can be read behind bytes that cannot, in words if they say something new.
    case resumed(String?)
  }

  private let type: StreamType
  private var cipher: Cipher
  private var buffer = StreamBuffer()
  private var loss: StreamLoss?
  /// Places behind a loss that have the form of a header and wait for their bytes, and the number of places that were
  /// looked at.
  private var waiting: [Int] = [], scanned = 0
  /// The number of frames so far, which is the number of the next one.
  private var frameCount: UInt64 = 0
  private var hasConfiguration = false, isWhole = true
  /// The bytes without a meaning at the end of the last header.
  private var reserved = [UInt8](repeating: 0, count: ScreenTrace.reservedPart.count)
  /// Events of marks, before those of the bytes.
  private var events: [Event] = []

  /// The part of a header without a meaning (CarPlaySession.md#screen-header).
  private static let reservedPart = 64..<ScreenMessage.headerByteCount
  /// The most places that wait.
  private static let maximumWaiting = 16
  /// The place of the type in a header (CarPlaySession.md#screen-header).
  private static let typePlace = 4
  /// The numbers behind the right one with which a picture is tried before it counts as damaged. Ours: a phone that
  /// counts wrongly is not far off.
  private static let wrongNumberCount: UInt64 = 8

  /// - Parameter protection: The protection of the session's streams; nil if it is not known.
  init(_ type: StreamType, _ protection: StreamProtection? = nil, id: UInt64? = nil) {
    self.type = type
    cipher = .unknown
    guard let protection, let id else { return }
    guard let secret = protection.secret else {
      cipher = .counter(ScreenOpener(protection, id: id))
      return
    }
    do { cipher = .sealed(try ChaCha20Poly1305(ChannelKeys.stream(secret, id: id).phone)) } catch {
      // A key of another length opens nothing.
    }
  }

  /// Whether pictures are opened with a key.
  var hasKey: Bool { if case .unknown = cipher { false } else { true } }

  /// Notes that the capture lacks the beginning of the stream.
  mutating func noteLateBeginning() { (isWhole, loss) = (false, StreamLoss(.gap(isLate: true), first: 0)) }

  /// Takes bytes. What they give follows from ``next(isClear:_:_:)``.
  ///
  /// - Parameters:
  ///   - mark: The mark of the bytes in a capture whose sessions are in the clear.
  ///   - plain: Gets the bytes in the clear.
  mutating func add(_ bytes: [UInt8], followsGap: Bool, mark: DecryptedMark?, _ plain: inout PlainBytes?) {
    if followsGap {
      plain?.flush()
      plain?.followsGap()
      let rest = buffer.removeAll()
      let before = loss.map { $0.byteCount + rest } ?? 0
      loss = StreamLoss(.gap(isLate: false), first: loss?.first ?? frameCount, byteCount: before)
      (waiting, scanned) = ([], 0)
      if case .counter = cipher { cipher = .unknown }
      // The configuration may be missing.
      isWhole = false
    }
    switch mark {
    case .damaged(let reason)?:
      // A long unit has several packets in a copy.
      guard loss == nil else { return }
      loss = StreamLoss(.damage, first: frameCount)
      events.append(.lost(reason))
      return
    case .incomplete?:
      loss?.byteCount += bytes.count
      return
    case .behindLoss(let text)?:
      events.append(loss == nil ? .broken(.wrongFrame(frameCount), text) : .resumed(text))
      loss = nil
    case .sealed?: loss?.isSearched = true
    case .lastClear?, nil: break
    }
    plain?.capture(bytes)
    buffer.add(bytes)
  }

  /// Returns the next event; nil until more bytes come.
  ///
  /// - Parameter isClear: Whether the capture has pictures in the clear.
  mutating func next(isClear: Bool, _ plain: inout PlainBytes?, _ budget: inout SearchBudget) -> Event? {
    if !events.isEmpty { return events.removeFirst() }
    if let loss, !isClear || loss.isSearched { return search(&plain, &budget) }
    guard let header = header(), buffer.count >= header.count else { return nil }
    let size = Self.size(of: header)
    guard size <= ScreenMessage.maximumBodyByteCount else {
      // The length alone may be damaged, and headers without a meaning there are alike.
      if frameCount == 0, !hasConfiguration { reserved = Array(header[Self.reservedPart]) }
      return lose(.bodyTooLong(size), byteCount: header.count, isAligned: false, &plain)
    }
    guard buffer.count >= header.count + size else { return nil }
    var message = ScreenMessage(header: header[...])
    message.body = Array(buffer[header.count..<header.count + size])
    if message.kind == .frame {
      // In a copy, a picture shows the end of a loss.
      if loss != nil {
        loss = nil
        return .resumed(nil)
      }
      if !hasConfiguration, isWhole {
        // That is reported once.
        hasConfiguration = true
        return .broken(.noConfiguration, ScreenOpener.Problem.noConfiguration.valueProblem(of: type).reason)
      }
      if let event = open(&message, header, &plain) { return event }
      frameCount += 1
    } else if let opened = misnamedPicture(message, header) {
      message.body = opened.body
      let text = "the header of picture \(frameCount) names type \(message.type), and its tag is that of a picture"
      plain?.resume(text)
      events.append(.resumed(text))
      (message.type, frameCount) = (ScreenMessage.Kind.frame.rawValue, frameCount + 1)
      events.append(take(message, opened.header, isOpened: true, &plain))
      return events.removeFirst()
    } else if case .counter(var opener) = cipher {
      // The opener follows the configurations.
      opener.add(header + message.body)
      do { _ = try opener.next() } catch { cipher = .unknown }
      if hasKey { cipher = .counter(opener) }
    }
    if message.kind == .configuration { hasConfiguration = true }
    return take(message, header, isOpened: hasKey || isClear, &plain)
  }

  /// Returns the words of a loss at the end of the stream; nil for none.
  mutating func takeEnd() -> String? {
    defer { loss = nil }
    return loss?.end(rest: buffer.removeAll())
  }

  // MARK: Messages

  private func header() -> [UInt8]? {
    buffer.count >= ScreenMessage.headerByteCount ? Array(buffer[0..<ScreenMessage.headerByteCount]) : nil
  }

  private static func size(of header: [UInt8]) -> Int { Int(UInt32(littleEndianBytes: header.prefix(4))) }

  private mutating func take(
    _ message: ScreenMessage, _ header: [UInt8], isOpened: Bool, _ plain: inout PlainBytes?
  ) -> Event {
    reserved = Array(header[Self.reservedPart])
    buffer.skip(header.count + Self.size(of: header))
    plain?.append(message, header, isOpened: isOpened)
    return .message(message, isOpened: isOpened)
  }

  /// Opens a picture. Returns an event if it cannot be read, or not as the next one.
  private mutating func open(
    _ message: inout ScreenMessage, _ header: [UInt8], _ plain: inout PlainBytes?
  ) -> Event? {
    switch cipher {
    case .unknown: return nil
    case .counter(var opener):
      cipher = .unknown
      opener.add(header + message.body)
      do {
        guard let opened = try opener.next() else { return nil }
        message.body = opened.body
        cipher = .counter(opener)
      } catch {}
      return nil
    case .sealed(let key):
      if Self.open(&message.body, key, frameCount, header) { return nil }
      let body = buffer[header.count..<header.count + Self.size(of: header)]
      for number in frameCount + 1...frameCount + Self.wrongNumberCount {
        message.body = Array(body)
        guard Self.open(&message.body, key, number, header) else { continue }
        let text = "picture \(frameCount) is sealed with the number \(number); read on from picture \(number)"
        plain?.resume(text)
        defer { frameCount = number }
        return .broken(.wrongFrame(frameCount), text)
      }
      return lose(.wrongFrame(frameCount), byteCount: header.count + body.count, isAligned: true, &plain)
    }
  }

  /// Returns the header and the body of a picture whose header names another type: the tag, which covers the header, fits
  /// a picture.
  private func misnamedPicture(_ message: ScreenMessage, _ header: [UInt8]) -> (header: [UInt8], body: [UInt8])? {
    guard case .sealed(let key) = cipher, message.body.count > ChaCha20Poly1305.tagByteCount else { return nil }
    var (header, body) = (header, message.body)
    header[Self.typePlace] = ScreenMessage.Kind.frame.rawValue
    return Self.open(&body, key, frameCount, header) ? (header, body) : nil
  }

  private static func open(_ body: inout [UInt8], _ key: ChaCha20Poly1305, _ number: UInt64, _ header: [UInt8]) -> Bool
  {
    let end = body.count - ChaCha20Poly1305.tagByteCount
    guard end >= 0 else { return false }
    var span = body.mutableSpan
    guard key.open(&span, in: 0..<end, nonce: .init(number), authenticating: header.span) else { return false }
    body.removeLast(ChaCha20Poly1305.tagByteCount)
    return true
  }

  // MARK: Losses

  private mutating func lose(
    _ problem: ScreenOpener.Problem, byteCount: Int, isAligned: Bool, _ plain: inout PlainBytes?
  ) -> Event {
    loss = StreamLoss(.damage, first: frameCount)
    loss?.isAligned = isAligned
    (waiting, scanned) = ([], 0)
    // The damaged message may be the configuration.
    isWhole = false
    if case .counter = cipher { cipher = .unknown }
    let reason = problem.valueProblem(of: type).reason
    plain?.fail(.damaged(reason), count: byteCount)
    buffer.skip(byteCount)
    return .lost(reason)
  }

  /// Leaves bytes out.
  private mutating func drop(_ count: Int, _ plain: inout PlainBytes?) {
    guard count > 0, count <= buffer.count else { return }
    loss?.byteCount += count
    loss?.isAligned = false
    plain?.fail(hasKey ? .incomplete : .sealed, count: count)
    buffer.skip(count)
    waiting = waiting.map { $0 - count }.filter { $0 >= 0 }
    scanned = max(0, scanned - count)
  }

  /// Searches the next picture.
  private mutating func search(_ plain: inout PlainBytes?, _ budget: inout SearchBudget) -> Event? {
    guard loss?.isOver == false else {
      drop(buffer.count, &plain)
      return nil
    }
    while let place = nextPlace() {
      let isAligned = loss?.isAligned == true && place == 0
      if let event = read(at: place, &plain, &budget) { return event }
      guard isAligned, let header = header() else { continue }
      drop(header.count + Self.size(of: header), &plain)
      loss?.isAligned = true
      loss?.skipped += 1
    }
    drop(min(waiting.min() ?? Int.max, buffer.count - ScreenMessage.headerByteCount + 1), &plain)
    return nil
  }

  /// Reads the complete message at a place behind a loss. Returns nil if its tag is wrong.
  private mutating func read(
    at place: Int, _ plain: inout PlainBytes?, _ budget: inout SearchBudget
  ) -> Event? {
    let header = Array(buffer[place..<place + ScreenMessage.headerByteCount])
    let size = Self.size(of: header)
    var message = ScreenMessage(header: header[...])
    message.body = Array(buffer[place + header.count..<place + header.count + size])
    guard message.kind == .frame else {
      if message.kind == .configuration { hasConfiguration = true }
      drop(place, &plain)
      // No tag confirms it, but its form, and the next picture has the number of the loss.
      defer { loss?.isAligned = true }
      (waiting, scanned) = ([], 0)
      return take(message, header, isOpened: false, &plain)
    }
    guard case .sealed(let key) = cipher else {
      drop(place, &plain)
      let text = loss?.resumption(at: nil, "picture")
      loss = nil
      return .resumed(text)
    }
    let number = loss?.number(of: size, &budget) { number in
      var body = message.body
      return Self.open(&body, key, number, header)
    }
    guard let number else { return nil }
    drop(place, &plain)
    let text = loss?.resumption(at: number, "picture")
    if let text { plain?.resume(text) }
    (loss, frameCount) = (nil, number)
    return .resumed(text)
  }

  /// Returns the next place with the form of a message whose bytes have all come. Bytes that only look like a header may
  /// have any length, so those behind them are looked at, too, if a tag shows which ones are right.
  private mutating func nextPlace() -> Int? {
    if let index = waiting.firstIndex(where: isComplete) { return waiting.remove(at: index) }
    var waitsForFirst = loss?.isAligned == true
    if case .sealed = cipher {} else { waitsForFirst = true }
    if waitsForFirst, !waiting.isEmpty { return nil }
    while scanned <= buffer.count - ScreenMessage.headerByteCount {
      let place = scanned
      scanned += 1
      guard isHeader(at: place) else { continue }
      guard !isComplete(place) else { return place }
      waiting.append(place)
      if waiting.count > Self.maximumWaiting { waiting.removeFirst() }
      if waitsForFirst { return nil }
    }
    return nil
  }

  private func isComplete(_ place: Int) -> Bool {
    let size = Int(UInt32(littleEndianBytes: buffer[place..<place + 4]))
    return buffer.count >= place + ScreenMessage.headerByteCount + size
  }

  private func isHeader(at place: Int) -> Bool {
    // Most bytes fail here: the highest byte of a length, and the kind.
    guard buffer[place + 3] == 0, let kind = ScreenMessage.Kind(rawValue: buffer[place + 4]) else { return false }
    let size = Int(UInt32(littleEndianBytes: buffer[place..<place + 4]))
    guard size <= ScreenMessage.maximumBodyByteCount, kind != .frame || size > ChaCha20Poly1305.tagByteCount,
      buffer[place + Self.reservedPart.lowerBound..<place + Self.reservedPart.upperBound].elementsEqual(reserved)
    else { return false }
    return kind != .configuration
      || ScreenMessage.configurationBegins(Array(buffer[place..<place + ScreenMessage.headerByteCount]))
  }
}
