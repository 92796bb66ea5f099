// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2

// The rules of the set-up, of /info, of the event channel and of the set-up of streams.
extension CarPlayRule {
  static let setUp: [CarPlayRule] = [
    .verifiesFirst, .sessionFirst, .onceSetUp, .setUpKeys, .sessionKey, .eventPort, .timingPort, .keepAlivePort,
    .knownFeatures, .featureList,
  ]

  static let verifiesFirst = CarPlayRule(
    "CSU-01", .phone, .setUp, .required,
    "The phone verifies the head unit, or authenticates it by auth-setup, before SETUP.",
    evidence: "CarPlaySession.md#states", .medium, repair: "Send pair-verify, and auth-setup, first.")
  static let sessionFirst = CarPlayRule(
    "CSU-02", .phone, .setUp, .required, "The first SETUP has no streams.", evidence: "CarPlaySession.md#order", .high,
    repair: "Set the session up before its streams.")
  static let onceSetUp = CarPlayRule(
    "CSU-03", .phone, .setUp, .recommended, "A session is set up once.",
    evidence: "CarPlaySession.md#set-up-request", .high, repair: "Send later SETUP requests with streams.")
  static let setUpKeys = CarPlayRule(
    "CSU-04", .phone, .setUp, .recommended, "SETUP has a sessionUUID, and a timingPort for the clock of its protocol.",
    evidence: "CarPlaySession.md#set-up-request", .high, repair: "Add the key, or send timingProtocol None.")
  static let sessionKey = CarPlayRule(
    "CSU-05", .phone, .setUp, .required, "Without pair-verify SETUP has the session key in et, ekey and eiv.",
    evidence: "CarPlaySession.md#generation-old-forms: our own rule, after one program", nil,
    repair: "Send et 16, and ekey and eiv of 16 bytes, after auth-setup.")
  package static let eventPort = CarPlayRule(
    "CSU-06", .headUnit, .setUp, .required, "The answer to SETUP has eventPort, the TCP port of the event channel.",
    evidence: "CarPlaySession.md#set-up-request", .high,
    repair: "Listen for the event channel, and answer with its port as a number.")
  static let timingPort = CarPlayRule(
    "CSU-07", .headUnit, .setUp, .required, "The answer to a SETUP with timingPort has the head unit's timingPort.",
    evidence: "CarPlaySession.md#set-up-request", .high, repair: "Bind the clock, and answer with its UDP port.")
  static let keepAlivePort = CarPlayRule(
    "CSU-08", .headUnit, .setUp, .observed, "The answer to keepAliveLowPower has keepAlivePort.",
    evidence: "CarPlaySession.md#set-up-request", .high, repair: "Bind a UDP port for datagrams of keep-alive.")
  static let knownFeatures = CarPlayRule(
    "CSU-09", .headUnit, .setUp, .observed, "The head unit enables no feature that the phone does not name.",
    evidence: "CarPlaySession.md#features-unasked: LIVI does so, and phones work", .medium,
    repair: "Answer with the features that both sides have.")
  static let featureList = CarPlayRule(
    "CSU-10", .headUnit, .setUp, .recommended, "enabledFeatures in the answer to SETUP is a list of names.",
    evidence: "CarPlaySession.md#set-up-request", .medium, repair: "Send a list of texts, also for one feature.")

  static let info: [CarPlayRule] = [
    .infoIdentity, .infoFeatures, .infoDisplays, .infoInputs, .featureKeys, .bufferedKey, .screenBit, .viewAreas,
    .modesForm,
    .formatBits, .frameRate, .ownNames, .infoForm, .advertised, .advertisedFeatures,
  ]

  static let infoIdentity = CarPlayRule(
    "CIN-01", .headUnit, .informed, .required, "/info has deviceID, the head unit's MAC address.",
    evidence: "CarPlaySession.md#info-form", .high,
    repair: "Send deviceID as a text: six bytes in hexadecimal digits, with colons between them.")
  static let infoFeatures = CarPlayRule(
    "CIN-02", .headUnit, .informed, .required, "/info has features, a number of 64 bits.",
    evidence: "CarPlaySession.md#feature-bits: only bit 26 is contradicted", .high, repair: "Add features as a number.")
  static let infoDisplays = CarPlayRule(
    "CIN-03", .headUnit, .informed, .required,
    "/info has a display of type 110 or 111 with a uuid and whole numbers above 0 for widthPixels and heightPixels.",
    evidence: "CarPlaySession.md#info-form", .high, repair: "Send the key in the first entry of displays.")
  static let infoInputs = CarPlayRule(
    "CIN-04", .headUnit, .informed, .required,
    "Each entry of hidDevices has a uuid and a report descriptor that can be read.",
    evidence: "CarPlaySession.md#hid-descriptors", .high,
    repair: "Send the descriptor in hidDescriptor as the USB standard defines it.")
  static let featureKeys = CarPlayRule(
    "CIN-05", .headUnit, .informed, .recommended,
    """
    enabledFeatures of the answer to SETUP and /info agree: hevc is enabled if /info has hevcInfo, viewAreas if a \
    display has viewAreas, altScreen if a display has type 111, and otherwise not.
    """,
    evidence: "CarPlaySession.md#enabled-features: inferred from mainBuffered", .low,
    repair: "Enable the feature and add what it needs to /info, or leave out both.")
  static let bufferedKey = CarPlayRule(
    "CIN-10", .headUnit, .informed, .required,
    "mainBuffered is enabled if mainBufferedInfo is in /info, and only then.",
    evidence: "CarPlaySession.md#enabled-features: a phone drops the session otherwise", .medium,
    repair: "Enable the feature and add the key, or leave out both.")
  static let screenBit = CarPlayRule(
    "CIN-06", .headUnit, .informed, .recommended, "The feature bit 7 states a screen, and bit 9 sound.",
    evidence: "CarPlaySession.md#feature-bits: only bit 26 is contradicted", .high,
    repair: "Set the bits of what /info has.")
  static let viewAreas = CarPlayRule(
    "CIN-07", .headUnit, .informed, .recommended,
    "View areas are inside their display, and the first one is in the list.",
    evidence: "CarPlaySession.md#info-form", .high, repair: "Correct the sizes, or initialViewArea.")
  static let modesForm = CarPlayRule(
    "CIN-08", .headUnit, .informed, .recommended, "modes in /info is a request of the head unit for screen and sound.",
    evidence: "CarPlaySession.md#modes-fields", .medium,
    repair: "Send resources and appStates in the form of changeModes.")
  static let formatBits = CarPlayRule(
    "CIN-09", .headUnit, .informed, .recommended, "Entries of audioFormats name a type of sound and known formats.",
    evidence: "CarPlaySession.md#audio-formats", .high, repair: "Set bits of known formats for types 100 to 103.")
  static let frameRate = CarPlayRule(
    "CIN-11", .headUnit, .informed, .observed, "maxFPS of a display in /info is a number above 0.",
    evidence: "CarPlaySession.md#info-form: LIVI sends 30 or 60; what a phone does with 0 is not known", .low,
    repair: "Send the pictures that the display shows in a second, or leave the key out.")
  static let ownNames = CarPlayRule(
    "CIN-12", .headUnit, .informed, .observed,
    "The displays of /info have different uuids, and so have the entries of hidDevices.",
    evidence: "CarPlaySession.md#stream-set-up: inferred, because streams and commands name a device by its uuid alone",
    .low, repair: "Give each device a uuid of its own.")
  static let infoForm = CarPlayRule(
    "CIN-13", .headUnit, .informed, .recommended,
    """
    Each value of /info has its form: an address, a UUID, a text, a boolean, a number of its size, or a list of them.
    """,
    evidence: "CarPlaySession.md#info-forms", .medium, repair: "Send the value in its form, or leave the key out.")

  static let advertised = CarPlayRule(
    "CDI-01", .headUnit, .informed, .recommended,
    "deviceID and pi in /info are deviceid and pi of the TXT record with which the head unit advertises _airplay._tcp.",
    evidence: "CarPlayStart.md#txt-agree", .medium, repair: "Write /info and the TXT record from the same values.")
  static let advertisedFeatures = CarPlayRule(
    "CDI-02", .headUnit, .informed, .observed,
    """
    features in /info and features in the TXT record with which the head unit advertises _airplay._tcp are the same \
    number.
    """,
    evidence: "CarPlayStart.md#txt-agree: those of LIVI differ, and phones work", .medium,
    repair: "Write /info and the TXT record from the same number.")

  static let events: [CarPlayRule] = [.eventsOpen, .eventsFirst, .streamOpens]

  static let eventsOpen = CarPlayRule(
    "CEV-01", .headUnit, .informed, .required, "The head unit accepts the phone's connection to eventPort.",
    evidence: "CarPlaySession.md#event-channel", .high,
    repair: "Listen on eventPort before the answer to SETUP is sent.")
  package static let eventsFirst = CarPlayRule(
    "CEV-02", .phone, .informed, .recommended, "The phone opens the event connection before any SETUP of streams.",
    evidence: "CarPlaySession.md#order", .high, repair: "Connect to eventPort when the answer to SETUP has arrived.")
  static let streamOpens = CarPlayRule(
    "CEV-03", .headUnit, .live, .required, "The head unit accepts the connection to the dataPort of a stream.",
    evidence: "CarPlaySession.md#stream-set-up", .high,
    repair: "Listen on dataPort before the answer to SETUP is sent.")

  static let streams: [CarPlayRule] = [
    .streamList, .streamType, .streamID, .streamDisplay, .streamFormat, .streamKey, .streamsAnswered, .streamUnasked,
    .dataPort, .controlPort, .idRepeated,
  ]

  static let streamList = CarPlayRule(
    "CST-01", nil, .live, .required, "SETUP of streams and its answer have streams, a list of dictionaries.",
    evidence: "CarPlaySession.md#stream-set-up", .high, repair: "Send streams as a list, also for one stream.")
  static let streamType = CarPlayRule(
    "CST-02", .phone, .live, .required, "Each stream has a known type, once in a request.",
    evidence: "CarPlaySession.md#stream-numbers", .high, repair: "Send one of the known numbers.")
  static let streamID = CarPlayRule(
    "CST-03", .phone, .live, .required,
    "A screen and sound have streamConnectionID, from which their keys follow; data has seed.",
    evidence: "CarPlaySession.md#stream-set-up", .high, repair: "Add a random number of 64 bits.")
  static let streamDisplay = CarPlayRule(
    "CST-04", .phone, .live, .required, "A screen names a display of /info by its uuid.",
    evidence: "CarPlaySession.md#stream-set-up", .high, repair: "Copy the uuid of the display of that type.")
  static let streamFormat = CarPlayRule(
    "CST-05", .phone, .live, .required, "Sound has one format that /info offers for its type.",
    evidence: "CarPlaySession.md#audio-formats", .high, repair: "Choose one bit of audioOutputFormats.")
  static let streamKey = CarPlayRule(
    "CST-06", .phone, .live, .required, "Buffered music has shk, a key of 32 bytes.",
    evidence: "CarPlaySession.md#stream-set-up", .high, repair: "Send a new random key for each stream.")
  static let streamsAnswered = CarPlayRule(
    "CST-07", .headUnit, .live, .observed, "The answer has each stream of the request.",
    evidence: "CarPlaySession.md#stream-refused", .medium,
    repair: "Leave a stream out only if it cannot be set up; the phone then does without it.")
  static let streamUnasked = CarPlayRule(
    "CST-08", .headUnit, .live, .recommended, "The answer has no stream that the request does not have.",
    evidence: "CarPlaySession.md#stream-set-up", .high, repair: "Answer with the types of the request, in its order.")
  static let dataPort = CarPlayRule(
    "CST-09", .headUnit, .live, .required, "Each stream of an answer has dataPort.",
    evidence: "CarPlaySession.md#stream-set-up", .high,
    repair: "Bind the stream's socket, and answer with its port as a number.")
  static let controlPort = CarPlayRule(
    "CST-10", .headUnit, .live, .recommended, "An answer for sound has controlPort, for synchronization.",
    evidence: "CarPlaySession.md#stream-set-up", .high, repair: "Bind a second UDP port, and answer with it.")
  static let idRepeated = CarPlayRule(
    "CST-11", .headUnit, .live, .required, "An answer for sound repeats streamConnectionID.",
    evidence: "CarPlaySession.md#stream-set-up: a phone of today drops the stream without it", .medium,
    repair: "Copy streamConnectionID of the request into the answer.")
}
