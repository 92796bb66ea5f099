// swift-iap2 · Apache-2.0

/// A message as data: what is known of it and how to check its bytes.
public struct CatalogEntry: Sendable {
  public let info: MessageInfo
  /// Empty for a message without parameters, and for one whose parameters nobody knows.
  public let rows: [ParameterRow]
  /// The message as a Swift type; nil when its parameters are not known.
  public let type: (any ControlMessage.Type)?

  init(_ type: any ControlMessage.Type) {
    info = type.info
    rows = type.rows
    self.type = type
  }

  /// A message of which only id, name and sender are known.
  init(unknown info: MessageInfo) {
    self.info = info
    rows = []
    type = nil
  }

  /// Throws where the bytes break the schema.
  public func validate(_ bytes: RawSpan) throws(WireError) { _ = try type?.init(decoding: bytes) }

  /// The message's name, as text.
  public var name: String { "\(info.name)" }
}

/// Every message this library knows: the only list.
public enum MessageCatalog {
  /// Ascending ids.
  public static let all: [CatalogEntry] = (entries.sorted { $0.info.id < $1.info.id })

  private static let byID: [UInt16: CatalogEntry] = Dictionary(uniqueKeysWithValues: all.map { ($0.info.id, $0) })

  public static subscript(id: UInt16) -> CatalogEntry? { byID[id] }

  /// By name, whatever its case.
  public static subscript(name name: String) -> CatalogEntry? {
    all.first { $0.name.lowercased() == name.lowercased() }
  }

  /// A message's number, as people write it: by its name, else in hexadecimal digits.
  ///
  /// - Parameter needsPrefix: digits count only behind 0x, where a bare word may be something else.
  package static func id(named text: String, needsPrefix: Bool = false) -> UInt16? {
    if let entry = Self[name: text] { return entry.info.id }
    let isPrefixed = text.lowercased().hasPrefix("0x")
    guard isPrefixed || !needsPrefix else { return nil }
    let digits = isPrefixed ? text.dropFirst(2) : text[...]
    // No sign.
    return digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
  }

  /// `0x1D01`.
  public static func text(_ id: UInt16) -> String {
    let digits = String(id, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
