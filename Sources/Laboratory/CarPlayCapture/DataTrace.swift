// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2Capture

/// The packages of one direction of a data stream in a capture. Behind bytes that are missing or damaged, it goes on at
/// the next frame that opens and begins a package.
struct DataTrace: Sendable {
  private enum State: Sendable {
    /// The key is not known.
    case sealed
    case open(FrameOpener)
    /// The place or the number of the next frame is not known.
    case searching(FrameSearch)
    /// The packages are not in frames.
    case clear
  }

  /// A part of what bytes gave.
  enum Event: Sendable {
    case package(DataPackage)
    /// The next bytes cannot be read, for a reason.
    case lost(ValueProblem)
    /// The next package can be read behind bytes that cannot, in words if they say something new.
    case resumed(String?)
  }

  private var state: State
  private var packages = DataPackageReader()
  private var loss: StreamLoss?
  /// The number of the frame that was found behind a loss, until a package begins.
  private var found: UInt64?

  /// - Parameter key: The key of the direction; nil if it is not known.
  init(key: Secret?) { state = key.map { .open(FrameOpener(key: $0)) } ?? .sealed }

  /// Creates a direction whose packages are in the clear.
  private init(_ state: State) { self.state = state }

  /// A direction in a capture whose sessions are in the clear.
  static let clear = DataTrace(.clear)

  /// Whether the key is not known.
  var isSealed: Bool { if case .sealed = state { true } else { false } }

  /// Notes that the capture lacks the beginning of the stream.
  mutating func noteLateBeginning() {
    loss = StreamLoss(.gap(isLate: true), first: 0)
    if case .open(let opener) = state { state = .searching(opener.search) }
  }

  /// Takes bytes.
  ///
  /// - Parameters:
  ///   - mark: The mark of the bytes in a capture whose sessions are in the clear.
  ///   - plain: Gets the bytes in the clear.
  mutating func take(
    _ bytes: [UInt8], followsGap: Bool, mark: DecryptedMark?, _ plain: inout PlainBytes?, _ budget: inout SearchBudget
  ) -> [Event] {
    var events: [Event] = []
    // The state has bytes, so it is taken out before it changes.
    let before = state
    state = .clear
    if followsGap {
      plain?.flush()
      plain?.followsGap()
      if !isSealed { noteGap(before) }
    }
    switch before {
    case .sealed:
      state = .sealed
      plain?.append(bytes, .sealed)
    case .clear: takeClear(bytes, mark, &plain, &events)
    case .open(var opener):
      if followsGap {
        search(bytes, opener.search, &plain, &budget, &events)
      } else {
        plain?.capture(bytes)
        opener.add(bytes)
        open(opener, &plain, &budget, &events)
      }
    case .searching(let search):
      self.search(bytes, search, &plain, &budget, &events)
    }
    return events
  }

  /// Returns the words of a loss at the end of the stream; nil for none.
  mutating func takeEnd() -> String? {
    defer { loss = nil }
    return loss?.end(rest: 0)
  }

  private mutating func noteGap(_ state: State) {
    let first: UInt64 =
      switch state {
      case .open(let opener): opener.count
      case .searching(let search): search.first
      case .clear, .sealed: 0
      }
    (packages, found) = (DataPackageReader(), nil)
    loss = StreamLoss(.gap(isLate: false), first: loss?.first ?? first, byteCount: loss?.byteCount ?? 0)
  }

  // MARK: In the clear

  private mutating func takeClear(
    _ bytes: [UInt8], _ mark: DecryptedMark?, _ plain: inout PlainBytes?, _ events: inout [Event]
  ) {
    switch mark {
    case .damaged(let reason)?:
      // A long unit has several packets in a copy.
      guard loss == nil else { return }
      events.append(.lost(.damaged(StreamType.data.name, reason)))
      (loss, packages) = (StreamLoss(.damage, first: 0), DataPackageReader())
      return
    case .incomplete?:
      loss?.byteCount += bytes.count
      return
    case .behindLoss(let text)?:
      events.append(.resumed(text))
      loss = nil
    case .sealed?, .lastClear?, nil:
      if loss != nil { events.append(.resumed(nil)) }
      loss = nil
    }
    plain?.append(bytes, isOpened: false)
    packages.add(bytes)
    readPackages(&events, &plain)
  }

  // MARK: Frames

  private mutating func open(
    _ opener: FrameOpener, _ plain: inout PlainBytes?, _ budget: inout SearchBudget, _ events: inout [Event]
  ) {
    var opener = opener
    while let frame = opener.nextFrame() {
      switch frame {
      case .text(let text, let byteCount):
        guard resume(text, of: byteCount, &plain, &events) else { continue }
        plain?.opened(text, unread: opener.unreadByteCount)
        plain?.release(allBut: 0, isOpened: true)
        packages.add(text)
        readPackages(&events, &plain)
      case .wrong(let number, let byteCount):
        return takeWrong(number, byteCount, opener, &plain, &budget, &events)
      }
    }
    state = .open(opener)
  }

  /// Returns whether the text of a frame is read: behind a loss it must begin a package.
  private mutating func resume(
    _ text: [UInt8], of byteCount: Int, _ plain: inout PlainBytes?, _ events: inout [Event]
  ) -> Bool {
    guard let loss else { return true }
    guard DataPackage.begins(text) else {
      self.loss?.byteCount += byteCount
      plain?.skipCaptured(byteCount)
      return false
    }
    let words = loss.resumption(at: found, "frame")
    if let words { plain?.resume(words) }
    events.append(.resumed(words))
    (self.loss, found) = (nil, nil)
    return true
  }

  private mutating func takeWrong(
    _ number: UInt64, _ byteCount: Int, _ opener: FrameOpener, _ plain: inout PlainBytes?,
    _ budget: inout SearchBudget, _ events: inout [Event]
  ) {
    let reason = FrameOpener.WrongFrame(number: number, before: []).reason(at: opener.openedByteCount)
    if loss == nil {
      let problem = ValueProblem("data", is: reason, expected: "the key of the stream, and frames in order")
      events.append(.lost(problem))
      loss = StreamLoss(.damage, first: number)
      plain?.fail(.damaged(problem.reason), count: byteCount)
    } else {
      loss?.byteCount += byteCount
      plain?.skipCaptured(byteCount)
    }
    (packages, self.found) = (DataPackageReader(), nil)
    let (search, found) = opener.searchBehindWrongFrame(&budget)
    let skipped = max(0, opener.unreadByteCount - byteCount - (found?.rest.count ?? 0))
    loss?.byteCount += skipped
    plain?.skipCaptured(skipped)
    goOn(found, search, &plain, &budget, &events)
  }

  private mutating func search(
    _ bytes: [UInt8], _ search: FrameSearch, _ plain: inout PlainBytes?, _ budget: inout SearchBudget,
    _ events: inout [Event]
  ) {
    var search = search
    let found = search.take(bytes, &budget)
    // The bytes of earlier pieces were counted.
    let skipped = max(0, bytes.count - (found?.rest.count ?? 0))
    loss?.byteCount += skipped
    if skipped > 0 { plain?.append(Array(bytes.prefix(skipped)), .incomplete) }
    goOn(found, search, &plain, &budget, &events)
  }

  private mutating func goOn(
    _ found: FrameSearch.Found?, _ search: FrameSearch, _ plain: inout PlainBytes?, _ budget: inout SearchBudget,
    _ events: inout [Event]
  ) {
    guard let found else {
      state = .searching(search)
      return
    }
    self.found = self.found ?? found.number
    plain?.replaceCaptured(found.rest)
    var opener = found.opener
    opener.add(found.rest)
    open(opener, &plain, &budget, &events)
  }

  /// Reads the complete packages.
  private mutating func readPackages(_ events: inout [Event], _ plain: inout PlainBytes?) {
    do throws(DataPackageProblem) {
      while let package = try packages.next() { events.append(.package(package)) }
    } catch {
      events.append(.lost(error.valueProblem))
      (loss, packages) = (StreamLoss(.damage, first: 0), DataPackageReader())
    }
  }
}

extension DataPackage {
  /// Returns whether bytes begin a package: a size that is possible, and zeros where they are.
  fileprivate static func begins(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= headerByteCount else { return false }
    let sizes = headerByteCount...maximumByteCount
    return sizes.contains(Int(UInt32(bigEndianBytes: bytes.prefix(4))))
      && (bytes[8..<16] + bytes[28..<32]).allSatisfy { $0 == 0 }
  }
}
