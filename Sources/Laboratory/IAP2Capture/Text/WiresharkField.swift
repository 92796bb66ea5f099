// swift-iap2 · Apache-2.0

/// The names of the dissector's fields. They stand in users' filters, so they must stay the same.
enum WiresharkField {
  /// Words whose capital letters are not word boundaries.
  private static let words = [("iAP2", "Iap2"), ("WiFi", "Wifi"), ("IDs", "Ids")]

  /// Returns a name in snake case, such as `usb_host_transport_component` for `USBHostTransportComponent`. A word
  /// begins at a capital that follows anything else, and at the last capital of a run before a small letter.
  static func name(_ name: String) -> String {
    let letters = Array(words.reduce(name) { $0.replacing($1.0, with: $1.1) })
    var text = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0 {
        let endsRun = index + 1 < letters.count && letters[index + 1].isLowercase
        if !letters[index - 1].isUppercase || endsRun { text += "_" }
      }
      text += letter.lowercased()
    }
    return text
  }

  /// Returns the prefix of a message's fields.
  static func prefix(_ message: String) -> String { "iap2." + name(message) }
}
