// swift-iap2 · Apache-2.0

package import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the title, a text.
public let MPMediaItemPropertyTitle = "title"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the artist, a text.
public let MPMediaItemPropertyArtist = "artist"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the album's title, a text.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the artwork, an ``MPMediaItemArtwork``.
public let MPMediaItemPropertyArtwork = "artwork"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the duration, in seconds.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the elapsed time, in seconds.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the rate of playback; 0 while it is paused.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the rate that is normal for the content.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the position in the queue, from 0.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the number of items in the queue.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the chapter, from 0.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the number of chapters.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of whether the content is live. Live content has no progress bar.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the identifier of the album or list.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the app's identifier of the content.
public let MPNowPlayingInfoPropertyExternalContentIdentifier = "MPNowPlayingInfoPropertyExternalContentIdentifier"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the kind of the content, the raw value of ``MPNowPlayingInfoMediaType``.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"

/// The kind of a content.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
  /// No kind is set.
  case none = 0
  /// Sound.
  case audio = 1
  /// Video.
  case video = 2
}

/// The values of a `nowPlayingInfo`, as far as a car shows them.
package struct NowPlaying: Sendable {
  package var title, artist, albumTitle: String?
  package var artwork: MPMediaItemArtwork?
  /// Times in seconds.
  package var duration, elapsed: TimeInterval?
  package var rate, defaultRate: Double?
  package var queueIndex, queueCount, chapterNumber, chapterCount: Int?
  package var isLive = false
  package var collectionIdentifier, contentIdentifier: String?
  package var mediaType: MPNowPlayingInfoMediaType?
  /// The keys whose values have a type that the system does not take or are no finite number, in the order of the alphabet. A car shows nothing
  /// for them.
  package private(set) var wrongTypes: [String] = []

  package init(_ info: [String: Any]) {
    title = text(info, MPMediaItemPropertyTitle)
    artist = text(info, MPMediaItemPropertyArtist)
    albumTitle = text(info, MPMediaItemPropertyAlbumTitle)
    artwork = value(info, MPMediaItemPropertyArtwork) { $0 as? MPMediaItemArtwork }
    duration = number(info, MPMediaItemPropertyPlaybackDuration)
    elapsed = number(info, MPNowPlayingInfoPropertyElapsedPlaybackTime)
    rate = number(info, MPNowPlayingInfoPropertyPlaybackRate)
    defaultRate = number(info, MPNowPlayingInfoPropertyDefaultPlaybackRate)
    queueIndex = count(info, MPNowPlayingInfoPropertyPlaybackQueueIndex)
    queueCount = count(info, MPNowPlayingInfoPropertyPlaybackQueueCount)
    chapterNumber = count(info, MPNowPlayingInfoPropertyChapterNumber)
    chapterCount = count(info, MPNowPlayingInfoPropertyChapterCount)
    isLive =
      (value(info, MPNowPlayingInfoPropertyIsLiveStream) { $0 as? Bool ?? ($0 as? NSNumber)?.boolValue }) ?? false
    collectionIdentifier = text(info, MPNowPlayingInfoCollectionIdentifier)
    contentIdentifier = text(info, MPNowPlayingInfoPropertyExternalContentIdentifier)
    mediaType = count(info, MPNowPlayingInfoPropertyMediaType).flatMap {
      MPNowPlayingInfoMediaType(rawValue: UInt(clamping: $0))
    }
    wrongTypes.sort()
  }

  private mutating func value<Value>(_ info: [String: Any], _ key: String, _ convert: (Any) -> Value?) -> Value? {
    guard let found = info[key] else { return nil }
    guard let converted = convert(found) else {
      wrongTypes.append(key)
      return nil
    }
    return converted
  }

  private mutating func text(_ info: [String: Any], _ key: String) -> String? {
    value(info, key) { $0 as? String ?? ($0 as? NSString).map { "\($0)" } }
  }

  /// A finite number. An endless duration, which players give for a stream, is none.
  private mutating func number(_ info: [String: Any], _ key: String) -> Double? {
    value(info, key) { found in
      let number = (found as? NSNumber)?.doubleValue ?? Self.double(of: found)
      return number.flatMap { $0.isFinite ? $0 : nil }
    }
  }

  private static func double(of value: Any) -> Double? {
    if let number = value as? any BinaryFloatingPoint { return Double(number) }
    if let number = value as? any BinaryInteger { return Double(number) }
    return nil
  }

  private mutating func count(_ info: [String: Any], _ key: String) -> Int? {
    number(info, key).map { Int(max(-1e15, min(1e15, $0))) }
  }
}
