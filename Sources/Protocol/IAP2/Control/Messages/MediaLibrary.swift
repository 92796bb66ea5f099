// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the list of media libraries: 0x4C00 (Features.md#media-library-order;
/// medium).
public struct StartMediaLibraryInformation: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4C00, "StartMediaLibraryInformation", from: .accessory, "Media Library", .high,
    ["PodBox (observed)", "mib2q-carplay-rgi", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// The kind of a media library.
public struct MediaLibraryType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let localDevice = Self(rawValue: 0)
  public static let appleMusicRadio = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "LocalDevice"), (2, "AppleMusicRadio")]
  }
}

/// A message of the device that reports the media libraries: 0x4C01 (Features.md#media-library-order; medium).
public struct MediaLibraryInformation: ControlMessage {
  /// A media library.
  public struct Library: ParameterGroup {
    public var mediaLibraryName: String = ""
    public var mediaLibraryUniqueIdentifier: String = ""
    /// 1 unknown.
    public var mediaLibraryType: MediaLibraryType = MediaLibraryType(rawValue: 0)
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaLibraryName", &mediaLibraryName, ParameterNote(.medium))
      try pass(1, "MediaLibraryUniqueIdentifier", &mediaLibraryUniqueIdentifier, ParameterNote(.medium))
      try pass(2, "MediaLibraryType", &mediaLibraryType, ParameterNote(.medium))
    }
  }

  public var mediaLibraryInformation: [Library] = []
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4C01, "MediaLibraryInformation", from: .device, "Media Library", .high,
    ["PodBox (observed)", "mib2q-carplay-rgi", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MediaLibraryInformation", &mediaLibraryInformation, ParameterNote(.medium))
  }
}

/// A message of the accessory that ends the subscription to the list of media libraries: 0x4C02
/// (Features.md#media-library-order; medium).
public struct StopMediaLibraryInformation: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4C02, "StopMediaLibraryInformation", from: .accessory, "Media Library", .high,
    ["mib2q-carplay-rgi", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that subscribes to the content of a media library: 0x4C03
/// (Features.md#media-library-order; medium).
public struct StartMediaLibraryUpdates: ControlMessage {
  /// The attributes of media items that the accessory asks for.
  public struct MediaItemProperties: ParameterGroup {
    public var mediaItemPersistentIdentifier: Presence = false
    public var mediaItemTitle: Presence = false
    public var mediaItemMediaType: Presence = false
    public var mediaItemRating: Presence = false
    public var mediaItemPlaybackDurationInMilliseconds: Presence = false
    public var mediaItemAlbumPersistentIdentifier: Presence = false
    public var mediaItemAlbumTitle: Presence = false
    public var mediaItemAlbumTrackNumber: Presence = false
    public var mediaItemAlbumTrackCount: Presence = false
    public var mediaItemAlbumDiscNumber: Presence = false
    public var mediaItemAlbumDiscCount: Presence = false
    public var mediaItemArtistPersistentIdentifier: Presence = false
    public var mediaItemArtist: Presence = false
    public var mediaItemAlbumArtistPersistentIdentifier: Presence = false
    public var mediaItemAlbumArtist: Presence = false
    public var mediaItemGenrePersistentIdentifier: Presence = false
    public var mediaItemGenre: Presence = false
    public var mediaItemComposerPersistentIdentifier: Presence = false
    public var mediaItemComposer: Presence = false
    public var mediaItemIsPartOfCompilation: Presence = false
    public var mediaItemIsResidentOnDevice: Presence = false
    public var mediaItemChapterCount: Presence = false
    public var residue = Residue()

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
    public var mediaPlaylistPersistentIdentifier: Presence = false
    public var mediaPlaylistName: Presence = false
    public var mediaPlaylistParentPersistentIdentifier: Presence = false
    public var mediaPlaylistIsGeniusMix: Presence = false
    public var mediaPlaylistIsFolder: Presence = false
    public var mediaPlaylistContainedMediaItemsFileTransferIdentifier: Presence = false
    public var mediaPlaylistIsAppleMusicRadioStation: Presence = false
    public var unknown7: Presence = false
    public var residue = Residue()

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
    public var mediaItemPersistentIdentifier: Presence = false
    public var mediaItemTitle: Presence = false
    public var mediaItemAlbumTitle: Presence = false
    public var mediaItemArtist: Presence = false
    public var mediaItemAlbumArtist: Presence = false
    public var mediaItemGenre: Presence = false
    public var mediaItemComposer: Presence = false
    public var residue = Residue()

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

  public var mediaLibraryUniqueIdentifier: String = ""
  public var lastKnownMediaLibraryRevision: String?
  public var mediaItemProperties: MediaItemProperties?
  public var mediaPlaylistProperties: MediaPlaylistProperties?
  public var mediaLibraryUpdateProgress: Presence = false
  public var mediaLibraryIsHidingRemoteItems: Presence = false
  public var playAllSongsCapable: Presence = false
  public var mediaPlaylistContentTransferInformationRequest: MediaPlaylistContentTransferInformationRequest?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4C03, "StartMediaLibraryUpdates", from: .accessory, "Media Library", .high,
    ["PodBox (observed)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

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

  public static let music = Self(rawValue: 0)
  public static let podcast = Self(rawValue: 1)
  public static let audioBook = Self(rawValue: 2)
  public static let iTunesU = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Music"), (1, "Podcast"), (2, "AudioBook"), (3, "iTunesU")]
  }
}

/// A message of the device that reports changes of a media library: 0x4C04 (Features.md#media-library-order; medium).
public struct MediaLibraryUpdate: ControlMessage {
  /// A media item of the library.
  public struct MediaItem: ParameterGroup {
    public var mediaItemPersistentIdentifier: UInt64?
    public var mediaItemTitle: String?
    /// Bridgething reads a u32 bitmask instead. Conflict.
    public var mediaItemMediaType: [MediaType] = []
    public var mediaItemRating: UInt8?
    public var mediaItemPlaybackDurationInMilliseconds: UInt32?
    public var mediaItemAlbumPersistentIdentifier: UInt64?
    public var mediaItemAlbumTitle: String?
    public var mediaItemAlbumTrackNumber: UInt16?
    public var mediaItemAlbumTrackCount: UInt16?
    public var mediaItemAlbumDiscNumber: UInt16?
    public var mediaItemAlbumDiscCount: UInt16?
    public var mediaItemArtistPersistentIdentifier: UInt64?
    public var mediaItemArtist: String?
    public var mediaItemAlbumArtistPersistentIdentifier: UInt64?
    public var mediaItemAlbumArtist: String?
    public var mediaItemGenrePersistentIdentifier: UInt64?
    public var mediaItemGenre: String?
    public var mediaItemComposerPersistentIdentifier: UInt64?
    public var mediaItemComposer: String?
    public var mediaItemIsPartOfCompilation: Bool?
    public var mediaItemIsLikeSupported: Bool?
    public var mediaItemIsBanSupported: Bool?
    public var mediaItemIsLiked: Bool?
    public var mediaItemIsBanned: Bool?
    public var mediaItemIsResidentOnDevice: Bool?
    /// File-transfer session id, seen in 0x80..0xFF.
    public var mediaItemArtworkFileTransferIdentifier: UInt8?
    public var mediaItemChapterCount: UInt16?
    public var residue = Residue()

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
        26, "MediaItemArtworkFileTransferIdentifier", &mediaItemArtworkFileTransferIdentifier, ParameterNote(.medium))
      try pass(27, "MediaItemChapterCount", &mediaItemChapterCount, ParameterNote(.medium))
    }
  }

  /// A playlist of the library.
  public struct MediaPlaylist: ParameterGroup {
    public var mediaPlaylistPersistentIdentifier: UInt64 = 0
    public var mediaPlaylistName: String?
    public var mediaPlaylistParentPersistentIdentifier: UInt64?
    public var mediaPlaylistIsGeniusMix: Bool?
    public var mediaPlaylistIsFolder: Bool?
    public var mediaPlaylistContainedMediaItemsFileTransferIdentifier: UInt8?
    public var mediaPlaylistIsAppleMusicRadioStation: Bool?
    public var residue = Residue()

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
    }
  }

  public var mediaLibraryUniqueIdentifier: String = ""
  public var mediaLibraryRevision: String?
  public var mediaItem: [MediaItem] = []
  public var mediaPlaylist: [MediaPlaylist] = []
  public var mediaItemDeletePersistentIdentifier: [UInt64] = []
  public var mediaPlaylistDeletePersistentIdentifier: [UInt64] = []
  public var mediaLibraryReset: Presence = false
  /// 0..100.
  public var mediaLibraryUpdateProgress: UInt8?
  public var mediaLibraryIsHidingRemoteItems: Bool?
  public var playAllSongsCapable: Bool?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4C04, "MediaLibraryUpdate", from: .device, "Media Library", .high,
    ["PodBox (observed)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

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
    try pass(7, "MediaLibraryUpdateProgress", &mediaLibraryUpdateProgress, ParameterNote(.medium))
    try pass(8, "MediaLibraryIsHidingRemoteItems", &mediaLibraryIsHidingRemoteItems, ParameterNote(.medium))
    try pass(9, "PlayAllSongsCapable", &playAllSongsCapable, ParameterNote(.medium))
  }
}
