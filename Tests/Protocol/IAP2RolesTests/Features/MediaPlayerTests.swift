// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Roles

@Suite struct MediaPlayerTests {
  private static func player(_ seconds: Int...) -> MediaPlayer {
    var player = MediaPlayer()
    player.queue = seconds.enumerated().map { NowPlayingTests.song(UInt64($0.offset), seconds: $0.element) }
    player.play()
    return player
  }

  @Test func timePassesFromOneSongToTheNext() {
    var player = Self.player(10, 3, 20)
    player.advance(milliseconds: 15_500)
    #expect(player.index == 2 && player.elapsedMilliseconds == 2500 && player.isPlaying)
    player.speed = 200
    player.advance(milliseconds: 1000)
    #expect(player.elapsedMilliseconds == 4500)
    player.pause()
    player.advance(milliseconds: 1000)
    #expect(player.elapsedMilliseconds == 4500)
  }

  @Test func theEndOfTheQueueStopsOrRepeats() {
    var player = Self.player(10, 10)
    player.advance(milliseconds: 25_000)
    #expect(player.status == .stopped && player.index == 0)
    player = Self.player(10, 10)
    player.repeatMode = .all
    player.advance(milliseconds: 25_000)
    #expect(player.isPlaying && player.index == 0 && player.elapsedMilliseconds == 5000)
    player.repeatMode = .one
    player.advance(milliseconds: 10_000)
    #expect(player.isPlaying && player.index == 0 && player.elapsedMilliseconds == 5000)
  }

  @Test(arguments: [PlaybackRepeatMode.off, .one, .all]) func songsWithoutLengthEnd(mode: PlaybackRepeatMode) {
    var player = Self.player(0, 0)
    player.repeatMode = mode
    player.advance(milliseconds: 1000)
    #expect(player.status == .stopped)
  }

  @Test func previousGoesToTheBeginningFirst() {
    var player = Self.player(10, 10)
    player.jump(to: 1)
    player.seek(toMilliseconds: 3000)
    player.previous()
    #expect(player.index == 1 && player.elapsedMilliseconds == 0)
    player.seek(toMilliseconds: 2999)
    player.previous()
    #expect(player.index == 0 && player.elapsedMilliseconds == 0)
    player.previous()
    #expect(player.index == 0)
  }

  @Test func positionsStayInsideTheSongAndTheQueue() {
    var player = Self.player(10)
    player.seek(toMilliseconds: -1)
    #expect(player.elapsedMilliseconds == 0)
    player.seek(toMilliseconds: 10_001)
    #expect(player.elapsedMilliseconds == 10_000)
    player.jump(to: 1)
    #expect(player.index == 0)
    player.jump(to: -1)
    #expect(player.index == 0)
  }

  @Test func anEmptyQueuePlaysNothing() {
    var player = MediaPlayer()
    player.play()
    player.next()
    player.previous()
    player.togglePlay()
    #expect(player.status == .stopped && !player.isPlaying && player.item == nil)
  }

  @Test func buttonsHaveTheEffectOfTheirUsages() {
    var player = Self.player(60, 60)
    player.press(.pause)
    #expect(player.status == .paused)
    player.press(.playPause)
    #expect(player.status == .playing)
    player.press(.fastForward)
    #expect(player.elapsedMilliseconds == 10_000)
    player.press(.rewind)
    #expect(player.elapsedMilliseconds == 0)
    player.press(.next)
    #expect(player.index == 1)
    player.press(.previous)
    #expect(player.index == 0)
    player.press(.shuffle)
    #expect(player.shuffleMode == .songs)
    for mode in [PlaybackRepeatMode.all, .one, .off] {
      player.press(.repeat)
      #expect(player.repeatMode == mode)
    }
    player.press(.stop)
    #expect(player.status == .stopped)
    let before = player
    for button in [MediaButton.mute, .volumeUp, .volumeDown] { player.press(button) }
    #expect(player == before)
  }
}
