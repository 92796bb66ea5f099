// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// A property of an asset that is loaded with `load(_:)`.
public struct AVAsyncProperty<Root, Value>: Sendable {
  let value: @Sendable (Root) throws -> Value
}

extension AVAsyncProperty where Root: AVAsset, Value == CMTime {
  /// The length of the sound; indefinite for a stream.
  public static var duration: Self { Self { try CMTime($0.length.get()) } }
}

extension AVAsyncProperty where Root: AVAsset, Value == Bool {
  /// Whether the sound can be played.
  public static var isPlayable: Self { Self { $0.isPlayable } }
}

/// A sound at a URL: a local file, or a stream. A stream is not read, and has no end.
open class AVAsset: NSObject, @unchecked Sendable {
  private enum Length {
    case unread
    case read(Result<Double?, any Error>)
  }

  let source: URL
  private let stored = Mutex(Length.unread)

  /// Creates an asset. It is read when its length is asked for. On iOS it is an `AVURLAsset`.
  public init(url: URL) {
    source = url
    super.init()
  }

  /// The length of the sound. It is indefinite for a stream, and invalid for a file that cannot be read.
  open var duration: CMTime {
    switch length {
    case .success(let seconds): CMTime(seconds)
    case .failure: .invalid
    }
  }

  /// Whether the sound can be played: the file can be read, or the URL has a scheme.
  open var isPlayable: Bool {
    if case .success = length { return true }
    return false
  }

  /// Returns a property.
  ///
  /// - Throws: The file cannot be read, or the URL has no scheme.
  open func load<Value>(_ property: AVAsyncProperty<AVAsset, Value>) async throws -> Value { try property.value(self) }

  /// The length in seconds; nil for a stream.
  final var length: Result<Double?, any Error> {
    stored.withLock { stored in
      if case .read(let result) = stored { return result }
      let result = Result<Double?, any Error> {
        if source.isFileURL { return try SoundLength.seconds(of: source) }
        guard source.scheme != nil else { throw URLError(.unsupportedURL) }
        return nil
      }
      stored = .read(result)
      return result
    }
  }

  /// The absolute path of a local file; nil for a stream.
  final var file: String? { source.isFileURL ? source.absoluteURL.path(percentEncoded: false) : nil }
}

/// An asset of a URL.
open class AVURLAsset: AVAsset, @unchecked Sendable {
  /// The URL.
  public var url: URL { source }

  /// Creates an asset.
  ///
  /// - Parameters:
  ///   - url: A local file, or a stream.
  ///   - options: Those of iOS choose the way of loading. Nothing is loaded here, so they change nothing.
  public init(url: URL, options: [String: Any]? = nil) { super.init(url: url) }
}

extension CMTime {
  /// The scale of the times of players, in units of a nanosecond.
  static let playerScale: CMTimeScale = 1_000_000_000

  /// Creates a length; indefinite if it is nil.
  init(_ seconds: Double?) {
    self = seconds.map { CMTime(seconds: $0, preferredTimescale: Self.playerScale) } ?? .indefinite
  }
}
