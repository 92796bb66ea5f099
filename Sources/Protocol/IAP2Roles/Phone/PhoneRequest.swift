// swift-iap2 · Apache-2.0

package import IAP2

/// A request of an accessory to the player or the telephone of the phone.
package enum PhoneRequest: Sendable, Hashable, Codable {
  /// A media key of an input device.
  case button(MediaButton)
  /// Playback from the item at an index of the queue.
  case jump(Int)
  /// Playback from a position in the item, in milliseconds.
  case seek(Int)
  /// Another shuffle mode.
  case shuffle(PlaybackShuffleMode)
  /// Another repeat mode.
  case repeating(PlaybackRepeatMode)
  /// The answer to a call; nil for the call that rings.
  case accept(String?, AcceptAction)
  /// The end of a call; nil for the call that rings or is active.
  case end(String?, EndAction)
  /// A hold of a call, or its end; nil for every call.
  case hold(Bool, String?)
  /// The active and the held calls change places, or become one conference.
  case swap, merge
  /// The microphone is muted or not.
  case mute(Bool)
  /// A tone of the keypad for the active call.
  case tone(DTMFTone)
  /// A call to a contact.
  case call(Contact)
}

extension PhoneState {
  /// The requests to keep for an owner who does not take them.
  static let maximumRequests = 256

  /// Does what an accessory asks for, or keeps the request if apps decide.
  mutating func obey(_ request: PhoneRequest) {
    guard !appsDecide else {
      if requests.count < Self.maximumRequests { requests.append(request) }
      return
    }
    switch request {
    case .button(let button): player.press(button)
    case .jump(let index): player.jump(to: index)
    case .seek(let milliseconds): player.seek(toMilliseconds: milliseconds)
    case .shuffle(let mode): player.shuffleMode = mode
    case .repeating(let mode): player.repeatMode = mode
    case .accept(let call, let action): telephone.accept(call, action)
    case .end(let call, let action): telephone.end(call, action)
    case .hold(let isHeld, let call): telephone.hold(isHeld, call)
    case .swap: telephone.swap()
    case .merge: telephone.merge()
    case .mute(let isMuted): telephone.isMuted = isMuted
    case .tone(let tone): telephone.press(tone)
    case .call(let contact): telephone.initiate(contact)
    }
  }

  /// Whether a request waits.
  package var hasRequests: Bool { !requests.isEmpty }

  /// Shows the guidance of an app. A route that goes on keeps its maneuvers; another one replaces it.
  package mutating func guide(_ route: Route, _ reported: Guidance.Reported, _ state: RouteGuidanceState) {
    let goesOn =
      guidance.map { old in
        old.reported != nil && old.route.destination == route.destination
          && route.maneuvers.starts(with: old.route.maneuvers) { $0.isSame(as: $1) }
      } ?? false
    if !goesOn { navigate(route) }
    let time = UInt64(clamping: time)
    drive { guidance in
      guidance.time = time
      guidance.route = route
      guidance.reported = reported
      guidance.state = state
      guidance.isMoving = false
    }
  }

  /// Takes the requests for apps, the oldest first.
  package mutating func takeRequests() -> [PhoneRequest] {
    defer { requests = [] }
    return requests
  }
}

extension Route.Maneuver {
  /// Whether another maneuver is the same one. Its lanes may become known later.
  fileprivate func isSame(as other: Self) -> Bool {
    var other = other
    other.lanes = lanes
    return self == other
  }
}
