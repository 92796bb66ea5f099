// swift-iap2 · Apache-2.0

import DBus
public import IAP2
import IAP2Formats
public import IAP2Transport
import Synchronization

#if Bluetooth
  import Foundation
#endif

extension BlueZ {
  /// Opens a source that connects to a peer or listens.
  ///
  /// - Parameters:
  ///   - address: The peer to connect to, or the channel to listen on.
  ///   - side: The side of this program. It determines the service to publish and the service to connect to.
  ///   - offersCarPlay: Whether to announce wireless CarPlay too.
  ///   - once: Whether to make one connection, to a peer that is present now.
  ///   - onEvent: Called for events around connections, on any thread.
  /// - Throws: `specific` with a ``BluetoothProblem``, for example without an adapter or a bond; `notBuilt` without the
  ///   trait `Bluetooth`.
  public static func open(
    _ address: RFCOMMAddress, as side: Side, offersCarPlay: Bool = false, once: Bool = false,
    onEvent: @escaping @Sendable (BluetoothEvent) -> Void = { _ in }
  ) async throws(TransportError) -> any TransportSource {
    #if Bluetooth
      switch address.way {
      case .call(let peer):
        return try await CallSource.open(address, to: peer, as: side, waits: !once, onEvent: onEvent)
      case .listen:
        return try await onOwnThread(bluetoothThread) { () throws(TransportError) in
          try WaitSource(address, as: side, offersCarPlay: offersCarPlay, onEvent: onEvent)
        }
      }
    #else
      throw .notBuilt(address: address.description, trait: "Bluetooth")
    #endif
  }

  /// Returns this machine's adapters and the devices that bluetoothd knows. Blocks.
  ///
  /// - Parameter scanSeconds: The duration of a search for discoverable devices. After it, paired devices are asked for
  ///   their services if bluetoothd knows no iAP2 service of them. With 0, neither is done.
  package static func known(scanSeconds: Int) throws(TransportError) -> BlueZObjects {
    #if Bluetooth
      guard !Adapter.all().isEmpty else { throw .bluetooth(.noAdapter, address: RFCOMMAddress.scheme) }
      var known = try objects(scanSeconds: scanSeconds)
      if scanSeconds > 0 { askForServices(of: &known.devices) }
      return known
    #else
      throw .notBuilt(address: RFCOMMAddress.scheme, trait: "Bluetooth")
    #endif
  }

  /// This machine's adapters as the kernel knows them, without names.
  package static var adapters: [BlueZObjects.Adapter] {
    #if Bluetooth
      Adapter.all().map {
        BlueZObjects.Adapter(
          number: $0.number, address: "\($0.address)", name: "", isPowered: $0.problem == nil)
      }
    #else
      []
    #endif
  }

  /// Returns the services on which a side's peer may listen, in the order in which they are tried.
  static func services(calledBy side: Side) -> [BluetoothService] {
    switch side {
    case .accessory: [.device, .wirelessDevice]
    case .device: [.accessory]
    }
  }

  /// Returns the records that a side publishes.
  static func records(of side: Side, channel: UInt8, offersCarPlay: Bool) -> [ServiceRecord] {
    var records = [ServiceRecord(.link(of: side), channel: channel)]
    if offersCarPlay {
      // Unverified: the other attributes of a real record of this class. As a separate record the class also appears in
      // the inquiry response, where bluetoothd puts the first class of each record.
      let mark: BluetoothService = side == .accessory ? .carPlayAccessory : .carPlayDevice
      records.append(ServiceRecord(mark, channel: nil, name: "CarPlay"))
    }
    return records
  }
}

#if Bluetooth
  /// A source of the peers that connect to this machine, one after another.
  final class WaitSource: TransportSource {
    private let service: ProfileService

    var address: String { service.address }

    /// Registers the records with bluetoothd. Blocks until that is done.
    init(
      _ wanted: RFCOMMAddress, as side: Side, offersCarPlay: Bool,
      onEvent: @escaping @Sendable (BluetoothEvent) -> Void
    ) throws(TransportError) {
      let text = wanted.description
      let usable = try Adapter.usable(wanted.adapter, for: text)
      try BlueZ.checkDaemon(text)
      // bluetoothd listens on every adapter, even if one is selected.
      let adapters = Adapter.all().filter { $0.problem == nil || $0 == usable }
      var address = wanted
      let channel = try RFCOMMSocket.freeChannel(wanted.channel, on: adapters, address: text)
      address.channel = channel
      service = try ProfileService(
        BlueZ.records(of: side, channel: channel, offersCarPlay: offersCarPlay), adapter: wanted.adapter,
        address: address.description, onEvent: onEvent)
    }

    func next() async throws(TransportError) -> (any ByteTransport)? {
      while !service.isOver, !Task.isCancelled {
        if let transport = service.take() { return transport }
        await service.changed.wait()
      }
      if let failure = service.failure { throw failure }
      return nil
    }

    func close() async { await service.stop() }
  }

  /// A source that connects to one peer again and again.
  final class CallSource: TransportSource {
    private struct State: Sendable {
      /// The connection that was made when the source was opened.
      var first: (any ByteTransport)?
      var isClosed = false
      var calls = 0
    }

    /// The pause after a failed attempt in seconds. It doubles each time up to the longest pause. A phone that is back
    /// in the car should not wait long, and an attempt costs the adapter 5 s of paging.
    static let firstPauseSeconds = 1
    static let longestPauseSeconds = 30

    private let wanted: RFCOMMAddress
    private let peer: BluetoothAddress
    private let side: Side
    private let waits: Bool
    private let onEvent: @Sendable (BluetoothEvent) -> Void
    private let state = Mutex(State())
    private let closed = Signal()

    var address: String { wanted.description }

    private init(
      _ wanted: RFCOMMAddress, to peer: BluetoothAddress, as side: Side, waits: Bool,
      onEvent: @escaping @Sendable (BluetoothEvent) -> Void
    ) {
      self.wanted = wanted
      self.peer = peer
      self.side = side
      self.waits = waits
      self.onEvent = onEvent
    }

    /// Opens a source.
    ///
    /// - Parameter waits: Whether to wait until the peer is present. If false, an absent peer is an error.
    static func open(
      _ wanted: RFCOMMAddress, to peer: BluetoothAddress, as side: Side, waits: Bool,
      onEvent: @escaping @Sendable (BluetoothEvent) -> Void
    ) async throws(TransportError) -> CallSource {
      let source = CallSource(wanted, to: peer, as: side, waits: waits, onEvent: onEvent)
      if !waits {
        let transport = try await source.call()
        source.state.withLock { $0.first = transport }
      }
      return source
    }

    func next() async throws(TransportError) -> (any ByteTransport)? {
      guard waits else {
        return state.withLock { state in
          defer { state.first = nil }
          return state.first
        }
      }
      var pause = Self.firstPauseSeconds
      let isFirst = state.withLock { state in
        defer { state.calls += 1 }
        return state.calls == 0
      }
      // A peer that has just ended a connection is not called again immediately.
      if !isFirst { await sleep(pause) }
      while !state.withLock({ $0.isClosed }), !Task.isCancelled {
        do throws(TransportError) { return try await call() } catch {
          guard Self.mayPass(error) else { throw error }
          if state.withLock({ $0.isClosed }) { return nil }
          onEvent(.callFailed(error, seconds: pause))
        }
        await sleep(pause)
        pause = min(2 * pause, Self.longestPauseSeconds)
      }
      return nil
    }

    func close() async {
      let first = state.withLock { state in
        state.isClosed = true
        defer { state.first = nil }
        return state.first
      }
      closed.notify()
      await first?.close()
    }

    private func sleep(_ seconds: Int) async {
      let timer = Task { [closed] in
        do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
        closed.notify()
      }
      if !state.withLock({ $0.isClosed }) { await closed.wait() }
      timer.cancel()
    }

    /// Returns whether a later attempt may succeed.
    private static func mayPass(_ error: TransportError) -> Bool {
      switch error {
      case .specific: error.bluetoothProblem != .notPaired
      case .refused, .unreachable, .notFound, .addressInUse, .unplugged, .closed, .system: true
      case .permissionDenied, .notBuilt: false
      }
    }

    private func call() async throws(TransportError) -> any ByteTransport {
      let (wanted, peer, side) = (wanted, peer, side)
      return try await onOwnThread(bluetoothThread) { () throws(TransportError) in
        let text = wanted.description
        let adapter = try Adapter.usable(wanted.adapter, for: text)
        let device = try BlueZ.checkDaemon(text).devices.first { $0.adapter == adapter.number && $0.address == peer }
        guard device?.isPaired == true else { throw .bluetooth(.notPaired, address: text) }
        let channel =
          if let channel = wanted.channel { channel } else { try Self.channel(at: peer, from: adapter, side, text) }
        let descriptor = try RFCOMMSocket.call(peer, channel: channel, from: adapter, address: text)
        return try RFCOMMTransport(descriptor, adapter: adapter.number, peer: peer, address: text)
      }
    }

    private static func channel(
      at peer: BluetoothAddress, from adapter: Adapter, _ side: Side, _ text: String
    ) throws(TransportError) -> UInt8 {
      for service in BlueZ.services(calledBy: side) {
        if let channel = try RFCOMMSocket.channel(of: service, at: peer, from: adapter, address: text) {
          return channel
        }
      }
      throw .bluetooth(.serviceNotFound, address: text)
    }
  }

  extension BlueZ {
    /// Asks paired devices without known services over SDP. bluetoothd asks a device during pairing, and may not
    /// learn of services that the device offers later. A device that does not answer keeps its known services.
    private static func askForServices(of devices: inout [BlueZObjects.Device]) {
      for index in devices.indices where devices[index].isPaired && devices[index].services.isEmpty {
        guard let adapter = Adapter(devices[index].adapter), adapter.problem == nil else { continue }
        let peer = devices[index].address
        do throws(TransportError) {
          for service in [BluetoothService.accessory, .device, .wirelessDevice] {
            let channel = try RFCOMMSocket.channel(of: service, at: peer, from: adapter, address: "\(peer)")
            if channel != nil { devices[index].services.insert(service) }
          }
        } catch {}
      }
    }

    /// Searches for discoverable devices with the adapter that outgoing connections use, then returns the objects of
    /// bluetoothd.
    private static func search(_ bus: SystemBus, seconds: Int) throws(BusFailure) -> BlueZObjects {
      let paths = try BlueZObjects(bus).adapters.filter(\.isPowered).prefix(1).map { "/org/bluez/hci\($0.number)" }
      for path in paths {
        let filter = BusArgument.options(["Transport": .text("bredr")])
        try bus.call("SetDiscoveryFilter", of: "org.bluez.Adapter1", at: path, [filter])
        try bus.call("StartDiscovery", of: "org.bluez.Adapter1", at: path)
      }
      Thread.sleep(forTimeInterval: Double(seconds))
      let found = try BlueZObjects(bus)
      // Without this call, the search would last until the connection to the bus closes.
      for path in paths { try bus.call("StopDiscovery", of: "org.bluez.Adapter1", at: path) }
      return found
    }

    static func objects(scanSeconds: Int) throws(TransportError) -> BlueZObjects {
      do throws(BusFailure) {
        let bus = try SystemBus()
        return scanSeconds > 0 ? try search(bus, seconds: scanSeconds) : try BlueZObjects(bus)
      } catch { throw TransportError(error, address: RFCOMMAddress.scheme) }
    }

    /// Returns the objects of bluetoothd. Throws if it is not running.
    @discardableResult
    static func checkDaemon(_ address: String) throws(TransportError) -> BlueZObjects {
      do throws(BusFailure) { return try BlueZObjects(try SystemBus()) } catch {
        throw TransportError(error, address: address)
      }
    }
  }
#endif
