// swift-iap2 · Apache-2.0

public import IAP2

/// A piece of music or speech as the phone knows it.
public struct MediaItem: Sendable, Hashable {
  /// Any number that stays the same for this item.
  public var identifier: UInt64
  public var title: String
  public var artist = ""
  public var album = ""
  public var genre = ""
  public var composer = ""
  public var duration: Duration
  public var mediaType = MediaType.music
  /// An image file; empty for none.
  public var artwork: [UInt8] = []

  public init(identifier: UInt64, title: String, duration: Duration) {
    self.identifier = identifier
    self.title = title
    self.duration = duration
  }
}

/// What plays on the phone: a queue, a place in it, and the controls a car has.
public struct MediaPlayer: Sendable, Equatable {
  public var queue: [MediaItem] = []
  public var index = 0
  public var status = PlaybackStatus.stopped
  public var elapsedMilliseconds = 0
  /// Only told: the queue keeps its order.
  public var shuffleMode = PlaybackShuffleMode.off
  public var repeatMode = PlaybackRepeatMode.off
  public var appName = "Music"
  public var appBundleIdentifier = "com.example.music"
  /// Percent of the normal speed.
  public var speed = 100

  public init() {}

  public var item: MediaItem? { queue.indices.contains(index) ? queue[index] : nil }
  public var isPlaying: Bool { status == .playing && item != nil }

  /// Another queue, from its beginning; an empty one ends playing.
  public mutating func replaceQueue(_ items: [MediaItem]) {
    queue = items
    index = 0
    elapsedMilliseconds = 0
    if items.isEmpty { status = .stopped }
  }

  public mutating func play() { if item != nil { status = .playing } }
  public mutating func pause() { if item != nil { status = .paused } }
  public mutating func togglePlay() { if isPlaying { pause() } else { play() } }

  public mutating func stop() {
    status = .stopped
    elapsedMilliseconds = 0
  }

  /// The next item; at the end of the queue playing stops, unless it repeats.
  public mutating func next() {
    guard !queue.isEmpty else { return }
    if index + 1 < queue.count {
      index += 1
    } else if repeatMode == .all {
      index = 0
    } else {
      index = 0
      status = .stopped
    }
    elapsedMilliseconds = 0
  }

  /// The item's beginning first, then the one before it, as players do.
  public mutating func previous() {
    if elapsedMilliseconds < 3000, index > 0 { index -= 1 }
    elapsedMilliseconds = 0
  }

  public mutating func jump(to index: Int) {
    guard queue.indices.contains(index) else { return }
    self.index = index
    elapsedMilliseconds = 0
  }

  public mutating func seek(toMilliseconds milliseconds: Int) {
    guard let item else { return }
    elapsedMilliseconds = max(0, min(milliseconds, item.durationMilliseconds))
  }

  /// Lets time pass.
  public mutating func advance(milliseconds: Int) {
    guard isPlaying else { return }
    elapsedMilliseconds += milliseconds * speed / 100
    while isPlaying, let item, elapsedMilliseconds >= item.durationMilliseconds {
      let over = elapsedMilliseconds - item.durationMilliseconds
      if repeatMode != .one { next() }
      elapsedMilliseconds = repeatMode == .one && item.durationMilliseconds == 0 ? 0 : over
      if item.durationMilliseconds == 0 { return stop() }
    }
  }

  /// What a car sees, but for the numbers of file transfers.
  var update: NowPlayingUpdate {
    var update = NowPlayingUpdate()
    if let item { update.mediaItemAttributes = attributes(of: item) }
    var playback = NowPlayingUpdate.PlaybackAttributes()
    playback.playbackStatus = status
    playback.playbackElapsedTimeInMilliseconds = UInt32(clamping: elapsedMilliseconds)
    playback.playbackQueueIndex = UInt32(clamping: index)
    playback.playbackQueueCount = UInt32(clamping: queue.count)
    playback.playbackShuffleMode = shuffleMode
    playback.playbackRepeatMode = repeatMode
    playback.playbackAppName = appName
    playback.playbackAppBundleID = appBundleIdentifier
    playback.playbackSpeed = UInt16(clamping: speed)
    playback.setElapsedTimeAvailable = item != nil
    playback.playbackQueueListAvailable = !queue.isEmpty
    update.playbackAttributes = playback
    return update
  }

  /// What takes back everything that was told of an item.
  static let noItem = MediaPlayer().attributes(of: MediaItem(identifier: 0, title: "", duration: .zero))

  private func attributes(of item: MediaItem) -> NowPlayingUpdate.MediaItemAttributes {
    var attributes = NowPlayingUpdate.MediaItemAttributes()
    attributes.mediaItemPersistentIdentifier = item.identifier
    attributes.mediaItemTitle = item.title
    attributes.mediaItemMediaType = [item.mediaType]
    attributes.mediaItemPlaybackDurationInMilliseconds = UInt32(clamping: item.durationMilliseconds)
    attributes.mediaItemAlbumTitle = item.album
    attributes.mediaItemAlbumTrackNumber = UInt16(clamping: index + 1)
    attributes.mediaItemAlbumTrackCount = UInt16(clamping: queue.count)
    attributes.mediaItemArtist = item.artist
    attributes.mediaItemAlbumArtist = item.artist
    attributes.mediaItemGenre = item.genre
    attributes.mediaItemComposer = item.composer
    attributes.mediaItemIsResidentOnDevice = true
    return attributes
  }
}

extension MediaItem {
  var durationMilliseconds: Int {
    let (seconds, attoseconds) = duration.components
    // The wire has 32 bits of milliseconds.
    return max(0, Int(min(max(seconds, 0), 1 << 32)) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
