// swift-iap2 · Apache-2.0

/// The TXT record of a service: keys with values (RFC 6763, section 6).
public struct TextRecord: Sendable, Hashable {
  /// A key with its value.
  public struct Entry: Sendable, Hashable {
    /// The key as it was sent. Keys ignore case.
    public var key: String
    /// The value; nil for a key without `=`.
    public var value: String?

    /// Creates an entry.
    public init(_ key: String, _ value: String?) { (self.key, self.value) = (key, value) }
  }

  /// The entries in their order.
  public private(set) var entries: [Entry] = []
  /// The keys that came more than once, each once. Only their first entries count.
  public private(set) var repeatedKeys: [String] = []

  /// The most entries of a record that are read. Those of CarPlay have at most eight. Ours.
  public static let maximumEntryCount = 64
  /// The most bytes of an entry: its length is one byte.
  public static let maximumEntryByteCount = 255

  /// Creates a record. A value that does not fit into an entry is cut.
  public init(_ entries: [Entry]) { self.entries = Array(entries.prefix(Self.maximumEntryCount)) }

  /// Reads the strings of a record. Of two entries with one key the first counts, and empty strings say nothing.
  public init(strings: some Sequence<[UInt8]>) {
    for string in strings where !string.isEmpty && entries.count < Self.maximumEntryCount {
      let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(decoding: parts[0], as: UTF8.self)
      guard !key.isEmpty else { continue }
      if let first = self.entry(key) {
        if !repeatedKeys.contains(first.key) { repeatedKeys.append(first.key) }
        continue
      }
      entries.append(Entry(key, parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil))
    }
  }

  private func entry(_ key: String) -> Entry? { entries.first { RequestHeaders.isSameName($0.key, key) } }

  /// The value of a key; nil without the key or without a value.
  public subscript(key: String) -> String? { entry(key)?.value }

  /// The strings of the record.
  public var strings: [[UInt8]] {
    entries.map { entry in
      Array((entry.key + (entry.value.map { "=" + $0 } ?? "")).utf8.prefix(Self.maximumEntryByteCount))
    }
  }

  /// The strings behind their lengths, as a property list carries a record.
  public var bytes: [UInt8] { strings.flatMap { [UInt8($0.count)] + $0 } }
}
