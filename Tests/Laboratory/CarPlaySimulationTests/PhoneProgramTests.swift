// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import Testing

@Suite("The content of a phone, beside the streams of its owner")
struct PhoneProgramTests {
  /// A network whose phone has a program.
  private typealias Network = MachineNetwork<HeadUnitSession, ProgrammedSession<PhoneProgram>>

  private struct Played {
    var network: Network

    init(_ settings: PhoneProgram.Settings, offers: [AudioFormatOffer]? = StandardOffers.all) throws {
      network = Network(
        headUnit: try Sessions.headUnit { $0.info.audioFormats = offers },
        phones: [ProgrammedSession(try Sessions.phone(), PhoneProgram(settings))], sign: Sessions.sign)
      network.actPhone { $0.machine.start(port: Network.controlPort, at: $1) }
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

  /// Offers of sound, and whether music of 48 kHz is among them.
  private static let offers: [([AudioFormatOffer]?, Bool)] = [
    (StandardOffers.all, true), (nil, false), ([], false),
    ([AudioFormatOffer(.mainAudio, "media", output: 0x400)], false),
    ([AudioFormatOffer(.mainAudio, "telephony", output: 0x8000)], false),
    ([AudioFormatOffer(.mainAudio, nil, output: 0x8000)], true),
    ([AudioFormatOffer(values: ["type": 100])], true),
  ]

  @Test("Music is sent in an offered format alone, and a head unit without sound has a session", arguments: 0..<7)
  func offeredFormat(index: Int) throws {
    let (offers, isOffered) = Self.offers[index]
    var played = try Played(Self.settings, offers: offers)
    played.run(for: .seconds(5))
    #expect(played.network.states(of: .phone(0)).last == .live)
    #expect(played.network.ends(of: .phone(0)) == [.teardown])
    #expect(played.program.isMusicRefused == !isOffered)
    #expect(played.program.isComplete == isOffered)
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
      played.network.actPhone { $0.machine.setUp(StreamRequest(.mainAudio, format: Music.format), at: $1) }
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
    played.network.actPhone { $0.machine.setUp(StreamRequest(.mainAudio, format: Music.format), at: $1) }
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
}
