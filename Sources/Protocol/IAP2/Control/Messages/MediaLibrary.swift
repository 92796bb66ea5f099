// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the list of media libraries: 0x4C00 (Features.md#media-library-order;
/// medium).
public struct StartMediaLibraryInformation: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4C00, "StartMediaLibraryInformation", from: .accessory, "Media Library", .high,
    ["Features.md#media-library-order", "PODBOX", "MIB2Q", "UNMARKED"],
    subscription: MessageSubscription(stop: StopMediaLibraryInformation.id, updates: [MediaLibraryInformation.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// The kind of a media library.
public struct MediaLibraryType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let localDevice = Self(rawValue: 0)
  /// Value 2.
  public static let appleMusicRadio = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "LocalDevice"), (2, "AppleMusicRadio")]
  }
}

/// A message of the device that reports the media libraries: 0x4C01 (Features.md#media-library-order; medium).
public struct MediaLibraryInformation: ControlMessage {
  /// A media library.
  public struct Library: ParameterGroup {
    /// Parameter 0: UTF-8 text with a final NUL. Required. Confidence: medium.
    public var mediaLibraryName: String = ""
    /// Parameter 1: UTF-8 text with a final NUL. Required. Confidence: medium.
    public var mediaLibraryUniqueIdentifier: String = ""
    /// Parameter 2: enumeration ``MediaLibraryType``. Required. Confidence: medium.
    /// The meaning of the value 1 is not known.
    public var mediaLibraryType: MediaLibraryType = MediaLibraryType(rawValue: 0)
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaLibraryName", &mediaLibraryName, ParameterNote(.medium))
      try pass(1, "MediaLibraryUniqueIdentifier", &mediaLibraryUniqueIdentifier, ParameterNote(.medium))
      try pass(2, "MediaLibraryType", &mediaLibraryType, ParameterNote(.medium))
    }
  }

  /// Parameter 0: group ``Library``, repeated. Confidence: medium.
  public var mediaLibraryInformation: [Library] = []
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4C01, "MediaLibraryInformation", from: .device, "Media Library", .high,
    ["Features.md#media-library-order", "PODBOX", "MIB2Q", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MediaLibraryInformation", &mediaLibraryInformation, ParameterNote(.medium))
  }
}

/// A message of the accessory that ends the subscription to the list of media libraries: 0x4C02
/// (Features.md#media-library-list-end; medium).
public struct StopMediaLibraryInformation: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4C02, "StopMediaLibraryInformation", from: .accessory, "Media Library", .medium,
    ["Features.md#media-library-list-end", "MIB2Q", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that subscribes to the content of a media library: 0x4C03
/// (Features.md#media-library-order; medium).
public struct StartMediaLibraryUpdates: ControlMessage {
  /// The attributes of media items that the accessory asks for.
  public struct MediaItemProperties: ParameterGroup {
    /// Parameter 0: flag without a value. Confidence: medium.
    public var mediaItemPersistentIdentifier: Presence = false
    /// Parameter 1: flag without a value. Confidence: medium.
    public var mediaItemTitle: Presence = false
    /// Parameter 2: flag without a value. Confidence: medium.
    public var mediaItemMediaType: Presence = false
    /// Parameter 3: flag without a value. Confidence: medium.
    public var mediaItemRating: Presence = false
    /// Parameter 4: flag without a value. Confidence: medium.
    public var mediaItemPlaybackDurationInMilliseconds: Presence = false
    /// Parameter 5: flag without a value. Confidence: medium.
    public var mediaItemAlbumPersistentIdentifier: Presence = false
    /// Parameter 6: flag without a value. Confidence: medium.
    public var mediaItemAlbumTitle: Presence = false
    /// Parameter 7: flag without a value. Confidence: medium.
    public var mediaItemAlbumTrackNumber: Presence = false
    /// Parameter 8: flag without a value. Confidence: medium.
    public var mediaItemAlbumTrackCount: Presence = false
    /// Parameter 9: flag without a value. Confidence: medium.
    public var mediaItemAlbumDiscNumber: Presence = false
    /// Parameter 10: flag without a value. Confidence: medium.
    public var mediaItemAlbumDiscCount: Presence = false
    /// Parameter 11: flag without a value. Confidence: medium.
    public var mediaItemArtistPersistentIdentifier: Presence = false
    /// Parameter 12: flag without a value. Confidence: medium.
    public var mediaItemArtist: Presence = false
    /// Parameter 13: flag without a value. Confidence: medium.
    public var mediaItemAlbumArtistPersistentIdentifier: Presence = false
    /// Parameter 14: flag without a value. Confidence: medium.
    public var mediaItemAlbumArtist: Presence = false
    /// Parameter 15: flag without a value. Confidence: medium.
    public var mediaItemGenrePersistentIdentifier: Presence = false
    /// Parameter 16: flag without a value. Confidence: medium.
    public var mediaItemGenre: Presence = false
    /// Parameter 17: flag without a value. Confidence: medium.
    public var mediaItemComposerPersistentIdentifier: Presence = false
    /// Parameter 18: flag without a value. Confidence: medium.
    public var mediaItemComposer: Presence = false
    /// Parameter 19: flag without a value. Confidence: medium.
    public var mediaItemIsPartOfCompilation: Presence = false
    /// Parameter 25: flag without a value. Confidence: medium.
    public var mediaItemIsResidentOnDevice: Presence = false
    /// Parameter 27: flag without a value. Confidence: medium.
    public var mediaItemChapterCount: Presence = false
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaItemPersistentIdentifier", &mediaItemPersistentIdentifier, ParameterNote(.medium))
      try pass(1, "MediaItemTitle", &mediaItemTitle, ParameterNote(.medium))
      try pass(2, "MediaItemMediaType", &mediaItemMediaType, ParameterNote(.medium))
      try pass(3, "MediaItemRating", &mediaItemRating, ParameterNote(.medium))
      try pass(
        4, "MediaItemPlaybackDurationInMilliseconds", &mediaItemPlaybackDurationInMilliseconds, ParameterNote(.medium))
      try pass(5, "MediaItemAlbumPersistentIdentifier", &mediaItemAlbumPersistentIdentifier, ParameterNote(.medium))
      try pass(6, "MediaItemAlbumTitle", &mediaItemAlbumTitle, ParameterNote(.medium))
      try pass(7, "MediaItemAlbumTrackNumber", &mediaItemAlbumTrackNumber, ParameterNote(.medium))
      try pass(8, "MediaItemAlbumTrackCount", &mediaItemAlbumTrackCount, ParameterNote(.medium))
      try pass(9, "MediaItemAlbumDiscNumber", &mediaItemAlbumDiscNumber, ParameterNote(.medium))
      try pass(10, "MediaItemAlbumDiscCount", &mediaItemAlbumDiscCount, ParameterNote(.medium))
      try pass(11, "MediaItemArtistPersistentIdentifier", &mediaItemArtistPersistentIdentifier, ParameterNote(.medium))
      try pass(12, "MediaItemArtist", &mediaItemArtist, ParameterNote(.medium))
      try pass(
        13, "MediaItemAlbumArtistPersistentIdentifier", &mediaItemAlbumArtistPersistentIdentifier,
        ParameterNote(.medium))
      try pass(14, "MediaItemAlbumArtist", &mediaItemAlbumArtist, ParameterNote(.medium))
      try pass(15, "MediaItemGenrePersistentIdentifier", &mediaItemGenrePersistentIdentifier, ParameterNote(.medium))
      try pass(16, "MediaItemGenre", &mediaItemGenre, ParameterNote(.medium))
      try pass(
        17, "MediaItemComposerPersistentIdentifier", &mediaItemComposerPersistentIdentifier, ParameterNote(.medium))
      try pass(18, "MediaItemComposer", &mediaItemComposer, ParameterNote(.medium))
      try pass(19, "MediaItemIsPartOfCompilation", &mediaItemIsPartOfCompilation, ParameterNote(.medium))
      try pass(25, "MediaItemIsResidentOnDevice", &mediaItemIsResidentOnDevice, ParameterNote(.medium))
      try pass(27, "MediaItemChapterCount", &mediaItemChapterCount, ParameterNote(.medium))
    }
  }

  /// The attributes of playlists that the accessory asks for.
  public struct MediaPlaylistProperties: ParameterGroup {
    /// Parameter 0: flag without a value. Confidence: medium.
    public var mediaPlaylistPersistentIdentifier: Presence = false
    /// Parameter 1: flag without a value. Confidence: medium.
    public var mediaPlaylistName: Presence = false
    /// Parameter 2: flag without a value. Confidence: medium.
    public var mediaPlaylistParentPersistentIdentifier: Presence = false
    /// Parameter 3: flag without a value. Confidence: medium.
    public var mediaPlaylistIsGeniusMix: Presence = false
    /// Parameter 4: flag without a value. Confidence: medium.
    public var mediaPlaylistIsFolder: Presence = false
    /// Parameter 5: flag without a value. Confidence: medium.
    public var mediaPlaylistContainedMediaItemsFileTransferIdentifier: Presence = false
    /// Parameter 6: flag without a value. Confidence: medium.
    public var mediaPlaylistIsAppleMusicRadioStation: Presence = false
    /// Parameter 7: flag without a value. Confidence: low.
    public var unknown7: Presence = false
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaPlaylistPersistentIdentifier", &mediaPlaylistPersistentIdentifier, ParameterNote(.medium))
      try pass(1, "MediaPlaylistName", &mediaPlaylistName, ParameterNote(.medium))
      try pass(
        2, "MediaPlaylistParentPersistentIdentifier", &mediaPlaylistParentPersistentIdentifier, ParameterNote(.medium))
      try pass(3, "MediaPlaylistIsGeniusMix", &mediaPlaylistIsGeniusMix, ParameterNote(.medium))
      try pass(4, "MediaPlaylistIsFolder", &mediaPlaylistIsFolder, ParameterNote(.medium))
      try pass(
        5, "MediaPlaylistContainedMediaItemsFileTransferIdentifier",
        &mediaPlaylistContainedMediaItemsFileTransferIdentifier, ParameterNote(.medium))
      try pass(
        6, "MediaPlaylistIsAppleMusicRadioStation", &mediaPlaylistIsAppleMusicRadioStation, ParameterNote(.medium))
      try pass(7, "Unknown7", &unknown7, ParameterNote(.low))
    }
  }

  /// The attributes of media items in the file that lists the content of a playlist.
  public struct MediaPlaylistContentTransferInformationRequest: ParameterGroup {
    /// Parameter 0: flag without a value. Confidence: low.
    public var mediaItemPersistentIdentifier: Presence = false
    /// Parameter 1: flag without a value. Confidence: low.
    public var mediaItemTitle: Presence = false
    /// Parameter 6: flag without a value. Confidence: low.
    public var mediaItemAlbumTitle: Presence = false
    /// Parameter 12: flag without a value. Confidence: low.
    public var mediaItemArtist: Presence = false
    /// Parameter 14: flag without a value. Confidence: low.
    public var mediaItemAlbumArtist: Presence = false
    /// Parameter 16: flag without a value. Confidence: low.
    public var mediaItemGenre: Presence = false
    /// Parameter 18: flag without a value. Confidence: low.
    public var mediaItemComposer: Presence = false
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaItemPersistentIdentifier", &mediaItemPersistentIdentifier, ParameterNote(.low))
      try pass(1, "MediaItemTitle", &mediaItemTitle, ParameterNote(.low))
      try pass(6, "MediaItemAlbumTitle", &mediaItemAlbumTitle, ParameterNote(.low))
      try pass(12, "MediaItemArtist", &mediaItemArtist, ParameterNote(.low))
      try pass(14, "MediaItemAlbumArtist", &mediaItemAlbumArtist, ParameterNote(.low))
      try pass(16, "MediaItemGenre", &mediaItemGenre, ParameterNote(.low))
      try pass(18, "MediaItemComposer", &mediaItemComposer, ParameterNote(.low))
    }
  }

  /// Parameter 0: UTF-8 text with a final NUL. Required. Confidence: medium.
  public var mediaLibraryUniqueIdentifier: String = ""
  /// Parameter 1: UTF-8 text with a final NUL. Confidence: medium.
  public var lastKnownMediaLibraryRevision: String?
  /// Parameter 2: group ``MediaItemProperties``. Confidence: medium.
  public var mediaItemProperties: MediaItemProperties?
  /// Parameter 3: group ``MediaPlaylistProperties``. Confidence: medium.
  public var mediaPlaylistProperties: MediaPlaylistProperties?
  /// Parameter 4: flag without a value. Confidence: medium.
  public var mediaLibraryUpdateProgress: Presence = false
  /// Parameter 5: flag without a value. Confidence: medium.
  public var mediaLibraryIsHidingRemoteItems: Presence = false
  /// Parameter 6: flag without a value. Confidence: medium.
  public var playAllSongsCapable: Presence = false
  /// Parameter 7: group ``MediaPlaylistContentTransferInformationRequest``. Confidence: low.
  public var mediaPlaylistContentTransferInformationRequest: MediaPlaylistContentTransferInformationRequest?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4C03, "StartMediaLibraryUpdates", from: .accessory, "Media Library", .medium,
    ["Features.md#media-library-order", "PODBOX", "UNMARKED"],
    subscription: MessageSubscription(stop: UntypedMessage.stopMediaLibraryUpdates, updates: [MediaLibraryUpdate.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MediaLibraryUniqueIdentifier", &mediaLibraryUniqueIdentifier, ParameterNote(.medium))
    try pass(1, "LastKnownMediaLibraryRevision", &lastKnownMediaLibraryRevision, ParameterNote(.medium))
    try pass(2, "MediaItemProperties", &mediaItemProperties, ParameterNote(.medium))
    try pass(3, "MediaPlaylistProperties", &mediaPlaylistProperties, ParameterNote(.medium))
    try pass(4, "MediaLibraryUpdateProgress", &mediaLibraryUpdateProgress, ParameterNote(.medium))
    try pass(5, "MediaLibraryIsHidingRemoteItems", &mediaLibraryIsHidingRemoteItems, ParameterNote(.medium))
    try pass(6, "PlayAllSongsCapable", &playAllSongsCapable, ParameterNote(.medium))
    try pass(
      7, "MediaPlaylistContentTransferInformationRequest", &mediaPlaylistContentTransferInformationRequest,
      ParameterNote(.low))
  }
}

/// The kind of a media item.
public struct MediaType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let music = Self(rawValue: 0)
  /// Value 1.
  public static let podcast = Self(rawValue: 1)
  /// Value 2.
  public static let audioBook = Self(rawValue: 2)
  /// Value 3.
  public static let iTunesU = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Music"), (1, "Podcast"), (2, "AudioBook"), (3, "iTunesU")]
  }
}

/// A message of the device that reports changes of a media library: 0x4C04 (Features.md#media-library-order; medium).
public struct MediaLibraryUpdate: ControlMessage {
  /// A media item of the library.
  public struct MediaItem: ParameterGroup {
    /// Parameter 0: unsigned 64-bit integer. Confidence: medium.
    public var mediaItemPersistentIdentifier: UInt64?
    /// Parameter 1: UTF-8 text with a final NUL. Confidence: medium.
    public var mediaItemTitle: String?
    /// Parameter 2: enumeration ``MediaType``, repeated. Confidence: medium.
    /// The sources disagree: BRIDGE reads a bit mask of 32 bits (Features.md#media-type).
    public var mediaItemMediaType: [MediaType] = []
    /// Parameter 3: unsigned 8-bit integer. Confidence: medium.
    public var mediaItemRating: UInt8?
    /// Parameter 4: unsigned 32-bit integer, in ms. Confidence: medium.
    public var mediaItemPlaybackDurationInMilliseconds: UInt32?
    /// Parameter 5: unsigned 64-bit integer. Confidence: medium.
    public var mediaItemAlbumPersistentIdentifier: UInt64?
    /// Parameter 6: UTF-8 text with a final NUL. Confidence: medium.
    public var mediaItemAlbumTitle: String?
    /// Parameter 7: unsigned 16-bit integer. Confidence: medium.
    public var mediaItemAlbumTrackNumber: UInt16?
    /// Parameter 8: unsigned 16-bit integer. Confidence: medium.
    public var mediaItemAlbumTrackCount: UInt16?
    /// Parameter 9: unsigned 16-bit integer. Confidence: medium.
    public var mediaItemAlbumDiscNumber: UInt16?
    /// Parameter 10: unsigned 16-bit integer. Confidence: medium.
    public var mediaItemAlbumDiscCount: UInt16?
    /// Parameter 11: unsigned 64-bit integer. Confidence: medium.
    public var mediaItemArtistPersistentIdentifier: UInt64?
    /// Parameter 12: UTF-8 text with a final NUL. Confidence: medium.
    public var mediaItemArtist: String?
    /// Parameter 13: unsigned 64-bit integer. Confidence: medium.
    public var mediaItemAlbumArtistPersistentIdentifier: UInt64?
    /// Parameter 14: UTF-8 text with a final NUL. Confidence: medium.
    public var mediaItemAlbumArtist: String?
    /// Parameter 15: unsigned 64-bit integer. Confidence: medium.
    public var mediaItemGenrePersistentIdentifier: UInt64?
    /// Parameter 16: UTF-8 text with a final NUL. Confidence: medium.
    public var mediaItemGenre: String?
    /// Parameter 17: unsigned 64-bit integer. Confidence: medium.
    public var mediaItemComposerPersistentIdentifier: UInt64?
    /// Parameter 18: UTF-8 text with a final NUL. Confidence: medium.
    public var mediaItemComposer: String?
    /// Parameter 19: Boolean. Confidence: medium.
    public var mediaItemIsPartOfCompilation: Bool?
    /// Parameter 21: Boolean. Confidence: medium.
    public var mediaItemIsLikeSupported: Bool?
    /// Parameter 22: Boolean. Confidence: medium.
    public var mediaItemIsBanSupported: Bool?
    /// Parameter 23: Boolean. Confidence: medium.
    public var mediaItemIsLiked: Bool?
    /// Parameter 24: Boolean. Confidence: medium.
    public var mediaItemIsBanned: Bool?
    /// Parameter 25: Boolean. Confidence: medium.
    public var mediaItemIsResidentOnDevice: Bool?
    /// Parameter 26: unsigned 8-bit integer. Confidence: medium.
    /// The value is the id of a file transfer. Observed values are 0x80 to 0xFF.
    public var mediaItemArtworkFileTransferIdentifier: UInt8?
    /// Parameter 27: unsigned 16-bit integer. Confidence: medium.
    public var mediaItemChapterCount: UInt16?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaItemPersistentIdentifier", &mediaItemPersistentIdentifier, ParameterNote(.medium))
      try pass(1, "MediaItemTitle", &mediaItemTitle, ParameterNote(.medium))
      try pass(2, "MediaItemMediaType", &mediaItemMediaType, ParameterNote(.medium))
      try pass(3, "MediaItemRating", &mediaItemRating, ParameterNote(.medium))
      try pass(
        4, "MediaItemPlaybackDurationInMilliseconds", &mediaItemPlaybackDurationInMilliseconds,
        ParameterNote(unit: "ms", .medium))
      try pass(5, "MediaItemAlbumPersistentIdentifier", &mediaItemAlbumPersistentIdentifier, ParameterNote(.medium))
      try pass(6, "MediaItemAlbumTitle", &mediaItemAlbumTitle, ParameterNote(.medium))
      try pass(7, "MediaItemAlbumTrackNumber", &mediaItemAlbumTrackNumber, ParameterNote(.medium))
      try pass(8, "MediaItemAlbumTrackCount", &mediaItemAlbumTrackCount, ParameterNote(.medium))
      try pass(9, "MediaItemAlbumDiscNumber", &mediaItemAlbumDiscNumber, ParameterNote(.medium))
      try pass(10, "MediaItemAlbumDiscCount", &mediaItemAlbumDiscCount, ParameterNote(.medium))
      try pass(11, "MediaItemArtistPersistentIdentifier", &mediaItemArtistPersistentIdentifier, ParameterNote(.medium))
      try pass(12, "MediaItemArtist", &mediaItemArtist, ParameterNote(.medium))
      try pass(
        13, "MediaItemAlbumArtistPersistentIdentifier", &mediaItemAlbumArtistPersistentIdentifier,
        ParameterNote(.medium))
      try pass(14, "MediaItemAlbumArtist", &mediaItemAlbumArtist, ParameterNote(.medium))
      try pass(15, "MediaItemGenrePersistentIdentifier", &mediaItemGenrePersistentIdentifier, ParameterNote(.medium))
      try pass(16, "MediaItemGenre", &mediaItemGenre, ParameterNote(.medium))
      try pass(
        17, "MediaItemComposerPersistentIdentifier", &mediaItemComposerPersistentIdentifier, ParameterNote(.medium))
      try pass(18, "MediaItemComposer", &mediaItemComposer, ParameterNote(.medium))
      try pass(19, "MediaItemIsPartOfCompilation", &mediaItemIsPartOfCompilation, ParameterNote(.medium))
      try pass(21, "MediaItemIsLikeSupported", &mediaItemIsLikeSupported, ParameterNote(.medium))
      try pass(22, "MediaItemIsBanSupported", &mediaItemIsBanSupported, ParameterNote(.medium))
      try pass(23, "MediaItemIsLiked", &mediaItemIsLiked, ParameterNote(.medium))
      try pass(24, "MediaItemIsBanned", &mediaItemIsBanned, ParameterNote(.medium))
      try pass(25, "MediaItemIsResidentOnDevice", &mediaItemIsResidentOnDevice, ParameterNote(.medium))
      try pass(
        26, "MediaItemArtworkFileTransferIdentifier", &mediaItemArtworkFileTransferIdentifier,
        ParameterNote(.medium, limit: .deviceFile))
      try pass(27, "MediaItemChapterCount", &mediaItemChapterCount, ParameterNote(.medium))
    }
  }

  /// A playlist of the library.
  public struct MediaPlaylist: ParameterGroup {
    /// Parameter 0: unsigned 64-bit integer. Required. Confidence: medium.
    public var mediaPlaylistPersistentIdentifier: UInt64 = 0
    /// Parameter 1: UTF-8 text with a final NUL. Confidence: medium.
    public var mediaPlaylistName: String?
    /// Parameter 2: unsigned 64-bit integer. Confidence: medium.
    public var mediaPlaylistParentPersistentIdentifier: UInt64?
    /// Parameter 3: Boolean. Confidence: medium.
    public var mediaPlaylistIsGeniusMix: Bool?
    /// Parameter 4: Boolean. Confidence: medium.
    public var mediaPlaylistIsFolder: Bool?
    /// Parameter 5: unsigned 8-bit integer. Confidence: medium.
    public var mediaPlaylistContainedMediaItemsFileTransferIdentifier: UInt8?
    /// Parameter 6: Boolean. Confidence: medium.
    public var mediaPlaylistIsAppleMusicRadioStation: Bool?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaPlaylistPersistentIdentifier", &mediaPlaylistPersistentIdentifier, ParameterNote(.medium))
      try pass(1, "MediaPlaylistName", &mediaPlaylistName, ParameterNote(.medium))
      try pass(
        2, "MediaPlaylistParentPersistentIdentifier", &mediaPlaylistParentPersistentIdentifier, ParameterNote(.medium))
      try pass(3, "MediaPlaylistIsGeniusMix", &mediaPlaylistIsGeniusMix, ParameterNote(.medium))
      try pass(4, "MediaPlaylistIsFolder", &mediaPlaylistIsFolder, ParameterNote(.medium))
      try pass(
        5, "MediaPlaylistContainedMediaItemsFileTransferIdentifier",
        &mediaPlaylistContainedMediaItemsFileTransferIdentifier, ParameterNote(.medium, limit: .deviceFile))
      try pass(
        6, "MediaPlaylistIsAppleMusicRadioStation", &mediaPlaylistIsAppleMusicRadioStation, ParameterNote(.medium))
    }
  }

  /// Parameter 0: UTF-8 text with a final NUL. Required. Confidence: medium.
  public var mediaLibraryUniqueIdentifier: String = ""
  /// Parameter 1: UTF-8 text with a final NUL. Confidence: medium.
  public var mediaLibraryRevision: String?
  /// Parameter 2: group ``MediaItem``, repeated. Confidence: medium.
  public var mediaItem: [MediaItem] = []
  /// Parameter 3: group ``MediaPlaylist``, repeated. Confidence: medium.
  public var mediaPlaylist: [MediaPlaylist] = []
  /// Parameter 4: unsigned 64-bit integer, repeated. Confidence: medium.
  public var mediaItemDeletePersistentIdentifier: [UInt64] = []
  /// Parameter 5: unsigned 64-bit integer, repeated. Confidence: medium.
  public var mediaPlaylistDeletePersistentIdentifier: [UInt64] = []
  /// Parameter 6: flag without a value. Confidence: medium.
  public var mediaLibraryReset: Presence = false
  /// Parameter 7: unsigned 8-bit integer. Confidence: medium.
  /// The value is 0 to 100.
  public var mediaLibraryUpdateProgress: UInt8?
  /// Parameter 8: Boolean. Confidence: medium.
  public var mediaLibraryIsHidingRemoteItems: Bool?
  /// Parameter 9: Boolean. Confidence: medium.
  public var playAllSongsCapable: Bool?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4C04, "MediaLibraryUpdate", from: .device, "Media Library", .medium,
    ["Features.md#media-library-order", "PODBOX", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MediaLibraryUniqueIdentifier", &mediaLibraryUniqueIdentifier, ParameterNote(.medium))
    try pass(1, "MediaLibraryRevision", &mediaLibraryRevision, ParameterNote(.medium))
    try pass(2, "MediaItem", &mediaItem, ParameterNote(.medium))
    try pass(3, "MediaPlaylist", &mediaPlaylist, ParameterNote(.medium))
    try pass(4, "MediaItemDeletePersistentIdentifier", &mediaItemDeletePersistentIdentifier, ParameterNote(.medium))
    try pass(
      5, "MediaPlaylistDeletePersistentIdentifier", &mediaPlaylistDeletePersistentIdentifier, ParameterNote(.medium))
    try pass(6, "MediaLibraryReset", &mediaLibraryReset, ParameterNote(.medium))
    try pass(7, "MediaLibraryUpdateProgress", &mediaLibraryUpdateProgress, ParameterNote(.medium, limit: .percent))
    try pass(8, "MediaLibraryIsHidingRemoteItems", &mediaLibraryIsHidingRemoteItems, ParameterNote(.medium))
    try pass(9, "PlayAllSongsCapable", &playAllSongsCapable, ParameterNote(.medium))
  }
}
