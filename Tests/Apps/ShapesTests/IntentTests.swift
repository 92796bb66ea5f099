// swift-iap2 · Apache-2.0

import Foundation
import Intents
import Synchronization
import Testing
import UserNotifications

/// A messaging app with one message.
private final class Messenger: INExtension, INSendMessageIntentHandling, INSearchForMessagesIntentHandling,
  INSetMessageAttributeIntentHandling
{
  private var unread: [INMessage] = []

  func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
    let person = INPerson(
      personHandle: INPersonHandle(value: "a@example.com", type: .emailAddress), nameComponents: nil, displayName: nil,
      image: nil, contactIdentifier: nil, customIdentifier: nil)
    unread.append(
      INMessage(identifier: "1", content: intent.content, dateSent: nil, sender: person, recipients: intent.recipients))
    completion(INSendMessageIntentResponse(code: .success, userActivity: nil))
  }

  func handle(intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void) {
    let response = INSearchForMessagesIntentResponse(code: .success, userActivity: nil)
    response.messages = intent.attributes.contains(.unread) ? unread : []
    completion(response)
  }

  func handle(
    intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
  ) {
    if intent.attribute == .read { unread.removeAll { intent.identifiers?.contains($0.identifier) == true } }
    completion(INSetMessageAttributeIntentResponse(code: .success, userActivity: nil))
  }
}

/// A messaging app with `async` handlers, of the kind of Meshtastic's.
private final class Sender: NSObject, INIntentHandlerProviding, INSendMessageIntentHandling {
  let confirmation: INSendMessageIntentResponseCode
  let sent = Mutex<[String]>([])

  init(_ confirmation: INSendMessageIntentResponseCode) { self.confirmation = confirmation }

  func handler(for intent: INIntent) -> Any? { self }
  func resolveRecipients(for intent: INSendMessageIntent) async -> [INSendMessageRecipientResolutionResult] {
    guard intent.speakableGroupName == nil else { return [.notRequired()] }
    guard let all = intent.recipients, all.count == 1 else { return [.needsValue()] }
    return [.success(with: all[0])]
  }
  func confirm(intent: INSendMessageIntent) async -> INSendMessageIntentResponse {
    INSendMessageIntentResponse(code: confirmation, userActivity: nil)
  }
  func handle(intent: INSendMessageIntent) async -> INSendMessageIntentResponse {
    let name = intent.speakableGroupName?.spokenPhrase ?? intent.recipients?.first?.displayName ?? ""
    sent.withLock { $0.append("\(name): \(intent.content ?? "")") }
    return INSendMessageIntentResponse(code: .success, userActivity: nil)
  }
}

/// An app without any handler.
private final class Silent: NSObject, INIntentHandlerProviding {
  func handler(for intent: INIntent) -> Any? { nil }
}

@Suite struct IntentTests {
  private func unread(_ app: Messenger) -> [String] {
    var found: [String] = []
    let search = INSearchForMessagesIntent(
      recipients: nil, senders: nil, searchTerms: nil, attributes: .unread, identifiers: nil)
    let result = IntentCall.send(search, to: app) { response in
      let messages = (response as? INSearchForMessagesIntentResponse)?.messages ?? []
      found = messages.map { "\($0.sender?.displayName ?? ""): \($0.content ?? "")" }
    }
    #expect(result == .sent)
    return found
  }

  @Test func `a message that is sent and read is found once`() async {
    let app = Messenger()
    let send = INSendMessageIntent(
      recipients: nil, content: "On my way", speakableGroupName: INSpeakableString(spokenPhrase: "Crew"),
      conversationIdentifier: nil, serviceName: nil, sender: nil)
    let code: INSendMessageIntentResponseCode? = await withCheckedContinuation { continuation in
      let result = IntentCall.send(send, to: app) {
        continuation.resume(returning: ($0 as? INSendMessageIntentResponse)?.code)
      }
      #expect(result == .sent)
    }
    #expect(code == .success)
    #expect(unread(app) == ["a@example.com: On my way"])
    #expect(
      IntentCall.send(INSetMessageAttributeIntent(identifiers: ["1"], attribute: .read), to: app) { _ in } == .sent)
    #expect(unread(app).isEmpty)
  }

  @Test func `an intent that the app does not handle is named so`() {
    #expect(IntentCall.send(INStartCallIntent(contacts: nil), to: Messenger()) { _ in } == .notHandled)
    #expect(IntentCall.send(INPlayMediaIntent(mediaItems: nil), to: Silent()) { _ in } == .noHandler)
  }

  private func person(_ name: String) -> INPerson {
    INPerson(
      personHandle: INPersonHandle(value: name, type: .unknown), nameComponents: nil, displayName: name, image: nil,
      contactIdentifier: nil, customIdentifier: nil)
  }

  private func answer(_ app: Sender, people: [String]?, group: String?) async -> String {
    let intent = INSendMessageIntent(
      recipients: people?.map(person), outgoingMessageType: .outgoingMessageText, content: "On my way",
      speakableGroupName: group.map(INSpeakableString.init(spokenPhrase:)), conversationIdentifier: nil,
      serviceName: nil, sender: nil, attachments: nil)
    return await withCheckedContinuation { continuation in
      _ = IntentCall.send(intent, to: app) { answer in
        switch answer {
        case let answer as INSendMessageIntentResponse: continuation.resume(returning: "\(answer.code)")
        case let question as IntentQuestion:
          continuation.resume(returning: "\(question.part) \(question.decision)")
        default: continuation.resume(returning: "another answer")
        }
      }
    }
  }

  @Test func `a message is resolved and confirmed before it is sent`() async {
    let app = Sender(.ready)
    #expect(await answer(app, people: ["Anna"], group: nil) == "success")
    #expect(await answer(app, people: nil, group: "Hikers") == "success")
    #expect(await answer(app, people: ["Anna", "Ben"], group: nil) == "recipients needsValue")
    #expect(app.sent.withLock { $0 } == ["Anna: On my way", "Hikers: On my way"])
  }

  @Test func `a message that is not confirmed is not sent`() async {
    let app = Sender(.failureRequiringAppLaunch)
    #expect(await answer(app, people: ["Anna"], group: nil) == "failureRequiringAppLaunch")
    #expect(app.sent.withLock { $0 }.isEmpty)
  }

  @Test func `a donated message gives its notification the style of a communication`() async throws {
    let intent = INSendMessageIntent(
      recipients: [person("Anna")], content: "Hello", speakableGroupName: nil, conversationIdentifier: "1",
      serviceName: nil, sender: person("Ben"))
    intent.setImage(INImage(named: "ben"), forParameterNamed: "sender")
    let interaction = INInteraction(intent: intent, response: nil)
    interaction.direction = .incoming
    let before = INInteraction.donationCount
    try await interaction.donate()
    #expect(INInteraction.donationCount == before + 1)
    let content = UNMutableNotificationContent()
    content.title = "Ben"
    content.sound = .default
    content.badge = 2
    content.userInfo = ["conversation": "1"]
    let updated = try content.updating(from: intent)
    #expect(updated.title == "Ben" && updated.badge == 2 && updated.sound != nil && updated.isCommunication)
    #expect(updated.userInfo["conversation"] as? String == "1" && !content.isCommunication)
  }
}
