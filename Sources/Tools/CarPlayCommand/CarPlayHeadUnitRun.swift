// swift-iap2 · Apache-2.0

import Basics
import Bonjour
import CarPlayLive
import CarPlayPrograms
package import CarPlaySession
import CarPlaySimulation
import CarPlaySound
import CommandSupport
import Cryptography
package import FaultModel
import IAP2
package import IAP2Authentication
import IAP2Scenario
package import IAP2Transport
import Synchronization

/// A head unit that serves CarPlay sessions until it is stopped.
package final class CarPlayHeadUnitRun: Sendable {
  typealias Runner = SessionRunner<FaultySession<ProgrammedSession<HeadUnitProgram>>>

  private let runner: Runner
  private let output: SessionOutput
  private let sinks: [any ContentSink]
  private let sound: DecodedSound
  private let keyLog: KeyLog?
  private let listen: HostPort
  private let hasDriver: Bool
  /// The mouse and the keys of the window, and the size of its picture; nil without them.
  private let window: (input: WindowInput, width: Int, height: Int)?
  /// The address with its real port; nil before the socket is bound.
  private let bound = Mutex<HostPort?>(nil)
  /// The size of the main screen in pixels.
  package let screenSize: (width: Int, height: Int)
  private let identity: PairingIdentity
  private let generation: Generation
  /// What announces the head unit; nil without.
  private let discovery: HeadUnitDiscovery?
  private let announcing = Mutex<Task<Void, Never>?>(nil)
  /// Whether the last session that an iAP2 link began goes on without it, as one over the air.
  let outlivesLink = Atomic(false)

  /// - Parameters:
  ///   - isLinked: Whether an iAP2 link begins each session.
  ///   - inner: iAP2 inside the session; nil for none.
  ///   - isReachable: Whether phones reach the head unit on any interface, if the options name no address.
  package init(
    _ options: CarPlayHeadUnitOptions, found: HeadUnitDiscoveryOptions? = nil, authenticator: any Authenticator,
    json: Bool, isLinked: Bool = false, isReachable: Bool = false, inner: LiveInnerLink? = nil,
    faults: FaultPlan = FaultPlan(),
    tap: SocketTap? = nil, keyLog: KeyLog? = nil,
    viewer: SessionViewer? = nil, clock: any RuntimeClock,
    onEvent: @escaping @Sendable (SessionEvent, _ linkCause: String?) -> Void = { _, _ in }
  ) throws {
    let path = options.pairings ?? PairingFile.standardPath(of: .headUnit)
    let pairings: PairingFile
    do throws(PairingFile.Problem) { pairings = try PairingFile(path: path) } catch { throw error.failure }
    let codecs = Self.codecs(options)
    let configuration = HeadUnitConfiguration(
      identity: pairings.identity,
      info: try options.info(deviceID: pairings.identity.macAddress, codecs: codecs),
      generation: options.generation, features: ["altScreen", "iAPChannel", "mainBuffered", "viewAreas"],
      phones: pairings.keys)
    var settings = HeadUnitProgram.Settings()
    if let microphone = options.microphone, microphone != "silence" {
      settings.microphone = try InputFile.bytes(microphone, limit: Self.maximumMicrophone)
    }
    if options.sessionProfile == .wireless, codecs.contains(.opus) {
      settings.codedMicrophone = CodedMicrophone.packets(of: settings.microphone)
    }
    let discovery = found?.announce.map { name in
      HeadUnitDiscovery(name: name, target: found?.target, text: configuration.textRecord, tap: tap) { event in
        guard viewer == nil else { return }
        CarPlayLine.show(event.record, of: .headUnit, at: clock.now, json: json)
      }
    }
    let (screens, sounds) = (try Self.screens(options), try Self.sounds(options))
    let sound = DecodedSound(sounds, codecs: codecs)
    let output = SessionOutput(
      .headUnit, json: json, hasLines: viewer == nil, isLinked: isLinked, pairings: pairings, now: { clock.now },
      onEvent: {
        discovery?.take($0)
        onEvent($0, $1)
      })
    if options.screenshots != nil { settings.keyFrames.interval = Screenshots.keyFrameInterval }
    if options.screen == ScreenFile.window { settings.keyFrames.countAtRest = PictureWindow.delay }
    let viewed: [any MediaSink] = viewer.map { [ViewedPictures($0)] } ?? []
    let program = HeadUnitProgram(settings, sinks: screens + viewed + [sound, output])
    let session = HeadUnitSession(configuration, random: SessionSystem.random)
    runner = Runner(
      FaultySession(ProgrammedSession(session, program), side: .headUnit, plan: faults),
      sign: { await Self.sign($0, authenticator) }, tap: tap?.receive,
      keyLog: keyLog?.receive,
      onEvent: {
        output.take($0)
        inner?.take($0)
      })
    inner?.join(output) { [runner] bytes in await runner.act { $0.machine.machine.send(iAP: bytes, at: $1) } }
    (self.output, self.sinks, self.sound, self.keyLog) = (output, screens + sounds, sound, keyLog)
    (identity, generation, hasDriver) = (pairings.identity, options.generation, options.driver)
    let display = configuration.info.displays?.first
    screenSize = (display?.width ?? 0, display?.height ?? 0)
    window = screens.lazy.compactMap { ($0 as? ScreenFile)?.input }.first.map {
      ($0, display?.width ?? 0, display?.height ?? 0)
    }
    self.discovery = discovery
    listen = options.listen ?? HostPort(host: discovery == nil && !isReachable ? "127.0.0.1" : "::", port: 0)
  }

  /// Returns the codecs of received sound that are decoded.
  private static func codecs(_ options: CarPlayHeadUnitOptions) -> Set<AudioFormat.Codec> {
    var uses: [InstalledCodecs.Use] = []
    if !options.audio.isEmpty { uses.append((.aacLC, [.decoding])) }
    if options.sessionProfile == .wireless { uses.append((.opus, [.decoding, .encoding])) }
    return InstalledCodecs.available(uses, consequence: "no other sound than PCM is heard")
  }

  /// Opens what the options name for the screen.
  private static func screens(_ options: CarPlayHeadUnitOptions) throws -> [any ContentSink] {
    var sinks: [any ContentSink] = []
    if let screen = options.screen { sinks.append(try ScreenFile(screen)) }
    if let cluster = options.cluster {
      sinks.append(try ScreenFile(cluster, of: .alternateScreen, option: "--cluster"))
    }
    if let screenshots = options.screenshots { sinks.append(try Screenshots(screenshots)) }
    return sinks
  }

  /// Opens what the options name for the sound.
  private static func sounds(_ options: CarPlayHeadUnitOptions) throws -> [any ContentSink] {
    try options.audio.compactMap { target in
      switch target {
      case .folder(let path): try SoundFiles(folder: path)
      case .mix(let path): SoundMix(try MixFile(path))
      case .device: try SoundDevice().map { SoundMix($0) }
      }
    }
  }

  /// The largest microphone file in bytes: ten minutes at 48 kHz.
  private static let maximumMicrophone = 58 << 20

  /// Signs with the accessory's key, as auth-setup wants it; nil if the authenticator cannot.
  package static func sign(_ bytes: [UInt8], _ authenticator: any Authenticator) async -> AccessoryEvidence? {
    do {
      return AccessoryEvidence(
        certificate: try await authenticator.certificate(),
        signature: try await authenticator.sign(challenge: HashFunction.sha256.hash(bytes)))
    } catch {
      Output.note("the accessory cannot sign: \(error)")
      return nil
    }
  }

  /// Listens for phones. ``accept()`` starts to serve them. A head unit that is to be announced serves them at once.
  package func open() async throws {
    try keyLog?.begin()
    let pressure = SinkPressure()
    for (index, sink) in sinks.enumerated() {
      sink.whenPressureChanges { [runner] type, isPressed in
        pressure.set(isPressed, of: index, on: type)
        Task { await runner.setReading(.stream(type)) { !pressure.isPressed(type) } }
      }
    }
    do {
      let address = try await bind()
      bound.withLock { $0 = HostPort(argument: address) }
      output.listening(address)
      if let window { follow(window.input, width: window.width, height: window.height) }
      if hasDriver { Task { await DriverInput.follow { await self.run(driver: $0) } } }
    } catch {
      throw CommandFailure(
        .unavailable, "cannot listen at \(listen.host):\(listen.port): \(SocketAddresses.reason(of: error))")
    }
    do throws(DirectoryProblem) { try announce() } catch {
      _ = try await close()
      throw error.failure
    }
    // Phones find an announced head unit without a link.
    if discovery != nil { await accept() }
  }

  /// Binds the port. Every address of a system without IPv6 is one of IPv4.
  private func bind() async throws -> String {
    do { return try await runner.listen(host: listen.host, port: listen.port) } catch {
      guard listen.host == "::", SocketAddresses.isFamilyMissing(error) else { throw error }
      return try await runner.listen(host: "0.0.0.0", port: listen.port)
    }
  }

  /// Starts to serve phones.
  package func accept() async { await runner.accept() }

  /// The addresses and the real port at which phones find the head unit, and the other values of CarPlayStartSession.
  package var start: (addresses: [String], port: UInt16, deviceID: String, publicKey: String, sourceVersion: String) {
    let address = bound.withLock { $0 } ?? listen
    return (
      SocketAddresses.reachable(address.host), UInt16(clamping: address.port), identity.macAddress,
      Hex.text(identity.publicKey), generation.sourceVersion
    )
  }

  /// Runs a step of a scenario.
  ///
  /// - Returns: nil on success, otherwise the reason.
  package func run(_ step: @escaping @Sendable (inout HeadUnitSession, MonotonicTime) -> String?) async -> String? {
    await runner.act { step(&$0.machine.machine, $1) }
  }

  /// Performs what the user does in the window, in this order.
  private func follow(_ input: WindowInput, width: Int, height: Int) {
    let (actions, sender) = AsyncStream<InputAction>.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumActions))
    input.follow(width: width, height: height) { sender.yield($0) }
    // Without a session the window shows nothing that could be touched.
    Task { for await action in actions { await perform(action) } }
  }

  /// Performs what the driver does.
  package func perform(_ action: InputAction) async {
    await runner.act { _ = $0.machine.machine.perform(action, at: $1) }
  }

  /// Asks the phone for a picture that stands alone.
  package func requestKeyFrame() async {
    await runner.act { session, time in
      let program = session.machine.program
      program.askForKeyFrame(&session.machine.machine, at: time)
    }
  }

  /// The most actions that wait. A user makes fewer in a second.
  private static let maximumActions = 1000

  /// Runs a step of the driver.
  private func run(driver step: CarPlayStep) async -> String? {
    guard case .headUnit(let body) = step else { return "this is a step of the phone" }
    return await run(body)
  }

  /// Ends the session, because its iAP2 link ended for a cause. ``accept()`` serves phones again.
  package func linkEnded(_ cause: String) async {
    if discovery == nil { await runner.accept(false) }
    output.endsWithLink(cause)
    await runner.act { $0.stop(.linkLost, at: $1) }
  }

  /// Ends all sessions and closes the files.
  ///
  /// - Returns: Whether a session was set up and the last one ended cleanly.
  package func close() async throws -> Bool {
    let announcing = announcing.withLock { $0 }
    announcing?.cancel()
    await announcing?.value
    await runner.act { $0.stop(.stopped, at: $1) }
    await runner.close()
    output.flush()
    await sound.close()
    let results = sinks.map { sink in Result { try sink.close() } }
    for result in results { try result.get() }
    return output.isComplete
  }

  /// Serves phones.
  ///
  /// - Parameters:
  ///   - once: Whether the first session that ends also ends the run.
  ///   - duration: The time after which the run ends; nil for none.
  /// - Returns: Whether a session was set up and the last one ended cleanly.
  package func run(once: Bool, duration: Duration?) async throws -> Bool {
    try await open()
    await accept()
    await output.wait(once: once, duration: duration)
    return try await close()
  }

  /// Reports the begin or the end of an iAP2 link, which brings its phone without a call.
  func linkChanged(isUp: Bool) { discovery?.linkChanged(isUp: isUp) }

  private func announce() throws(DirectoryProblem) {
    guard let discovery, let address = bound.withLock({ $0 }) else { return }
    if SocketAddresses.isLoopback(address.host) {
      Output.note("phones on other machines cannot reach \(address): leave out --listen, or name another address")
    }
    let task = try discovery.open(port: UInt16(clamping: address.port))
    announcing.withLock { $0 = task }
  }
}
