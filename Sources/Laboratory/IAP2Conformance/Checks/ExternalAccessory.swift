// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let externalAccessory: [Check] = [
    Check(
      "EAP-01", .externalAccessory, of: [.accessory], "The opening of a session is answered",
      "An accessory that lists EA03 answers EA00 for one of its protocols with status 0.",
      .at("ExternalAccessory.md#opening", .high)
    ) { probe throws(Stop) in
      let status = try await probe.opened(session: 0x0101)
      guard status == 0 else { throw .failed("it answers with status \(status)") }
    },
    Check(
      "EAP-02", .externalAccessory, of: [.accessory], "The answer names the session",
      "EA03 carries the session id of EA00.", .at("ExternalAccessory.md#session-of-status", .high)
    ) { probe throws(Stop) in
      let message = try await probe.opening(session: 0x0102)
      guard message.number(0) == 0x0102 else { throw .failed("it names session \(message.number(0) ?? -1)") }
    },
    Check(
      "EAP-03", .externalAccessory, of: [.accessory], "An unknown protocol is not opened",
      "EA00 for a protocol that the accessory does not have is not answered with status 0.",
      .at("ExternalAccessory.md#unknown-protocol", .low, "inferred from status 1")
    ) { probe throws(Stop) in
      let reported = try await probe.session()
      guard reported[10] != nil else { throw .notApplicable("it has no EA protocol") }
      let taken = reported.parameters.filter { $0.id == 10 }.compactMap { Message(0, nested: $0.value).number(0) }
      guard let free = (1...255).last(where: { !taken.contains($0) }) else {
        throw .notApplicable("it has 255 protocols")
      }
      try await probe.send(Message(StartExternalAccessoryProtocolSession.id, [(0, [UInt8(free)]), (1, [0x01, 0x03])]))
      let statuses = await probe.messages(for: Timeouts.quiet).filter {
        $0.id == StatusExternalAccessoryProtocolSession.id
      }.map { $0.number(1) }
      guard !statuses.contains(0) else {
        throw .failed("it answers with status 0 for protocol \(free), which it does not have")
      }
      try await probe.stays()
    },
    Check(
      "EAP-04", .externalAccessory, of: [.accessory], "Data names its session",
      "Each datagram of an accessory begins with the id of an open EA session.", .at("ExternalAccessory.md#data", .high)
    ) { probe throws(Stop) in
      _ = try await probe.beforehand { probe throws(Stop) in try await probe.opened(session: 0x0104) }
      try await probe.sendExternal(0x0104, [1, 2, 3])
      let prefixes = await probe.externalPrefixes(for: 2000)
      guard !prefixes.isEmpty else { throw .notApplicable("it sends nothing in this session") }
      guard prefixes.allSatisfy({ $0 == 0x0104 }) else {
        throw .failed("its data has session ids \(prefixes), but the open session is \(0x0104)")
      }
    },
    Check(
      "EAP-05", .externalAccessory, of: [.accessory], "A closed session is silent",
      "After EA01 an accessory sends no further data in that session.",
      .at("ExternalAccessory.md#after-closing", .low, "inferred")
    ) { probe throws(Stop) in
      _ = try await probe.beforehand { probe throws(Stop) in try await probe.opened(session: 0x0105) }
      try await probe.send(Message(StopExternalAccessoryProtocolSession.id, [(0, [0x01, 0x05])]))
      // Receive the data in transit.
      _ = await probe.externalPrefixes(for: 500)
      try await probe.sendExternal(0x0105, [1, 2, 3])
      let prefixes = await probe.externalPrefixes(for: Timeouts.quiet)
      guard !prefixes.contains(0x0105) else { throw .failed("it sends data after EA01") }
      try await probe.stays()
    },
    Check(
      "EAP-06", .externalAccessory, of: .both, "Data of an unknown session is dropped",
      "A datagram with the id of an EA session that is not open is dropped, and the link continues.",
      .at("ExternalAccessory.md#unknown-session-id", .medium)
    ) { probe throws(Stop) in
      try await probe.session()
      guard await probe.externalAccessorySession != nil else { throw .notApplicable("the link has no EA session") }
      try await probe.sendExternal(0x7777, [1, 2, 3])
      try await probe.stillWorks()
    },
    Check(
      "EAP-07", .externalAccessory, of: [.device], "A session is opened for a known protocol",
      "EA00 names a protocol identifier of the accessory's identification.",
      .at("ExternalAccessory.md#protocol-of-session", .high)
    ) { probe throws(Stop) in
      let start = try await probe.startedByApp()
      guard start.number(0) == 1 else {
        throw .failed("EA00 names protocol \(start.number(0) ?? -1), but the identification has 1")
      }
    },
    Check(
      "EAP-08", .externalAccessory, of: [.device], "Data names the phone's session",
      "Each datagram of a device begins with the id of an EA session that it has opened.",
      .at("ExternalAccessory.md#data", .high)
    ) { probe throws(Stop) in
      let start = try await probe.startedByApp()
      let id = start[1] ?? []
      try await probe.send(Message(StatusExternalAccessoryProtocolSession.id, [(0, id), (1, [0])]))
      let prefixes = await probe.externalPrefixes(for: 2000)
      guard !prefixes.isEmpty else { throw .notApplicable("the app sends nothing") }
      guard prefixes.allSatisfy({ Int($0) == start.number(1) }) else {
        throw .failed("its data has session ids \(prefixes), but the open session is \(start.number(1) ?? -1)")
      }
    },
    Check(
      "EAP-09", .externalAccessory, of: [.device], "A refused session stays closed",
      "After EA03 with status 1 a device sends no data in that session.",
      .at("ExternalAccessory.md#after-closing", .low, "inferred")
    ) { probe throws(Stop) in
      let start = try await probe.startedByApp()
      try await probe.send(Message(StatusExternalAccessoryProtocolSession.id, [(0, start[1] ?? []), (1, [1])]))
      // A device may have sent data before it received EA03.
      _ = await probe.externalPrefixes(for: 500)
      try await probe.sendExternal(UInt16(truncatingIfNeeded: start.number(1) ?? 0), [1, 2, 3])
      let prefixes = await probe.externalPrefixes(for: Timeouts.quiet)
      guard !prefixes.contains(where: { Int($0) == start.number(1) }) else {
        throw .failed("it sends data in the refused session")
      }
      try await probe.stays()
    },
  ]
}

extension Probe {
  /// Completes the session setup, sends EA00 for the first protocol of the accessory, and waits for EA03.
  func opening(session: UInt16) async throws(Stop) -> Message {
    let reported = try await self.session()
    guard externalAccessorySession != nil else { throw .notApplicable("the link has no EA session") }
    guard let first = reported[10], let id = Message(0, nested: first)[0] else {
      throw .notApplicable("it has no EA protocol")
    }
    try await send(Message(StartExternalAccessoryProtocolSession.id, [(0, id), (1, session.bigEndianBytes)]))
    do throws(Stop) { return try await message(StatusExternalAccessoryProtocolSession.id) } catch {
      guard !reported.list(6).contains(StatusExternalAccessoryProtocolSession.id), !isFinished, !wasReset else {
        throw error
      }
      throw .notApplicable("it does not list EA03 and does not send it")
    }
  }

  func opened(session: UInt16) async throws(Stop) -> Int {
    try await opening(session: session).number(1) ?? -1
  }

  /// Completes the session setup and waits for EA00. The check is not applicable when no app opens a session.
  func startedByApp() async throws(Stop) -> Message {
    try await session()
    do throws(Stop) { return try await message(StartExternalAccessoryProtocolSession.id) } catch {
      throw .notApplicable("no app on the phone opened a session of \(setting.protocolName)")
    }
  }

  func sendExternal(_ id: UInt16, _ bytes: [UInt8]) async throws(Stop) {
    guard let session = externalAccessorySession else { throw .notApplicable("the link has no EA session") }
    await send(data(id.bigEndianBytes + bytes, session: session))
  }

  /// Returns the EA session identifiers of the datagrams received within a time.
  func externalPrefixes(for milliseconds: Int) async -> [UInt16] {
    let session = externalAccessorySession
    return await watch(milliseconds).compactMap(\.packet).filter { $0.isData && $0.session == session }.map {
      $0.payload.count < 2 ? 0 : UInt16($0.payload[0]) << 8 | UInt16($0.payload[1])
    }
  }
}
