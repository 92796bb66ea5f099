// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Runtime
import IAP2USB

/// A transport as `--transport` names it, whichever target it comes from.
enum LiveTransport {
  case stream(TransportAddress)
  /// An accessory on this machine's USB.
  case usb(USBAddress)
  /// This machine as a USB device.
  case gadget(USBGadgetAddress)

  static let forms = "\(TransportAddress.forms), \(USBAddress.form), \(USBGadgetAddress.form)"

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
    case (.stream, _), (.usb, .device), (.gadget, .accessory): break
    }
  }

  /// Waits for the other side to dial.
  var isListening: Bool {
    switch self {
    case .stream(.tcpListen), .stream(.unixListen), .gadget: true
    case .stream(.tcp), .stream(.unix), .stream(.pty), .stream(.serial), .usb: false
    }
  }

  /// Whoever is there may be silent; a line, or a socket in the wall, waits for somebody to come.
  var hasPeer: Bool {
    switch self {
    case .stream(.tcp), .stream(.tcpListen), .stream(.unix), .stream(.unixListen), .usb: true
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
    case .stream: true
    case .usb, .gadget: false
    }
  }

  /// Has room for EA protocols and CarPlay's network beside a head unit's link.
  var carriesNatives: Bool {
    switch self {
    case .gadget: true
    case .stream, .usb: false
    }
  }

  /// - Parameters:
  ///   - once: one connection is wanted, with who is there now.
  ///   - functions: what a head unit on USB shows beside its link.
  func open(
    once: Bool, functions: AccessoryFunctions = AccessoryFunctions()
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
    }
  }

  // MARK: For people

  private static func isAccessory(_ address: String) -> Bool {
    address == USBAddress.scheme || address.hasPrefix("\(USBAddress.scheme):")
  }

  private static func isGadget(_ address: String) -> Bool { address.hasPrefix(USBGadgetAddress.scheme) }

  static func absence(_ address: String) -> String {
    if isAccessory(address) { return "no such accessory is attached" }
    return isGadget(address) ? "no such USB device controller, or no gadget support (libcomposite)" : "does not exist"
  }

  static func permissionAdvice(_ address: String) -> String {
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
