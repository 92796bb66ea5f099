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
    repair: "Send updates only between Start and Stop.", effect: .fails, forbids: true)

  static let stopped = SessionRule(
    "update-after-stop", .features, "No updates are sent after a Stop.",
    "Sessions.md#accessory-started: Stop ends the updates", .high,
    repair: "Stop the updates at the Stop message.", effect: .fails, forbids: true)

  static let stopsStarted = SessionRule(
    "stop-without-start", .features, "A Stop follows a Start.", "Sessions.md#stop-without-start", .low,
    repair: "Send Stop only for a subscription that was started.", effect: .tolerated, forbids: true)
}

/// The subscriptions of a link, by their Start messages.
struct SubscriptionStates: Sendable {
  struct State: Sendable {
    var isActive = true
    /// The number of the packet with the Stop; nil in a log without packets.
    var stop: SequenceNumber?
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

  /// The Starts whose values always exist, so that the first update does not wait for an event.
  static let answered: Set<UInt16> = [
    StartPowerUpdates.id, StartCommunicationsUpdates.id, StartMediaLibraryInformation.id,
    StartAssistiveTouchInformation.id, StartVehicleStatusUpdates.id,
  ]

  /// The updates that may follow a Stop: after its acknowledgement, and in a log without packets.
  /// Unverified: no source states it.
  static let underWay = (acknowledged: 1, unknown: 8)
}

extension LinkHistory {
  mutating func judgeSubscription(
    _ id: UInt16, _ step: SessionStep, isReady: Bool, asksForValues: Bool, at place: DecodedPlace
  ) {
    if let subscription = MessageCatalog[id]?.info.subscription {
      let isFirst = subscriptions.states.updateValue(SubscriptionStates.State(), forKey: id) == nil
      guard isReady, isFirst, asksForValues, SubscriptionStates.answered.contains(id),
        let update = subscription.updates.first, isListed(update, from: place.from.peer)
      else { return }
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
    state.stop = traffic[place.from].last
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
    // An update was under way if its packet does not acknowledge the Stop.
    guard state.stop.map({ isAcknowledged($0, by: place.from) }) ?? true else { return }
    state.late += 1
    subscriptions.states[start] = state
    let underWay = state.stop == nil ? SubscriptionStates.underWay.unknown : SubscriptionStates.underWay.acknowledged
    guard state.late > underWay else { return }
    ledger.addBreach(.stopped, step, object: Int(id), place, "\(step.name) came after the Stop")
  }

  /// Whether the packet that a side sent last acknowledges a packet of the other side.
  func isAcknowledged(_ number: SequenceNumber, by side: Side) -> Bool {
    packetStates[side].acknowledgement.map { (0..<128).contains($0.distance(from: number)) } ?? false
  }
}
