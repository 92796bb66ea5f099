// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Authentication
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport

/// Our own other role for a replay in memory: what a profile or scenario says, else what the recording tells of it.
struct ReplayPeer: Sendable {
  private enum Subject: Sendable {
    case headUnit(HeadUnitProfile, services: [String: Scenario.Service])
    case phone(PhoneProfile)
  }

  private let subject: Subject
  private let conduct: Conduct?
  private let scenario: Scenario?

  /// - Parameter role: who is played; the peer is the other one.
  init(_ record: SessionRecord, role: RoleLine.Role, profile: String?, scenario: String?) throws {
    self.scenario = try scenario.map { try ScenarioFile.read($0) }
    switch role {
    case .headUnit:
      if let name = profile {
        let found = try ScenarioFile.phone(name)
        (subject, conduct) = (.phone(found.profile), found.conduct)
      } else if let scenario = self.scenario {
        (subject, conduct) = (.phone(scenario.phone), scenario.phoneConduct)
      } else {
        (subject, conduct) = (.phone(record.phoneProfile), nil)
      }
    case .phone:
      if let name = profile {
        let found = try ScenarioFile.headUnit(name)
        (subject, conduct) = (.headUnit(found.profile, services: found.services), found.conduct)
      } else if let scenario = self.scenario {
        subject = .headUnit(scenario.headUnit, services: scenario.services)
        conduct = scenario.headUnitConduct
      } else {
        (subject, conduct) = (.headUnit(record.headUnitProfile, services: record.services), nil)
      }
    }
  }

  /// A life of it: one connection.
  struct Life: Sendable {
    fileprivate let peer: ReplayPeer
    fileprivate let scenario: ShadowedScenario?

    /// What the replay sees, for a scenario's steps that wait for it.
    func handle(_ event: ReplayEvent, of script: ReplayScript) {
      guard let scenario else { return }
      switch event {
      case .heard(let input): scenario.hear(input)
      case .sentData(let session, let byteCount, _):
        scenario.count(script.sessions[session].protocolName ?? "", sent: byteCount)
      case .receivedData(let session, let byteCount):
        scenario.count(script.sessions[session].protocolName ?? "", received: byteCount)
      case .sent(let message, let step), .received(let message, let step, _):
        let opened = step.flatMap { script.steps[$0].opens }
        scenario.follow(message, opening: opened.flatMap { script.sessions[$0].protocolName })
      case .linkUp, .offeredFile, .receivedFile, .overdue, .ready, .note, .difference, .violation,
        .disconnected, .eventsLost:
        break
      }
    }

    /// Until the connection has ended.
    ///
    /// - Returns: what went wrong in the scenario.
    func live(on transport: any ByteTransport, clock: any RuntimeClock) async -> String? {
      var options = RoleOptions()
      options.clock = clock
      options.identifyTimeout = .seconds(60)
      peer.conduct?.apply(to: &options)
      switch peer.subject {
      case .headUnit(let profile, let services):
        let chip = peer.conduct?.authenticator(SoftwareAuthenticator.test, clock: clock) ?? SoftwareAuthenticator.test
        let headUnit = HeadUnit(profile: profile, authenticator: chip, options: options)
        for (name, service) in services { await headUnit.serve(name) { await LiveScenario.serve(service, $0) } }
        return await live(headUnit, transport) { await $0.play(headUnit: headUnit, clock: clock) }
      case .phone(let profile):
        // Whoever is played may have recorded bytes to show, or a certificate of the user's.
        let phone = Phone(profile: profile, verifier: .any, options: options)
        return await live(phone, transport) { await $0.play(phone: phone, clock: clock) }
      }
    }

    private func live(
      _ live: any LiveRole, _ transport: any ByteTransport,
      _ play: @escaping @Sendable (ShadowedScenario) async -> ScenarioPlayer.Outcome
    ) async -> String? {
      await withTaskGroup(of: String?.self) { group in
        group.addTask {
          for await event in live.events { scenario?.handle(event.event) }
          scenario?.end()
          return nil
        }
        if let scenario { group.addTask { ScenarioFile.failure(await play(scenario))?.text } }
        _ = await live.run(on: transport)
        live.finish()
        var failure: String?
        for await found in group { failure = failure ?? found }
        return failure
      }
    }
  }

  var life: Life {
    let role: Scenario.Role = if case .headUnit = subject { .headUnit } else { .phone }
    return Life(peer: self, scenario: scenario.map { ShadowedScenario($0, live: role) })
  }
}

extension SessionRecord {
  private func messages(of id: UInt16) -> [[UInt8]] {
    steps.compactMap {
      if case .message(let bytes) = $0.content, ControlHeader.id(of: bytes) == id { bytes } else { nil }
    }
  }

  /// The first message of a type that can be read.
  private func first<Message: ControlMessage>(_ type: Message.Type) -> Message? {
    for bytes in messages(of: type.info.id) {
      do { return try Message(decoding: unsafe bytes.span.bytes) } catch { continue }
    }
    return nil
  }

  /// A phone with the name and language of the recorded one, and its order.
  var phoneProfile: PhoneProfile {
    var profile = PhoneProfile()
    if let name = first(DeviceInformationUpdate.self)?.deviceName { profile.state.name = name }
    if let language = first(DeviceLanguageUpdate.self)?.language { profile.state.language = language }
    let order = steps.compactMap { step -> UInt16? in
      guard case .message(let bytes) = step.content else { return nil }
      return ControlHeader.id(of: bytes)
    }.first { $0 == StartIdentification.info.id || $0 == RequestAuthenticationCertificate.info.id }
    if order == StartIdentification.info.id { profile.order = .identificationFirst }
    return profile
  }

  /// A head unit that identifies itself as the recorded one did and asks for what it asked for.
  var headUnitProfile: HeadUnitProfile {
    guard let identification = first(IdentificationInformation.self) else { return .standard() }
    var profile = HeadUnitProfile(identification: identification)
    profile.state.powerSource = first(PowerSourceUpdate.self)
    profile.state.carPlay = first(CarPlayStartSession.self)
    profile.requests = steps.compactMap { step in
      guard step.from == .accessory, case .message(let bytes) = step.content,
        IdentificationRule.starts.contains(ControlHeader.id(of: bytes))
      else { return nil }
      return bytes
    }
    return profile
  }

  /// What the recorded accessory did with its EA protocols: it sent back what it got, or said nothing that is known.
  var services: [String: Scenario.Service] {
    var services: [String: Scenario.Service] = [:]
    for session in externalAccessories {
      guard let name = session.protocolName else { continue }
      services[name] = session.isEcho ? .echo : .discard
    }
    return services
  }
}
