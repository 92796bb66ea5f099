// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
public import IAP2Transport
import Synchronization

/// This machine as a phone in device mode: a connection for each head unit that speaks iAP2 over its reports, and, after
/// one that asked it to become host, over the accessory that the head unit then is on this machine's bus.
public final class PhoneGadgetSource: TransportSource {
  private struct State: Sendable {
    var gadget: Gadget?
    /// The one that was free at first: the head unit is at that port.
    var controller: String?
    /// While this machine is the host.
    var host: USBHostSource?
    var roleSwitch: USBRoleSwitch?
    /// What was on this machine's bus when the head unit asked: none of it is the head unit.
    var attachedBefore: Set<AttachedDevice.Attachment> = []
    var isClosed = false
  }

  /// How long the phone looks for the head unit as an accessory. A head unit has 8 s to be enumerated (CAT,
  /// RoleSwitch.md#limits; medium), so nothing comes later. Unverified: what a phone itself allows.
  private static let accessorySeconds = 8

  private let wanted: PhoneGadgetAddress
  private let waits: Bool
  private let productName: String
  private let onEvent: @Sendable (PhoneGadgetEvent) -> Void
  private let state = Mutex(State())

  public var address: String { wanted.description }

  private init(
    _ wanted: PhoneGadgetAddress, waits: Bool, productName: String,
    onEvent: @escaping @Sendable (PhoneGadgetEvent) -> Void
  ) {
    self.wanted = wanted
    self.waits = waits
    self.productName = productName
    self.onEvent = onEvent
  }

  /// Makes the gadget and shows it to the head unit.
  ///
  /// - Parameters:
  ///   - waits: becomes a device again when a role switch came to nothing; otherwise that is an error.
  ///   - productName: how the device names itself on the bus.
  ///   - onEvent: told what the head unit does, on a thread of the gadget's.
  public static func open(
    _ address: PhoneGadgetAddress, waits: Bool, productName: String,
    onEvent: @escaping @Sendable (PhoneGadgetEvent) -> Void
  ) async throws(TransportError) -> PhoneGadgetSource {
    let source = PhoneGadgetSource(address, waits: waits, productName: productName, onEvent: onEvent)
    try await source.becomeDevice()
    return source
  }

  private func becomeDevice() async throws(TransportError) {
    let ids = wanted.kind ?? USBAddress.Kind(vendor: 0x1D6B, product: 0x0104)
    // A phone's reports are in configuration 2 (USB.md#phone-configuration-2; high); it is the only one here.
    let identity = GadgetIdentity(
      scheme: PhoneGadgetAddress.scheme, vendor: ids.vendor, product: ids.product, productName: productName,
      configuration: 2)
    state.withLock { $0.roleSwitch = nil }
    let requests = PhoneRequests(table: .phone, switchesRoles: !wanted.staysDevice)
    let gadget = try await GadgetTree.onController(
      state.withLock { $0.controller } ?? wanted.controller, address: address
    ) { controller throws(TransportError) in
      try await onOwnThread { [self] () throws(TransportError) in
        try Gadget(
          controller: controller, identity: identity, onEvent: { self.onEvent(.bus($0)) }
        ) { (folder, address) throws(TransportError) in
          try ReportFunction(folder: folder, address: address, requests: requests) { self.take($0) }
        }
      }
    }
    let isClosed = state.withLock { state in
      state.gadget = gadget
      state.controller = gadget.controller
      return state.isClosed
    }
    // Closed meanwhile, by somebody who saw no gadget.
    if isClosed { await close() }
  }

  private func take(_ event: PhoneGadgetEvent) {
    switch event {
    case .bytes: state.withLock { $0.gadget }?.enabled.notify()
    case .roleSwitch(let role):
      let attached = Set(AttachedDevice.all().map(\.attachment))
      let gadget = state.withLock { state in
        state.roleSwitch = role
        state.attachedBefore = attached
        return state.gadget
      }
      onEvent(event)
      // Off the bus, on another thread, for this one has to end for that.
      startThread {
        gadget?.stop()
        gadget?.close()
      }
    case .chargeCurrent, .bus, .isDevice: onEvent(event)
    }
  }

  public func next() async throws(TransportError) -> (any ByteTransport)? {
    while !Task.isCancelled {
      let (gadget, host, roleSwitch, isClosed) = state.withLock { ($0.gadget, $0.host, $0.roleSwitch, $0.isClosed) }
      guard !isClosed else { return nil }
      if host != nil {
        // The head unit that was served as an accessory has gone.
        await leaveHost(nil)
        try await becomeDevice()
      } else if roleSwitch != nil {
        if let transport = try await becomeHost() { return transport }
      } else if let gadget {
        if let transport = try await gadget.nextConnection() { return transport }
        guard !gadget.isOver || state.withLock({ $0.roleSwitch }) != nil else { return nil }
      } else {
        return nil
      }
    }
    return nil
  }

  /// Looks for the head unit on this machine's bus; nil when there was none and the phone is a device again.
  private func becomeHost() async throws(TransportError) -> (any ByteTransport)? {
    // The controller must be free before the head unit may want it.
    if let gadget = state.withLock({ $0.gadget }) {
      try await onOwnThread { gadget.close() }
    }
    let host = try USBHostSource(.any, waits: true, except: state.withLock { $0.attachedBefore })
    let isClosed = state.withLock { state in
      state.gadget = nil
      if !state.isClosed { state.host = host }
      return state.isClosed
    }
    guard !isClosed else { return nil }
    var failure = TransportError.deviceMode(address: address, .noAccessory(seconds: Self.accessorySeconds))
    do throws(TransportError) {
      if let transport = try await firstConnection(of: host, within: .seconds(Self.accessorySeconds)) {
        return transport
      }
    } catch { failure = error }
    guard !state.withLock({ $0.isClosed }), !Task.isCancelled else { return nil }
    await leaveHost(failure)
    guard waits else { throw failure }
    try await becomeDevice()
    return nil
  }

  private func leaveHost(_ failure: TransportError?) async {
    let host = state.withLock { state in
      defer { state.host = nil }
      return state.host
    }
    await host?.close()
    onEvent(.isDevice(failure))
  }

  public func close() async {
    let (gadget, host) = state.withLock { state in
      state.isClosed = true
      return (state.gadget, state.host)
    }
    await host?.close()
    guard let gadget else { return }
    do { try await onOwnThread { gadget.stop() } } catch {}
  }
}
