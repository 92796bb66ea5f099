// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Formats
public import IAP2Transport
import Synchronization

/// An event of a head unit's role switch with a phone.
public enum RoleSwitchEvent: Sendable, Equatable {
  /// The phone has accepted the switch and left the bus. This machine is now a device on `controller`.
  /// `networkInterface` is the network interface of CarPlay; nil if there is none.
  case isDevice(controller: String, networkInterface: String?)
  /// This machine is the host again.
  case isHost
  /// An event on the bus on which this machine is the device.
  case bus(GadgetEvent)
}

/// A source of phones in device mode, one after another. Without a role switch, a connection uses the phone's reports.
/// With one, each phone becomes the host and this machine its device.
public final class USBPhoneSource: TransportSource {
  /// The time in seconds that a phone has to leave the bus. CAT continues after 500 ms in any case
  /// (RoleSwitch.md#leaves-bus; medium). Waiting until the phone has left costs nothing, and a hub may need longer.
  private static let leaveSeconds = 2
  /// The time in seconds from then until the phone must have enumerated this machine. CAT uses the same limit
  /// (RoleSwitch.md#limits; medium).
  private static let hostSeconds = 8

  private struct State: Sendable {
    /// The gadget while this machine is the device.
    var gadget: USBGadgetSource?
    /// Whether `close` was called.
    var isClosed = false
  }

  private let wanted: USBPhoneAddress
  private let productName: String
  private let functions: AccessoryFunctions
  private let search: DeviceSearch
  private let onEvent: @Sendable (RoleSwitchEvent) -> Void
  private let state = Mutex(State())

  /// The transport string of the wanted phones.
  public var address: String { search.address }

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - wanted: The phones, and the role switch.
  ///   - waits: Whether to wait for a phone. If false, an absent phone is an error.
  ///   - productName: The product name of this machine when it is the device.
  ///   - functions: The functions that it then has beside the link.
  ///   - onEvent: Called for events of role switches, on any thread.
  /// - Throws: `notFound` without a phone if `waits` is false; `specific` with a ``DeviceModeProblem`` without the
  ///   controller that a role switch needs; `notBuilt` without the trait `USB`.
  public init(
    _ wanted: USBPhoneAddress = USBPhoneAddress(), waits: Bool, productName: String,
    functions: AccessoryFunctions = AccessoryFunctions(),
    onEvent: @escaping @Sendable (RoleSwitchEvent) -> Void = { _ in }
  ) throws(TransportError) {
    self.wanted = wanted
    self.productName = productName
    self.functions = functions
    self.onEvent = onEvent
    let known = USBGadgetSource.controllers
    if let roleSwitch = wanted.roleSwitch {
      guard roleSwitch.controller.map(known.contains) ?? !known.isEmpty else {
        throw .deviceMode(address: wanted.description, .noController)
      }
    }
    search = try DeviceSearch(wanted.description, waits: waits) { AttachedDevice.all().filter(wanted.matches) }
  }

  /// Returns the connection of the next phone; nil once the source is closed. Asks the phone for the role switch and
  /// waits for the phone as host where the address wants it.
  public func next() async throws(TransportError) -> (any ByteTransport)? {
    guard let roleSwitch = wanted.roleSwitch else {
      return try await search.next { [search, wanted] (device) throws(TransportError) in
        try PhoneHost.open(device, wanted) { failure in
          // After a reset by the host, the device is attached as before and may be used again.
          if case .unplugged = failure { search.forget() }
        }
      }
    }
    // The previous phone has disconnected as host. This machine returns to the host role to find it as a device.
    await becomeHost()
    let asked = try await search.next { [wanted] (device) throws(TransportError) in
      try PhoneHost.askToSwitch(device, wanted, to: roleSwitch.role)
      return device
    }
    guard let asked else { return nil }
    do throws(TransportError) {
      try await waitUntilGone(asked)
      return try await becomeDevice(roleSwitch)
    } catch {
      await becomeHost()
      throw error
    }
  }

  private func waitUntilGone(_ device: AttachedDevice) async throws(TransportError) {
    let end = ContinuousClock.now + .seconds(Self.leaveSeconds)
    while AttachedDevice.all().contains(where: { $0.attachment == device.attachment }) {
      guard ContinuousClock.now < end else {
        throw .deviceMode(address: address, .didNotLeave(seconds: Self.leaveSeconds))
      }
      do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .closed }
    }
  }

  /// Becomes the device and returns the connection of the phone that is now the host; nil if the source was closed.
  private func becomeDevice(_ wanted: USBPhoneAddress.Switch) async throws(TransportError) -> (any ByteTransport)? {
    let gadget = try await open(wanted.controller)
    let isClosed = state.withLock { state in
      if !state.isClosed { state.gadget = gadget }
      return state.isClosed
    }
    guard !isClosed else {
      await gadget.close()
      return nil
    }
    onEvent(.isDevice(controller: gadget.controller, networkInterface: gadget.networkInterface))
    let transport = try await firstConnection(of: gadget, within: .seconds(Self.hostSeconds))
    if transport == nil, !state.withLock({ $0.isClosed }), !Task.isCancelled {
      throw .deviceMode(address: address, .noHost(seconds: Self.hostSeconds))
    }
    return transport
  }

  private func open(_ controller: String?) async throws(TransportError) -> USBGadgetSource {
    do throws(TransportError) {
      return try await USBGadgetSource.open(
        USBGadgetAddress(controller: controller), productName: productName, functions: functions
      ) { [onEvent] in onEvent(.bus($0)) }
    } catch {
      guard controller == nil, case .addressInUse = error else { throw error }
      throw .deviceMode(address: address, .noController)
    }
  }

  private func becomeHost() async {
    let gadget = state.withLock { state in
      defer { state.gadget = nil }
      return state.gadget
    }
    guard let gadget else { return }
    await gadget.close()
    search.forget()
    onEvent(.isHost)
  }

  /// Ends the source. Removes its gadget now, or when the current connection ends.
  public func close() async {
    search.close()
    let gadget = state.withLock { state in
      state.isClosed = true
      return state.gadget
    }
    await gadget?.close()
  }
}

/// Returns the next connection of a source that may wait forever; nil if none came within the limit.
func firstConnection(
  of source: any TransportSource, within limit: Duration
) async throws(TransportError) -> (any ByteTransport)? {
  let result = await withTaskGroup(of: Result<(any ByteTransport)?, TransportError>?.self) { group in
    group.addTask {
      do throws(TransportError) { return .success(try await source.next()) } catch { return .failure(error) }
    }
    group.addTask {
      do { try await Task.sleep(for: limit) } catch {}
      return nil
    }
    var found: Result<(any ByteTransport)?, TransportError>?
    while let one = await group.next() {
      // A connection that arrives at the last moment counts.
      if let one { found = one }
      group.cancelAll()
    }
    return found
  }
  return try result?.get() ?? nil
}
