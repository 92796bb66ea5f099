// swift-iap2 · Apache-2.0

/// The ids of messages that the roles use although their parameters are not known, so that they have no Swift type.
package enum UntypedMessage {
  package static let stopMediaLibraryUpdates: UInt16 = 0x4C05
  package static let playMediaLibraryCurrentSelection: UInt16 = 0x4C06
  package static let playMediaLibraryItems: UInt16 = 0x4C07
  package static let playMediaLibraryCollection: UInt16 = 0x4C08
  package static let playMediaLibrarySpecial: UInt16 = 0x4C09
}
