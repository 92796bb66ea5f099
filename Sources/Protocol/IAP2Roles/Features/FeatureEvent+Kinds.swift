// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Formats

// The events of features as all outputs have them. One that is a message has its parameters as `values`.
extension FeatureEvent {
  private typealias MessageKind = EventKind<EventGroup>

  private enum Kinds {
    static let artwork = EventKind(
      "artwork", "The artwork of the current media item arrived.", .content, text: "artwork: {byteCount} bytes",
      EventField<Int>("byteCount", "the bytes of the image"))
    static let playbackQueue = EventKind(
      "playbackQueue", "The queue of the player arrived.", .content, text: "playbackQueue: {items:count} items",
      EventField<[String]>("items", "the persistent identifiers"))
    static let hidReport = EventKind(
      "hidReport", "A report of an input device, or one to it.", .content,
      EventField<Int>("component", "the id of the device"), EventField<EventBytes>("report", "the report"),
      EventField<UsageList>("usages", "the pressed usages, each with its page and its number"))
    static let appShown = EventKind(
      "appShown", "CarPlay shows an app.", .content, EventField<String>("app", "the app"),
      EventField<[String]>("protocols", "the car's protocols of its CarPlay entitlement"))
    static let appHidden = EventKind(
      "appHidden", "CarPlay does not show an app.", .content, text: "appHidden: {app}",
      EventField<String>("app", "the app"), EventField<[String]>("protocols", "empty"))
    static let appWanted = EventKind(
      "appWanted", "The phone has no app for a protocol that asks for one.", .content,
      text: "appWanted: for {protocol}{alert:, by alert|, in the settings}",
      EventField<String>("protocol", "the name of the protocol"),
      EventField<Bool>("alert", "whether the phone offers one in an alert"))

    /// The kinds that are one message.
    static let messages: [Kind: MessageKind] = Dictionary(
      uniqueKeysWithValues: Kind.allCases.compactMap { kind in
        guard let summary = kind.summary else { return nil }
        return (
          kind,
          EventKind(
            kind.rawValue, summary, .content, EventField<EventGroup>("values", "the parameters of the message"))
        )
      })
  }

  static let declarations: [EventDeclaration] =
    Kind.allCases.compactMap { Kinds.messages[$0]?.declaration } + [
      Kinds.artwork.declaration, Kinds.playbackQueue.declaration, Kinds.hidReport.declaration,
      Kinds.appShown.declaration, Kinds.appHidden.declaration, Kinds.appWanted.declaration,
    ]

  var record: EventRecord? {
    switch self {
    case .artwork(let bytes): return Kinds.artwork(bytes.count)
    case .playbackQueue(let items): return Kinds.playbackQueue(items.map(String.init))
    case .hidReport(let component, let report, let values):
      let usages = values.keys.sorted()
      let pressed = usages.isEmpty ? ", at rest" : usages.map { ", usage \($0.page):\($0.number)" }.joined()
      return Kinds.hidReport(Int(component), EventBytes(report), UsageList(usages: usages)).saying(
        "hidReport: device \(component), \(Hex.text(report))\(pressed)")
    case .appShown(let app, let protocols):
      return Kinds.appShown(app, protocols).saying("appShown: \(app) for \(protocols.joined(separator: ", "))")
    case .appHidden(let app, let protocols): return Kinds.appHidden(app, protocols)
    case .appWanted(let name, let byAlert): return Kinds.appWanted(name, byAlert)
    default:
      guard let message else { return nil }
      let values = FeatureValues(message)
      return Kinds.messages[kind]?(EventGroup(values.eventValue)).saying(
        "\(kind.rawValue): \(Self.shortened(values.text))")
    }
  }

  /// Returns a text that fits a wide terminal. JSON has the whole values.
  private static func shortened(_ text: String) -> String { text.count <= 120 ? text : text.prefix(119) + "…" }
}

extension FeatureEvent.Kind {
  /// The occurrence as a sentence; nil for an event that is not one message.
  fileprivate var summary: String? {
    switch self {
    case .nowPlaying: "The current media item or the state of the player changed."
    case .communications: "The state of the network and the calls changed."
    case .callState: "The state of one call changed."
    case .callLists: "The recent calls and the favorites arrived."
    case .mediaLibraries: "The media libraries of the phone arrived."
    case .mediaLibrary: "A part of a media library's changes arrived."
    case .routeGuidance: "The state of route guidance changed."
    case .maneuver: "A maneuver of the route arrived."
    case .laneGuidance: "The lanes before a maneuver arrived."
    case .deviceInformation: "The name of the phone."
    case .deviceLanguage: "The language of the phone."
    case .deviceTime: "The time and the time zone of the phone."
    case .deviceUUID: "The UUID of the phone."
    case .deviceTransports: "The identifiers of the phone on its transports."
    case .wirelessCarPlay: "The state of wireless CarPlay."
    case .wiFi: "The answer to a request for the phone's Wi-Fi network."
    case .assistiveTouch: "The state of AssistiveTouch."
    case .bluetoothConnection: "The connected profiles of a Bluetooth component."
    case .usbAudio: "The sample rate of USB device mode audio."
    case .hidComponent: "A message of the phone about an HID component."
    case .location: "Location sentences of the car."
    case .vehicleStatus: "The range, the outside temperature and the range warning of the car."
    case .accessoryWiFi: "The Wi-Fi access point of the car."
    case .appLaunch: "The accessory asks for an app."
    case .hidStarted: "The accessory started an input device."
    case .hidStopped: "The accessory stopped an input device."
    case .artwork, .playbackQueue, .hidReport, .appShown, .appHidden, .appWanted: nil
    }
  }
}

/// Usages as a field: pairs of page and number in JSON, `page:number` in expectations.
private struct UsageList: EventFieldType {
  static var eventForm: String { "list of pairs" }
  let usages: [HIDUsage]

  var eventValue: EventValue? {
    .worded(
      usages.map { "\($0.page):\($0.number)" }.joined(separator: ","),
      .list(usages.map { .list([.integer(Int($0.page)), .integer(Int($0.number))]) }))
  }
}
