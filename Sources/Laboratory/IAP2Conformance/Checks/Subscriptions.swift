// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let subscriptions: [Check] = [
    Check(
      "SUB-01", .subscriptions, of: [.device], "Power is told", "A device answers AE00 with AE01: the present values.",
      .at("Features.md#power", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.send(Message(StartPowerUpdates.id, [(4, []), (5, []), (6, [])]))
      _ = try await probe.message(PowerUpdate.id)
    },
    Check(
      "SUB-02", .subscriptions, of: [.device], "Only what was asked for is told",
      "AE01 carries only attributes that AE00 has asked for.", .at("Sessions.md#only-selected", .medium)
    ) { probe throws(Stop) in
      let reported = try await probe.powerAttributes(asking: [[6]])
      guard reported.allSatisfy({ $0 == 6 }) else { throw .failed("asked was for 6, told were \(reported)") }
    },
    Check(
      "SUB-03", .subscriptions, of: [.device], "A second Start replaces the first",
      "Start again asks for other attributes instead of the earlier ones.",
      .at("Sessions.md#start-replaces", .medium)
    ) { probe throws(Stop) in
      let reported = try await probe.powerAttributes(asking: [[5], [6]])
      guard reported.allSatisfy({ $0 == 6 }) else { throw .failed("asked was for 6 in the end, told were \(reported)") }
    },
    Check(
      "SUB-04", .subscriptions, of: [.device], "The player is told",
      "A device answers 5000 with 5001.", .at("Features.md#now-playing", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      let status = Message(0, [(0, [])]).bytes.dropFirst(ControlHeader.byteCount)
      try await probe.send(Message(StartNowPlayingUpdates.id, [(1, Array(status))]))
      _ = try await probe.message(NowPlayingUpdate.id)
    },
    Check(
      "SUB-05", .subscriptions, of: [.device], "The telephone's state is told",
      "A device answers 4157 with 4158.", .at("Features.md#communications-updates", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.send(Message(StartCommunicationsUpdates.id, [(2, []), (9, []), (10, [])]))
      _ = try await probe.message(CommunicationsUpdate.id)
    },
    Check(
      "SUB-06", .subscriptions, of: [.device], "A Stop without a Start does no harm",
      "A Stop of something that was not started is passed over.", .at("Sessions.md#stop-without-start", .low)
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.send(Message(StopPowerUpdates.id))
      try await probe.stillWorks()
    },
    Check(
      "SUB-07", .subscriptions, of: [.accessory], "What the phone starts waits for it",
      "An accessory sends no location (FFFB), vehicle status (A101) or network (5703) before the device has asked.",
      .at("Sessions.md#device-started", .medium)
    ) { probe throws(Stop) in
      try await probe.session()
      let early = await probe.everything(for: 3000).map(\.id).filter {
        [LocationInformation.id, VehicleStatusUpdate.id, AccessoryWiFiConfigurationInformation.id].contains($0)
      }
      guard early.isEmpty else {
        throw .failed("unasked came \(early.map { hexadecimal($0) }.joined(separator: ", "))")
      }
      try await probe.stays()
    },
    Check(
      "SUB-08", .subscriptions, of: [.accessory], "The vehicle's status is told",
      "An accessory that lists A101 answers A100 with it.", .at("Features.md#vehicle-status-order", .medium)
    ) { probe throws(Stop) in
      let reported = try await probe.session()
      guard reported.list(6).contains(VehicleStatusUpdate.id), let component = reported[21] else {
        throw .notApplicable("it does not tell its vehicle's status")
      }
      let offered = Message(0, nested: component).parameters.map(\.id).filter { $0 >= 3 }
      try await probe.send(Message(StartVehicleStatusUpdates.id, offered.map { ($0, []) }))
      _ = try await probe.message(VehicleStatusUpdate.id)
    },
    Check(
      "SUB-09", .subscriptions, of: [.accessory], "The network is told",
      "An accessory that lists 5703 answers 5702 with it.", .at("Features.md#wifi-of-accessory", .high)
    ) { probe throws(Stop) in
      let reported = try await probe.session()
      guard reported.list(6).contains(AccessoryWiFiConfigurationInformation.id),
        reported.list(7).contains(RequestAccessoryWiFiConfigurationInformation.id)
      else {
        throw .notApplicable("it does not tell a network")
      }
      try await probe.send(Message(RequestAccessoryWiFiConfigurationInformation.id))
      guard try await probe.message(AccessoryWiFiConfigurationInformation.id)[1] != nil else {
        throw .failed("5703 names no network")
      }
    },
  ]
}

extension Probe {
  /// Sends StartPowerUpdates with each of these lists of attributes, one after the other.
  ///
  /// - Returns: the attributes that the phone reports after the last one.
  func powerAttributes(asking: [[UInt16]]) async throws(Stop) -> [UInt16] {
    try await session()
    _ = await messages(for: 500)
    var reported: [UInt16] = []
    for attributes in asking {
      try await send(Message(StartPowerUpdates.id, attributes.map { ($0, []) }))
      reported = await messages(for: Timeouts.quiet).filter { $0.id == PowerUpdate.id }.flatMap {
        $0.parameters.map(\.id)
      }
    }
    guard !reported.isEmpty else { throw .inconclusive("AE00 is not answered") }
    try stays()
    return reported
  }
}
