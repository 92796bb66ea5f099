// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Bluetooth
import IAP2Runtime
import IAP2USB

/// A transport as `--transport` names it, whichever target it comes from.
enum LiveTransport {
  case stream(TransportAddress)
  /// An accessory on this machine's USB.
  case usb(USBAddress)
  /// This machine as a USB device.
  case gadget(USBGadgetAddress)
  case bluetooth(RFCOMMAddress)

  static let forms =
    "\(TransportAddress.forms), \(USBAddress.form), \(USBGadgetAddress.form), \(RFCOMMAddress.form), \(RFCOMMAddress.listenForm)"

  init(parsing text: String) throws {
    do {
      if let address = try USBAddress(parsing: text) {
        self = .usb(address)
        return
      }
      if let address = try USBGadgetAddress(parsing: text) {
        self = .gadget(address)
        return
      }
      if let address = try RFCOMMAddress(parsing: text) {
        self = .bluetooth(address)
        return
      }
    } catch is RFCOMMAddress.Problem {
      throw ValidationError("\"\(text)\" is neither \(RFCOMMAddress.form) nor \(RFCOMMAddress.listenForm)")
    } catch is USBAddress.Problem {
      throw ValidationError("\"\(text)\" is not \(USBAddress.form)")
    } catch is USBGadgetAddress.Problem { throw ValidationError("\"\(text)\" is not \(USBGadgetAddress.form)") }
    do { self = .stream(try TransportAddress(parsing: text)) } catch { throw ValidationError(Self.text(error)) }
  }

  /// On USB the sides are not alike: an accessory is the device, a phone the host.
  func check(_ side: Side) throws {
    switch (self, side) {
    case (.usb, .accessory):
      throw ValidationError(
        "with \(USBAddress.scheme) a phone finds accessories; a head unit takes \(USBGadgetAddress.form)")
    case (.gadget, .device):
      throw ValidationError(
        "with \(USBGadgetAddress.scheme) this machine is an accessory; a phone takes \(USBAddress.form)")
    case (.stream, _), (.bluetooth, _), (.usb, .device), (.gadget, .accessory): break
    }
  }

  /// Waits for the other side to dial.
  var isListening: Bool {
    switch self {
    case .stream(.tcpListen), .stream(.unixListen), .gadget: true
    case .stream(.tcp), .stream(.unix), .stream(.pty), .stream(.serial), .usb: false
    case .bluetooth(let address): address.way == .listen
    }
  }

  /// Whoever is there may be silent; a line, or a socket in the wall, waits for somebody to come.
  var hasPeer: Bool {
    switch self {
    case .stream(.tcp), .stream(.tcpListen), .stream(.unix), .stream(.unixListen), .usb, .bluetooth: true
    case .stream(.pty), .stream(.serial), .gadget: false
    }
  }

  /// How long a peer has until it is identified, unless told otherwise.
  var defaultTimeout: Duration? { hasPeer ? .seconds(60) : nil }

  /// Somebody else has to know where it is.
  var isWaiting: Bool { if case .stream(.pty) = self { true } else { isListening } }

  /// A program that leaves is seen to leave. On USB the devices stay plugged in.
  var showsLeaving: Bool {
    switch self {
    case .stream, .bluetooth: true
    case .usb, .gadget: false
    }
  }

  /// Has room for EA protocols and CarPlay's network beside a head unit's link.
  var carriesNatives: Bool {
    switch self {
    case .gadget: true
    case .stream, .usb, .bluetooth: false
    }
  }

  /// - Parameters:
  ///   - once: one connection is wanted, with who is there now.
  ///   - side: ours.
  ///   - functions: what a head unit on USB shows beside its link.
  ///   - offersCarPlay: wireless CarPlay is announced where the medium has a way to.
  func open(
    once: Bool, as side: Side, functions: AccessoryFunctions = AccessoryFunctions(), offersCarPlay: Bool = false
  ) async throws(TransportError) -> any TransportSource {
    switch self {
    case .stream(let address): return try await address.open()
    case .usb(let address): return try USBHostSource(address, waits: !once)
    case .gadget(let address):
      let source = try await USBGadgetSource.open(
        address, productName: "iap2 head unit", functions: functions
      ) { event in
        switch event {
        case .suspend: Output.note("\(address): suspended by the host")
        case .resume: Output.note("\(address): resumed")
        case .bind, .unbind, .enable, .disable, .setup: break
        }
      }
      if functions.hasCarPlay {
        let network = source.networkInterface.map { "CarPlay's network is interface \($0)" }
        Output.note("\(address): \(network ?? "no network for CarPlay: this kernel has no usb_f_ncm")")
      }
      return source
    case .bluetooth(let address):
      return try await BlueZ.open(address, as: side, offersCarPlay: offersCarPlay, once: once) { event in
        switch event {
        // Its text begins with the address.
        case .callFailed: Output.note(Self.text(event))
        case .daemonGone, .daemonBack, .adapterOff, .adapterOn, .adapterGone, .adapterCame:
          Output.note("\(address): \(Self.text(event))")
        }
      }
    }
  }

  // MARK: For people

  private static func text(_ event: BluetoothEvent) -> String {
    switch event {
    case .daemonGone: "bluetoothd has gone"
    case .daemonBack: "bluetoothd is back"
    case .adapterOff(let number): "hci\(number) was turned off"
    case .adapterOn(let number): "hci\(number) was turned on"
    case .adapterGone(let number): "hci\(number) has gone"
    case .adapterCame(let number): "hci\(number) has come"
    case .callFailed(let error, let seconds): "\(LiveSession.failure(error).text); next call in \(seconds) s"
    }
  }

  static func text(_ problem: BluetoothProblem) -> String {
    switch problem {
    case .noDaemon: "bluetoothd does not run, or there is no D-Bus for it; install and start bluez"
    case .noAdapter: "no such Bluetooth adapter on this machine"
    case .adapterOff: "the Bluetooth adapter is off; `bluetoothctl power on` turns it on"
    case .adapterBlocked: "the Bluetooth adapter is blocked by rfkill; `rfkill unblock bluetooth` frees it"
    case .notPaired: "not paired with this adapter; `bluetoothctl pair ADDRESS` pairs"
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

  private static func isGadget(_ address: String) -> Bool { address.hasPrefix(USBGadgetAddress.scheme) }

  static func absence(_ address: String) -> String {
    if isAccessory(address) { return "no such accessory is attached" }
    return isGadget(address) ? "no such USB device controller, or no gadget support (libcomposite)" : "does not exist"
  }

  static func permissionAdvice(_ address: String) -> String {
    if address.hasPrefix(RFCOMMAddress.scheme) {
      return "the D-Bus policy of org.bluez (bluetooth.conf) keeps this user out"
    }
    if isAccessory(address) { return "install the udev rule tools/70-iap2.rules and plug the device in again" }
    return isGadget(address) ? "only root can make a USB gadget" : "check its owner and group"
  }

  static func text(_ problem: TransportAddress.Problem) -> String {
    switch problem {
    case .unknownScheme(let scheme): "no transport \"\(scheme)\"; known: \(TransportAddress.forms)"
    case .missingPath(let scheme): "\(scheme): needs a path"
    case .badHostAndPort(let text): "\"\(text)\" is not HOST:PORT with a port of 1 to 65535 (0 only to listen)"
    case .pathTooLong(let limit): "a socket's path has at most \(limit) bytes"
    case .badBaud(let text): "\"\(text)\" is no speed this machine has; try \(TransportAddress.defaultBaud)"
    }
  }
}
