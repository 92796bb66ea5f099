// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlaySession
import IAP2
import IAP2Roles
import Testing

/// The interruptions of the sound of a phone's apps, and their joined report.
struct SoundInterruptionTests {
  private typealias App = SoundInterruptions.App

  /// Returns notices as words such as `+0` for the beginning of an interruption of the first app.
  private func words(_ notices: [SoundInterruptions.Notice]) -> String {
    notices.map { ($0.isInterrupted ? "+" : "-") + "\($0.app)" }.joined(separator: " ")
  }

  private let silent = App(), plays = App(isPlaying: true), mixes = App(isPlaying: true, mixes: true)
  private let calls = App(hasCall: true), callsAndPlays = App(isPlaying: true, hasCall: true)

  @Test func `a head unit that takes the speakers interrupts what plays, and gives it back`() {
    var state = SoundInterruptions()
    #expect(words(state.look(at: [plays, silent])) == "")
    #expect(words(state.set(hasSpeakers: true, [plays, silent])) == "")
    #expect(words(state.set(hasSpeakers: false, [plays, silent])) == "+0")
    #expect(state.isInterrupted(0) && !state.isInterrupted(1))
    #expect(words(state.look(at: [silent, silent])) == "")
    #expect(words(state.set(hasSpeakers: false, [silent, silent])) == "")
    #expect(words(state.set(hasSpeakers: true, [silent, silent])) == "-0")
    #expect(words(state.look(at: [plays, silent])) == "" && !state.isInterrupted(0))
  }

  @Test func `an app that the driver starts again is no longer interrupted`() {
    var state = SoundInterruptions()
    _ = state.set(hasSpeakers: true, [plays])
    #expect(words(state.set(hasSpeakers: false, [plays])) == "+0")
    // One that does not stop stays interrupted.
    #expect(words(state.look(at: [plays])) == "" && state.isInterrupted(0))
    _ = state.look(at: [silent])
    #expect(words(state.look(at: [plays])) == "" && !state.isInterrupted(0))
  }

  @Test func `a call of another app and Siri interrupt, and an own call does not`() {
    var state = SoundInterruptions()
    _ = state.set(hasSpeakers: true, [silent, silent])
    #expect(words(state.look(at: [callsAndPlays, plays])) == "+1")
    #expect(words(state.look(at: [callsAndPlays, silent])) == "")
    #expect(words(state.look(at: [silent, silent])) == "-1")
    #expect(words(state.look(at: [plays, App(showsSiri: true)])) == "+0")
    #expect(words(state.look(at: [plays, silent])) == "-0")
  }

  @Test func `the end of a call gives the sound back also if the radio has the speakers again`() {
    var state = SoundInterruptions()
    // The radio has the speakers, and the phone borrows them for the call.
    _ = state.set(hasSpeakers: false, [silent, silent])
    #expect(words(state.look(at: [calls, plays])) == "+1")
    #expect(words(state.look(at: [silent, silent])) == "-1")
    #expect(words(state.set(hasSpeakers: false, [silent, plays])) == "" && !state.isInterrupted(1))
    // A head unit that takes them in the call keeps them.
    _ = state.set(hasSpeakers: true, [silent, silent])
    #expect(words(state.look(at: [calls, plays])) == "+1")
    #expect(words(state.set(hasSpeakers: false, [calls, silent])) == "")
    #expect(words(state.look(at: [silent, silent])) == "" && state.isInterrupted(1))
    #expect(words(state.set(hasSpeakers: true, [silent, silent])) == "-1")
  }

  @Test func `an app that begins stops another one, unless one of them mixes`() {
    var state = SoundInterruptions()
    _ = state.set(hasSpeakers: true, [silent, silent])
    #expect(words(state.look(at: [plays, silent])) == "")
    #expect(words(state.look(at: [plays, mixes])) == "")
    #expect(words(state.look(at: [plays, silent])) == "")
    #expect(words(state.look(at: [plays, plays])) == "+0")
    #expect(words(state.look(at: [silent, plays])) == "")
    #expect(words(state.look(at: [silent, silent])) == "" && state.isInterrupted(0))
    #expect(words(state.look(at: [plays, silent])) == "" && !state.isInterrupted(0))
    state.remove(0)
    #expect(words(state.look(at: [silent, silent])) == "")
  }

  @Test func `the joined report has the song of the app that plays, and the calls of all`() {
    func report(_ app: String, _ title: String?, isPlaying: Bool = false, call: String? = nil) -> AppReport {
      var report = AppReport()
      report.app = app
      report.song = title.map {
        AppReport.Song(
          item: MediaItem(identifier: 1, title: $0, duration: .seconds(1)), isPlaying: isPlaying, elapsed: 0,
          speed: 100,
          index: 0, count: 1, write: nil)
      }
      report.calls = call.map { [Call(identifier: $0, remote: "1", direction: .incoming, status: .ringing)] } ?? []
      return report
    }
    let joined = AppReport(joining: [
      report("Maps", nil, call: "a"), report("Radio", "News"), report("Music", "Blue", isPlaying: true, call: "b"),
    ])
    #expect(joined.app == "Music" && joined.song?.item.title == "Blue" && joined.calls.map(\.identifier) == ["a", "b"])
    #expect(AppReport(joining: [report("Maps", nil), report("Radio", "News")]).app == "Radio")
    #expect(AppReport(joining: []) == AppReport())
  }
}
