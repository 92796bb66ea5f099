// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Analysis
import IAP2Authentication
package import IAP2Replay
package import IAP2Roles
import IAP2Runtime
package import IAP2Scenario
package import IAP2Transport

/// The other role for a replay in memory, from a profile or scenario, or from the recording.
package struct ReplayPeer: Sendable {
  private let subject: Profile.Subject
  private let behavior: Behavior?
  private let scenario: Scenario?

  /// Creates the peer of a role that is replayed.
  ///
  /// - Parameters:
  ///   - record: The recording. It describes the peer if `profile` and `scenario` are nil.
  ///   - role: The role that is replayed; the peer is the other one.
  ///   - profile: A profile of the peer.
  ///   - scenario: A scenario whose steps the peer plays.
  package init(_ record: SessionRecord, role: Role, profile: Profile?, scenario: Scenario?) {
    self.scenario = scenario
    switch (profile, scenario, role) {
    case (let profile?, _, _): (subject, behavior) = (profile.subject, profile.behavior)
    case (nil, let scenario?, .headUnit): (subject, behavior) = (.phone(scenario.phone), scenario.phoneBehavior)
    case (nil, let scenario?, .phone):
      subject = .headUnit(scenario.headUnit, services: scenario.services)
      behavior = scenario.headUnitBehavior
    case (nil, nil, .headUnit): (subject, behavior) = (.phone(record.phoneProfile), nil)
    case (nil, nil, .phone):
      (subject, behavior) = (.headUnit(record.headUnitProfile, services: record.services), nil)
    }
  }

  /// The peer during one connection.
  package struct Life: Sendable {
    fileprivate let peer: ReplayPeer
    fileprivate let scenario: ShadowedScenario?

    /// Passes an event of the replay to the steps of the scenario that wait for it.
    package func handle(_ event: ReplayEvent, of script: ReplayScript) {
      guard let scenario else { return }
      switch event {
      case .input(let input): scenario.receive(input)
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

    /// Runs the peer until the connection has ended.
    ///
    /// - Returns: The failed step of the scenario as text; nil if none failed.
    package func live(on transport: any ByteTransport, clock: any RuntimeClock) async -> String? {
      var options = RoleOptions()
      options.clock = clock
      options.identifyTimeout = .seconds(60)
      peer.behavior?.apply(to: &options)
      switch peer.subject {
      case .headUnit(let profile, let services):
        let chip = peer.behavior?.authenticator(SoftwareAuthenticator.test, clock: clock) ?? SoftwareAuthenticator.test
        let headUnit = HeadUnit(profile: profile, authenticator: chip, options: options)
        for (name, service) in services {
          await headUnit.serve(name) { await LiveScenario.serve(service, $0, clock: clock) }
        }
        return await live(headUnit, transport) { await $0.play(headUnit: headUnit, clock: clock) }
      case .phone(let profile):
        // The replayed head unit may send recorded signatures or a certificate of the user, so any is accepted.
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
        if let scenario { group.addTask { await play(scenario).failure } }
        _ = await live.run(on: transport)
        live.finish()
        var failure: String?
        for await found in group { failure = failure ?? found }
        return failure
      }
    }
  }

  /// A new connection.
  package var life: Life {
    let role: Role = if case .headUnit = subject { .headUnit } else { .phone }
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

  /// A phone with the name, the language and the order of the recorded one.
  package var phoneProfile: PhoneProfile {
    var profile = PhoneProfile()
    if let name = first(DeviceInformationUpdate.self)?.deviceName { profile.state.name = name }
    if let language = first(DeviceLanguageUpdate.self)?.language { profile.state.language = language }
    let order = steps.compactMap { step -> UInt16? in
      guard case .message(let bytes) = step.content else { return nil }
      return ControlHeader.id(of: bytes)
    }.first { $0 == StartIdentification.id || $0 == RequestAuthenticationCertificate.id }
    if order == StartIdentification.id { profile.order = .identificationFirst }
    return profile
  }

  /// A head unit with the identification and the requests of the recorded one.
  package var headUnitProfile: HeadUnitProfile { identification.map(headUnitProfile) ?? .standard() }

  /// The recorded identification of the accessory; nil if the recording lacks it.
  var identification: IdentificationInformation? { first(IdentificationInformation.self) }

  func headUnitProfile(_ identification: IdentificationInformation) -> HeadUnitProfile {
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

  /// A service for each recorded EA protocol: an echo if the accessory sent back what it received, else none.
  package var services: [String: Scenario.Service] {
    var services: [String: Scenario.Service] = [:]
    for session in externalAccessories {
      guard let name = session.protocolName else { continue }
      services[name] = session.isEcho ? .echo : .discard
    }
    return services
  }
}
