// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the current media item, the playback and the queue: 0x5000
/// (Features.md#now-playing-start; high).
public struct StartNowPlayingUpdates: ControlMessage {
  /// The attributes of the current media item that the accessory asks for.
  public struct MediaItemAttributes: ParameterGroup {
    public var mediaItemPersistentIdentifier: Presence = false
    public var mediaItemTitle: Presence = false
    public var mediaItemPlaybackDurationInMilliseconds: Presence = false
    public var mediaItemAlbumTitle: Presence = false
    public var mediaItemAlbumTrackNumber: Presence = false
    public var mediaItemAlbumTrackCount: Presence = false
    public var mediaItemAlbumDiscNumber: Presence = false
    public var mediaItemAlbumDiscCount: Presence = false
    public var mediaItemArtist: Presence = false
    public var mediaItemAlbumArtist: Presence = false
    public var mediaItemGenre: Presence = false
    public var mediaItemComposer: Presence = false
    public var mediaItemIsLikeSupported: Presence = false
    public var mediaItemIsBanSupported: Presence = false
    public var mediaItemIsLiked: Presence = false
    public var mediaItemIsBanned: Presence = false
    public var mediaItemArtworkFileTransferIdentifier: Presence = false
    public var mediaItemChapterCount: Presence = false
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "MediaItemPersistentIdentifier", &mediaItemPersistentIdentifier)
      try pass(1, "MediaItemTitle", &mediaItemTitle)
      try pass(4, "MediaItemPlaybackDurationInMilliseconds", &mediaItemPlaybackDurationInMilliseconds)
      try pass(6, "MediaItemAlbumTitle", &mediaItemAlbumTitle)
      try pass(7, "MediaItemAlbumTrackNumber", &mediaItemAlbumTrackNumber)
      try pass(8, "MediaItemAlbumTrackCount", &mediaItemAlbumTrackCount)
      try pass(9, "MediaItemAlbumDiscNumber", &mediaItemAlbumDiscNumber)
      try pass(10, "MediaItemAlbumDiscCount", &mediaItemAlbumDiscCount)
      try pass(12, "MediaItemArtist", &mediaItemArtist)
      try pass(14, "MediaItemAlbumArtist", &mediaItemAlbumArtist)
      try pass(16, "MediaItemGenre", &mediaItemGenre)
      try pass(18, "MediaItemComposer", &mediaItemComposer)
      try pass(21, "MediaItemIsLikeSupported", &mediaItemIsLikeSupported)
      try pass(22, "MediaItemIsBanSupported", &mediaItemIsBanSupported)
      try pass(23, "MediaItemIsLiked", &mediaItemIsLiked)
      try pass(24, "MediaItemIsBanned", &mediaItemIsBanned)
      try pass(26, "MediaItemArtworkFileTransferIdentifier", &mediaItemArtworkFileTransferIdentifier)
      try pass(27, "MediaItemChapterCount", &mediaItemChapterCount)
    }
  }

  /// The attributes of the playback that the accessory asks for.
  public struct PlaybackAttributes: ParameterGroup {
    public var playbackStatus: Presence = false
    public var playbackElapsedTimeInMilliseconds: Presence = false
    public var playbackQueueIndex: Presence = false
    public var playbackQueueCount: Presence = false
    public var playbackQueueChapterIndex: Presence = false
    public var playbackShuffleMode: Presence = false
    public var playbackRepeatMode: Presence = false
    public var playbackAppName: Presence = false
    public var pbMediaLibraryUniqueIdentifier: Presence = false
    public var pbAppleMusicRadioAd: Presence = false
    public var pbAppleMusicRadioStationName: Presence = false
    public var pbAppleMusicRadioStationMediaPlaylistPersistentID: Presence = false
    public var playbackSpeed: Presence = false
    public var setElapsedTimeAvailable: Presence = false
    public var playbackQueueListAvailable: Presence = false
    public var playbackQueueListTransferID: Presence = false
    public var playbackAppBundleID: Presence = false
    /// Number of queue items wanted, 0 = unlimited. Not a void.
    public var playbackQueueListContentTransferSize: UInt32?
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "PlaybackStatus", &playbackStatus)
      try pass(1, "PlaybackElapsedTimeInMilliseconds", &playbackElapsedTimeInMilliseconds)
      try pass(2, "PlaybackQueueIndex", &playbackQueueIndex)
      try pass(3, "PlaybackQueueCount", &playbackQueueCount)
      try pass(4, "PlaybackQueueChapterIndex", &playbackQueueChapterIndex)
      try pass(5, "PlaybackShuffleMode", &playbackShuffleMode)
      try pass(6, "PlaybackRepeatMode", &playbackRepeatMode)
      try pass(7, "PlaybackAppName", &playbackAppName)
      try pass(8, "PBMediaLibraryUniqueIdentifier", &pbMediaLibraryUniqueIdentifier)
      try pass(9, "PBAppleMusicRadioAd", &pbAppleMusicRadioAd)
      try pass(10, "PBAppleMusicRadioStationName", &pbAppleMusicRadioStationName)
      try pass(
        11, "PBAppleMusicRadioStationMediaPlaylistPersistentID", &pbAppleMusicRadioStationMediaPlaylistPersistentID)
      try pass(12, "PlaybackSpeed", &playbackSpeed)
      try pass(13, "SetElapsedTimeAvailable", &setElapsedTimeAvailable)
      try pass(14, "PlaybackQueueListAvailable", &playbackQueueListAvailable)
      try pass(15, "PlaybackQueueListTransferID", &playbackQueueListTransferID)
      try pass(16, "PlaybackAppBundleID", &playbackAppBundleID)
      try pass(
        17, "PlaybackQueueListContentTransferSize", &playbackQueueListContentTransferSize, ParameterNote(.medium))
    }
  }

  /// The attributes of media items in the file that lists the playback queue.
  public struct PlaybackQueueListContentTransferInformationRequest: ParameterGroup {
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
      try pass(0, "MediaItemPersistentIdentifier", &mediaItemPersistentIdentifier, ParameterNote(.medium))
      try pass(1, "MediaItemTitle", &mediaItemTitle, ParameterNote(.medium))
      try pass(6, "MediaItemAlbumTitle", &mediaItemAlbumTitle, ParameterNote(.medium))
      try pass(12, "MediaItemArtist", &mediaItemArtist, ParameterNote(.medium))
      try pass(14, "MediaItemAlbumArtist", &mediaItemAlbumArtist, ParameterNote(.medium))
      try pass(16, "MediaItemGenre", &mediaItemGenre, ParameterNote(.medium))
      try pass(18, "MediaItemComposer", &mediaItemComposer, ParameterNote(.medium))
    }
  }

  public var mediaItemAttributes: MediaItemAttributes?
  public var playbackAttributes: PlaybackAttributes?
  public var playbackQueueListContentTransferInformationRequest: PlaybackQueueListContentTransferInformationRequest?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5000, "StartNowPlayingUpdates", from: .accessory, "Now Playing", .high,
    [
      "CP2614 encoder (weak)", "LIVI", "bridgething (MIT)", "catplay", "pryer (captures)",
      "unmarked vendor code (weak)",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MediaItemAttributes", &mediaItemAttributes)
    try pass(1, "PlaybackAttributes", &playbackAttributes)
    try pass(
      2, "PlaybackQueueListContentTransferInformationRequest", &playbackQueueListContentTransferInformationRequest,
      ParameterNote(.medium))
  }
}

/// The state of the playback.
public struct PlaybackStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let stopped = Self(rawValue: 0)
  public static let playing = Self(rawValue: 1)
  public static let paused = Self(rawValue: 2)
  public static let seekForward = Self(rawValue: 3)
  public static let seekBackward = Self(rawValue: 4)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Stopped"), (1, "Playing"), (2, "Paused"), (3, "SeekForward"), (4, "SeekBackward")]
  }
}

/// The shuffle mode of the playback.
public struct PlaybackShuffleMode: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let off = Self(rawValue: 0)
  public static let songs = Self(rawValue: 1)
  public static let albums = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Off"), (1, "Songs"), (2, "Albums")]
  }
}

/// The repeat mode of the playback.
public struct PlaybackRepeatMode: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let off = Self(rawValue: 0)
  public static let one = Self(rawValue: 1)
  public static let all = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Off"), (1, "One"), (2, "All")]
  }
}

/// A message of the device that reports changes of the current media item and of the playback: 0x5001
/// (Features.md#now-playing-update; high).
public struct NowPlayingUpdate: ControlMessage {
  /// The changed attributes of the current media item.
  public struct MediaItemAttributes: ParameterGroup {
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
      try pass(0, "MediaItemPersistentIdentifier", &mediaItemPersistentIdentifier)
      try pass(1, "MediaItemTitle", &mediaItemTitle)
      try pass(2, "MediaItemMediaType", &mediaItemMediaType, ParameterNote(.medium))
      try pass(3, "MediaItemRating", &mediaItemRating)
      try pass(
        4, "MediaItemPlaybackDurationInMilliseconds", &mediaItemPlaybackDurationInMilliseconds,
        ParameterNote(unit: "ms"))
      try pass(5, "MediaItemAlbumPersistentIdentifier", &mediaItemAlbumPersistentIdentifier)
      try pass(6, "MediaItemAlbumTitle", &mediaItemAlbumTitle)
      try pass(7, "MediaItemAlbumTrackNumber", &mediaItemAlbumTrackNumber)
      try pass(8, "MediaItemAlbumTrackCount", &mediaItemAlbumTrackCount)
      try pass(9, "MediaItemAlbumDiscNumber", &mediaItemAlbumDiscNumber)
      try pass(10, "MediaItemAlbumDiscCount", &mediaItemAlbumDiscCount)
      try pass(11, "MediaItemArtistPersistentIdentifier", &mediaItemArtistPersistentIdentifier)
      try pass(12, "MediaItemArtist", &mediaItemArtist)
      try pass(13, "MediaItemAlbumArtistPersistentIdentifier", &mediaItemAlbumArtistPersistentIdentifier)
      try pass(14, "MediaItemAlbumArtist", &mediaItemAlbumArtist)
      try pass(15, "MediaItemGenrePersistentIdentifier", &mediaItemGenrePersistentIdentifier)
      try pass(16, "MediaItemGenre", &mediaItemGenre)
      try pass(17, "MediaItemComposerPersistentIdentifier", &mediaItemComposerPersistentIdentifier)
      try pass(18, "MediaItemComposer", &mediaItemComposer)
      try pass(19, "MediaItemIsPartOfCompilation", &mediaItemIsPartOfCompilation)
      try pass(21, "MediaItemIsLikeSupported", &mediaItemIsLikeSupported)
      try pass(22, "MediaItemIsBanSupported", &mediaItemIsBanSupported)
      try pass(23, "MediaItemIsLiked", &mediaItemIsLiked)
      try pass(24, "MediaItemIsBanned", &mediaItemIsBanned)
      try pass(25, "MediaItemIsResidentOnDevice", &mediaItemIsResidentOnDevice)
      try pass(26, "MediaItemArtworkFileTransferIdentifier", &mediaItemArtworkFileTransferIdentifier)
      try pass(27, "MediaItemChapterCount", &mediaItemChapterCount)
    }
  }

  /// The changed attributes of the playback.
  public struct PlaybackAttributes: ParameterGroup {
    public var playbackStatus: PlaybackStatus?
    public var playbackElapsedTimeInMilliseconds: UInt32?
    public var playbackQueueIndex: UInt32?
    public var playbackQueueCount: UInt32?
    public var playbackQueueChapterIndex: UInt32?
    public var playbackShuffleMode: PlaybackShuffleMode?
    public var playbackRepeatMode: PlaybackRepeatMode?
    public var playbackAppName: String?
    public var pbMediaLibraryUniqueIdentifier: String?
    public var pbAppleMusicRadioAd: Bool?
    public var pbAppleMusicRadioStationName: String?
    public var pbAppleMusicRadioStationMediaPlaylistPersistentID: UInt64?
    /// Percent, 100 = normal.
    public var playbackSpeed: UInt16?
    public var setElapsedTimeAvailable: Bool?
    public var playbackQueueListAvailable: Bool?
    public var playbackQueueListTransferID: UInt8?
    public var playbackAppBundleID: String?
    public var playbackQueueListContentTransfer: Presence = false
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "PlaybackStatus", &playbackStatus)
      try pass(1, "PlaybackElapsedTimeInMilliseconds", &playbackElapsedTimeInMilliseconds, ParameterNote(unit: "ms"))
      try pass(2, "PlaybackQueueIndex", &playbackQueueIndex)
      try pass(3, "PlaybackQueueCount", &playbackQueueCount)
      try pass(4, "PlaybackQueueChapterIndex", &playbackQueueChapterIndex)
      try pass(5, "PlaybackShuffleMode", &playbackShuffleMode)
      try pass(6, "PlaybackRepeatMode", &playbackRepeatMode)
      try pass(7, "PlaybackAppName", &playbackAppName)
      try pass(8, "PBMediaLibraryUniqueIdentifier", &pbMediaLibraryUniqueIdentifier)
      try pass(9, "PBAppleMusicRadioAd", &pbAppleMusicRadioAd)
      try pass(10, "PBAppleMusicRadioStationName", &pbAppleMusicRadioStationName)
      try pass(
        11, "PBAppleMusicRadioStationMediaPlaylistPersistentID", &pbAppleMusicRadioStationMediaPlaylistPersistentID)
      try pass(12, "PlaybackSpeed", &playbackSpeed, ParameterNote(unit: "percent"))
      try pass(13, "SetElapsedTimeAvailable", &setElapsedTimeAvailable)
      try pass(14, "PlaybackQueueListAvailable", &playbackQueueListAvailable)
      try pass(15, "PlaybackQueueListTransferID", &playbackQueueListTransferID)
      try pass(16, "PlaybackAppBundleID", &playbackAppBundleID)
      try pass(17, "PlaybackQueueListContentTransfer", &playbackQueueListContentTransfer, ParameterNote(.medium))
    }
  }

  public var mediaItemAttributes: MediaItemAttributes?
  public var playbackAttributes: PlaybackAttributes?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5001, "NowPlayingUpdate", from: .device, "Now Playing", .high,
    [
      "CP2614 encoder (weak)", "LIVI", "PodBox (observed)", "bridgething (MIT)", "catplay",
      "unmarked vendor code (weak)",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MediaItemAttributes", &mediaItemAttributes)
    try pass(1, "PlaybackAttributes", &playbackAttributes)
  }
}

/// A message of the accessory that ends the subscription to the current media item and the playback: 0x5002
/// (Features.md#now-playing-stop; high).
public struct StopNowPlayingUpdates: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5002, "StopNowPlayingUpdates", from: .accessory, "Now Playing", .high,
    ["CP2614 encoder (weak)", "LIVI", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that changes the position or the mode of the playback: 0x5003
/// (Features.md#now-playing-set; high).
public struct SetNowPlayingInformation: ControlMessage {
  /// Ms; only if SetElapsedTimeAvailable.
  public var elapsedTime: UInt32?
  public var playbackQueueIndex: UInt32?
  public var playbackQueueListContentTransferStartIndex: UInt32?
  public var shuffleMode: UInt8?
  public var repeatMode: UInt8?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5003, "SetNowPlayingInformation", from: .accessory, "Now Playing", .high,
    ["bridgething (MIT)", "catplay", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ElapsedTime", &elapsedTime)
    try pass(1, "PlaybackQueueIndex", &playbackQueueIndex)
    try pass(
      2, "PlaybackQueueListContentTransferStartIndex", &playbackQueueListContentTransferStartIndex,
      ParameterNote(.medium))
    try pass(3, "ShuffleMode", &shuffleMode, ParameterNote(.low))
    try pass(4, "RepeatMode", &repeatMode, ParameterNote(.low))
  }
}
