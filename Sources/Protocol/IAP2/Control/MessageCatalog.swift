// swift-iap2 · Apache-2.0

/// An entry of the catalog: the facts about a message, and the schema that checks its bytes.
public struct CatalogEntry: Sendable {
  /// The facts about the message apart from its parameters.
  public let info: MessageInfo
  /// The parameters; empty for a message without parameters and for one whose parameters are not known.
  public let rows: [ParameterRow]
  /// The message as a Swift type; nil when its parameters are not known.
  public let type: (any ControlMessage.Type)?

  init(_ type: any ControlMessage.Type) {
    info = type.info
    rows = type.rows
    self.type = type
  }

  /// Creates an entry for a message of which only id, name and sender are known.
  init(unknown info: MessageInfo) {
    self.info = info
    rows = []
    type = nil
  }

  /// Throws if the bytes break the schema. An entry without a type accepts all bytes.
  public func validate(_ bytes: RawSpan) throws(WireError) { _ = try type?.init(decoding: bytes) }

  /// The message's name.
  package var name: String { "\(info.name)" }
}

/// The catalog of every message that this library knows.
public enum MessageCatalog {
  /// All messages, in ascending order of their ids.
  public static let all: [CatalogEntry] = (entries.sorted { $0.info.id < $1.info.id })

  private static let byID: [UInt16: CatalogEntry] = Dictionary(uniqueKeysWithValues: all.map { ($0.info.id, $0) })

  /// Returns the message with an id; nil for an id that is not in the catalog.
  public static subscript(id: UInt16) -> CatalogEntry? { byID[id] }

  /// Returns the message with a name, in upper or lower case; nil for a name that is not in the catalog.
  public static subscript(name name: String) -> CatalogEntry? {
    all.first { $0.name.lowercased() == name.lowercased() }
  }

  /// Returns the id of a message that a user names, either by its name or in hexadecimal digits; nil for any other
  /// text.
  ///
  /// - Parameter needsPrefix: Whether digits count only after 0x, for places where a bare word may mean something else.
  package static func id(named text: String, needsPrefix: Bool = false) -> UInt16? {
    if let entry = Self[name: text] { return entry.info.id }
    let isPrefixed = text.lowercased().hasPrefix("0x")
    guard isPrefixed || !needsPrefix else { return nil }
    let digits = isPrefixed ? text.dropFirst(2) : text[...]
    // `UInt16(_:radix:)` also accepts a sign.
    return digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
  }

  /// Returns an id as text, such as `0x1D01`.
  package static func text(_ id: UInt16) -> String {
    let digits = String(id, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
