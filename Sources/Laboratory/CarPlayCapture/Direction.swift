// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2Capture

/// The bytes of one side of a control or event connection, which become messages.
struct Direction: Sendable {
  private enum State: Sendable {
    case clear
    case sealed(FrameOpener)
    /// The place or the number of the next frame is not known.
    case searching(FrameSearch)
    /// The keys are not known: only the lengths of frames can be read.
    case opaque(FrameCounter)
    /// Nothing more can be read; whether the bytes are not encrypted.
    case dead(isClear: Bool)
  }

  /// Bytes that cannot be read, until a message begins behind them.
  private struct Loss: Sendable {
    /// The number of the first frame that was not read; nil if the bytes are not encrypted.
    var first: UInt64?
    /// The number of the next frame that was opened; nil before it.
    var next: UInt64?
    /// The number of captured bytes.
    var byteCount = 0
    var isReported = false
    /// Whether the capture lacks the beginning of the session.
    var isLate = false

    /// The words before the number of a frame.
    static let frameWords = "from frame "

    var text: String {
      if isLate {
        return "the beginning of the session was not captured, so its streams are not known; read on"
          + " \(Self.frameWords)\(next ?? 0)"
      }
      let frames = first.flatMap { first in next.map { $0 - min(first, $0) } } ?? 0
      let parts = [
        frames > 0 ? "\(frames) frame\(frames == 1 ? "" : "s")" : nil,
        byteCount > 0 ? "\(byteCount) captured bytes" : nil,
      ].compactMap(\.self)
      guard !parts.isEmpty || next != nil else { return Direction.gap }
      if next == 0, first == nil { return "what leads to these frames was not captured; read \(Self.frameWords)0" }
      let place = "read on \(next.map { "\(Self.frameWords)\($0)" } ?? "here")"
      guard !parts.isEmpty else { return "\(Direction.gap); \(place)" }
      return "\(place); not \(byteCount > 0 ? "read" : "captured") before it: \(parts.joined(separator: ", "))"
    }
  }

  /// A part of what a piece of bytes gave.
  enum Event {
    case messages([RequestMessage])
    /// Complete frames with an unknown key: their number, and the bytes of their text.
    case frames(Int, byteCount: Int)
    /// The next bytes cannot be read. Bytes that were not captured are no damage.
    case lost(reason: String, SessionJudge.Damage?)
    /// The next messages can be read, as the text says. They may be in frames, behind a complete pair-verify.
    case resumed(String, isInFrames: Bool)
  }

  private var reader = RequestReader()
  private var state = State.clear
  private var loss: Loss?
  /// The text of a loss, until the first message behind it is complete.
  private var resumption: (text: String, isInFrames: Bool)?
  /// Whether a frame was opened, so that the key is right.
  private(set) var hasOpenedFrame = false
  /// The bytes in the clear; nil if no copy of the capture is written.
  var plain: PlainBytes?

  init() {}

  /// Creates a direction that is encrypted from its first byte.
  ///
  /// - Parameter key: The key; nil if it is not known.
  init(key: Secret?) { state = key.map { .sealed(FrameOpener(key: $0)) } ?? .opaque(FrameCounter()) }

  /// Whether the bytes are encrypted with an unknown key.
  var isOpaque: Bool { if case .opaque = state { true } else { false } }

  /// Whether a part of a message has come.
  var isWithinMessage: Bool { reader.isWithinMessage }

  /// Whether a part of a message or of a frame has come.
  var isWithinUnit: Bool { isWithinMessage || isWithinFrame }

  /// Whether a part of a frame has come.
  var isWithinFrame: Bool { if case .sealed(let opener) = state { opener.unreadByteCount > 0 } else { false } }

  /// The reason of a gap.
  static let gap = "bytes before these were not captured"

  /// Encrypts the direction from now on. Bytes that were not parsed are frames.
  mutating func encrypt(key: Secret?, _ budget: inout SearchBudget) -> [Event] {
    let kept = reader.takeRest()
    // Frames do not begin with the rest of an unread message.
    let rest = if case .dead = state { [UInt8]() } else { kept }
    var plain = plain
    plain?.encrypt(rest: rest.count)
    self = Direction(key: key)
    self.plain = plain
    return take(rest, followsGap: false, &budget)
  }

  /// Searches the next frame of a direction whose beginning is not known.
  ///
  /// - Parameter isFirst: Whether the direction is the first one of the session that can be read.
  mutating func search(_ search: FrameSearch, isFirst: Bool) {
    state = .searching(search)
    loss = Loss(isReported: true, isLate: isFirst)
  }

  /// Notes that the message after which the direction is encrypted was not read.
  mutating func noteLostEnd() { loss = Loss(next: 0, isReported: true) }

  /// Goes on with a key behind frames that could not be opened. The frames that were counted are right without gaps.
  mutating func unlock(key: Secret) {
    guard case .opaque(let counter) = state else { return }
    state = .searching(FrameSearch(key: key, from: counter.count))
    if counter.count > 0 { loss = Loss(first: counter.count, isReported: true) }
  }

  /// Removes and returns the text of a loss behind which no message was complete.
  mutating func takeResumption() -> String? {
    defer { resumption = nil }
    return resumption?.text
  }

  /// - Parameter mark: The mark of the bytes in a capture whose sessions are in the clear; nil without one.
  mutating func take(
    _ bytes: [UInt8], followsGap: Bool, mark: DecryptedMark? = nil, _ budget: inout SearchBudget
  ) -> [Event] {
    var events: [Event] = []
    // The state has bytes, so it is taken out before it changes.
    let before = state
    state = .dead(isClear: isClear)
    if followsGap {
      plain?.flush()
      plain?.followsGap()
      _ = reader.takeRest()
    }
    switch before {
    case .clear:
      state = .clear
      takeClear(bytes, followsGap: followsGap, mark, &events)
    case .sealed(var opener):
      if followsGap {
        takeSearched(bytes, opener.search, followsGap: true, &events, &budget)
      } else if opener.unreadByteCount > 0, let found = opener.frameBehindDamage(bytes, &budget) {
        noteDamagedFrame(opener, byteCount: opener.unreadByteCount, &events)
        goOn(found, &events, &budget)
      } else {
        plain?.capture(bytes)
        opener.add(bytes)
        open(opener, &events, &budget)
      }
    case .searching(let search): takeSearched(bytes, search, followsGap: followsGap, &events, &budget)
    case .opaque(var counter):
      plain?.append(bytes, .sealed)
      guard !followsGap else { return [.lost(reason: Self.gap, nil)] }
      let (count, byteCount) = counter.take(bytes)
      state = .opaque(counter)
      return [.frames(count, byteCount: byteCount)]
    case .dead(let isClear):
      plain?.append(bytes, isClear ? nil : .sealed)
      if followsGap { events.append(.lost(reason: Self.gap, nil)) }
    }
    return events
  }

  /// Whether the bytes that come are not encrypted.
  var isClear: Bool {
    switch state {
    case .clear, .dead(isClear: true): true
    case .sealed, .searching, .opaque, .dead: false
    }
  }

  // MARK: Bytes in the clear

  private mutating func takeClear(
    _ bytes: [UInt8], followsGap: Bool, _ mark: DecryptedMark?, _ events: inout [Event]
  ) {
    switch mark {
    case .damaged(let reason)?:
      _ = reader.takeRest()
      loss = loss ?? Loss(isReported: true)
      return events.append(.lost(reason: reason, .frame))
    case .sealed?, .incomplete?:
      guard followsGap else { return }
      loss = loss ?? Loss()
      return reportGap(&events)
    // A copy in the clear has the words alone.
    case .behindLoss(let text)?: (loss, resumption) = (nil, (text, text.contains(Loss.frameWords)))
    case .lastClear?, nil:
      // A body does not begin like a message, so the length before it is damaged.
      if isWithinMessage, loss == nil, ControlRequest.beginsMessage(bytes) { abandonMessage(&events) }
      if followsGap { loss = Loss(byteCount: loss?.byteCount ?? 0) }
      guard let loss else { break }
      guard ControlRequest.beginsMessage(bytes) else {
        self.loss?.byteCount += bytes.count
        plain?.append(bytes, nil)
        return reportGap(&events)
      }
      (self.loss, resumption) = (nil, (loss.text, loss.next != nil))
    }
    reader.add(bytes)
    plain?.add(text: bytes)
    readMessages(&events)
  }

  /// Reports that the capture lacks bytes, once.
  private mutating func reportGap(_ events: inout [Event]) {
    guard loss?.isReported == false else { return }
    loss?.isReported = true
    events.append(.lost(reason: Self.gap, nil))
  }

  // MARK: Frames

  private mutating func takeSearched(
    _ bytes: [UInt8], _ search: FrameSearch, followsGap: Bool, _ events: inout [Event], _ budget: inout SearchBudget
  ) {
    if followsGap { loss = Loss(first: search.first, next: loss?.next, byteCount: loss?.byteCount ?? 0) }
    var search = search
    let found = search.take(bytes, &budget)
    // The bytes of earlier pieces were counted.
    loss?.byteCount += bytes.count - (found?.rest.count ?? 0)
    let skipped = max(0, bytes.count - (found?.rest.count ?? 0))
    if skipped > 0 {
      reportGap(&events)
      plain?.append(Array(bytes.prefix(skipped)), .sealed)
    }
    guard let found else {
      state = .searching(search)
      return
    }
    goOn(found, &events, &budget)
  }

  private mutating func goOn(
    _ found: FrameSearch.Found, _ events: inout [Event], _ budget: inout SearchBudget
  ) {
    if loss?.next == nil || found.number > loss?.next ?? 0 { loss?.next = found.number }
    plain?.replaceCaptured(found.rest)
    var opener = found.opener
    opener.add(found.rest)
    open(opener, &events, &budget)
  }

  private mutating func open(_ opener: FrameOpener, _ events: inout [Event], _ budget: inout SearchBudget) {
    var opener = opener
    while let frame = opener.nextFrame() {
      switch frame {
      case .text(let text, let byteCount):
        hasOpenedFrame = true
        take(text, of: byteCount, unread: opener.unreadByteCount, &events)
      case .wrong(_, let byteCount):
        return takeWrong(byteCount, opener, &events, &budget)
      }
    }
    state = .sealed(opener)
    readMessages(&events)
  }

  private mutating func take(_ text: [UInt8], of byteCount: Int, unread: Int, _ events: inout [Event]) {
    if let loss {
      guard ControlRequest.beginsMessage(text) else {
        self.loss?.byteCount += byteCount
        reportGap(&events)
        plain?.skipCaptured(byteCount)
        return
      }
      (self.loss, resumption) = (nil, (loss.text, loss.next != nil))
      plain?.resume(loss.text)
    }
    reader.add(text)
    plain?.opened(text, unread: unread)
  }

  /// Goes on behind a frame that does not open: its length and its number may be right.
  private mutating func takeWrong(
    _ byteCount: Int, _ opener: FrameOpener, _ events: inout [Event], _ budget: inout SearchBudget
  ) {
    state = .sealed(opener)
    readMessages(&events)
    guard case .sealed = state else {
      plain?.fail(.sealed)
      return
    }
    state = .dead(isClear: false)
    noteDamagedFrame(opener, byteCount: byteCount, &events)
    let (search, found) = opener.searchBehindWrongFrame(&budget)
    let behind = opener.unreadByteCount - byteCount
    let skipped = max(0, behind - (found?.rest.count ?? 0))
    loss?.byteCount += skipped
    plain?.fail(.sealed, count: skipped)
    guard let found else {
      state = .searching(search)
      return
    }
    goOn(found, &events, &budget)
  }

  /// Notes that the next frame is damaged.
  private mutating func noteDamagedFrame(_ opener: FrameOpener, byteCount: Int, _ events: inout [Event]) {
    _ = reader.takeRest()
    plain?.release(allBut: 0, isOpened: true)
    let reason = FrameOpener.WrongFrame(number: opener.count, before: []).reason(at: opener.openedByteCount)
    plain?.fail(.damaged(reason), count: byteCount)
    events.append(.lost(reason: reason, .frame))
    loss = Loss(
      first: loss?.first ?? opener.count, next: nil, byteCount: (loss?.byteCount ?? 0) + byteCount, isReported: true)
  }

  /// Leaves out the incomplete message or frame, whose length is damaged, and goes on behind it.
  mutating func abandonUnit(_ budget: inout SearchBudget) -> [Event] {
    var events: [Event] = []
    switch state {
    case .clear: abandonMessage(&events)
    case .sealed(let opener) where opener.unreadByteCount > 0:
      let (search, found) = opener.searchBehindWrongFrame(&budget)
      let skipped = max(0, opener.unreadByteCount - (found?.rest.count ?? 0))
      noteDamagedFrame(opener, byteCount: skipped, &events)
      state = .searching(search)
      if let found { goOn(found, &events, &budget) }
    case .sealed, .searching, .opaque, .dead: break
    }
    return events
  }

  /// Leaves out the incomplete message in the clear.
  private mutating func abandonMessage(_ events: inout [Event]) {
    let count = reader.incompleteByteCount
    _ = reader.takeRest()
    plain?.release(allBut: 0, isOpened: false)
    loss = Loss(byteCount: count, isReported: true)
    events.append(.lost(reason: "a message is longer by its Content-Length than its bytes", .message))
  }

  private mutating func readMessages(_ events: inout [Event]) {
    var messages: [RequestMessage] = []
    let isClear = isClear
    func report() {
      if !messages.isEmpty, let resumption {
        events.append(.resumed(resumption.text, isInFrames: resumption.isInFrames))
      }
      events.append(.messages(messages))
    }
    defer { if !messages.isEmpty { resumption = nil } }
    while true {
      do throws(RequestReader.Problem) {
        guard let message = try reader.next() else {
          plain?.release(allBut: reader.incompleteByteCount, isOpened: !isClear)
          return report()
        }
        messages.append(message)
      } catch {
        plain?.release(allBut: 0, isOpened: !isClear)
        plain?.fail(.incomplete)
        state = .dead(isClear: isClear)
        report()
        return events.append(.lost(reason: "the messages cannot be read: \(error.reason)", .message))
      }
    }
  }
}

/// A counter of frames whose key is not known. The length of a frame is not encrypted.
struct FrameCounter: Sendable {
  /// The bytes of the present frame that are still to come, and those of its length that have come.
  private var missing = 0
  private var length: [UInt8] = []
  /// The number of complete frames.
  private(set) var count: UInt64 = 0

  mutating func take(_ bytes: [UInt8]) -> (count: Int, byteCount: Int) {
    var (complete, byteCount) = (0, 0)
    var rest = bytes[...]
    while !rest.isEmpty {
      if missing == 0 {
        length.append(rest.removeFirst())
        guard length.count == 2 else { continue }
        let size = Int(length[0]) | Int(length[1]) << 8
        length = []
        (missing, byteCount) = (size + ChaCha20Poly1305.tagByteCount, byteCount + size)
      }
      let taken = min(missing, rest.count)
      missing -= taken
      rest = rest.dropFirst(taken)
      if missing == 0 { complete += 1 }
    }
    count += UInt64(complete)
    return (complete, byteCount)
  }
}
