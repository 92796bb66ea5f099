// swift-iap2 · Apache-2.0

public import ArgumentParser
import CarPlayPhone
import CarPlayPlatform
import CarPlayProfiles
public import CarPlayPrograms
public import CarPlaySession
import CommandSupport
import Foundation

extension Generation: ExpressibleByArgument {
  public static var allValueStrings: [String] { allCases.map { "\($0.rawValue)" } }
  public static var allValueDescriptions: [String: String] { [:] }
}

extension SetUpKeys: ExpressibleByArgument {}

extension SessionProfile: ExpressibleByArgument {}

/// A kind of phone: a generation and the sound of its session, such as `280,wireless`. What is left out is the default.
package struct PhoneKind: ExpressibleByArgument, Sendable, Hashable {
  var generation: Generation?
  var sound: SessionProfile?

  package init?(argument: String) {
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let word = String(word)
      if let named = Generation(argument: word), generation == nil {
        generation = named
      } else if let named = SessionProfile(rawValue: word), sound == nil {
        sound = named
      } else {
        return nil
      }
    }
  }
}

/// A host and a port, such as `127.0.0.1:7000` or `[::1]:7000`.
package struct HostPort: ExpressibleByArgument, Sendable, CustomStringConvertible {
  package var host: String
  package var port: Int

  package init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"),
      let port = Int(digits: argument[argument.index(after: colon)...]),
      (0...65_535).contains(port)
    else { return nil }
    var host = String(argument[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { return nil }
    (self.host, self.port) = (host, port)
  }

  package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

extension Int {
  /// Reads digits, without a sign.
  fileprivate init?(digits: Substring) {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(digits)
  }
}

/// A screen as an option: `1280x720@60`, or `1280x720@60:256x144` with its size in millimeters.
extension DisplaySettings: ExpressibleByArgument {
  public init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    let picture = parts[0].split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, picture.count == 2, let pixels = Self.pair(picture[0]), let rate = Int(digits: picture[1])
    else { return nil }
    var physical: (Int, Int)?
    if parts.count == 2 {
      guard let pair = Self.pair(parts[1]) else { return nil }
      physical = pair
    }
    self.init(
      width: pixels.0, height: pixels.1, frameRate: rate, physicalWidth: physical?.0, physicalHeight: physical?.1)
  }

  private static let sides = 16...DisplaySettings.maximumSide

  /// The reason why no screen has these settings; nil without one.
  var problem: String? {
    let size = "\(width)x\(height)"
    guard Self.sides.contains(width), Self.sides.contains(height) else {
      return "a screen has \(Self.sides.lowerBound) to \(Self.sides.upperBound) pixels a side, not \(size)"
    }
    guard width % 2 == 0, height % 2 == 0 else {
      return "pictures of H.264 have even sides, not \(size): take \(width & ~1)x\(height & ~1)"
    }
    guard (1...120).contains(frameRate) else { return "a screen has 1 to 120 pictures a second, not \(frameRate)" }
    guard (1...10_000).contains(physicalWidth), (1...10_000).contains(physicalHeight) else {
      return "a screen has 1 to 10000 mm a side, not \(physicalWidth)x\(physicalHeight)"
    }
    return nil
  }

  private static func pair(_ text: Substring) -> (Int, Int)? {
    let numbers = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int(digits: $0) }
    return numbers.count == 2 && text.filter({ $0 == "x" }).count == 1 ? (numbers[0], numbers[1]) : nil
  }
}

/// The options of a head unit's CarPlay session.
package struct CarPlayHeadUnitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Listen for phones here (default: a free port of 127.0.0.1; of all addresses with --announce, and beside a link \
      over Bluetooth, a cable or from another machine).
      """, valueName: "host:port"))
  package var listen: HostPort?

  @Option(
    help: ArgumentHelp(
      """
      A screen: pixels (16 to 4096 a side), pictures a second (1 to 120), and millimeters. A second one is the \
      instrument cluster (default: 1280x720@60).
      """,
      valueName: "WxH@FPS[:MMxMM]"))
  package var display: [DisplaySettings] = []

  @Option(
    help: ArgumentHelp(
      "Take screen, driver's side and input of a car: a profile of iap2 car, or a file like one.",
      valueName: "profile|file"), completion: .names { CarProfile.allCases.map(\.rawValue) })
  package var car: String?

  @Option(
    help: ArgumentHelp(
      """
      Write the main screen as H.264 into this file, or into a command of the shell after pipe:. The word window shows \
      it in a window, through mpv, whose mouse and keys are the driver's, ffplay or GStreamer.
      """,
      valueName: "file|pipe:command|window"), completion: .file())
  package var screen: String?

  @Option(
    help: ArgumentHelp(
      "Write the screen of the instrument cluster as H.264 into this file, or into a command of the shell after pipe:.",
      valueName: "file|pipe:command"), completion: .file())
  package var cluster: String?

  @Option(
    help: ArgumentHelp(
      """
      Write a picture of the main screen into this folder whenever the screen rests: PNG, decoded by ffmpeg. It is a new \
      folder, or that of an earlier run, which is emptied.
      """,
      valueName: "folder"), completion: .directory)
  package var screenshots: String?

  @Option(
    help: ArgumentHelp(
      """
      Write each stream of sound as WAV into this folder, or after mix: all sound as the driver hears it into this WAV \
      file. The word device plays that mix through pw-cat, aplay or ffplay. AAC-LC and OPUS are decoded by ffmpeg. \
      Repeatable.
      """,
      valueName: "folder|mix:file|device"), completion: .directory)
  package var audio: [AudioTarget] = []

  @Option(
    help: ArgumentHelp(
      """
      The sound that the head unit offers as one of this connection: wired (PCM; default), wireless (OPUS, too, if \
      ffmpeg decodes and encodes it), or wireless-aac-eld (AAC-ELD, too, which is written and not decoded). Each has \
      AAC-LC for the music of a wireless session.
      """,
      valueName: "wired|wireless|wireless-aac-eld"))
  package var sessionProfile = HeadUnitSessionProfile.wired

  @Option(
    help: ArgumentHelp(
      """
      Speak this PCM into the microphone: 16 bits, mono, little endian, at the rate of the stream, 32 kHz in a wired call \
      and 24 kHz in a wireless one with this head unit (default: silence).
      """,
      valueName: "file|silence"), completion: .file())
  package var microphone: String?

  @Flag(
    help: """
      Read what the driver does from the standard input, a line each, in the words of a scenario's session, such as \
      turn: 1, knob: select, key: next, siri: down or nightMode: true.
      """)
  package var driver = false

  @Option(
    help: ArgumentHelp(
      "Where pairings are kept (default: iap2/carplay-headunit.json in the state folder of XDG).", valueName: "file"),
    completion: .file())
  package var pairings: String?

  @OptionGroup package var secrets: KeyLogOptions

  @Option(help: "The generation of the head unit: 210 (no pairing), 280 (pairing is offered) or 320 (default).")
  package var generation = Generation.current

  package init() {}

  package func validate() throws {
    for problem in display.compactMap(\.problem) { throw ValidationError("--display: \(problem)") }
    guard display.count <= 2 else { throw ValidationError("--display: a head unit has at most two screens") }
    guard display.isEmpty || car == nil else { throw ValidationError("--car has its own screen: leave out --display") }
    if let problem = AudioTarget.problem(of: audio) { throw ValidationError("--audio: \(problem)") }
    let folders = audio.compactMap { if case .folder(let path) = $0 { Self.place(of: path) } else { nil } }
    if let screenshots, folders.contains(Self.place(of: screenshots)) {
      throw ValidationError("--audio and --screenshots need a folder each")
    }
    for (option, target) in [("--screen", screen), ("--cluster", cluster)] where target == "pipe:" {
      throw ValidationError("\(option): pipe: needs a command, such as \(option) 'pipe:ffplay -f h264 -'")
    }
    guard cluster == nil || display.count == 2 else {
      throw ValidationError("--cluster needs a second screen: give --display twice")
    }
    guard cluster != ScreenFile.window else {
      throw ValidationError("--cluster has no window: take --cluster 'pipe:ffplay -f h264 -'")
    }
  }

  private static func place(of path: String) -> URL {
    URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL
  }

  /// Whether an option was given that has a meaning only in a session.
  package var isGiven: Bool {
    driver || listen != nil || !display.isEmpty || car != nil || screen != nil || cluster != nil || screenshots != nil
      || !audio.isEmpty || sessionProfile != .wired || microphone != nil
      || pairings != nil || secrets.isGiven || generation != .current
  }

  /// Returns the answer to `/info`.
  ///
  /// - Parameters:
  ///   - deviceID: The MAC address.
  ///   - codecs: The codecs of sound that are decoded.
  func info(deviceID: String, codecs: Set<AudioFormat.Codec>) throws -> SessionInfo {
    var info = try info(deviceID: deviceID)
    switch sessionProfile {
    case .wireless where codecs.contains(.opus): info.offer(.opus, withMicrophone: true)
    case .wirelessAACELD: info.offer(.aacELD, withMicrophone: false)
    case .wired, .wireless: break
    }
    return info
  }

  private func info(deviceID: String) throws -> SessionInfo {
    guard let car else {
      let displays = display.isEmpty ? [DisplaySettings(width: 1280, height: 720)] : display
      return .standard(generation: generation, deviceID: deviceID, displays: displays)
    }
    let settings = try Self.settings(of: car)
    if let problem = settings.display.problem { throw CommandFailure(.badInput, "--car: \(problem)") }
    return settings.sessionInfo(generation: generation, deviceID: deviceID)
  }

  /// Returns a car by the name of a profile, or by the path of a file.
  private static func settings(of car: String) throws -> CarSettings {
    let isFile =
      !CarProfiles.names.contains(car)
      && (car.contains("/") || car.contains(".") || FileManager.default.fileExists(atPath: car))
    guard isFile else {
      do throws(CarFileProblem) { return try CarProfiles.settings(car) } catch {
        throw CommandFailure(.noInput, "--car: \(error.text)")
      }
    }
    let text = String(decoding: try InputFile.bytes(car), as: UTF8.self)
    do throws(CarFileProblem) { return try CarSettings(yaml: text, file: car) } catch {
      throw CommandFailure(.badInput, "\(error)")
    }
  }
}

/// The options of a phone's CarPlay session.
package struct CarPlayPhoneOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Connect to the head unit here.", valueName: "host:port"))
  package var connect: HostPort?

  @Option(
    help: ArgumentHelp(
      """
      Show this app on the car's screen, and pass the driver's input to it: an executable, or the folder of a package, \
      which is built first. Its main calls CarApplication.run of the module CarPlayHost. Several apps are icons on the \
      home screen. Repeatable.
      """,
      valueName: "app"), completion: .file())
  package var app: [String] = []

  @Option(help: "The name of the package's executable, if --app has several.")
  package var product: String?

  @Option(
    help: ArgumentHelp("Show this film: H.264 as a byte stream (Annex B), no B frames.", valueName: "file"),
    completion: .file())
  package var video: String?

  @Option(help: "The pictures a second of --video.")
  package var rate = 30.0

  @Option(
    help: ArgumentHelp("Play this music: PCM, 16 bits, little endian, 48 kHz, stereo.", valueName: "file"),
    completion: .file())
  package var music: String?

  @Option(
    help: ArgumentHelp(
      """
      The sound of a session on this connection: wired (PCM; default), wireless (music in AAC-LC, calls, Siri and \
      prompts in OPUS, if the head unit offers them and ffmpeg encodes them), or short-call (wired, and behind a call \
      the music has 8 kHz until its stream ends, as an iPhone did).
      """,
      valueName: "wired|wireless|short-call"))
  package var sessionProfile = SessionProfile.wired

  @Option(
    help: ArgumentHelp(
      """
      Write the sound of the car's microphone into this file: WAV, 48 kHz, stereo, with silence between two recordings. \
      OPUS is decoded by ffmpeg.
      """,
      valueName: "file"), completion: .file())
  package var microphoneOut: String?

  @Option(
    help: ArgumentHelp(
      "Where pairings are kept (default: iap2/carplay-phone.json in the state folder of XDG).", valueName: "file"),
    completion: .file())
  package var pairings: String?

  @OptionGroup package var secrets: KeyLogOptions

  @Option(
    help: """
      The generation that the phone expects: 210, 280 or 320 (default). 210 does not pair, unless the phone knows a head \
      unit.
      """)
  package var generation = Generation.current

  @Option(
    help: ArgumentHelp(
      """
      The keys of the set-up: today (those of iOS 18.3.1, as far as they are public; default) or least (the few that \
      every program knows, and AirPlay's timingProtocol).
      """,
      valueName: "today|least"))
  package var setUpKeys = SetUpKeys.today

  @Flag(help: "Pair as senders of AirPlay do (X-Apple-HKP 3), for test peers of AirPlay.")
  package var airplayPairing = false

  @Flag(help: "Set the session up without auth-setup on a paired connection.")
  package var skipAuthSetup = false

  package init() {}

  package func validate() throws {
    guard (1...240).contains(rate) else { throw ValidationError("--rate takes 1 to 240 pictures a second") }
    guard app.isEmpty || video == nil else { throw ValidationError("the screen shows --app or --video, not both") }
    guard !app.isEmpty || product == nil else { throw ValidationError("--product names an executable of --app") }
  }

  /// Whether an option was given that has a meaning only in a session.
  package var isGiven: Bool {
    connect != nil || !app.isEmpty || video != nil || music != nil || microphoneOut != nil || pairings != nil
      || secrets.isGiven || generation != .current || sessionProfile != .wired
      || airplayPairing || skipAuthSetup || setUpKeys != .today
  }
}
