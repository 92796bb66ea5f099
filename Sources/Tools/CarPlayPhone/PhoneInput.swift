// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import CarPlaySession
import HIDReports

/// The meaning of a driver's input at the head unit for the phone's screen: a value that follows the finger.
package struct PhoneInput: Sendable {
  /// The finger on the screen.
  private struct Finger {
    var slot: Int
    var start, last: (x: Int, y: Int)
    /// The target at the start, and the line of its part.
    var target: ScreenTarget?
    var line: String?
    /// The first shown row at the start.
    var scroll: Int
    /// Whether the finger has moved further than a tap does.
    var isDragging = false
  }

  private var finger: Finger?
  /// The number of rows above the first one that a list shows.
  package private(set) var scroll = 0

  /// The distance in points within which a finger taps. Ours.
  private static let tapDistance = 10
  /// The distance in points of a finger that scrolls by a row: the height of a row.
  private static let rowDistance = 44

  package init() {}

  /// Forgets the finger and the scrolled rows, because another screen is shown.
  package mutating func showOther() {
    finger?.target = nil
    scroll = 0
  }

  /// Forgets the finger, whose further places are not those of the phone's screen.
  package mutating func release() { finger = nil }

  /// Takes an input, and returns the steps that it means.
  package mutating func take(_ event: InputEvent, on shown: ShownScreen) -> [CarAction] {
    switch event {
    case .touch(let slot, true, let x, let y): return press(slot, x, y, shown)
    case .touch(let slot, false, _, _): return lift(slot, shown)
    case .knobWheel(let steps): return steps == 0 ? [] : [Self.turn(steps)]
    // Right and down lead on, left and up lead back.
    case .knobNudge(let x, let y): return x == 0 && y == 0 ? [] : [Self.turn(x + y < 0 ? -1 : 1)]
    case .knobButton(.select, true): return [CarAction(.press)]
    case .knobButton(.home, true): return [CarAction(.home)]
    case .knobButton(.back, true): return [CarAction(.back)]
    case .knobButton: return []
    case .key(let page, let usage, true): return key(page, usage, event.telephonyKey, shown)
    case .key: return []
    }
  }

  private static func turn(_ steps: Int) -> CarAction { CarAction(.turn, ["steps": .number(Double(steps))]) }

  // MARK: The finger

  private mutating func press(_ slot: Int, _ x: Int, _ y: Int, _ shown: ShownScreen) -> [CarAction] {
    guard var finger else {
      let target = shown.target(x: x, y: y)
      self.finger = Finger(
        slot: slot, start: (x, y), last: (x, y), target: target, line: target.flatMap(shown.line),
        scroll: min(scroll, shown.film?.lastFirstRow ?? 0))
      return []
    }
    // A second finger has no meaning.
    guard finger.slot == slot else { return [] }
    finger.last = (x, y)
    let (right, down) = (x - finger.start.x, y - finger.start.y)
    if max(abs(right), abs(down)) > Self.tapDistance * shown.scale { finger.isDragging = true }
    self.finger = finger
    if finger.isDragging, !shown.isMap {
      let last = shown.film?.lastFirstRow ?? 0
      scroll = max(0, min(last, finger.scroll - down / (Self.rowDistance * shown.scale)))
    }
    return []
  }

  private mutating func lift(_ slot: Int, _ shown: ShownScreen) -> [CarAction] {
    guard let finger, finger.slot == slot else { return [] }
    self.finger = nil
    guard finger.isDragging else {
      if let target = finger.target { return tap(target, finger.line, shown) }
      return shown.isMap ? [CarAction(.touchMap)] : []
    }
    guard shown.isMap, finger.target == nil else { return [] }
    func points(_ pixels: Int) -> CarValue { .number(Double(pixels) / Double(shown.scale)) }
    return [
      CarAction(.pan, ["x": points(finger.last.x - finger.start.x), "y": points(finger.last.y - finger.start.y)])
    ]
  }

  private func tap(_ target: ScreenTarget, _ line: String?, _ shown: ShownScreen) -> [CarAction] {
    guard let part = target.part else { return tapKey(target.name, shown) }
    guard let line else { return [] }
    return [CarAction(.touchPart, ["part": .number(Double(part)), "line": .text(line)])]
  }

  /// Taps a target outside the tree of the screen: the home button or a key of the keyboard.
  private func tapKey(_ name: String, _ shown: ShownScreen) -> [CarAction] {
    func typed(_ text: String) -> [CarAction] { [CarAction(.type, ["text": .text(text)])] }
    switch name {
    case "home": return [CarAction(.home)]
    case "search": return [CarAction(.searchKey)]
    case "left": return typed(String(shown.typedText.dropLast()))
    // The other page of the keyboard is not drawn.
    case "more": return []
    default: return name.count == 1 ? typed(shown.typedText + name) : []
    }
  }

  // MARK: Keys

  private func key(
    _ page: UInt16, _ usage: UInt16, _ telephone: TelephonyKey?, _ shown: ShownScreen
  ) -> [CarAction] {
    if let media = MediaKey.allCases.first(where: { $0.usage.page == page && $0.usage.number == usage }) {
      return media.carKey.map { [CarAction(.key, ["name": .text($0.rawValue)])] } ?? []
    }
    switch telephone {
    case .hook: return answer("Accept", shown)
    case .drop: return answer("Decline", shown)
    default: return []
    }
  }

  /// Taps an answer on the screen of an incoming call.
  private func answer(_ title: String, _ shown: ShownScreen) -> [CarAction] {
    guard shown.screen.isCall else { return [] }
    return [CarAction(.tap, ["text": .text(title), "kind": .text(ScreenNode.Kind.action.rawValue)])]
  }
}

extension ScreenNode {
  /// Whether the screen is that of an incoming call.
  var isCall: Bool {
    kind == .alert && children.filter { $0.kind == .action }.map(\.title) == ["Accept", "Decline"]
  }
}

extension MediaKey {
  /// The key of the car; nil for the key of the guidance, for which apps have no method.
  fileprivate var carKey: CarMediaKey? {
    switch self {
    case .play: .play
    case .pause: .pause
    case .playPause: .playPause
    case .next: .next
    case .previous: .previous
    case .navigationGuidance: nil
    }
  }
}

extension SessionCommand {
  /// The step that a command of the head unit means for the phone's screen; nil for a command of another meaning.
  package var carAction: CarAction? {
    func request(_ request: HeadUnitRequest) -> CarAction {
      CarAction(.headUnit, ["request": .text(request.rawValue)])
    }
    return switch self {
    case .setNightMode(let isOn): request(isOn ? .night : .day)
    case .setLimitedUI(let isOn): request(isOn ? .limit : .unlimited)
    case .requestSiri(.buttonDown): CarAction(.voiceKey)
    case .requestUI: CarAction(.bringBack)
    default: nil
    }
  }
}
