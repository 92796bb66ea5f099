// swift-iap2 · Apache-2.0

extension CaptureCounts {
  /// The contents of a capture without iAP2 as text; nil if nothing was recognized.
  package var contents: String? {
    let kinds: [(count: Int, text: String)] = [
      (usb, "USB"), (bluetooth, "Bluetooth"), (network, "network"), (link, "link"),
      (notes, "note"),
    ]
    var parts = kinds.filter { $0.count > 0 }.map { "\($0.count) \($0.text) record\($0.count == 1 ? "" : "s")" }
    parts += unsupported.sorted { $0.key < $1.key }.map {
      "\($0.value) record\($0.value == 1 ? "" : "s") of link type \($0.key), which is not supported"
    }
    if otherLines > 0 {
      parts.append("\(otherLines) line\(otherLines == 1 ? "" : "s") without bytes")
    }
    return parts.isEmpty ? nil : ": it has \(parts.joined(separator: ", "))"
  }
}
