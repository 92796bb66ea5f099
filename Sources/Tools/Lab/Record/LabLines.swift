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
}
