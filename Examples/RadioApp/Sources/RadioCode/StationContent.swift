// swift-iap2 · Apache-2.0

import CarPlay
import MediaPlayer

/// The stations for cars before iOS 14: a tree of genres and stations by index paths.
@MainActor
final class StationContent: NSObject {
  private let radio: Radio
  /// The stations of the genres that were loaded.
  private var stations: [String: [Station]] = [:]
  /// The number of rows that the car takes while it moves.
  private var itemLimit = Int.max

  init(_ radio: Radio) { self.radio = radio }

  private func genre(_ path: IndexPath) -> String? {
    path.first.flatMap { radio.catalog.genres.indices.contains($0) ? radio.catalog.genres[$0] : nil }
  }

  private func stations(at path: IndexPath) -> [Station] {
    let all = genre(path).flatMap { stations[$0] } ?? []
    return Array(all.prefix(itemLimit))
  }
}

/// An item of the tree with its station.
final class StationItem: MPContentItem {
  let station: Station

  init(_ station: Station) {
    self.station = station
    super.init(identifier: station.name)
    title = station.name
    subtitle = station.program
    isPlayable = true
    isStreamingContent = true
  }
}

extension StationContent: @preconcurrency MPPlayableContentDataSource {
  /// Loads the stations of a genre. The car shows a spinner until the completion, so every path calls it.
  func beginLoadingChildItems(at indexPath: IndexPath, completionHandler: @escaping ((any Error)?) -> Void) {
    guard radio.isLoggedIn, let genre = genre(indexPath) else { return completionHandler(nil) }
    Task {
      do {
        stations[genre] = try await radio.catalog.load(genre)
        completionHandler(nil)
      } catch { completionHandler(error) }
    }
  }

  func numberOfChildItems(at indexPath: IndexPath) -> Int {
    // An empty root is an error on the car, so a tab and its row tell the user what to do.
    guard radio.isLoggedIn else { return indexPath.count < 2 ? 1 : 0 }
    return indexPath.isEmpty ? radio.catalog.genres.count : stations(at: indexPath).count
  }

  func contentItem(at indexPath: IndexPath) -> MPContentItem? {
    guard radio.isLoggedIn else {
      let item = MPContentItem(identifier: "log in")
      item.title = "Log in on the phone"
      return item
    }
    guard indexPath.count > 1 else {
      guard let genre = genre(indexPath) else { return nil }
      let item = MPContentItem(identifier: genre)
      item.title = genre
      item.isContainer = true
      return item
    }
    let shown = stations(at: indexPath)
    return shown.indices.contains(indexPath[1]) ? StationItem(shown[indexPath[1]]) : nil
  }
}

extension StationContent: @preconcurrency MPPlayableContentDelegate {
  /// Plays a station. The system opens Now Playing at the completion, so the player speaks to it before.
  func playableContentManager(
    _ contentManager: MPPlayableContentManager, initiatePlaybackOfContentItemAt indexPath: IndexPath,
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    if let item = contentItem(at: indexPath) as? StationItem {
      radio.player.play(item.station, of: stations(at: indexPath))
    }
    completionHandler(nil)
  }

  func playableContentManager(
    _ contentManager: MPPlayableContentManager, didUpdate context: MPPlayableContentManagerContext
  ) {
    itemLimit = context.contentLimitsEnforced ? context.enforcedContentItemsCount : .max
    contentManager.reloadData()
  }
}
