// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2

// The rules of pictures, sound, clock, feedback, commands and input.
extension CarPlayRule {
  static let content: [CarPlayRule] = [
    .screenForm, .configurationFirst, .configurationForm, .keyFrameFirst, .frameForm, .screenSize, .keyFrameAsked,
    .screenRead,
    .soundSealed, .bufferedForm, .dataForm, .clockForm, .clockAnswer, .feedbackLists,
  ]

  static let screenForm = CarPlayRule(
    "CSC-01", .phone, .live, .required, "Pictures are sealed with the key of their stream, and the nonce counts them.",
    evidence: "CarPlaySession.md#screen-frame", .medium,
    repair: "Authenticate the whole header with the length that includes the tag.")
  static let configurationFirst = CarPlayRule(
    "CSC-02", .phone, .live, .required, "A screen begins with a configuration, type 1.",
    evidence: "CarPlaySession.md#screen-frame", .high, repair: "Send the avcC record before the first picture.")
  static let configurationForm = CarPlayRule(
    "CSC-03", .phone, .live, .required, "The body of a configuration of H.264 is an avcC record with parameter sets.",
    evidence: "CarPlaySession.md#video-configuration", .medium, repair: "Send the record, and no start codes.")
  static let keyFrameFirst = CarPlayRule(
    "CSC-04", .phone, .live, .required, "The first picture after a configuration is a key frame.",
    evidence: "CarPlaySession.md#screen-frame", .high,
    repair: "Begin with an IDR picture, and set 0x10 in byte 5 of its header.")
  static let frameForm = CarPlayRule(
    "CSC-05", .phone, .live, .required, "A picture is a list of NAL units, each after its length.",
    evidence: "CarPlaySession.md#video-frame", .medium,
    repair: "Write lengths of the size that the record states in place of start codes.")
  static let screenSize = CarPlayRule(
    "CSC-06", .phone, .live, .observed, "The size in a configuration's header is that of its parameter set.",
    evidence: "CarPlaySession.md#video-size: seen with one iPad", .high,
    repair: "Write the size of the source into the header.")
  static let keyFrameAsked = CarPlayRule(
    "CSC-07", .phone, .live, .recommended, "A key frame follows forceKeyFrame.",
    evidence: "CarPlaySession.md#command-names: the limit of 120 pictures is ours", .medium,
    repair: "Encode the next picture as an IDR picture.")
  /// The rule of a provoking check, because an ordinary session has too few pictures to fill the buffers of TCP.
  package static let screenRead = CarPlayRule(
    "CSC-54", .headUnit, .live, .required, "The head unit reads the pictures of a screen as fast as they come.",
    evidence: "CarPlaySession.md#screen-unread: the limit of 3 s is ours", .medium,
    repair: "Read the connection of the screen all the time, also while nothing can be decoded or shown.")
  static let soundSealed = CarPlayRule(
    "CSO-01", nil, .live, .recommended, "Packets of sound are sealed with the key of their stream.",
    evidence: "CarPlaySession.md#audio-packet", .high,
    repair: "Authenticate bytes 4 to 11 of the header, and send the nonce after the tag.")
  static let bufferedForm = CarPlayRule(
    "CSO-02", .phone, .live, .required, "Buffered music is a length and a packet that is sealed with shk.",
    evidence: "CarPlaySession.md#buffered-audio", .medium, repair: "Count the length itself in the length.")
  static let dataForm = CarPlayRule(
    "CDA-01", nil, .live, .required, "A data stream has frames with packages, whose size includes their header.",
    evidence: "CarPlaySession.md#data-package", .high, repair: "Write a header of 32 bytes, and its size.")
  static let clockForm = CarPlayRule(
    "CCL-01", nil, .live, .recommended, "A datagram of the clock has 32 bytes and is a request or an answer.",
    evidence: "CarPlaySession.md#clock", .high, repair: "Send 80 D2 00 07 for a request, 80 D3 00 07 for an answer.")
  static let clockAnswer = CarPlayRule(
    "CCL-02", nil, .live, .required, "An answer of the clock repeats the time of the request.",
    evidence: "CarPlaySession.md#clock", .high, repair: "Copy bytes 24 to 31 of the request to bytes 8 to 15.")
  static let feedbackLists = CarPlayRule(
    "CFB-01", .headUnit, .live, .recommended, "The answer to /feedback names each stream of sound that runs.",
    evidence: "CarPlaySession.md#feedback", .high,
    repair: "List the stream with its type and rate from its set-up on.")

  static let commands: [CarPlayRule] = [
    .commandType, .commandForm, .commandEarly, .commandAnswered, .inputKnown, .inputFits,
  ]

  static let commandType = CarPlayRule(
    "CCM-01", nil, .live, .required, "A command has type, its name.", evidence: "CarPlaySession.md#command-form",
    .medium,
    repair: "Add the key type with the name as a text.")
  static let commandForm = CarPlayRule(
    "CCM-02", nil, .live, .required, "A command has its parameters in params; hidSendReport has them beside type.",
    evidence: "CarPlaySession.md#command-parameters", .medium, repair: "Add the missing parameter.")
  package static let commandEarly = CarPlayRule(
    "CCM-03", .headUnit, .live, .recommended, "The head unit sends no command before RECORD.",
    evidence: "CarPlaySession.md#event-channel", .medium, repair: "Keep commands until RECORD comes.")
  static let commandAnswered = CarPlayRule(
    "CCM-04", .phone, .live, .recommended, "The phone answers a command with status 200.",
    evidence: "CarPlaySession.md#command-form: a rule of our own", nil,
    repair: "Answer 200, also to a command that has no effect.")
  static let inputKnown = CarPlayRule(
    "CHI-01", .headUnit, .live, .required, "hidSendReport names a device of /info by its uuid.",
    evidence: "CarPlaySession.md#hid-send-report", .medium, repair: "Copy the uuid of the entry of hidDevices.")
  static let inputFits = CarPlayRule(
    "CHI-02", .headUnit, .live, .required, "A report has the size that its descriptor states.",
    evidence: "CarPlaySession.md#hid-descriptors", .high, repair: "Send the report that the descriptor describes.")
}
