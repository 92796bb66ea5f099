// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Formats

/// The address of a Bluetooth connection: `rfcomm:ADDRESS[/CHANNEL][@ADAPTER]` connects,
/// `rfcomm-listen[:CHANNEL][@ADAPTER]` listens.
///
/// ADDRESS is six pairs of hexadecimal digits, CHANNEL is a number from 1 to 30, and ADAPTER is hci0, hci1 and so on.
/// `/`, `@` and the first colon have no other use, so a text has only one reading.
public struct RFCOMMAddress: Sendable, Equatable {
  /// The direction of a connection.
  public enum Way: Sendable, Equatable {
    /// This machine connects to the peer with this address.
    case call(BluetoothAddress)
    /// This machine listens.
    case listen
  }

  /// The direction of the connection.
  public var way: Way
  /// The RFCOMM channel, from 1 to 30. Nil selects the channel in the peer's record or, for a listener, a free channel.
  public var channel: UInt8?
  /// The number of the adapter, counted as Linux does. Nil selects the first usable one or, for a listener, all.
  public var adapter: UInt16?

  /// The scheme of the transport string that connects.
  public static let scheme = "rfcomm"
  /// The scheme of the transport string that listens.
  public static let listenScheme = "rfcomm-listen"
  /// The form of the transport string that connects.
  public static let form = "rfcomm:ADDRESS[/CHANNEL][@ADAPTER]"
  /// The form of the transport string that listens.
  public static let listenForm = "rfcomm-listen[:CHANNEL][@ADAPTER]"

  /// A text with one of the schemes that does not have the form.
  public struct Problem: Error, Equatable, Sendable {
    /// The whole text.
    public var text: String
  }

  /// Creates an address.
  ///
  /// - Parameters:
  ///   - way: The peer to connect to, or to listen.
  ///   - channel: The RFCOMM channel, from 1 to 30. Nil selects the channel in the peer's record or a free one.
  ///   - adapter: The number in the adapter's name, such as 0 in hci0; nil selects none.
  public init(_ way: Way, channel: UInt8? = nil, adapter: UInt16? = nil) {
    self.way = way
    self.channel = channel
    self.adapter = adapter
  }

  /// Parses a transport string. Returns nil if the text has another scheme.
  public init?(parsing text: String) throws(Problem) {
    let isListening = [":", "@", ""].contains { end in
      end.isEmpty ? text == Self.listenScheme : text.hasPrefix(Self.listenScheme + end)
    }
    let isCalling = text == Self.scheme || text.hasPrefix(Self.scheme + ":") || text.hasPrefix(Self.scheme + "@")
    guard isListening || isCalling else { return nil }
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let number = Self.adapter(parts[1]) else { throw Problem(text: text) }
      adapter = number
    }
    guard !isListening else {
      way = .listen
      let rest = parts[0].dropFirst(Self.listenScheme.count)
      if !rest.isEmpty { channel = try Self.channel(rest.dropFirst(), of: text) }
      return
    }
    let fields = parts[0].dropFirst(Self.scheme.count + 1)
      .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = BluetoothAddress(fields.first ?? "") else { throw Problem(text: text) }
    way = .call(address)
    if fields.count == 2 { channel = try Self.channel(fields[1], of: text) }
  }

  private static func channel(_ digits: Substring, of text: String) throws(Problem) -> UInt8 {
    guard isNumber(digits), let number = UInt8(digits), ServiceRecord.channelNumbers.contains(number) else {
      throw Problem(text: text)
    }
    return number
  }

  /// Returns the number in `hci0`; nil for any other text.
  static func adapter(_ name: some StringProtocol) -> UInt16? {
    let digits = name.dropFirst(3)
    return name.hasPrefix("hci") && isNumber(digits) ? UInt16(digits) : nil
  }

  private static func isNumber(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension RFCOMMAddress: CustomStringConvertible {
  /// The transport string.
  public var description: String {
    let head =
      switch way {
      case .call(let address): "\(Self.scheme):\(address)\(channel.map { "/\($0)" } ?? "")"
      case .listen: "\(Self.listenScheme)\(channel.map { ":\($0)" } ?? "")"
      }
    return head + (adapter.map { "@hci\($0)" } ?? "")
  }
}
