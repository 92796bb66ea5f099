// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation

/// The layout of a car's screen. It converts the tree of the screen and the look of the car to a list of items to draw.
///
/// All sizes are ours: no picture of CarPlay was measured (CarPlay/Behavior.md#appearance). A layout is pure: equal
/// input gives an equal list.
package struct ScreenLayout {
  let look: CarLook
  let map: CarMap
  /// The part of the screen that the app gets.
  let app: Box
  var list: DrawList
  /// The symbol of spinners in their phase.
  let spinner: Symbol
  /// The number of rows of a list that the driver has scrolled.
  let scroll: Int

  /// Returns the picture of a screen.
  ///
  /// - Parameters:
  ///   - screen: The tree of the screen.
  ///   - look: The car's screen, its input and the current styles.
  ///   - map: The map below a map template; nil for the plain map.
  ///   - time: The text of the clock in the dock.
  ///   - phase: The animation phase of the spinners.
  ///   - scroll: The number of rows of a list above the first one that is shown; at most those before its end.
  package static func picture(
    of screen: ScreenNode, on look: CarLook, map: CarMap? = nil, time: String = "9:41", phase: Int = 0,
    scroll: Int = 0
  ) -> DrawList {
    var layout = ScreenLayout(look, map ?? CarMap(), spinner: .spinner(phase: phase), scroll: scroll)
    layout.draw(screen.numbered)
    // The words on the screen determine the reading direction, like the language of the app on a phone.
    if screen.isRightToLeft { layout.mirror() }
    layout.dock(time: time, shows: screen.kind != .off)
    return layout.list
  }

  private init(_ look: CarLook, _ map: CarMap, spinner: Symbol, scroll: Int) {
    (self.look, self.map, self.spinner, self.scroll) = (look, map, spinner, scroll)
    let size = look.screen.pointSize
    let area = look.screen.appArea
    app = Box(area.minX, area.minY, area.width, area.height)
    list = DrawList(
      width: size.width, height: size.height, scale: Double(look.screen.scale), style: look.appearance,
      mapStyle: look.contentStyle)
    list.items.append(.fill(Box(0, 0, size.width, size.height), corner: 0, .ground))
  }

  private mutating func mirror() {
    list.items = list.items.map { $0.mirrored(in: app) }
    for index in list.targets.indices { list.targets[index].box = list.targets[index].box.mirrored(in: app) }
  }

  private mutating func draw(_ screen: ScreenNode) {
    switch screen.kind {
    case .off, .locked: message(screen.title)
    case .home: home(screen)
    case .content where screen.marks.contains(.ownWindow): list.items.append(.map(DrawnMap(box: app, map: map)))
    case .list, .content: listScreen(screen)
    case .grid: gridScreen(screen)
    case .tabs: tabScreen(screen)
    case .map: mapScreen(screen)
    case .nowPlaying: nowPlayingScreen(screen)
    case .search: searchScreen(screen)
    case .voice: voiceScreen(screen)
    case .information: informationScreen(screen)
    case .contact: contactScreen(screen)
    case .pointsOfInterest: pointScreen(screen)
    case .alert: alertScreen(screen)
    case .sheet: sheetScreen(screen)
    case .dashboard, .cluster: dashboardScreen(screen)
    default: message(screen.title)
    }
  }

  /// Draws a sentence in the middle.
  mutating func message(_ text: String) {
    self.text(
      text, in: app.inset(Grid.margin, 0).centered(app.width, TextStyle.title.lineHeight * 3), .title,
      .secondary, alignment: .center, lines: 3)
  }

  /// Draws the dock on the driver's side or at the bottom: the clock and the home button.
  private mutating func dock(time: String, shows: Bool) {
    let screen = look.screen
    let thickness = Double(screen.dockThickness)
    guard shows, thickness >= Grid.target else { return }
    var dock: Box
    switch (screen.dock, screen.drivingSide) {
    case (.bottom, _): dock = Box(app.x, app.bottom, app.width, thickness)
    case (.leading, .left): dock = Box(app.x - thickness, app.y, thickness, app.height)
    case (.leading, .right): dock = Box(app.right, app.y, thickness, app.height)
    }
    list.items.append(.fill(dock, corner: 0, .dock))
    let isColumn = screen.dock == .leading
    let clock = dock.take(isColumn ? .top : .leading, isColumn ? TextStyle.detail.lineHeight + 2 * Grid.gap : thickness)
    text(
      time, in: clock.centered(clock.width, TextStyle.detail.lineHeight), .detail, .text, on: .dock, alignment: .center)
    let home = dock.take(isColumn ? .bottom : .trailing, Grid.target)
    target(home.centered(Grid.target, Grid.target), name: "home")
    list.items.append(.symbol(.list, home.centered(Grid.symbol, Grid.symbol), .text))
  }

  // MARK: Pieces

  /// The maximum number of laid out characters of a text. No screen has room for more.
  private static let maximumCharacters = 1000

  /// Adds a text. A text that does not fit into its box is shortened in drawing and listed in ``DrawList/cutTexts``.
  mutating func text(
    _ text: String, in box: Box, _ style: TextStyle, _ ink: Ink, on ground: Ink = .ground,
    alignment: DrawnText.Alignment = .leading, lines: Int = 1, isCut: Bool = false
  ) {
    guard !text.isEmpty, !box.isEmpty else { return }
    // The host cuts texts, but another sender may not.
    let text = String(text.unicodeScalars.prefix(Self.maximumCharacters))
    list.items.append(
      .text(
        DrawnText(text: text, box: box, style: style, ink: ink, ground: ground, alignment: alignment, lines: lines)))
    // Line breaks between words leave free space at the ends of lines.
    let room = box.width * Double(lines) * (lines > 1 ? 0.85 : 1)
    if isCut || TextEstimate.width(text, style) > room { list.cutTexts.append(text) }
  }

  /// Returns the parts that have space for a target, with one cell each, side by side. The others are hidden.
  ///
  /// - Parameter columns: The minimum number of columns, so that a few parts do not fill a whole line.
  mutating func cells(_ parts: [ScreenNode], in line: Box, columns: Int = 1) -> [(ScreenNode, Box)] {
    let room = line.height >= Grid.target - 0.01 ? Int((line.width + Grid.gap) / (Grid.target + Grid.gap)) : 0
    let count = min(max(parts.count, columns), room)
    list.hiddenCount += max(0, parts.count - count)
    return Array(zip(parts, line.columns(count, gap: Grid.gap)))
  }

  /// Adds a part of the screen as a target of a tap.
  mutating func target(_ box: Box, _ part: ScreenNode) {
    list.targets.append(DrawTarget(box: box, name: part.title, part: part.number, isFocused: part.isFocused))
  }

  /// Adds a target outside the tree of the screen: a key of the keyboard, or the home button.
  mutating func target(_ box: Box, name: String) { list.targets.append(DrawTarget(box: box, name: name)) }

  /// Returns the ink of a part's text by the part's state.
  static func ink(_ node: ScreenNode, _ plain: Ink = .text) -> Ink { node.isEnabled ? plain : .disabled }

  /// Adds a button: a pill with a text or a symbol. If the pill is smaller than its target, the rest of the target
  /// stays free.
  mutating func button(_ node: ScreenNode, in box: Box, isProminent: Bool = false, isSmall: Bool = false) {
    guard box.width >= Grid.target - 0.01, box.height >= Grid.target - 0.01 else {
      list.hiddenCount += 1
      return
    }
    let isAccent = isProminent || node.isFocused || node.isSelected
    let ground: Ink = isAccent && node.isEnabled ? .accent : .control
    let pill = isSmall ? box.inset(0, 5) : box
    list.items.append(.fill(pill, corner: Grid.corner, ground))
    var ink: Ink = ground == .accent ? .onAccent : Self.ink(node)
    if ground != .accent, node.isEnabled {
      if node.marks.contains(.destructive) { ink = .destructive }
      if node.marks.contains(.confirm) { ink = .confirm }
    }
    if let id = node.image, node.kind != .action {
      let box = pill.centered(pill.width, Grid.barImage)
      list.items.append(.image(DrawnImage(node.title, id: id, in: box, corner: 0, ink: ink)))
    } else if let symbol = Symbol(imageNamed: node.title), node.kind != .action {
      list.items.append(.symbol(symbol, pill.centered(Grid.symbol, Grid.symbol), ink))
    } else {
      let room = pill.inset(4, 0)
      let style = Self.style(of: node.title, from: [.body, .detail], in: room.width)
      text(
        node.title, in: room.centered(room.width, style.lineHeight), style, ink, on: ground, alignment: .center,
        isCut: node.isCut)
    }
    ring(node, pill, corner: Grid.corner)
    target(box, node)
  }

  /// Returns the first of several styles in which a text fits into a width, or else the last.
  static func style(of text: String, from styles: [TextStyle], in width: Double) -> TextStyle {
    styles.first { TextEstimate.width(text, $0) <= width } ?? styles.last ?? .body
  }

  /// Draws the ring of the knob's focus.
  mutating func ring(_ node: ScreenNode, _ box: Box, corner: Double) {
    guard node.isFocused else { return }
    list.items.append(.ring(box.inset(-2, -2), corner: corner + 2, width: 2, .focus))
  }

  mutating func spinner(in box: Box, _ ink: Ink = .secondary) {
    list.items.append(.symbol(spinner, box.centered(Grid.symbol, Grid.symbol), ink))
  }

  /// Draws an image of the app: its bytes if they are known, our own symbol for a symbol's name, otherwise a
  /// placeholder.
  mutating func image(_ name: String, id: String?, in box: Box, _ ink: Ink, size: Double = Grid.symbol) {
    if id == nil, let symbol = Symbol(imageNamed: name) {
      list.items.append(.symbol(symbol, box.centered(size, size), ink))
    } else {
      list.items.append(.image(DrawnImage(name, id: id, in: box, corner: id == nil ? 6 : 4, ink: ink)))
    }
  }
}

/// The measures of all screens, in points.
package enum Grid {
  /// The side of the smallest target (the guide's 44).
  static let target = 44.0
  /// The margin of a screen, and the gap between related items.
  static let margin = 12.0
  static let gap = 6.0
  static let symbol = 22.0
  /// The height of a bar button's image.
  static let barImage = 26.0
  /// The corner of buttons and cards.
  static let corner = 10.0
  /// The height of a bar, of a row with one line and of one with two.
  package static let bar = 44.0
  static let row = 44.0
  static let tallRow = 52.0
  static let header = 26.0
  /// The side of a row's image.
  static let rowImage = 34.0
  /// The fraction of the width for a card over a map.
  package static let card = 0.45
}

extension ScreenNode {
  /// The buttons of the bar. The buttons of a grid have an image beside their title and are not included.
  var barButtons: [ScreenNode] { children.filter { $0.kind == .button && $0.imageName == nil } }

  /// The name of the part's image.
  var imageName: String? { mark { if case .image(let name) = $0 { name } else { nil } } }
  /// The name of the image at the end of a row.
  var accessoryName: String? { mark { if case .accessory(let name) = $0 { name } else { nil } } }
  /// The letter of a section in the index.
  var indexLetter: String? { mark { if case .index(let letter) = $0 { letter } else { nil } } }
  /// The played fraction of the content.
  var progress: Double? {
    mark { if case .progress(let percent) = $0 { Double(min(max(percent, 0), 100)) / 100 } else { nil } }
  }

  private func mark<Value>(_ value: (ScreenMark) -> Value?) -> Value? { marks.lazy.compactMap(value).first }

  /// Whether most words of the screen are read from right to left.
  var isRightToLeft: Bool {
    var count = 0
    for part in all {
      for scalar in (part.title + part.detail).unicodeScalars.prefix(40) {
        switch scalar.value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF: count += 1
        case _ where scalar.properties.isAlphabetic: count -= 1
        default: break
        }
      }
    }
    return count > 0
  }
}
