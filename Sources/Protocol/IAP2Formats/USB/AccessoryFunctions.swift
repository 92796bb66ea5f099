// swift-iap2 · Apache-2.0

public import IAP2

/// The functions besides the link that an accessory has as a USB device, as its identification declares them.
public struct AccessoryFunctions: Sendable, Equatable {
  /// The names of the EA protocols with an interface of their own, in the order of the identification.
  public var nativeProtocols: [String]
  /// Whether CarPlay is offered. CarPlay needs a network function (CDC-NCM) besides the link.
  public var hasCarPlay: Bool

  /// Creates functions.
  public init(nativeProtocols: [String] = [], hasCarPlay: Bool = false) {
    self.nativeProtocols = nativeProtocols
    self.hasCarPlay = hasCarPlay
  }

  /// Reads the functions from an identification.
  public init(_ identification: IdentificationInformation) {
    self.init(
      nativeProtocols: identification.nativeProtocols,
      hasCarPlay: identification.usbHostTransportComponent.contains { $0.offersCarPlay })
  }

  /// The interfaces that Linux allows in a configuration of a gadget (MAX_CONFIG_INTERFACES).
  package static let maximumInterfaces = 16

  /// The number of interfaces: one for the link, one for each native protocol, and two for the network.
  package var interfaceCount: Int { 1 + nativeProtocols.count + (hasCarPlay ? 2 : 0) }

  /// The number of the network function's control interface, which the identification names
  /// (Identification.md#carplay-interface; high); nil without CarPlay. The link is interface 0, the native protocols
  /// follow, and the network comes last.
  package var carPlayInterface: UInt8? { hasCarPlay ? UInt8(clamping: 1 + nativeProtocols.count) : nil }
}

extension USBHostTransportComponent {
  fileprivate var offersCarPlay: Bool {
    transportSupportsCarPlay.isSet || usbHostTransportCarPlayInterfaceNumber != nil
  }
}

extension IdentificationInformation {
  /// The names of the EA protocols that use an interface of their own when the accessory is on USB: those that name one
  /// of its USB host components (Identification.md#native-component; medium: LIVI, PIB).
  package var nativeProtocols: [String] {
    let components = Set(usbHostTransportComponent.map(\.transportComponentIdentifier))
    return supportedExternalAccessoryProtocol.compactMap { item in
      guard let component = item.nativeTransportComponentIdentifier, components.contains(component) else { return nil }
      return item.externalAccessoryProtocolName
    }
  }

  /// Declares EA protocols as native on the first USB host component. Without such a component it changes nothing.
  package mutating func makeNative(_ names: Set<String>) {
    guard let component = usbHostTransportComponent.first?.transportComponentIdentifier else { return }
    for index in supportedExternalAccessoryProtocol.indices
    where names.contains(supportedExternalAccessoryProtocol[index].externalAccessoryProtocolName) {
      supportedExternalAccessoryProtocol[index].nativeTransportComponentIdentifier = component
    }
  }

  /// Sets the number of the network's control interface in the components that offer CarPlay.
  package mutating func setCarPlayInterface(_ number: UInt8) {
    for index in usbHostTransportComponent.indices where usbHostTransportComponent[index].offersCarPlay {
      usbHostTransportComponent[index].usbHostTransportCarPlayInterfaceNumber = number
    }
  }
}
