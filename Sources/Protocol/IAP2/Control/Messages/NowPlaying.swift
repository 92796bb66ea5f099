// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the current media item, the playback and the queue: 0x5000
/// (Features.md#now-playing-start; high).
public struct StartNowPlayingUpdates: ControlMessage {
  /// The attributes of the current media item that the accessory asks for.
  public struct MediaItemAttributes: ParameterGroup {
    /// Parameter 0: flag without a value.
    public var mediaItemPersistentIdentifier: Presence = false
    /// Parameter 1: flag without a value.
    public var mediaItemTitle: Presence = false
    /// Parameter 4: flag without a value.
    public var mediaItemPlaybackDurationInMilliseconds: Presence = false
    /// Parameter 6: flag without a value.
    public var mediaItemAlbumTitle: Presence = false
    /// Parameter 7: flag without a value.
    public var mediaItemAlbumTrackNumber: Presence = false
    /// Parameter 8: flag without a value.
    public var mediaItemAlbumTrackCount: Presence = false
    /// Parameter 9: flag without a value.
    public var mediaItemAlbumDiscNumber: Presence = false
    /// Parameter 10: flag without a value.
    public var mediaItemAlbumDiscCount: Presence = false
    /// Parameter 12: flag without a value.
    public var mediaItemArtist: Presence = false
    /// Parameter 14: flag without a value.
    public var mediaItemAlbumArtist: Presence = false
    /// Parameter 16: flag without a value.
    public var mediaItemGenre: Presence = false
    /// Parameter 18: flag without a value.
    public var mediaItemComposer: Presence = false
    /// Parameter 21: flag without a value.
    public var mediaItemIsLikeSupported: Presence = false
    /// Parameter 22: flag without a value.
    public var mediaItemIsBanSupported: Presence = false
    /// Parameter 23: flag without a value.
    public var mediaItemIsLiked: Presence = false
    /// Parameter 24: flag without a value.
    public var mediaItemIsBanned: Presence = false
    /// Parameter 26: flag without a value.
    public var mediaItemArtworkFileTransferIdentifier: Presence = false
    /// Parameter 27: flag without a value.
    public var mediaItemChapterCount: Presence = false
    public var unrepresented = UnrepresentedParameters()

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
    /// Parameter 0: flag without a value.
    public var playbackStatus: Presence = false
    /// Parameter 1: flag without a value.
    public var playbackElapsedTimeInMilliseconds: Presence = false
    /// Parameter 2: flag without a value.
    public var playbackQueueIndex: Presence = false
    /// Parameter 3: flag without a value.
    public var playbackQueueCount: Presence = false
    /// Parameter 4: flag without a value.
    public var playbackQueueChapterIndex: Presence = false
    /// Parameter 5: flag without a value.
    public var playbackShuffleMode: Presence = false
    /// Parameter 6: flag without a value.
    public var playbackRepeatMode: Presence = false
    /// Parameter 7: flag without a value.
    public var playbackAppName: Presence = false
    /// Parameter 8: flag without a value.
    public var pbMediaLibraryUniqueIdentifier: Presence = false
    /// Parameter 9: flag without a value.
    public var pbAppleMusicRadioAd: Presence = false
    /// Parameter 10: flag without a value.
    public var pbAppleMusicRadioStationName: Presence = false
    /// Parameter 11: flag without a value.
    public var pbAppleMusicRadioStationMediaPlaylistPersistentID: Presence = false
    /// Parameter 12: flag without a value.
    public var playbackSpeed: Presence = false
    /// Parameter 13: flag without a value.
    public var setElapsedTimeAvailable: Presence = false
    /// Parameter 14: flag without a value.
    public var playbackQueueListAvailable: Presence = false
    /// Parameter 15: flag without a value.
    public var playbackQueueListTransferID: Presence = false
    /// Parameter 16: flag without a value.
    public var playbackAppBundleID: Presence = false
    /// Parameter 17: unsigned 32-bit integer. Confidence: medium.
    /// The value is the number of queue items that the accessory asks for; 0 means no limit.
    public var playbackQueueListContentTransferSize: UInt32?
    public var unrepresented = UnrepresentedParameters()

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
    /// Parameter 0: flag without a value. Confidence: medium.
    public var mediaItemPersistentIdentifier: Presence = false
    /// Parameter 1: flag without a value. Confidence: medium.
    public var mediaItemTitle: Presence = false
    /// Parameter 6: flag without a value. Confidence: medium.
    public var mediaItemAlbumTitle: Presence = false
    /// Parameter 12: flag without a value. Confidence: medium.
    public var mediaItemArtist: Presence = false
    /// Parameter 14: flag without a value. Confidence: medium.
    public var mediaItemAlbumArtist: Presence = false
    /// Parameter 16: flag without a value. Confidence: medium.
    public var mediaItemGenre: Presence = false
    /// Parameter 18: flag without a value. Confidence: medium.
    public var mediaItemComposer: Presence = false
    public var unrepresented = UnrepresentedParameters()

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

  /// Parameter 0: group ``MediaItemAttributes``.
  public var mediaItemAttributes: MediaItemAttributes?
  /// Parameter 1: group ``PlaybackAttributes``.
  public var playbackAttributes: PlaybackAttributes?
  /// Parameter 2: group ``PlaybackQueueListContentTransferInformationRequest``. Confidence: medium.
  public var playbackQueueListContentTransferInformationRequest: PlaybackQueueListContentTransferInformationRequest?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5000, "StartNowPlayingUpdates", from: .accessory, "Now Playing", .high,
    [
      "Features.md#now-playing-start", "LIVI", "BRIDGE", "CAT", "PRYER", "UNMARKED",
    ],
    subscription: MessageSubscription(stop: StopNowPlayingUpdates.id, updates: [NowPlayingUpdate.id]))

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

  /// Value 0.
  public static let stopped = Self(rawValue: 0)
  /// Value 1.
  public static let playing = Self(rawValue: 1)
  /// Value 2.
  public static let paused = Self(rawValue: 2)
  /// Value 3.
  public static let seekForward = Self(rawValue: 3)
  /// Value 4.
  public static let seekBackward = Self(rawValue: 4)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Stopped"), (1, "Playing"), (2, "Paused"), (3, "SeekForward"), (4, "SeekBackward")]
  }
}

/// The shuffle mode of the playback.
public struct PlaybackShuffleMode: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let off = Self(rawValue: 0)
  /// Value 1.
  public static let songs = Self(rawValue: 1)
  /// Value 2.
  public static let albums = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Off"), (1, "Songs"), (2, "Albums")]
  }
}

/// The repeat mode of the playback.
public struct PlaybackRepeatMode: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let off = Self(rawValue: 0)
  /// Value 1.
  public static let one = Self(rawValue: 1)
  /// Value 2.
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
    /// Parameter 0: unsigned 64-bit integer.
    public var mediaItemPersistentIdentifier: UInt64?
    /// Parameter 1: UTF-8 text with a final NUL.
    public var mediaItemTitle: String?
    /// Parameter 2: enumeration ``MediaType``, repeated. Confidence: medium.
    /// The sources disagree: BRIDGE reads a bit mask of 32 bits (Features.md#media-type).
    public var mediaItemMediaType: [MediaType] = []
    /// Parameter 3: unsigned 8-bit integer.
    public var mediaItemRating: UInt8?
    /// Parameter 4: unsigned 32-bit integer, in ms.
    public var mediaItemPlaybackDurationInMilliseconds: UInt32?
    /// Parameter 5: unsigned 64-bit integer.
    public var mediaItemAlbumPersistentIdentifier: UInt64?
    /// Parameter 6: UTF-8 text with a final NUL.
    public var mediaItemAlbumTitle: String?
    /// Parameter 7: unsigned 16-bit integer.
    public var mediaItemAlbumTrackNumber: UInt16?
    /// Parameter 8: unsigned 16-bit integer.
    public var mediaItemAlbumTrackCount: UInt16?
    /// Parameter 9: unsigned 16-bit integer.
    public var mediaItemAlbumDiscNumber: UInt16?
    /// Parameter 10: unsigned 16-bit integer.
    public var mediaItemAlbumDiscCount: UInt16?
    /// Parameter 11: unsigned 64-bit integer.
    public var mediaItemArtistPersistentIdentifier: UInt64?
    /// Parameter 12: UTF-8 text with a final NUL.
    public var mediaItemArtist: String?
    /// Parameter 13: unsigned 64-bit integer.
    public var mediaItemAlbumArtistPersistentIdentifier: UInt64?
    /// Parameter 14: UTF-8 text with a final NUL.
    public var mediaItemAlbumArtist: String?
    /// Parameter 15: unsigned 64-bit integer.
    public var mediaItemGenrePersistentIdentifier: UInt64?
    /// Parameter 16: UTF-8 text with a final NUL.
    public var mediaItemGenre: String?
    /// Parameter 17: unsigned 64-bit integer.
    public var mediaItemComposerPersistentIdentifier: UInt64?
    /// Parameter 18: UTF-8 text with a final NUL.
    public var mediaItemComposer: String?
    /// Parameter 19: Boolean.
    public var mediaItemIsPartOfCompilation: Bool?
    /// Parameter 21: Boolean.
    public var mediaItemIsLikeSupported: Bool?
    /// Parameter 22: Boolean.
    public var mediaItemIsBanSupported: Bool?
    /// Parameter 23: Boolean.
    public var mediaItemIsLiked: Bool?
    /// Parameter 24: Boolean.
    public var mediaItemIsBanned: Bool?
    /// Parameter 25: Boolean.
    public var mediaItemIsResidentOnDevice: Bool?
    /// Parameter 26: unsigned 8-bit integer.
    /// The value is the id of a file transfer. Observed values are 0x80 to 0xFF.
    public var mediaItemArtworkFileTransferIdentifier: UInt8?
    /// Parameter 27: unsigned 16-bit integer.
    public var mediaItemChapterCount: UInt16?
    public var unrepresented = UnrepresentedParameters()

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
      try pass(
        26, "MediaItemArtworkFileTransferIdentifier", &mediaItemArtworkFileTransferIdentifier,
        ParameterNote(limit: .deviceFile))
      try pass(27, "MediaItemChapterCount", &mediaItemChapterCount)
    }
  }

  /// The changed attributes of the playback.
  public struct PlaybackAttributes: ParameterGroup {
    /// Parameter 0: enumeration ``PlaybackStatus``.
    public var playbackStatus: PlaybackStatus?
    /// Parameter 1: unsigned 32-bit integer, in ms.
    public var playbackElapsedTimeInMilliseconds: UInt32?
    /// Parameter 2: unsigned 32-bit integer.
    public var playbackQueueIndex: UInt32?
    /// Parameter 3: unsigned 32-bit integer.
    public var playbackQueueCount: UInt32?
    /// Parameter 4: unsigned 32-bit integer.
    public var playbackQueueChapterIndex: UInt32?
    /// Parameter 5: enumeration ``PlaybackShuffleMode``.
    public var playbackShuffleMode: PlaybackShuffleMode?
    /// Parameter 6: enumeration ``PlaybackRepeatMode``.
    public var playbackRepeatMode: PlaybackRepeatMode?
    /// Parameter 7: UTF-8 text with a final NUL.
    public var playbackAppName: String?
    /// Parameter 8: UTF-8 text with a final NUL.
    public var pbMediaLibraryUniqueIdentifier: String?
    /// Parameter 9: Boolean.
    public var pbAppleMusicRadioAd: Bool?
    /// Parameter 10: UTF-8 text with a final NUL.
    public var pbAppleMusicRadioStationName: String?
    /// Parameter 11: unsigned 64-bit integer.
    public var pbAppleMusicRadioStationMediaPlaylistPersistentID: UInt64?
    /// Parameter 12: unsigned 16-bit integer, in percent.
    /// The normal speed is 100.
    public var playbackSpeed: UInt16?
    /// Parameter 13: Boolean.
    public var setElapsedTimeAvailable: Bool?
    /// Parameter 14: Boolean.
    public var playbackQueueListAvailable: Bool?
    /// Parameter 15: unsigned 8-bit integer.
    public var playbackQueueListTransferID: UInt8?
    /// Parameter 16: UTF-8 text with a final NUL.
    public var playbackAppBundleID: String?
    /// Parameter 17: flag without a value. Confidence: medium.
    public var playbackQueueListContentTransfer: Presence = false
    public var unrepresented = UnrepresentedParameters()

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
      try pass(15, "PlaybackQueueListTransferID", &playbackQueueListTransferID, ParameterNote(limit: .deviceFile))
      try pass(16, "PlaybackAppBundleID", &playbackAppBundleID)
      try pass(17, "PlaybackQueueListContentTransfer", &playbackQueueListContentTransfer, ParameterNote(.medium))
    }
  }

  /// Parameter 0: group ``MediaItemAttributes``.
  public var mediaItemAttributes: MediaItemAttributes?
  /// Parameter 1: group ``PlaybackAttributes``.
  public var playbackAttributes: PlaybackAttributes?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5001, "NowPlayingUpdate", from: .device, "Now Playing", .high,
    [
      "Features.md#now-playing-update", "LIVI", "PODBOX", "BRIDGE", "CAT", "UNMARKED",
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
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5002, "StopNowPlayingUpdates", from: .accessory, "Now Playing", .high,
    ["Features.md#now-playing-stop", "LIVI", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that changes the position or the mode of the playback: 0x5003
/// (Features.md#now-playing-set; high).
public struct SetNowPlayingInformation: ControlMessage {
  /// Parameter 0: unsigned 32-bit integer.
  /// The unit is milliseconds. Set the value only if the device reported `setElapsedTimeAvailable`.
  public var elapsedTime: UInt32?
  /// Parameter 1: unsigned 32-bit integer.
  public var playbackQueueIndex: UInt32?
  /// Parameter 2: unsigned 32-bit integer. Confidence: medium.
  public var playbackQueueListContentTransferStartIndex: UInt32?
  /// Parameter 3: unsigned 8-bit integer. Confidence: low.
  public var shuffleMode: UInt8?
  /// Parameter 4: unsigned 8-bit integer. Confidence: low.
  public var repeatMode: UInt8?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5003, "SetNowPlayingInformation", from: .accessory, "Now Playing", .high,
    ["Features.md#now-playing-set", "BRIDGE", "CAT", "UNMARKED"])

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
