// swift-iap2 · Apache-2.0

import Foundation
import Intents
import Testing

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

  @Test func `a message that is sent and read is found once`() {
    let app = Messenger()
    let send = INSendMessageIntent(
      recipients: nil, content: "On my way", speakableGroupName: INSpeakableString(spokenPhrase: "Crew"),
      conversationIdentifier: nil, serviceName: nil, sender: nil)
    var code: INSendMessageIntentResponseCode?
    #expect(IntentCall.send(send, to: app) { code = ($0 as? INSendMessageIntentResponse)?.code } == .sent)
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
}
