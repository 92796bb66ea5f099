// swift-iap2 · Apache-2.0

package import IAP2

/// A media library of the phone, with a revision that increases with every change.
public struct MediaLibrary: Sendable, Equatable {
  /// A playlist of a media library.
  public struct Playlist: Sendable, Hashable {
    /// The persistent identifier of the playlist.
    package var identifier: UInt64
    /// The name of the playlist.
    package var name: String
    /// The identifiers of the items, in order.
    package var items: [UInt64]

    /// Creates a playlist.
    public init(identifier: UInt64, name: String, items: [UInt64]) {
      self.identifier = identifier
      self.name = name
      self.items = items
    }
  }

  /// The changes of one revision.
  struct Change: Sendable, Equatable {
    var items: Set<UInt64> = []
    var playlists: Set<UInt64> = []
    var deletedItems: [UInt64] = []
    var deletedPlaylists: [UInt64] = []
  }

  /// The name of the library.
  package var name: String
  /// The unique identifier: any text that stays the same for this library.
  package var identifier: String
  /// The kind of the library.
  package var type = MediaLibraryType.localDevice
  /// The items of the library.
  package private(set) var items: [MediaItem]
  /// The playlists of the library.
  package private(set) var playlists: [Playlist]
  /// The revision, which starts at 1 and increases with every change.
  package private(set) var revision = 1
  private var changes: [Int: Change] = [:]

  /// The revisions whose changes are kept. A car that knows only an older revision receives everything.
  static let maximumChanges = 64

  /// Creates a library of revision 1.
  public init(name: String, identifier: String, items: [MediaItem], playlists: [Playlist] = []) {
    self.name = name
    self.identifier = identifier
    self.items = items
    self.playlists = playlists
  }

  /// Adds an item or replaces the one with its identifier.
  public mutating func put(_ item: MediaItem) {
    if let index = items.firstIndex(where: { $0.identifier == item.identifier }) {
      items[index] = item
    } else {
      items.append(item)
    }
    changed { $0.items.insert(item.identifier) }
  }

  /// Removes the item with this identifier; does nothing if there is none.
  public mutating func removeItem(_ identifier: UInt64) {
    guard items.contains(where: { $0.identifier == identifier }) else { return }
    items.removeAll { $0.identifier == identifier }
    changed { $0.deletedItems.append(identifier) }
  }

  /// Adds a playlist or replaces the one with its identifier.
  public mutating func put(_ playlist: Playlist) {
    if let index = playlists.firstIndex(where: { $0.identifier == playlist.identifier }) {
      playlists[index] = playlist
    } else {
      playlists.append(playlist)
    }
    changed { $0.playlists.insert(playlist.identifier) }
  }

  /// Removes the playlist with this identifier; does nothing if there is none.
  public mutating func removePlaylist(_ identifier: UInt64) {
    guard playlists.contains(where: { $0.identifier == identifier }) else { return }
    playlists.removeAll { $0.identifier == identifier }
    changed { $0.deletedPlaylists.append(identifier) }
  }

  /// Continues the revisions of an earlier library with the same identifier. A car that knows the earlier one receives
  /// everything.
  mutating func follow(_ earlier: MediaLibrary) {
    revision = earlier.revision + 1
    changes = [:]
  }

  private mutating func changed(_ body: (inout Change) -> Void) {
    revision += 1
    var change = Change()
    body(&change)
    changes[revision] = change
    changes[revision - Self.maximumChanges] = nil
  }

  /// Returns everything that changed after a revision; nil if this is no longer known.
  func changes(after known: Int) -> Change? {
    guard known <= revision, known >= 1 else { return nil }
    var all = Change()
    for step in known..<revision {
      guard let change = changes[step + 1] else { return nil }
      all.items.formUnion(change.items)
      all.playlists.formUnion(change.playlists)
      all.deletedItems += change.deletedItems
      all.deletedPlaylists += change.deletedPlaylists
    }
    // An item that was added and removed again counts as removed. One that was removed and added again counts as
    // present.
    let there = Set(items.map(\.identifier))
    let lists = Set(playlists.map(\.identifier))
    all.items.formIntersection(there)
    all.playlists.formIntersection(lists)
    all.deletedItems.removeAll { there.contains($0) }
    all.deletedPlaylists.removeAll { lists.contains($0) }
    return all
  }
}

/// A subscription of a car to one library.
struct MediaLibrarySubscription: Sendable {
  var start: StartMediaLibraryUpdates
  /// The revision that the car has; nil if it has none.
  var known: Int?

  /// The items in one message, far below the limit of a message even with long names.
  static let batch = 20

  init(_ start: StartMediaLibraryUpdates) {
    self.start = start
    known = start.lastKnownMediaLibraryRevision.flatMap { Int($0) }
  }

  /// Returns the messages that bring the car to the library's revision. The last message has progress 100.
  mutating func updates(to library: MediaLibrary) -> [MediaLibraryUpdate] {
    guard known != library.revision else { return [] }
    let change = known.flatMap { library.changes(after: $0) }
    known = library.revision
    var items = library.items
    var playlists = library.playlists
    if let change {
      items = items.filter { change.items.contains($0.identifier) }
      playlists = playlists.filter { change.playlists.contains($0.identifier) }
    }
    var all: [MediaLibraryUpdate] = []
    var first = update(of: library)
    if let change {
      first.mediaItemDeletePersistentIdentifier = change.deletedItems
      first.mediaPlaylistDeletePersistentIdentifier = change.deletedPlaylists
    } else {
      first.mediaLibraryReset = true
    }
    first.mediaPlaylist = playlists.map { playlist($0) }
    all.append(first)
    for begin in stride(from: 0, to: items.count, by: Self.batch) {
      var message = update(of: library)
      message.mediaItem = items[begin..<min(begin + Self.batch, items.count)].map { item($0) }
      all.append(message)
    }
    for index in all.indices { all[index].mediaLibraryUpdateProgress = UInt8((index + 1) * 100 / all.count) }
    all[all.count - 1].mediaLibraryRevision = "\(library.revision)"
    return all
  }

  private func update(of library: MediaLibrary) -> MediaLibraryUpdate {
    var update = MediaLibraryUpdate()
    update.mediaLibraryUniqueIdentifier = library.identifier
    return update
  }

  private func playlist(_ playlist: MediaLibrary.Playlist) -> MediaLibraryUpdate.MediaPlaylist {
    var group = MediaLibraryUpdate.MediaPlaylist()
    group.mediaPlaylistPersistentIdentifier = playlist.identifier
    guard let wanted = start.mediaPlaylistProperties else { return group }
    if wanted.mediaPlaylistName.isSet { group.mediaPlaylistName = playlist.name }
    if wanted.mediaPlaylistIsFolder.isSet { group.mediaPlaylistIsFolder = false }
    if wanted.mediaPlaylistIsGeniusMix.isSet { group.mediaPlaylistIsGeniusMix = false }
    return group
  }

  private func item(_ item: MediaItem) -> MediaLibraryUpdate.MediaItem {
    var group = MediaLibraryUpdate.MediaItem()
    group.mediaItemPersistentIdentifier = item.identifier
    guard let wanted = start.mediaItemProperties else { return group }
    if wanted.mediaItemTitle.isSet { group.mediaItemTitle = item.title }
    if wanted.mediaItemMediaType.isSet { group.mediaItemMediaType = [item.mediaType] }
    if wanted.mediaItemPlaybackDurationInMilliseconds.isSet {
      group.mediaItemPlaybackDurationInMilliseconds = UInt32(clamping: item.durationMilliseconds)
    }
    if wanted.mediaItemAlbumTitle.isSet { group.mediaItemAlbumTitle = item.album }
    if wanted.mediaItemArtist.isSet { group.mediaItemArtist = item.artist }
    if wanted.mediaItemAlbumArtist.isSet { group.mediaItemAlbumArtist = item.artist }
    if wanted.mediaItemGenre.isSet { group.mediaItemGenre = item.genre }
    if wanted.mediaItemComposer.isSet { group.mediaItemComposer = item.composer }
    return group
  }
}
