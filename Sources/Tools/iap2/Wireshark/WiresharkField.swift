// swift-iap2 · Apache-2.0

/// The names of Wireshark's fields: people write them in filters, so they may not change without need.
enum WiresharkField {
  /// Words whose capitals do not say where a word begins.
  private static let words = [("iAP2", "Iap2"), ("WiFi", "Wifi"), ("IDs", "Ids")]

  /// `USBHostTransportComponent` as `usb_host_transport_component`: a word begins at a capital after anything else, and
  /// at the last capital of a run before a small letter.
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

  /// A message's fields begin with this.
  static func prefix(_ message: String) -> String { "iap2." + name(message) }
}
