// swift-iap2 · Apache-2.0

import Bonjour
import CarPlayLive
package import CarPlaySession
import CommandSupport
import IAP2Transport
import Synchronization

/// A phone that finds its head unit, and has one session after the other with it.
package final class PhoneDiscovery: Sendable {
  private enum Input: Sendable {
    case directory(DirectoryEvent)
    case called(Result<ControlCall, ControlCall.Refusal>)
    /// A start message names the head unit's places.
    case start(HeadUnitPlaces, HeadUnitName?)
    case session(SessionEvent)
    /// The task of the session with this number ended.
    case over(Int, Result<Bool, any Error>)
    case deadline
    /// Ctrl-C, or the end of the time.
    case stop
    /// The end of the time in which a head unit must be found.
    case timeOver
  }

  private let settings: HeadUnitFinder.Settings
  /// The service of the phone's control requests without its port; nil for none.
  private let announced: (name: String, text: TextRecord)?
  private let report: @Sendable (DiscoveryEvent) -> Void
  /// Makes the session with a head unit; the number counts the sessions.
  package typealias Make = @Sendable (HeadUnitPlaces, HeadUnitName?, _ number: Int) throws -> CarPlayPhoneRun

  private let opened = Mutex<(directory: AvahiDirectory, server: ControlServer?)?>(nil)
  private let inputs: AsyncStream<Input>
  private let sender: AsyncStream<Input>.Continuation

  /// The most inputs that wait. A network with more changes at once is hostile.
  private static let maximumInputs = 4096

  init(
    _ settings: HeadUnitFinder.Settings, announced: (name: String, text: TextRecord)?,
    report: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    (self.settings, self.announced, self.report) = (settings, announced, report)
    (inputs, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumInputs))
  }

  /// Takes an event of a session.
  package func take(_ event: SessionEvent) {
    switch event {
    case .state(.connected), .state(.setUp), .ended: sender.yield(.session(event))
    default: break
    }
  }

  /// Begins a session at the places of a start message, unless one runs.
  func start(_ places: HeadUnitPlaces, _ expected: HeadUnitName?) { sender.yield(.start(places, expected)) }

  /// Ends the run, and its session.
  package func stop() { sender.yield(.stop) }

  /// Announces the phone, and begins to search head units.
  ///
  /// - Parameter tap: Receives the control requests; nil for none.
  /// - Throws: What is missing on this machine.
  package func open(tap: SocketTap?) async throws {
    let server =
      announced == nil
      ? nil : try await ControlServer.listen(tap: tap?.receive) { [sender] in sender.yield(.called($0)) }
    do throws(DirectoryProblem) {
      let services = announced.flatMap { own in
        server.map { AdvertisedService(.control, name: own.name, port: $0.port, text: own.text) }
      }
      let directory = try AvahiDirectory(advertising: services.map { [$0] } ?? [], searching: [.airPlay]) {
        [sender] in sender.yield(.directory($0))
      }
      opened.withLock { $0 = (directory, server) }
    } catch {
      await server?.close()
      throw error.failure
    }
  }

  /// Withdraws the announcement.
  private func close() async {
    let opened = opened.withLock { $0 }
    await opened?.directory.close()
    await opened?.server?.close()
  }

  /// Has sessions with the head units that are found, until it is stopped.
  ///
  /// - Parameters:
  ///   - once: Whether the first session that was connected ends the run.
  ///   - duration: The time after which the run ends; nil for none. With `once` it is that of the search, because the
  ///     session has its own.
  ///   - isAlone: Whether Ctrl-C ends the run; otherwise ``stop()`` does.
  /// - Returns: Whether the last session was complete.
  /// - Throws: That there was no session.
  package func run(
    once: Bool, duration: Duration?, isAlone: Bool = true, make: @escaping Make
  ) async throws -> Bool {
    let signal = isAlone ? StopSignal(whenUnread: true) { [self] in stop() } : nil
    let limit = duration.map { duration in
      Task { [sender] in
        do { try await Task.sleep(for: duration) } catch { return }
        sender.yield(once ? .timeOver : .stop)
      }
    }
    let result = await follow(once: once, make: make)
    limit?.cancel()
    await close()
    return try withExtendedLifetime(signal) { try result.get() }
  }

  private func follow(once: Bool, make: Make) async -> Result<Bool, any Error> {
    var finder = HeadUnitFinder(settings)
    var timer: DiscoveryTimer.Running?
    var session: CarPlayPhoneRun?
    var (count, isConnected, isStopping, name) = (0, false, false, "")
    let nobody = settings.target == .caller ? "no head unit asked this phone to connect" : "no head unit was found"
    var last: Result<Bool, any Error> = .failure(CommandFailure(.unavailable, nobody))
    for await input in inputs {
      let now = SessionSystem.now
      var next: (places: HeadUnitPlaces, expected: HeadUnitName?)?
      switch input {
      case .directory(.changed(let change)): finder.take(change, at: now)
      case .directory(.advertised(let service, let name, let port)):
        report(.advertised(service, name: name, port: port))
      case .directory(.daemonGone): report(.daemonGone)
      case .directory(.daemonBack): report(.daemonBack)
      case .directory(.crowded(let limit)): Output.note(HeadUnitDiscovery.crowded(limit))
      case .directory(.failed(let problem)): Output.note(problem.explanation)
      case .start(let places, let expected):
        guard finder.begins(with: "\(places)") else { continue }
        (next, name) = ((places, expected), "\(places)")
      case .called(.success(let call)): finder.called(call, at: now)
      case .called(.failure(let refusal)): report(.refused(status: refusal.status, reason: "\(refusal)"))
      case .session(.ended(let end, _)): finder.sessionEnded(end, at: now)
      case .session(.state(.setUp)): finder.sessionSetUp()
      case .session:
        isConnected = true
        finder.sessionBegan(at: now)
      case .over(let number, let result):
        // The next session may have begun.
        guard number == count else { continue }
        session = nil
        if isConnected { last = result }
        if isStopping || once && isConnected { return last }
        if !isConnected {
          if case .failure(let error) = result {
            let reason = (error as? CommandFailure)?.text ?? "\(error)"
            report(.failed(name: name, reason: reason, pauses: false))
            last = .failure(CommandFailure(.unavailable, reason))
          }
          finder.failed(at: now)
        }
      case .deadline: finder.handleDeadline(at: now)
      case .timeOver: if session == nil || !isConnected { return last }
      case .stop:
        isStopping = true
        guard let session else { return last }
        await session.stopByUser()
      }
      for action in finder.takeActions() {
        switch action {
        case .report(let event): report(event)
        case .connect(let headUnit):
          guard let address = headUnit.address else { continue }
          name = headUnit.id.name
          next = (HeadUnitPlaces(HostPort(host: address, port: Int(headUnit.port))), nil)
        }
      }
      if let next, !isStopping {
        isConnected = false
        do {
          let run = try make(next.places, next.expected, count)
          count += 1
          session = run
          Task { [sender, count] in
            do { sender.yield(.over(count, .success(try await run.run(isAlone: false)))) } catch {
              sender.yield(.over(count, .failure(error)))
            }
          }
        } catch { return .failure(error) }
      }
      timer = DiscoveryTimer.next(finder.nextDeadline, after: timer) { [sender] in sender.yield(.deadline) }
    }
    return last
  }
}
