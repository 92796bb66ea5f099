// swift-iap2 · Apache-2.0

import AVFoundation
import CarPlayTesting
import Foundation
import MediaPlayer
import Swift5App
import Synchronization
import Testing

extension CarTests {
  /// Tests of `AVPlayer` and `AVQueuePlayer`, whose sounds take the car's time.
  @Suite @MainActor
  struct PlayedItemTests {
    /// Values that observers note.
    private final class Notes: Sendable {
      private let stored = Mutex<[String]>([])

      var all: [String] { stored.withLock { $0 } }
      func add(_ note: String) { stored.withLock { $0.append(note) } }
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    private let stream = URL(string: "https://radio.example/live.mp3")

    /// Makes a file with sound.
    private func file(_ name: String, seconds: Int) throws -> URL {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: name)
      try PlayerTests.wav(seconds: seconds).write(to: file)
      return file
    }

    private func removeFiles() { try? FileManager.default.removeItem(at: folder) }

    private func launch() async -> Car {
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene() }
      return car
    }

    private func sounds() -> [String] {
      PlaybackClock.shared.sounds.sorted { $0.key < $1.key }.map {
        "\($0.value.file?.split(separator: "/").last ?? "stream") \($0.value.place) \($0.value.rate) \($0.value.volume)"
      }
    }

    /// Goes to a place without waiting. In a test that waits, Swift takes the form that waits.
    private func go(_ player: AVPlayer, to seconds: Double) {
      player.seek(to: CMTime(seconds: seconds, preferredTimescale: 600))
    }

    /// The lines of the players in the car's log.
    private func lines(_ car: Car) -> [String] {
      car.log.filter { $0.object == "player" }.map { "\($0.name) \($0.detail)" }
    }

    @Test("A player loads a file, plays it in the car's time, pauses, and rests at the end")
    func player() async throws {
      defer { removeFiles() }
      let car = await launch()
      let notes = Notes()
      let player = AVPlayer(url: try file("a.wav", seconds: 4))
      let item = try #require(player.currentItem)
      let end = NotificationCenter.default.addObserver(
        forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: nil
      ) { _ in notes.add("end") }
      defer { NotificationCenter.default.removeObserver(end) }
      #expect(player.status == .unknown && item.status == .unknown && item.duration.isIndefinite)
      player.play()
      #expect(player.rate == 1 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate && sounds().isEmpty)
      await car.settle()
      #expect(player.status == .readyToPlay && item.status == .readyToPlay && item.duration.seconds == 4)
      #expect(player.timeControlStatus == .playing && sounds() == ["a.wav 0.0 1.0 1.0"])
      await car.wait(.seconds(1.5))
      #expect(player.currentTime() == CMTime(value: 3, timescale: 2) && item.currentTime().seconds == 1.5)
      player.pause()
      await car.wait(.seconds(60))
      #expect(player.timeControlStatus == .paused && player.currentTime().seconds == 1.5 && sounds().isEmpty)
      player.playImmediately(atRate: 2)
      (player.volume, player.isMuted) = (0.5, true)
      #expect(sounds() == ["a.wav 1.5 2.0 0.0"])
      player.isMuted = false
      #expect(sounds() == ["a.wav 1.5 2.0 0.5"])
      await car.wait(.seconds(1))
      #expect(player.currentTime().seconds == 3.5 && notes.all.isEmpty)
      await car.wait(.seconds(1))
      #expect(player.rate == 0 && player.currentTime() == item.duration && notes.all == ["end"] && sounds().isEmpty)
      // At its end a player rests again at once.
      player.play()
      await car.settle()
      #expect(player.rate == 0 && notes.all == ["end"])
      #expect(lines(car) == ["play a.wav", "pause a.wav", "play a.wav"])
    }

    @Test("A seek moves what plays, before an item is ready, at rest and while it plays")
    func seek() async throws {
      defer { removeFiles() }
      let car = await launch()
      let notes = Notes()
      let player = AVPlayer(url: try file("a.wav", seconds: 10))
      go(player, to: 2)
      player.play()
      await car.settle()
      #expect(sounds() == ["a.wav 2.0 1.0 1.0"])
      player.seek(to: CMTimeMake(value: 10, timescale: 2), toleranceBefore: .zero, toleranceAfter: .zero) {
        notes.add("\($0)")
      }
      #expect(sounds() == ["a.wav 5.0 1.0 1.0"] && notes.all.isEmpty)
      await car.wait(.seconds(1))
      #expect(player.currentTime().seconds == 6 && notes.all == ["true"])
      player.currentItem?.seek(to: .invalid) { notes.add("\($0)") }
      player.pause()
      player.seek(to: CMTime(seconds: 99, preferredTimescale: 1)) { notes.add("\($0)") }
      await car.settle()
      #expect(player.currentTime().seconds == 10 && notes.all == ["true", "false", "true"])
      let waiting = Task { notes.add("waited \(await player.seek(to: CMTime(seconds: -1, preferredTimescale: 1)))") }
      await car.wait(until: { notes.all.last == "waited true" })
      await waiting.value
      #expect(player.currentTime() == .zero)
    }

    @Test("A stream plays without an end, and another one takes its place")
    func streams() async throws {
      let car = await launch()
      let player = AVPlayer(url: try #require(stream))
      player.play()
      await car.wait(.seconds(3600))
      #expect(player.timeControlStatus == .playing && player.currentItem?.duration.isIndefinite == true)
      #expect(player.currentTime().seconds == 3600 && sounds() == ["stream 0.0 1.0 1.0"])
      let other = AVPlayerItem(asset: AVURLAsset(url: try #require(stream), options: ["a": true]))
      player.replaceCurrentItem(with: other)
      #expect(player.rate == 1 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
      await car.wait(.seconds(5))
      #expect(player.currentItem === other && player.currentTime().seconds == 5)
      // Neither a place far away nor a great speed lets observers be called without end.
      _ = player.addPeriodicTimeObserver(forInterval: .zero, queue: nil) { _ in }
      player.rate = .infinity
      await car.wait(.seconds(0.1))
      go(player, to: 1e18)
      await car.wait(.seconds(0.1))
      #expect(player.rate == 32 && player.currentTime().seconds == 1e18)
      player.replaceCurrentItem(with: nil)
      #expect(player.currentTime() == .zero && sounds().isEmpty)
      #expect((other.asset as? AVURLAsset)?.url == stream)
      let (length, isPlayable) = try await (other.asset.load(.duration), other.asset.load(.isPlayable))
      #expect(length.isIndefinite && isPlayable)
    }

    @Test("A file that cannot be read fails, and the player waits")
    func failure() async throws {
      let car = await launch()
      for url in [URL(filePath: "/nowhere/a.mp3"), URL(string: "a.mp3")].compactMap(\.self) {
        let item = AVPlayerItem(url: url)
        let player = AVPlayer(playerItem: item)
        player.play()
        await car.wait(.seconds(5))
        #expect(item.status == .failed && item.error != nil && item.duration.isIndefinite)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate && sounds().isEmpty)
        await #expect(throws: (any Error).self) { try await item.asset.load(.duration) }
        #expect(!item.asset.duration.isValid)
      }
    }

    @Test("A queue plays its items one after the other")
    func queue() async throws {
      defer { removeFiles() }
      let car = await launch()
      let notes = Notes()
      let items = try ["a.wav", "b.wav", "c.wav"].map { AVPlayerItem(url: try file($0, seconds: 2)) }
      let player = AVQueuePlayer(items: Array(items.prefix(2)))
      let observation = player.observe(\.currentItem, options: [.old, .new]) { player, change in
        let names = [change.oldValue, change.newValue].map { ($0 as? AVPlayerItem)?.asset as? AVURLAsset }
        notes.add("\(names.map { $0?.url.lastPathComponent ?? "nil" }) \(player.items().count)")
      }
      player.play()
      await car.wait(.seconds(3))
      #expect(sounds() == ["b.wav 0.0 1.0 1.0"] && player.currentTime().seconds == 1)
      #expect(player.canInsert(items[2], after: nil))
      player.insert(items[2], after: items[1])
      #expect(!player.canInsert(items[2], after: nil) && player.items() == Array(items.suffix(2)))
      player.insert(items[0], after: nil)
      // A seek of an item that waits leaves what plays alone.
      let numbers = Set(PlaybackClock.shared.sounds.keys)
      items[2].seek(to: CMTime(seconds: 0.5, preferredTimescale: 600), completionHandler: nil)
      #expect(Set(PlaybackClock.shared.sounds.keys) == numbers)
      player.remove(items[0])
      player.advanceToNextItem()
      await car.wait(.seconds(1))
      #expect(sounds() == ["c.wav 0.5 1.0 1.0"])
      await car.wait(.seconds(5))
      #expect(
        player.currentItem == nil && sounds().isEmpty && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
      #expect(notes.all == [#"["a.wav", "b.wav"] 1"#, #"["b.wav", "c.wav"] 1"#, #"["c.wav", "nil"] 0"#])
      observation.invalidate()
      player.insert(items[1], after: nil)
      #expect(notes.all.count == 3)
      // The item was left after a second.
      await car.wait(.seconds(0.5))
      #expect(player.currentTime().seconds == 1.5)
      player.removeAllItems()
      await car.settle()
      #expect(player.items().isEmpty)
      #expect(lines(car) == ["play a.wav", "play b.wav", "pause b.wav", "play c.wav", "play b.wav", "pause b.wav"])
    }

    @Test("An item belongs to one player")
    func itemInUse() async throws {
      let car = await launch()
      let item = AVPlayerItem(url: try #require(stream))
      let player = AVPlayer(playerItem: item)
      let other = AVQueuePlayer(items: [item])
      other.insert(item, after: nil)
      other.replaceCurrentItem(with: item)
      await car.settle()
      #expect(other.items().isEmpty && player.currentItem === item)
      #expect(lines(car) == Array(repeating: "refuse live.mp3, which a player has", count: 3))
      player.replaceCurrentItem(with: nil)
      other.replaceCurrentItem(with: item)
      #expect(other.currentItem === item)
    }

    @Test("Observers get the places that a player passes, until they are removed")
    func timeObservers() async throws {
      defer { removeFiles() }
      let car = await launch()
      let (periodic, boundary) = (Notes(), Notes())
      let player = AVPlayer(url: try file("a.wav", seconds: 3))
      let half = CMTime(seconds: 0.5, preferredTimescale: CMTimeScale(NSEC_PER_SEC))
      let token = player.addPeriodicTimeObserver(forInterval: half, queue: .main) { periodic.add("\($0.seconds)") }
      let times = [2.25, 0.75].map { NSValue(time: CMTime(seconds: $0, preferredTimescale: 600)) }
      _ = player.addBoundaryTimeObserver(forTimes: times, queue: nil) { boundary.add("passed") }
      await car.wait(.seconds(10))
      let atStart = periodic.all.count
      player.play()
      await car.wait(.seconds(1.25))
      #expect(periodic.all.dropFirst(atStart) == ["0.0", "0.5", "1.0"] && boundary.all == ["passed"])
      player.rate = 0.5
      await car.wait(.seconds(1))
      #expect(periodic.all.suffix(2) == ["1.25", "1.5"])
      go(player, to: 2.1)
      player.rate = 1
      await car.wait(.seconds(10))
      #expect(periodic.all.suffix(3) == ["2.1", "2.5", "3.0"] && boundary.all == ["passed", "passed"])
      player.removeTimeObserver(token)
      let count = periodic.all.count
      go(player, to: 0)
      player.play()
      await car.wait(.seconds(1))
      #expect(periodic.all.count == count && boundary.all.count == 3)
    }

    @Test("A player that stays at the end plays on when the app seeks")
    func loop() async throws {
      defer { removeFiles() }
      let car = await launch()
      let notes = Notes()
      let player = AVPlayer(url: try file("a.wav", seconds: 2))
      player.actionAtItemEnd = .none
      let end = NotificationCenter.default.addObserver(
        forName: AVPlayerItem.didPlayToEndTimeNotification, object: player.currentItem, queue: .main
      ) { [weak player] _ in
        notes.add("end")
        if notes.all.count < 3 { player?.seek(to: .zero) }
      }
      defer { NotificationCenter.default.removeObserver(end) }
      player.play()
      await car.wait(.seconds(5))
      #expect(notes.all.count == 2 && player.currentTime().seconds == 1)
      await car.wait(.seconds(60))
      #expect(notes.all.count == 3 && player.currentTime().seconds == 2 && sounds().isEmpty)
    }

    @Test("An interruption pauses a player until its end, and a player that the app forgets is silent")
    func interruption() async throws {
      let car = await launch()
      var player: AVPlayer? = AVPlayer(url: try #require(stream))
      player?.defaultRate = 1.5
      player?.play()
      await car.wait(.seconds(2))
      // An observer of the main queue, as apps have it.
      let notes = Notes()
      let observer = NotificationCenter.default.addObserver(
        forName: AVAudioSession.interruptionNotification, object: nil, queue: .main
      ) { notes.add("\($0.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt ?? 9)") }
      defer { NotificationCenter.default.removeObserver(observer) }
      await car.interruptSound(true)
      await car.wait(.seconds(60))
      #expect(notes.all == ["1"])
      #expect(player?.timeControlStatus == .paused && player?.currentTime().seconds == 3 && sounds().isEmpty)
      await car.interruptSound(false)
      #expect(notes.all == ["1", "0"] && sounds() == ["stream 3.0 1.5 1.0"])
      // A pause of the app during the interruption lasts.
      await car.interruptSound(true)
      player?.pause()
      await car.interruptSound(false)
      #expect(sounds().isEmpty)
      player?.play()
      #expect(sounds() == ["stream 3.0 1.5 1.0"])
      let item = player?.currentItem
      player = nil
      #expect(sounds().isEmpty)
      await car.wait(.seconds(60))
      #expect(item?.currentTime().seconds == 3 && item?.status == .readyToPlay)
    }

    @Test("A player of an app follows the states of its items")
    func app() async throws {
      defer { removeFiles() }
      let car = await launch()
      let radio = RadioPlayer()
      #expect(radio.state == "paused")
      radio.play(try file("a.wav", seconds: 4), title: "Song")
      await car.wait(.seconds(2.5))
      #expect(radio.state == "playing" && radio.elapsed == 2)
      #expect(MPNowPlayingInfoCenter.default().nowPlayingInfo?[MPMediaItemPropertyPlaybackDuration] as? Double == 4)
      await car.wait(.seconds(2))
      #expect(radio.state == "paused" && radio.elapsed == 4 && radio.endCount == 1)
    }
  }
}
