// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let subscriptions: [Check] = [
    Check(
      "SUB-01", .subscriptions, of: [.device], "Power is reported",
      "A device answers AE00 with AE01, which has the current values.",
      .at("Sessions.md#accessory-started", .high, "a phone may lack the feature"), .recommended
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.send(Message(StartPowerUpdates.id, [(4, []), (5, []), (6, [])]))
      _ = try await probe.message(PowerUpdate.id)
    },
    Check(
      "SUB-02", .subscriptions, of: [.device], "Only requested attributes are reported",
      "An update carries only attributes that the Start requested: of power, of the telephone or of now playing.",
      .at("Sessions.md#only-selected", .medium)
    ) { probe throws(Stop) in
      let (feature, attributes, _) = try await probe.reportedFeature()
      let wanted = attributes[0]
      let reported = try await probe.reports(of: feature, asking: [[wanted]])
      guard reported.allSatisfy({ $0 == wanted }) else {
        throw .failed("attribute \(wanted) of \(feature.name) was requested, but \(reported) were reported")
      }
    },
    Check(
      "SUB-03", .subscriptions, of: [.device], "A second Start replaces the first",
      "The attributes of a second Start replace the earlier ones.",
      .at("Sessions.md#start-replaces", .medium)
    ) { probe throws(Stop) in
      let (feature, attributes, count) = try await probe.reportedFeature()
      guard count > 1 else {
        throw .notApplicable("it reports only attribute \(attributes[0]) of \(feature.name)")
      }
      let (first, second) = (attributes[0], attributes[1])
      let reported = try await probe.reports(of: feature, asking: [[first], [second]])
      guard reported.allSatisfy({ $0 == second }) else {
        throw .failed(
          "the second Start requested attribute \(second) of \(feature.name), but \(reported) were reported")
      }
    },
    Check(
      "SUB-04", .subscriptions, of: [.device], "Now playing is reported",
      "A device answers 5000 with 5001.", .at("Sessions.md#accessory-started", .high, "a phone may lack the feature"),
      .recommended
    ) { probe throws(Stop) in
      try await probe.session()
      let status = Message(0, [(0, [])]).bytes.dropFirst(ControlHeader.byteCount)
      try await probe.send(Message(StartNowPlayingUpdates.id, [(1, Array(status))]))
      _ = try await probe.message(NowPlayingUpdate.id)
    },
    Check(
      "SUB-05", .subscriptions, of: [.device], "The telephone's state is reported",
      "A device answers 4157 with 4158.",
      .at("Sessions.md#accessory-started", .high, "a phone may lack the feature"), .recommended
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.send(Message(StartCommunicationsUpdates.id, [(2, []), (9, []), (10, [])]))
      _ = try await probe.message(CommunicationsUpdate.id)
    },
    Check(
      "SUB-06", .subscriptions, of: [.device], "A Stop without a Start is ignored",
      "A Stop of a subscription that was not started is ignored.", .at("Sessions.md#stop-without-start", .low)
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.send(Message(StopPowerUpdates.id))
      try await probe.stillWorks()
    },
    Check(
      "SUB-07", .subscriptions, of: [.accessory], "Updates wait for the phone's Start",
      "An accessory sends no location (FFFB), vehicle status (A101) or network (5703) before the device requests it.",
      .at("Sessions.md#device-started", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      let early = await probe.everything(for: 3000).map(\.id).filter {
        [LocationInformation.id, VehicleStatusUpdate.id, AccessoryWiFiConfigurationInformation.id].contains($0)
      }
      guard early.isEmpty else {
        throw .failed("it sent without a request: \(early.map { hexadecimal($0) }.joined(separator: ", "))")
      }
      try await probe.stays()
    },
    Check(
      "SUB-08", .subscriptions, of: [.accessory], "The vehicle's status is reported",
      "An accessory that lists A101 answers A100 with it.", .at("Features.md#vehicle-status-order", .medium)
    ) { probe throws(Stop) in
      let reported = try await probe.session()
      guard reported.list(6).contains(VehicleStatusUpdate.id), let component = reported[21] else {
        throw .notApplicable("it does not report its vehicle's status")
      }
      let offered = Message(0, nested: component).parameters.map(\.id).filter { $0 >= 3 }
      try await probe.send(Message(StartVehicleStatusUpdates.id, offered.map { ($0, []) }))
      _ = try await probe.message(VehicleStatusUpdate.id)
    },
    Check(
      "SUB-09", .subscriptions, of: [.accessory], "The network is reported",
      "An accessory that lists 5703 answers 5702 with it.", .at("Features.md#wifi-order", .high)
    ) { probe throws(Stop) in
      let reported = try await probe.session()
      guard reported.list(6).contains(AccessoryWiFiConfigurationInformation.id),
        reported.list(7).contains(RequestAccessoryWiFiConfigurationInformation.id)
      else {
        throw .notApplicable("it does not report a network")
      }
      try await probe.send(Message(RequestAccessoryWiFiConfigurationInformation.id))
      guard try await probe.message(AccessoryWiFiConfigurationInformation.id)[1] != nil else {
        throw .failed("5703 names no network")
      }
    },
  ]
}
