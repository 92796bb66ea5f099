// swift-iap2 · Apache-2.0

public import Foundation
public import UIKit

/// A special layout of the Now Playing screen.
@available(iOS 18.4, *)
@preconcurrency @MainActor
open class CPNowPlayingMode: NSObject {
  /// Creates the part of a mode that all classes share.
  package override init() { super.init() }
}

/// The layout of a sports event: two teams with scores and the state of the event.
///
/// The teams keep their sides in a car with the wheel on the right.
@available(iOS 18.4, *)
@preconcurrency @MainActor
open class CPNowPlayingModeSports: CPNowPlayingMode {
  /// The team on the left.
  public let leftTeam: CPNowPlayingSportsTeam
  /// The team on the right.
  public let rightTeam: CPNowPlayingSportsTeam
  /// The state of the event.
  public let eventStatus: CPNowPlayingSportsEventStatus?
  /// The image behind the screen, of 500×500 points.
  public let backgroundArtwork: UIImage?

  /// Creates a layout.
  public init(
    leftTeam: CPNowPlayingSportsTeam, rightTeam: CPNowPlayingSportsTeam, eventStatus: CPNowPlayingSportsEventStatus?,
    backgroundArtwork: UIImage?
  ) {
    self.leftTeam = leftTeam
    self.rightTeam = rightTeam
    self.eventStatus = eventStatus
    self.backgroundArtwork = backgroundArtwork
    super.init()
  }
}

/// A team of a sports event.
@available(iOS 18.4, *)
@preconcurrency @MainActor
open class CPNowPlayingSportsTeam: NSObject {
  /// The name.
  public let name: String
  /// The logo.
  public let logo: CPNowPlayingSportsTeamLogo
  /// The standings. There is room for 15 to 20 characters.
  public let teamStandings: String?
  /// The score. There is room for 3 to 5 characters.
  public let eventScore: String
  /// The image that tells that the team has the ball.
  public let possessionIndicator: UIImage?
  /// Whether the team is one of the user's favorites.
  public let isFavorite: Bool

  /// Creates a team.
  public init(
    name: String, logo: CPNowPlayingSportsTeamLogo, teamStandings: String?, eventScore: String,
    possessionIndicator: UIImage?, favorite: Bool
  ) {
    self.name = name
    self.logo = logo
    self.teamStandings = teamStandings
    self.eventScore = eventScore
    self.possessionIndicator = possessionIndicator
    isFavorite = favorite
    super.init()
    noteCreation()
  }
}

/// The logo of a team: an image or initials.
@available(iOS 18.4, *)
@preconcurrency @MainActor
open class CPNowPlayingSportsTeamLogo: NSObject {
  /// The image.
  public let teamLogo: UIImage?
  /// The initials. There is room for three characters.
  public let teamInitials: String?

  /// Creates a logo of an image.
  public init(teamLogo: UIImage) {
    self.teamLogo = teamLogo
    teamInitials = nil
    super.init()
    noteCreation()
  }

  /// Creates a logo of initials.
  public init(teamInitials: String) {
    teamLogo = nil
    self.teamInitials = teamInitials
    super.init()
    noteCreation()
  }
}

/// The state of a sports event.
@available(iOS 18.4, *)
@preconcurrency @MainActor
open class CPNowPlayingSportsEventStatus: NSObject {
  /// Up to three texts.
  public let eventStatusText: [String]?
  /// The image.
  public let eventStatusImage: UIImage?
  /// The clock.
  public let eventClock: CPNowPlayingSportsClock?

  /// Creates a state.
  public init(eventStatusText: [String]?, eventStatusImage: UIImage?, eventClock: CPNowPlayingSportsClock?) {
    self.eventStatusText = eventStatusText
    self.eventStatusImage = eventStatusImage
    self.eventClock = eventClock
    super.init()
    noteCreation()
  }
}

/// The clock of a sports event. It counts up or down.
@available(iOS 18.4, *)
@preconcurrency @MainActor
open class CPNowPlayingSportsClock: NSObject {
  /// The time at the start of the clock, in seconds.
  public let timeValue: TimeInterval
  /// Whether the clock stands still.
  public let isPaused: Bool
  /// Whether the clock counts up.
  public let countsUp: Bool

  /// Creates a clock that counts up from a time in seconds.
  public init(elapsedTime: TimeInterval, paused: Bool) {
    timeValue = elapsedTime
    isPaused = paused
    countsUp = true
    super.init()
    noteCreation()
  }

  /// Creates a clock that counts down from a time in seconds.
  public init(timeRemaining: TimeInterval, paused: Bool) {
    timeValue = timeRemaining
    isPaused = paused
    countsUp = false
    super.init()
    noteCreation()
  }
}
