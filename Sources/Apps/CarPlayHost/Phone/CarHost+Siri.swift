// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import Intents

/// Siri. The app gets the user's words as intents, and no text of a message is on the car's screen.
extension CarHost {
  /// Reads the unread messages and marks them as read, as a real phone does (CarPlay/Behavior.md#messages).
  ///
  /// - Returns: The reason if the app cannot be asked.
  package func readMessages() -> String? {
    let asked = app
    let search = INSearchForMessagesIntent(
      recipients: nil, senders: nil, searchTerms: nil, attributes: .unread, identifiers: nil)
    return ask(search) { [weak self] answer in
      guard let self, self.app === asked, let answer = answer as? INSearchForMessagesIntentResponse else { return }
      guard answer.code == .success else { return self.siriSays("cannot read messages", "\(answer.code)") }
      let messages = answer.messages ?? []
      guard !messages.isEmpty else { return self.siriSays("says that there are no new messages") }
      for message in messages.prefix(Self.maximumRead) {
        self.siriSays("reads a message", message.sender?.displayName ?? "")
      }
      let mark = INSetMessageAttributeIntent(
        identifiers: messages.prefix(Self.maximumRead).map(\.identifier), attribute: .read)
      _ = self.ask(mark) { [weak self] answer in
        guard let answer = answer as? INSetMessageAttributeIntentResponse, answer.code != .success else { return }
        self?.siriSays("could not mark the messages as read", "\(answer.code)")
      }
    }
  }

  /// Reads the messages after a tap, and notes a failure in the log because a tap has no result.
  func readMessagesByTouch() {
    if let problem = readMessages() { note(.note, "Siri cannot read the messages", problem) }
  }

  /// Sends a text to a person, or to a group. The intent for a group has no recipients.
  package func sendMessage(_ text: String, to name: String, isGroup: Bool = false) -> String? {
    let intent = INSendMessageIntent(
      recipients: isGroup ? nil : [person(name)], content: text,
      speakableGroupName: isGroup ? INSpeakableString(spokenPhrase: name) : nil, conversationIdentifier: nil,
      serviceName: nil, sender: nil)
    return ask(intent) { [weak self] answer in
      if let question = answer as? IntentQuestion {
        self?.siriSays("asks for \(question.part)", "\(question.decision)")
        return
      }
      guard let answer = answer as? INSendMessageIntentResponse else { return }
      self?.siriSays(answer.code == .success ? "says that the message is sent" : "cannot send", "\(answer.code)")
    }
  }

  /// Starts a call to a person. An app for a version before iOS 13 gets the older intent.
  package func startCall(to name: String) -> String? {
    let intent: INIntent =
      settings.iOSVersion >= IOSVersion(13, 0)
      ? INStartCallIntent(contacts: [person(name)]) : INStartAudioCallIntent(contacts: [person(name)])
    return ask(intent) { [weak self] answer in
      switch answer {
      case let answer as INStartCallIntentResponse: self?.siriSays("call", "\(answer.code)")
      case let answer as INStartAudioCallIntentResponse: self?.siriSays("call", "\(answer.code)")
      default: break
      }
    }
  }

  /// The maximum number of messages that Siri reads in one request.
  private static let maximumRead = 20

  private func person(_ name: String) -> INPerson {
    INPerson(
      personHandle: INPersonHandle(value: name, type: .unknown), nameComponents: nil, displayName: name, image: nil,
      contactIdentifier: nil, customIdentifier: nil)
  }

  fileprivate func siriSays(_ text: String, _ detail: String = "") { note(.car, "Siri \(text)", detail) }

  /// The entitlement for Siri.
  private static let entitlement = "com.apple.developer.siri"

  private func ask(_ intent: INIntent, _ completion: @escaping (INIntentResponse) -> Void) -> String? {
    guard let installed, app != nil else { return "the app does not run" }
    let name = "\(Swift.type(of: intent))"
    if !installed.entitlements.contains(Self.entitlement) {
      report(
        CarDiagnostic(
          .setup, what: "the app has no entitlement \(Self.entitlement)", carShows: "\"the app does not support that\"",
          remedy: "add the entitlement, and the capability Siri"))
    }
    guard let provider = installed.intents?() else {
      return "the app gives no object for intents: set CarApp.intents"
    }
    note(.toApp, name, object: "intent handler")
    // The app may answer on any thread, and only its first answer counts.
    let once = Once(completion)
    let result = measure(name) {
      IntentCall.send(intent, to: provider) { answer in
        nonisolated(unsafe) let answer = answer
        Self.onMain { unsafe once.take()?(answer) }
      }
    }
    guard result != .sent else { return nil }
    report(
      CarDiagnostic(
        .ignored, what: "the app does not handle \(name)", carShows: "\"the app does not support that\"",
        remedy: "adopt \(name)Handling; an app of messages needs send, search and set attribute"))
    return nil
  }
}

extension CarHost {
  /// Whether the app has no screen in the car, so that its icon opens Siri. This also applies to apps for messages and
  /// calls from before iOS 14 (CarPlay/Frameworks.md#siri-messages).
  var opensSiri: Bool {
    guard let installed, installed.carScene == nil, rights.isEmpty else { return false }
    return !installed.entitlements.isDisjoint(with: AppCategory.communication.oldEntitlements)
  }

  func openSiri() {
    if let installed, app == nil { start(installed, phoneScene: false) }
    showsSiri = true
    note(.car, "Siri asks what to do")
  }

  /// The choices that Siri offers for the app. Ours: no source shows Siri's screen in a car.
  func siriSheet() -> Element {
    let entitlements = installed?.entitlements ?? []
    let isOfCalls = entitlements.contains { $0.hasSuffix("carplay-calling") }
    let isOfMessages = entitlements.contains { $0.hasSuffix("carplay-messaging") }
    let isOfBoth = entitlements.contains(AppCategory.communication.entitlement)
    func action(_ title: String, _ body: @escaping @MainActor (CarHost) -> Void) -> Element {
      Element(ScreenNode(.action, title)) { [weak self] in
        guard let self else { return }
        self.showsSiri = false
        body(self)
      }
    }
    var actions: [Element] = []
    if isOfMessages || isOfBoth {
      actions.append(action("Read messages") { $0.readMessagesByTouch() })
      actions.append(action("New message") { $0.siriSays("asks for the recipient and the text") })
    }
    if isOfCalls || isOfBoth { actions.append(action("Call") { $0.siriSays("asks whom to call") }) }
    return Element(
      ScreenNode(.sheet, installed?.name ?? "", detail: "Siri"), children: actions + [action("Cancel") { _ in }])
  }
}

/// A closure that is called at most once.
@MainActor
private final class Once {
  private var closure: ((INIntentResponse) -> Void)?

  init(_ closure: @escaping (INIntentResponse) -> Void) { self.closure = closure }

  func take() -> ((INIntentResponse) -> Void)? {
    defer { closure = nil }
    return closure
  }
}
