// swift-iap2 · Apache-2.0

import DBus
import IAP2Formats
import IAP2Transport

#if Bluetooth
  import Dispatch
  import Glibc
  import IAP2
  import IAP2Transport
  import Synchronization

  /// The records that bluetoothd publishes for this program, and the connections to them.
  ///
  /// One thread does everything with D-Bus. When bluetoothd restarts, the records are registered again.
  final class ProfileService: Sendable {
    private struct State: Sendable {
      var arrived: [RFCOMMTransport] = []
      /// The open connections by the object path of their device. bluetoothd may ask to end those of one device.
      var live: [String: [Int: RFCOMMTransport]] = [:]
      var connections = 0
      var isStopping = false
      var isOver = false
      /// The reason why the service has ended; nil if it was stopped.
      var failure: TransportError?
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The number of peers that may wait while one is served; further ones are rejected. An adapter has seven
    /// connections at once.
    private static let waitingPeers = 7
    /// The time between two attempts to register. A bluetoothd that has just started may not answer yet.
    private static let retryMilliseconds: Int32 = 1_000
    private static let folder = "/org/iap2/profile"

    private let records: [ServiceRecord]
    /// The number of the adapter; nil accepts connections on every adapter.
    private let adapter: UInt16?
    private let wake: Int32
    private let wakeWriter: Int32
    private let state = Mutex(State())
    private let onEvent: @Sendable (BluetoothEvent) -> Void
    private let openBus: @Sendable () throws(BusFailure) -> SystemBus
    let changed = Signal()
    let address: String

    /// Registers the records. Blocks until that is done.
    init(
      _ records: [ServiceRecord], adapter: UInt16?, address: String,
      openBus: @escaping @Sendable () throws(BusFailure) -> SystemBus = { () throws(BusFailure) in try SystemBus() },
      onEvent: @escaping @Sendable (BluetoothEvent) -> Void
    ) throws(TransportError) {
      self.openBus = openBus
      self.records = records
      self.adapter = adapter
      self.address = address
      self.onEvent = onEvent
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else { throw .system(number: errno, operation: "pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (wake, wakeWriter) = (ends[0], ends[1])
      let ready = Ready()
      startThread(bluetoothThread) { self.work(ready) }
      if let failure = ready.wait() { throw failure }
    }

    /// Returns a peer that has connected; nil if none is waiting.
    func take() -> RFCOMMTransport? {
      state.withLock { state in state.arrived.isEmpty ? nil : state.arrived.removeFirst() }
    }

    var isOver: Bool { state.withLock { $0.isStopping || $0.isOver } }

    /// The reason why the service has ended; nil while it is running, or if it was stopped.
    var failure: TransportError? { state.withLock { $0.failure } }

    /// Unregisters the records. Returns when the thread has ended.
    func stop() async {
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

    private func work(_ ready: Ready) {
      do throws(BusFailure) {
        let bus = try openBus()
        try bus.watch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'")
        try bus.watch("type='signal',sender='org.bluez',member='PropertiesChanged',arg0='org.bluez.Adapter1'")
        try bus.watch("type='signal',sender='org.bluez',member='InterfacesAdded'")
        try bus.watch("type='signal',sender='org.bluez',member='InterfacesRemoved'")
        try register(bus)
        ready.report(nil)
        serve(bus)
      } catch { ready.report(TransportError(error, address: address)) }
      let (arrived, closers) = state.withLock { state in
        state.isOver = true
        if !state.isStopping { state.failure = .bluetooth(.busLost, address: address) }
        for descriptor in [wake, wakeWriter] { Glibc.close(descriptor) }
        defer { (state.arrived, state.closers) = ([], []) }
        return (state.arrived, state.closers)
      }
      for transport in arrived { transport.end(nil) }
      changed.notify()
      for closer in closers { closer.resume() }
    }

    /// Registers the records. RequireAuthentication keeps its default, yes: the link is encrypted over a bond.
    /// RequireAuthorization is off, because without an agent no program could authorize a connection.
    private func register(_ bus: SystemBus) throws(BusFailure) {
      for (index, record) in records.enumerated() {
        var options: [String: BusArgument.Option] = [
          "Name": .text(record.name), "Role": .text("server"), "RequireAuthorization": .boolean(false),
          "ServiceRecord": .text(record.xml),
        ]
        if let channel = record.channel { options["Channel"] = .number(UInt16(channel)) }
        try bus.call(
          "RegisterProfile", of: "org.bluez.ProfileManager1", at: "/org/bluez",
          [.path("\(Self.folder)/\(index)"), .text("\(record.service.uuid)"), .options(options)])
      }
    }

    private func serve(_ bus: SystemBus) {
      var isRegistered = true
      while !state.withLock({ $0.isStopping }) {
        // Calls that arrived while the thread waited for an answer are already queued.
        var hasCome = false
        bus.take { message in
          if message.member == "NameOwnerChanged", let owner = message.arguments.dropFirst(2).first?.text {
            (hasCome, isRegistered) = (!owner.isEmpty, false)
            if owner.isEmpty { onEvent(.daemonGone) }
          }
          return answer(message)
        }
        if !isRegistered, hasCome || hasDaemon(bus) {
          do throws(BusFailure) {
            try register(bus)
            isRegistered = true
            onEvent(.daemonBack)
          } catch { hasCome = false }
        }
        // A lost bus delivers nothing to wait for.
        guard bus.isConnected else { break }
        var waiting = [
          pollfd(fd: bus.descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        let timeout = isRegistered ? -1 : Self.retryMilliseconds
        _ = unsafe poll(&waiting, 2, bus.hasQueued ? 0 : timeout)
      }
      guard isRegistered else { return }
      for index in records.indices {
        do {
          try bus.call(
            "UnregisterProfile", of: "org.bluez.ProfileManager1", at: "/org/bluez", [.path("\(Self.folder)/\(index)")])
          // bluetoothd removes the records in any case when the connection to the bus closes.
        } catch {}
      }
    }

    private func hasDaemon(_ bus: SystemBus) -> Bool {
      do {
        return try bus.call(
          "NameHasOwner", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus",
          [.text(SystemBus.bluez)]
        ).first?.boolean ?? false
      } catch { return false }
    }

    // MARK: Calls of bluetoothd

    /// Handles a call or a signal.
    ///
    /// - Returns: Nil for success, or the name of an error.
    private func answer(_ message: BusMessage) -> String? {
      switch (message.interface, message.member) {
      case ("org.bluez.Profile1", "NewConnection"): return connect(message)
      case ("org.bluez.Profile1", "RequestDisconnection"):
        let transports = state.withLock { $0.live[message.arguments.first?.text ?? ""] ?? [:] }
        for transport in transports.values { transport.end(nil) }
        return nil
      case ("org.bluez.Profile1", "Release"): return nil
      case ("org.freedesktop.DBus.Properties", "PropertiesChanged"):
        guard let number = BlueZObjects.adapter(of: message.path), adapter == nil || adapter == number,
          let isPowered = message.arguments.dropFirst().first?.dictionary["Powered"]?.boolean
        else { return nil }
        onEvent(isPowered ? .adapterOn(number) : .adapterOff(number))
        return nil
      case ("org.freedesktop.DBus.ObjectManager", let member):
        guard let number = BlueZObjects.adapter(of: message.arguments.first?.text ?? ""),
          adapter == nil || adapter == number, isOfAdapter(message.arguments.dropFirst().first)
        else { return nil }
        onEvent(member == "InterfacesRemoved" ? .adapterGone(number) : .adapterCame(number))
        return nil
      default: return message.interface == "org.bluez.Profile1" ? "org.bluez.Error.Rejected" : nil
      }
    }

    private func isOfAdapter(_ interfaces: BusValue?) -> Bool {
      let name = "org.bluez.Adapter1"
      return interfaces?.dictionary[name] != nil || interfaces?.list.contains(.text(name)) == true
    }

    /// Whether another peer may wait. Peers that have disconnected are removed first.
    private var hasRoom: Bool {
      state.withLock { state in
        state.arrived.removeAll(where: \.isOver)
        return !state.isStopping && state.arrived.count < Self.waitingPeers
      }
    }

    /// Takes a connection. The arguments are a device, the socket and the properties that the device gave.
    private func connect(_ message: BusMessage) -> String? {
      let rejected = "org.bluez.Error.Rejected"
      guard case .descriptor(let descriptor)? = message.arguments.dropFirst().first else { return rejected }
      guard let path = message.arguments.first?.text, let number = BlueZObjects.adapter(of: path),
        let peer = BlueZObjects.address(of: path), adapter == nil || adapter == number,
        hasRoom
      else {
        Glibc.close(descriptor)
        return rejected
      }
      let address = RFCOMMAddress(.call(peer), adapter: number).description
      let key = state.withLock { state in
        state.connections += 1
        return state.connections
      }
      do throws(TransportError) {
        let transport = try RFCOMMTransport(descriptor, adapter: number, peer: peer, address: address) { [weak self] in
          self?.state.withLock { state in
            state.live[path]?[key] = nil
            if state.live[path]?.isEmpty == true { state.live[path] = nil }
          }
        }
        state.withLock { state in
          if !transport.isOver { state.live[path, default: [:]][key] = transport }
          state.arrived.append(transport)
        }
      } catch { return rejected }
      changed.notify()
      return nil
    }
  }

  /// A signal with which a thread reports its start to another thread.
  ///
  /// Invariant for `@unchecked`: Dispatch's semaphore may be used from any thread. `failure` is written before the
  /// semaphore is signaled and read after it.
  private final class Ready: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var failure: TransportError?

    func report(_ failure: TransportError?) {
      self.failure = failure
      semaphore.signal()
    }

    func wait() -> TransportError? {
      semaphore.wait()
      return failure
    }
  }
#endif
