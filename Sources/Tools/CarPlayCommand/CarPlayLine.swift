// swift-iap2 · Apache-2.0

package import CarPlaySession
import CommandSupport
import IAP2
import IAP2Capture

/// An event of a CarPlay session as one JSON object. Keys without a value are left out.
struct CarPlayLine: Encodable {
  var event: String
  var role: String
  /// Seconds on the clock of the machine.
  var time: Double
  var address: String?
  var identifier: String?
  var state: String?
  /// The number of the stream's type.
  var type: Int?
  var format: String?
  var screen: String?
  var mainAudio: String?
  var speech: String?
  var phoneCall: String?
  var turnByTurn: String?
  var reason: String?
  var isGranted: Bool?
  var name: String?
  var direction: String?
  var device: String?
  var kind: String?
  var isDown: Bool?
  var x: Int?
  var y: Int?
  var steps: Int?
  var button: String?
  var page: Int?
  var usage: Int?
  var count: Int?
  var pictures: Int?
  var late: Int?
  var bytes: String?
  var status: Int?
  var cause: String?

  init(_ event: String, _ side: SessionSide, _ time: MonotonicTime) {
    self.event = event
    role = side.roleName
    self.time = time.seconds
  }

  /// The line of an event; nil for the content of streams, which goes into files, and for `/info`.
  init?(_ event: SessionEvent, of side: SessionSide, at time: MonotonicTime) {
    func line(_ name: String) -> Self { Self(name, side, time) }
    switch event {
    case .paired(let peer):
      self = line("carPlayPaired")
      identifier = peer.identifier
    case .state(let state):
      self = line("carPlaySession")
      self.state = state.rawValue
    case .stream(let type, let state, let format):
      self = line("carPlayStream")
      (self.type, self.state, self.format) = (type.rawValue, state.rawValue, format.map { "\($0)" })
    case .modes(let modes):
      self = line("carPlayModes")
      (screen, mainAudio) = (modes.screen.user.roleName, modes.mainAudio.user.roleName)
      speech = modes.speech.roleName
      (phoneCall, turnByTurn) = (modes.phoneCall.roleName, modes.turnByTurn.roleName)
      if !modes.reason.isEmpty { reason = modes.reason }
    case .modesAnswered(let isGranted):
      self = line("carPlayModesAnswered")
      self.isGranted = isGranted
    case .command(let command, _, let sender):
      self = line("carPlayCommand")
      (name, direction) = (command.name, sender == side ? "sent" : "received")
    case .input(let device, let input):
      self = line("carPlayInput")
      self.device = device
      take(input)
    case .soundLost(let type, let count):
      self = line("carPlaySoundLost")
      (self.type, self.count) = (type.rawValue, count)
    case .iAP(let data, let sender):
      self = line("carPlayIAP")
      direction = sender == side ? "sent" : "received"
      bytes = Hex.text(data)
    case .refused(let end, let status):
      self = line("carPlayRefused")
      (cause, self.status) = (end.rawValue, status)
    case .ended(let end):
      self = line("carPlayEnded")
      cause = end.rawValue
    case .info, .picture, .sound: return nil
    }
  }

  private mutating func take(_ input: InputEvent) {
    switch input {
    case .touch(_, let isTouching, let x, let y):
      (kind, isDown, self.x, self.y) = ("touch", isTouching, x, y)
    case .knobButton(let button, let isDown): (kind, self.button, self.isDown) = ("knobButton", button.rawValue, isDown)
    case .knobNudge(let x, let y): (kind, self.x, self.y) = ("knobNudge", x, y)
    case .knobWheel(let steps): (kind, self.steps) = ("knobWheel", steps)
    case .key(let page, let usage, let isDown):
      (kind, self.page, self.usage, self.isDown) = ("key", Int(page), Int(usage), isDown)
    }
  }

  /// The line for people.
  var text: String {
    let words: [String?] = [
      type.flatMap(StreamType.init(rawValue:))?.name, state, format, name, direction, kind, button, cause, address,
      identifier,
      screen.map { "screen \($0)" }, mainAudio.map { "main audio \($0)" }, speech.map { "speech \($0)" },
      phoneCall.map { "call \($0)" }, turnByTurn.map { "guidance \($0)" }, reason.map { "(\($0))" },
      isGranted.map { $0 ? "granted" : "refused" }, isDown.map { $0 ? "down" : "up" }, x.map { "x \($0)" },
      y.map { "y \($0)" }, steps.map { "\($0) steps" }, usage.map { "usage \($0)" }, count.map { "\($0) packets" },
      pictures.map { "\($0) pictures" }, late.map { "\($0) late" },
      status.map { "status \($0)" }, bytes.map { "\($0.count / 2) bytes" },
    ]
    let side = role == SessionSide.phone.roleName ? "phone    " : "head unit"
    return "\(DecodedText.seconds(time))  \(side)  CarPlay \(Self.title(event)): "
      + words.compactMap { $0 }.joined(separator: ", ").printable
  }

  private static func title(_ event: String) -> String {
    let name = event.dropFirst("carPlay".count)
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}

/// The output of an event of a CarPlay session.
package enum CarPlayEventLine {
  /// Prints the line of an event, if it has one.
  ///
  /// - Parameter linkCause: The cause for which the iAP2 link ended; nil while it is up.
  package static func show(
    _ event: SessionEvent, of side: SessionSide, at time: MonotonicTime, linkCause: String?, json: Bool
  ) {
    guard var line = CarPlayLine(event, of: side, at: time) else { return }
    if case .ended(.linkLost) = event { line.cause = linkCause ?? line.cause }
    if json { Output.tryJSON(line) } else { Output.rows([line.text]) }
  }
}

extension SessionSide {
  /// The role as in the other events of the command.
  var roleName: String { self == .phone ? "phone" : "headUnit" }
}

extension SessionSide? {
  var roleName: String { self?.roleName ?? "none" }
}
