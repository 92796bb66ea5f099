// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import CarPlayPrograms

/// The sounds of a phone, as its apps report them.
package struct PhoneSounds: Sendable, Hashable {
  /// The sound of an app.
  package struct Item: Sendable, Hashable {
    /// The name of a sound: its app and its start.
    package struct ID: Sendable, Hashable {
      package var app: Int
      package var number: Int
    }

    /// The index of the app.
    package var app: Int
    /// The sound.
    package var sound: PhoneActivity.Sound

    package var id: ID { ID(app: app, number: sound.number) }

    package init(app: Int, sound: PhoneActivity.Sound) { (self.app, self.sound) = (app, sound) }
  }

  /// The sounds of all apps.
  package var items: [Item]
  /// The state of the apps' calls; nil without a call.
  package var call: PhoneActivity.Call?
  /// Whether Siri is open.
  package var showsSiri: Bool
  /// The recording of an app; nil without one.
  package var recording: PhoneActivity.Recording?

  package init(
    items: [Item] = [], call: PhoneActivity.Call? = nil, showsSiri: Bool = false,
    recording: PhoneActivity.Recording? = nil
  ) {
    (self.items, self.call, self.showsSiri, self.recording) = (items, call, showsSiri, recording)
  }

  /// The sounds on main audio. A call and Siri are tones of the phone itself, and nothing else is heard.
  package var main: [Item] { isPhones ? [] : items.filter { !$0.sound.isPrompt } }

  /// Whether main audio is a tone of the phone itself.
  package var isPhones: Bool { call != nil || showsSiri }

  /// The prompts, which are heard beside main audio.
  package var prompts: [Item] { items.filter(\.sound.isPrompt) }

  /// The kind of main audio: the driver's own words come first. Nil for silence.
  package var kind: MainAudioKind? {
    if call == .talking { return .telephony }
    if showsSiri { return .speechRecognition }
    if call == .ringing { return .alert }
    if let recording { return recording.isCall ? .telephony : .speechRecognition }
    return main.isEmpty ? nil : .media
  }
}
