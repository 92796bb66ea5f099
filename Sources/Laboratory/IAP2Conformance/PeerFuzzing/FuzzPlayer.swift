// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Fuzzing
import IAP2Roles
import IAP2Runtime
import Synchronization

/// The side that a fuzzer plays: it uses the sessions of a connection and asks for answers above the link.
struct FuzzPlayer: Sendable {
  let live: any LiveRole
  private let phone: Phone?
  private let clock: any RuntimeClock
  private let log: Locked<FuzzLog>

  /// The limit for an answer, far more than an active peer needs.
  private static let answerMilliseconds = 3000
  /// The time for which a changed session waits for an answer.
  private static let useMilliseconds = 500
  /// The limit for the acceptance of an EA session.
  private static let openMilliseconds = 3000
  /// The limit of silence on the link, after which it is probed.
  private static let silenceMilliseconds = 1000

  init(
    _ side: Side, protocolName: String, clock: any RuntimeClock, identifyMilliseconds: Int, log: Locked<FuzzLog>
  ) async {
    self.clock = clock
    self.log = log
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .milliseconds(identifyMilliseconds)
    options.limits.externalAccessoryOpenMilliseconds = Self.openMilliseconds
    var times = LifecycleTimes()
    times.silenceMilliseconds = Self.silenceMilliseconds
    // A round lasts seconds, so a silent peer is judged by quick probes.
    times.quietProbeMilliseconds = times.probeMilliseconds
    options.lifecycle = Lifecycle(times: times)
    switch side {
    case .accessory:
      let profile = HeadUnitProfile.standard(
        protocols: [protocolName], features: [.power, .deviceNotifications, .nowPlaying, .calls, .appLaunch, .carPlay])
      let headUnit = HeadUnit(profile: profile, options: options)
      await headUnit.serve(protocolName) { stream in
        do {
          for chunk in Self.chunks { try await stream.write(chunk) }
          // Without an echo, because two sides that echo never end.
          while let bytes = await stream.read() { log.value.withLock { $0.noteAnswer(byteCount: bytes.count) } }
        } catch { return }
      }
      live = headUnit
      phone = nil
    case .device:
      let phone = Phone(verifier: .any, options: options)
      self.phone = phone
      live = phone
    }
  }

  // MARK: Sessions

  /// The data of an EA session: a byte, a line, and more than a short packet.
  private static let chunks: [[UInt8]] = [[0x41], Array("swift-iap2\n".utf8), (0..<600).map { UInt8($0 & 0xFF) }]

  /// Uses an EA session and offers a file. A session that the peer does not answer is used only in the rounds that
  /// change its packets.
  func useSessions(_ questions: FuzzQuestions, changing place: FuzzSchedule.Place) async {
    if questions.externalAccessory || place == .externalAccessory {
      await useExternalAccessory(within: Self.useMilliseconds)
    }
    if questions.file || place == .file { await offerFile(0, within: Self.useMilliseconds) }
  }

  /// As the phone, opens a session of the accessory's first EA protocol; as the head unit, asks for the app.
  ///
  /// - Returns: whether bytes came back.
  @discardableResult
  private func useExternalAccessory(within milliseconds: Int = answerMilliseconds) async -> Bool {
    let before = log.value.withLock { $0.answerByteCount }
    guard let phone else {
      if before == 0, !log.value.withLock({ $0.states.contains(.externalAccessoryOpened) }) {
        await until(milliseconds) { $0.states.contains(.externalAccessoryOpened) }
      }
      return await until(milliseconds) { $0.answerByteCount > before }
    }
    guard let name = await phone.identification?.supportedExternalAccessoryProtocol.first?.externalAccessoryProtocolName
    else { return false }
    do {
      let stream = try await phone.open(name)
      for chunk in Self.chunks { try await stream.write(chunk) }
      let isAnswered = await until(milliseconds) { _ in stream.bytesReceived > 0 }
      if isAnswered { log.value.withLock { $0.noteAnswer(byteCount: stream.bytesReceived) } }
      await stream.close()
      return isAnswered
    } catch { return false }
  }

  /// Offers a file of artwork, which a message announces.
  ///
  /// - Returns: whether the peer answered the offer.
  @discardableResult
  private func offerFile(_ number: UInt8, within milliseconds: Int = answerMilliseconds) async -> Bool {
    let (before, hasFiles) = log.value.withLock { ($0.fileAnswerCount, $0.hasFiles) }
    guard hasFiles else { return false }
    let id = (phone == nil ? 1 : 129) + number
    if phone != nil {
      // NowPlayingUpdate with the artwork's file (FileTransfer.md#announcement).
      let artwork: [UInt8] = [0, 5, 0, 26, id]
      _ = await live.sendRaw(id: NowPlayingUpdate.id, body: [0, UInt8(artwork.count + 4), 0, 0] + artwork)
    }
    guard await live.sendFile([UInt8](repeating: 0x5A, count: 300), type: 2, id: id) else { return false }
    log.value.withLock { _ = $0.states.insert(.fileOffered) }
    return await until(milliseconds) { $0.fileAnswerCount > before }
  }

  // MARK: Questions

  /// The requests that a peer answers at any time of a session. A phone is asked for values; an accessory answers a
  /// repeated request (FieldBehavior.md#f34).
  private var candidates: [FuzzQuestions.Question] {
    phone == nil
      ? [
        .init(message: StartPowerUpdates.id, answer: PowerUpdate.id),
        .init(message: StartCommunicationsUpdates.id, answer: CommunicationsUpdate.id),
        .init(message: StartNowPlayingUpdates.id, answer: NowPlayingUpdate.id),
      ]
      : [
        .init(message: RequestAuthenticationCertificate.id, answer: AuthenticationCertificate.id),
        .init(message: StartIdentification.id, answer: IdentificationInformation.id),
      ]
  }

  /// Uses the sessions of a clean connection and finds out which questions the peer answers.
  func learn() async -> FuzzQuestions {
    var questions = FuzzQuestions()
    for question in candidates where await isAnswered(question) { questions.messages.append(question) }
    questions.sendsFeatures = hasSentFeatures
    // Last, because a peer may end over a session that it does not expect.
    questions.file = await offerFile(0)
    questions.externalAccessory = await useExternalAccessory()
    return questions
  }

  /// Asks the questions that the peer answers in a clean session.
  ///
  /// - Returns: the question without an answer, if the link goes on; nil if all were answered or the link ended.
  func unanswered(_ questions: FuzzQuestions) async -> String? {
    let (isReady, isLinkUp) = log.value.withLock { ($0.wasReady, $0.states.contains(.linkUp)) }
    // A head unit asks for values only in a session that is ready.
    guard isLinkUp, isReady || phone != nil, !questions.names.isEmpty else { return nil }
    log.value.withLock { _ = $0.states.insert(.asked) }
    if let question = questions.messages.first, !(await isAnsweredAtLast(question)) {
      return isOver ? nil : FuzzQuestions(messages: [question]).names[0]
    }
    guard isReady, hasSentFeatures || !questions.sendsFeatures else { return nil }
    if phone != nil, questions.externalAccessory, !(await useExternalAccessory()) { return isOver ? nil : "EA data" }
    if questions.file, !(await offerFile(1)) { return isOver ? nil : "a file" }
    return nil
  }

  private var hasSentFeatures: Bool { log.value.withLock { $0.counts.keys.contains { !ControlHeader.isImplied($0) } } }

  private var isOver: Bool { log.value.withLock { $0.isOver } }

  /// Asks, and asks again after as many bytes as the peer may still expect of a message whose length was changed.
  private func isAnsweredAtLast(_ question: FuzzQuestions.Question) async -> Bool {
    if await isAnswered(question) { return true }
    for _ in 0..<17 where !isOver { _ = await live.sendRaw(id: 0x0BAD, body: [UInt8](repeating: 0, count: 4000)) }
    if isOver { return false }
    return await isAnswered(question)
  }

  private func isAnswered(_ question: FuzzQuestions.Question) async -> Bool {
    let before = log.value.withLock { $0.counts[question.answer, default: 0] }
    guard await live.sendRaw(id: question.message, body: Self.body(of: question.message)) else { return false }
    return await until { $0.counts[question.answer, default: 0] > before }
  }

  /// Returns the parameters of a question: some attributes of a subscription.
  private static func body(of message: UInt16) -> [UInt8] {
    switch message {
    case StartPowerUpdates.id: [0, 4, 0, 4, 0, 4, 0, 5, 0, 4, 0, 6]
    case StartCommunicationsUpdates.id: [0, 4, 0, 2, 0, 4, 0, 9, 0, 4, 0, 10]
    case StartNowPlayingUpdates.id: [0, 8, 0, 1, 0, 4, 0, 0]
    default: []
    }
  }

  /// Waits until the log meets a condition.
  @discardableResult
  private func until(_ milliseconds: Int = answerMilliseconds, _ condition: (FuzzLog) -> Bool) async -> Bool {
    let end = clock.now.adding(milliseconds: milliseconds)
    while true {
      let (isMet, isOver) = log.value.withLock { (condition($0), $0.isOver) }
      if isMet { return true }
      guard !isOver, clock.now < end else { return false }
      do { try await clock.sleep(until: clock.now.adding(milliseconds: 20)) } catch { return false }
    }
  }
}
