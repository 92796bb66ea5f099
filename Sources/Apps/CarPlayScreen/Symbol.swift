// swift-iap2 · Apache-2.0

/// A symbol that the package draws itself. Apps name symbols of Apple, whose pictures are not used here.
package enum Symbol: String, Sendable, Hashable, CaseIterable {
  case back, forward, up, down, left, right
  case play, pause, next, previous, shuffle, `repeat`, more, add
  case search, star, heart, location, plus, minus, move, clock, house, tray, radio, car
  case phone, message, microphone, cloud, bell, gear, list
  case turnLeft, turnRight, straight, uTurn, arrive, lanes
  case playing, close, check, pin, mute
  /// The spinner at 0, 30 and 60 degrees; at 90 degrees it looks the same as at 0.
  case spinner, spinner30, spinner60

  /// The symbol for the other reading direction.
  var mirrored: Symbol {
    switch self {
    case .back: .forward
    case .forward: .back
    default: self
    }
  }

  /// Returns the spinner after a number of turns of 30 degrees. Its four strokes look alike.
  static func spinner(phase: Int) -> Symbol {
    switch phase % 3 {
    case 1, -2: .spinner30
    case 2, -1: .spinner60
    default: .spinner
    }
  }

  /// The names of images without the words for variants, and the symbols that replace the images. Only a whole name
  /// counts: apps call their own images `carplay_search` and `carplay.chevron.left`
  /// (CarPlay/Apps.md#image-names).
  private static let names: [String: Symbol] = [
    "magnifyingglass": .search, "search": .search, "plus.magnifyingglass": .plus, "minus.magnifyingglass": .minus,
    "dpad": .move, "star": .star, "heart": .heart, "location": .location, "location.north": .location, "plus": .plus,
    "minus": .minus, "clock": .clock, "clock.arrow.counterclockwise": .clock, "house": .house, "home": .house,
    "tray": .tray, "tray.full": .tray, "radio": .radio, "antenna.radiowaves.left.and.right": .radio, "car": .car,
    "phone": .phone, "message": .message, "bubble.left": .message, "bubble.right": .message, "mic": .microphone,
    "microphone": .microphone, "waveform": .microphone, "cloud": .cloud, "bell": .bell, "gear": .gear,
    "gearshape": .gear, "list": .list, "list.bullet": .list, "shuffle": .shuffle, "repeat": .repeat,
    "arrow.turn.up.left": .turnLeft, "turn.up.left": .turnLeft, "turn.left": .turnLeft, "arrow.left": .left,
    "arrow.turn.up.right": .turnRight, "turn.up.right": .turnRight, "turn.right": .turnRight, "arrow.right": .right,
    "arrow.uturn.left": .uTurn, "arrow.uturn.down": .uTurn, "uturn": .uTurn, "arrow.up": .straight,
    "straight": .straight, "arrow.down": .down, "flag": .arrive, "flag.checkered": .arrive, "lanes": .lanes,
    "road.lanes": .lanes, "more": .more, "ellipsis": .more, "add": .add, "xmark": .close, "checkmark": .check,
    "play": .play, "pause": .pause, "forward.end": .next, "backward.end": .previous, "chevron.left": .back,
    "chevron.right": .forward, "chevron.up": .up, "chevron.down": .down, "chevron.backward": .back,
    "chevron.forward": .forward, "pin": .pin, "bell.slash": .mute,
  ]
  /// The words of a symbol's name that only name a variant of it.
  private static let variants: Set<Substring> = ["fill", "circle", "square", "rectangle"]

  /// Creates the symbol for an image's name; nil for other pictures and for words.
  package init?(imageNamed name: String) {
    var parts = name.split(separator: ".", omittingEmptySubsequences: false)
    while parts.count > 1, let last = parts.last, Self.variants.contains(last) { parts.removeLast() }
    guard let symbol = Self.names[parts.joined(separator: ".")] else { return nil }
    self = symbol
  }

  /// Creates the symbol of a transport key or a Now Playing button by the host's name for it; nil for others.
  init?(command name: String) {
    let commands: [String: Symbol] = [
      "play": .play, "pause": .pause, "previous": .previous, "next": .next, "skip backward": .previous,
      "skip forward": .next, "...": .more, "shuffle": .shuffle, "repeat": .repeat, "add to library": .add,
      "more": .more,
    ]
    guard let symbol = commands[name] ?? Symbol(imageNamed: name) else { return nil }
    self = symbol
  }
}

/// The lines of a symbol in a square of 24.
package struct SymbolShape: Sendable {
  package struct Point: Sendable, Hashable {
    package var x, y: Double
  }

  /// Lines through points.
  package var lines: [[Point]] = []
  /// Filled areas.
  package var areas: [[Point]] = []
  /// Circles: the middle, the radius, and whether they are filled.
  package var circles: [(middle: Point, radius: Double, isFilled: Bool)] = []

  fileprivate init(
    lines: [[Double]] = [], areas: [[Double]] = [], circles: [(Double, Double, Double, Bool)] = []
  ) {
    self.lines = lines.map(Self.points)
    self.areas = areas.map(Self.points)
    self.circles = circles.map { (Point(x: $0.0, y: $0.1), $0.2, $0.3) }
  }

  private static func points(_ numbers: [Double]) -> [Point] {
    stride(from: 0, to: numbers.count - 1, by: 2).map { Point(x: numbers[$0], y: numbers[$0 + 1]) }
  }
}

extension Symbol {
  /// The lines of the symbol.
  package var shape: SymbolShape {
    switch self {
    case .back, .left: SymbolShape(lines: [[15, 5, 8, 12, 15, 19]])
    case .forward, .right: SymbolShape(lines: [[9, 5, 16, 12, 9, 19]])
    case .up: SymbolShape(lines: [[5, 15, 12, 8, 19, 15]])
    case .down: SymbolShape(lines: [[5, 9, 12, 16, 19, 9]])
    case .play: SymbolShape(areas: [[7, 4, 20, 12, 7, 20]])
    case .pause: SymbolShape(areas: [[6, 4, 10, 4, 10, 20, 6, 20], [14, 4, 18, 4, 18, 20, 14, 20]])
    case .next: SymbolShape(areas: [[4, 5, 15, 12, 4, 19], [16, 5, 19, 5, 19, 19, 16, 19]])
    case .previous: SymbolShape(areas: [[20, 5, 9, 12, 20, 19], [5, 5, 8, 5, 8, 19, 5, 19]])
    case .shuffle:
      SymbolShape(lines: [
        [3, 7, 8, 7, 15, 17, 21, 17], [3, 17, 8, 17, 15, 7, 21, 7], [18, 4, 21, 7, 18, 10], [18, 14, 21, 17, 18, 20],
      ])
    case .repeat:
      SymbolShape(lines: [
        [4, 11, 4, 7, 20, 7], [17, 4, 20, 7, 17, 10], [20, 13, 20, 17, 4, 17], [7, 14, 4, 17, 7, 20],
      ])
    case .more: SymbolShape(circles: [(5, 12, 1.8, true), (12, 12, 1.8, true), (19, 12, 1.8, true)])
    case .add, .plus: SymbolShape(lines: [[12, 5, 12, 19], [5, 12, 19, 12]])
    case .minus: SymbolShape(lines: [[5, 12, 19, 12]])
    case .search: SymbolShape(lines: [[15, 15, 20, 20]], circles: [(10, 10, 6, false)])
    case .star:
      SymbolShape(areas: [
        [12, 3, 14.6, 9, 21, 9.6, 16.2, 13.8, 17.6, 20.2, 12, 16.8, 6.4, 20.2, 7.8, 13.8, 3, 9.6, 9.4, 9]
      ])
    case .heart: SymbolShape(areas: [[12, 20, 3.5, 11, 4, 6.5, 7.5, 4.5, 12, 8, 16.5, 4.5, 20, 6.5, 20.5, 11]])
    case .location: SymbolShape(areas: [[4, 11, 20, 4, 13, 20, 11, 13]])
    case .move:
      SymbolShape(lines: [
        [12, 4, 12, 20], [4, 12, 20, 12], [9.5, 6.5, 12, 4, 14.5, 6.5], [9.5, 17.5, 12, 20, 14.5, 17.5],
        [6.5, 9.5, 4, 12, 6.5, 14.5], [17.5, 9.5, 20, 12, 17.5, 14.5],
      ])
    case .clock: SymbolShape(lines: [[12, 7, 12, 12, 16, 14]], circles: [(12, 12, 8, false)])
    case .house: SymbolShape(lines: [[4, 12, 12, 4, 20, 12], [6.5, 10, 6.5, 20, 17.5, 20, 17.5, 10]])
    case .tray: SymbolShape(lines: [[4, 13, 4, 19, 20, 19, 20, 13], [12, 4, 12, 14], [8, 10, 12, 14, 16, 10]])
    case .radio:
      SymbolShape(
        lines: [[4, 10, 20, 10, 20, 20, 4, 20, 4, 10], [7, 10, 18, 4], [7, 15, 12, 15]], circles: [(16, 15, 2, false)])
    case .car:
      SymbolShape(
        lines: [[3, 16, 3, 12, 6, 11, 8, 7, 16, 7, 18, 11, 21, 12, 21, 16, 3, 16]],
        circles: [(7.5, 17, 2, true), (16.5, 17, 2, true)])
    case .phone:
      SymbolShape(lines: [[6, 4, 9, 4, 10.5, 8.5, 8.5, 10, 14, 15.5, 15.5, 13.5, 20, 15, 20, 18, 17, 20, 5, 8, 6, 4]])
    case .message: SymbolShape(lines: [[4, 5, 20, 5, 20, 16, 11, 16, 7, 20, 7, 16, 4, 16, 4, 5]])
    case .microphone:
      SymbolShape(lines: [
        [9, 5, 9, 12, 12, 14, 15, 12, 15, 5, 12, 3, 9, 5], [6, 12, 8, 16, 12, 17.5, 16, 16, 18, 12],
        [12, 17.5, 12, 21],
      ])
    case .cloud:
      SymbolShape(lines: [
        [7, 18, 4, 16, 4, 13, 7, 11, 8.5, 8, 12, 6.5, 15.5, 8, 17, 11, 20, 12.5, 20, 16, 17, 18, 7, 18]
      ])
    case .bell: SymbolShape(lines: [[5, 17, 7, 14, 7, 9, 12, 4, 17, 9, 17, 14, 19, 17, 5, 17], [10.5, 20, 13.5, 20]])
    case .mute:
      SymbolShape(lines: [
        [5, 17, 7, 14, 7, 9, 12, 4, 17, 9, 17, 14, 19, 17, 5, 17], [10.5, 20, 13.5, 20], [4, 4, 20, 20],
      ])
    case .pin: SymbolShape(lines: [[12, 12, 12, 21]], circles: [(12, 8, 4.5, true)])
    case .gear:
      SymbolShape(
        lines: [[12, 2.5, 12, 6], [12, 18, 12, 21.5], [2.5, 12, 6, 12], [18, 12, 21.5, 12]],
        circles: [(12, 12, 6, false), (12, 12, 2, true)])
    case .list: SymbolShape(lines: [[4, 6, 20, 6], [4, 12, 20, 12], [4, 18, 20, 18]])
    case .turnLeft: SymbolShape(lines: [[18, 21, 18, 9, 5, 9], [9.5, 4.5, 5, 9, 9.5, 13.5]])
    case .turnRight: SymbolShape(lines: [[6, 21, 6, 9, 19, 9], [14.5, 4.5, 19, 9, 14.5, 13.5]])
    case .straight: SymbolShape(lines: [[12, 21, 12, 3], [6.5, 8.5, 12, 3, 17.5, 8.5]])
    case .uTurn: SymbolShape(lines: [[17, 21, 17, 8, 15, 5, 9, 5, 7, 8, 7, 17], [3, 13, 7, 17, 11, 13]])
    case .arrive: SymbolShape(lines: [[6, 21, 6, 4, 18, 7, 6, 12]])
    case .lanes:
      SymbolShape(lines: [[5, 20, 5, 4], [12, 20, 12, 4], [19, 20, 19, 4], [9.5, 6.5, 12, 4, 14.5, 6.5]])
    case .playing: SymbolShape(lines: [[6, 18, 6, 11], [10, 18, 10, 6], [14, 18, 14, 9], [18, 18, 18, 13]])
    case .spinner: SymbolShape(lines: [[12, 3, 12, 7], [21, 12, 17, 12], [12, 21, 12, 17], [3, 12, 7, 12]])
    case .spinner30:
      SymbolShape(lines: [
        [16.5, 4.2, 14.5, 7.7], [19.8, 16.5, 16.3, 14.5], [7.5, 19.8, 9.5, 16.3], [4.2, 7.5, 7.7, 9.5],
      ])
    case .spinner60:
      SymbolShape(lines: [
        [19.8, 7.5, 16.3, 9.5], [16.5, 19.8, 14.5, 16.3], [4.2, 16.5, 7.7, 14.5], [7.5, 4.2, 9.5, 7.7],
      ])
    case .close: SymbolShape(lines: [[6, 6, 18, 18], [18, 6, 6, 18]])
    case .check: SymbolShape(lines: [[5, 12.5, 10, 17.5, 19, 7]])
    }
  }
}
