// swift-iap2 · Apache-2.0

import IAP2

/// A subscription of an accessory to values of a phone, with some of its attributes. Phones differ in what they report,
/// so a check uses the first that the phone answers.
struct Subscription: Sendable {
  var name: String
  private var startID: UInt16
  /// The identifier of the update.
  var update: UInt16
  /// Some attributes, whose values do not change by themselves.
  var attributes: [UInt16]
  /// The parameter whose group holds the attributes; nil for the message itself.
  private var group: UInt16?

  /// The first attribute.
  var first: UInt16 { attributes[0] }

  static let all = [
    Subscription(name: "power", startID: StartPowerUpdates.id, update: PowerUpdate.id, attributes: [6, 5, 4]),
    Subscription(
      name: "the telephone", startID: StartCommunicationsUpdates.id, update: CommunicationsUpdate.id,
      attributes: [2, 1, 6, 9, 10]),
    Subscription(
      name: "now playing", startID: StartNowPlayingUpdates.id, update: NowPlayingUpdate.id, attributes: [0, 5, 6, 7],
      group: 1),
  ]

  /// Returns the Start of these attributes.
  func start(_ attributes: [UInt16]) -> Message {
    let parameters = attributes.map { (id: $0, value: [UInt8]()) }
    guard let group else { return Message(startID, parameters) }
    return Message(startID, [(group, Array(Message(0, parameters).bytes.dropFirst(ControlHeader.byteCount)))])
  }

  /// Returns the attributes in an update.
  func reported(in message: Message) -> [UInt16] {
    guard let group else { return message.parameters.map(\.id) }
    // A parameter outside the group was not requested either.
    return message.parameters.flatMap { $0.id == group ? Message(0, nested: $0.value).parameters.map(\.id) : [$0.id] }
  }
}

extension Probe {
  /// Completes the session setup and finds a subscription that the phone answers. The check is not applicable if it
  /// answers none.
  ///
  /// - Returns: the subscription, its attributes with the reported ones first, and the number of these.
  func reportedFeature() async throws(Stop) -> (feature: Subscription, attributes: [UInt16], count: Int) {
    try await session()
    _ = await messages(for: 500)
    for feature in Subscription.all {
      try await send(feature.start(feature.attributes))
      let updates = await messages(for: Timeouts.quiet).filter { $0.id == feature.update }
      if isFinished || wasReset { throw .inconclusive("it ended the link when \(feature.name) was requested") }
      let reported = feature.attributes.filter { updates.flatMap(feature.reported).contains($0) }
      if !reported.isEmpty {
        return (feature, reported + feature.attributes.filter { !reported.contains($0) }, reported.count)
      }
    }
    throw .notApplicable("it reports neither \(Subscription.all.map(\.name).joined(separator: " nor "))")
  }

  /// Sends Starts with each of these lists of attributes, one after the other.
  ///
  /// - Returns: the attributes that the phone reports after the last one.
  func reports(of feature: Subscription, asking: [[UInt16]]) async throws(Stop) -> [UInt16] {
    var reported: [UInt16] = []
    for attributes in asking {
      try await send(feature.start(attributes))
      reported = await messages(for: Timeouts.quiet).filter { $0.id == feature.update }.flatMap(feature.reported)
    }
    guard !reported.isEmpty else { throw .inconclusive("it does not answer the Start of \(feature.name)") }
    try stays()
    return reported
  }
}
