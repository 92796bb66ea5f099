// swift-iap2 · Apache-2.0

import AVFoundation
import CarSupport
import Foundation
import Synchronization
import Testing
import UserNotifications

/// The sound of an app, and its notifications, as the host sees them. A process has one of each, which every car resets.
@Suite(.serialized, .onlyCar) struct SoundAndNotificationTests {
  @Test func eachChangeOfTheSoundIsSeenOnce() throws {
    let session = AVAudioSession.sharedInstance()
    session.reset()
    let seen = Mutex<[AVAudioSession.Sound]>([])
    session.setObserver { sound in seen.withLock { $0.append(sound) } }
    try session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
    try session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
    try session.setActive(true)
    try session.setActive(true)
    try session.setCategory(.playback)
    #expect(seen.withLock { $0.map(\.isActive) } == [false, true, true])
    #expect(seen.withLock { $0.last?.options } == [] && session.mode == .default && session.category == .playback)
    session.reset()
    #expect(session.category == .soloAmbient)
  }

  @Test func anAppLearnsOfAnInterruptionByTheNamesOfTheSystem() {
    let began = Mutex(false)
    let observer = NotificationCenter.default.addObserver(
      forName: AVAudioSession.interruptionNotification, object: nil, queue: nil
    ) { notification in
      let type = (notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt)
        .flatMap(AVAudioSession.InterruptionType.init)
      began.withLock { $0 = type == .began }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    NotificationCenter.default.post(
      name: Notification.Name("AVAudioSessionInterruptionNotification"), object: AVAudioSession.sharedInstance(),
      userInfo: ["AVAudioSessionInterruptionTypeKey": UInt(1)])
    #expect(began.withLock { $0 })
  }

  @Test func theSettingsFollowTheUser() {
    let center = UNUserNotificationCenter.current()
    center.reset()
    #expect(center.settings.authorizationStatus == .notDetermined)
    center.requestAuthorization(options: .alert) { _, _ in }
    #expect(center.settings.authorizationStatus == .authorized && center.settings.carPlaySetting == .notSupported)
    center.requestAuthorization(options: [.alert, .carPlay]) { _, _ in }
    #expect(center.settings.carPlaySetting == .enabled)
    center.setAllowedInCar(false)
    #expect(center.settings.carPlaySetting == .disabled)
    center.reset()
  }

  @Test func aNotificationHasItsCategoryAndComesOnlyWithoutATrigger() {
    let center = UNUserNotificationCenter.current()
    center.reset()
    let seen = Mutex<[UNUserNotificationCenter.Posted]>([])
    center.setObserver { posted in seen.withLock { $0.append(posted) } }
    center.setNotificationCategories([
      UNNotificationCategory(identifier: "a", actions: [], intentIdentifiers: ["I"], options: .allowInCarPlay)
    ])
    let content = UNMutableNotificationContent()
    content.title = "Ann"
    for (name, trigger) in [("a", nil), ("b", nil), ("a", UNNotificationTrigger())] {
      content.categoryIdentifier = name
      center.add(UNNotificationRequest(identifier: "1", content: content, trigger: trigger))
    }
    #expect(
      seen.withLock { $0.map(\.allowsCar) } == [true, nil] && seen.withLock { $0.map(\.intents) } == [["I"], []])
    center.reset()
  }
}
