// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Formats

/// Where a Bluetooth connection comes from: `rfcomm:ADDRESS[/CHANNEL][@ADAPTER]` calls,
/// `rfcomm-listen[:CHANNEL][@ADAPTER]` waits.
///
/// ADDRESS is six pairs of digits, CHANNEL a number of 1 to 30, ADAPTER is hci0, hci1 and so on: `/`, `@` and the first
/// colon stand nowhere else, so there is one way to read it.
package struct RFCOMMAddress: Sendable, Equatable {
  package enum Way: Sendable, Equatable {
    case call(BluetoothAddress)
    case listen
  }

  package var way: Way
  /// Nil: the other side's record names it; of a side that waits, one that is free.
  package var channel: UInt8?
  /// The number of an adapter as Linux counts them; nil: the first, and of a side that waits, all.
  package var adapter: UInt16?

  package static let scheme = "rfcomm"
  package static let listenScheme = "rfcomm-listen"
  package static let form = "rfcomm:ADDRESS[/CHANNEL][@ADAPTER]"
  package static let listenForm = "rfcomm-listen[:CHANNEL][@ADAPTER]"

  /// It begins with one of the schemes, and what follows is not of the form.
  package struct Problem: Error, Equatable, Sendable {
    package var text: String
  }

  package init(_ way: Way, channel: UInt8? = nil, adapter: UInt16? = nil) {
    self.way = way
    self.channel = channel
    self.adapter = adapter
  }

  /// Nil when the text names another scheme.
  package init?(parsing text: String) throws(Problem) {
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

  /// The number in `hci0`; nil for anything else.
  static func adapter(_ name: some StringProtocol) -> UInt16? {
    let digits = name.dropFirst(3)
    return name.hasPrefix("hci") && isNumber(digits) ? UInt16(digits) : nil
  }

  private static func isNumber(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension RFCOMMAddress: CustomStringConvertible {
  package var description: String {
    let head =
      switch way {
      case .call(let address): "\(Self.scheme):\(address)\(channel.map { "/\($0)" } ?? "")"
      case .listen: "\(Self.listenScheme)\(channel.map { ":\($0)" } ?? "")"
      }
    return head + (adapter.map { "@hci\($0)" } ?? "")
  }
}
