// swift-iap2 · Apache-2.0

package import Foundation
import IAP2
import IAP2Transport
import Synchronization

/// One direction of a session as the app's stream sees it: bytes, state, and the events that are due.
///
/// The stream of the app and the pumps of the session share it. Events are level-triggered: a turn computes the next
/// event from the present state, in the order `openCompleted`, `errorOccurred`, bytes or space, `endEncountered`. One
/// turn delivers one event. After it, another turn is requested if another event is due.
package final class StreamCore: Sendable {
  /// The state of a stream, with the names of `Stream.Status`.
  package enum Status: Sendable { case notOpen, open, atEnd, closed, error }

  fileprivate enum Life { case notOpen, open, closed }

  /// The errno of a stream whose session has ended.
  package static var endedNumber: Int32 { ENOTCONN }

  fileprivate struct State {
    var life = Life.notOpen
    var bytes = ByteQueue()
    /// The bytes of an output stream that were handed to the session and not sent yet.
    var inFlightByteCount = 0
    var capacity: Int
    var isEnded = false
    /// The end is an error, or is not reported at all.
    var end = PlatformOptions.StreamEnd.end
    /// The errno of a failed write, or of an end that is an error.
    var failure: Int32?
    var isOpenDue = false
    /// Bytes arrived or were left by a read; or space came back after a write had used it up.
    var isReadinessDue = false
    /// The readiness events until the stream reports nothing more; nil for a stream without this fault.
    var readinessCountUntilMute: Int?
    var isEndReported = false
    var hasDelegate = false
    var isInTurn = false
    /// Counts turns. A request that is still open after a while was not taken if no turn came meanwhile.
    var turnCount = 0
    var isWatched = false
    var isRedirected = false
    var deliveries: [EventDelivery.Place: EventDelivery] = [:]
    var blockedReaderCount = 0
    /// A write without space was reported to the app since the last write with some.
    var isFullWriteNoted = false
    /// The threads that may use a stream whose use is checked. Empty until the stream is scheduled.
    var threads: Set<StreamThread> = []
    var isThreadNoted = false
    // A closure that is itself the value of a lock would be wrapped once more at each access.
    /// Delivers an event to the delegate of the app's stream.
    var emit: (@Sendable (StreamEvent) -> Void)?
    /// Called once when the app's stream has closed.
    var onClose: (@Sendable () -> Void)?
  }

  package let side: StreamSide
  private let state: Mutex<State>
  private let session: SessionLabel
  private let faults: PhoneFaults
  /// Notified when the pump of this stream has something to do.
  let pumpSignal = Signal()
  private let arrival = DispatchSemaphore(value: 0)

  init(_ side: StreamSide, of session: SessionLabel) {
    self.side = side
    self.session = session
    let options = session.platform.options
    faults = session.platform.faults
    let output = faults.space ?? options.outputByteCount
    var first = State(capacity: max(1, side == .input ? options.inputByteCount : output))
    first.readinessCountUntilMute = side == .input ? faults.muteInput : faults.muteOutput
    state = Mutex(first)
  }

  func whenClosed(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onClose = body } }

  // MARK: The app's stream

  /// Sets the delivery of events to the app's stream.
  package func attach(_ body: @escaping @Sendable (StreamEvent) -> Void) { state.withLock { $0.emit = body } }

  /// Sets whether the app's stream has a delegate. Without one, events wait.
  package func setDelegate(isPresent: Bool) {
    state.withLock { $0.hasDelegate = isPresent }
    requestTurn()
  }

  package var status: Status { state.withLock { $0.status(side) } }

  /// The errno of the stream's error; nil without an error.
  package var failure: Int32? { state.withLock { $0.failure } }

  package func open() {
    let isFirst = state.withLock { state in
      guard state.life == .notOpen else { return false }
      state.life = .open
      state.isOpenDue = true
      // Space is there from the start; bytes may have arrived before.
      state.isReadinessDue = true
      return true
    }
    guard isFirst else { return }
    session.log(.streamOpened(side, session.protocolName))
    requestTurn()
  }

  package func close() {
    let (isFirst, deliveries, onClose) = state.withLock { state in
      let isFirst = state.life != .closed
      state.life = .closed
      if side == .input { state.bytes = ByteQueue() }
      defer { (state.deliveries, state.onClose) = ([:], nil) }
      return (isFirst, Array(state.deliveries.values), state.onClose)
    }
    for delivery in deliveries { delivery.cancel() }
    guard isFirst else { return }
    session.log(.streamClosed(side, session.protocolName))
    arrival.signal()
    pumpSignal.notify()
    onClose?()
  }

  package func schedule(_ loop: RunLoop, _ mode: RunLoop.Mode) {
    let place = EventDelivery.Place(loop, mode)
    if faults.strictThread { state.withLock { _ = $0.threads.insert(StreamThread(of: loop)) } }
    guard state.withLock({ $0.life != .closed && $0.deliveries[place] == nil }) else { return }
    let delivery = EventDelivery(loop, mode) { [weak self] in self?.turn() }
    let isKept = state.withLock { state in
      guard state.life != .closed, state.deliveries[place] == nil else { return false }
      state.deliveries[place] = delivery
      return true
    }
    if isKept { requestTurn() } else { delivery.cancel() }
  }

  package func remove(_ loop: RunLoop, _ mode: RunLoop.Mode) {
    let place = EventDelivery.Place(loop, mode)
    state.withLock { $0.deliveries.removeValue(forKey: place) }?.cancel()
  }

  /// Whether the next read returns at least one byte.
  package var hasBytes: Bool {
    hang()
    return state.withLock { $0.life == .open && $0.failure == nil && !$0.bytes.isEmpty }
  }

  /// Whether the next write takes at least one byte.
  package var hasSpace: Bool {
    hang()
    return state.withLock { $0.canWrite && $0.freeByteCount > 0 }
  }

  /// Blocks the caller if the properties of streams hang.
  private func hang() {
    if let time = faults.hangProperty { Thread.sleep(forTimeInterval: Double(time.milliseconds) / 1000) }
  }

  /// Reports a use of the stream outside the thread of its run loop, once.
  private func checkThread() {
    guard faults.strictThread else { return }
    let isFirst = state.withLock { state in
      let isForeign = !state.threads.isEmpty && !state.threads.contains(where: \.isCurrent)
      defer { state.isThreadNoted = state.isThreadNoted || isForeign }
      return isForeign && !state.isThreadNoted
    }
    guard isFirst else { return }
    session.log(.usedOnOtherThread(side, session.protocolName))
    note("the \(side.rawValue) stream of \(session.protocolName) is used outside the thread of its run loop")
  }

  /// Moves bytes to a buffer. Returns their number, 0 without bytes, and -1 if the stream is not open or has an error.
  package func read(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    checkThread()
    hang()
    let buffer = unsafe UnsafeMutableBufferPointer(rebasing: buffer.prefix(faults.shortRead ?? buffer.count))
    while true {
      let (count, waits) = state.withLock { state in
        guard state.life == .open, state.failure == nil else { return (-1, false) }
        let count = unsafe state.bytes.move(to: buffer)
        if count > 0 { state.isReadinessDue = !state.bytes.isEmpty }
        let waits = count == 0 && !state.isEnded && !buffer.isEmpty && session.platform.options.blockingRead
        if waits { state.blockedReaderCount += 1 }
        return (count, waits)
      }
      if count > 0 {
        pumpSignal.notify()
        requestTurn()
      }
      guard waits else { return count }
      arrival.wait()
      state.withLock { $0.blockedReaderCount -= 1 }
    }
  }

  /// Takes as many bytes as fit. Returns their number, 0 without space, and -1 if the session has ended or the stream
  /// is not open.
  package func write(_ buffer: UnsafeBufferPointer<UInt8>) -> Int {
    checkThread()
    let (count, isFirstFullWrite) = state.withLock { state in
      guard state.canWrite else {
        if state.life == .open, state.isEnded { state.failure = Self.endedNumber }
        return (-1, false)
      }
      let count = min(buffer.count, state.freeByteCount)
      unsafe state.bytes.append(UnsafeBufferPointer(rebasing: buffer[..<count]))
      // The event comes again only after a write that used up the space.
      state.isReadinessDue = state.isReadinessDue && state.freeByteCount > 0
      guard !buffer.isEmpty else { return (count, false) }
      defer { state.isFullWriteNoted = count == 0 }
      return (count, count == 0 && !state.isFullWriteNoted)
    }
    if count > 0 { pumpSignal.notify() }
    if isFirstFullWrite {
      note("a write to the output stream of \(session.protocolName) has no space available; the app must wait for it")
    }
    return count
  }

  // MARK: Turns

  func requestTurn() {
    guard !session.platform.isSuspended else { return }
    let (deliveries, watches) = state.withLock { state in
      guard state.hasDelegate, !state.isInTurn, state.nextEvent(side) != nil, !state.deliveries.isEmpty else {
        return ([EventDelivery](), false)
      }
      let watches = !state.isWatched && !state.isRedirected && session.platform.options.undeliveredEventLimit != nil
      if watches { state.isWatched = true }
      return (Array(state.deliveries.values), watches)
    }
    for delivery in deliveries { delivery.request() }
    if !deliveries.isEmpty, state.withLock({ $0.isRedirected }) { DispatchQueue.main.async { self.turn() } }
    if watches { watch() }
  }

  private func turn() {
    guard !session.platform.isSuspended else { return }
    let turn = state.withLock { state -> (event: StreamEvent, emit: (@Sendable (StreamEvent) -> Void)?)? in
      guard state.hasDelegate, !state.isInTurn, !state.deliveries.isEmpty, let event = state.nextEvent(side) else {
        return nil
      }
      state.report(event)
      state.isInTurn = true
      state.turnCount += 1
      return (event, state.emit)
    }
    guard let turn else { return }
    session.log(.streamEvent(side, session.protocolName, turn.event))
    turn.emit?(turn.event)
    state.withLock { $0.isInTurn = false }
    requestTurn()
  }

  /// Whether an event waits for a turn.
  var isEventDue: Bool {
    state.withLock { $0.hasDelegate && !$0.deliveries.isEmpty && $0.nextEvent(side) != nil }
  }

  /// Detects a run loop that no thread runs, and delivers on the main queue from then on.
  private func watch() {
    guard let limit = session.platform.options.undeliveredEventLimit else { return }
    let clock = session.platform.phoneThread
    let before = state.withLock { $0.turnCount }
    Task(executorPreference: clock) { [weak self] in
      do { try await clock.sleep(limit) } catch { return }
      self?.endWatch(turnCount: before)
    }
  }

  private func endWatch(turnCount: Int) {
    let isSuspended = session.platform.isSuspended
    let isIgnored = state.withLock { state in
      state.isWatched = false
      guard !isSuspended, state.turnCount == turnCount, state.hasDelegate, !state.isInTurn, !state.deliveries.isEmpty,
        state.nextEvent(side) != nil
      else { return false }
      state.isRedirected = true
      return true
    }
    guard isIgnored else { return requestTurn() }
    session.log(.eventsNotTaken(side, session.protocolName))
    note(
      "no thread runs the run loop in which the \(side.rawValue) stream of \(session.protocolName) is scheduled; its events "
        + "are delivered on the main queue now")
    requestTurn()
  }

  // MARK: The session's side

  /// Appends as many bytes as fit and returns their number.
  func offer(_ bytes: ArraySlice<UInt8>) -> Int {
    let (count, wakes) = state.withLock { state in
      guard state.life != .closed else { return (bytes.count, false) }
      let count = min(bytes.count, state.capacity - state.bytes.count)
      guard count > 0 else { return (0, false) }
      state.bytes.append(bytes.prefix(count))
      state.isReadinessDue = true
      return (count, state.blockedReaderCount > 0)
    }
    if wakes { arrival.signal() }
    if count > 0 { requestTurn() }
    return count
  }

  /// Removes the bytes that the app has written, and counts them as in flight.
  func takeOutput() -> [UInt8] {
    state.withLock { state in
      let bytes = state.bytes.takeAll()
      state.inFlightByteCount += bytes.count
      return bytes
    }
  }

  /// Frees the space of bytes that were sent.
  func sent(_ byteCount: Int) {
    state.withLock { state in
      let wasFull = state.freeByteCount == 0
      state.inFlightByteCount -= byteCount
      if wasFull, byteCount > 0 { state.isReadinessDue = true }
    }
    requestTurn()
  }

  /// Ends the stream because the session has ended.
  func end(_ end: PlatformOptions.StreamEnd) {
    let wakes = state.withLock { state in
      state.isEnded = true
      state.end = end
      if end == .error, state.life != .closed { state.failure = Self.endedNumber }
      return state.blockedReaderCount > 0
    }
    if wakes { arrival.signal() }
    requestTurn()
  }

  /// Whether the buffer takes no more bytes from the session.
  var isFull: Bool { state.withLock { $0.bytes.count >= $0.capacity } }

  var isClosed: Bool { state.withLock { $0.life == .closed } }
}

extension StreamCore.State {
  fileprivate var freeByteCount: Int { capacity - bytes.count - inFlightByteCount }
  fileprivate var canWrite: Bool { life == .open && !isEnded && failure == nil }

  fileprivate func status(_ side: StreamSide) -> StreamCore.Status {
    switch life {
    case .notOpen: .notOpen
    case .closed: .closed
    case .open: failure != nil ? .error : isEnded && (side == .output || bytes.isEmpty) ? .atEnd : .open
    }
  }

  /// The next event from the present state; nil if none is due.
  fileprivate func nextEvent(_ side: StreamSide) -> StreamEvent? {
    guard life == .open else { return nil }
    if isOpenDue { return .openCompleted }
    if readinessCountUntilMute == 0 { return nil }
    if isEnded, isEndReported { return nil }
    if isEnded, end == .error { return .errorOccurred }
    switch side {
    case .input:
      if isReadinessDue, !bytes.isEmpty { return .hasBytesAvailable }
      return isEnded && end == .end && bytes.isEmpty ? .endEncountered : nil
    case .output:
      if isEnded { return end == .end ? .endEncountered : nil }
      return isReadinessDue && canWrite && freeByteCount > 0 ? .hasSpaceAvailable : nil
    }
  }

  fileprivate mutating func report(_ event: StreamEvent) {
    switch event {
    case .openCompleted: isOpenDue = false
    case .hasBytesAvailable, .hasSpaceAvailable:
      isReadinessDue = false
      readinessCountUntilMute = readinessCountUntilMute.map { max(0, $0 - 1) }
    case .errorOccurred, .endEncountered: isEndReported = true
    }
  }
}

/// The session of a stream, for its messages and the log.
struct SessionLabel: Sendable {
  let platform: Platform
  let connectionID: Int
  let protocolName: String

  func log(_ event: PlatformLogEntry.Event) { platform.log.add(event, connectionID) }
}
