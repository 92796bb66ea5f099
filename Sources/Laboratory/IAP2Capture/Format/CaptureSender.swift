// swift-iap2 · Apache-2.0

public import IAP2

/// The sender of the bytes of a line, as far as the line states it.
public enum CaptureSender: Sendable, Hashable {
  /// The line names the side.
  case side(Side)
  /// The program that wrote the log (`here`) or its peer (`there`).
  case here, there
  /// The line does not state the sender.
  case unknown

  private static let words: [String: CaptureSender] = [
    "a>d": .side(.accessory), "accessory": .side(.accessory), "d>a": .side(.device), "device": .side(.device),
    "tx": .here, "send": .here, "sent": .here, "out": .here, "write": .here, "->": .here, "-->": .here, ">>": .here,
    ">>>": .here, "=>": .here, "→": .here, ">": .here, "⇒": .here, "发": .here,
    "rx": .there, "recv": .there, "received": .there, "in": .there, "read": .there, "<-": .there, "<--": .there,
    "<<": .there, "<<<": .there, "<=": .there, "←": .there, "<": .there, "⇐": .there, "收": .there,
  ]

  /// Returns nil for a word that states no sender.
  init?(word: String) {
    let bare = word.lowercased().trimmed(":[]()*_`|")
    guard let sender = Self.words[word.lowercased()] ?? Self.words[bare] else { return nil }
    self = sender
  }

  /// The parts of names that state a sender, such as those of functions and events. Parts that are common for other
  /// reasons, such as `in`, are not among them.
  private static let parts: [String: CaptureSender] = [
    "tx": .here, "send": .here, "sent": .here, "sending": .here, "write": .here, "writing": .here, "wrote": .here,
    "transmit": .here, "transmitted": .here, "outgoing": .here, "rx": .there, "recv": .there, "receive": .there,
    "received": .there, "receiving": .there, "read": .there, "incoming": .there,
    // The indication of data in the events of Bluetooth stacks.
    "ind": .there,
  ]
  /// The maximum length of a name. Longer words are bytes or text.
  private static let maximumNameByteCount = 64

  /// Returns the sender that a part of a name states: `ESP_SPP_DATA_IND_EVT`, `uartWrite`, `rx(6):`; nil without one.
  init?(identifier word: Substring) {
    guard word.utf8.count <= Self.maximumNameByteCount else { return nil }
    var part = ""
    var wasLower = false
    for character in word.unicodeScalars.map(Character.init) + [" "] {
      let isUpper = ("A"..."Z").contains(character)
      let isLetter = isUpper || ("a"..."z").contains(character)
      if !isLetter || isUpper && wasLower {
        if let sender = Self.parts[part.lowercased()] {
          self = sender
          return
        }
        part = ""
      }
      wasLower = isLetter && !isUpper
      if isLetter { part.append(character) }
    }
    return nil
  }
}

extension String {
  fileprivate func trimmed(_ characters: String) -> String {
    String(drop { characters.contains($0) }.reversed().drop { characters.contains($0) }.reversed())
  }
}
