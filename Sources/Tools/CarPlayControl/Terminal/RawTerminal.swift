// swift-iap2 · Apache-2.0

import Glibc

/// A terminal that delivers each key immediately and does not show it.
struct RawTerminal {
  private let descriptor: Int32
  private let before: termios

  /// Changes a terminal; nil if the descriptor is not a terminal.
  init?(_ descriptor: Int32) {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
    self.descriptor = descriptor
    before = settings
    // Ctrl-C remains a signal.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }

  /// Restores the settings of the terminal.
  func restore() {
    var settings = before
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }
}
