// swift-iap2 · Apache-2.0

/// The way in which a terminal shows pictures.
enum TerminalGraphics: Hashable {
  /// The protocol of the terminal kitty, with PNG (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
  case kitty
  /// Rows of six pixels, a format of DEC (https://vt100.net/docs/vt3xx-gp/chapter14.html).
  case sixel
}

/// The user's choice of pictures on the terminal.
public enum GraphicsChoice: String, Sendable, Hashable, CaseIterable {
  /// The best kind that the terminal reports in answer to a query.
  case auto
  /// Pictures for kitty and for terminals with its protocol.
  case kitty
  /// Pictures in sixels.
  case sixel
  /// The screen as text.
  case none
}
