// swift-iap2 · Apache-2.0

package import IAP2

/// What an accessory in device mode shows on USB beside its link, as its identification has it.
package struct AccessoryFunctions: Sendable, Equatable {
  /// EA protocols with an interface of their own, in the order of the identification.
  package var nativeProtocols: [String]
  /// CarPlay is offered, which needs a network function (CDC-NCM) beside the link.
  package var hasCarPlay: Bool

  package init(nativeProtocols: [String] = [], hasCarPlay: Bool = false) {
    self.nativeProtocols = nativeProtocols
    self.hasCarPlay = hasCarPlay
  }

  package init(_ identification: IdentificationInformation) {
    self.init(
      nativeProtocols: identification.nativeProtocols,
      hasCarPlay: identification.usbHostTransportComponent.contains { $0.offersCarPlay })
  }

  /// What Linux allows a configuration of a gadget (MAX_CONFIG_INTERFACES).
  package static let maximumInterfaces = 16

  /// The link's, one for each native protocol, and the network's two.
  package var interfaceCount: Int { 1 + nativeProtocols.count + (hasCarPlay ? 2 : 0) }

  /// The network function's control interface, which the identification names (Identification.md#carplay-interface;
  /// high). The link is interface 0, native protocols follow, the network comes last.
  package var carPlayInterface: UInt8? { hasCarPlay ? UInt8(clamping: 1 + nativeProtocols.count) : nil }
}

extension USBHostTransportComponent {
  fileprivate var offersCarPlay: Bool {
    transportSupportsCarPlay.isSet || usbHostTransportCarPlayInterfaceNumber != nil
  }
}

extension IdentificationInformation {
  /// The EA protocols whose bytes go beside the link when the accessory is on USB: those that name one of its USB host
  /// components (Identification.md#native-component; medium: LIVI, PIB).
  package var nativeProtocols: [String] {
    let components = Set(usbHostTransportComponent.map(\.transportComponentIdentifier))
    return supportedExternalAccessoryProtocol.compactMap { item in
      guard let component = item.nativeTransportComponentIdentifier, components.contains(component) else { return nil }
      return item.externalAccessoryProtocolName
    }
  }

  /// Marks EA protocols as native on the first USB host component.
  package mutating func makeNative(_ names: Set<String>) {
    guard let component = usbHostTransportComponent.first?.transportComponentIdentifier else { return }
    for index in supportedExternalAccessoryProtocol.indices
    where names.contains(supportedExternalAccessoryProtocol[index].externalAccessoryProtocolName) {
      supportedExternalAccessoryProtocol[index].nativeTransportComponentIdentifier = component
    }
  }

  /// Names the interface that CarPlay's network has in truth.
  package mutating func setCarPlayInterface(_ number: UInt8) {
    for index in usbHostTransportComponent.indices where usbHostTransportComponent[index].offersCarPlay {
      usbHostTransportComponent[index].usbHostTransportCarPlayInterfaceNumber = number
    }
  }
}
