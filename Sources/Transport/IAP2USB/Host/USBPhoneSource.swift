// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Formats
public import IAP2Transport
import Synchronization

/// What a head unit that changes roles with a phone tells of it.
public enum RoleSwitchEvent: Sendable, Equatable {
  /// The phone agreed and has left the bus; this machine is a device now. CarPlay's network is an interface of this
  /// name, where there is one.
  case isDevice(controller: String, networkInterface: String?)
  /// This machine is the host again.
  case isHost
  case bus(GadgetEvent)
}

/// Phones in device mode, one after another: over their reports, or, where a role switch is wanted, each as the host that
/// it becomes.
public final class USBPhoneSource: TransportSource {
  /// What it takes a phone to leave the bus. CAT goes on after 500 ms whatever happens (RoleSwitch.md#leaves-bus;
  /// medium); waiting until it was seen to be gone costs nothing and may take a hub longer.
  private static let leaveSeconds = 2
  /// From there until the phone has enumerated us: what CAT gives it (RoleSwitch.md#limits; medium).
  private static let hostSeconds = 8

  private struct State: Sendable {
    /// While this machine is the device.
    var gadget: USBGadgetSource?
    /// A role switch has failed, or its connection has ended.
    var isClosed = false
  }

  private let wanted: USBPhoneAddress
  private let productName: String
  private let functions: AccessoryFunctions
  private let search: DeviceSearch
  private let onEvent: @Sendable (RoleSwitchEvent) -> Void
  private let state = Mutex(State())

  public var address: String { search.address }

  /// - Parameters:
  ///   - waits: for a phone to come; otherwise none is an error.
  ///   - productName: how this machine names itself once it is the device.
  ///   - functions: what it shows then beside the link.
  ///   - onEvent: told of role switches, on a thread of its own.
  package init(
    _ wanted: USBPhoneAddress, waits: Bool, productName: String, functions: AccessoryFunctions = AccessoryFunctions(),
    onEvent: @escaping @Sendable (RoleSwitchEvent) -> Void
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

  public func next() async throws(TransportError) -> (any ByteTransport)? {
    guard let roleSwitch = wanted.roleSwitch else {
      return try await search.next { [search, wanted] (device) throws(TransportError) in
        try PhoneHost.open(device, wanted) { failure in
          // A device that the host has reset is there again as it was.
          if case .unplugged = failure { search.forget() }
        }
      }
    }
    // The phone that was host has gone: back to waiting for it as a device.
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

  /// The connection of the phone that is host now; nil once it was closed.
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

  public func close() async {
    search.close()
    let gadget = state.withLock { state in
      state.isClosed = true
      return state.gadget
    }
    await gadget?.close()
  }
}

/// The next connection of a source that may wait for ever; nil when none came in time.
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
      // One that came at the last moment counts.
      if let one { found = one }
      group.cancelAll()
    }
    return found
  }
  return try result?.get() ?? nil
}
