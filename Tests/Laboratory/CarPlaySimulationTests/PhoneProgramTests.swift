// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import Foundation
import Testing

@Suite("The content of a phone, beside the streams of its owner")
struct PhoneProgramTests {
  /// A network whose phone has a program.
  private typealias Network = MachineNetwork<HeadUnitSession, ProgrammedSession<PhoneProgram>>

  private struct Played {
    var network: Network

    init(
      _ settings: PhoneProgram.Settings, offers: [AudioFormatOffer]? = StandardOffers.all,
      displays: [DisplayInfo]? = nil
    ) throws {
      network = Network(
        headUnit: try Sessions.headUnit {
          $0.info.audioFormats = offers
          if let displays { ($0.info.displays, $0.features) = (displays, ["altScreen"]) }
        },
        phones: [ProgrammedSession(try Sessions.phone { $0.request.features = ["altScreen"] }, PhoneProgram(settings))],
        sign: Sessions.sign)
      network.actPhone { $0.machine.start(port: Network.controlPort, at: $1) }
    }

    /// The sound that the head unit received.
    var sound: [UInt8] {
      var sound: [UInt8] = []
      for case .sound(_, _, let payload) in network.events(of: .headUnit) { sound += payload }
      return sound
    }

    /// The messages of a kind that the head unit received on the screen.
    func messages(_ kind: ScreenMessage.Kind) -> [ScreenMessage] {
      network.events(of: .headUnit).compactMap {
        if case .picture(_, let message) = $0, message.kind == kind { message } else { nil }
      }
    }

    var program: PhoneProgram { network.phones[0].program }
    mutating func run(for duration: Duration) { network.run(for: duration) }
  }

  /// The offers of our head unit.
  private enum StandardOffers {
    static let all = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)]
    ).audioFormats
  }

  /// Offers of sound, and the format in which music is sent.
  private static let offers: [([AudioFormatOffer]?, String?)] = [
    (StandardOffers.all, "pcm/48000/16/2"), (nil, nil), ([], nil),
    // LIVI at 44.1 kHz, and a head unit with mono alone.
    ([AudioFormatOffer(.mainAudio, "media", output: 0xFFC)], "pcm/44100/16/2"),
    ([AudioFormatOffer(.mainAudio, "media", output: 0x104)], "pcm/32000/16/1"),
    ([AudioFormatOffer(.mainAudio, "media", output: 1 << 18 | 1 << 22)], nil),
    ([AudioFormatOffer(.mainAudio, "telephony", output: 0x8000)], nil),
    ([AudioFormatOffer(.mainAudio, nil, output: 0x8000)], "pcm/48000/16/2"),
    ([AudioFormatOffer(values: ["type": 100])], "pcm/48000/16/2"),
  ]

  @Test(
    "Music is sent in an offered format alone, and a head unit without sound has a session", arguments: offers.indices)
  func offeredFormat(index: Int) throws {
    let (offers, format) = Self.offers[index]
    var played = try Played(Self.settings, offers: offers)
    played.run(for: .seconds(5))
    #expect(played.network.states(of: .phone(0)).last == .live)
    #expect(played.network.ends(of: .phone(0)) == [.teardown])
    #expect(played.program.isMusicRefused == (format == nil))
    #expect(played.program.isComplete == (format != nil))
    var running: [String] = []
    for case .stream(_, .running, let format?) in played.network.events(of: .headUnit) { running.append("\(format)") }
    #expect(running == [format].compactMap { $0 })
    // A second of a constant is a second of that constant at any rate.
    let sent = AudioFormat.all.first { "\($0)" == format }
    #expect(played.sound == [UInt8](repeating: 1, count: (sent?.rate ?? 0) * (sent?.frameByteCount ?? 0)))
  }

  @Test("Music at another rate lies between the samples, and one channel is the middle of both")
  func otherRate() throws {
    var settings = Self.settings
    // The left channel rises by 60 a sample, the right one is silent.
    var bytes: [UInt8] = []
    for value in stride(from: UInt16(0), to: 480 * 60, by: 60) { bytes += value.littleEndianBytes + [0, 0] }
    settings.music = Music(littleEndian: bytes)
    for (bit, values) in [(11, [0, 0, 65, 0, 130, 0]), (8, [0, 45, 90])] {
      var played = try Played(settings, offers: [AudioFormatOffer(.mainAudio, "media", output: 1 << bit)])
      played.run(for: .seconds(5))
      let sound = played.sound
      let samples = stride(from: 0, to: sound.count, by: 2).map { Int(sound[$0]) << 8 | Int(sound[$0 + 1]) }
      #expect(Array(samples.prefix(values.count)) == values)
      #expect(samples.count == (bit == 11 ? 441 * 2 : 320))
    }
  }

  private static func clip() throws -> [UInt8] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Protocol/CarPlaySessionTests/Fixtures/clip.h264")
    return Array(try Data(contentsOf: file))
  }

  /// Plays the clip of 30 pictures, which begins anew at 0, 10 and 20.
  private func playedFilm(
    rate: Double = 30, _ change: (inout Played) -> Void = { _ in }
  ) throws -> Played {
    var settings = PhoneProgram.Settings()
    settings.film = try Film(annexB: Self.clip(), rate: rate)
    var played = try Played(settings)
    played.run(for: .milliseconds(200))
    change(&played)
    played.run(for: .seconds(5))
    return played
  }

  @Test("A key frame is forced for the main display alone, and a configuration comes with each one")
  func forcedKeyFrames() throws {
    let all = try playedFilm()
    #expect(all.messages(.frame).count == 30 && all.messages(.configuration).count == 3 && all.program.isComplete)
    let cluster = try playedFilm {
      $0.network.actHeadUnit { _ = $0.send(.forceKeyFrame(uuid: SessionInfo.clusterDisplay), at: $1) }
    }
    #expect(cluster.messages(.frame).count == 30)
    for uuid in [nil, SessionInfo.mainDisplay] {
      let main = try playedFilm { $0.network.actHeadUnit { _ = $0.send(.forceKeyFrame(uuid: uuid), at: $1) } }
      #expect(main.messages(.frame).count < 30)
    }
  }

  @Test("A heartbeat with statistics has the keys of a captured phone, and the pictures of its second")
  func statistics() throws {
    let messages = try playedFilm().messages(.statistics)
    let bodies = try messages.map { try PropertyValue(binary: $0.body) }
    for body in bodies {
      for key in ["txUsageAvg", "encoderCurrentFPS", "sentFramesAvg", "queuedFramesAvg", "lossAvg"] {
        if case .real? = body[key] {} else { Issue.record("\(body)") }
      }
    }
    // All pictures are within a second, and heartbeats may cut it.
    let counts = bodies.compactMap { if case .real(let count)? = $0["sentFramesAvg"] { count } else { nil } }
    #expect(counts.reduce(0, +) == 30)
  }

  @Test("A film with more pictures a second than the display shows is shown at the display's rate")
  func slowedFilm() throws {
    let played = try playedFilm(rate: 120)
    #expect(played.program.slowedRate == 60 && played.messages(.frame).count == 30)
    let times = played.network.entries.compactMap {
      if case .picture(_, let message) = $0.event, message.kind == .frame { $0.time } else { nil }
    }
    let second = try #require(times.first).duration(to: try #require(times.last))
    #expect(abs(second / .seconds(1) - 29.0 / 60) < 0.001)
    #expect(try playedFilm(rate: 30).program.slowedRate == nil)
  }

  /// The settings of a phone that plays a second of music.
  private static var settings: PhoneProgram.Settings {
    var settings = PhoneProgram.Settings()
    settings.music = Music(littleEndian: [UInt8](repeating: 1, count: 48_000 * Music.bytesPerFrame))
    return settings
  }

  @Test(
    "Streams of the owner go on while the program has no content, and while it plays music", arguments: [false, true])
  func ownersStreams(hasMusic: Bool) throws {
    var settings = hasMusic ? Self.settings : PhoneProgram.Settings()
    settings.ends = false
    var played = try Played(settings)
    played.run(for: .milliseconds(200))
    let sound = StreamRequest(.alternateAudio, format: .pcm(rate: 48_000, channels: 2))
    played.network.actPhone { $0.machine.setUp(StreamRequest(.screen), at: $1) }
    played.network.actPhone { $0.machine.setUp(sound, at: $1) }
    if !hasMusic {
      played.network.actPhone { $0.machine.setUp(StreamRequest(.mainAudio, format: Music.formats[0]), at: $1) }
    }
    played.run(for: .seconds(3))
    let types: Set<StreamType> = hasMusic ? [.screen, .alternateAudio] : [.screen, .alternateAudio, .mainAudio]
    #expect(played.network.phones[0].machine.streamTypes == types)
    #expect(played.program.isComplete)
  }

  @Test("Streams of the owner get a first content if the settings say so", arguments: [false, true])
  func firstContent(isFilled: Bool) throws {
    var settings = PhoneProgram.Settings()
    (settings.ends, settings.fillsOtherStreams) = (false, isFilled)
    var played = try Played(settings)
    played.run(for: .milliseconds(200))
    played.network.actPhone { $0.machine.setUp(StreamRequest(.screen), at: $1) }
    played.network.actPhone { $0.machine.setUp(StreamRequest(.mainAudio, format: Music.formats[0]), at: $1) }
    played.run(for: .seconds(1))
    let running = played.network.events(of: .headUnit).compactMap { event in
      if case .stream(let type, .running, _) = event { type } else { nil }
    }
    #expect(Set(running) == (isFilled ? [.screen, .mainAudio] : []))
  }

  /// A second of music of which the second half is gone when it is to be played.
  private struct Shortened: MediaBytes {
    let count = 48_000 * Music.bytesPerFrame
    func bytes(in range: Range<Int>) -> [UInt8] {
      [UInt8](repeating: 1, count: range.clamped(to: 0..<(count / 2)).count)
    }
  }

  @Test("Music that cannot be read to its end ends its stream and the session, and is not complete")
  func shortened() throws {
    var settings = PhoneProgram.Settings()
    settings.music = Music(littleEndian: Shortened())
    var played = try Played(settings)
    played.run(for: .seconds(3))
    #expect(played.program.problem == .changed && !played.program.isComplete)
    #expect(played.network.ends(of: .phone(0)) == [.teardown])
  }

  @Test("Music that was played ends the session, and music that the owner stops is not complete")
  func ownStream() throws {
    var whole = try Played(Self.settings)
    whole.run(for: .seconds(3))
    #expect(whole.program.isComplete && whole.network.ends(of: .phone(0)) == [.teardown])
    var cut = try Played(Self.settings)
    cut.run(for: .milliseconds(500))
    cut.network.actPhone { $0.machine.tearDown([.mainAudio], at: $1) }
    cut.run(for: .seconds(3))
    #expect(!cut.program.isComplete && cut.network.ends(of: .phone(0)) == [.teardown])
  }

  @Test("Music stops while the head unit borrows the speakers, and ends when it takes them", arguments: [false, true])
  func lentSpeakers(isTaken: Bool) throws {
    var played = try Played(Self.settings)
    played.run(for: .milliseconds(500))
    let transfer =
      isTaken
      ? ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
      : .borrow(.userInitiated, unborrow: .anytime)
    played.network.actHeadUnit { _ = $0.send(.changeModes(ModeRequest([(.mainAudio, transfer)])), at: $1) }
    played.run(for: .milliseconds(100))
    let count = played.sound.count
    #expect(played.network.phones[0].machine.streamTypes == [] && count > 0)
    played.run(for: .seconds(2))
    #expect(played.sound.count == count && !played.program.isComplete)
    guard !isTaken else {
      return #expect(played.network.ends(of: .phone(0)) == [.teardown])
    }
    #expect(played.network.ends(of: .phone(0)) == [])
    played.network.actHeadUnit { _ = $0.send(.changeModes(ModeRequest([(.mainAudio, .unborrow)])), at: $1) }
    played.run(for: .seconds(3))
    #expect(played.sound.count > 180_000 && played.program.isComplete)
    #expect(played.network.ends(of: .phone(0)) == [.teardown])
  }

  @Test("Pictures of the owner are sent once the screen runs, and the session goes on between them")
  func picturesOfTheOwner() throws {
    let units = try AnnexB.accessUnits(of: Self.clip())
    let pictures = try units.map { try Film.Picture(annexB: AnnexB.bytes(of: $0.units)) }
    #expect(pictures.map(\.isKeyFrame) == units.map(\.isKeyFrame))
    #expect(throws: VideoProblem.self) { try Film.Picture(annexB: [1, 2, 3]) }
    var settings = PhoneProgram.Settings()
    (settings.showsPictures, settings.fillsOtherStreams, settings.ends) = (true, true, false)
    var played = try Played(settings)
    #expect(!played.network.actPhone { $0.show(pictures[0], at: $1) })
    played.run(for: .seconds(1))
    for picture in pictures {
      #expect(played.network.actPhone { $0.show(picture, at: $1) })
      played.run(for: .seconds(2))
    }
    #expect(played.messages(.frame).map(\.body) == pictures.map(\.body))
    #expect(played.messages(.configuration).count == pictures.count(where: \.isKeyFrame))
    #expect(played.network.ends(of: .phone(0)) == [])
  }

  @Test("An instrument cluster has a stream of its own, whose pictures are not those of the main screen")
  func clusterPictures() throws {
    let units = try AnnexB.accessUnits(of: Self.clip())
    let pictures = try units.prefix(3).map { try Film.Picture(annexB: AnnexB.bytes(of: $0.units)) }
    var settings = PhoneProgram.Settings()
    (settings.showsPictures, settings.fillsOtherStreams, settings.ends) = (true, true, false)
    let sizes = [DisplaySettings(width: 160, height: 96), DisplaySettings(width: 160, height: 96)]
    let info = SessionInfo.standard(generation: .current, deviceID: "02:00:00:00:00:01", displays: sizes)
    var played = try Played(settings, displays: info.displays)
    played.run(for: .seconds(1))
    let shown = [(0, StreamType.screen), (0, .alternateScreen), (1, .screen), (1, .alternateScreen), (2, .screen)]
    for (index, type) in shown {
      #expect(played.network.actPhone { $0.show(pictures[index], on: type, at: $1) })
      played.run(for: .seconds(1))
    }
    func bodies(_ type: StreamType) -> [[UInt8]] {
      played.network.events(of: .headUnit).compactMap {
        if case .picture(type, let message) = $0, message.kind == .frame { message.body } else { nil }
      }
    }
    #expect(bodies(.screen) == pictures.map(\.body) && bodies(.alternateScreen) == pictures.prefix(2).map(\.body))
    // A head unit without a cluster gets no picture for it.
    var plain = try Played(settings)
    plain.run(for: .seconds(1))
    #expect(!plain.network.actPhone { $0.show(pictures[0], on: .alternateScreen, at: $1) })
  }

  @Test("A head unit asks for key frames after some pictures, and when its screen rests, as often as its rule says")
  func keyFrameRequests() throws {
    let units = try AnnexB.accessUnits(of: Self.clip())
    let pictures = try units.map { try Film.Picture(annexB: AnnexB.bytes(of: $0.units)) }
    let (key, other) = (pictures[0], pictures[1])
    /// Returns the number of requests after each picture and a second.
    func requests(_ shown: [Film.Picture], _ change: (inout KeyFrameRule) -> Void) throws -> [Int] {
      var settings = HeadUnitProgram.Settings()
      change(&settings.keyFrames)
      var phone = PhoneProgram.Settings()
      (phone.showsPictures, phone.ends) = (true, false)
      var network = MachineNetwork(
        headUnit: ProgrammedSession(try Sessions.headUnit(), HeadUnitProgram(settings, sinks: [])),
        phones: [ProgrammedSession(try Sessions.phone(), PhoneProgram(phone))], sign: Sessions.sign)
      network.actPhone { $0.machine.start(port: Network.controlPort, at: $1) }
      network.run(for: .seconds(1))
      return shown.map { picture in
        let before = network.entries.count
        network.actPhone { _ = $0.show(picture, at: $1) }
        network.run(for: .seconds(1))
        return network.entries[before...].count {
          if $0.node == .phone(0), case .command(.forceKeyFrame, _, _) = $0.event { true } else { false }
        }
      }
    }
    #expect(try requests([key, other, other, other]) { _ in } == [0, 0, 0, 0])
    #expect(try requests([key, other, other, other, other]) { $0.interval = 3 } == [0, 0, 0, 1, 0])
    // The answers to requests at rest ask for no more than the rule says.
    #expect(try requests([key, key, key, key, other, key, key]) { $0.countAtRest = 2 } == [1, 1, 0, 1, 1, 1, 0])
  }

  @Test("Prompts are heard whole, in their order, on a stream that ends behind the last one, and duck the music once")
  func prompts() throws {
    func sound(_ value: UInt8, frameCount: Int) -> Music {
      Music(littleEndian: [UInt8](repeating: value, count: frameCount * Music.bytesPerFrame))
    }
    var settings = PhoneProgram.Settings()
    (settings.showsPictures, settings.ends, settings.fillsOtherStreams) = (true, false, true)
    var played = try Played(settings)
    #expect(!played.network.actPhone { $0.say(sound(1, frameCount: 10), ducks: true, at: $1) })
    played.run(for: .seconds(1))
    for value in UInt8(1)...3 {
      #expect(played.network.actPhone { $0.say(sound(value, frameCount: 4000), ducks: value < 3, at: $1) })
    }
    played.run(for: .seconds(2))
    #expect(played.sound == (UInt8(1)...3).flatMap { [UInt8](repeating: $0, count: 4000 * Music.bytesPerFrame) })
    func words() -> [String] {
      played.network.events(of: .headUnit).compactMap {
        switch $0 {
        case .stream(.alternateAudio, let state, _): "\(state)"
        case .command(.duckAudio(let decibels, _), _, _): "\(decibels)"
        case .command(.unduckAudio, _, _): "unduck"
        default: nil
        }
      }
    }
    #expect(words() == ["setUp", "-20.0", "running", "unduck", "stopped"])
    // A later prompt has a stream of its own.
    #expect(played.network.actPhone { $0.say(sound(7, frameCount: 100), ducks: false, at: $1) })
    played.run(for: .seconds(2))
    #expect(words().suffix(3) == ["setUp", "running", "stopped"])
    #expect(played.sound.suffix(400) == ArraySlice(repeating: 7, count: 400))
    // A head unit that offers no sound hears no prompt.
    var silent = try Played(settings, offers: [])
    silent.run(for: .seconds(1))
    #expect(!silent.network.actPhone { $0.say(sound(1, frameCount: 10), ducks: true, at: $1) })
    #expect(silent.network.ends(of: .phone(0)) == [])
  }

  @Test("Main audio has one kind of sound at a time, takes the speakers for music, and waits while the car has them")
  func mainAudio() throws {
    var settings = PhoneProgram.Settings()
    (settings.showsPictures, settings.ends, settings.fillsOtherStreams) = (true, false, true)
    var played = try Played(settings)
    played.run(for: .seconds(1))
    let packet = [UInt8](repeating: 3, count: Music.framesPerPacket * 4)
    func play(_ kind: MainAudioKind?) {
      played.network.actPhone { $0.play(kind, at: $1) }
      played.run(for: .seconds(1))
      played.network.actPhone { $0.send(mainAudio: packet, at: $1) }
      played.run(for: .seconds(1))
    }
    func change(_ transfer: ModeTransfer) {
      played.network.actHeadUnit {
        _ = $0.send(.changeModes(ModeRequest([(.mainAudio, transfer)], reason: "radio")), at: $1)
      }
      played.run(for: .seconds(1))
    }
    func words() -> [String] {
      played.network.events(of: .headUnit).compactMap {
        switch $0 {
        case .stream(.mainAudio, let state, let format): "\(state) \(format?.description ?? "")"
        case .modes(let modes): modes.mainAudio.user == .phone ? "phone" : "headUnit"
        default: nil
        }
      }
    }
    play(.media)
    #expect(
      words() == [
        "headUnit", "phone", "setUp pcm/48000/16/2", "running pcm/48000/16/2",
      ])
    #expect(played.sound == packet && played.program.runningAudio?.kind == .media)
    // The radio takes the speakers, and gives them back.
    var count = words().count
    change(.take(.userInitiated, take: .anytime, borrow: .anytime))
    #expect(words()[count...] == ["headUnit", "stopped pcm/48000/16/2"] && played.program.runningAudio == nil)
    count = words().count
    play(.media)
    #expect(words().count == count && played.sound == packet)
    change(.untake)
    #expect(words()[count...] == ["phone", "setUp pcm/48000/16/2"])
    // A call is another stream, in the format of calls, with the microphone.
    count = words().count
    play(.telephony)
    #expect(
      words()[count...] == ["stopped pcm/48000/16/2", "setUp pcm/32000/16/1", "running pcm/32000/16/1"])
    #expect(played.network.headUnit.microphoneStreams.map(\.type) == [.mainAudio])
    #expect(played.program.runningAudio?.kind == .telephony)
    count = words().count
    play(nil)
    #expect(words()[count...] == ["stopped pcm/32000/16/1"] && played.program.runningAudio == nil)
    #expect(played.network.ends(of: .phone(0)) == [] && played.program.refusedAudio.isEmpty)
  }

  @Test("Sound that the head unit does not offer is not sent, and one kind may stand for others")
  func refusedMainAudio() throws {
    var settings = PhoneProgram.Settings()
    (settings.showsPictures, settings.ends) = (true, false)
    var played = try Played(settings, offers: [AudioFormatOffer(.mainAudio, "default", output: 1 << 14)])
    played.run(for: .seconds(1))
    played.network.actPhone { $0.play(.telephony, at: $1) }
    played.run(for: .seconds(1))
    // The head unit has the speakers, and nobody has borrowed them for a call.
    #expect(played.program.runningAudio == nil && played.program.refusedAudio.isEmpty)
    played.network.actPhone { $0.play(.media, at: $1) }
    played.run(for: .seconds(1))
    #expect(played.program.runningAudio?.format.description == "pcm/48000/16/1")
    var silent = try Played(settings, offers: [AudioFormatOffer(.mainAudio, "telephony", output: 1 << 14)])
    silent.run(for: .seconds(1))
    silent.network.actPhone { $0.play(.media, at: $1) }
    silent.run(for: .seconds(1))
    #expect(silent.program.refusedAudio == [.media] && silent.network.ends(of: .phone(0)) == [])
  }
}
