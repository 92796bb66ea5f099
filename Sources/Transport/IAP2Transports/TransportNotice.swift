// swift-iap2 · Apache-2.0

package import IAP2Bluetooth
import IAP2Formats
import IAP2Transport
import IAP2USB

/// An event of a transport apart from its connections: of the USB bus, the Bluetooth adapter or the role switch.
package struct TransportNotice: Sendable {
  /// The kind of the event, by its name in JSON.
  package enum Kind: String, Sendable {
    case bound, unbound, configured, reset, unplugged, unconfigured, suspended, resumed
    case roleSwitchRequested, becameHost, becameDevice, chargeCurrent, network, noNetwork
    case daemonGone, daemonBack, adapterOff, adapterOn, adapterGone, adapterCame, callFailed
  }

  /// The kind of the event.
  package var kind: Kind
  /// The address of the transport as text.
  package var address: String
  /// The event as a sentence; nil for an event that only a program uses.
  package var text: String?
  /// The name of the network interface of CarPlay, of the kind ``Kind/network``.
  package var interface: String?

  package init(_ kind: Kind, _ address: some CustomStringConvertible, _ text: String?) {
    (self.kind, self.address, self.text) = (kind, address.description, text)
  }
}

extension TransportNotice {
  init(_ event: GadgetEvent, _ address: some CustomStringConvertible) {
    switch event {
    case .bound: self.init(.bound, address, nil)
    case .unbound: self.init(.unbound, address, nil)
    case .configured: self.init(.configured, address, "configured by the host")
    case .reset: self.init(.reset, address, "the host reset the bus")
    case .unplugged: self.init(.unplugged, address, "the cable was pulled")
    case .unconfigured:
      self.init(
        .unconfigured, address, "no longer configured: the cable was pulled, or the host disabled the device")
    case .suspended: self.init(.suspended, address, "suspended by the host")
    case .resumed: self.init(.resumed, address, "resumed")
    }
  }

  /// Creates the notice of the network of CarPlay. Returns nil if CarPlay was not requested.
  init?(network: String?, _ functions: AccessoryFunctions, _ address: some CustomStringConvertible) {
    guard functions.hasCarPlay else { return nil }
    if let network {
      self.init(.network, address, "CarPlay's network is interface \(network)")
      interface = network
    } else {
      self.init(.noNetwork, address, "no network for CarPlay: this kernel has no usb_f_ncm")
    }
  }

  init(_ event: RoleSwitchEvent, _ address: some CustomStringConvertible) {
    switch event {
    case .isDevice(let controller, _):
      self.init(
        .becameDevice, address, "the phone becomes the host; this machine is the device on \(controller)")
    case .isHost: self.init(.becameHost, address, "this machine is the host again")
    case .bus(let event): self.init(event, address)
    }
  }

  /// Returns nil for bytes, which the connection reports.
  init?(_ event: PhoneGadgetEvent, _ address: some CustomStringConvertible) {
    switch event {
    case .bus(let event): self.init(event, address)
    case .chargeCurrent(let extra): self.init(.chargeCurrent, address, "may draw \(extra) mA beyond 500")
    case .roleSwitch(let role):
      let why = role == .carPlay ? "for CarPlay" : "for iAP2 alone"
      self.init(
        .roleSwitchRequested, address,
        "the head unit requests a role switch \(why); leaving the bus to become its host")
    case .isDevice(let failure):
      let why = failure.map { Self.reason($0, address) } ?? "the head unit disconnected"
      self.init(.becameDevice, address, "\(why); a device again")
    case .bytes: return nil
    }
  }

  /// Returns the explanation of an error without the address, which the notice has already.
  private static func reason(_ error: TransportError, _ address: some CustomStringConvertible) -> String {
    let text = AnyTransportAddress.explanation(of: error)
    let start = "\(address): "
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text
  }

  package init(_ event: BluetoothEvent, _ address: some CustomStringConvertible) {
    switch event {
    case .daemonGone: self.init(.daemonGone, address, "bluetoothd stopped")
    case .daemonBack: self.init(.daemonBack, address, "bluetoothd is running again")
    case .adapterOff(let number): self.init(.adapterOff, address, "hci\(number) was turned off")
    case .adapterOn(let number): self.init(.adapterOn, address, "hci\(number) was turned on")
    case .adapterGone(let number): self.init(.adapterGone, address, "hci\(number) was removed")
    case .adapterCame(let number): self.init(.adapterCame, address, "hci\(number) was added")
    case .callFailed(let error, let seconds):
      self.init(.callFailed, address, "\(Self.reason(error, address)); next call in \(seconds) s")
    }
  }
}
