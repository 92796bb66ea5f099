// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation

/// A color by its purpose. The style of the screen determines its value.
package enum Ink: Sendable, Hashable, CaseIterable {
  /// The backgrounds of the screen, of the dock, of cards, of controls and of the selected part.
  case ground, dock, card, control, accent
  /// The texts and symbols: plain, secondary, disabled, and on the accent color.
  case text, secondary, disabled, onAccent
  /// The texts of actions that destroy and of actions that confirm.
  case destructive, confirm
  /// The lines between rows, and the ring of the focus.
  case line, focus
  /// The plain map: land, parks, water, roads and the route.
  case land, park, water, road, route
}

/// A color of the sRGB space. Each component is from 0 to 1.
package struct InkColor: Sendable, Hashable {
  package var red, green, blue: Double

  init(_ hex: UInt32) {
    red = Double(hex >> 16 & 0xFF) / 255
    green = Double(hex >> 8 & 0xFF) / 255
    blue = Double(hex & 0xFF) / 255
  }

  /// The relative luminance (WCAG 2, from 0 to 1).
  private var luminance: Double {
    func linear(_ part: Double) -> Double { part <= 0.040_45 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// Returns the contrast with another color, from 1 to 21 (WCAG 2).
  package func contrast(with other: InkColor) -> Double {
    let (lower, upper) = luminance < other.luminance ? (luminance, other.luminance) : (other.luminance, luminance)
    return (upper + 0.05) / (lower + 0.05)
  }
}

extension Ink {
  /// The opacity of an image behind a screen. With a higher one, a white or a black image gives some text a contrast
  /// below 4.5.
  package static func backdropShare(_ style: CarStyle) -> Double { style == .dark ? 0.15 : 0.07 }

  /// Returns the color in a style.
  package func color(_ style: CarStyle) -> InkColor { InkColor(style == .dark ? dark : light) }

  private var light: UInt32 {
    switch self {
    case .ground: 0xF4F5F7
    case .dock: 0xE4E7EC
    case .card: 0xFFFFFF
    case .control: 0xE4E7EC
    case .accent, .focus: 0x0B57D0
    case .text: 0x12151A
    case .secondary: 0x474D57
    case .disabled: 0x5F6673
    case .onAccent: 0xFFFFFF
    case .destructive: 0xA3211A
    case .confirm: 0x11602A
    case .line: 0xD5D9E0
    case .land: 0xE9EBE4
    case .park: 0xCFE3C8
    case .water: 0xBFD7EA
    case .road: 0xFFFFFF
    case .route: 0x1A73E8
    }
  }

  private var dark: UInt32 {
    switch self {
    case .ground: 0x0E1116
    case .dock: 0x171B21
    case .card: 0x262C36
    case .control: 0x2B323C
    case .accent, .focus: 0x8AB4F8
    case .text: 0xF2F4F7
    case .secondary: 0xBAC1CC
    case .disabled: 0x99A1AE
    case .onAccent: 0x0A1A33
    case .destructive: 0xF6A29B
    case .confirm: 0x83D996
    case .line: 0x2B323C
    case .land: 0x14181D
    case .park: 0x1B2E22
    case .water: 0x14293A
    case .road: 0x39424D
    case .route: 0x5B9BFF
    }
  }
}
