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
      do throws(BusFailure) {
        let bus = try SystemBus(address: address)
        let daemon = AvahiRequests.daemon
        try bus.watch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(daemon)'")
        try bus.watch("type='signal',sender='\(daemon)'")
        var requests = requests
        let events = try requests.begin(bus)
        ready.report(nil)
        events.forEach(onEvent)
        serve(bus, &requests)
      } catch { ready.report(DirectoryProblem(error)) }
      let (closers, isStopping) = state.withLock { state in
        state.isOver = true
        for descriptor in [wake, wakeWriter] { Glibc.close(descriptor) }
        defer { state.closers = [] }
        return (state.closers, state.isStopping)
      }
      if !isStopping, ready.hasStarted { onEvent(.failed(.busLost)) }
      for closer in closers { closer.resume() }
    }

    private func serve(_ bus: SystemBus, _ requests: inout AvahiRequests) {
      var isServed = true
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
        // An answer may find that Avahi knows an object no more; its end is reported as a signal.
        for signal in signals { requests.take(signal, bus).forEach(onEvent) }
        if let owner {
          if isServed {
            requests.lose().forEach(onEvent)
            onEvent(.daemonGone)
          }
          isServed = false
          if owner { isServed = begin(bus, &requests) }
        } else if !isServed {
          isServed = begin(bus, &requests)
        }
        guard bus.isConnected else { break }
        var waiting = [
          pollfd(fd: bus.descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&waiting, 2, bus.hasQueued ? 0 : isServed ? -1 : Self.retryMilliseconds)
      }
      // Avahi frees what a client leaves, but only after the bus has reported its end.
      requests.end(bus)
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
  /// semaphore is signaled and read after it; `hasStarted` belongs to the reporting thread.
  private final class Ready: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var problem: DirectoryProblem?
    private(set) var hasStarted = false

    func report(_ problem: DirectoryProblem?) {
      (self.problem, hasStarted) = (problem, problem == nil)
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
