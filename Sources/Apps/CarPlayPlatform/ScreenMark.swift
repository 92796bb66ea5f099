// swift-iap2 · Apache-2.0

/// A mark of a part of the screen. Its ``text`` is in JSON and in the text form of a screen.
public enum ScreenMark: Sendable, Hashable {
  /// The name of the part's image: `[name]`.
  case image(String)
  /// The name of the image at the end of the part: `{name}`.
  case accessory(String)
  /// The played share of the content in percent: `42%`.
  case progress(Int)
  /// The letter of a section in the index at the side: `index A`.
  case index(String)
  /// The content that plays, that is explicit, or that is not on the phone.
  case playing, explicit, cloud
  /// A part that leads to another screen: `>`.
  case disclosure
  /// A tab with a badge, and a message that was not read.
  case badge, unread
  /// The marks of a conversation: a pin, a star, and the mark of a muted one.
  case pin, star, mute
  /// The style of an action or a button.
  case cancel, confirm, destructive, rounded
  /// Guidance that the app has paused, and a maneuver without words: `symbol only`.
  case paused, symbolOnly
  /// A map without its bar, in light or dark: `bar hidden`, `light`, `dark`.
  case barHidden, light, dark
  /// The color of the remaining time.
  case green, orange, red
  /// An alert on the map, and an app of a car maker that draws its own window: `on the map`, `own window`.
  case onTheMap, ownWindow
  /// Another text, such as the time of a message or a rating.
  case other(String)

  /// The marks that are one word or two.
  private static let words: [String: ScreenMark] = [
    "playing": .playing, "explicit": .explicit, "cloud": .cloud, ">": .disclosure, "badge": .badge, "unread": .unread,
    "pin": .pin, "star": .star, "mute": .mute,
    "cancel": .cancel, "confirm": .confirm, "destructive": .destructive, "rounded": .rounded, "paused": .paused,
    "symbol only": .symbolOnly, "bar hidden": .barHidden, "light": .light, "dark": .dark, "green": .green,
    "orange": .orange, "red": .red, "on the map": .onTheMap, "own window": .ownWindow,
  ]
  private static let texts = Dictionary(uniqueKeysWithValues: words.map { ($0.value, $0.key) })

  /// Reads a mark from its ``text``.
  public init(_ text: String) {
    /// The text between two characters; nil without them.
    func inner(_ first: Character, _ last: Character) -> String? {
      guard text.count >= 2, text.first == first, text.last == last else { return nil }
      return String(text.dropFirst().dropLast())
    }
    if let name = inner("[", "]") {
      self = .image(name)
    } else if let name = inner("{", "}") {
      self = .accessory(name)
    } else if let other = inner("\"", "\"") {
      self = .other(other)
    } else if text.last == "%", let percent = Int(text.dropLast()) {
      self = .progress(percent)
    } else if text.hasPrefix(Self.indexPrefix) {
      self = .index(String(text.dropFirst(Self.indexPrefix.count)))
    } else {
      self = Self.words[text] ?? .other(text)
    }
  }

  private static let indexPrefix = "index "

  /// The mark as text. Another text that looks like a mark of these stands in quotes.
  public var text: String {
    switch self {
    case .image(let name): "[\(name)]"
    case .accessory(let name): "{\(name)}"
    case .progress(let percent): "\(percent)%"
    case .index(let letter): Self.indexPrefix + letter
    case .other(let text): Self(text) == self ? text : "\"\(text)\""
    default: Self.texts[self] ?? ""
    }
  }

  /// Returns the mark with other texts of the app.
  package func withTexts(_ change: (String) -> String) -> ScreenMark {
    switch self {
    case .image(let name): .image(change(name))
    case .accessory(let name): .accessory(change(name))
    case .index(let letter): .index(change(letter))
    case .other(let text): .other(change(text))
    default: self
    }
  }
}

extension ScreenMark: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Reads a mark from its text, as in `row.marks.contains("playing")`.
  public init(stringLiteral text: String) { self.init(text) }

  /// The mark as text.
  public var description: String { text }
}

extension ScreenMark: Codable {
  /// Reads the mark from its text.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  /// Writes the mark as its text.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(text)
  }
}
