// swift-iap2 · Apache-2.0

/// The head unit's own display of the phone's apps over iAP2, beside the CarPlay screen.
public struct HeadUnitDisplay: Sendable, Hashable, Codable {
  /// The content that plays.
  public struct Song: Sendable, Hashable, Codable {
    /// A mode of shuffle.
    public enum ShuffleMode: String, Sendable, Hashable, Codable, CaseIterable {
      /// In order; songs in any order; albums or lists in any order.
      case off, songs, albums
    }

    /// A mode of repeat.
    public enum RepeatMode: String, Sendable, Hashable, Codable, CaseIterable {
      /// Nothing again; one song; all songs.
      case off, one, all
    }

    /// The title, the artist and the album; empty if the app does not provide them.
    public var title = "", artist = "", album = ""
    /// The name of the app that plays.
    public var app = ""
    /// The length and the position in seconds. A stream without a length has 0.
    public var duration = 0.0, elapsed = 0.0
    /// Whether the content plays.
    public var isPlaying = false
    /// The position in the queue from 0, and the number of items.
    public var queueIndex = 0, queueCount = 0
    /// The size of the artwork's file in bytes; 0 without artwork.
    public var artworkByteCount = 0
    /// The mode of shuffle.
    public var shuffleMode = ShuffleMode.off
    /// The mode of repeat.
    public var repeatMode = RepeatMode.off

    /// Creates a content without values.
    public init() {}
  }

  /// The guidance of an app that navigates.
  public struct Guidance: Sendable, Hashable, Codable {
    /// A lane at the next maneuver.
    public struct Lane: Sendable, Hashable, Codable {
      /// Whether the lane leads along the route, and whether it is the best one.
      public var isGood, isPreferred: Bool
      /// The angles of the arrows in degrees; 0 is straight ahead.
      public var angles: [Int]
      /// The angle of the arrow to follow; nil without one.
      public var highlight: Int?

      /// Creates a lane.
      public init(isGood: Bool, isPreferred: Bool, angles: [Int], highlight: Int?) {
        self.isGood = isGood
        self.isPreferred = isPreferred
        self.angles = angles
        self.highlight = highlight
      }
    }

    /// The state, such as `RouteSet` or `Rerouting`: the names of the message catalog.
    public var state = ""
    /// The destination, and the road that is driven.
    public var destination = "", road = ""
    /// The text of the next maneuver, and the road after it; empty without one.
    public var maneuver = "", roadAfter = ""
    /// The kind of the next maneuver by its name in the message catalog; empty without one.
    public var kind = ""
    /// The distances to the next maneuver and to the destination in meters, and the time to the destination in seconds.
    public var distanceToManeuver = 0, distance = 0, time = 0
    /// The lanes at the next maneuver, from the left; empty without lane guidance.
    public var lanes: [Lane] = []

    /// Creates a guidance without values.
    public init() {}
  }

  /// A call.
  public struct Call: Sendable, Hashable, Codable {
    /// The identifier of the call.
    public var id = ""
    /// The name and the number or address of the other side.
    public var name = "", number = ""
    /// The state by its name in the message catalog, such as `Ringing` or `Active`.
    public var state = ""
    /// Whether the call is incoming.
    public var isIncoming = false

    /// Creates a call without values.
    public init() {}
  }

  /// The car's own values, as the phone received them from the head unit.
  public struct Vehicle: Sendable, Hashable, Codable {
    /// A position of the car.
    public struct Location: Sendable, Hashable, Codable {
      /// The latitude and the longitude in degrees.
      public var latitude, longitude: Double
      /// The altitude in meters; nil if it is unknown.
      public var altitude: Double?
      /// The course in degrees clockwise from north, and the speed in meters per second; nil if they are unknown.
      public var course, speed: Double?

      /// Creates a position without a movement.
      public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
      }
    }

    /// The last position; nil before the first one.
    public var location: Location?
    /// The range in kilometers and the outside temperature in degrees Celsius; nil if they are unknown.
    public var range, outsideTemperature: Int?
    /// Whether the car warns of a short range; nil if it is unknown.
    public var rangeWarning: Bool?

    /// Creates a car without values.
    public init() {}
  }

  /// Whether head unit and phone are connected over iAP2.
  public var isConnected = false
  /// The content that plays; nil without one.
  public var song: Song?
  /// The guidance; nil without a route.
  public var guidance: Guidance?
  /// The calls, the oldest one first.
  public var calls: [Call] = []
  /// Whether the microphone is muted in the calls.
  public var isMuted = false
  /// The car's own values that the phone received from the head unit; nil before it received any.
  public var vehicle: Vehicle?

  /// Creates an empty display.
  public init() {}
}

/// A request of the head unit, by its name in scenarios: over iAP2, or in the CarPlay session.
public enum HeadUnitRequest: String, Sendable, Codable, Hashable, CaseIterable {
  /// Media keys.
  case play, pause, playPause, next, previous, stop
  /// Toggles shuffle; toggles repeat.
  case shuffle, `repeat`
  /// Accepts the call that rings.
  case accept
  /// Ends the call, or declines it.
  case end
  /// Holds the call; resumes the held call.
  case hold, resume
  /// Mutes the microphone; unmutes it.
  case mute, unmute
  /// Night mode on or off: the styles of the user interface and of maps. A request of the CarPlay session, not of iAP2.
  case night, day
  /// The limits while driving, on or off. A request of the CarPlay session, not of iAP2.
  case limit, unlimited
}

extension HeadUnitRequest {
  /// Whether the request changes the car in the CarPlay session and has no message of iAP2.
  package var isOfCar: Bool { [.night, .day, .limit, .unlimited].contains(self) }
}
