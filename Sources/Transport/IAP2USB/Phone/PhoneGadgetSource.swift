// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
public import IAP2Transport
import Synchronization

/// A source for a machine that is a phone in device mode. It gives a connection for each head unit that sends iAP2 over
/// the phone's reports. After a head unit has asked for a role switch, the next connection is to the accessory that the
/// head unit is then on this machine's bus.
public final class PhoneGadgetSource: TransportSource {
  private struct State: Sendable {
    var gadget: Gadget?
    /// The controller that was free at first. The head unit is connected to that port.
    var controller: String?
    /// The source of accessories while this machine is the host.
    var host: USBHostSource?
    var roleSwitch: USBRoleSwitch?
    /// The devices that were attached when the head unit asked for the switch. None of them is the head unit.
    var attachedBefore: Set<AttachedDevice.Attachment> = []
    var isClosed = false
  }

  /// The time in seconds in which the head unit must appear as an accessory. A head unit allows 8 s for its enumeration
  /// (CAT, RoleSwitch.md#limits; medium), so none comes later. Unverified: the limit of a real phone.
  private static let accessorySeconds = 8

  private let wanted: PhoneGadgetAddress
  private let waits: Bool
  private let productName: String
  private let onEvent: @Sendable (PhoneGadgetEvent) -> Void
  private let state = Mutex(State())

  /// The transport string of the phone.
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

  /// Creates the gadget and attaches it to the bus.
  ///
  /// - Parameters:
  ///   - address: The controller, the ids of the phone, and whether it refuses a role switch.
  ///   - waits: Whether to become a device again after a failed role switch. If false, the failure is thrown.
  ///   - productName: The product name in the device's descriptors.
  ///   - onEvent: Called for events of the head unit, on a thread of the gadget.
  public static func open(
    _ address: PhoneGadgetAddress = PhoneGadgetAddress(), waits: Bool, productName: String,
    onEvent: @escaping @Sendable (PhoneGadgetEvent) -> Void = { _ in }
  ) async throws(TransportError) -> PhoneGadgetSource {
    let source = PhoneGadgetSource(address, waits: waits, productName: productName, onEvent: onEvent)
    try await source.becomeDevice()
    return source
  }

  private func becomeDevice() async throws(TransportError) {
    // A phone's reports are in configuration 2 (USB.md#phone-configuration-2; high). This gadget has no other.
    let identity = GadgetIdentity(
      scheme: PhoneGadgetAddress.scheme, ids: wanted.kind ?? GadgetIdentity.linux, productName: productName,
      configuration: 2)
    state.withLock { $0.roleSwitch = nil }
    let requests = PhoneRequests(table: .phone, switchesRoles: !wanted.staysDevice)
    let gadget = try await GadgetTree.onController(
      state.withLock { $0.controller } ?? wanted.controller, address: address
    ) { controller throws(TransportError) in
      try await onOwnThread(usbThread) { [self] () throws(TransportError) in
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
    // The source was closed before the gadget existed, so that `close` did not stop it.
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
      // Leaving the bus needs another thread, because it waits for the end of this one.
      startThread(usbThread) {
        gadget?.stop()
        gadget?.close()
      }
    case .chargeCurrent, .bus, .isDevice: onEvent(event)
    }
  }

  /// Returns the next connection; nil once the source is closed.
  public func next() async throws(TransportError) -> (any ByteTransport)? {
    while !Task.isCancelled {
      let (gadget, host, roleSwitch, isClosed) = state.withLock { ($0.gadget, $0.host, $0.roleSwitch, $0.isClosed) }
      guard !isClosed else { return nil }
      if host != nil {
        // The head unit that was served as an accessory has disconnected.
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

  /// Waits for the head unit on this machine's bus. Returns nil if none came and this machine is a device again, or if
  /// the source was closed.
  private func becomeHost() async throws(TransportError) -> (any ByteTransport)? {
    // The controller must be free before the head unit may need it.
    if let gadget = state.withLock({ $0.gadget }) {
      try await onOwnThread(usbThread) { gadget.close() }
    }
    let host = try USBHostSource(USBAddress(), waits: true, except: state.withLock { $0.attachedBefore })
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

  /// Ends the source. Removes the gadget now, or when its current connection ends.
  public func close() async {
    let (gadget, host) = state.withLock { state in
      state.isClosed = true
      return (state.gadget, state.host)
    }
    await host?.close()
    guard let gadget else { return }
    do { try await onOwnThread(usbThread) { gadget.stop() } } catch {}
  }
}
