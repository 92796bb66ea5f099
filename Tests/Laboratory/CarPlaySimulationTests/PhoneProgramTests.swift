// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Testing

@Suite("The content of a phone, beside the streams of its owner")
struct PhoneProgramTests {
  /// A session whose phone has a program, driven in steps of ten milliseconds.
  private struct Played {
    var network: SessionNetwork
    var program: PhoneProgram
    private var handled = 0

    init(_ settings: PhoneProgram.Settings) throws {
      (network, program) = (try Sessions.network(), PhoneProgram(settings))
    }

    mutating func run(for duration: Duration) {
      let end = network.now.advanced(by: duration)
      while network.now < end {
        network.run(for: .milliseconds(10))
        let events = network.events(of: .phone(0))
        for event in events[handled...] { network.actPhone { program.handle(event, &$0, at: $1) } }
        handled = events.count
        if let due = program.nextDeadline, due <= network.now {
          network.actPhone { program.handleDeadline(&$0, at: $1) }
        }
      }
    }
  }

  /// A second of music.
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
    let sound = StreamWish(.alternateAudio, format: .pcm(rate: 48_000, channels: 2))
    played.network.actPhone { $0.setUp(StreamWish(.screen), at: $1) }
    played.network.actPhone { $0.setUp(sound, at: $1) }
    if !hasMusic { played.network.actPhone { $0.setUp(StreamWish(.mainAudio, format: Music.format), at: $1) } }
    played.run(for: .seconds(3))
    let types: Set<StreamType> = hasMusic ? [.screen, .alternateAudio] : [.screen, .alternateAudio, .mainAudio]
    #expect(played.network.phones[0].streamTypes == types)
    #expect(played.program.isComplete)
  }

  @Test("Streams of the owner get a first content if the settings say so", arguments: [false, true])
  func firstContent(isFilled: Bool) throws {
    var settings = PhoneProgram.Settings()
    (settings.ends, settings.fillsOtherStreams) = (false, isFilled)
    var played = try Played(settings)
    played.run(for: .milliseconds(200))
    played.network.actPhone { $0.setUp(StreamWish(.screen), at: $1) }
    played.network.actPhone { $0.setUp(StreamWish(.mainAudio, format: Music.format), at: $1) }
    played.run(for: .seconds(1))
    let running = played.network.events(of: .headUnit).compactMap { event in
      if case .stream(let type, .running, _) = event { type } else { nil }
    }
    #expect(Set(running) == (isFilled ? [.screen, .mainAudio] : []))
  }

  @Test("Music that was played ends the session, and music that the owner stops is not complete")
  func ownStream() throws {
    var whole = try Played(Self.settings)
    whole.run(for: .seconds(3))
    #expect(whole.program.isComplete && whole.network.ends(of: .phone(0)) == [.teardown])
    var cut = try Played(Self.settings)
    cut.run(for: .milliseconds(500))
    cut.network.actPhone { $0.tearDown([.mainAudio], at: $1) }
    cut.run(for: .seconds(3))
    #expect(!cut.program.isComplete && cut.network.ends(of: .phone(0)) == [.teardown])
  }
}
