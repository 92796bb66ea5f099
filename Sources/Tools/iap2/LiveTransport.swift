// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Bluetooth
import IAP2Formats
import IAP2Runtime
import IAP2Sockets
import IAP2Transport
import IAP2USB

/// A transport as `--transport` names it, whichever target it comes from.
enum LiveTransport {
  case stream(TransportAddress)
  /// An accessory on this machine's USB.
  case usb(USBAddress)
  /// This machine as a USB device.
  case gadget(USBGadgetAddress)
  /// A phone in device mode on this machine's USB.
  case usbPhone(USBPhoneAddress)
  /// This machine as such a phone.
  case gadgetPhone(PhoneGadgetAddress)
  case bluetooth(RFCOMMAddress)

  static let forms = [
    TransportAddress.forms, USBAddress.form, USBGadgetAddress.form, USBPhoneAddress.form, PhoneGadgetAddress.form,
    RFCOMMAddress.form, RFCOMMAddress.listenForm,
  ].joined(separator: ", ")

  init(parsing text: String) throws {
    if let usb = try Self.usb(text) {
      self = usb
      return
    }
    do {
      if let address = try RFCOMMAddress(parsing: text) {
        self = .bluetooth(address)
        return
      }
    } catch { throw ValidationError("\"\(text)\" is neither \(RFCOMMAddress.form) nor \(RFCOMMAddress.listenForm)") }
    do { self = .stream(try TransportAddress(parsing: text)) } catch { throw ValidationError(Self.text(error)) }
  }

  /// Nil when the text names another scheme.
  private static func usb(_ text: String) throws -> LiveTransport? {
    func value<Address>(_ form: String, _ parse: () throws -> Address?) throws -> Address? {
      do { return try parse() } catch { throw ValidationError("\"\(text)\" is not \(form)") }
    }
    if let address = try value(USBAddress.form, { try USBAddress(parsing: text) }) { return .usb(address) }
    if let address = try value(USBPhoneAddress.form, { try USBPhoneAddress(parsing: text) }) {
      return .usbPhone(address)
    }
    if let address = try value(PhoneGadgetAddress.form, { try PhoneGadgetAddress(parsing: text) }) {
      return .gadgetPhone(address)
    }
    return try value(USBGadgetAddress.form) { try USBGadgetAddress(parsing: text) }.map { .gadget($0) }
  }

  /// On USB the sides are not alike: mostly an accessory is the device and a phone the host, else the other way round.
  func check(_ side: Side) throws {
    switch (self, side) {
    case (.usb, .accessory):
      throw ValidationError(
        "with \(USBAddress.scheme) a phone finds accessories; a head unit takes "
          + "\(USBGadgetAddress.form) or \(USBPhoneAddress.form)"
      )
    case (.gadget, .device):
      throw ValidationError(
        "with \(USBGadgetAddress.scheme) this machine is an accessory; a phone takes "
          + "\(USBAddress.form) or \(PhoneGadgetAddress.form)"
      )
    case (.usbPhone, .device):
      throw ValidationError("with \(USBPhoneAddress.scheme) a head unit finds phones; a phone takes \(USBAddress.form)")
    case (.gadgetPhone, .accessory):
      throw ValidationError(
        "with \(PhoneGadgetAddress.scheme) this machine is a phone; a head unit takes \(USBPhoneAddress.form)")
    case (.stream, _), (.bluetooth, _), (.usb, .device), (.gadget, .accessory), (.usbPhone, .accessory),
      (.gadgetPhone, .device):
      break
    }
  }

  /// Waits for the other side to dial.
  var isListening: Bool {
    switch self {
    case .stream(.tcpListen), .stream(.unixListen), .gadget, .gadgetPhone: true
    case .stream(.tcp), .stream(.unix), .stream(.pty), .stream(.serial), .usb, .usbPhone: false
    case .bluetooth(let address): address.way == .listen
    }
  }

  /// Whoever is there may be silent; a line, or a socket in the wall, waits for somebody to come.
  var hasPeer: Bool {
    switch self {
    case .stream(.tcp), .stream(.tcpListen), .stream(.unix), .stream(.unixListen), .usb, .usbPhone, .bluetooth: true
    case .stream(.pty), .stream(.serial), .gadget, .gadgetPhone: false
    }
  }

  /// How long a peer has until it is identified, unless told otherwise.
  var defaultTimeout: Duration? { hasPeer ? .seconds(60) : nil }

  /// Somebody else has to know where it is.
  var isWaiting: Bool { if case .stream(.pty) = self { true } else { isListening } }

  /// Looks for a device until one is there.
  var isSearching: Bool {
    switch self {
    case .usb, .usbPhone: true
    case .stream, .gadget, .gadgetPhone, .bluetooth: false
    }
  }

  /// A program that leaves is seen to leave. On USB the devices stay plugged in.
  var showsLeaving: Bool {
    switch self {
    case .stream, .bluetooth: true
    case .usb, .gadget, .usbPhone, .gadgetPhone: false
    }
  }

  /// Has room for EA protocols and CarPlay's network beside a head unit's link.
  var carriesNatives: Bool {
    switch self {
    case .gadget: true
    // Once it has changed roles; reports have no room.
    case .usbPhone(let address): address.roleSwitch != nil
    case .stream, .usb, .gadgetPhone, .bluetooth: false
    }
  }

  /// - Parameters:
  ///   - once: one connection is wanted, with who is there now.
  ///   - side: ours.
  ///   - functions: what a head unit on USB shows beside its link.
  ///   - offersCarPlay: wireless CarPlay is announced where the medium has a way to.
  ///   - tell: told of the medium, on any thread.
  func open(
    once: Bool, as side: Side, functions: AccessoryFunctions = AccessoryFunctions(), offersCarPlay: Bool = false,
    tell: @escaping @Sendable (TransportNotice) -> Void = { $0.tell() }
  ) async throws(TransportError) -> any TransportSource {
    switch self {
    case .stream(let address): return try await address.open()
    case .usb(let address): return try USBHostSource(address, waits: !once)
    case .gadget(let address):
      let source = try await USBGadgetSource.open(
        address, productName: Self.headUnitName, functions: functions
      ) { tell(TransportNotice($0, address)) }
      TransportNotice(network: source.networkInterface, functions, address).map(tell)
      return source
    case .usbPhone(let address):
      return try USBPhoneSource(
        address, waits: !once, productName: Self.headUnitName, functions: functions
      ) { event in
        tell(TransportNotice(event, address))
        if case .isDevice(_, let network) = event {
          TransportNotice(network: network, functions, address).map(tell)
        }
      }
    case .gadgetPhone(let address):
      return try await PhoneGadgetSource.open(address, waits: !once, productName: "iap2 phone") {
        TransportNotice($0, address).map(tell)
      }
    case .bluetooth(let address):
      return try await BlueZ.open(address, as: side, offersCarPlay: offersCarPlay, once: once) {
        tell(TransportNotice($0, address))
      }
    }
  }

  private static let headUnitName = "iap2 head unit"

  // MARK: For people

  static func text(_ problem: BluetoothProblem) -> String {
    switch problem {
    case .noDaemon:
      "bluetoothd does not run, or there is no D-Bus for it; install bluez, and start it: systemctl start bluetooth"
    case .daemonSilent: "bluetoothd does not answer; start it anew: systemctl restart bluetooth"
    case .busLost:
      "the connection to the system's D-Bus has ended; start it and bluetoothd (systemctl start dbus bluetooth), "
        + "then this command again"
    case .noAdapter:
      "no such Bluetooth adapter on this machine; `iap2 devices` and `bluetoothctl list` show those there are, "
        + "`rfkill list` those that are blocked; plug one in, or load its driver (modprobe btusb)"
    case .adapterOff: "the Bluetooth adapter is off; `bluetoothctl power on` turns it on"
    case .adapterBlocked: "the Bluetooth adapter is blocked by rfkill; `rfkill unblock bluetooth` frees it"
    case .notPaired:
      "not paired with this adapter; `bluetoothctl pair ADDRESS` pairs; where there are several adapters, "
        + "`select ADAPTER` inside bluetoothctl comes first"
    case .refused: "it refused the call: nobody waits on that channel, or it has forgotten the pairing"
    case .serviceNotFound: "it has no record of iAP2 for this role"
    case .outOfRange: "out of range: nothing was heard of it for too long"
    case .droppedByPeer: "the other side dropped the Bluetooth connection"
    case .droppedHere: "this machine dropped the Bluetooth connection"
    }
  }

  private static func isAccessory(_ address: String) -> Bool {
    address == USBAddress.scheme || address.hasPrefix("\(USBAddress.scheme):")
  }

  private static func isPhone(_ address: String) -> Bool { address.hasPrefix(USBPhoneAddress.scheme) }

  /// Of either role.
  private static func isGadget(_ address: String) -> Bool { address.hasPrefix(USBGadgetAddress.scheme) }

  static func absence(_ address: String) -> String {
    if isAccessory(address) { return "no such accessory is attached; `iap2 devices` shows what is" }
    if isPhone(address) { return "no such phone is attached in device mode; `iap2 devices` shows what is" }
    if address.hasPrefix("tcp") { return "no such host; check the name, or give the address in numbers" }
    return isGadget(address) ? gadgetAbsence(address, controllers: USBGadgetSource.controllers) : "does not exist"
  }

  /// - Parameter controllers: what there is on this machine.
  static func gadgetAbsence(_ address: String, controllers: [String]) -> String {
    guard !controllers.isEmpty else {
      return "no USB device controller here; load the driver of the board's (as dwc2), "
        + "or try a virtual one: modprobe dummy_hcd"
    }
    if let wanted = controller(named: address), !controllers.contains(wanted) {
      return "no such USB device controller; here are: \(controllers.joined(separator: ", "))"
    }
    return "this kernel makes no such USB gadgets yet; modprobe -a libcomposite usb_f_fs, "
      + "and if configfs is not mounted: mount -t configfs none /sys/kernel/config"
  }

  /// A device sees only that its host has none of its configurations set any more.
  static func unplugText(_ address: String) -> String {
    isGadget(address) ? "unplugged, or given up by its host" : "unplugged"
  }

  private static func controller(named address: String) -> String? {
    do {
      return try USBGadgetAddress(parsing: address)?.controller ?? PhoneGadgetAddress(parsing: address)?.controller
    } catch { return nil }
  }

  static func unreachableText(_ address: String) -> String {
    address.hasPrefix("tcp-listen:")
      ? "that is no address of this machine; 0.0.0.0 or [::] takes all of them" : "cannot be reached"
  }

  /// What to do about something that another program has.
  static func useAdvice(_ address: String) -> String {
    if address.hasPrefix("tcp-listen:") {
      return "another program listens on that port; give another one, or port 0 for any that is free"
    }
    if address.hasPrefix("unix-listen:") { return "in use; end who listens there, or give another path" }
    if isGadget(address) { return "in use by another gadget; end that one, or name another controller (iap2 devices)" }
    return "in use by another program; end it first"
  }

  static func permissionAdvice(_ address: String) -> String {
    if address.hasPrefix(RFCOMMAddress.scheme) {
      return "the D-Bus policy of org.bluez (bluetooth.conf) keeps this user out"
    }
    if isAccessory(address) || isPhone(address) {
      return "install the udev rule tools/70-iap2.rules and plug the device in again"
    }
    if address.hasPrefix("tcp") { return "ports below 1024 are for root; take a higher one" }
    return isGadget(address) ? "only root can make a USB gadget" : "check its owner and group"
  }

  static func text(_ problem: TransportAddress.Problem) -> String {
    switch problem {
    case .unknownScheme(let scheme): "no transport \"\(scheme)\"; known: \(LiveTransport.forms)"
    case .missingPath(let scheme): "\(scheme): needs a path"
    case .badHostAndPort(let text): "\"\(text)\" is not HOST:PORT with a port of 1 to 65535 (0 only to listen)"
    case .pathTooLong(let limit): "a socket's path has at most \(limit) bytes"
    case .badBaud(let text): "\"\(text)\" is no speed this machine has; try \(TransportAddress.defaultBaud)"
    }
  }
}
