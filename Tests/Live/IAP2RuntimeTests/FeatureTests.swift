// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import IAP2Roles
import IAP2Testing
import Testing

@testable import IAP2Runtime

@Suite struct FeatureTests {
  typealias Story = FeatureBench.Story

  static func item(_ number: UInt64, seconds: Int = 180) -> MediaItem {
    var item = MediaItem(identifier: number, title: "Song \(number)", duration: .seconds(seconds))
    item.artist = "Artist \(number)"
    item.album = "Album"
    item.artwork = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* Int(number)) }
    return item
  }

  @Test func everyFeatureTogetherIsAcceptedAndBreaksNoRule() throws {
    let story = try FeatureBench.play { _ in }
    #expect(story.car.contains { $0.identification != nil } && story.phone.contains { $0.identification != nil })
    #expect(Story.violations(story.car).isEmpty && Story.violations(story.phone).isEmpty)
  }

  // MARK: Power

  @Test func theBatteryChargesFromTheCarAndReportsOnlyChanges() throws {
    let story = try FeatureBench.play(.power) { _, phone in
      phone.battery = Battery(percent: 99)
      phone.battery.isMoving = true
    } _: { bench in
      await bench.wait(3600)
      await bench.car.update { $0.powerSource?.availableCurrentForDevice = 0 }
    }
    let updates = story.car.compactMap { if case .powerChanged(let update) = $0 { update } else { nil } }
    // The first messages have one attribute each, in the order of the captures: 4, 5, 0, 1, 6.
    #expect(updates.prefix(5).map { $0.isExternalChargerConnected } == [true, nil, nil, nil, nil])
    #expect(updates.prefix(5).map { $0.batteryChargeLevel } == [nil, nil, nil, nil, 99])
    let full = updates.first { $0.batteryChargeLevel == 100 }
    #expect(full?.batteryChargingState == .charged && full?.deviceBatteryWillChargeIfPowerIsPresent == false)
    #expect(full?.maximumCurrentDrawnFromAccessory == nil)
    let last = try #require(updates.last)
    #expect(last.batteryChargingState == .disabled && last.isExternalChargerConnected == false)
  }

  @Test func aWallChargerIsDetectedWhileTheCarOffersNoCurrent() throws {
    let story = try FeatureBench.play(.power) { car, _ in
      car.state.powerSource?.availableCurrentForDevice = 0
    } _: { bench in
      await bench.phone.update { $0.battery.wallCurrent = 2000 }
    }
    let updates = story.car.compactMap { if case .powerChanged(let update) = $0 { update } else { nil } }
    #expect(updates.last?.isExternalChargerConnected == true && updates.last?.batteryChargingState == .charging)
    #expect(updates.last?.maximumCurrentDrawnFromAccessory == nil)
  }

  // MARK: Music

  @Test func musicPlaysWithArtworkAndQueueAndObeysTheCar() throws {
    let items = [1, 2, 3].map { Self.item($0) }
    let story = try FeatureBench.play([.nowPlaying, .hid]) { _, phone in
      phone.player.queue = items
    } _: { bench in
      try await bench.car.press(.play)
      await bench.wait(5)
      try await bench.car.press(.next)
      await bench.wait(1)
      var seek = SetNowPlayingInformation()
      seek.elapsedTime = 60_000
      seek.shuffleMode = 1
      try await bench.car.send(seek)
      await bench.wait(1)
      try await bench.car.press(.pause)
      await bench.wait(1)
      let state = await bench.phone.state.player
      #expect(state.index == 1 && state.status == .paused && state.shuffleMode == .songs)
      #expect(state.elapsedMilliseconds >= 61_000 && state.elapsedMilliseconds <= 62_000)
    }
    let events = Story.features(story.car)
    let updates = events.compactMap { if case .nowPlaying(let update) = $0 { update } else { nil } }
    #expect(updates.first?.mediaItemAttributes?.mediaItemTitle == "Song 1")
    // The event has all attributes, although only the changed ones were sent.
    #expect(updates.last?.mediaItemAttributes?.mediaItemTitle == "Song 2")
    #expect(updates.last?.playbackAttributes?.playbackStatus == .paused)
    #expect(updates.last?.playbackAttributes?.playbackQueueCount == 3)
    let artwork = events.compactMap { if case .artwork(let bytes) = $0 { bytes } else { nil } }
    #expect(artwork == [items[0].artwork, items[1].artwork])
    let queues = events.compactMap { if case .playbackQueue(let items) = $0 { items } else { nil } }
    #expect(queues == [[1, 2, 3]])
    // The elapsed time alone is sent about twice a second.
    let elapsed = story.car.compactMap { event -> [UInt8]? in
      if case .message(.received, 0x5001, let bytes) = event, bytes.count == 18 { bytes } else { nil }
    }
    #expect(elapsed.count >= 12 && elapsed.count <= 18)
    let reports = Story.features(story.phone).filter { if case .hidReport = $0 { true } else { false } }
    #expect(reports.count == 6)
  }

  @Test func aSecondStartReplacesTheFirstAndStopEnds() throws {
    let story = try FeatureBench.play(.nowPlaying) { _, phone in
      phone.player.queue = [Self.item(1)]
    } _: { bench in
      var start = StartNowPlayingUpdates()
      start.playbackAttributes = .init()
      start.playbackAttributes?.playbackStatus = true
      try await bench.car.send(start)
      await bench.wait(1)
      await bench.phone.update { $0.player.play() }
      await bench.wait(3)
      try await bench.car.send(StopNowPlayingUpdates())
      await bench.wait(1)
      await bench.phone.update { $0.player.pause() }
    }
    let raw = story.car.compactMap { event -> [UInt8]? in
      if case .message(.received, 0x5001, let bytes) = event { bytes } else { nil }
    }
    // All attributes once, then the status alone for stopped and playing, and nothing after the Stop.
    #expect(raw.count == 3)
    let later = try raw.dropFirst().map { try NowPlayingUpdate(decoding: unsafe $0.span.bytes) }
    #expect(later.map(\.playbackAttributes?.playbackStatus) == [.stopped, .playing])
    #expect(later.allSatisfy { $0.mediaItemAttributes == nil })
  }

  @Test func aLibraryIsSentWholeAndThenByRevision() throws {
    let story = try FeatureBench.play(.mediaLibrary) { _, phone in
      phone.libraries = [
        MediaLibrary(
          name: "On this phone", identifier: "L1", items: (1...45).map { Self.item(UInt64($0)) },
          playlists: [.init(identifier: 9, name: "Drive", items: [1, 2])])
      ]
    } _: { bench in
      await bench.phone.update { phone in
        phone.libraries[0].put(Self.item(46))
        phone.libraries[0].removeItem(3)
      }
    }
    let updates = Story.features(story.car).compactMap {
      if case .mediaLibrary(let update) = $0 { update } else { nil }
    }
    // Playlists, then 20 items in each message. The last message has the revision and the progress.
    #expect(updates.prefix(4).map(\.mediaItem.count) == [0, 20, 20, 5])
    #expect(updates[0].mediaLibraryReset.isSet && updates[0].mediaPlaylist.map(\.mediaPlaylistName) == ["Drive"])
    #expect(updates.prefix(4).map(\.mediaLibraryUpdateProgress) == [25, 50, 75, 100])
    #expect(updates[3].mediaLibraryRevision == "1")
    // One item was added and one was removed, and nothing else is sent.
    let change = updates.dropFirst(4)
    #expect(change.flatMap(\.mediaItem).map(\.mediaItemTitle) == ["Song 46"])
    #expect(change.flatMap(\.mediaItemDeletePersistentIdentifier) == [3])
    #expect(change.last?.mediaLibraryRevision == "3" && change.allSatisfy { !$0.mediaLibraryReset.isSet })
  }

  // MARK: Telephone

  @Test func callsAreAcceptedHeldSwappedMergedAndEnded() throws {
    let anna = Contact(remote: "+1555001", name: "Anna", label: "mobile")
    let ben = Contact(remote: "+1555002", name: "Ben", service: .faceTimeAudio)
    let story = try FeatureBench.play([.calls, .callLists]) { _, phone in
      phone.telephone.favorites = [anna]
    } _: { bench in
      await bench.phone.update { $0.telephone.receiveCall(from: anna) }
      await bench.wait(1)
      try await bench.car.send(AcceptCall())
      await bench.wait(1)
      await bench.phone.update { $0.telephone.receiveCall(from: ben) }
      await bench.wait(1)
      try await bench.car.send(AcceptCall())
      await bench.wait(1)
      #expect(await bench.phone.state.telephone.calls.map(\.status) == [.held, .active])
      try await bench.car.send(SwapCalls())
      await bench.wait(1)
      #expect(await bench.phone.state.telephone.calls.map(\.status) == [.active, .held])
      try await bench.car.send(MergeCalls())
      await bench.wait(1)
      #expect(await bench.phone.state.telephone.calls.map(\.conference) == [1, 1])
      var tone = SendDTMF()
      tone.tone = .pound
      try await bench.car.send(tone)
      var mute = MuteStatusUpdate()
      mute.muteStatus = true
      try await bench.car.send(mute)
      await bench.wait(1)
      #expect(await bench.phone.state.telephone.tones == [.pound])
      #expect(await bench.phone.state.telephone.isMuted)
      var end = EndCall()
      end.endAction = .endAll
      try await bench.car.send(end)
      await bench.wait(1)
      #expect(await bench.phone.state.telephone.calls.isEmpty)
    }
    let events = Story.features(story.car)
    let calls = events.compactMap { if case .callState(let call) = $0 { call } else { nil } }
    let first = calls.filter { $0.displayName == "Anna" }.compactMap(\.status)
    #expect(first == [.ringing, .active, .held, .active, .active, .disconnected])
    #expect(calls.filter { $0.displayName == "Ben" }.allSatisfy { $0.service == .faceTimeAudio })
    let network = events.compactMap { if case .communications(let update) = $0 { update } else { nil } }
    #expect(network.contains { $0.currentCallCount == 2 && $0.swapAvailable == true && $0.mergeAvailable == true })
    #expect(network.last?.currentCallCount == 0 && network.last?.muteStatus == true)
    let lists = events.compactMap { if case .callLists(let update) = $0 { update } else { nil } }
    #expect(lists.first?.favoritesList.map(\.displayName) == ["Anna"])
    #expect(Set(lists.last?.recentsList.compactMap(\.displayName) ?? []) == ["Anna", "Ben"])
    #expect(lists.last?.recentsList.allSatisfy { $0.type == .incoming } == true)
  }

  @Test func aCallIsMadeAnsweredAndDeclinedAndRedialled() throws {
    let story = try FeatureBench.play(.calls) { bench in
      var call = InitiateCall()
      call.destinationID = "+1555003"
      call.service = .faceTimeVideo
      try await bench.car.send(call)
      await bench.wait(1)
      await bench.phone.update { $0.telephone.ringAtPeer() }
      await bench.phone.update { $0.telephone.answerByPeer() }
      await bench.wait(1)
      var hold = HoldStatusUpdate()
      hold.holdStatus = true
      try await bench.car.send(hold)
      await bench.wait(1)
      #expect(await bench.phone.state.telephone.held?.remote == "+1555003")
      try await bench.car.send(EndCall())
      await bench.wait(1)
      var redial = InitiateCall()
      redial.type = .redial
      try await bench.car.send(redial)
      await bench.wait(1)
      await bench.phone.update { $0.telephone.endByPeer(reason: .failed) }
    }
    let calls = Story.features(story.car).compactMap { if case .callState(let call) = $0 { call } else { nil } }
    #expect(
      calls.compactMap(\.status) == [
        .sending, .connecting, .active, .held, .disconnected, .sending, .disconnected,
      ])
    #expect(Set(calls.compactMap(\.callUUID)).count == 2)
    #expect(calls.last?.disconnectReason == .failed && calls.allSatisfy { $0.service == .faceTimeVideo })
  }

  // MARK: Driving

  static let route: Route = {
    var turn = Route.Maneuver(type: .leftTurn, description: "Turn left", road: "Second Street", distance: 200)
    turn.junction = .singleIntersection
    turn.angles = [-90, 0, 90]
    turn.lanes = [
      Route.Lane(status: .preferred, angles: [-90], highlight: -90), Route.Lane(status: .notGood, angles: [0, 90]),
    ]
    let arrive = Route.Maneuver(type: .arriveAtDestination, description: "Arrive", road: "", distance: 100)
    return Route(destination: "Office", start: "First Street", maneuvers: [turn, arrive])
  }()

  @Test func aRouteEndsAndIsCleared() throws {
    let story = try FeatureBench.play(.routeGuidance) { bench in
      await bench.phone.update { $0.navigate(Self.route) }
      await bench.wait(1)
      #expect(await bench.car.currentManeuvers.map(\.maneuverDescription) == ["Turn left", "Arrive"])
      await bench.wait(15)
      #expect(await bench.car.currentManeuvers.map(\.maneuverDescription) == ["Arrive"])
      await bench.wait(10)
      await bench.phone.update { $0.endNavigation() }
      await bench.wait(1)
      #expect(await bench.car.currentManeuvers.isEmpty)
      await bench.phone.update { $0.navigate(Self.route) }
    }
    let events = Story.features(story.car)
    let states = events.compactMap { if case .routeGuidance(let update) = $0 { update } else { nil } }
    #expect(states.first?.destinationName == "Office" && states.first?.distanceRemaining == 300)
    #expect(states.contains { $0.currentRoadName == "Second Street" })
    #expect(states.contains { $0.routeGuidanceState == .arrived && $0.distanceRemaining == 0 })
    #expect(states.contains { $0.routeGuidanceState == .noRouteSet })
    let distances = states.prefix { $0.routeGuidanceState == .routeSet }.compactMap(\.distanceRemaining)
    #expect(distances == distances.sorted(by: >))
    // Indexes only grow, and each maneuver is sent once.
    let maneuvers = events.compactMap { if case .maneuver(let update) = $0 { update.index } else { nil } }
    #expect(maneuvers == [0, 1, 2, 3])
    let lanes = events.compactMap { if case .laneGuidance(let update) = $0 { update } else { nil } }
    #expect(lanes.map(\.index) == [0, 2] && lanes[0].laneInformation.map(\.laneStatus) == [.preferred, .notGood])
  }

  @Test func theCarReportsItsLocationOnlyAsRequested() throws {
    let fixes = (0..<10).map { step -> LocationFix in
      var fix = LocationFix(
        time: Double(step), unixTime: 1_767_225_600 + Double(step), latitude: 37.331_68, longitude: -122.030_15)
      fix.speed = 10
      fix.course = 45
      return fix
    }
    let story = try FeatureBench.play([.location, .vehicleStatus]) { car, _ in
      car.state.track = LocationTrack(fixes: fixes)
      car.identification.locationInformationComponent?.gpsSatellitesInView = false
      car.state.vehicleStatus.range = 320
      car.state.vehicleStatus.outsideTemperature = -3
    } _: { bench in
      await bench.wait(12)
      await bench.car.report(["$PASCD,0*00\r\n"])
      await bench.car.update { $0.vehicleStatus.rangeWarning = true }
      // The phone did not ask for satellites.
      await bench.car.report(["$GPGSV,1,1,00*79\r\n"])
    }
    let events = Story.features(story.phone)
    let sentences = events.compactMap { if case .location(let message) = $0 { message.nmeaSentence } else { nil } }
    #expect(sentences.count == 11 && sentences[10] == ["$PASCD,0*00\r\n"])
    let made = sentences.prefix(10)
    // The track makes GPGGA, GPRMC and GPHDT. The phone did not ask for satellites, and a track makes no P-sentences.
    #expect(made.allSatisfy { $0.map { LocationSentence(of: $0) } == [.fix, .transit, .heading] })
    #expect(sentences[0][0] == "$GPGGA,000000.00,3719.9008,N,12201.8090,W,1,08,1.0,0.0,M,0.0,M,,*4B\r\n")
    #expect(sentences[3][1].hasPrefix("$GPRMC,000003.00,A,3719.9008,N,12201.8090,W,19.4,45.0,010126,,,A*"))
    #expect(made.joined().allSatisfy { NMEA.isValid($0) })
    let status = events.compactMap { if case .vehicleStatus(let update) = $0 { update } else { nil } }
    #expect(status.map(\.range) == [320, 320] && status.map(\.outsideTemperature) == [-3, -3])
    #expect(status.map(\.rangeWarning) == [nil, true])
  }

  // MARK: Networks, devices, apps

  @Test func wiFiIsSharedBothWaysAndCarPlayStartsWithoutACable() throws {
    let story = try FeatureBench.play([.deviceNotifications, .wirelessCarPlay, .carPlay, .wiFiSharing]) { _, phone in
      phone.offersCarPlay = false
      phone.offersWirelessCarPlay = true
      phone.network = .init(name: "Home", passphrase: "secret", securityType: .wpaOrWPA2)
    } _: { bench in
      try await bench.car.send(RequestWiFiInformation())
      await bench.wait(1)
      await bench.phone.update { $0.sharesNetwork = false }
      try await bench.car.send(RequestWiFiInformation())
    }
    // 4E0D, 5702, 5703, 4300, 4301 (CarPlayStart.md#wireless-order).
    let flow: Set<UInt16> = [0x4E0D, 0x5702, 0x4300]
    #expect(Story.received(story.car).filter(flow.contains) == [0x4E0D, 0x5702, 0x4300])
    #expect(Story.received(story.phone).filter { $0 == 0x5703 || $0 == 0x4301 } == [0x5703, 0x4301])
    let starts = story.phone.compactMap { if case .carPlayStarted(let start) = $0 { start } else { nil } }
    #expect(starts.map { $0.wirelessAttributes?.wiFiSSID } == ["swift-iap2 Car"])
    let networks = Story.features(story.car).compactMap { if case .wiFi(let update) = $0 { update } else { nil } }
    #expect(networks.map(\.requestStatus) == [.success, .userDeclined])
    #expect(networks[0].network == .init(name: "Home", passphrase: "secret", securityType: .wpaOrWPA2))
  }

  @Test func anOfferOfCarPlayCanBeWithdrawnAndMadeAgain() throws {
    let story = try FeatureBench.play([.deviceNotifications, .wirelessCarPlay, .carPlay, .power]) { bench in
      await bench.phone.update { $0.offersCarPlay = false }
      await bench.wait(1)
      await bench.phone.update { $0.offersCarPlay = true }
      await bench.wait(1)
      await bench.phone.update { $0.offersWirelessCarPlay = true }
    }
    let offers = story.car.compactMap { if case .carPlayAvailable(let offer) = $0 { offer } else { nil } }
    #expect(offers.map { $0.wiredAttributes?.wiredCarPlayAvailable } == [true, false, true, nil])
    #expect(offers.map { $0.wirelessAttributes?.wirelessCarPlayAvailable } == [nil, nil, nil, true])
    // Each of the two offers gets its own answer.
    let starts = story.phone.compactMap { if case .carPlayStarted(let start) = $0 { start } else { nil } }
    #expect(starts.map { $0.wiredAttributes != nil } == [true, true, false])
    #expect(starts.map { $0.wirelessAttributes != nil } == [false, false, true])
  }

  @Test func keysArePressedAndReleasedAndLightsAreReported() throws {
    let a = HIDUsage(page: 7, 4)
    let shift = HIDUsage(page: 7, 0xE1)
    let story = try FeatureBench.play([.hid, .assistiveTouch]) { bench in
      try await bench.car.press([a, shift], on: 11)
      await bench.wait(1)
      await bench.phone.output([HIDUsage(page: 8, 2): 1], to: 11)
    }
    let reports = Story.features(story.phone).compactMap { event -> [HIDUsage]? in
      if case .hidReport(11, _, let values) = event { values.keys.sorted() } else { nil }
    }
    #expect(reports == [[a, shift], []])
    let lights = Story.features(story.car).compactMap { event -> [UInt8]? in
      if case .hidReport(11, let report, _) = event { report } else { nil }
    }
    #expect(lights == [[2]])
    let touch = Story.features(story.car).compactMap {
      if case .assistiveTouch(let update) = $0 { update.isEnabled } else { nil }
    }
    #expect(touch == [false, true])
  }

  @Test func aChangedNameAndLanguageAreReportedAndAppsAreLaunched() throws {
    let story = try FeatureBench.play([.deviceNotifications, .appLaunch, .bluetooth, .usbAudio]) { _, phone in
      phone.apps = [PhoneApp(name: "Player", bundleIdentifier: "com.example.player", protocols: [])]
    } _: { bench in
      await bench.phone.update { phone in
        phone.name = "Another"
        phone.language = "de"
        phone.isBluetoothConnected = true
        phone.audioSampleRate = .rate48000
      }
      var launch = RequestAppLaunch()
      launch.appBundleID = "com.example.player"
      try await bench.car.send(launch)
      await bench.wait(1)
      #expect(await bench.phone.state.apps[0].isRunning)
    }
    let events = Story.features(story.car)
    let names = events.compactMap { if case .deviceInformation(let update) = $0 { update.deviceName } else { nil } }
    #expect(names == ["swift-iap2 Phone", "Another"])
    let languages = events.compactMap { if case .deviceLanguage(let update) = $0 { update.language } else { nil } }
    #expect(languages == ["en", "de"])
    let rates = events.compactMap { if case .usbAudio(let update) = $0 { update.sampleRate } else { nil } }
    #expect(rates == [.rate44100, .rate48000])
    #expect(events.filter { if case .bluetoothConnection = $0 { true } else { false } }.count == 2)
    // Unchanged attributes are not sent again.
    #expect(events.filter { if case .deviceUUID = $0 { true } else { false } }.count == 1)
  }

  @Test func theCarsProtocolsSelectTheAutomakersApps() throws {
    let apps = [
      PhoneApp(
        name: "Track Laps", bundleIdentifier: "com.example.laps", protocols: ["com.automaker.performance"],
        carPlayProtocols: ["com.automaker.performance"]),
      PhoneApp(
        name: "Comfort Cruise", bundleIdentifier: "com.example.cruise",
        protocols: ["com.automaker.climate", "com.automaker.radio"],
        carPlayProtocols: ["com.automaker.climate", "com.automaker.radio"]),
      PhoneApp(
        name: "Charge Up", bundleIdentifier: "com.example.charge", protocols: ["com.automaker.electric"],
        carPlayProtocols: ["com.automaker.electric"]),
    ]
    let story = try FeatureBench.play(
      protocols: ["com.automaker.performance", "com.automaker.climate"]
    ) { _, phone in
      phone.apps = apps
    } _: { _ in
    }
    #expect(
      Story.features(story.phone).filter { $0.kind.rawValue.hasPrefix("app") } == [
        .appHidden(app: "Charge Up", protocols: []),
        .appShown(app: "Comfort Cruise", protocols: ["com.automaker.climate"]),
        .appShown(app: "Track Laps", protocols: ["com.automaker.performance"]),
      ])
  }

  @Test func anAppOpensItsSessionsOnceEachTimeItRuns() throws {
    let apps = [
      PhoneApp(
        name: "Two", bundleIdentifier: "com.example.two",
        protocols: ["com.example.a", "com.example.b", "com.example.c"])
    ]
    let story = try FeatureBench.play(.appLaunch, protocols: ["com.example.a", "com.example.b"]) { _, phone in
      phone.apps = apps
    } _: { bench in
      // Nothing is opened before the app runs, or by an unrelated change.
      await bench.phone.update { $0.name = "Other" }
      await bench.phone.update { $0.apps[0].isRunning = true }
      await bench.wait(1)
      await bench.phone.update { $0.name = "Another" }
      await bench.wait(1)
      await bench.phone.update { $0.apps[0].isRunning = false }
      await bench.phone.update { $0.apps[0].isRunning = true }
      await bench.wait(1)
    }
    let opened = story.phone.compactMap { event -> String? in
      if case .externalAccessoryOpened(let name, _) = event { name } else { nil }
    }
    #expect(opened == ["com.example.a", "com.example.b", "com.example.a", "com.example.b"])
  }

  // MARK: Rules

  @Test func thePhoneNeverSendsUnlistedMessages() throws {
    let story = try FeatureBench.play([]) { _, phone in
      phone.player.queue = [Self.item(1)]
      phone.player.play()
      phone.offersWirelessCarPlay = true
    } _: { bench in
      await bench.phone.update { $0.navigate(Self.route) }
      await bench.phone.update { $0.telephone.receiveCall(from: Contact(remote: "1", name: "A")) }
    }
    let listed = Set(Story.received(story.car).filter { $0 >> 8 != 0xAA && $0 >> 8 != 0x1D })
    #expect(listed.isEmpty, "\(listed)")
  }

  @Test func theCarCannotSendUnlistedMessages() throws {
    _ = try FeatureBench.play(.power) { bench in
      await #expect(throws: RoleError.notListed(0x5002)) { try await bench.car.send(StopNowPlayingUpdates()) }
      await #expect(throws: PressProblem.notListed) { try await bench.car.press(.play) }
    }
  }
}
