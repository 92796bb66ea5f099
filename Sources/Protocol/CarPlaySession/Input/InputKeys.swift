// swift-iap2 · Apache-2.0

public import HIDReports

/// A key of a device that reports one pressed key at a time. The raw value is the number in the report.
public protocol InputKey: RawRepresentable<UInt8>, CaseIterable, Sendable, Hashable {
  /// The usage of the key.
  var usage: HIDUsage { get }
}

extension InputKey {
  /// The report while the key is pressed.
  public var report: [UInt8] { [rawValue] }
  /// The report after a key is released, the same for every key.
  public static var released: [UInt8] { [0] }
  /// The reports of a short press.
  public var press: [[UInt8]] { [report, Self.released] }
}

/// A key for media. Source: CarPlaySession.md#hid-media-keys.
public enum MediaKey: UInt8, InputKey {
  /// Starts playback.
  case play = 1
  /// Pauses playback.
  case pause
  /// Starts playback if it is paused, and pauses it otherwise.
  case playPause
  /// Goes to the next item.
  case next
  /// Goes to the previous item.
  case previous
  /// Repeats or changes the guidance of the navigation.
  case navigationGuidance

  /// The usage of the key.
  public var usage: HIDUsage {
    let id: UInt16 =
      switch self {
      case .play: 0xB0
      case .pause: 0xB1
      case .playPause: 0xCD
      case .next: 0xB5
      case .previous: 0xB6
      case .navigationGuidance: 0x29E
      }
    return HIDUsage(page: HIDPage.consumer, id)
  }
}

/// A key of a telephone. Source: CarPlaySession.md#hid-telephony-keys.
public enum TelephonyKey: UInt8, InputKey {
  /// Accepts a call, or ends it.
  case hook = 1
  /// Changes between two calls.
  case flash
  /// Ends a call.
  case drop
  /// Mutes the microphone.
  case mute
  /// A digit.
  case digit0, digit1, digit2, digit3, digit4, digit5, digit6, digit7, digit8, digit9
  /// The star.
  case star
  /// The number sign.
  case pound
  /// Deletes the last digit; the delete key of a keyboard.
  case delete

  /// The usage of the key.
  public var usage: HIDUsage {
    switch self {
    case .hook: HIDUsage(page: HIDPage.telephony, 0x20)
    case .flash: HIDUsage(page: HIDPage.telephony, 0x21)
    case .drop: HIDUsage(page: HIDPage.telephony, 0x26)
    case .mute: HIDUsage(page: HIDPage.telephony, 0x2F)
    case .delete: HIDUsage(page: HIDPage.keyboard, 0x2A)
    // The digits, the star and the number sign follow each other.
    default: HIDUsage(page: HIDPage.telephony, 0xB0 + UInt16(rawValue - Self.digit0.rawValue))
    }
  }
}
