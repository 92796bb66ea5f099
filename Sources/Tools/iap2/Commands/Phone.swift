// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Authentication
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import IAP2Transports
import Synchronization

struct PhoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Play a phone, the device's side, over a transport.",
    discussion: """
      Examples:
        iap2 phone --transport tcp:127.0.0.1:7000
        iap2 phone --transport tcp:127.0.0.1:7000 --once --open com.example.echo --send in.bin --receive out.bin
        iap2 phone --transport unix-listen:/tmp/iap2.sock --authentication any --json
        iap2 phone --transport tcp:127.0.0.1:7000 --profile slow-phone
        iap2 phone --transport usb
        iap2 phone --transport usb-gadget-phone
      """)

  @OptionGroup var live: LiveOptions
  @OptionGroup var play: PlayOptions
  @OptionGroup var judging: PhoneOptions

  @Option(help: "Open an EA session of this protocol.")
  var open: String?

  @Option(help: "With --open: send this file over the session (default: standard input).")
  var send: String?

  @Option(help: "With --open: store the received bytes in this file (default: standard output).")
  var receive: String?

  func validate() throws {
    try live.check(.device)
    guard open == nil || play.scenario == nil else {
      throw ValidationError("--scenario opens its own sessions: leave out --open")
    }
    guard open != nil || send == nil && receive == nil else {
      throw ValidationError("--send and --receive need --open")
    }
  }

  func run() async throws {
    let clock = WallClock()
    let scenario = try play.scenario.map { try ScenarioFile.read($0) }
    var profile = scenario?.phone ?? PhoneProfile()
    var behavior = scenario?.phoneBehavior
    if let name = play.profile { (profile, behavior) = try ScenarioFile.phone(name) }
    if let order = judging.order { profile.order = order }
    if let name = live.name { profile.state.name = name }
    let life = try live.life.live(scenario)
    let phone = Phone(
      profile: profile, verifier: try judging.verifier(),
      options: try live.options(clock: clock, behavior: behavior, life: life))
    guard let open else {
      let play = scenario.map { scenario in
        ScenarioPlay(LiveScenario(scenario, role: .phone), live: phone, endsConnection: live.once) {
          await $0.play(phone: phone, clock: clock)
        }
      }
      return try await LiveSession(
        role: .phone, live: phone, options: live, clock: clock, life: life, onEvent: { play?.handle($0) }
      ).serve(endsAnyhow: play != nil) { await play?.isComplete() ?? true }
    }
    if let send { _ = try InputFile.open(send) }
    let output = try receive.map { try OutputFile.open($0) } ?? .standardOutput
    let transfer = Transfer(
      phone: phone, protocolName: open, inputPath: send, output: output, endsConnection: live.once)
    let session = LiveSession(
      role: .phone, live: phone, options: live, clock: clock, life: life, jsonToStandardError: receive == nil,
      onEvent: { transfer.handle($0) })
    try await session.serve {
      await transfer.finished()
      if live.once, !transfer.isComplete { Output.note("the session ended before all sent bytes came back") }
      return !live.once || transfer.isComplete
    }
  }
}

/// The transfer of `--open`: sends the input to each peer that is ready, and stores the received bytes.
final class Transfer: Sendable {
  private struct State {
    var isAuthenticated = false
    var isIdentified = false
    var task: Task<Void, Never>?
    /// The number of sent bytes; nil until the whole input was handed over.
    var sentCount: Int?
    var isComplete = false
  }

  private let state = Mutex(State())
  private let phone: Phone
  private let protocolName: String
  /// The input file, read from its beginning for each peer; nil for standard input, which is read on.
  private let inputPath: String?
  private let output: FileHandle
  private let endsConnection: Bool

  init(phone: Phone, protocolName: String, inputPath: String?, output: FileHandle, endsConnection: Bool) {
    self.phone = phone
    self.protocolName = protocolName
    self.inputPath = inputPath
    self.output = output
    self.endsConnection = endsConnection
  }

  var isComplete: Bool { state.withLock { $0.isComplete } }

  func handle(_ event: RoleEvent) {
    if case .disconnected = event {
      state.withLock { state in
        state.isAuthenticated = false
        state.isIdentified = false
        state.sentCount = nil
      }
      return
    }
    let isReady = state.withLock { state in
      let wasReady = state.isAuthenticated && state.isIdentified
      if event == .authenticated { state.isAuthenticated = true }
      if case .identified = event { state.isIdentified = true }
      return !wasReady && state.isAuthenticated && state.isIdentified
    }
    guard isReady else { return }
    let earlier = state.withLock { $0.task }
    let task = Task {
      await earlier?.value
      await self.run()
    }
    state.withLock { $0.task = task }
  }

  func finished() async { await state.withLock { $0.task }?.value }

  private func run() async {
    do {
      let input = try inputPath.map { FileChunks(try InputFile.open($0)) } ?? .standardInput
      let stream = try await phone.open(protocolName)
      OutputFile.empty(output)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          var count = 0
          while let bytes = await input.next() {
            try await stream.write(bytes)
            count += bytes.count
          }
          guard !Task.isCancelled else { return }
          self.state.withLock { $0.sentCount = count }
          if count == 0 || stream.bytesReceived >= count { await self.done(stream) }
        }
        var count = 0
        while let bytes = await stream.read() {
          try self.output.write(contentsOf: Data(bytes))
          count += bytes.count
          if let all = self.state.withLock({ $0.sentCount }), count >= all { await self.done(stream) }
        }
        // The session is over, so stop reading the input.
        group.cancelAll()
      }
    } catch let error as ExternalAccessoryError {
      Output.note("\(protocolName): \(error.text)")
    } catch { Output.note("\(protocolName): \(InputFile.reason(error))") }
    if endsConnection { await phone.disconnect() }
  }

  /// Closes the session after all sent bytes came back.
  private func done(_ stream: ExternalAccessoryStream) async {
    state.withLock { $0.isComplete = true }
    if endsConnection { await stream.close() }
  }
}
