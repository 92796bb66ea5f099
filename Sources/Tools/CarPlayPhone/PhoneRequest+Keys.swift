// swift-iap2 · Apache-2.0

package import CarPlaySession
import HIDReports
import IAP2
package import IAP2Roles

extension InputEvent {
  /// The telephone key that is pressed; nil for another event.
  var telephonyKey: TelephonyKey? {
    guard case .key(let page, let usage, isDown: true) = self else { return nil }
    return TelephonyKey.allCases.first { $0.usage.page == page && $0.usage.number == usage }
  }
}

extension PhoneRequest {
  /// The request of a telephone key during a call; nil for a key that asks for nothing then.
  ///
  /// - Parameter isMuted: Whether the microphone is muted.
  package init?(_ key: TelephonyKey, isMuted: Bool) {
    switch key {
    case .hook, .drop: self = .end(nil, .endOrDecline)
    case .flash: self = .swap
    case .mute: self = .mute(!isMuted)
    case .star: self = .tone(.star)
    case .pound: self = .tone(.pound)
    case .delete: return nil
    default: self = .tone(DTMFTone(rawValue: key.rawValue - TelephonyKey.digit0.rawValue))
    }
  }
}
