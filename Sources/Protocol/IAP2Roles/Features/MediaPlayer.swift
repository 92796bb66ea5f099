// swift-iap2 · Apache-2.0

package import IAP2

/// A media item on the phone, such as a piece of music.
public struct MediaItem: Sendable, Hashable, Codable {
  /// The persistent identifier: any number that stays the same for this item.
  package var identifier: UInt64
  /// The title of the item.
  public var title: String
  /// The artist of the item and of its album.
  public var artist = ""
  /// The title of the album.
  public var album = ""
  /// The genre of the item.
  package var genre = ""
  /// The composer of the item.
  package var composer = ""
  /// The duration of the item, which is sent in milliseconds; zero for a live stream, which has none.
  package var duration: Duration
  /// The media type of the item.
  package var mediaType = MediaType.music
  /// The artwork as an image file; empty if there is none.
  public var artwork: [UInt8] = []

  /// Creates a piece of music with empty texts and without artwork.
  public init(identifier: UInt64, title: String, duration: Duration) {
    self.identifier = identifier
    self.title = title
    self.duration = duration
  }
}

/// The media player of a phone: a queue, a position in it, and the controls that a car has.
public struct MediaPlayer: Sendable, Equatable {
  /// The items in the order of playback.
  public var queue: [MediaItem] = []
  /// The index of the current item in the queue.
  package var index = 0
  /// The playback status.
  package var status = PlaybackStatus.stopped
  /// The position in the current item in milliseconds.
  public var elapsedMilliseconds = 0
  /// The shuffle mode that is reported. It does not change the order of the queue.
  package var shuffleMode = PlaybackShuffleMode.off
  /// The repeat mode.
  package var repeatMode = PlaybackRepeatMode.off
  /// The name of the app that plays.
  package var appName = "Music"
  /// The bundle identifier of the app that plays.
  package var appBundleIdentifier = "com.example.music"
  /// The playback speed in percent of the normal speed.
  package var speed = 100

  /// Creates a stopped player with an empty queue.
  package init() {}

  /// The current item; nil if `index` is outside the queue.
  public var item: MediaItem? { queue.indices.contains(index) ? queue[index] : nil }
  /// Whether there is a current item and it plays.
  public var isPlaying: Bool { status == .playing && item != nil }

  /// Replaces the queue and goes to its first item. An empty queue stops the player.
  public mutating func replaceQueue(_ items: [MediaItem]) {
    queue = items
    index = 0
    elapsedMilliseconds = 0
    if items.isEmpty { status = .stopped }
  }

  /// Plays the current item; does nothing without one.
  public mutating func play() { if item != nil { status = .playing } }
  /// Pauses the current item; does nothing without one.
  public mutating func pause() { if item != nil { status = .paused } }
  /// Pauses an item that plays; otherwise plays the current item.
  package mutating func togglePlay() { if isPlaying { pause() } else { play() } }

  /// Stops and goes to the beginning of the current item.
  package mutating func stop() {
    status = .stopped
    elapsedMilliseconds = 0
  }

  /// Goes to the next item. At the end of the queue it goes to the first item, and stops unless the repeat mode is
  /// `all`.
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

  /// Goes to the beginning of the current item, or to the previous item in the first three seconds.
  public mutating func previous() {
    if elapsedMilliseconds < 3000, index > 0 { index -= 1 }
    elapsedMilliseconds = 0
  }

  /// Goes to the beginning of the item at this index; does nothing if the index is outside the queue.
  public mutating func jump(to index: Int) {
    guard queue.indices.contains(index) else { return }
    self.index = index
    elapsedMilliseconds = 0
  }

  /// Sets the position in the current item, limited to its duration; does nothing without an item.
  public mutating func seek(toMilliseconds milliseconds: Int) {
    guard let item else { return }
    elapsedMilliseconds = max(0, min(milliseconds, item.durationMilliseconds))
  }

  /// Moves the position for the time that has passed, if an item plays.
  package mutating func advance(milliseconds: Int) {
    guard isPlaying else { return }
    elapsedMilliseconds += milliseconds * speed / 100
    while isPlaying, let item, elapsedMilliseconds >= item.durationMilliseconds {
      let over = elapsedMilliseconds - item.durationMilliseconds
      if repeatMode != .one { next() }
      elapsedMilliseconds = repeatMode == .one && item.durationMilliseconds == 0 ? 0 : over
      if item.durationMilliseconds == 0 { return stop() }
    }
  }

  /// Moves the position for the time that has passed, at most to the end of the item; one without a length has no end.
  mutating func run(milliseconds: Int) {
    guard isPlaying, let item else { return }
    let position = elapsedMilliseconds + milliseconds * speed / 100
    elapsedMilliseconds = item.durationMilliseconds > 0 ? min(position, item.durationMilliseconds) : position
  }

  /// The attributes that a car reads, without the ids of file transfers.
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

  /// The attributes that clear a media item that was sent.
  static let noItem: NowPlayingUpdate.MediaItemAttributes = {
    var attributes = MediaPlayer().attributes(of: MediaItem(identifier: 0, title: "", duration: .zero))
    attributes.mediaItemPlaybackDurationInMilliseconds = 0
    return attributes
  }()

  private func attributes(of item: MediaItem) -> NowPlayingUpdate.MediaItemAttributes {
    var attributes = NowPlayingUpdate.MediaItemAttributes()
    attributes.mediaItemPersistentIdentifier = item.identifier
    attributes.mediaItemTitle = item.title
    attributes.mediaItemMediaType = [item.mediaType]
    // A live stream has no duration.
    let duration = item.durationMilliseconds
    attributes.mediaItemPlaybackDurationInMilliseconds = duration > 0 ? UInt32(clamping: duration) : nil
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

extension NowPlayingUpdate {
  /// The duration of the media item, which belongs to its identifier: an update with a new item and without a duration
  /// has none (Features.md#item-duration).
  static let durationOfItem = (
    key: AttributeTable.Key(id: 0, nested: 4), whenever: AttributeTable.Key(id: 0, nested: 0)
  )
}

extension MediaItem {
  var durationMilliseconds: Int {
    let (seconds, attoseconds) = duration.components
    // The message has 32 bits for the milliseconds.
    return max(0, Int(min(max(seconds, 0), 1 << 32)) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
