// swift-iap2 · Apache-2.0

import CallKit
import CarPlayTesting
import IAP2
import Intents
import MediaPlayer
import Testing
import UIKit

extension CarTests {
  /// An app's reports reach the head unit over iAP2, and the head unit's requests reach the app.
  @Suite @MainActor
  struct HeadUnitTests {
    private func launch(_ category: AppCategory = .audio, _ settings: CarSettings = .standard) async -> Car {
      let car = Car(settings)
      await car.attachHeadUnit()
      await car.launch(category) {
        PlainScene { $0.setRootTemplate(CPListTemplate(title: "Home", sections: []), animated: false, completion: nil) }
      }
      return car
    }

    private func play(_ title: String, elapsed: Double = 0, rate: Double = 1, artwork: MPMediaItemArtwork? = nil) {
      var info: [String: Any] = [
        MPMediaItemPropertyTitle: title, MPMediaItemPropertyArtist: "Band", MPMediaItemPropertyAlbumTitle: "Colours",
        MPMediaItemPropertyPlaybackDuration: 200.0, MPNowPlayingInfoPropertyElapsedPlaybackTime: elapsed,
        MPNowPlayingInfoPropertyPlaybackRate: rate, MPNowPlayingInfoPropertyPlaybackQueueIndex: 2,
        MPNowPlayingInfoPropertyPlaybackQueueCount: 9,
      ]
      info[MPMediaItemPropertyArtwork] = artwork
      MPNowPlayingInfoCenter.default().nowPlayingInfo = info
    }

    @Test func theHeadUnitShowsTheSongAndItsTimeGoesOn() async {
      let car = await launch()
      #expect(car.headUnit.isConnected && car.headUnit.song == nil)
      play("Blue", elapsed: 10)
      await car.wait(.seconds(1))
      let song = car.headUnit.song
      #expect(song?.title == "Blue" && song?.artist == "Band" && song?.album == "Colours" && song?.app == "App")
      #expect(song?.duration == 200 && song?.isPlaying == true && song?.queueIndex == 2 && song?.queueCount == 9)
      await car.wait(.seconds(20))
      #expect(abs((car.headUnit.song?.elapsed ?? 0) - 31) <= 1)
      // A pause stops the time. The app handles the end of the song itself.
      play("Blue", elapsed: 30, rate: 0)
      await car.wait(.seconds(60))
      #expect(car.headUnit.song?.elapsed == 30 && car.headUnit.song?.isPlaying == false)
      play("Blue", elapsed: 190)
      await car.wait(.seconds(60))
      #expect(car.headUnit.song?.elapsed == 200 && car.headUnit.song?.isPlaying == true)
      MPNowPlayingInfoCenter.default().nowPlayingInfo = nil
      await car.wait(.seconds(1))
      #expect(car.headUnit.song == nil)
    }

    @Test func theArtworkArrivesAsAFile() async throws {
      let car = await launch()
      let image = try #require(UIImage(data: TestImages.png(width: 60, height: 60)))
      play("Blue", artwork: MPMediaItemArtwork(boundsSize: image.size) { _ in image })
      await car.wait(.seconds(2))
      #expect(car.headUnit.song?.artworkByteCount == image.content.data?.count)
    }

    @Test func keysOfTheHeadUnitAreCommandsForTheApp() async {
      let car = await launch()
      var got: [String] = []
      let center = MPRemoteCommandCenter.shared()
      center.nextTrackCommand.addTarget { _ in
        got.append("next")
        return .success
      }
      center.pauseCommand.addTarget { _ in
        got.append("pause")
        self.play("Blue", elapsed: 12, rate: 0)
        return .success
      }
      center.changePlaybackPositionCommand.addTarget { event in
        got.append("position \((event as? MPChangePlaybackPositionCommandEvent)?.positionTime ?? -1)")
        return .success
      }
      play("Blue", elapsed: 10)
      await car.wait(.seconds(1))
      await car.ask(.next)
      await car.wait(.seconds(1))
      // The phone does not change the song by itself, and the app has not reported another one.
      #expect(got == ["next"] && car.headUnit.song?.queueIndex == 2)
      await car.ask(.pause)
      await car.wait(.seconds(1))
      #expect(got == ["next", "pause"] && car.headUnit.song?.isPlaying == false)
      await car.seek(to: 90.5)
      await car.wait(.seconds(1))
      #expect(got.last == "position 90.5")
    }

    @Test func theHeadUnitShowsTheModesOfTheApp() async {
      let car = await launch()
      let center = MPRemoteCommandCenter.shared()
      center.changeShuffleModeCommand.currentShuffleType = .collections
      play("Blue", elapsed: 10)
      await car.wait(.seconds(1))
      #expect(car.headUnit.song?.shuffleMode == .albums && car.headUnit.song?.repeatMode == .off)
      // A change of a mode does not change the song, and the time of the song continues.
      center.changeRepeatModeCommand.currentRepeatType = .one
      await car.wait(.seconds(10))
      #expect(car.headUnit.song?.repeatMode == .one && abs((car.headUnit.song?.elapsed ?? 0) - 21) <= 1)
      center.changeShuffleModeCommand.addTarget { event in
        let type = (event as? MPChangeShuffleModeCommandEvent)?.shuffleType ?? .off
        center.changeShuffleModeCommand.currentShuffleType = type
        return .success
      }
      await car.ask(.shuffle)
      await car.wait(.seconds(1))
      #expect(car.headUnit.song?.shuffleMode == .off)
      await car.ask(.shuffle)
      await car.wait(.seconds(1))
      #expect(car.headUnit.song?.shuffleMode == .songs)
    }

    // MARK: Night mode and limits

    @Test func nightModeAndLimitsAreThoseOfTheCar() async {
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene() }
      await car.ask(.night)
      #expect(car.settings.appearance == .dark && car.settings.contentStyle == .dark)
      #expect(car.calls.contains { $0.contains("contentStyleDidChange") })
      await car.ask(.day)
      #expect(car.settings.appearance == .light && car.settings.contentStyle == .light)
      await car.ask(.limit)
      #expect(car.log.last { $0.direction == .car }?.name == "drive")
      await car.ask(.unlimited)
      #expect(car.log.last { $0.direction == .car }?.name == "park")
    }

    // MARK: Route guidance

    private final class Metadata: NSObject, CPMapTemplateDelegate {
      var provides = true
      func mapTemplateShouldProvideNavigationMetadata(_ mapTemplate: CPMapTemplate) -> Bool { provides }
    }

    private func maneuver(_ text: String, _ road: String, _ type: CPManeuverType, _ meters: Double) -> CPManeuver {
      let maneuver = CPManeuver()
      maneuver.instructionVariants = [text]
      maneuver.roadFollowingManeuverVariants = [road]
      maneuver.maneuverType = type
      maneuver.initialTravelEstimates = CPTravelEstimates(
        distanceRemaining: Measurement(value: meters, unit: .meters), timeRemaining: meters / 10)
      return maneuver
    }

    /// Launches an app that guides, in a car with a head unit. The map does not retain the delegate.
    private func navigate(_ delegate: Metadata) async -> (Car, CPMapTemplate, CPNavigationSession) {
      let car = Car(.standard)
      let scene = MapScene()
      await car.attachHeadUnit()
      await car.launch(.navigation) { scene }
      scene.map.mapDelegate = delegate
      let place = MKMapItem(placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2)))
      place.name = "Harbour"
      let trip = CPTrip(origin: place, destination: place, routeChoices: [])
      return (car, scene.map, scene.map.startNavigationSession(for: trip))
    }

    @Test func theHeadUnitShowsTheNextTurnWithItsLanes() async {
      let delegate = Metadata()
      let (car, map, session) = await navigate(delegate)
      let first = maneuver("Turn left", "Mill Lane", .leftTurn, 400)
      let second = maneuver("Arrive", "", .arriveAtDestination, 1500)
      let lanes = CPLaneGuidance()
      let degrees = { (value: Double) in Measurement(value: value, unit: UnitAngle.degrees) }
      lanes.lanes = [
        CPLane(angles: [degrees(-90)], highlightedAngle: degrees(-90), isPreferred: true), CPLane(angles: [degrees(0)]),
      ]
      first.linkedLaneGuidance = lanes
      session.add([first, second])
      session.add([lanes])
      session.currentRoadNameVariants = ["Station Road"]
      session.upcomingManeuvers = [first]
      map.updateEstimates(
        CPTravelEstimates(distanceRemaining: Measurement(value: 1.9, unit: .kilometers), timeRemaining: 190),
        for: session.trip)
      await car.wait(.seconds(1))
      var shown = car.headUnit.guidance
      #expect(shown?.destination == "Harbour" && shown?.road == "Station Road" && shown?.state == "RouteSet")
      #expect(shown?.maneuver == "Turn left" && shown?.roadAfter == "Mill Lane" && shown?.kind == "LeftTurn")
      #expect(shown?.distanceToManeuver == 400 && shown?.distance == 1900 && shown?.time == 190)
      #expect(shown?.lanes.map(\.isPreferred) == [true, false] && shown?.lanes.first?.highlight == -90)
      session.updateEstimates(
        CPTravelEstimates(distanceRemaining: Measurement(value: 50, unit: .meters), timeRemaining: 5), for: first)
      await car.wait(.seconds(1))
      #expect(car.headUnit.guidance?.distanceToManeuver == 50)
      session.upcomingManeuvers = [second]
      await car.wait(.seconds(1))
      shown = car.headUnit.guidance
      #expect(shown?.maneuver == "Arrive" && shown?.kind == "ArriveAtDestination" && shown?.lanes.isEmpty == true)
      session.pauseTrip(for: .rerouting, description: nil)
      await car.wait(.seconds(1))
      #expect(car.headUnit.guidance?.state == "Rerouting")
      session.finishTrip()
      await car.wait(.seconds(1))
      #expect(car.headUnit.guidance == nil)
      // An app that provides no metadata keeps its guidance on the CarPlay screen.
      delegate.provides = false
      let other = map.startNavigationSession(for: session.trip)
      other.upcomingManeuvers = [first]
      await car.wait(.seconds(1))
      #expect(car.headUnit.guidance == nil)
    }

    @Test func theNumbersOfManeuversAreThoseOfIAP2() {
      for raw in UInt(0)...53 {
        let app = CPManeuverType(rawValue: raw).map { "\($0)" }?.replacing("_", with: "").lowercased()
        let wire = ManeuverType.names.first { $0.0 == raw }.map { "\($0.1)".lowercased() }
        #expect(app != nil && app == wire, "\(raw)")
      }
    }

    // MARK: Calls

    private final class Caller: NSObject, CXProviderDelegate {
      var actions: [String] = []
      func providerDidReset(_ provider: CXProvider) {}
      func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        actions.append("answer")
        action.fulfill()
      }
      func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        actions.append("end")
        action.fulfill()
      }
      func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        actions.append(action.isOnHold ? "hold" : "resume")
        action.fulfill()
      }
      func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        actions.append(action.isMuted ? "mute" : "unmute")
        action.fulfill()
      }
      func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        actions.append("start \(action.handle.value)")
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, startedConnectingAt: nil)
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
      }
    }

    private func provider(_ delegate: Caller) -> CXProvider {
      let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Talk"))
      provider.setDelegate(delegate, queue: nil)
      return provider
    }

    @Test func aCallOfTheAppRingsOnTheHeadUnitAndIsAcceptedThere() async {
      let car = await launch(.communication)
      let delegate = Caller()
      let provider = provider(delegate)
      let update = CXCallUpdate()
      update.remoteHandle = CXHandle(type: .phoneNumber, value: "+15550100")
      update.localizedCallerName = "Ann"
      let id = UUID()
      provider.reportNewIncomingCall(with: id, update: update) { _ in }
      await car.wait(.seconds(1))
      #expect(car.headUnit.calls.map(\.state) == ["Ringing"])
      #expect(car.headUnit.calls.first?.name == "Ann" && car.headUnit.calls.first?.isIncoming == true)
      #expect(car.headUnit.calls.first?.number == "+15550100")
      #expect(car.screen.line == "alert \"Ann\"" && car.screen.buttons == ["Accept", "Decline"])
      await car.ask(.accept)
      await car.wait(.seconds(1))
      #expect(delegate.actions == ["answer"] && car.headUnit.calls.map(\.state) == ["Active"])
      #expect(car.screen.kind == .list)
      await car.ask(.hold)
      await car.wait(.seconds(1))
      #expect(car.headUnit.calls.map(\.state) == ["Held"])
      await car.ask(.resume)
      await car.ask(.mute)
      await car.wait(.seconds(1))
      #expect(car.headUnit.calls.map(\.state) == ["Active"] && car.headUnit.isMuted)
      await car.ask(.end)
      await car.wait(.seconds(1))
      #expect(delegate.actions == ["answer", "hold", "resume", "mute", "end"] && car.headUnit.calls.isEmpty)
      #expect(!car.headUnit.isMuted)
      // A call is declined on the car's screen.
      provider.reportNewIncomingCall(with: UUID(), update: update) { _ in }
      await car.wait(.seconds(1))
      await car.tap("Decline")
      await car.wait(.seconds(1))
      #expect(delegate.actions.last == "end" && car.headUnit.calls.isEmpty && car.screen.kind == .list)
      // The caller hangs up.
      let second = UUID()
      provider.reportNewIncomingCall(with: second, update: update) { _ in }
      await car.wait(.seconds(1))
      provider.reportCall(with: second, endedAt: nil, reason: .remoteEnded)
      await car.wait(.seconds(1))
      #expect(car.headUnit.calls.isEmpty)
    }

    @Test func siriStartsACallAndTheHeadUnitShowsIt() async {
      final class Handler: NSObject, INIntentHandlerProviding, INStartCallIntentHandling {
        func handler(for intent: INIntent) -> Any? { self }
        func handle(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void) {
          let handle = CXHandle(type: .generic, value: intent.contacts?.first?.displayName ?? "")
          CXCallController().requestTransaction(with: CXStartCallAction(call: UUID(), handle: handle)) { _ in }
          completion(INStartCallIntentResponse(code: .continueInApp, userActivity: nil))
        }
      }
      let car = Car(.standard)
      await car.attachHeadUnit()
      var app = CarApp([.communication], name: "Talk") { PlainScene { _ in } }
      app.entitlements.insert("com.apple.developer.siri")
      app.intents = { Handler() }
      await car.launch(app)
      let delegate = Caller()
      let provider = provider(delegate)
      await car.call("Ben")
      await car.wait(.seconds(1))
      #expect(delegate.actions == ["start Ben"])
      #expect(car.headUnit.calls.first?.number == "Ben" && car.headUnit.calls.first?.isIncoming == false)
      #expect(car.headUnit.calls.map(\.state) == ["Active"])
      #expect(car.diagnostics(.setup).isEmpty && car.diagnostics(.ignored).isEmpty)
      _ = provider
    }

    // MARK: Messages

    private final class Mailbox: NSObject, INIntentHandlerProviding, INSendMessageIntentHandling,
      INSearchForMessagesIntentHandling, INSetMessageAttributeIntentHandling
    {
      var unread = ["1": "On my way", "2": "Milk"]
      var sent: [String] = []
      func handler(for intent: INIntent) -> Any? { self }
      func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
        let name = intent.recipients?.first?.displayName ?? intent.speakableGroupName.map { "group \($0.spokenPhrase)" }
        sent.append("\(name ?? ""): \(intent.content ?? "")")
        completion(INSendMessageIntentResponse(code: .success, userActivity: nil))
      }
      func handle(
        intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void
      ) {
        let answer = INSearchForMessagesIntentResponse(code: .success, userActivity: nil)
        answer.messages = unread.keys.sorted().map {
          INMessage(identifier: $0, content: unread[$0], dateSent: nil, sender: nil, recipients: nil)
        }
        completion(answer)
      }
      func handle(
        intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
      ) {
        for id in intent.identifiers ?? [] { unread[id] = nil }
        completion(INSetMessageAttributeIntentResponse(code: .success, userActivity: nil))
      }
    }

    @Test func siriReadsMessagesOnceAndSendsOne() async {
      let mailbox = Mailbox()
      let car = Car(.standard)
      var app = CarApp([.communication], name: "Talk") { PlainScene { _ in } }
      app.entitlements.insert("com.apple.developer.siri")
      app.intents = { mailbox }
      await car.launch(app)
      await car.readMessages()
      await car.wait(.seconds(1))
      #expect(mailbox.unread.isEmpty)
      #expect(car.log.filter { $0.text.contains("Siri reads a message") }.count == 2)
      await car.readMessages()
      await car.wait(.seconds(1))
      #expect(car.log.contains { $0.text.contains("no new messages") })
      await car.send("Late", to: "Ann")
      await car.wait(.seconds(1))
      await car.send("Here", toGroup: "Hikers")
      await car.wait(.seconds(1))
      #expect(mailbox.sent == ["Ann: Late", "group Hikers: Here"])
      // No text of a message appears on the screen or in the log.
      #expect(!car.log.contains { $0.text.contains("On my way") || $0.detail.contains("On my way") })
    }

    @Test func anAppWithoutAHandlerOrTheEntitlementIsReported() async {
      final class OnlySend: NSObject, INIntentHandlerProviding, INSendMessageIntentHandling {
        func handler(for intent: INIntent) -> Any? { self }
        func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
          completion(INSendMessageIntentResponse(code: .success, userActivity: nil))
        }
      }
      let car = Car(.standard)
      var app = CarApp([.communication], name: "Talk") { PlainScene { _ in } }
      app.intents = { OnlySend() }
      await car.launch(app)
      await car.readMessages()
      #expect(car.diagnostics(.ignored).map(\.what) == ["the app does not handle INSearchForMessagesIntent"])
      #expect(car.diagnostics(.setup).contains { $0.what.contains("com.apple.developer.siri") })
    }

    // MARK: Faults that a review found

    @Test func aCallEndsWithItsApp() async {
      let car = Car(.standard)
      var controller: CPInterfaceController?
      await car.attachHeadUnit()
      await car.launch(.communication) {
        PlainScene {
          controller = $0
          $0.setRootTemplate(CPListTemplate(title: "Home", sections: []), animated: false, completion: nil)
        }
      }
      let delegate = Caller()
      let provider = provider(delegate)
      provider.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { _ in }
      await car.wait(.seconds(1))
      #expect(car.screen.kind == .alert && car.headUnit.calls.count == 1)
      // An alert is presented, not pushed: the framework raises, and the app ends.
      controller?.pushTemplate(CPAlertTemplate(titleVariants: ["A"], actions: []), animated: false, completion: nil)
      await car.settle()
      #expect(car.end != nil)
      #expect(car.screen.kind == .home && car.headUnit.calls.isEmpty)
      provider.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { _ in }
      await car.wait(.seconds(1))
      #expect(car.screen.kind == .home && delegate.actions.isEmpty)
    }

    @Test func anEndlessTextSilencesNothing() async {
      let car = await launch()
      play(String(repeating: "長", count: 70_000))
      await car.wait(.seconds(1))
      #expect(car.headUnit.song?.title == String(repeating: "長", count: 170))
      play("Blue", rate: 0)
      await car.wait(.seconds(1))
      #expect(car.headUnit.song?.title == "Blue" && car.headUnit.song?.isPlaying == false)
    }

    @Test func aRouteThatGoesOnKeepsItsManeuversWhateverItsLanesAndItsLength() async {
      let delegate = Metadata()
      let (car, _, session) = await navigate(delegate)
      let turns = (0..<600).map { maneuver("Turn \($0)", "Road \($0)", .leftTurn, 100) }
      session.add(turns)
      let lanes = CPLaneGuidance()
      lanes.lanes = [CPLane(angles: [])]
      session.currentLaneGuidance = lanes
      for (index, turn) in turns.enumerated() where index % 7 == 0 {
        session.upcomingManeuvers = [turn]
        await car.settle()
        #expect(car.headUnit.guidance?.maneuver == "Turn \(index)")
      }
    }

    @Test func theSameSongHasItsTimeAfterAReconnect() async {
      let car = await launch()
      play("Blue", elapsed: 10)
      await car.unplug()
      await car.wait(.seconds(60))
      await car.replug()
      await car.wait(.seconds(1))
      #expect(abs((car.headUnit.song?.elapsed ?? 0) - 71) <= 1.5)
    }

    @Test func aLostNoticeLeavesNoGhostsOnTheHeadUnit() async {
      let car = await launch(.communication)
      let delegate = Caller()
      let provider = provider(delegate)
      let id = UUID()
      provider.reportNewIncomingCall(with: id, update: CXCallUpdate()) { _ in }
      await car.wait(.seconds(1))
      await car.unplug(noticed: false)
      provider.reportCall(with: id, endedAt: nil, reason: .remoteEnded)
      await car.wait(.seconds(1))
      await car.replug()
      await car.wait(.seconds(2))
      #expect(car.headUnit.isConnected && car.headUnit.calls.isEmpty)
    }

    // MARK: The connection

    @Test func aHeadUnitWithoutAPhoneShowsNothingAndGetsEverythingAgain() async {
      let car = await launch()
      play("Blue", elapsed: 10)
      await car.wait(.seconds(1))
      await car.unplug()
      await car.wait(.seconds(2))
      #expect(!car.headUnit.isConnected && car.headUnit.song == nil)
      play("Green")
      await car.replug()
      await car.wait(.seconds(2))
      #expect(car.headUnit.isConnected && car.headUnit.song?.title == "Green")
    }

    @Test func withoutAnIAP2ConnectionTheHeadUnitShowsNothing() async {
      let car = Car(.standard)
      await car.launch(.audio) { PlainScene { _ in } }
      play("Blue")
      await car.wait(.seconds(1))
      #expect(car.headUnit == HeadUnitDisplay())
    }
  }
}
