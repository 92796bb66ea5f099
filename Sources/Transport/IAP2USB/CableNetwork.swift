// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// The network interface at one end of a cable between a head unit and a phone (CDC-NCM).
///
/// Both ends need no more than a link-local address (CarPlayStart.md#wired-addresses).
package struct CableNetwork: Sendable, Hashable {
  private static let interfaces = "/sys/class/net"
  /// The driver of the end that is the USB host.
  private static let hostDriver = "cdc_ncm"

  /// An error of the system: EPERM without the right to change the network.
  package struct Problem: Error, CustomStringConvertible {
    /// The number of the error.
    package let number: Int32

    package var description: String { unsafe String(cString: strerror(number)) }
  }

  /// The name of the interface.
  package let interface: String
  /// The link-local address that the kernel derives from the interface's MAC address, as 16 bytes.
  private let bytes: [UInt8]

  /// Reads an interface; nil if there is none with this name, or if it has no MAC address.
  package init?(interface: String) {
    // A name has no slash, so it stays in the folder.
    guard !interface.contains("/"), let text = Self.text("\(interface)/address") else { return nil }
    let mac = text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    guard mac.count == 6 else { return nil }
    self.interface = interface
    bytes = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2, mac[1], mac[2], 0xFF, 0xFE, mac[3], mac[4], mac[5]]
  }

  /// The interfaces on cables whose USB host is this machine.
  package static var ofHost: [CableNetwork] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: interfaces) } catch { return [] }
    return names.sorted().filter { name in
      do {
        let driver = try FileManager.default.destinationOfSymbolicLink(atPath: "\(interfaces)/\(name)/device/driver")
        return driver.hasSuffix("/\(hostDriver)")
      } catch { return false }
    }.compactMap(CableNetwork.init)
  }

  private static func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: "\(interfaces)/\(path)") else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The link-local address without the interface, as the start message names it.
  package var address: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = unsafe inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Waits until the USB host has selected this end, a device's, for at most a second.
  ///
  /// Linux's NCM function collects packets, and a timer sends them. If the first packet comes while the host is still
  /// selecting the interface, the timer finds no network, and nothing starts it again: nothing leaves until 31 packets
  /// or 16 kB have come together (the kernel's f_ncm.c). Seen with Linux 6.1 in the lab, in 1 of 17 plugs. So the
  /// interface must be turned on afterwards. A host may wait for that itself, hence the limit.
  package func waitForHost() async throws(CancellationError) {
    do {
      var pauses = 0
      while pauses < Self.hostPauses, !hasCarrier {
        pauses += 1
        try await Task.sleep(for: Self.hostPause)
      }
      // The function is ready a moment after the carrier is seen.
      try await Task.sleep(for: Self.hostPause)
    } catch { throw CancellationError() }
  }

  private static let hostPauses = 50, hostPause = Duration.milliseconds(20)

  /// The number of IFLA_CARRIER, and the length of a message about a link in front of its attributes.
  private static let carrier: UInt16 = 33, linkLength = 32

  /// Whether the other end uses the interface. Netlink has this flag also while the interface is off.
  private var hasCarrier: Bool {
    var get = RouteRequest(.getLink, flags: [])
    get.append([0, 0, 0, 0])
    get.append(unsafe if_nametoindex(interface))
    get.append(UInt32(0))
    get.append(UInt32(0))
    do throws(Problem) {
      return try get.answer().attribute(Self.carrier, at: Self.linkLength)?.first == 1
    } catch { return false }
  }

  /// Turns the interface on and gives it its address.
  ///
  /// The kernel would do so when the other end is on, and then look for a duplicate of the address for up to two seconds.
  /// A cable has two ends and no duplicate, and the address must exist before the start message names it
  /// (CarPlayStart.md#network-first).
  ///
  /// - Throws: The error of the system.
  package func turnOn() throws(Problem) {
    let index = unsafe if_nametoindex(interface)
    guard index > 0 else { throw Problem(number: ENODEV) }
    var turn = RouteRequest(.newLink, flags: .acknowledged)
    turn.append([0, 0, 0, 0])
    turn.append(index)
    turn.append(UInt32(IFF_UP))
    turn.append(UInt32(IFF_UP))
    try turn.answer()
    // An interface that is turned off forgets its addresses.
    var add = RouteRequest(.newAddress, flags: [.acknowledged, .create, .replace])
    add.append([UInt8(AF_INET6), 64, Self.noDuplicateCheck, Self.linkScope])
    add.append(index)
    add.append(attribute: 1, bytes)
    add.append(attribute: 2, bytes)
    try add.answer()
  }

  /// The numbers of Linux: IFA_F_NODAD and RT_SCOPE_LINK.
  private static let noDuplicateCheck: UInt8 = 2, linkScope: UInt8 = 253
}

/// A request to the kernel's network (rtnetlink).
private struct RouteRequest {
  struct Flags: OptionSet {
    let rawValue: UInt16
    static let replace = Flags(rawValue: 0x100), create = Flags(rawValue: 0x400)
    static let request = Flags(rawValue: 0x1), acknowledged = Flags(rawValue: 0x4)
  }

  private var bytes: [UInt8]
  /// The length of the message's head, and of an acknowledgement: the head, the error and the head of the request.
  private static let headLength = 16, acknowledgementLength = 36
  /// The longest answer that is read, and the message type of errors and acknowledgements.
  private static let longestAnswer = 8192, errorType: UInt16 = 2

  /// The message types of Linux.
  enum Kind: UInt16 {
    case newLink = 16
    case getLink = 18
    case newAddress = 20
  }

  init(_ kind: Kind, flags: Flags) {
    bytes = [0, 0, 0, 0]
    append(kind.rawValue)
    append(flags.union(.request).rawValue)
    append(UInt32(1))
    append(UInt32(0))
  }

  mutating func append(_ more: [UInt8]) { bytes += more }
  mutating func append(_ value: some FixedWidthInteger) { unsafe withUnsafeBytes(of: value) { unsafe bytes += $0 } }
  mutating func append(attribute type: UInt16, _ value: [UInt8]) {
    append(UInt16(4 + value.count))
    append(type)
    append(value)
  }

  /// Sends the request, and returns the first message of the answer.
  @discardableResult
  func answer() throws(CableNetwork.Problem) -> [UInt8] {
    let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw CableNetwork.Problem(number: errno) }
    defer { close(descriptor) }
    var message = bytes
    unsafe withUnsafeBytes(of: UInt32(message.count)) { unsafe message.replaceSubrange(0..<4, with: $0) }
    var answer = [UInt8](repeating: 0, count: Self.longestAnswer)
    guard unsafe send(descriptor, message, message.count, 0) == message.count,
      case let count = unsafe recv(descriptor, &answer, answer.count, 0), count >= Self.acknowledgementLength
    else { throw CableNetwork.Problem(number: errno) }
    if answer.number(at: 4, as: UInt16.self) == Self.errorType {
      let error = answer.number(at: Self.headLength, as: Int32.self)
      guard error == 0 else { throw CableNetwork.Problem(number: -error) }
    }
    return Array(answer.prefix(count))
  }
}

extension [UInt8] {
  /// Reads a number in the machine's byte order.
  fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  /// The value of an attribute of a netlink message; nil without it.
  ///
  /// - Parameter start: The place of the first attribute.
  fileprivate func attribute(_ wanted: UInt16, at start: Int) -> ArraySlice<UInt8>? {
    var place = start
    while place + 4 <= count {
      let length = Int(number(at: place, as: UInt16.self))
      guard length >= 4, place + length <= count else { return nil }
      if number(at: place + 2, as: UInt16.self) == wanted { return self[place + 4..<place + length] }
      place += (length + 3) & ~3
    }
    return nil
  }
}
