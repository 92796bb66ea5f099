// swift-iap2 · Apache-2.0

package import IAP2

extension HeadUnitProfile {
  /// Returns the Start messages of a set of features, in the order of wired head units (Sessions.md#typical-wired-car).
  /// Each requests the attributes that this head unit can use.
  static func requests(_ features: HeadUnitFeatures) -> [[UInt8]] {
    var messages: [any ControlMessage] = []
    if features.contains(.nowPlaying) { messages.append(StartNowPlayingUpdates.everything) }
    if features.contains(.routeGuidance) {
      var start = StartRouteGuidanceUpdates()
      start.routeGuidanceDisplayComponentID = [30]
      start.sourceName = true
      start.sourceSupportsRouteGuidance = true
      start.supportsExitInfo = true
      messages.append(start)
    }
    if features.contains(.power) { messages.append(StartPowerUpdates.standard) }
    if features.contains(.calls) {
      messages.append(StartCommunicationsUpdates.everything)
      messages.append(StartCallStateUpdates.everything)
    }
    if features.contains(.callLists) { messages.append(StartListUpdates.everything) }
    if features.contains(.mediaLibrary) { messages.append(StartMediaLibraryInformation()) }
    if features.contains(.bluetooth) {
      var start = StartBluetoothConnectionUpdates()
      start.bluetoothTransportComponentIdentifier = 2
      messages.append(start)
    }
    if features.contains(.usbAudio) { messages.append(StartUSBDeviceModeAudio()) }
    if features.contains(.assistiveTouch) { messages.append(StartAssistiveTouchInformation()) }
    // These requests have a few hundred bytes, so each one can be encoded.
    return messages.compactMap { message in
      do { return try message.encoded() } catch { return nil }
    }
  }
}

extension StartPowerUpdates {
  static var standard: StartPowerUpdates {
    var start = StartPowerUpdates()
    start.maximumCurrentDrawnFromAccessory = true
    start.deviceBatteryWillChargeIfPowerIsPresent = true
    start.isExternalChargerConnected = true
    start.batteryChargingState = true
    start.batteryChargeLevel = true
    return start
  }
}

extension StartNowPlayingUpdates {
  static var everything: StartNowPlayingUpdates {
    var item = MediaItemAttributes()
    item.mediaItemPersistentIdentifier = true
    item.mediaItemTitle = true
    item.mediaItemPlaybackDurationInMilliseconds = true
    item.mediaItemAlbumTitle = true
    item.mediaItemAlbumTrackNumber = true
    item.mediaItemAlbumTrackCount = true
    item.mediaItemArtist = true
    item.mediaItemAlbumArtist = true
    item.mediaItemGenre = true
    item.mediaItemComposer = true
    item.mediaItemArtworkFileTransferIdentifier = true
    var playback = PlaybackAttributes()
    playback.playbackStatus = true
    playback.playbackElapsedTimeInMilliseconds = true
    playback.playbackQueueIndex = true
    playback.playbackQueueCount = true
    playback.playbackShuffleMode = true
    playback.playbackRepeatMode = true
    playback.playbackAppName = true
    playback.playbackSpeed = true
    playback.setElapsedTimeAvailable = true
    playback.playbackQueueListAvailable = true
    playback.playbackQueueListTransferID = true
    playback.playbackAppBundleID = true
    var start = StartNowPlayingUpdates()
    start.mediaItemAttributes = item
    start.playbackAttributes = playback
    return start
  }
}

extension StartCommunicationsUpdates {
  static var everything: StartCommunicationsUpdates {
    var start = StartCommunicationsUpdates()
    start.signalStrength = true
    start.registrationStatus = true
    start.airplaneModeStatus = true
    start.carrierName = true
    start.cellularSupported = true
    start.telephonyEnabled = true
    start.faceTimeAudioEnabled = true
    start.faceTimeVideoEnabled = true
    start.muteStatus = true
    start.currentCallCount = true
    start.newVoicemailCount = true
    start.initiateCallAvailable = true
    start.endAndAcceptAvailable = true
    start.holdAndAcceptAvailable = true
    start.swapAvailable = true
    start.mergeAvailable = true
    start.holdAvailable = true
    return start
  }
}

extension StartCallStateUpdates {
  static var everything: StartCallStateUpdates {
    var start = StartCallStateUpdates()
    start.remoteID = true
    start.displayName = true
    start.status = true
    start.direction = true
    start.callUUID = true
    start.label = true
    start.service = true
    start.isConferenced = true
    start.conferenceGroup = true
    start.disconnectReason = true
    start.startTimestamp = true
    return start
  }
}

extension StartListUpdates {
  static var everything: StartListUpdates {
    var recents = RecentsListProperties()
    recents.index = true
    recents.remoteID = true
    recents.displayName = true
    recents.label = true
    recents.service = true
    recents.type = true
    recents.unixTimestamp = true
    recents.duration = true
    recents.occurrences = true
    var favorites = FavoritesListProperties()
    favorites.index = true
    favorites.remoteID = true
    favorites.displayName = true
    favorites.label = true
    favorites.service = true
    var start = StartListUpdates()
    start.recentsListProperties = recents
    start.recentsListMax = 50
    start.recentsListCombine = true
    start.favoritesListProperties = favorites
    start.favoritesListMax = 50
    return start
  }
}

extension StartMediaLibraryUpdates {
  /// Returns a request for all items and playlists of a library.
  ///
  /// - Parameters:
  ///   - library: The unique identifier of the library.
  ///   - revision: The last revision that the head unit knows; nil requests the library from its beginning.
  package static func everything(of library: String, revision: String? = nil) -> StartMediaLibraryUpdates {
    var item = MediaItemProperties()
    item.mediaItemPersistentIdentifier = true
    item.mediaItemTitle = true
    item.mediaItemPlaybackDurationInMilliseconds = true
    item.mediaItemAlbumTitle = true
    item.mediaItemArtist = true
    item.mediaItemAlbumArtist = true
    item.mediaItemGenre = true
    item.mediaItemComposer = true
    var playlist = MediaPlaylistProperties()
    playlist.mediaPlaylistPersistentIdentifier = true
    playlist.mediaPlaylistName = true
    var start = StartMediaLibraryUpdates()
    start.mediaLibraryUniqueIdentifier = library
    start.lastKnownMediaLibraryRevision = revision
    start.mediaItemProperties = item
    start.mediaPlaylistProperties = playlist
    start.mediaLibraryUpdateProgress = true
    return start
  }
}
