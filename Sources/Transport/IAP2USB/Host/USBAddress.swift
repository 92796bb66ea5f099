// swift-iap2 · Apache-2.0

/// The USB devices that a transport string selects: `usb[:VID:PID[:SERIAL|@BUS-PORT]]`.
public struct USBAddress: Sendable, Equatable {
  /// The property that distinguishes several devices of one kind.
  public enum Place: Sendable, Equatable {
    /// The device's serial number.
    case serial(String)
    /// The Linux bus path, such as `1-2.3`.
    case port(String)
  }

  /// The vendor and product ids of a device.
  public struct Kind: Sendable, Equatable {
    /// The vendor id.
    public var vendor: UInt16
    /// The product id.
    public var product: UInt16

    /// Creates the ids of a device.
    public init(vendor: UInt16, product: UInt16) {
      self.vendor = vendor
      self.product = product
    }
  }

  /// The ids of the device; nil selects any accessory.
  public var kind: Kind?
  /// The serial number or port of the device; nil selects any device of the kind.
  public var place: Place?

  /// The scheme of the transport string.
  public static let scheme = "usb"
  /// The form of the transport string.
  public static let form = "usb[:VID:PID[:SERIAL|@BUS-PORT]]"

  /// A text with the scheme `usb` that does not have the form.
  public struct Problem: Error, Equatable, Sendable {
    /// The whole text.
    public var text: String
  }

  /// Creates the address of any accessory.
  public init() {}

  /// Creates the address of accessories of a kind.
  ///
  /// - Parameters:
  ///   - kind: The ids of the device.
  ///   - place: The serial number or port of the device; nil selects any device of the kind.
  public init(_ kind: Kind, place: Place? = nil) {
    self.kind = kind
    self.place = place
  }

  /// Parses a transport string. Returns nil if the text has another scheme.
  public init?(parsing text: String) throws(Problem) {
    guard text == Self.scheme || text.hasPrefix(Self.scheme + ":") else { return nil }
    guard text != Self.scheme else { return }
    let fields = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    guard fields.count >= 3, let vendor = Self.number(fields[1]) else { throw Problem(text: text) }
    let product = fields[2].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = Self.number(product[0]) else { throw Problem(text: text) }
    kind = Kind(vendor: vendor, product: number)
    switch (product.dropFirst().first, fields.dropFirst(3).first) {
    case (let port?, nil) where Self.isPort(port): place = .port(String(port))
    case (nil, let serial?) where !serial.isEmpty && !serial.hasPrefix("@"): place = .serial(String(serial))
    case (nil, nil): break
    case (_?, _), (nil, _?): throw Problem(text: text)
    }
  }

  private static func number(_ digits: Substring) -> UInt16? {
    digits.count == 4 && digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
  }

  /// Returns whether a text is `BUS-PORT`, with `.PORT` for each hub on the way.
  private static func isPort(_ text: Substring) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let numbers = [parts[0]] + parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return numbers.allSatisfy { UInt8($0) != nil }
  }

  func matches(_ device: AttachedDevice) -> Bool {
    if let kind, kind.vendor != device.vendor || kind.product != device.product { return false }
    switch place {
    case .serial(let serial): return device.serial == serial
    case .port(let port): return device.port == port
    case nil: return true
    }
  }
}

extension USBAddress: CustomStringConvertible {
  /// The transport string.
  public var description: String { description(scheme: Self.scheme) }

  func description(scheme: String) -> String {
    guard let kind else { return scheme }
    let end =
      switch place {
      case .serial(let serial): ":\(serial)"
      case .port(let port): "@\(port)"
      case nil: ""
      }
    return "\(scheme):\(hex4(kind.vendor)):\(hex4(kind.product))\(end)"
  }
}

/// Returns four hexadecimal digits, the notation of vendor and product ids.
package func hex4(_ number: UInt16) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 4 - digits.count) + digits
}
