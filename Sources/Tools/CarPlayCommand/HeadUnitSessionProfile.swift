// swift-iap2 · Apache-2.0

import ArgumentParser

/// The connection whose sound a head unit offers (CarPlaySession.md#stream-use).
package enum HeadUnitSessionProfile: String, ExpressibleByArgument, CaseIterable, Sendable {
  case wired, wireless
  /// A wireless connection with AAC-ELD in the place of OPUS.
  case wirelessAACELD = "wireless-aac-eld"
}
