// swift-iap2 · Apache-2.0

import CoreFoundation
import Dispatch
package import Foundation
import Synchronization

/// The delivery of a stream's turns to one run loop in one mode.
///
/// - The main run loop, in its default and common modes: a block of the main queue, which programs without a running
///   main run loop serve too, and a source that keeps the loop alive.
/// - The run loop of a thread that serves the main queue, in these modes: a block of the main queue too, and a source
///   for code that runs the loop within its turn of the queue. Whichever comes first takes the turn.
/// - The run loop of any other thread that schedules the stream: a source of CoreFoundation and a wake-up, so that
///   `run(mode:before:)` returns after the event.
/// - Any other run loop: a source of Foundation and a timer that wakes the loop.
package final class EventDelivery: Sendable {
  /// A run loop and a mode. A stream is scheduled in each of them at most once.
  package struct Place: Hashable, Sendable {
    private let loop: ObjectIdentifier
    private let mode: String

    package init(_ loop: RunLoop, _ mode: RunLoop.Mode) {
      self.loop = ObjectIdentifier(loop)
      self.mode = mode.rawValue
    }
  }

  private enum Way: Sendable {
    case mainQueue(keepAlive: LoopSource)
    case mainQueueAndLoop(LoopSource)
    case source(LoopSource)
    case foreign(ForeignSource)
  }

  private let way: Way
  private let requests: TurnRequests

  /// Schedules turns in a run loop.
  ///
  /// - Parameter turn: Called once on the loop for one or more requests before it.
  package init(_ loop: RunLoop, _ mode: RunLoop.Mode, turn: @escaping @Sendable () -> Void) {
    let requests = TurnRequests(turn)
    self.requests = requests
    if loop === RunLoop.main {
      let source = LoopSource(CFRunLoopGetMain(), mode) { requests.take() }
      way = mode == .default || mode == .common ? .mainQueue(keepAlive: source) : .source(source)
    } else if loop === RunLoop.current {
      let isOfMainQueue = StreamThread.isOfMainQueue(loop) && (mode == .default || mode == .common)
      // A thread that serves the main queue now may run its loop for other work later.
      let source = LoopSource(CFRunLoopGetCurrent(), mode) {
        if !isOfMainQueue || StreamThread.main.isCurrent { requests.take() }
      }
      way = isOfMainQueue ? .mainQueueAndLoop(source) : .source(source)
    } else {
      way = .foreign(ForeignSource(loop, mode) { requests.take() })
    }
  }

  deinit { cancel() }

  /// Requests a turn. Requests before the turn join into one.
  package func request() {
    guard requests.add() else { return }
    switch way {
    case .mainQueue: DispatchQueue.main.async { self.requests.take() }
    case .mainQueueAndLoop(let source):
      source.signal()
      DispatchQueue.main.async { self.requests.take() }
    case .source(let source): source.signal()
    case .foreign(let source): source.signal()
    }
  }

  /// Removes the source from the run loop. No turn follows.
  package func cancel() {
    guard requests.cancel() else { return }
    switch way {
    case .mainQueue(let source), .mainQueueAndLoop(let source), .source(let source): source.cancel()
    case .foreign(let source): source.cancel()
    }
  }
}

/// The turn of a delivery, and whether it is requested.
private final class TurnRequests: Sendable {
  private struct State {
    var isRequested = false
    var isCancelled = false
  }

  private let turn: @Sendable () -> Void
  private let state = Mutex(State())

  init(_ turn: @escaping @Sendable () -> Void) { self.turn = turn }

  /// Returns whether this is the first request since the last turn.
  func add() -> Bool {
    state.withLock { state in
      guard !state.isRequested, !state.isCancelled else { return false }
      state.isRequested = true
      return true
    }
  }

  /// Takes the turn if it is requested.
  func take() {
    let isDue = state.withLock { state in
      defer { state.isRequested = false }
      return state.isRequested && !state.isCancelled
    }
    if isDue { turn() }
  }

  /// Returns false if it is cancelled already.
  func cancel() -> Bool {
    state.withLock { state in
      defer { state.isCancelled = true }
      return !state.isCancelled
    }
  }
}

/// A source of CoreFoundation in a run loop.
///
/// Invariant for `@unchecked Sendable`: both references are set once, and the functions of CFRunLoop that are called
/// with them may be called on any thread.
private final class LoopSource: @unchecked Sendable {
  private final class Performer: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let source: CFRunLoopSource
  private let loop: CFRunLoop

  init(_ loop: CFRunLoop, _ mode: RunLoop.Mode, perform: @escaping @Sendable () -> Void) {
    let performer = Performer(perform)
    var context = unsafe CFRunLoopSourceContext()
    unsafe context.info = unsafe Unmanaged.passUnretained(performer).toOpaque()
    // The source owns its performer, because it may be invalidated on another thread during a call.
    unsafe context.retain = { info in
      guard let info = unsafe info else { return nil }
      return unsafe UnsafeRawPointer(Unmanaged<Performer>.fromOpaque(info).retain().toOpaque())
    }
    unsafe context.release = { info in
      if let info = unsafe info { unsafe Unmanaged<Performer>.fromOpaque(info).release() }
    }
    unsafe context.perform = { info in
      if let info = unsafe info { unsafe Unmanaged<Performer>.fromOpaque(info).takeUnretainedValue().body() }
    }
    source = unsafe CFRunLoopSourceCreate(nil, 0, &context)
    self.loop = loop
    // CoreFoundation compares the name of the common modes by its address.
    let name: CFString =
      unsafe mode == .common
      ? kCFRunLoopCommonModes
      : CFStringCreateWithCString(nil, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
    CFRunLoopAddSource(loop, source, name)
  }

  func signal() {
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(loop)
  }

  func cancel() { CFRunLoopSourceInvalidate(source) }
}

/// A source of Foundation in the run loop of another thread.
///
/// Invariant for `@unchecked Sendable`: the references are set once. `_add`, `_remove`, `signal` and the addition of a
/// timer end in functions of CFRunLoop that may be called on any thread.
private final class ForeignSource: @unchecked Sendable {
  private final class Source: RunLoop._Source {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
      super.init()
    }

    override func perform() { body() }
  }

  private let source: Source
  private let loop: RunLoop
  private let mode: RunLoop.Mode

  init(_ loop: RunLoop, _ mode: RunLoop.Mode, perform: @escaping @Sendable () -> Void) {
    source = Source(perform)
    self.loop = loop
    self.mode = mode
    loop._add(source, forMode: mode)
  }

  func signal() {
    source.signal()
    // Foundation has no wake-up of another loop but a timer.
    loop.add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: mode)
  }

  func cancel() { loop._remove(source, for: mode) }
}
