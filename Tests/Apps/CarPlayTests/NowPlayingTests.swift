// swift-iap2 · Apache-2.0

import CarPlay
import Testing

@MainActor
struct NowPlayingTests {
  private final class Observer: NSObject, CPNowPlayingTemplateObserver {}

  @Test("Observers are kept once, in order, and not alive")
  func observers() {
    let template = CPNowPlayingTemplate()
    let first = Observer()
    var second: Observer? = Observer()
    weak let weakSecond = second
    template.add(first)
    if let second { template.add(second) }
    template.add(first)
    #expect(
      template.observers.map(ObjectIdentifier.init) == [second, first].compactMap { $0.map(ObjectIdentifier.init) })
    second = nil
    #expect(weakSecond == nil)
    #expect(template.observers.count == 1)
    template.remove(first)
    #expect(template.observers.isEmpty)
  }

  @Test("All buttons that the app gives are kept")
  func buttons() {
    let template = CPNowPlayingTemplate()
    let buttons: [CPNowPlayingButton] = [
      CPNowPlayingShuffleButton(handler: nil), CPNowPlayingRepeatButton(handler: nil),
      CPNowPlayingAddToLibraryButton(handler: nil), CPNowPlayingMoreButton(handler: nil),
      CPNowPlayingPlaybackRateButton(handler: nil), CPNowPlayingImageButton(image: .sample, handler: nil),
    ]
    RecordingSystem.use { _ in template.updateNowPlayingButtons(buttons) }
    #expect(template.nowPlayingButtons == buttons)
  }

  @Test("A host gives the next app a new shared template")
  func sharedTemplate() {
    let old = CPNowPlayingTemplate.current
    defer { CPNowPlayingTemplate.current = old }
    #expect(CPNowPlayingTemplate.shared === old)
    CPNowPlayingTemplate.current = CPNowPlayingTemplate()
    #expect(CPNowPlayingTemplate.shared !== old)
  }

  @Test("The clock of a sports event counts up or down")
  func sportsClocks() {
    #expect(CPNowPlayingSportsClock(elapsedTime: 60, paused: false).countsUp)
    #expect(!CPNowPlayingSportsClock(timeRemaining: 60, paused: true).countsUp)
    let clock = CPNowPlayingSportsClock(timeRemaining: 60, paused: true)
    let team = CPNowPlayingSportsTeam(
      name: "Blue", logo: CPNowPlayingSportsTeamLogo(teamInitials: "BLU"), teamStandings: nil, eventScore: "1",
      possessionIndicator: nil, favorite: true)
    let mode = CPNowPlayingModeSports(
      leftTeam: team, rightTeam: team,
      eventStatus: CPNowPlayingSportsEventStatus(eventStatusText: ["Half"], eventStatusImage: nil, eventClock: clock),
      backgroundArtwork: nil)
    #expect(mode.eventStatus?.eventClock?.timeValue == 60)
    #expect(mode.leftTeam.isFavorite)
  }
}
