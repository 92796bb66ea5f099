// swift-iap2 · Apache-2.0

extension Duration {
  /// The time in seconds with milliseconds, such as `12.050`; a negative one is `0.000`.
  package var secondsText: String {
    let parts = max(self, .zero).components
    let milliseconds = parts.seconds * 1000 + (parts.attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
