// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

// The rules of subscriptions, for every subscription of the message catalog.
extension SessionRule {
  static let update = SessionRule(
    "subscription-unanswered", .features, "A Start is answered with the current values.",
    "Sessions.md#accessory-started and Sessions.md#device-started: for a subscription whose values always exist",
    .medium,
    repair: "Answer the Start with an update that has the current values.")

  static let started = SessionRule(
    "update-without-start", .features, "Updates are sent only after a Start.",
    "Sessions.md#accessory-started: Start names the attributes, and Stop ends the updates", .high,
    repair: "Send updates only between Start and Stop.", effect: .fails)

  static let stopped = SessionRule(
    "update-after-stop", .features, "No updates are sent after a Stop.",
    "Sessions.md#accessory-started: Stop ends the updates", .high,
    repair: "Stop the updates at the Stop message.", effect: .fails)

  static let stopsStarted = SessionRule(
    "stop-without-start", .features, "A Stop follows a Start.", "Sessions.md#stop-without-start", .low,
    repair: "Send Stop only for a subscription that was started.", effect: .tolerated)
}

/// The subscriptions of a link, by their Start messages.
struct SubscriptionStates: Sendable {
  struct State: Sendable {
    var isActive = true
    var stoppedAt: Double?
    var late = 0
  }

  var states: [UInt16: State] = [:]

  /// The subscription of each message: the Start of Stops and of updates.
  static let ofStop: [UInt16: UInt16] = Dictionary(
    MessageCatalog.all.compactMap { entry in entry.info.subscription.map { ($0.stop, entry.info.id) } },
    uniquingKeysWith: { first, _ in first })
  static let ofUpdate: [UInt16: UInt16] = Dictionary(
    MessageCatalog.all.flatMap { entry in
      (entry.info.subscription?.updates ?? []).map { ($0, entry.info.id) }
    }, uniquingKeysWith: { first, _ in first })

  /// The Starts whose first update does not wait for an event: the values always exist.
  static let answered: Set<UInt16> = [
    StartPowerUpdates.id, StartNowPlayingUpdates.id, StartCommunicationsUpdates.id, StartMediaLibraryInformation.id,
    StartBluetoothConnectionUpdates.id, StartAssistiveTouchInformation.id, StartUSBDeviceModeAudio.id,
    StartVehicleStatusUpdates.id, StartLocationInformation.id, StartMediaLibraryUpdates.id,
  ]

  /// The updates that may have been under way when a Stop was sent, and the seconds after which none is.
  /// Unverified: no source states either.
  static let underWay = (count: 1, seconds: 1.0)
}

extension LinkHistory {
  mutating func judgeSubscription(_ id: UInt16, _ step: SessionStep, isReady: Bool, at place: DecodedPlace) {
    if let subscription = MessageCatalog[id]?.info.subscription {
      subscriptions.states[id] = SubscriptionStates.State()
      guard isReady, SubscriptionStates.answered.contains(id), let update = subscription.updates.first else { return }
      ledger.addOwed(
        .update, by: place.from.peer, .message(update), object: Int(id), since: place,
        "\(step.name) has no \(SessionStep.message(update).name) as its answer")
    } else if let start = SubscriptionStates.ofStop[id] {
      stop(start, step, at: place)
    } else if let start = SubscriptionStates.ofUpdate[id] {
      update(start, id, step, at: place)
    }
  }

  private mutating func stop(_ start: UInt16, _ step: SessionStep, at place: DecodedPlace) {
    ledger.removeOwed(.update, object: Int(start))
    guard var state = subscriptions.states[start], state.isActive else {
      guard hasBeginning else { return }
      return ledger.addBreach(
        .stopsStarted, step, object: Int(start), place, "\(step.name) came without \(SessionStep.message(start).name)")
    }
    state.isActive = false
    state.stoppedAt = place.time
    state.late = 0
    subscriptions.states[start] = state
  }

  private mutating func update(_ start: UInt16, _ id: UInt16, _ step: SessionStep, at place: DecodedPlace) {
    ledger.removeOwed(.update, object: Int(start))
    guard var state = subscriptions.states[start] else {
      guard hasBeginning else { return }
      return ledger.addBreach(
        .started, step, object: Int(id), place, "\(step.name) came without \(SessionStep.message(start).name)")
    }
    guard !state.isActive else { return }
    state.late += 1
    subscriptions.states[start] = state
    let underWay = SubscriptionStates.underWay
    let isLate = place.time.flatMap { now in state.stoppedAt.map { now - $0 > underWay.seconds } } ?? false
    guard isLate || state.late > underWay.count else { return }
    ledger.addBreach(.stopped, step, object: Int(id), place, "\(step.name) came after the Stop")
  }
}
