// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Now playing on the wire (Features.md#now-playing). Group 0 is the media item, group 1 the playback.
@Suite struct NowPlayingTests {
  static func song(_ number: UInt64, seconds: Int = 100) -> MediaItem {
    var item = MediaItem(identifier: number, title: "Song \(number)", duration: .seconds(seconds))
    item.artist = "Artist \(number)"
    item.artwork = [UInt8(number)]
    return item
  }

  private static func phone(_ songs: UInt64...) throws -> PhoneBench {
    try PhoneBench(.nowPlaying) { $0.player.queue = songs.map { Self.song($0) } }
  }

  private static func selectors(item: [UInt16] = [], playback: [UInt16] = []) -> [UInt8] {
    var groups: [UInt8] = []
    if !item.isEmpty { groups += parameter(0, item.flatMap { parameter($0, []) }) }
    if !playback.isEmpty { groups += parameter(1, playback.flatMap { parameter($0, []) }) }
    return groups
  }

  private static func files(_ output: PolicyOutput) -> [(id: UInt8, bytes: [UInt8], type: UInt16?)] {
    output.actions.compactMap { if case .sendFile(let id, let bytes, let type) = $0 { (id, bytes, type) } else { nil } }
  }

  @Test func aStartIsAnsweredWithTheSelectedAttributesAlone() throws {
    var phone = try Self.phone(7)
    let answer = phone.receive(0x5000, Self.selectors(item: [12, 1], playback: [3, 0]))
    let item = parameter(1, text("Song 7")) + parameter(12, text("Artist 7"))
    let playback = parameter(0, [0]) + parameter(3, [0, 0, 0, 1])
    #expect(answer.sent == [controlMessage(0x5001, parameter(0, item) + parameter(1, playback))])
    #expect(Self.files(answer).isEmpty && answer.violations.isEmpty)
  }

  /// Features.md#elapsed-time: it comes alone about twice a second while the phone plays.
  @Test func elapsedTimeComesAloneTwiceASecond() throws {
    var phone = try Self.phone(7)
    phone.receive(0x5000, Self.selectors(item: [1], playback: [0, 1]))
    #expect(phone.policy.tickMilliseconds == nil)
    #expect(
      phone.change { $0.player.play() }.sent == [controlMessage(0x5001, parameter(1, parameter(0, [1])))])
    #expect(phone.policy.tickMilliseconds == 500)
    for half in 1...4 {
      let elapsed = UInt16(half * 500)
      let value: [UInt8] = [0, 0, UInt8(elapsed >> 8), UInt8(elapsed & 255)]
      #expect(
        phone.wait(milliseconds: 500).sent == [controlMessage(0x5001, parameter(1, parameter(1, value)))])
    }
    phone.change { $0.player.pause() }
    #expect(phone.policy.tickMilliseconds == nil && phone.wait(milliseconds: 500).sent.isEmpty)
  }

  /// Features.md#item-duration
  @Test func aLiveStreamAfterASongHasNoDuration() throws {
    var phone = try PhoneBench(.nowPlaying) {
      $0.player.queue = [Self.song(1), Self.song(2, seconds: 0), Self.song(3), Self.song(4)]
    }
    func item(_ output: PolicyOutput) throws -> NowPlayingUpdate.MediaItemAttributes {
      let bytes = try #require(output.sent.first)
      return try #require(try NowPlayingUpdate(decoding: bytes.rawBytes).mediaItemAttributes)
    }
    let first = try item(phone.receive(0x5000, Self.selectors(item: [0, 4])))
    #expect(first.mediaItemPlaybackDurationInMilliseconds == 100_000)
    let live = try item(phone.change { $0.player.next() })
    #expect(live.mediaItemPersistentIdentifier == 2 && live.mediaItemPlaybackDurationInMilliseconds == nil)
    // The third and the fourth song have the same duration, which is sent with each identifier.
    for _ in 3...4 {
      #expect(try item(phone.change { $0.player.next() }).mediaItemPlaybackDurationInMilliseconds == 100_000)
    }
    // A car that does not ask for the identifier gets 0.
    var other = try PhoneBench(.nowPlaying) { $0.player.queue = [Self.song(1), Self.song(2, seconds: 0)] }
    other.receive(0x5000, Self.selectors(item: [4]))
    #expect(try item(other.change { $0.player.next() }).mediaItemPlaybackDurationInMilliseconds == 0)
  }

  /// Case 17 of the public reports: a song, then a live stream with another identifier and no duration.
  @Test func aHeadUnitForgetsTheDurationOfTheLastItem() throws {
    var car = try HeadUnitBench(.nowPlaying)
    func item(_ id: UInt8, _ more: [UInt8]) -> [UInt8] {
      parameter(0, parameter(0, [0, 0, 0, 0, 0, 0, 0, id]) + more)
    }
    func attributes(_ output: PolicyOutput) throws -> NowPlayingUpdate.MediaItemAttributes? {
      guard case .nowPlaying(let known)? = output.features.first else { return nil }
      return known.mediaItemAttributes
    }
    let artist = parameter(12, text("Artist"))
    _ = car.receive(0x5001, item(1, parameter(1, text("Song")) + parameter(4, [0, 3, 13, 64]) + artist))
    // The same item keeps its duration.
    let same = try attributes(car.receive(0x5001, item(1, parameter(1, text("Song, live")))))
    #expect(same?.mediaItemPlaybackDurationInMilliseconds == 200_000)
    let live = try attributes(car.receive(0x5001, item(2, parameter(1, text("Live Radio")))))
    #expect(live?.mediaItemPlaybackDurationInMilliseconds == nil && live?.mediaItemTitle == "Live Radio")
    #expect(live?.mediaItemArtist == "Artist")
  }

  @Test func anotherSongIsReportedByWhatDiffers() throws {
    var phone = try Self.phone(1, 2)
    phone.change { $0.player.play() }
    phone.receive(0x5000, Self.selectors(item: [1, 4], playback: [0, 2]))
    // Both songs have the same duration (4), and the second one plays (0).
    #expect(
      phone.change { $0.player.next() }.sent
        == [
          controlMessage(
            0x5001, parameter(0, parameter(1, text("Song 2"))) + parameter(1, parameter(2, [0, 0, 0, 1])))
        ])
  }

  @Test func aRemovedSongIsWithdrawn() throws {
    var phone = try Self.phone(1)
    phone.receive(0x5000, Self.selectors(item: [1, 4]))
    let nothing = parameter(0, parameter(1, text("")) + parameter(4, [0, 0, 0, 0]))
    #expect(phone.change { $0.player.replaceQueue([]) }.sent == [controlMessage(0x5001, nothing)])
    #expect(phone.change { $0.player.stop() }.sent.isEmpty)
  }

  @Test func aStopEndsTheUpdates() throws {
    var phone = try Self.phone(1, 2)
    phone.receive(0x5000, Self.selectors(item: [1]))
    expectStops(&phone, 0x5002) { $0.player.next() }
  }

  /// Features.md#restart: an accessory repeats 0x5000 with artwork (26) added, and later as it is.
  @Test func aRepeatedStartIsAnsweredWhole() throws {
    var phone = try Self.phone(1)
    let title = parameter(1, text("Song 1"))
    #expect(phone.receive(0x5000, Self.selectors(item: [1])).sent == [controlMessage(0x5001, parameter(0, title))])
    for _ in 0..<2 {
      let answer = phone.receive(0x5000, Self.selectors(item: [1, 26]))
      let file = try #require(Self.files(answer).first)
      #expect(answer.sent == [controlMessage(0x5001, parameter(0, title + parameter(26, [file.id])))])
      // Ids of the device are 128 and more (FileTransfer.md#ids); type 2 is artwork.
      #expect(file.id >= 128 && file.bytes == [1] && file.type == 2)
    }
  }

  /// Features.md#artwork: the transfer is opened even with an empty file, and once for a song.
  @Test func eachSongsArtworkIsOfferedOnce() throws {
    var phone = try Self.phone(1, 2)
    phone.change {
      $0.player.queue[0].artwork = []
      $0.player.play()
    }
    let first = Self.files(phone.receive(0x5000, Self.selectors(item: [26], playback: [1])))
    #expect(first.map(\.bytes) == [[]])
    #expect(Self.files(phone.wait(milliseconds: 500)).isEmpty)
    let second = Self.files(phone.change { $0.player.next() })
    #expect(second.map(\.bytes) == [[2]] && second[0].id != first[0].id)
  }

  @Test func unknownSelectorsAreNamedAndTheOthersAnswered() throws {
    var phone = try Self.phone(1)
    let answer = phone.receive(0x5000, Self.selectors(item: [1, 0x77], playback: [0x99]))
    #expect(answer.violations == [.unknownAttributes(message: 0x5000, [0x77, 0x99])])
    #expect(answer.sent == [controlMessage(0x5001, parameter(0, parameter(1, text("Song 1"))))])
  }

  @Test func aCarSeeksAndJumpsWithinBounds() throws {
    var phone = try Self.phone(1, 2, 3)
    phone.receive(0x5003, parameter(1, [0, 0, 0, 2]))
    phone.receive(0x5003, parameter(0, [0, 0, 0xEA, 0x60]))
    #expect(phone.policy.state.player.index == 2 && phone.policy.state.player.elapsedMilliseconds == 60_000)
    phone.receive(0x5003, parameter(1, [0, 0, 0, 3]))
    #expect(phone.policy.state.player.index == 2)
    phone.receive(0x5003, parameter(0, [0xFF, 0xFF, 0xFF, 0xFF]))
    #expect(phone.policy.state.player.elapsedMilliseconds == 100_000)
  }

  @Test func aHeadUnitJoinsUpdatesAndTakesOnlyAnnouncedFiles() throws {
    var car = try HeadUnitBench(.nowPlaying)
    car.receive(0x5001, parameter(0, parameter(1, text("Title")) + parameter(26, [0x85])))
    car.receive(0x5001, parameter(1, parameter(0, [1]) + parameter(0x99, [1, 2, 3])))
    // An unknown group and an unknown attribute change nothing.
    let output = car.receive(0x5001, parameter(0x44, [1]) + parameter(1, parameter(1, [0, 0, 0, 9])))
    guard case .nowPlaying(let known)? = output.features.first else {
      Issue.record("no update: \(output)")
      return
    }
    #expect(known.mediaItemAttributes?.mediaItemTitle == "Title")
    #expect(known.playbackAttributes?.playbackStatus == .playing)
    #expect(known.playbackAttributes?.playbackElapsedTimeInMilliseconds == 9)
    func offer(_ id: UInt8, _ count: UInt64) -> [RoleAction] {
      car.policy.handle(.file(.offered(id: id, FileTransferSetup(byteCount: count, type: 2))))
    }
    #expect(offer(0x86, 3) == [.cancelFile(id: 0x86)])
    #expect(offer(0x85, 8 << 20 + 1) == [.cancelFile(id: 0x85)])
    #expect(offer(0x85, 3) == [.acceptFile(id: 0x85)])
    #expect(car.policy.handle(.file(.data(id: 0x85, [1, 2], isLast: false))) == [])
    #expect(
      car.policy.handle(.file(.data(id: 0x85, [3], isLast: true))) == [.event(.feature(.artwork([1, 2, 3])))])
    #expect(offer(0x85, 3) == [.cancelFile(id: 0x85)])
  }

  /// A file is taken only after authentication and identification, and only if the phone announced it after both.
  @Test func aHeadUnitThatIsNotIdentifiedTakesNoFile() {
    var policy = HeadUnitPolicy(profile: .standard(features: .nowPlaying))
    let announcement = controlMessage(0x5001, parameter(0, parameter(26, [0x85])))
    let offer = RoleInput.file(.offered(id: 0x85, FileTransferSetup(byteCount: 3, type: 2)))
    _ = policy.handle(.message(id: 0x5001, bytes: announcement))
    #expect(policy.handle(offer) == [.cancelFile(id: 0x85)])
    _ = policy.handle(.signatureReady([1]))
    _ = policy.handle(.message(id: 0x1D00, bytes: controlMessage(0x1D00, [])))
    // Authentication alone is not enough.
    _ = policy.handle(.message(id: 0xAA05, bytes: controlMessage(0xAA05, [])))
    #expect(policy.handle(offer) == [.cancelFile(id: 0x85)])
    _ = policy.handle(.message(id: 0x1D02, bytes: controlMessage(0x1D02, [])))
    #expect(policy.isReady)
    #expect(policy.handle(offer) == [.cancelFile(id: 0x85)])
    _ = policy.handle(.message(id: 0x5001, bytes: announcement))
    #expect(policy.handle(offer) == [.acceptFile(id: 0x85)])
  }

  /// A piece is appended to the file in place. A copy of the file for each piece would move it each time.
  @Test func theBytesOfAFileMoveOnlyWhenItsStorageGrows() throws {
    var car = try HeadUnitBench(.nowPlaying)
    car.receive(0x5001, parameter(0, parameter(26, [0x85])))
    #expect(
      car.policy.handle(.file(.offered(id: 0x85, FileTransferSetup(byteCount: 4 << 20, type: 2))))
        == [.acceptFile(id: 0x85)])
    let piece = [UInt8](repeating: 0x5A, count: 4000)
    var capacities: Set<Int> = []
    var places = 0
    var last: UInt?
    for _ in 0..<1000 {
      #expect(car.policy.handle(.file(.data(id: 0x85, piece, isLast: false))).isEmpty)
      capacities.insert(car.policy.files[0x85]?.bytes.capacity ?? 0)
      let place = unsafe car.policy.files[0x85]?.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      if place != last { places += 1 }
      last = place
    }
    #expect(car.policy.files[0x85]?.bytes.count == 4_000_000)
    #expect(places <= capacities.count && capacities.count < 30, "\(places) places, \(capacities.count) sizes")
  }
}
