// swift-iap2 · Apache-2.0

import IAP2
import IAP2Bluetooth
import IAP2Formats
import IAP2Runtime
import IAP2Transport
import IAP2USB

/// What a transport has to tell beside its connections: of the bus, the adapter, a change of roles.
struct TransportNotice: Sendable {
  enum Kind: String {
    case bound, unbound, configured, reset, unplugged, unconfigured, suspended, resumed
    case roleSwitchRequested, becameHost, becameDevice, chargeCurrent, network, noNetwork
    case daemonGone, daemonBack, adapterOff, adapterOn, adapterGone, adapterCame, callFailed
  }

  var kind: Kind
  var address: String
  /// For people; nil for what only a program wants to know.
  var text: String?

  init(_ kind: Kind, _ address: some CustomStringConvertible, _ text: String?) {
    (self.kind, self.address, self.text) = (kind, address.description, text)
  }

  /// On stderr.
  func tell() { if let text { Output.note("\(address): \(text)") } }
}

extension TransportNotice {
  init(_ event: GadgetEvent, _ address: some CustomStringConvertible) {
    switch event {
    case .bound: self.init(.bound, address, nil)
    case .unbound: self.init(.unbound, address, nil)
    case .configured: self.init(.configured, address, "configured by the host")
    case .reset: self.init(.reset, address, "the host has reset its bus")
    case .unplugged: self.init(.unplugged, address, "the cable was pulled")
    case .unconfigured:
      self.init(
        .unconfigured, address, "no longer configured: the cable was pulled, or the host has given the device up")
    case .suspended: self.init(.suspended, address, "suspended by the host")
    case .resumed: self.init(.resumed, address, "resumed")
    }
  }

  /// Nil where no network was asked for.
  init?(network: String?, _ functions: AccessoryFunctions, _ address: some CustomStringConvertible) {
    guard functions.hasCarPlay else { return nil }
    if let network {
      self.init(.network, address, "CarPlay's network is interface \(network)")
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

  /// Nil for what its connection tells.
  init?(_ event: PhoneGadgetEvent, _ address: some CustomStringConvertible) {
    switch event {
    case .bus(let event): self.init(event, address)
    case .chargeCurrent(let extra): self.init(.chargeCurrent, address, "may draw \(extra) mA beyond 500")
    case .roleSwitch(let role):
      let why = role == .carPlay ? "for CarPlay" : "for iAP2 alone"
      self.init(
        .roleSwitchRequested, address,
        "the head unit asks for a role switch \(why); leaving the bus to be its host")
    case .isDevice(let failure):
      let why = failure.map { Self.reason($0, address) } ?? "the head unit has gone"
      self.init(.becameDevice, address, "\(why); a device again")
    case .bytes: return nil
    }
  }

  /// An error's text begins with the address that it is about, which is mostly the same.
  private static func reason(_ error: TransportError, _ address: some CustomStringConvertible) -> String {
    let text = LiveSession.failure(error).text
    let start = "\(address): "
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text
  }

  init(_ event: BluetoothEvent, _ address: some CustomStringConvertible) {
    switch event {
    case .daemonGone: self.init(.daemonGone, address, "bluetoothd has gone")
    case .daemonBack: self.init(.daemonBack, address, "bluetoothd is back")
    case .adapterOff(let number): self.init(.adapterOff, address, "hci\(number) was turned off")
    case .adapterOn(let number): self.init(.adapterOn, address, "hci\(number) was turned on")
    case .adapterGone(let number): self.init(.adapterGone, address, "hci\(number) has gone")
    case .adapterCame(let number): self.init(.adapterCame, address, "hci\(number) has come")
    case .callFailed(let error, let seconds):
      self.init(.callFailed, address, "\(Self.reason(error, address)); next call in \(seconds) s")
    }
  }
}
