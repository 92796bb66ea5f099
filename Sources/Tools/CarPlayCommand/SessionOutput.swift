// swift-iap2 · Apache-2.0

import Basics
import CarPlayLive
import CarPlayPrograms
import CarPlaySession
package import CommandSupport
import IAP2
import Synchronization

/// The output of a session: a line for each event, and the state that determines the exit code.
final class SessionOutput: MediaSink {
  private struct State {
    var wasSetUp = false
    var end: SessionEnd?
    /// The cause for which the iAP2 link ended; nil while it is up.
    var linkCause: String?
    /// The session end that waits for the end of the iAP2 link, with its number. The link's end then gives the cause.
    var held: (end: SessionEnd, number: Int)?
    var heldCount = 0
    var pairings: PairingFile
    /// The lines about phones without a session in this second. Refusals have a limit of their own, so that they hide
    /// no end.
    var refusals = LineLimit()
    var strangers = LineLimit()
    /// The picture counts of ended screens whose line is not printed yet.
    var counts: [StreamType: (pictures: Int, late: Int)] = [:]
  }

  private let signal = Mutex<StopSignal?>(nil)
  private let isStopped = StopFlag()
  private let side: SessionSide
  /// Whether the session belongs to an iAP2 link.
  private let isLinked: Bool
  private let isJSON: Bool
  /// Whether events are lines on the standard output.
  private let hasLines: Bool
  private let state: Mutex<State>
  private let ended: AsyncStream<SessionEnd>.Continuation
  /// The ends of sessions.
  let ends: AsyncStream<SessionEnd>
  private let now: @Sendable () -> MonotonicTime
  /// The maximum time between the end of a connection and the end of the link on the same cable.
  private let linkTime: Duration

  private let onEvent: @Sendable (SessionEvent, _ linkCause: String?) -> Void

  /// - Parameter linkTime: The maximum time between the end of a connection and the end of the link on the same cable.
  ///   The default is ours.
  init(
    _ side: SessionSide, json: Bool, hasLines: Bool = true, isLinked: Bool, pairings: PairingFile,
    linkTime: Duration = .seconds(1),
    now: @escaping @Sendable () -> MonotonicTime,
    onEvent: @escaping @Sendable (SessionEvent, _ linkCause: String?) -> Void
  ) {
    (self.side, isJSON, self.hasLines, self.isLinked) = (side, json, hasLines, isLinked)
    (self.now, self.onEvent, self.linkTime) = (now, onEvent, linkTime)
    state = Mutex(State(pairings: pairings))
    (ends, ended) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    Output.queue()
  }

  /// Whether a session was set up and ended cleanly. The owner of a link judges whether the link ended cleanly.
  var isComplete: Bool {
    state.withLock { $0.wasSetUp && ($0.end?.isOrderly == true || $0.end == .linkLost && $0.linkCause != nil) }
  }

  /// Handles an event. The end of a connection waits for the end of the link, because both have the same cause.
  func take(_ event: SessionEvent) {
    // An event of the next session shows that the link is still up.
    switch event {
    case .state, .ended: flush()
    default: break
    }
    if case .state(.connected) = event { state.withLock { $0.linkCause = nil } }
    guard isLinked, case .ended(let end, _) = event, [.controlLost, .eventLost, .streamLost].contains(end) else {
      return report(event)
    }
    guard state.withLock({ $0.linkCause }) == nil else { return report(.ended(.linkLost)) }
    let number = state.withLock { state in
      state.heldCount += 1
      state.held = (end, state.heldCount)
      return state.heldCount
    }
    Task { [linkTime] in
      do { try await Task.sleep(for: linkTime) } catch {}
      release { $0 == number }
    }
  }

  /// Reports the waiting end, if its number matches, as the end of the link or as itself.
  private func release(asLinkLost: Bool = false, where isMeant: (Int) -> Bool = { _ in true }) {
    let end = state.withLock { state -> SessionEnd? in
      guard let held = state.held, isMeant(held.number) else { return nil }
      state.held = nil
      return held.end
    }
    if let end { report(.ended(asLinkLost ? .linkLost : end)) }
  }

  /// Reports the waiting end as itself, because the link will not end.
  func flush() { release() }

  private func report(_ event: SessionEvent) {
    defer { onEvent(event, state.withLock { $0.linkCause }) }
    if var record = event.record(of: side, linkCause: state.withLock { $0.linkCause }) {
      if case .stream(let type, let streamState, _) = event, [.stopped, .closed].contains(streamState),
        let count = state.withLock({ $0.counts.removeValue(forKey: type) })
      {
        (record["pictures"], record["late"]) = (.integer(count.pictures), .integer(count.late))
      }
      if hasLines, isShown(event) { CarPlayLine.show(record, of: side, at: now(), json: isJSON) }
    }
    switch event {
    case .state(.setUp): state.withLock { ($0.wasSetUp, $0.end) = (true, nil) }
    case .paired(let peer):
      do throws(PairingFile.Problem) {
        try state.withLock { state throws(PairingFile.Problem) in try state.pairings.add(peer) }
      } catch { Output.note(error.failure.text) }
    case .ended(let end, _):
      state.withLock { $0.end = end }
      // The phone goes on with another connection.
      if end != .superseded { ended.yield(end) }
    default: break
    }
  }

  /// Returns whether an event is printed. Every program that reaches a head unit can make it refuse requests, so their
  /// lines and those of connections without a session have a limit.
  private func isShown(_ event: SessionEvent) -> Bool {
    let (isShown, leftOut) = state.withLock { state in
      switch event {
      case .refused, .tolerated: state.refusals.take(at: now())
      case .state(.connected), .state(.verified), .state(.authenticated), .ended:
        state.wasSetUp && state.end == nil ? (true, 0) : state.strangers.take(at: now())
      default: (true, 0)
      }
    }
    if leftOut > 0 { Output.note("\(leftOut) lines about refusals, or phones without a session, were left out") }
    return isShown
  }

  /// Whether Ctrl-C or a time limit requested the end.
  var wasStopped: Bool { isStopped.isSet }

  /// Whether the user or the end of the iAP2 link requested the end.
  var isOver: Bool { wasStopped || state.withLock { $0.linkCause != nil } }

  /// Records that the user ends the session.
  func stop() { isStopped.set() }

  /// Records the cause for which the iAP2 link ended. A session that ends with the link reports it.
  func endsWithLink(_ cause: String) {
    state.withLock { $0.linkCause = cause }
    release(asLinkLost: true)
  }

  /// The time limit for the end of a session after the request.
  private static let endingTime = Duration.seconds(3)

  /// Returns after the end of the session, or after ``endingTime``.
  func waitForEnd() async {
    let limit = ContinuousClock.now + Self.endingTime
    while state.withLock({ $0.end == nil }), ContinuousClock.now < limit {
      do { try await Task.sleep(for: .milliseconds(10)) } catch { return }
    }
  }

  /// Records the picture counts of an ending screen for the line of its end.
  func take(_ content: ReceivedContent, at time: MonotonicTime) {
    guard case .count(let type, let pictures, let late) = content else { return }
    state.withLock { $0.counts[type] = (pictures, late) }
  }

  func listening(_ address: String) {
    guard hasLines else { return }
    CarPlayLine.show(CarPlayLine.listening(address), of: side, at: now(), json: isJSON)
  }

  /// Returns after Ctrl-C, after the duration, or with `once` after the end of a session.
  func wait(once: Bool, duration: Duration?) async {
    let (reasons, reason) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let isStopped = isStopped
    // The handler stays active afterwards, so that a second Ctrl-C ends the process immediately.
    signal.withLock { signal in
      signal = StopSignal(whenUnread: true) {
        isStopped.set()
        reason.yield()
      }
    }
    let timer = duration.map { duration in
      Task {
        try await Task.sleep(for: duration)
        isStopped.set()
        reason.yield()
      }
    }
    let watch = Task {
      for await _ in ends where once { reason.yield() }
    }
    for await _ in reasons { break }
    timer?.cancel()
    watch.cancel()
  }
}

extension PairingFile.Problem {
  package var failure: CommandFailure {
    switch self {
    case .system(let path, let reason, let isForbidden):
      CommandFailure(isForbidden ? .noPermission : .noInput, "cannot use the pairings in \(path): \(reason)")
    case .malformed(let path):
      CommandFailure(
        .badInput, "\(path) has no pairings of this command; name another file with --pairings, or remove it")
    case .replaced(let path):
      CommandFailure(
        .failed, "\(path) has another identity now than at the start, and stays; the new pairing is not stored")
    case .inUse(let text): CommandFailure(.usage, text)
    }
  }
}

/// A flag that Ctrl-C or a time limit sets.
private final class StopFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
