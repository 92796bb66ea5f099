// swift-iap2 · Apache-2.0

package import CarPlayPlatform

extension ScreenLayout {
  /// Draws the bar of a pushed template: the back button, the title and the other buttons. Returns the space below.
  mutating func navigationBar(_ screen: ScreenNode, in whole: Box) -> Box {
    var rest = whole
    let bar = rest.take(.top, Grid.bar)
    self.bar(screen, in: bar, title: screen.title, isCut: screen.isCut)
    list.items.append(.fill(Box(whole.x, bar.bottom - 0.5, whole.width, 0.5), corner: 0, .line))
    return rest
  }

  /// Draws the parts of a bar into a box.
  mutating func bar(_ screen: ScreenNode, in whole: Box, title: String, isCut: Bool = false) {
    var bar = whole.inset(Grid.gap, 0)
    if let back = screen.children.first(where: { $0.kind == .back }) {
      let width = min(bar.width * 0.3, max(Grid.target, TextEstimate.width(back.title, .body) + 30))
      var box = bar.take(.leading, width)
      target(box, back)
      ring(back, box.inset(2, 4), corner: 8)
      list.items.append(
        .symbol(.back, box.take(.leading, Grid.symbol).centered(Grid.symbol, Grid.symbol), .accent))
      text(
        back.title, in: box.centered(box.width, TextStyle.body.lineHeight), .body, .accent, isCut: back.isCut)
    }
    for button in screen.barButtons.reversed() {
      let isSymbol = button.image != nil || Symbol(imageNamed: button.title) != nil
      let wanted = isSymbol ? Grid.target : TextEstimate.width(button.title, .body) + 2 * Grid.margin
      let width = min(max(Grid.target, wanted), whole.width / 4)
      self.button(button, in: bar.take(.trailing, width), isSmall: true)
      _ = bar.take(.trailing, Grid.gap)
    }
    text(
      title, in: bar.inset(Grid.gap, 0).centered(bar.width, TextStyle.title.lineHeight), .title, .text,
      alignment: .center, isCut: isCut)
  }

  mutating func listScreen(_ screen: ScreenNode) {
    rows(of: screen, in: navigationBar(screen, in: app))
  }

  /// Draws the rows that fit completely into a space: from the first one, or so that the focus is visible.
  mutating func rows(of screen: ScreenNode, in room: Box) {
    let kinds: Set<ScreenNode.Kind> = [.back, .button, .tab]
    let parts = screen.children.filter { !kinds.contains($0.kind) }.flatMap { part in
      part.kind == .section ? [part] + part.children.filter { $0.kind != .button } : [part]
    }
    if let empty = parts.first(where: { $0.kind == .empty || $0.kind == .error }) {
      return emptyList(empty, in: room)
    }
    if let spinner = parts.first(where: { $0.kind == .spinner }), spinner.title.isEmpty, parts.count == 1 {
      return self.spinner(in: room)
    }
    var rest = room
    let track = rest.take(.trailing, Grid.gap)
    list.lastFirstRow = Self.lastFirstRow(of: parts, height: rest.height)
    let first = firstRow(of: parts, height: rest.height)
    var shown = 0
    for part in parts[first...] {
      let height = Self.rowHeight(part)
      guard height <= rest.height + 0.01 else { break }
      row(part, in: rest.take(.top, height))
      shown += 1
    }
    list.hiddenCount += parts.count - first - shown
    scrollBar(in: track, first: first, shown: shown, of: parts.count)
  }

  /// Returns the index of the first shown row when the list is scrolled to its end.
  private static func lastFirstRow(of parts: [ScreenNode], height: Double) -> Int {
    var rest = height
    return parts.lastIndex {
      rest -= rowHeight($0)
      return rest < -0.01
    }.map { min($0 + 1, max(0, parts.count - 1)) } ?? 0
  }

  /// Returns the index of the first shown row. The row with the focus is among those that fit. Without a focus, the
  /// driver scrolls.
  private func firstRow(of parts: [ScreenNode], height: Double) -> Int {
    guard let focused = parts.firstIndex(where: { $0.all.contains(where: \.isFocused) }) else {
      return max(0, min(scroll, list.lastFirstRow))
    }
    var first = 0
    while first < focused, Self.height(of: parts[first...focused]) > height { first += 1 }
    return first
  }

  /// Returns the pages of a list on a screen that cannot scroll. A list with several pages has two arrows on each.
  ///
  /// - Parameters:
  ///   - rows: The rows, and the headers of sections between them.
  ///   - others: The rows that every page has.
  ///   - height: The height of the app's part of the screen in points, with one bar.
  package static func pages(of rows: [ScreenNode], beside others: [ScreenNode], height: Double) -> [Range<Int>] {
    let room = height - Grid.bar - self.height(of: others[...])
    guard self.height(of: rows[...]) > room else { return [0..<rows.count] }
    let perPage = room - 2 * Grid.row
    var pages: [Range<Int>] = []
    var first = 0
    while first < rows.count {
      // A page has a row even if the row does not fit.
      var end = first + 1
      while end < rows.count, self.height(of: rows[first...end]) <= perPage { end += 1 }
      pages.append(first..<end)
      first = end
    }
    return pages
  }

  private static func height(of rows: ArraySlice<ScreenNode>) -> Double { rows.reduce(0) { $0 + rowHeight($1) } }

  private static func rowHeight(_ part: ScreenNode) -> Double {
    switch part.kind {
    case .section: part.children.contains { $0.kind == .button } ? Grid.row : Grid.header
    case .header: 64
    case .row where !part.children.isEmpty: Grid.header + 62
    case .item: Grid.tallRow
    default: part.detail.isEmpty && part.progress == nil ? Grid.row : Grid.tallRow
    }
  }

  private mutating func scrollBar(in track: Box, first: Int, shown: Int, of count: Int) {
    guard shown < count, count > 0 else { return }
    let length = max(18, track.height * Double(shown) / Double(count))
    let way = (track.height - length) * Double(first) / Double(max(1, count - shown))
    list.items.append(.fill(Box(track.x + 1, track.y + way, 3, length), corner: 1.5, .disabled))
  }

  private mutating func emptyList(_ part: ScreenNode, in room: Box) {
    var box = room.inset(Grid.margin, 0)
      .centered(room.width, TextStyle.title.lineHeight * 2 + TextStyle.detail.lineHeight * 2)
    text(
      part.title, in: box.take(.top, TextStyle.title.lineHeight * 2), .title, .text, alignment: .center, lines: 2,
      isCut: part.isCut)
    text(part.detail, in: box, .detail, .secondary, alignment: .center, lines: 2)
  }

  private mutating func row(_ part: ScreenNode, in whole: Box) {
    switch part.kind {
    case .section:
      var box = whole.inset(Grid.margin, 0)
      if let index = part.indexLetter {
        let letter = box.take(.trailing, 20)
        text(
          index, in: letter.centered(20, TextStyle.label.lineHeight), .label, .secondary,
          alignment: .trailing)
      }
      for button in part.children where button.kind == .button {
        let wanted = TextEstimate.width(button.title, .body) + 2 * Grid.margin
        self.button(button, in: box.take(.trailing, min(max(Grid.target, wanted), whole.width / 3)), isSmall: true)
        _ = box.take(.trailing, Grid.gap)
      }
      let title = part.detail.isEmpty ? part.title : "\(part.title) · \(part.detail)"
      text(
        title, in: box.centered(box.width, TextStyle.detail.lineHeight), .detail, .secondary, isCut: part.isCut)
    case .header: strip(part.children, in: whole.inset(Grid.margin, Grid.gap))
    case .row where !part.children.isEmpty:
      var box = whole.inset(Grid.margin, 0)
      let title = box.take(.top, Grid.header)
      text(
        part.title, in: title.centered(title.width, TextStyle.body.lineHeight), .body, Self.ink(part), isCut: part.isCut
      )
      strip(part.children, in: box)
    case .page: self.button(part, in: whole.inset(Grid.margin, 0))
    default: plainRow(part, in: whole)
    }
  }

  /// Draws a strip of pictures or round buttons with words below. A picture without a title has no words: the part's
  /// title is then the name of the app's image.
  private mutating func strip(_ parts: [ScreenNode], in box: Box) {
    for (part, cell) in cells(parts, in: box, columns: 3) {
      var rest = cell
      let hasWord = part.kind != .picture || part.imageName != nil
      let word = hasWord ? rest.take(.bottom, TextStyle.label.lineHeight) : nil
      let side = min(rest.width, rest.height)
      image(part.imageName ?? part.title, id: part.image, in: rest.centered(side, side), Self.ink(part))
      if let word {
        text(part.title, in: word, .label, Self.ink(part, .secondary), alignment: .center, isCut: part.isCut)
      }
      ring(part, cell, corner: 6)
      target(cell, part)
    }
  }

  /// Draws a row: an image, one or two lines, and the accessory at the end.
  private mutating func plainRow(_ part: ScreenNode, in whole: Box) {
    let ground: Ink = part.isFocused ? .accent : .ground
    if part.isFocused { list.items.append(.fill(whole.inset(Grid.gap, 1), corner: 10, .accent)) }
    var box = whole.inset(Grid.margin, 0)
    let ink: Ink = part.isFocused ? .onAccent : Self.ink(part)
    let beside: Ink = part.isFocused ? .onAccent : Self.ink(part, .secondary)
    if part.marks.contains(.unread) {
      list.items.append(.fill(box.take(.leading, Grid.margin).centered(8, 8), corner: 4, beside))
    }
    if let name = part.imageName {
      image(
        name, id: part.image, in: box.take(.leading, Grid.rowImage).centered(Grid.rowImage, Grid.rowImage), ink)
      _ = box.take(.leading, Grid.margin)
    }
    for symbol in endSymbols(part) {
      list.items.append(.symbol(symbol, box.take(.trailing, Grid.symbol).centered(16, 16), beside))
    }
    if let name = part.accessoryName {
      image(
        name, id: part.accessory, in: box.take(.trailing, Grid.symbol).centered(Grid.symbol, Grid.symbol), beside)
    }
    for case .other(let note) in part.marks {
      let room = box.take(.trailing, min(TextEstimate.width(note, .detail) + Grid.gap, whole.width / 4))
      text(note, in: room.centered(room.width, TextStyle.detail.lineHeight), .detail, beside, on: ground)
    }
    if part.marks.contains(.explicit) {
      let mark = box.take(.trailing, Grid.symbol).centered(18, 18)
      list.items.append(.fill(mark, corner: 3, .control))
      text("E", in: mark, .label, .text, on: .control, alignment: .center)
    }
    var lines = box.centered(
      box.width, TextStyle.body.lineHeight + (part.detail.isEmpty ? 0 : TextStyle.detail.lineHeight))
    text(part.title, in: lines.take(.top, TextStyle.body.lineHeight), .body, ink, on: ground, isCut: part.isCut)
    text(part.detail, in: lines, .detail, beside, on: ground)
    if let progress = part.progress {
      let bar = Box(box.x, whole.bottom - 6, box.width, 3)
      list.items.append(.fill(bar, corner: 1.5, .control))
      list.items.append(
        .fill(Box(bar.x, bar.y, bar.width * progress, 3), corner: 1.5, part.isFocused ? .onAccent : .accent))
    }
    if !part.isFocused {
      list.items.append(.fill(Box(box.x, whole.bottom - 0.5, whole.right - box.x, 0.5), corner: 0, .line))
    }
    if part.kind != .item { target(whole, part) }
  }

  private func endSymbols(_ part: ScreenNode) -> [Symbol] {
    if part.hasSpinner { return [spinner] }
    var symbols: [Symbol] = []
    if part.marks.contains(.disclosure) { symbols.append(.forward) }
    if part.marks.contains(.cloud) { symbols.append(.cloud) }
    if part.marks.contains(.playing) { symbols.append(.playing) }
    if part.marks.contains(.mute) { symbols.append(.mute) }
    if part.marks.contains(.star) { symbols.append(.star) }
    if part.marks.contains(.pin) { symbols.append(.pin) }
    if part.kind == .siri { symbols.append(.microphone) }
    return symbols
  }

  // MARK: Tabs and grids

  mutating func tabScreen(_ screen: ScreenNode) {
    var rest = app
    let bar = rest.take(.top, Grid.bar)
    let tabs = screen.children.filter { $0.kind == .tab }
    for (tab, cell) in cells(tabs, in: bar.inset(Grid.gap, 0)) {
      let ink: Ink = tab.isSelected ? .accent : .secondary
      text(
        tab.title, in: cell.centered(cell.width, TextStyle.body.lineHeight), .body, ink, alignment: .center,
        isCut: tab.isCut)
      if tab.isSelected {
        list.items.append(
          .fill(Box(cell.x + cell.width * 0.2, cell.bottom - 4, cell.width * 0.6, 3), corner: 1.5, .accent))
      }
      if tab.marks.contains(.badge) {
        list.items.append(.fill(Box(cell.right - 12, cell.y + 8, 8, 8), corner: 4, .destructive))
      }
      ring(tab, cell.inset(2, 4), corner: 8)
      target(cell, tab)
    }
    list.items.append(.fill(Box(app.x, bar.bottom - 0.5, app.width, 0.5), corner: 0, .line))
    guard let content = screen.children.first(where: { $0.kind != .tab }) else { return }
    inner(content, in: rest)
  }

  /// Draws the content of a tab, without its own bar.
  private mutating func inner(_ content: ScreenNode, in room: Box) {
    switch content.kind {
    case .grid: grid(content, in: room)
    case .information: information(content, in: room)
    case .pointsOfInterest: points(content, in: room)
    default: rows(of: content, in: room)
    }
  }

  mutating func gridScreen(_ screen: ScreenNode) { grid(screen, in: navigationBar(screen, in: app)) }

  private mutating func grid(_ screen: ScreenNode, in room: Box) {
    let buttons = screen.children.filter { $0.kind == .button && $0.imageName != nil }
    let rows = buttons.count > 4 ? 2 : 1
    let perRow = (buttons.count + rows - 1) / rows
    var rest = room.inset(Grid.margin, Grid.gap)
    let height = min(96, rest.height / Double(rows))
    rest = rest.centered(rest.width, height * Double(rows))
    for row in 0..<rows {
      let line = rest.take(.top, height)
      let parts = buttons.dropFirst(row * perRow).prefix(perRow)
      for (part, cell) in cells(Array(parts), in: line, columns: perRow) {
        var inner = cell
        let word = inner.take(.bottom, TextStyle.detail.lineHeight)
        let side = min(52, inner.width, inner.height - 4)
        let circle = inner.centered(side, side)
        list.items.append(.fill(circle, corner: side / 2, part.isFocused ? .accent : .control))
        image(
          part.imageName ?? part.title, id: part.image, in: circle.centered(side * 0.6, side * 0.6),
          part.isFocused ? .onAccent : Self.ink(part))
        text(part.title, in: word, .detail, Self.ink(part), alignment: .center, isCut: part.isCut)
        target(cell, part)
      }
    }
  }

  mutating func home(_ screen: ScreenNode) {
    var rest = app.inset(Grid.margin, Grid.gap)
    if let banner = screen.children.first(where: { $0.kind == .banner }) {
      let box = rest.take(.top, Grid.tallRow)
      list.items.append(.fill(box, corner: 12, .card))
      text(
        banner.title, in: box.inset(Grid.margin, 0).centered(box.width, TextStyle.body.lineHeight), .body, .text,
        on: .card, isCut: banner.isCut)
      ring(banner, box, corner: 12)
      target(box, banner)
      _ = rest.take(.top, Grid.gap)
    }
    guard screen.title.isEmpty else {
      return text(
        screen.title, in: rest.centered(rest.width, TextStyle.title.lineHeight), .title, .secondary, alignment: .center)
    }
    let icons = screen.children.filter { $0.kind == .icon }
    let rowHeight = min(rest.height, 96)
    var lines = rest.centered(rest.width, min(rest.height, Double((icons.count + 3) / 4) * rowHeight))
    for start in stride(from: 0, to: icons.count, by: 4) {
      let row = Array(icons[start..<min(start + 4, icons.count)])
      guard lines.height >= rowHeight - 0.01 else {
        list.hiddenCount += row.count
        continue
      }
      self.icons(row, in: lines.take(.top, rowHeight))
    }
  }

  /// Draws a row of the home screen: four icons with their names.
  private mutating func icons(_ icons: [ScreenNode], in line: Box) {
    for (icon, cell) in cells(icons, in: line, columns: 4) {
      var inner = cell
      let word = inner.take(.bottom, TextStyle.detail.lineHeight)
      let side = min(56, inner.width, inner.height - 4)
      list.items.append(.image(DrawnImage(icon.title, in: inner.centered(side, side), corner: 13)))
      text(
        icon.title, in: word, Self.style(of: icon.title, from: [.detail, .label], in: word.width), .text,
        alignment: .center, isCut: icon.isCut)
      ring(icon, inner.centered(side, side), corner: 13)
      target(cell, icon)
    }
  }
}
