// swift-iap2 · Apache-2.0

import IAP2

// The rules of values: those of the limits in the message catalog, and those that compare values of one message.
extension SessionRule {
  /// Returns the rule of a limit.
  static func of(_ limit: ValueLimit) -> SessionRule {
    switch limit {
    case .percent: percent
    case .networkName: network
    case .channel: channel
    case .hardwareAddress: hardwareAddress
    case .challenge: challengeSize
    case .signature: responseSize
    case .port: port
    case .internetAddress: internetAddress
    case .language: language
    case .deviceFile: artworkFile
    case .reportDescriptor: reportDescriptor
    }
  }

  private static let percent = SessionRule(
    "percent-range", .features, "A part of a whole is 0 to 100 percent.",
    "Features.md#power-update: the unit (high); inferred from it", .low,
    repair: "Send the value in percent, from 0 to 100.", effect: .fails, isLocal: true)

  static let network = SessionRule(
    "network-values", .carPlay, "The accessory names a network that a phone can join.",
    "Features.md#wifi-limits, and Features.md#wifi-security for the security", .high,
    repair: "Send the SSID, passphrase and security of the access point.", effect: .fails, isLocal: true)

  private static let channel = SessionRule(
    "network-channel", .carPlay, "A channel is one of 2.4 or 5 GHz, or 0 for none in particular.",
    "Features.md#wifi-limits: the numbers (high); that a phone looks at the channel is not shown", .low,
    repair: "Send the channel of the access point, or 0.", effect: .fails, isLocal: true)

  private static let hardwareAddress = SessionRule(
    "hardware-address", .carPlay, "The address of an access point has six bytes.",
    "inferred from Identification.md#bluetooth-address", .low,
    repair: "Write the address as six bytes, not as text.", effect: .tolerated, isLocal: true)

  static let challengeSize = SessionRule(
    "challenge-size", .authentication, "A challenge has 20 bytes for RSA or 32 bytes for P-256.",
    "Authentication.md#challenge-size", .high,
    repair: "Send a challenge of 20 bytes for RSA or 32 bytes for P-256.", isLocal: true)

  static let responseSize = SessionRule(
    "response-size", .authentication, "A signature has 128 bytes (RSA) or 64 bytes (P-256).",
    "Authentication.md#response-size", .high,
    repair: "Send the signature as the coprocessor gives it: r and s for P-256, without DER.", isLocal: true)

  private static let port = SessionRule(
    "carplay-port", .carPlay, "The port of a CarPlay start is a TCP port.", "CarPlayStart.md#start-session", .high,
    repair: "Send the port at which the head unit listens, such as 7000.", effect: .fails, isLocal: true)

  private static let internetAddress = SessionRule(
    "carplay-address-form", .carPlay, "The addresses of a CarPlay start are addresses of IPv4 or IPv6 as text.",
    "CarPlayStart.md#start-session, and CarPlayStart.md#wired-addresses (medium)", .medium,
    repair: "Write each address as text in a parameter of its own, such as fe80::1 or 192.168.1.1.", effect: .fails,
    isLocal: true)

  private static let language = SessionRule(
    "language-tag", .features, "A language is a tag such as en or zh-Hans.",
    "Identification.md#language-form: inferred from every known identification", .low,
    repair: "Write the language as a tag with hyphens, such as en, en-GB or zh-Hans.", effect: .tolerated, isLocal: true
  )

  private static let artworkFile = SessionRule(
    "file-id-named", .features, "A message of the device names a file of the device: its id is 128 to 255.",
    "FileTransfer.md#ids", .high,
    repair: "Name the id of the file's Setup, with all of its eight bits.", effect: .fails, isLocal: true)

  private static let reportDescriptor = SessionRule(
    "hid-descriptor", .features, "StartHID has a HID report descriptor that can be read.",
    "Features.md#hid-start; the form is that of the HID class of USB", .high,
    repair: "Send the component's report descriptor as the HID class defines it, all of its bytes.", effect: .fails,
    isLocal: true)

  static let joined = SessionRule(
    "joined-values", .features, "Each value of a repeated parameter is a parameter of its own.",
    "Sessions.md#joined-lists: WIO and LIVI join them", .high,
    repair: "Write the parameter once for each value, each with its own length and id.", effect: .tolerated,
    isLocal: true)

  static let charge = SessionRule(
    "charge-without-current", .features, "An accessory that wants the battery charged offers a current.",
    "Features.md#power-contradiction: inferred from the two parameters", .low,
    repair: "Offer the current that the accessory provides, or leave parameter 1 false.", effect: .fails,
    isLocal: true)

  /// The rules of values, in the order of a session.
  static let values: [SessionRule] =
    [challengeSize, responseSize, joined, language, percent, charge, artworkFile, reportDescriptor]
    + [network, channel, hardwareAddress, port, internetAddress]
}
