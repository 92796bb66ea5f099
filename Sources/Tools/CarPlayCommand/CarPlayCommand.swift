// swift-iap2 · Apache-2.0

package import ArgumentParser
import CarPlayPrograms
import CarPlaySession
import CommandSupport
import FaultModel
import IAP2Transport

/// Both sides of a CarPlay session without an iAP2 link.
package struct CarPlayCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "carplay", abstract: "Play one side of a CarPlay session on the network, without iAP2.",
    discussion: """
      The head unit listens, the phone connects. They pair at the first meeting, encrypt, and carry the screen, sound \
      and commands. Nothing is announced without --announce, and the head unit listens on this machine alone unless \
      --listen or --announce say otherwise.

      Examples:
        iap2 carplay headunit --listen 127.0.0.1:7010 --screen 'pipe:ffplay -loglevel error -f h264 -'
        iap2 carplay phone --connect 127.0.0.1:7010 --video film.h264 --music music.pcm --once
        iap2 carplay phone --connect 127.0.0.1:7010 --capture session.pcapng --fault loss=0.05,jitter=20,disconnect=carPlayStream
      """,
    subcommands: [HeadUnit.self, Phone.self])

  package init() {}

  /// Options of both sides.
  struct Shared: ParsableArguments {
    @Flag(help: "One JSON object per line.")
    var json = false

    @OptionGroup var colors: ColorOptions

    @Option(
      help: ArgumentHelp(
        "End after so many seconds. A phone with --once stays at least so long, and longer if its content does.",
        valueName: "seconds"))
    var seconds: Double?

    @OptionGroup var faults: FaultOptions

    @Option(
      help: ArgumentHelp(
        "Write what passes the session's sockets into this capture, as IP packets in pcapng.", valueName: "file"),
      completion: .file())
    var capture: String?

    /// Runs a side with the tap of the capture and the key log, nil without them.
    ///
    /// - Parameters:
    ///   - make: Prepares the side, and so knows all its files, before the capture is emptied.
    ///   - run: Runs the side. Returns whether all went in order.
    func recording<Side>(
      _ secrets: KeyLogOptions, _ make: (SocketTap?, KeyLog?) throws -> Side, run: (Side) async throws -> Bool
    ) async throws -> Bool {
      let capture = try capture.map { try SessionCapture($0) }
      let keyLog = try secrets.open(beside: capture?.tap)
      let side = try make(capture?.tap, keyLog)
      try capture?.begin(hasSecrets: secrets.isGiven)
      let isComplete: Bool
      do { isComplete = try await run(side) } catch {
        do { try capture?.check() } catch { Output.note((error as? CommandFailure)?.text ?? "\(error)") }
        throw error
      }
      try capture?.check()
      if keyLog?.isComplete == false { throw ExitStatus.failed.code }
      return isComplete
    }

    /// The names of the events at which a fault may begin.
    private static let events = Set(SessionEvent.declarations.map(\.name))

    func validate() throws {
      try faults.check(events: Self.events)
      if let seconds, !(seconds > 0 && seconds < 1e9) { throw ValidationError("--seconds takes seconds, above 0") }
    }

    var duration: Duration? { seconds.map { .seconds($0) } }

    /// Returns the faults and prints their seed. The plan is empty without faults.
    func faultPlan() throws -> FaultPlan { try faults.drawn(events: Self.events) ?? FaultPlan() }
  }

  package struct HeadUnit: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
      commandName: "headunit", abstract: "Play the head unit of a CarPlay session.",
      discussion: """
        Examples:
          iap2 carplay headunit --listen 127.0.0.1:7010
          iap2 carplay headunit --listen 127.0.0.1:7010 --once --screen film.h264 --audio sounds --json
          iap2 carplay headunit --display 1920x720@60 --display 800x480@30 --generation 280
          iap2 carplay headunit --announce 'My car' --call any
        """)

    @OptionGroup var shared: Shared
    @OptionGroup var options: CarPlayHeadUnitOptions
    @OptionGroup var found: HeadUnitDiscoveryOptions
    @Flag(
      help:
        "Serve one session, then exit: 0 if it was set up and ended in order, else 1. A peer that is not a phone ends it, too."
    )
    var once = false
    @OptionGroup var authentication: AuthenticatorOptions

    package init() {}

    package func run() async throws {
      let clock = WallClock()
      let authenticator = try await authentication.open(clock: clock)
      let isComplete = try await shared.recording(options.secrets) {
        try CarPlayHeadUnitRun(
          options, found: found, authenticator: authenticator, json: shared.json, faults: try shared.faultPlan(),
          tap: $0, keyLog: $1, clock: clock)
      } run: {
        try await $0.run(once: once, duration: shared.duration)
      }
      if once, !isComplete { throw ExitStatus.failed.code }
    }
  }

  package struct Phone: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
      commandName: "phone", abstract: "Play the phone of a CarPlay session.",
      discussion: """
        Without --once the session goes on until --seconds or Ctrl-C. With --once it ends when the content was sent, \
        and not before --seconds.

        Examples:
          iap2 carplay phone --connect 127.0.0.1:7010
          iap2 carplay phone --connect 127.0.0.1:7010 --video film.h264 --rate 60 --once --json
          iap2 carplay phone --connect 127.0.0.1:7010 --app Examples/RadioApp --profile 280,wireless
          iap2 carplay phone --find any --video film.h264
          iap2 carplay phone --announce --name 'My phone'
        """)

    @OptionGroup var shared: Shared
    @OptionGroup var options: CarPlayPhoneOptions
    @OptionGroup var found: PhoneDiscoveryOptions
    @Option(
      help: ArgumentHelp(
        """
        The kind of phone in one word: a generation (210, 280 or 320), a sound (wired, wireless or short-call), or both \
        with a comma. It stands for --generation and --session-profile, which iap2 phone --carplay has, too: there --profile \
        names the phone of the link.
        """,
        valueName: "kind"))
    var profile: PhoneKind?
    @Flag(
      help: """
        End once the content was sent and --seconds are over. An app has no end: it needs --seconds. Exit 0 if all went \
        in order, else 1.
        """)
    var once = false
    @Option(
      help: ArgumentHelp(
        "The CA whose head units are trusted: test (the project's CA), any, or a CA file in PEM.",
        valueName: "test|any|file"), completion: .file())
    var authentication = "test"
    @Option(help: "The name of the phone, as sent to the head unit.")
    var name: String?

    package init() {}

    package func validate() throws {
      guard (options.connect == nil) != (found.target == nil) else {
        throw ValidationError(
          options.connect == nil
            ? "--connect is missing: give the head unit's HOST:PORT, or --find any"
            : "--connect names the head unit: leave out --find and --announce")
      }
      if found.announce, let name { try DiscoveryName.check(name, of: "--name") }
      guard profile?.generation == nil || options.generation == .current,
        profile?.sound == nil || options.sessionProfile == .wired
      else { throw ValidationError("--profile already says it: leave out --generation and --session-profile") }
    }

    package func run() async throws {
      var options = options
      options.generation = profile?.generation ?? options.generation
      options.sessionProfile = profile?.sound ?? options.sessionProfile
      // A refused command leaves complete pairings.
      let pairings = try CarPlayPhoneRun.pairings(options)
      let content = try PhoneContent(options, isOpen: !once)
      let verifier = try VerifierChoice.verifier(authentication)
      let faults = try shared.faultPlan()
      let clock = WallClock()
      let discovery = found.discovery(
        pairings, name: name, sourceVersion: options.generation.sourceVersion, json: shared.json, clock: clock)
      let isComplete = try await content.whileOpen {
        try await shared.recording(options.secrets) { tap, keyLog in
          let make = {
            @Sendable [options, shared, name, once] (places: HeadUnitPlaces, expected: HeadUnitName?, number: Int)
              throws in
            try CarPlayPhoneRun(
              options, content: content, places: places, verifier: verifier, expected: expected, name: name,
              json: shared.json,
              isBrief: once, duration: shared.duration, faults: faults, number: number, tap: tap, keyLog: keyLog,
              clock: clock, onEvent: { event, _ in discovery?.take(event) })
          }
          return (tap, make)
        } run: { tap, make in
          if let address = options.connect { return try await make(HeadUnitPlaces(address), nil, 0).run() }
          guard let discovery else { return false }
          try await discovery.open(tap: tap)
          Output.queue()
          return try await discovery.run(once: once, duration: shared.duration, make: make)
        }
      }
      if !isComplete { throw ExitStatus.failed.code }
    }
  }
}
