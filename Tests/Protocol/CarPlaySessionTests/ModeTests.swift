// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

/// Apple's examples of the sides that have the screen and the speakers (CarPlaySession.md#modes-resources).
@Suite struct ModeTests {
  private static let taking = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
  private static let borrowing = ModeTransfer.borrow(.userInitiated, unborrow: .anytime)

  /// Returns the state while CarPlay is visible and plays music.
  private func carPlay() throws -> ModeArbiter {
    var modes = ModeArbiter()
    for resource in ModeResource.allCases {
      modes = try #require(modes.applying(ModeRequest([(resource, Self.taking)]), of: .phone))
    }
    return modes
  }

  /// Returns the state while the radio of the car plays.
  private func radio() throws -> ModeArbiter {
    var modes = try carPlay()
    modes = try #require(modes.applying(ModeRequest([(.mainAudio, Self.taking)]), of: .headUnit))
    return modes
  }

  @Test func theRadioButtonTakesTheSpeakersAndLeavesTheScreen() throws {
    let radio = try radio()
    #expect(radio.user(of: .mainAudio) == .headUnit && radio.owner(of: .mainAudio) == .headUnit)
    #expect(radio.user(of: .screen) == .phone)
  }

  @Test func theCarsOwnRecognizerBorrowsAndTheRadioComesBack() throws {
    var modes = try radio()
    let both: [(ModeResource, ModeTransfer)] = [(.screen, Self.borrowing), (.mainAudio, Self.borrowing)]
    modes = try #require(modes.applying(ModeRequest(both, appStates: [.speech(.recognizing)]), of: .headUnit))
    #expect(modes.user(of: .screen) == .headUnit && modes.speech?.side == .headUnit)
    let back: [(ModeResource, ModeTransfer)] = [(.screen, .unborrow), (.mainAudio, .unborrow)]
    modes = try #require(modes.applying(ModeRequest(back, appStates: [.speech(.none)]), of: .headUnit))
    #expect(try modes == radio() && modes.speech == nil)
  }

  @Test func theReversingCameraKeepsTheScreenWhileMusicGoesOnAndACallRings() throws {
    var modes = try carPlay()
    modes = try #require(modes.applying(ModeRequest([(.screen, Self.taking)]), of: .headUnit))
    modes = try #require(
      modes.applying(ModeRequest([(.screen, .borrow(.userInitiated, unborrow: .never))]), of: .headUnit))
    #expect(modes.user(of: .mainAudio) == .phone)
    // The call may have the speakers, but not the screen.
    modes = try #require(
      modes.applying(ModeRequest([(.mainAudio, Self.borrowing)], appStates: [.phoneCall(true)]), of: .phone))
    let before = modes
    #expect(modes.applying(ModeRequest([(.screen, Self.borrowing)]), of: .phone) == nil)
    #expect(modes.applying(ModeRequest([(.screen, Self.taking)]), of: .phone) == nil)
    #expect(modes == before && modes.user(of: .screen) == .headUnit)
  }

  @Test func aTakeEndsTheBorrowsOfTheOtherSide() throws {
    var modes = try radio()
    modes = try #require(modes.applying(ModeRequest([(.mainAudio, Self.borrowing)]), of: .phone))
    #expect(modes.user(of: .mainAudio) == .phone && modes.owner(of: .mainAudio) == .headUnit)
    modes = try #require(modes.applying(ModeRequest([(.mainAudio, Self.taking)]), of: .headUnit))
    #expect(modes.user(of: .mainAudio) == .headUnit)
  }

  @Test func siriPlaysMusicAndTheRadioStaysSilent() throws {
    var modes = try radio()
    modes = try #require(modes.applying(ModeRequest([(.screen, Self.taking)]), of: .headUnit))
    let both: [(ModeResource, ModeTransfer)] = [(.screen, Self.borrowing), (.mainAudio, Self.borrowing)]
    modes = try #require(modes.applying(ModeRequest(both, appStates: [.speech(.recognizing)]), of: .phone))
    modes = try #require(modes.applying(ModeRequest([(.screen, .unborrow)], appStates: [.speech(.none)]), of: .phone))
    modes = try #require(modes.applying(ModeRequest([(.mainAudio, Self.taking)]), of: .phone))
    modes = try #require(modes.applying(ModeRequest([(.mainAudio, .unborrow)]), of: .phone))
    #expect(modes.user(of: .screen) == .headUnit)
    #expect(modes.owner(of: .mainAudio) == .phone && modes.user(of: .mainAudio) == .phone)
  }

  @Test func aCallOverTheCarsOwnScreenGivesItBack() throws {
    var modes = try carPlay()
    modes = try #require(modes.applying(ModeRequest([(.screen, Self.taking)]), of: .headUnit))
    let native = modes
    modes = try #require(
      modes.applying(ModeRequest([(.screen, Self.borrowing)], appStates: [.phoneCall(true)]), of: .phone))
    #expect(modes.user(of: .screen) == .phone && modes.phoneCall == .phone)
    modes = try #require(
      modes.applying(ModeRequest([(.screen, .unborrow)], appStates: [.phoneCall(false)]), of: .phone))
    #expect(modes == native)
  }

  @Test func theLastSideThatStartsARouteGuides() throws {
    var modes = try carPlay()
    modes = try #require(modes.applying(ModeRequest(appStates: [.turnByTurn(true)]), of: .headUnit))
    modes = try #require(modes.applying(ModeRequest(appStates: [.turnByTurn(true)]), of: .phone))
    #expect(modes.turnByTurn == .phone)
    // The side that has lost the guidance cannot end it.
    modes = try #require(modes.applying(ModeRequest(appStates: [.turnByTurn(false)]), of: .headUnit))
    #expect(modes.turnByTurn == .phone)
  }

  @Test func aHandsFreeCallOfTheCarIsNotInterrupted() throws {
    var modes = try carPlay()
    modes = try #require(modes.applying(ModeRequest(appStates: [.phoneCall(true)]), of: .headUnit))
    #expect(modes.applying(ModeRequest([(.screen, Self.borrowing)], appStates: [.phoneCall(true)]), of: .phone) == nil)
    // A refused request changes nothing, not even by its first transfer.
    #expect(modes.phoneCall == .headUnit && modes.user(of: .screen) == .phone)
    #expect(modes.applying(ModeRequest(appStates: [.speech(.speaking)]), of: .phone) == nil)
  }

  @Test func siriEndsTheCarsOwnRecognizer() throws {
    var modes = try carPlay()
    modes = try #require(modes.applying(ModeRequest(appStates: [.speech(.recognizing)]), of: .headUnit))
    modes = try #require(modes.applying(ModeRequest(appStates: [.speech(.recognizing)]), of: .phone))
    #expect(modes.speech?.side == .phone)
  }

  @Test func theCarsIconShowsItsOwnScreenAndMusicGoesOn() throws {
    var modes = try carPlay()
    modes = try #require(modes.applying(ModeRequest([(.screen, Self.taking)]), of: .headUnit))
    #expect(modes.user(of: .screen) == .headUnit && modes.user(of: .mainAudio) == .phone)
    modes = try #require(modes.applying(ModeRequest([(.screen, .untake)]), of: .headUnit))
    #expect(modes.user(of: .screen) == .phone)
    #expect(modes.applying(ModeRequest([(.screen, .untake)]), of: .headUnit) == nil, "only the owner gives up")
    #expect(modes.applying(ModeRequest([(.screen, .unborrow)]), of: .headUnit) == nil, "nothing was borrowed")
  }

  @Test func constraintsHoldForThatManyReasons() throws {
    for constraint in ModeConstraint.allCases {
      for priority in ModePriority.allCases {
        var modes = ModeArbiter()
        let held = ModeTransfer.take(.userInitiated, take: constraint, borrow: constraint)
        modes = try #require(modes.applying(ModeRequest([(.screen, held)]), of: .headUnit))
        let allowed = constraint == .anytime || constraint == .userInitiated && priority == .userInitiated
        let take = ModeRequest([(.screen, .take(priority, take: .anytime, borrow: .anytime))])
        #expect((modes.applying(take, of: .phone) != nil) == allowed)
        let borrow = ModeRequest([(.screen, .borrow(priority, unborrow: .anytime))])
        #expect((modes.applying(borrow, of: .phone) != nil) == allowed)
      }
    }
  }

  /// Many random requests are granted, and the number of borrows has a limit.
  @Test func randomRequestsKeepTheState() {
    var random = SeededGenerator(seed: 9)
    var modes = ModeArbiter()
    var granted = 0
    for _ in 0..<5000 {
      let side = SessionSide.allCases.randomElement(using: &random) ?? .phone
      let resource = ModeResource.allCases.randomElement(using: &random) ?? .screen
      let priority = ModePriority.allCases.randomElement(using: &random) ?? .niceToHave
      let constraint = ModeConstraint.allCases.randomElement(using: &random) ?? .anytime
      let transfers: [ModeTransfer] = [
        .take(priority, take: constraint, borrow: constraint), .untake, .borrow(priority, unborrow: constraint),
        .unborrow,
      ]
      let request = ModeRequest([(resource, transfers.randomElement(using: &random) ?? .untake)])
      guard let next = modes.applying(request, of: side) else { continue }
      granted += 1
      modes = next
    }
    #expect(granted > 500)
    // The borrows of a side that never gives back have a limit.
    modes = ModeArbiter()
    let borrow = ModeRequest([(.screen, ModeTransfer.borrow(.userInitiated, unborrow: .anytime))])
    var count = 0
    while count < 1000, let next = modes.applying(borrow, of: .phone) {
      modes = next
      count += 1
    }
    #expect(count == ModeArbiter.maximumBorrowers)
  }
}
