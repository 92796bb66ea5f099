// swift-iap2 · Apache-2.0

extension LabHello.Line {
  // Steps that sessions in memory and live ones have.
  static let playOrPause = Self(
    "Play or pause", "headUnit: {press: playPause}", "A button of the head unit's remote.")
  static let nextSong = Self("Next song", "headUnit: {press: next}", "A button of the head unit's remote.")
  static let call = Self(
    "Call comes in", "phone: {call: {name: Ann Miller, number: \"+15550100\"}}", "An incoming call on the phone.")
  static let night = Self(
    "Night", "headUnit: {session: {nightMode: true}}", "The head unit's night mode, in a CarPlay session.")
  static let day = Self("Day", "headUnit: {session: {nightMode: false}}", "The end of the night mode.")

  /// The steps of the head unit in a CarPlay session.
  static let ofSessions = [
    Self("Turn left", "headUnit: {session: {turn: -1}}", "The knob, counterclockwise.", key: "ArrowUp"),
    Self("Press the knob", "headUnit: {session: {knob: select}}", "The knob is pressed.", key: "Enter"),
    Self("Turn right", "headUnit: {session: {turn: 1}}", "The knob, clockwise.", key: "ArrowDown"),
    Self("Back", "headUnit: {session: {knob: back}}", "The knob's button for the screen before.", key: "Backspace"),
    Self("Home", "headUnit: {session: {knob: home}}", "The knob's button for the home screen.", key: "h"),
    Self("Media key", "headUnit: {session: {key: playPause}}", "Play or pause on the steering wheel.", key: " "),
    Self("Siri", "headUnit: {session: {siri: down}}", "The voice key is pressed.", key: "v"),
    Self("Release Siri", "headUnit: {session: {siri: up}}", "The voice key is released."),
    Self("Limit the interface", "headUnit: {session: {limitedUI: true}}", "As while driving."),
    Self("No limits", "headUnit: {session: {limitedUI: false}}", "As while parked."),
    Self("Second view area", "headUnit: {session: {viewArea: 1}}", "Asks the phone for another part of the screen."),
    Self("First view area", "headUnit: {session: {viewArea: 0}}", "Asks the phone for the first part of the screen."),
    .night, .day,
  ]
}
