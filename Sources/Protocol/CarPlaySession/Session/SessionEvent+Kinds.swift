// swift-iap2 · Apache-2.0

public import Basics

// The kinds and the records of a session's events, for all outputs. No other file declares them.
extension SessionEvent {
  private enum Kinds {
    static let paired = EventKind(
      "carPlayPaired", "The other side is paired, and its key is stored.", text: "{identifier}",
      EventField<String>("identifier", "its identifier"))
    static let state = EventKind(
      "carPlaySession", "The session is one step further.", text: "{state}",
      EventField<String>("state", SessionState.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")))
    static let stream = EventKind(
      "carPlayStream", "A stream began or ended.",
      text: "{type}, {state}[, {format}][, {pictures} pictures][, {late} late]",
      EventField<String>("type", StreamType.allCases.map { "`\($0.name)`" }.joined(separator: ", ")),
      EventField<Int>("number", "the number of the type on the wire"),
      EventField<String>("state", StreamState.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")),
      EventField<String?>("format", "codec, rate, bits and channels of sound"),
      EventField<Int?>("pictures", "the pictures of a screen that ended at the head unit"),
      EventField<Int?>("late", "those of them that came over 33 ms after their time"))
    static let modes = EventKind(
      "carPlayModes", "The sides that have the screen, the speakers and the app states: `phone`, `headUnit` or `none`.",
      text: """
        screen {screen}, main audio {mainAudio}, speech {speech}, call {phoneCall}, guidance {turnByTurn}[, ({reason})]
        """,
      EventField<String>("screen", "who has the main screen"), EventField<String>("mainAudio", "who has the speakers"),
      EventField<String>("speech", "whose speech is recognized"), EventField<String>("phoneCall", "whose call it is"),
      EventField<String>("turnByTurn", "who guides"), EventField<String?>("reason", "the reason that the phone states"))
    static let modesAnswered = EventKind(
      "carPlayModesAnswered", "The answer to a request of the head unit.", text: "{isGranted:granted|refused}",
      EventField<Bool>("isGranted", "whether it was granted"))
    static let command = EventKind(
      "carPlayCommand", "A command.", text: "{name}, {direction}", EventField<String>("name", "its name"),
      EventField<String>("direction", "`sent` or `received`"),
      EventField<String?>("value", "the one value of a command that has one"))
    static let input = EventKind(
      "carPlayInput", "A change on an input device of the head unit.", .content,
      text: """
        {kind}[, {button}][, {isDown:down|up}][, x {x}][, y {y}][, {steps} steps][, usage {usage}]
        """,
      EventField<String>("device", "the name of the device"),
      EventField<String>("kind", "`touch`, `knobButton`, `knobNudge`, `knobWheel`, `key`"),
      EventField<String?>("button", "the button of a knob"), EventField<Bool?>("isDown", "whether it is pressed"),
      EventField<Int?>("x", "pixels from the left, or the deflection"),
      EventField<Int?>("y", "pixels from the top, or the deflection"),
      EventField<Int?>("steps", "the steps of a turn, negative to the left"),
      EventField<Int?>("page", "the usage page of a key"), EventField<Int?>("usage", "the usage of a key"))
    static let picture = EventKind(
      "carPlayPicture", "A message of the screen.", .content, for: .scenarios,
      EventField<String>("type", "the type of the stream"), EventField<Bool>("isKeyFrame", "whether it is a key frame"))
    static let sound = EventKind(
      "carPlaySound", "A payload of sound.", .content, for: .scenarios,
      EventField<String>("type", "the type of the stream"), EventField<Int>("count", "its bytes"))
    static let soundLost = EventKind(
      "carPlaySoundLost", "Packets of sound never came.", .warning, text: "{type}, {count} packets",
      EventField<String>("type", "the type of the stream"),
      EventField<Int>("number", "the number of the type on the wire"), EventField<Int>("count", "the packets"))
    static let iAP = EventKind(
      "carPlayIAP", "Bytes of iAP2 inside the session.", .content, text: "{direction}, {bytes:count} bytes",
      EventField<String>("direction", "`sent` or `received`"),
      EventField<EventBytes>("bytes", "hexadecimal digits"))
    static let refused = EventKind(
      "carPlayRefused", "A request was refused; the connection may go on.", .warning,
      text: "{cause}[, status {status}][: {reason}]", EventField<String>("cause", "the kind of reason"),
      EventField<Int?>("status", "the status of the answer"), reason, key)
    static let tolerated = EventKind(
      "carPlayTolerated", "Something of the other side is wrong, and the session goes on.", .warning,
      text: "{reason}", EventField<String>("reason", "the message, the key, its value, and what this side expects"), key
    )
    private static let reason = EventField<String?>(
      "reason", "what is wrong: the message, the key, its value, and what this side expects")
    private static let key = EventField<String?>("key", "the key that is wrong, such as `streams[0].type`")
    static let ended = EventKind(
      "carPlayEnded", "The session ended. It comes once.", .end, text: "{cause}[: {reason}]",
      EventField<String>(
        "cause", "the kind of reason; the cause for which the iAP2 link ended, if it ended with the link"),
      reason, key)
  }

  /// The declarations of all events that have a record.
  public static let declarations: [EventDeclaration] =
    DiscoveryEvent.declarations + InnerLinkEvent.declarations + ownDeclarations

  private static let ownDeclarations: [EventDeclaration] = [
    Kinds.paired.declaration, Kinds.state.declaration, Kinds.stream.declaration, Kinds.modes.declaration,
    Kinds.modesAnswered.declaration, Kinds.command.declaration, Kinds.input.declaration, Kinds.picture.declaration,
    Kinds.sound.declaration, Kinds.soundLost.declaration, Kinds.iAP.declaration, Kinds.refused.declaration,
    Kinds.tolerated.declaration, Kinds.ended.declaration,
  ]

  /// Returns the record of the event for a side; nil for `/info`.
  ///
  /// - Parameters:
  ///   - side: The side whose event it is.
  ///   - linkCause: The cause for which the iAP2 link ended; nil while it is up.
  public func record(of side: SessionSide, linkCause: String? = nil) -> EventRecord? {
    func direction(_ sender: SessionSide) -> String { sender == side ? "sent" : "received" }
    return switch self {
    case .discovery(let event): event.record
    case .paired(let peer): Kinds.paired(peer.identifier)
    case .state(let state): Kinds.state(state.rawValue)
    case .info: nil
    case .stream(let type, let state, let format):
      Kinds.stream(type.name, type.rawValue, state.rawValue, format.map { "\($0)" }, nil, nil)
    case .modes(let modes):
      Kinds.modes(
        modes.screen.user.eventName, modes.mainAudio.user.eventName, modes.speech.eventName, modes.phoneCall.eventName,
        modes.turnByTurn.eventName, modes.reason.isEmpty ? nil : modes.reason)
    case .modesAnswered(let isGranted): Kinds.modesAnswered(isGranted)
    case .command(let command, _, let sender):
      Kinds.command(command.name, direction(sender), command.eventValue)
    case .input(let device, let input): input.record { Kinds.input(device, $0, $1, $2, $3, $4, $5, $6, $7) }
    case .picture(let type, let message): Kinds.picture(type.name, message.isKeyFrame)
    case .sound(let type, _, let payload): Kinds.sound(type.name, payload.count)
    case .soundLost(let type, let count): Kinds.soundLost(type.name, type.rawValue, count)
    case .iAP(let bytes, let sender): Kinds.iAP(direction(sender), EventBytes(bytes))
    case .innerLink(let event): event.record
    case .refused(let end, let status, let problem):
      Kinds.refused(end.rawValue, status, problem.map { "\($0)" }, problem?.key)
    case .tolerated(let problem): Kinds.tolerated("\(problem)", problem.key)
    case .ended(let end, let problem):
      Kinds.ended(
        end == .linkLost ? linkCause ?? end.rawValue : end.rawValue, problem.map { "\($0)" }, problem?.key)
    }
  }
}

extension SessionSide {
  /// The name in events, which is the name of the role.
  public var eventName: String { self == .phone ? "phone" : "headUnit" }
}

extension SessionSide? {
  /// The name in events; `none` without a side.
  public var eventName: String { self?.eventName ?? "none" }
}

extension SessionCommand {
  /// The value of the command that its event reports; nil for other commands.
  fileprivate var eventValue: String? {
    switch self {
    case .setNightMode(let isOn), .setLimitedUI(let isOn): "\(isOn)"
    case .requestUI(let url), .showUI(_, let url): url
    case .requestSiri(let action): "\(action)"
    case .duckAudio(let decibels, _): "\(decibels)"
    case .requestViewArea(_, let index, _): "\(index)"
    case .disableBluetooth(let deviceID): deviceID
    default: nil
    }
  }
}

extension InputEvent {
  /// Returns the record that a closure makes from the values of the event: kind, button, isDown, x, y, steps, page,
  /// usage.
  fileprivate func record(
    _ make: (String, String?, Bool?, Int?, Int?, Int?, Int?, Int?) -> EventRecord
  ) -> EventRecord {
    switch self {
    case .touch(_, let isTouching, let x, let y): make("touch", nil, isTouching, x, y, nil, nil, nil)
    case .knobButton(let button, let isDown): make("knobButton", button.rawValue, isDown, nil, nil, nil, nil, nil)
    case .knobNudge(let x, let y): make("knobNudge", nil, nil, x, y, nil, nil, nil)
    case .knobWheel(let steps): make("knobWheel", nil, nil, nil, nil, steps, nil, nil)
    case .key(let page, let usage, let isDown): make("key", nil, isDown, nil, nil, nil, Int(page), Int(usage))
    }
  }
}
