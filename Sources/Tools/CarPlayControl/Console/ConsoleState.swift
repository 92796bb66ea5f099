// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// The state of the console, which interprets keys. It is a value without a terminal.
struct ConsoleState {
  /// The request that a key makes.
  enum Request: Hashable {
    case action(CarAction)
    case help
    case quit
    /// A line of text for the user.
    case say(String)
  }

  private enum Mode: Hashable {
    case keys
    /// The user types a text for the search field.
    case text(String)
    /// The user chooses a fault.
    case faults
  }

  private var mode = Mode.keys
  private var isNight = false
  /// The enabled faults.
  private(set) var faults: Set<String> = []

  /// The labels of the reacting parts, in their order.
  static let labels = Array("123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /// The keys with their meaning, for the help.
  static let help = [
    "1-9 A-Z   tap the part with this mark", "← → ↑ ↓   turn the knob      Enter  press it",
    "Backspace back                Space  play or pause", "< >       previous, next      m  Now Playing",
    "h         home                o  open the app, or bring it back   x  another app",
    "u         pull the cable      l  pull it and lose the notice      n  the late notice",
    "p         plug in             k  lock or unlock the phone",
    "d         drive or park       y  day or night",
    "t         type into search    s  search key                       v  voice key",
    "w         wait a second       f  faults                           ?  this help   q  quit",
  ]

  /// Returns the request of a key.
  mutating func take(_ key: ConsoleKey, _ car: CarState) -> Request? {
    switch mode {
    case .keys: return command(key, car)
    case .text(let text): return type(key, text)
    case .faults: return fault(key)
    }
  }

  private mutating func type(_ key: ConsoleKey, _ text: String) -> Request? {
    mode = .text(text)
    switch key {
    case .enter:
      mode = .keys
      return .action(CarAction(.type, ["text": .text(text)]))
    case .escape:
      mode = .keys
      return .say("nothing typed")
    case .backspace: mode = .text(String(text.dropLast()))
    case .character(let character):
      if text.utf8.count < CarVerbForm.maximumTextByteCount { mode = .text(text + String(character)) }
    default: break
    }
    guard case .text(let typed) = mode else { return nil }
    return .say("search: \(typed)")
  }

  private mutating func fault(_ key: ConsoleKey) -> Request? {
    mode = .keys
    guard case .character(let letter) = key, let index = Self.faultLetters.firstIndex(of: letter),
      CarFaults.switches.indices.contains(index)
    else { return .say("no fault changed") }
    let fault = CarFaults.switches[index]
    let isOn = faults.insert(fault.name).inserted
    if !isOn { faults.remove(fault.name) }
    return .action(CarAction(.faults, [fault.name: fault.isChance ? .number(isOn ? 1 : 0) : .flag(isOn)]))
  }

  private static let faultLetters = Array("abcdefghijklmnopqrstuvwxyz")

  private var faultText: String {
    zip(Self.faultLetters, CarFaults.switches).map { letter, fault in
      "\(letter) \(fault.name)\(faults.contains(fault.name) ? " (on)" : "")"
    }.joined(separator: "\n")
  }

  private mutating func command(_ key: ConsoleKey, _ car: CarState) -> Request? {
    switch key {
    case .enter: return .action(CarAction(.press))
    case .backspace, .escape: return .action(CarAction(.back))
    case .up, .left: return .action(CarAction(.turn, ["steps": .number(-1)]))
    case .down, .right: return .action(CarAction(.turn, ["steps": .number(1)]))
    case .character("t"):
      mode = .text("")
      return .say("search: (Enter ends the text, Esc drops it)")
    case .character("f"):
      mode = .faults
      return .say(faultText)
    case .character("y"):
      isNight.toggle()
      return .action(CarAction(.appearance, ["style": .text((isNight ? CarStyle.dark : .light).rawValue)]))
    case .character("?"): return .help
    case .character("q"): return .quit
    case .character(let character):
      if let index = Self.labels.firstIndex(of: character) { return tap(index, car) }
      return Self.action(character, car).map { .action($0) } ?? .say("no meaning: \(character); ? lists the keys")
    }
  }

  /// Returns a tap on the part with a mark.
  private func tap(_ index: Int, _ car: CarState) -> Request {
    let parts = car.screen.all
    guard car.reacting.indices.contains(index), parts.indices.contains(car.reacting[index]) else {
      return .say("no part has this mark")
    }
    let place = car.reacting[index]
    let kind = parts[place].kind
    let ofKind = parts[..<place].count { $0.kind == kind }
    return .action(CarAction(.tapAt, ["kind": .text(kind.rawValue), "index": .number(Double(ofKind))]))
  }

  private static func action(_ character: Character, _ car: CarState) -> CarAction? {
    switch character {
    case " ": CarAction(.key, ["name": .text(CarMediaKey.playPause.rawValue)])
    case "<", ",": CarAction(.key, ["name": .text(CarMediaKey.previous.rawValue)])
    case ">", ".": CarAction(.key, ["name": .text(CarMediaKey.next.rawValue)])
    case "m": CarAction(.nowPlaying)
    case "h": CarAction(.home)
    case "o": CarAction(.open)
    case "x": CarAction(.otherApp)
    case "u": CarAction(.unplug)
    case "l": CarAction(.unplug, ["noticed": .flag(false)])
    case "n": CarAction(.notice)
    case "p": CarAction(.plug)
    case "k": CarAction(car.isLocked ? .unlock : .lock)
    case "d": CarAction(car.isDriving ? .park : .drive)
    case "s": CarAction(.searchKey)
    case "v": CarAction(.voiceKey)
    case "w": CarAction(.wait, ["seconds": .number(1)])
    default: nil
    }
  }

  /// Returns the screen with the marks of the reacting parts.
  static func marked(_ car: CarState) -> [String] {
    var labels: [Int: Character] = [:]
    for (place, label) in zip(car.reacting, Self.labels) { labels[place] = label }
    var lines: [String] = []
    var place = 0
    func add(_ part: ScreenNode, _ depth: Int) {
      let mark = labels[place].map { "[\($0)]" } ?? "   "
      lines.append(mark + String(repeating: "  ", count: depth) + " " + part.line)
      place += 1
      for child in part.children { add(child, depth + 1) }
    }
    add(car.screen, 0)
    return lines
  }

  /// The maximum number of lines of a legend. More parts are rare, and the picture needs the space.
  private static let legendLines = 2
  /// The maximum number of characters of a part's name in a legend.
  private static let legendName = 20

  /// Returns the marks with the names of their parts, side by side.
  static func legend(_ car: CarState, columns: Int) -> [String] {
    let parts = car.screen.all
    var lines: [String] = []
    for (place, label) in zip(car.reacting, labels) where parts.indices.contains(place) {
      let part = parts[place]
      let name = part.title.isEmpty ? part.kind.rawValue : part.title
      let text = "[\(label)] " + (name.count > legendName ? name.prefix(legendName - 1) + "…" : name)
      if let line = lines.last, line.count + 2 + text.count <= columns {
        lines[lines.count - 1] = line + "  " + text
      } else if lines.count < legendLines {
        lines.append(text)
      } else {
        break
      }
    }
    return lines
  }
}
