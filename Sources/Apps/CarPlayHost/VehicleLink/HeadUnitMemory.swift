// swift-iap2 · Apache-2.0

import CarPlayPlatform
import IAP2
import IAP2Roles

/// The updates about the phone's apps that the head unit received, and its display of them.
struct HeadUnitMemory: Sendable {
  /// The display.
  private(set) var display = HeadUnitDisplay()
  private var maneuvers: [UInt16: RouteGuidanceManeuverUpdate] = [:]
  private var lanes: [UInt16: LaneGuidanceInformation] = [:]
  private var route: RouteGuidanceUpdate?
  private var artworkByteCount = 0
  /// The last line of each name, so that a log contains only changes.
  private var lines: [String: String] = [:]

  /// The maximum number of stored maneuvers. A route has fewer, and indexes only increase.
  private static let maximumManeuvers = 512

  /// Handles a change of the head unit's connection state. A disconnect clears the display; on a new connection a phone
  /// reports everything again.
  mutating func setConnected(_ isConnected: Bool) {
    self = HeadUnitMemory()
    display.isConnected = isConnected
  }

  /// Processes an event. Returns its line for a log; nil if the head unit's display does not change.
  mutating func take(_ event: FeatureEvent) -> (name: String, detail: String)? {
    guard let line = line(of: event), lines[line.name] ?? Self.nothing != line.detail else { return nil }
    lines[line.name] = line.detail
    return line
  }

  private static let nothing = "none"

  private mutating func line(of event: FeatureEvent) -> (name: String, detail: String)? {
    switch event {
    case .nowPlaying(let update):
      display.song = song(update)
      return ("song", display.song.map(Self.line) ?? Self.nothing)
    case .artwork(let bytes):
      artworkByteCount = bytes.count
      display.song?.artworkByteCount = bytes.count
      return ("artwork", bytes.isEmpty ? Self.nothing : "\(bytes.count) bytes")
    case .communications(let update):
      display.isMuted = update.muteStatus ?? false
      return ("microphone", display.isMuted ? "muted" : Self.nothing)
    case .routeGuidance(let update):
      route = update
      if update.routeGuidanceState == .noRouteSet {
        maneuvers = [:]
        lanes = [:]
      }
    case .maneuver(let update):
      Self.makeRoom(in: &maneuvers, for: update.index)
      maneuvers[update.index] = update
    case .laneGuidance(let update):
      Self.makeRoom(in: &lanes, for: update.index)
      lanes[update.index] = update
    case .callState(let update):
      take(update)
      return (
        "call", display.calls.first.map { "\($0.name.isEmpty ? $0.number : $0.name), \($0.state)" } ?? Self.nothing
      )
    default: return nil
    }
    display.guidance = guidance
    return ("guidance", display.guidance.map { $0.maneuver.isEmpty ? $0.state : $0.maneuver } ?? Self.nothing)
  }

  private static func line(_ song: HeadUnitDisplay.Song) -> String {
    let shuffle = song.shuffleMode == .off ? [] : ["shuffle \(song.shuffleMode)"]
    let again = song.repeatMode == .off ? [] : ["repeat \(song.repeatMode)"]
    return ([song.title] + (song.isPlaying ? [] : ["paused"]) + shuffle + again).joined(separator: ", ")
  }

  /// Removes the lowest index, which the car passed long ago.
  private static func makeRoom<Value>(in kept: inout [UInt16: Value], for index: UInt16) {
    guard kept.count >= maximumManeuvers, kept[index] == nil, let lowest = kept.keys.min() else { return }
    kept[lowest] = nil
  }

  private func song(_ update: NowPlayingUpdate) -> HeadUnitDisplay.Song? {
    let (item, playback) = (update.mediaItemAttributes, update.playbackAttributes)
    var song = HeadUnitDisplay.Song()
    song.title = item?.mediaItemTitle ?? ""
    song.artist = item?.mediaItemArtist ?? ""
    song.album = item?.mediaItemAlbumTitle ?? ""
    song.app = playback?.playbackAppName ?? ""
    song.duration = Double(item?.mediaItemPlaybackDurationInMilliseconds ?? 0) / 1000
    song.elapsed = Double(playback?.playbackElapsedTimeInMilliseconds ?? 0) / 1000
    song.isPlaying = playback?.playbackStatus == .playing
    song.queueIndex = Int(playback?.playbackQueueIndex ?? 0)
    song.queueCount = Int(playback?.playbackQueueCount ?? 0)
    song.artworkByteCount = artworkByteCount
    switch playback?.playbackShuffleMode {
    case .songs: song.shuffleMode = .songs
    case .albums: song.shuffleMode = .albums
    default: song.shuffleMode = .off
    }
    switch playback?.playbackRepeatMode {
    case .one: song.repeatMode = .one
    case .all: song.repeatMode = .all
    default: song.repeatMode = .off
    }
    return song.title.isEmpty && song.artist.isEmpty && song.queueCount == 0 ? nil : song
  }

  private var guidance: HeadUnitDisplay.Guidance? {
    guard let route, let state = route.routeGuidanceState, state != .noRouteSet else { return nil }
    var guidance = HeadUnitDisplay.Guidance()
    guidance.state = state.name ?? "\(state.rawValue)"
    guidance.destination = route.destinationName ?? ""
    guidance.road = route.currentRoadName ?? ""
    guidance.distanceToManeuver = Int(route.distanceToNextManeuver ?? 0)
    guidance.distance = Int(route.distanceRemaining ?? 0)
    guidance.time = Int(clamping: route.timeRemainingToDestination ?? 0)
    guard let next = route.routeGuidanceManeuverCurrentList?.elements.first, let maneuver = maneuvers[next] else {
      return guidance
    }
    guidance.maneuver = maneuver.maneuverDescription ?? ""
    guidance.roadAfter = maneuver.afterManeuverRoadName ?? ""
    guidance.kind = maneuver.maneuverType?.name ?? ""
    guidance.lanes = (lanes[next]?.laneInformation ?? []).map { lane in
      HeadUnitDisplay.Guidance.Lane(
        isGood: lane.laneStatus == .good || lane.laneStatus == .preferred, isPreferred: lane.laneStatus == .preferred,
        angles: lane.laneAngle.map(Int.init), highlight: lane.laneAngleHighlight.map(Int.init))
    }
    return guidance
  }

  private mutating func take(_ update: CallStateUpdate) {
    guard let id = update.callUUID else { return }
    guard update.status != .disconnected else {
      display.calls.removeAll { $0.id == id }
      return
    }
    var call = HeadUnitDisplay.Call()
    call.id = id
    call.name = update.displayName ?? ""
    call.number = update.remoteID ?? ""
    call.state = update.status?.name ?? ""
    call.isIncoming = update.direction == .incoming
    if let index = display.calls.firstIndex(where: { $0.id == id }) {
      display.calls[index] = call
    } else {
      display.calls.append(call)
    }
  }
}
