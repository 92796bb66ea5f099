// swift-iap2 · Apache-2.0

public import CarPlaySession

#if Bluetooth
  import DBus
  import Dispatch
  import Glibc
  import IAP2Transport
  import Synchronization

  /// A directory through Avahi, the mDNS daemon of Linux, over the system's D-Bus.
  ///
  /// One thread does everything with D-Bus. When avahi-daemon restarts, services are advertised and searched again.
  public final class AvahiDirectory: Sendable {
    private struct State: Sendable {
      var isStopping = false
      var isOver = false
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The name of the thread. The lab counts threads by their names.
    static let thread = "iap2-bonjour"
    /// The time between two attempts to reach an avahi-daemon that has just started.
    private static let retryMilliseconds: Int32 = 1_000

    private let wake: Int32
    private let wakeWriter: Int32
    private let state = Mutex(State())
    private let onEvent: @Sendable (DirectoryEvent) -> Void

    /// Advertises services and searches others. Blocks until Avahi has taken both.
    ///
    /// - Parameters:
    ///   - services: What is advertised.
    ///   - kinds: What is searched.
    ///   - bus: The address of a D-Bus; nil selects the system's.
    ///   - onEvent: Receives each event on the directory's thread, and must return soon.
    public init(
      advertising services: [AdvertisedService] = [], searching kinds: [CarPlayService] = [],
      bus address: String? = nil,
      onEvent: @escaping @Sendable (DirectoryEvent) -> Void
    ) throws(DirectoryProblem) {
      self.onEvent = onEvent
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else { throw .failed("the system has no pipe left") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (wake, wakeWriter) = (ends[0], ends[1])
      let ready = Ready()
      let isStarted = canStartThread(Self.thread) {
        self.work(AvahiRequests(advertised: services, searched: kinds), address, ready)
      }
      guard isStarted else {
        for end in ends { Glibc.close(end) }
        throw .failed("the system has no thread left")
      }
      if let problem = ready.wait() { throw problem }
    }

    /// Withdraws what was advertised, and ends the search. Returns when that is done.
    public func close() async {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let isOver = state.withLock { state in
          if state.isOver { return true }
          state.closers.append(continuation)
          if !state.isStopping { _ = unsafe Glibc.write(wakeWriter, [0], 1) }
          state.isStopping = true
          return false
        }
        if isOver { continuation.resume() }
      }
    }

    // MARK: The thread

    private func work(_ requests: AvahiRequests, _ address: String?, _ ready: Ready) {
      var requests = requests
      do throws(BusFailure) {
        var bus = try Self.open(address)
        let events = try requests.begin(bus)
        ready.report(nil)
        events.forEach(onEvent)
        var isServed = true
        while true {
          serve(bus, &requests, &isServed)
          guard !state.withLock({ $0.isStopping }) else { break }
          // The system's bus has ended, and everything on it.
          if isServed { lose(&requests) }
          isServed = false
          guard let next = reopen(address) else { break }
          bus = next
        }
      } catch { ready.report(DirectoryProblem(error)) }
      let closers = state.withLock { state in
        state.isOver = true
        for descriptor in [wake, wakeWriter] { Glibc.close(descriptor) }
        defer { state.closers = [] }
        return state.closers
      }
      for closer in closers { closer.resume() }
    }

    private static func open(_ address: String?) throws(BusFailure) -> SystemBus {
      let bus = try SystemBus(address: address)
      let daemon = AvahiRequests.daemon
      try bus.watch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(daemon)'")
      try bus.watch("type='signal',sender='\(daemon)'")
      return bus
    }

    /// Waits for the system's bus; nil when the directory is closed.
    private func reopen(_ address: String?) -> SystemBus? {
      while !state.withLock({ $0.isStopping }) {
        do throws(BusFailure) { return try Self.open(address) } catch {}
        var waiting = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        _ = unsafe poll(&waiting, 1, Self.retryMilliseconds)
      }
      return nil
    }

    private func lose(_ requests: inout AvahiRequests) {
      requests.lose().forEach(onEvent)
      onEvent(.daemonGone)
    }

    /// Follows the bus until the directory is closed or the bus ends.
    private func serve(_ bus: SystemBus, _ requests: inout AvahiRequests, _ isServed: inout Bool) {
      while !state.withLock({ $0.isStopping }) {
        var owner: Bool?
        var signals: [BusMessage] = []
        bus.take { message in
          if message.member == "NameOwnerChanged" {
            owner = message.arguments.dropFirst(2).first?.text?.isEmpty == false
          }
          // Signals of an earlier daemon say nothing about the next one.
          if owner == nil { signals.append(message) }
          return nil
        }
        guard bus.isConnected else { return }
        for signal in signals { requests.take(signal, bus).forEach(onEvent) }
        requests.retry(at: .now, bus).forEach(onEvent)
        if let owner {
          if isServed { lose(&requests) }
          isServed = false
          if owner { isServed = begin(bus, &requests) }
        } else if !isServed {
          isServed = begin(bus, &requests)
        }
        var waiting = [
          pollfd(fd: bus.descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&waiting, 2, bus.hasQueued ? 0 : isServed ? wait(for: requests) : Self.retryMilliseconds)
      }
      // Avahi frees what a client leaves, but only after the bus has reported its end.
      requests.end(bus)
    }

    /// The milliseconds until the next attempt; -1 without one.
    private func wait(for requests: AvahiRequests) -> Int32 {
      guard let next = requests.nextAttempt else { return -1 }
      // Rounded up, so that the time has come when the wait is over.
      return Int32(max(0, (next - .now) / .milliseconds(1)).rounded(.up))
    }

    private func begin(_ bus: SystemBus, _ requests: inout AvahiRequests) -> Bool {
      do throws(BusFailure) {
        let events = try requests.begin(bus)
        onEvent(.daemonBack)
        events.forEach(onEvent)
        return true
      } catch { return false }
    }
  }

  extension DirectoryProblem {
    init(_ failure: BusFailure) {
      let error = "org.freedesktop.DBus.Error."
      self =
        switch failure.name {
        case error + "FileNotFound", error + "NoServer", error + "ServiceUnknown", error + "NameHasNoOwner",
          error + "Disconnected":
          .noDaemon
        case error + "NoReply": .silent
        case error + "AccessDenied", error + "AuthFailed": .denied
        default: .failed("\(failure.name) \(failure.text)")
        }
    }
  }

  /// A signal with which the thread reports its start.
  ///
  /// Invariant for `@unchecked`: Dispatch's semaphore may be used from any thread. `problem` is written before the
  /// semaphore is signaled and read after it.
  private final class Ready: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var problem: DirectoryProblem?

    func report(_ problem: DirectoryProblem?) {
      self.problem = problem
      semaphore.signal()
    }

    func wait() -> DirectoryProblem? {
      semaphore.wait()
      return problem
    }
  }
#else
  /// A directory through Avahi, which this build does not have.
  public final class AvahiDirectory: Sendable {
    public init(
      advertising services: [AdvertisedService] = [], searching kinds: [CarPlayService] = [],
      bus address: String? = nil,
      onEvent: @escaping @Sendable (DirectoryEvent) -> Void
    ) throws(DirectoryProblem) { throw .notBuilt }

    public func close() async {}
  }
#endif
