// swift-iap2 · Apache-2.0

public import IAP2
package import IAP2Bluetooth
package import IAP2Sockets
package import IAP2USB

/// The address of any transport. Commands take it as one string, such as `tcp:127.0.0.1:7000` or `usb`.
public struct AnyTransportAddress: Sendable, Equatable {
  /// An address of the target that has the transport.
  package enum Kind: Sendable, Equatable {
    /// A socket, a pseudo-terminal or a serial line.
    case stream(TransportAddress)
    /// An accessory on a USB port of this machine.
    case usb(USBAddress)
    /// This machine as a USB accessory.
    case gadget(USBGadgetAddress)
    /// A phone in device mode on a USB port of this machine.
    case usbPhone(USBPhoneAddress)
    /// This machine as a phone in device mode.
    case gadgetPhone(PhoneGadgetAddress)
    /// A Bluetooth device, or this machine as one that waits for a connection.
    case bluetooth(RFCOMMAddress)
  }

  /// The address.
  package let kind: Kind

  /// The reason why a text is not an address, or why a side cannot use an address.
  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem and the accepted forms, as one sentence.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  /// The accepted forms of an address, separated by commas.
  public static let forms = [
    TransportAddress.forms, USBAddress.form, USBGadgetAddress.form, USBPhoneAddress.form, PhoneGadgetAddress.form,
    RFCOMMAddress.form, RFCOMMAddress.listenForm,
  ].joined(separator: ", ")

  /// Parses one of ``forms``.
  public init(parsing text: String) throws(Problem) {
    if let usb = try Self.usb(text) {
      kind = usb
    } else if let address = try Self.bluetooth(text) {
      kind = .bluetooth(address)
    } else {
      kind = .stream(try Self.stream(text))
    }
  }

  private static func stream(_ text: String) throws(Problem) -> TransportAddress {
    do throws(TransportAddress.Problem) { return try TransportAddress(parsing: text) } catch { throw Problem(error) }
  }

  private static func bluetooth(_ text: String) throws(Problem) -> RFCOMMAddress? {
    do { return try RFCOMMAddress(parsing: text) } catch {
      throw Problem("\"\(text)\" is neither \(RFCOMMAddress.form) nor \(RFCOMMAddress.listenForm)")
    }
  }

  /// Parses the address of a USB transport. Returns nil if the text has another scheme.
  private static func usb(_ text: String) throws(Problem) -> Kind? {
    func value<Address>(_ form: String, _ parse: () throws -> Address?) throws(Problem) -> Address? {
      do { return try parse() } catch { throw Problem("\"\(text)\" is not \(form)") }
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

  /// Checks that `side` can use this transport: on USB each address has a fixed side.
  ///
  /// - Throws: The problem with the addresses that the side takes instead.
  public func check(_ side: Side) throws(Problem) {
    switch (kind, side) {
    case (.usb, .accessory):
      throw Problem(
        "with \(USBAddress.scheme) a phone finds accessories; a head unit takes "
          + "\(USBGadgetAddress.form) or \(USBPhoneAddress.form)"
      )
    case (.gadget, .device):
      throw Problem(
        "with \(USBGadgetAddress.scheme) this machine is an accessory; a phone takes "
          + "\(USBAddress.form) or \(PhoneGadgetAddress.form)"
      )
    case (.usbPhone, .device):
      throw Problem("with \(USBPhoneAddress.scheme) a head unit finds phones; a phone takes \(USBAddress.form)")
    case (.gadgetPhone, .accessory):
      throw Problem(
        "with \(PhoneGadgetAddress.scheme) this machine is a phone; a head unit takes \(USBPhoneAddress.form)")
    case (.stream, _), (.bluetooth, _), (.usb, .device), (.gadget, .accessory), (.usbPhone, .accessory),
      (.gadgetPhone, .device):
      break
    }
  }
}

extension AnyTransportAddress.Problem {
  /// Describes the problem of a stream's address.
  package init(_ problem: TransportAddress.Problem) {
    let text =
      switch problem {
      case .unknownScheme(let scheme): "unknown transport \"\(scheme)\"; the forms are \(AnyTransportAddress.forms)"
      case .missingPath(let scheme): "\(scheme): needs a path"
      case .badHostAndPort(let text): "\"\(text)\" is not HOST:PORT with a port of 1 to 65535 (0 only to listen)"
      case .pathTooLong(let limit): "the path of a socket has at most \(limit) bytes"
      case .badBaud(let text):
        "\"\(text)\" is not a speed that this machine supports; try \(TransportAddress.defaultBaud)"
      }
    self.init(text)
  }
}

// MARK: Properties of transports

extension AnyTransportAddress {
  /// Whether the transport waits for the peer to connect.
  public var isListening: Bool {
    switch kind {
    case .stream(.tcpListen), .stream(.unixListen), .gadget, .gadgetPhone: true
    case .stream(.tcp), .stream(.unix), .stream(.pty), .stream(.serial), .usb, .usbPhone: false
    case .bluetooth(let address): address.way == .listen
    }
  }

  /// Whether an open connection proves that a peer exists. A serial line opens without one.
  package var hasPeer: Bool {
    switch kind {
    case .stream(.tcp), .stream(.tcpListen), .stream(.unix), .stream(.unixListen), .usb, .usbPhone, .bluetooth: true
    case .stream(.pty), .stream(.serial), .gadget, .gadgetPhone: false
    }
  }

  /// The default time until the peer must be identified; nil without a limit.
  package var defaultTimeout: Duration? { hasPeer ? .seconds(60) : nil }

  /// Whether the peer needs to know the opened address: the transport listens, or it created a pseudo-terminal.
  package var isWaiting: Bool { if case .stream(.pty) = kind { true } else { isListening } }

  /// Whether opening waits until a matching device is attached.
  package var isSearching: Bool {
    switch kind {
    case .usb, .usbPhone: true
    case .stream, .gadget, .gadgetPhone, .bluetooth: false
    }
  }

  /// Whether the peer sees that this program ended. On USB the devices stay plugged in.
  package var showsLeaving: Bool {
    switch kind {
    case .stream, .bluetooth: true
    case .usb, .gadget, .usbPhone, .gadgetPhone: false
    }
  }

  /// Whether a head unit can offer native EA protocols and the network of CarPlay beside the link.
  package var carriesNatives: Bool {
    switch kind {
    case .gadget: true
    // After the role switch; HID reports carry the link only.
    case .usbPhone(let address): address.roleSwitch != nil
    case .stream, .usb, .gadgetPhone, .bluetooth: false
    }
  }

  /// Whether the link is one over Bluetooth, which announces CarPlay over the air.
  package var isBluetooth: Bool { if case .bluetooth = kind { true } else { false } }

  /// Whether this side calls the other over Bluetooth.
  package var isCaller: Bool { isBluetooth && !isListening }

  /// Whether a phone has the head unit as a USB device, and with it the network of CarPlay.
  package var hasUSBDevice: Bool {
    switch kind {
    case .usb, .gadgetPhone: true
    case .stream, .gadget, .usbPhone, .bluetooth: false
    }
  }

  /// Whether one line carries all connections and is never closed by the peer.
  package var isLine: Bool {
    switch kind {
    case .stream(.pty), .stream(.serial): true
    case .stream(.tcp), .stream(.tcpListen), .stream(.unix), .stream(.unixListen), .usb, .gadget, .usbPhone,
      .gadgetPhone, .bluetooth:
      false
    }
  }

  /// Whether the transport is a stream that this program dials again for each connection.
  package var isDialed: Bool {
    switch kind {
    case .stream(.tcp), .stream(.unix): true
    case .stream(.tcpListen), .stream(.unixListen), .stream(.pty), .stream(.serial), .usb, .gadget, .usbPhone,
      .gadgetPhone, .bluetooth:
      false
    }
  }

  /// Whether the transport is TCP with another machine.
  package var isRemote: Bool {
    switch kind {
    case .stream(.tcp(let host, _)), .stream(.tcpListen(let host, _)): !TransportAddress.isLoopback(host)
    case .stream(.unix), .stream(.unixListen), .stream(.pty), .stream(.serial), .usb, .gadget, .usbPhone, .gadgetPhone,
      .bluetooth:
      false
    }
  }

  /// Whether the transport reaches only this machine and the devices that are plugged into it.
  package var isLocal: Bool {
    switch kind {
    case .stream(.tcp(let host, _)), .stream(.tcpListen(let host, _)): TransportAddress.isLoopback(host)
    case .stream(.unix), .stream(.unixListen), .stream(.serial), .usb, .gadget, .usbPhone, .gadgetPhone: true
    // A pseudo-terminal cannot be opened again for the next round, and Bluetooth is a radio.
    case .stream(.pty), .bluetooth: false
    }
  }
}
