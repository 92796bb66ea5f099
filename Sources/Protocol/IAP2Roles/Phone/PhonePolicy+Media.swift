// swift-iap2 · Apache-2.0

import IAP2

/// The files that a phone sends: artwork and queue lists, with their announced ids.
struct PhoneFiles: Sendable {
  /// The item whose artwork was announced, and the id of the file.
  var artwork: (item: MediaItem, id: UInt8)?
  /// The items of the queue that was announced, and the id of the file.
  var queue: (items: [UInt64], id: UInt8)?
  private var last: UInt8 = 127
  private var inUse: Set<UInt8> = []

  /// Reserves a file id of the device's half, 128 to 255; returns nil if all 128 are in use.
  mutating func take() -> UInt8? {
    for _ in 0..<128 {
      last = last == 255 ? 128 : last + 1
      if inUse.insert(last).inserted { return last }
    }
    return nil
  }

  mutating func release(_ id: UInt8) { inUse.remove(id) }
}

extension PhonePolicy {
  // MARK: Now playing

  mutating func handleNowPlaying(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case StartNowPlayingUpdates.id:
      let start = try StartNowPlayingUpdates(decoding: bytes.rawBytes)
      try nowPlaying.start(bytes.rawBytes)
      files.artwork = nil
      files.queue = nil
      let unknown =
        start.unrepresented.unknownIDs + (start.mediaItemAttributes?.unrepresented.unknownIDs ?? [])
        + (start.playbackAttributes?.unrepresented.unknownIDs ?? [])
      let report: [RoleAction] =
        unknown.isEmpty ? [] : [.event(.violation(.unknownAttributes(message: id, unknown)))]
      return report + (try sendNowPlaying())
    case StopNowPlayingUpdates.id:
      guard nowPlaying.isActive else { return notStarted(id) }
      nowPlaying.stop()
      return []
    case SetNowPlayingInformation.id:
      let set = try SetNowPlayingInformation(decoding: bytes.rawBytes)
      if let index = set.playbackQueueIndex { state.obey(.jump(Int(index))) }
      if let elapsed = set.elapsedTime { state.obey(.seek(Int(elapsed))) }
      if let mode = set.shuffleMode { state.obey(.shuffle(PlaybackShuffleMode(rawValue: mode))) }
      if let mode = set.repeatMode { state.obey(.repeating(PlaybackRepeatMode(rawValue: mode))) }
      return announce()
    default: return []
    }
  }

  /// Sends the update, then the files whose ids it names.
  mutating func sendNowPlaying() throws(WireError) -> [RoleAction] {
    guard nowPlaying.isActive, isListed(NowPlayingUpdate.id) else { return [] }
    var update = state.player.update
    // The attributes of an item are cleared when the item is removed.
    if state.player.item == nil, hasReportedItem { update.mediaItemAttributes = MediaPlayer.noItem }
    if state.player.item == nil { files.artwork = nil } else { hasReportedItem = true }
    // Without the identifier, the car cannot know that another item has no duration.
    if let item = update.mediaItemAttributes, !nowPlaying.wants(0, in: 0) {
      let duration = item.mediaItemPlaybackDurationInMilliseconds
      update.mediaItemAttributes?.mediaItemPlaybackDurationInMilliseconds = duration ?? 0
    }
    var offers: [RoleAction] = []
    if nowPlaying.wants(26, in: 0), let item = state.player.item {
      if files.artwork?.item != item, let id = files.take() {
        files.artwork = (item, id)
        // Type 2 is artwork (FileTransfer.md#setup-type; medium, BTFT).
        offers.append(.sendFile(id: id, bytes: item.artwork, type: 2))
      }
      update.mediaItemAttributes?.mediaItemArtworkFileTransferIdentifier = files.artwork?.id
    }
    if nowPlaying.wants(15, in: 1), !state.player.queue.isEmpty {
      let items = state.player.queue.map(\.identifier)
      if files.queue?.items != items, let id = files.take() {
        files.queue = (items, id)
        // Unverified: the content of a queue list. Its name suggests persistent identifiers.
        let bytes = items.flatMap { item in (0..<8).map { UInt8(truncatingIfNeeded: item >> (56 - 8 * $0)) } }
        offers.append(.sendFile(id: id, bytes: bytes, type: nil))
      }
      update.playbackAttributes?.playbackQueueListTransferID = files.queue?.id
    }
    return sendIfListed(try nowPlaying.update(to: update, repeating: NowPlayingUpdate.durationOfItem)) + offers
  }

  mutating func handle(_ event: FileInput) -> [RoleAction] {
    switch event {
    case .delivered(let id), .failed(let id), .cancelled(let id):
      files.release(id)
      return []
    // No source describes a file that an accessory sends.
    case .offered(let id, _): return [.cancelFile(id: id)]
    case .data: return []
    }
  }

  // MARK: Media library

  mutating func handleLibrary(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case StartMediaLibraryInformation.id:
      wantsLibraries = true
      sentLibraries = nil
      return sendLibraries()
    case StopMediaLibraryInformation.id:
      guard wantsLibraries else { return notStarted(id) }
      wantsLibraries = false
      return []
    case StartMediaLibraryUpdates.id:
      let start = try StartMediaLibraryUpdates(decoding: bytes.rawBytes)
      let wanted = start.mediaLibraryUniqueIdentifier
      guard state.libraries.contains(where: { $0.identifier == wanted }) else {
        return [.event(.violation(.unknownTarget(message: id)))]
      }
      libraries[wanted] = MediaLibrarySubscription(start)
      return RoleMessage.unknownAttributes(start) + sendLibraries()
    default: return playRequest(id, bytes)
    }
  }

  /// Handles 0x4C05 to 0x4C09. Their parameters are known from one weak source only, so missing or malformed values are
  /// ignored.
  ///
  /// Unverified: 0x4C05 has a library's identifier in parameter 0; 0x4C07 has identifiers in 0 and an index in 1;
  /// 0x4C08 has a playlist's identifier in 0; 0x4C09 plays all items.
  private mutating func playRequest(_ id: UInt16, _ bytes: [UInt8]) -> [RoleAction] {
    let (nodes, _) = ParameterNode.nodes(of: bytes.rawBytes, rows: [])
    func value(_ id: UInt16) -> [UInt8]? {
      nodes.lazy.compactMap { node in
        if node.id == id, case .bytes(let bytes) = node.value { bytes } else { nil }
      }.first
    }
    let items = state.libraries.flatMap(\.items)
    switch id {
    case UntypedMessage.stopMediaLibraryUpdates:
      let name = String(decoding: (value(0) ?? []).prefix { $0 != 0 }, as: UTF8.self)
      return libraries.removeValue(forKey: name) == nil ? notStarted(id) : []
    case UntypedMessage.playMediaLibraryCurrentSelection: state.player.play()
    case UntypedMessage.playMediaLibraryItems:
      let wanted = value(0) ?? []
      let identifiers = stride(from: 0, to: wanted.count - wanted.count % 8, by: 8).map { start in
        wanted[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
      play(identifiers.compactMap { wanted in items.first { $0.identifier == wanted } })
      if let index = value(1), index.count == 4 {
        state.player.jump(to: Int(index.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
      }
    case UntypedMessage.playMediaLibraryCollection:
      let wanted = (value(0) ?? []).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let playlists = state.libraries.flatMap(\.playlists)
      guard let playlist = playlists.first(where: { $0.identifier == wanted }) else { return [] }
      play(playlist.items.compactMap { wanted in items.first { $0.identifier == wanted } })
    case UntypedMessage.playMediaLibrarySpecial: play(items)
    default: return []
    }
    return announce()
  }

  private mutating func play(_ items: [MediaItem]) {
    guard !items.isEmpty else { return }
    state.player.replaceQueue(items)
    state.player.play()
  }

  mutating func sendLibraries() -> [RoleAction] {
    var actions: [RoleAction] = []
    if wantsLibraries {
      var information = MediaLibraryInformation()
      information.mediaLibraryInformation = state.libraries.map { library in
        var entry = MediaLibraryInformation.Library()
        entry.mediaLibraryName = library.name
        entry.mediaLibraryUniqueIdentifier = library.identifier
        entry.mediaLibraryType = library.type
        return entry
      }
      if sentLibraries != information {
        sentLibraries = information
        actions += sendIfListed(information)
      }
    }
    for library in state.libraries {
      guard var subscription = libraries[library.identifier] else { continue }
      for update in subscription.updates(to: library) { actions += sendIfListed(update) }
      libraries[library.identifier] = subscription
    }
    return actions
  }
}
