// swift-iap2 · Apache-2.0

package import AccessoryPlatform
@_exported public import Foundation
import PortingSupport
import Synchronization

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The ID of an accessory that is not connected.
public var EAConnectionIDNone: Int { 0 }

/// A connected accessory. Each connection has an object of its own, with an ID of its own.
///
/// Objects come from ``EAAccessoryManager/connectedAccessories`` and from notifications. After the end of the
/// connection, ``isConnected`` is false and the other properties keep their values.
public final class EAAccessory: NSObject {
  package let connection: AccessoryConnection
  private let delegation = WeakReference()

  init(_ connection: AccessoryConnection) {
    self.connection = connection
    super.init()
  }

  /// Accessories come from the manager only.
  @available(*, unavailable, message: "accessories come from EAAccessoryManager")
  public override init() { preconditionFailure() }

  /// Whether the accessory is connected.
  public var isConnected: Bool { connection.isConnected }

  /// The ID of the connection. It is not ``EAConnectionIDNone``, also after the end of the connection. *Unverified*:
  /// the ID on a real phone after the end; an option makes it ``EAConnectionIDNone``.
  public var connectionID: Int {
    connection.isGone && connection.platform.options.forgetsConnectionID ? EAConnectionIDNone : connection.id
  }

  /// The manufacturer, as the accessory identified it.
  public var manufacturer: String { connection.facts.manufacturer }

  /// The name, as the accessory identified it.
  public var name: String { connection.facts.name }

  /// The model, as the accessory identified it.
  public var modelNumber: String { connection.facts.modelNumber }

  /// The serial number, as the accessory identified it.
  public var serialNumber: String { connection.facts.serialNumber }

  /// The version of the firmware, as the accessory identified it.
  public var firmwareRevision: String { connection.facts.firmwareRevision }

  /// The version of the hardware, as the accessory identified it.
  public var hardwareRevision: String { connection.facts.hardwareRevision }

  /// The type of the dock, which is empty as on phones.
  public var dockType: String { "" }

  /// The names of the accessory's EA protocols.
  public var protocolStrings: [String] { connection.facts.protocols }

  /// The receiver of the disconnect. It is not retained. It becomes nil when the receiver is released.
  public var delegate: (any EAAccessoryDelegate)? {
    get { delegation.value as? any EAAccessoryDelegate }
    set { delegation.value = newValue }
  }
}

extension EAAccessory {
  /// The object of a connection. It is the same as long as the accessory is in the list.
  static func object(of connection: AccessoryConnection) -> EAAccessory {
    connection.face.withLock { face in
      if let accessory = face?.object as? EAAccessory { return AccessoryConnection.Face(accessory) }
      let accessory = AccessoryConnection.Face(EAAccessory(connection))
      face = accessory
      return accessory
    }.accessory
  }
}

extension AccessoryConnection.Face {
  fileprivate var accessory: EAAccessory {
    guard let accessory = object as? EAAccessory else {
      preconditionFailure("the face of a connection is an accessory")
    }
    return accessory
  }
}

/// A receiver of an accessory's disconnect.
public protocol EAAccessoryDelegate: NSObjectProtocol {
  /// The accessory was disconnected. Called on the main queue, after the notification.
  func accessoryDidDisconnect(_ accessory: EAAccessory)
}

extension EAAccessoryDelegate {
  /// Does nothing. The method is optional on iOS.
  public func accessoryDidDisconnect(_ accessory: EAAccessory) {}
}
