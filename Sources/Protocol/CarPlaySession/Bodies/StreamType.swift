// swift-iap2 · Apache-2.0

/// The type of a stream, with its number on the wire. Source: CarPlaySession.md#stream-types.
public enum StreamType: Int, Sendable, Hashable, CaseIterable, Codable {
  /// Music, calls, Siri and ringtones, and the microphone.
  case mainAudio = 100
  /// Prompts and message tones, which the head unit always mixes.
  case alternateAudio = 101
  /// Music over Wi-Fi.
  case mainHighAudio = 102
  /// Music that arrives faster than it plays.
  case bufferedAudio = 103
  /// The main screen.
  case screen = 110
  /// The screen of the instrument cluster.
  case alternateScreen = 111
  /// Bytes of iAP2.
  case data = 130

  /// The family of a type, which decides its keys and sockets.
  public enum Family: Sendable, Hashable {
    /// H.264 over TCP.
    case screen
    /// RTP over UDP.
    case audio
    /// RTP packets over TCP.
    case buffered
    /// Encrypted packages over TCP.
    case data
  }

  /// The family.
  public var family: Family {
    switch self {
    case .mainAudio, .alternateAudio, .mainHighAudio: .audio
    case .bufferedAudio: .buffered
    case .screen, .alternateScreen: .screen
    case .data: .data
    }
  }

  /// The name in events and options.
  public var name: String {
    switch self {
    case .mainAudio: "mainAudio"
    case .alternateAudio: "alternateAudio"
    case .mainHighAudio: "mainHighAudio"
    case .bufferedAudio: "bufferedAudio"
    case .screen: "screen"
    case .alternateScreen: "alternateScreen"
    case .data: "data"
    }
  }
}
