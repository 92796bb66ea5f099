// swift-iap2 · Apache-2.0

import AccessoryPlatform
public import ExternalAccessory
import IAP2Runtime

/// An accessory of the bench, which can be plugged in and pulled.
public final class AttachedAccessory: Sendable {
  private let accessory: EmulatedAccessory

  init(_ accessory: EmulatedAccessory) { self.accessory = accessory }

  /// The name of the accessory.
  public var name: String { accessory.name }

  /// Whether the accessory is plugged in.
  public var isPlugged: Bool { accessory.isPlugged }

  /// The app's object of the accessory; nil if it is not in the list.
  public var eaAccessory: EAAccessory? {
    guard let id = accessory.connection?.id else { return nil }
    return EAAccessoryManager.shared().connectedAccessories.first { $0.connectionID == id }
  }

  /// Plugs the accessory in, with a new connection ID. Returns when the app can see it, or when its connection has
  /// ended.
  public func plug() async {
    await withCheckedContinuation { (settled: CheckedContinuation<Void, Never>) in
      accessory.plug { settled.resume() }
    }
    // The block of the main queue that notifies the app waits already.
    await Platform.shared.onMainQueue {}
  }

  /// Plugs the accessory in as its description says, and plays the steps of its scenario.
  func begin() async {
    await withCheckedContinuation { (settled: CheckedContinuation<Void, Never>) in
      accessory.begin { settled.resume() }
    }
    await Platform.shared.onMainQueue {}
  }

  /// Waits for the end of the steps of the accessory's scenario. Returns the first failed step as one line with its
  /// place; nil if all succeeded, if there are none, or if ``AccessoryBench/reset()`` ended them.
  public func scenarioFailure() async -> String? { await accessory.stepFailure() }

  /// Pulls the accessory. Bytes that are under way are lost.
  ///
  /// - Parameter isNoticed: The app is notified, and the call returns after that. Otherwise the app keeps the accessory
  ///   in its list and its streams report nothing, until ``notice()``.
  public func unplug(isNoticed: Bool = true) async {
    let connection = accessory.connection
    if await accessory.unplug(isNoticed: isNoticed), let connection { await Self.untilReported(of: connection) }
  }

  private static func untilReported(of connection: AccessoryConnection) async {
    let platform = Platform.shared
    // A ghost stays in the list after the notification, and a suspended app is not notified.
    while platform.connected.contains(where: { $0 === connection }), !connection.isEndReported, !platform.isSuspended {
      await platform.onMainQueue {}
    }
    // The block that has changed the list notifies the app after that.
    await Platform.shared.onMainQueue {}
  }

  /// Notifies the app of the pulls that were not reported to it, and returns after that.
  public func notice() async {
    for connection in await accessory.notice() { await Self.untilReported(of: connection) }
  }

  /// Loses all bytes from now on, in both directions. Neither side is notified.
  public func goHalfOpen() { accessory.goHalfOpen() }

  /// Ends the sessions of a protocol as the accessory, which stays connected.
  public func close(_ protocolName: String) async { await accessory.close(protocolName) }

  /// Sets the service of a protocol, from the next ``plug()`` on. The session ends when the service returns.
  public func serve(_ protocolName: String, _ body: @escaping @Sendable (ExternalAccessoryStream) async -> Void) {
    accessory.serve(protocolName, .body(body))
  }

  /// The bytes that the accessory has received of a protocol without a service, at most 16 MiB.
  public func received(_ protocolName: String) -> [UInt8] { accessory.received(protocolName) }
}

/// The accessories of a transport.
public final class AttachedTransport: Sendable {
  private let accessory: TransportAccessory

  init(_ accessory: TransportAccessory) { self.accessory = accessory }

  /// The app's object of the present accessory; nil without one.
  public var eaAccessory: EAAccessory? {
    guard let id = accessory.connection?.id else { return nil }
    return EAAccessoryManager.shared().connectedAccessories.first { $0.connectionID == id }
  }

  /// Closes the transport as a pulled cable does. The transport then waits for the next accessory.
  public func drop() async { await accessory.drop() }
}
