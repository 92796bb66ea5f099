// swift-iap2 · Apache-2.0

import AVFoundation
import CarPlayTesting
import MediaPlayer
import Testing

extension CarTests {
  /// Tests of an app's sound, and of the keys that Now Playing offers for it.
  @Suite @MainActor
  struct SoundTests {
    private func launch(_ category: AppCategory) async -> Car {
      let car = Car(.standard)
      await car.launch(category) {
        PlainScene { $0.setRootTemplate(CPListTemplate(title: "Home", sections: []), animated: false, completion: nil) }
      }
      return car
    }

    @Test func aPromptDucksTheMusicAndHasAChannelOfItsOwn() async throws {
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene() }
      let session = AVAudioSession.sharedInstance()
      try session.setCategory(
        .playback, mode: .voicePrompt, options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
      try session.setActive(true)
      await car.settle()
      try session.setActive(false, options: .notifyOthersOnDeactivation)
      await car.settle()
      let lines = car.log.filter { $0.name.contains("sound") }.map { "\($0.name): \($0.detail)" }
      let words = "channel of prompts, ducks others, mixes with others, pauses spoken content"
      #expect(
        lines == [
          "sound off: \(words)", "sound on: \(words)", "other sound is quieter: ", "sound off: \(words)",
          "other sound is as before: ",
        ])
      #expect(car.diagnostics.isEmpty)
    }

    @Test func aPromptThatStopsTheMusicIsReported() async throws {
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene() }
      try AVAudioSession.sharedInstance().setCategory(.playback)
      try AVAudioSession.sharedInstance().setActive(true)
      await car.settle()
      #expect(car.diagnostics(.note).map(\.what) == ["the prompts of a navigation app stop other sound"])
      #expect(car.log.contains { $0.detail == "main channel" })
    }

    @Test func musicOfAnAudioAppIsNotReported() async throws {
      let car = await launch(.audio)
      try AVAudioSession.sharedInstance().setCategory(.playback)
      try AVAudioSession.sharedInstance().setActive(true)
      await car.settle()
      #expect(car.diagnostics.isEmpty)
    }

    @Test func theRateKeyGoesUpAndBeginsAnew() async {
      let car = await launch(.audio)
      var rate = 1.0
      func play() {
        MPNowPlayingInfoCenter.default().nowPlayingInfo = [
          MPMediaItemPropertyTitle: "Chapter 1", MPNowPlayingInfoPropertyPlaybackRate: rate,
          MPNowPlayingInfoPropertyDefaultPlaybackRate: 1.0,
        ]
      }
      let command = MPRemoteCommandCenter.shared().changePlaybackRateCommand
      command.supportedPlaybackRates = [0.5, 1, 1.5, 2]
      command.addTarget { event in
        rate = Double((event as? MPChangePlaybackRateCommandEvent)?.playbackRate ?? 0)
        play()
        return .success
      }
      play()
      await car.openNowPlaying()
      var seen: [String] = []
      for _ in 0..<4 {
        let key = car.screen.all(.command).map(\.title).first { $0.hasSuffix("x") } ?? ""
        seen.append(key)
        await car.tap(key)
      }
      #expect(seen == ["1x", "1.5x", "2x", "0.5x"] && rate == 1)
      // An invalid rate makes no key.
      for wrong in [-1e19, 0, -1e300] {
        MPNowPlayingInfoCenter.default().nowPlayingInfo = [
          MPMediaItemPropertyTitle: "Chapter 1", MPNowPlayingInfoPropertyPlaybackRate: 0.0,
          MPNowPlayingInfoPropertyDefaultPlaybackRate: wrong,
        ]
        await car.settle()
        #expect(!car.screen.all(.command).contains { $0.title.hasSuffix("x") })
      }
      // Without a default rate there is no key.
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "Chapter 1"]
      await car.settle()
      #expect(!car.screen.all(.command).contains { $0.title.hasSuffix("x") })
    }

    @Test func theIconOfAnOldAppOfMessagesOpensSiri() async {
      for (keys, actions) in [
        (["carplay-messaging"], ["Read messages", "New message", "Cancel"]),
        (["carplay-calling"], ["Call", "Cancel"]),
        (["carplay-messaging", "carplay-calling"], ["Read messages", "New message", "Call", "Cancel"]),
      ] {
        let car = Car(.standard)
        let app = CarApp(name: "Talk", entitlements: Set(keys.map { "com.apple.developer.\($0)" }))
        await car.launch(app)
        #expect(car.screen.line == "sheet \"Talk\" - \"Siri\"" && car.screen.buttons == actions)
        await car.tap("Cancel")
        #expect(car.screen.kind == .home && car.screen.shows("Talk"))
        #expect(car.end == nil)
      }
    }

    @Test func theVoiceKeyOpensSiriForAnAppOfMessages() async {
      let car = await launch(.communication)
      await car.pressVoiceKey()
      #expect(car.screen.line == "sheet \"App\" - \"Siri\"")
      #expect(car.screen.buttons == ["Read messages", "New message", "Call", "Cancel"])
      await car.tap("Call")
      #expect(car.screen.kind == .list)
      let other = await launch(.audio)
      await other.pressVoiceKey()
      #expect(other.screen.kind == .list, "nothing of an audio app covers its screen")
      // The home button, the back button and a pulled cable close Siri.
      let third = await launch(.communication)
      await third.pressVoiceKey()
      await third.goHome()
      #expect(third.screen.kind == .home)
      await third.bringBack()
      await third.pressVoiceKey()
      await third.back()
      #expect(third.screen.kind == .list)
      await third.pressVoiceKey()
      await third.unplug()
      await third.replug()
      #expect(third.screen.kind == .list)
    }
  }
}
