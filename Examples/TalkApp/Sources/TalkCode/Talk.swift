// swift-iap2 · Apache-2.0

import CallKit
import UserNotifications

/// A person of the invented address book.
struct Person: Hashable, Sendable {
  var name: String
  var number: String

  static let ann = Person(name: "Ann Miller", number: "+15550100")
  static let ben = Person(name: "Ben Fisher", number: "+15550101")
  static let all = [ann, ben]
}

/// A message, as the app's server has it.
struct Message: Hashable, Sendable {
  var id: String
  var person: Person
  var text: String
  var isRead = false
}

/// The messages and the calls of the user, for phone and car.
@MainActor
final class Talk: NSObject {
  /// The one of the process.
  static let shared = Talk()

  private(set) var messages: [Message]
  /// The texts that were sent, with the name of the recipient.
  private(set) var sent: [(text: String, to: String)] = []
  let calls = Calls()

  init(messages: [Message] = [Message(id: "1", person: .ann, text: "I am at the harbour")]) {
    self.messages = messages
    super.init()
  }

  func send(_ text: String, to name: String) { sent.append((text, name)) }

  func markAsRead(_ ids: [String]) {
    for index in messages.indices where ids.contains(messages[index].id) { messages[index].isRead = true }
  }
}

/// The calls of the app. The phone and the head unit show them, because CallKit knows them.
@MainActor
final class Calls: NSObject {
  private let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "Talk"))
  private let controller = CXCallController()
  /// The call, with its other side.
  private(set) var current: (id: UUID, person: Person)?
  private(set) var isConnected = false
  private(set) var isOnHold = false
  private(set) var isMuted = false
  private let voice = CallVoice()

  override init() {
    super.init()
    provider.setDelegate(self, queue: nil)
  }

  /// Calls somebody. The phone asks the app to begin the call, so that its own screen and the car know it.
  func call(_ person: Person) {
    let handle = CXHandle(type: .phoneNumber, value: person.number)
    controller.requestTransaction(with: CXStartCallAction(call: UUID(), handle: handle)) { _ in }
  }

  /// Takes a call that the server announces.
  func ring(_ person: Person) {
    let id = UUID()
    provider.reportNewIncomingCall(with: id, update: update(person)) { [weak self] error in
      MainActor.assumeIsolated {
        // The user may not want to be disturbed; then the phone does not ring.
        if error == nil { self?.current = (id, person) }
      }
    }
  }

  /// The other side ends the call.
  func hangUpByPeer() {
    guard let current else { return }
    provider.reportCall(with: current.id, endedAt: nil, reason: isConnected ? .remoteEnded : .unanswered)
    if !isConnected { announceMissedCall(of: current.person) }
    end()
  }

  /// Tells the user of a missed call, in the car too: by the name, and without a text.
  private func announceMissedCall(of person: Person) {
    let content = UNMutableNotificationContent()
    content.title = "Missed call: \(person.name)"
    content.categoryIdentifier = Self.missedCall
    UNUserNotificationCenter.current().add(
      UNNotificationRequest(identifier: UUID().uuidString, content: content, trigger: nil))
  }

  private static let missedCall = "missed call"

  /// Asks the user for notifications, also in the car.
  func askForNotifications() {
    let center = UNUserNotificationCenter.current()
    center.requestAuthorization(options: [.alert, .carPlay]) { _, _ in }
    center.setNotificationCategories([
      UNNotificationCategory(
        identifier: Self.missedCall, actions: [], intentIdentifiers: ["INStartCallIntent"], options: .allowInCarPlay)
    ])
  }

  private func update(_ person: Person) -> CXCallUpdate {
    let update = CXCallUpdate()
    update.remoteHandle = CXHandle(type: .phoneNumber, value: person.number)
    update.localizedCallerName = person.name
    return update
  }

  fileprivate func start(_ id: UUID, _ number: String) {
    let person = Person.all.first { $0.number == number } ?? Person(name: number, number: number)
    current = (id, person)
    provider.reportCall(with: id, updated: update(person))
    provider.reportOutgoingCall(with: id, startedConnectingAt: nil)
    provider.reportOutgoingCall(with: id, connectedAt: nil)
    connect()
  }

  fileprivate func connect() {
    isConnected = true
    voice.begin()
  }

  fileprivate func hold(_ isOnHold: Bool) { self.isOnHold = isOnHold }

  fileprivate func mute(_ isMuted: Bool) {
    self.isMuted = isMuted
    if isMuted { voice.end() } else { voice.begin() }
  }

  fileprivate func end() {
    voice.end()
    (current, isConnected, isOnHold, isMuted) = (nil, false, false, false)
  }
}

extension Calls: CXProviderDelegate {
  nonisolated func providerDidReset(_ provider: CXProvider) { MainActor.assumeIsolated { end() } }

  nonisolated func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
    MainActor.assumeIsolated { start(action.callUUID, action.handle.value) }
    action.fulfill()
  }

  nonisolated func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
    MainActor.assumeIsolated { connect() }
    action.fulfill()
  }

  nonisolated func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
    MainActor.assumeIsolated { end() }
    action.fulfill()
  }

  nonisolated func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
    MainActor.assumeIsolated { hold(action.isOnHold) }
    action.fulfill()
  }

  nonisolated func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
    MainActor.assumeIsolated { mute(action.isMuted) }
    action.fulfill()
  }
}
