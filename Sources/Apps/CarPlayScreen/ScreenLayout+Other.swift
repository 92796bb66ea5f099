// swift-iap2 · Apache-2.0

import CarPlayPlatform

extension ScreenLayout {
  // MARK: Modal screens

  /// Draws an alert over the whole screen: its text in the middle, and the answers below.
  mutating func alertScreen(_ screen: ScreenNode) {
    list.items.append(.dim(app))
    var room = app.inset(Grid.margin, Grid.margin)
    answers(screen.children.filter { $0.kind == .action }, in: &room)
    let lines = max(1, min(6, Int(room.height / TextStyle.title.lineHeight)))
    text(
      screen.title, in: room.centered(room.width, TextStyle.title.lineHeight * Double(lines)), .title, .text,
      alignment: .center, lines: lines, isCut: screen.isCut)
  }

  /// Draws answers at the bottom: side by side if their words fit, otherwise stacked.
  private mutating func answers(_ actions: [ScreenNode], in room: inout Box) {
    guard !actions.isEmpty else { return }
    let width = room.columns(actions.count, gap: Grid.gap)[0].width
    let fits = actions.allSatisfy { TextEstimate.width($0.title, .body) + 2 * Grid.margin <= width }
    if fits {
      let line = room.take(.bottom, Grid.target)
      for (action, cell) in cells(actions, in: line) { button(action, in: cell) }
    } else {
      for action in actions.reversed() {
        guard room.height >= Grid.target + TextStyle.title.lineHeight else {
          list.hiddenCount += 1
          continue
        }
        button(action, in: room.take(.bottom, Grid.target))
        _ = room.take(.bottom, 4)
      }
    }
    _ = room.take(.bottom, Grid.gap)
  }

  mutating func sheetScreen(_ screen: ScreenNode) {
    list.items.append(.dim(app))
    let actions = screen.children.filter { $0.kind == .action }
    let lines =
      (screen.title.isEmpty ? 0 : TextStyle.body.lineHeight)
      + (screen.detail.isEmpty ? 0 : TextStyle.detail.lineHeight * 2)
    let height = min(app.height - 2 * Grid.gap, lines + Double(actions.count) * (Grid.target + 4) + 3 * Grid.gap)
    let box = app.centered(max(app.width * 0.6, min(app.width - 2 * Grid.gap, 300)), height)
    list.items.append(.fill(box, corner: 14, .card))
    var inner = box.inset(Grid.margin, Grid.gap)
    if !screen.title.isEmpty {
      text(
        screen.title, in: inner.take(.top, TextStyle.body.lineHeight), .body, .text, on: .card, alignment: .center,
        isCut: screen.isCut)
    }
    if !screen.detail.isEmpty {
      text(
        screen.detail, in: inner.take(.top, TextStyle.detail.lineHeight * 2), .detail, .secondary, on: .card,
        alignment: .center, lines: 2)
    }
    _ = inner.take(.top, Grid.gap)
    let focused = actions.firstIndex(where: \.isFocused) ?? 0
    let count = max(1, Int((inner.height + 4) / (Grid.target + 4)))
    let first = max(0, min(focused - count + 1, actions.count - count))
    for action in actions.dropFirst(first).prefix(count) where inner.height >= Grid.target - 0.01 {
      button(action, in: inner.take(.top, Grid.target))
      _ = inner.take(.top, 4)
    }
    list.hiddenCount += max(0, actions.count - count)
  }

  mutating func voiceScreen(_ screen: ScreenNode) {
    var room = navigationBarOnly(screen).inset(Grid.margin, Grid.gap)
    answers(screen.children.filter { $0.kind == .action }, in: &room)
    let words = room.take(.bottom, min(room.height, TextStyle.title.lineHeight * 2))
    let side = min(room.height, 120)
    let circle = room.centered(side, side)
    list.items.append(.fill(circle, corner: side / 2, .control))
    image(screen.imageName ?? "microphone", id: screen.image, in: circle.centered(side * 0.5, side * 0.5), .accent)
    text(screen.title, in: words, .title, .text, alignment: .center, lines: 2, isCut: screen.isCut)
  }

  /// Draws a bar if it has content. Returns the space below.
  private mutating func navigationBarOnly(_ screen: ScreenNode) -> Box {
    guard screen.children.contains(where: { $0.kind == .back || $0.kind == .button }) else { return app }
    var rest = app
    bar(screen, in: rest.take(.top, Grid.bar), title: "")
    return rest
  }

  // MARK: Information

  mutating func informationScreen(_ screen: ScreenNode) { information(screen, in: navigationBar(screen, in: app)) }

  mutating func information(_ screen: ScreenNode, in whole: Box) {
    var room = whole
    let actions = screen.children.filter { $0.kind == .action }
    if !actions.isEmpty {
      let line = room.take(.bottom, Grid.target + Grid.gap).inset(Grid.margin, Grid.gap / 2)
      for (action, cell) in cells(actions, in: Box(line.x, line.y, line.width, Grid.target)) {
        button(action, in: cell, isProminent: action.marks.contains(.confirm))
      }
    }
    rows(of: ScreenNode(.list, children: screen.children.filter { $0.kind == .item }), in: room)
  }

  mutating func contactScreen(_ screen: ScreenNode) {
    var room = navigationBar(screen, in: app).inset(Grid.margin, Grid.gap)
    let actions = screen.children.filter { $0.kind == .action }
    if !actions.isEmpty {
      let line = room.take(.bottom, Grid.target)
      for (action, cell) in cells(actions, in: line) { button(action, in: cell) }
      _ = room.take(.bottom, Grid.gap)
    }
    let side = min(72, room.height)
    let head = room.centered(room.width, side)
    var line = head
    let circle = line.take(.leading, side)
    let title = screen.children.first { $0.kind == .title }
    list.items.append(
      .image(DrawnImage(title?.title ?? "", id: title?.image, in: circle, corner: side / 2, fills: true)))
    _ = line.take(.leading, Grid.margin)
    text(
      title?.title ?? "", in: line.take(.top, TextStyle.title.lineHeight), .title, .text, isCut: title?.isCut ?? false)
    text(title?.detail ?? "", in: line.take(.top, TextStyle.detail.lineHeight), .detail, .secondary)
    text(
      screen.children.first { $0.kind == .text }?.title ?? "", in: line.take(.top, TextStyle.detail.lineHeight),
      .detail,
      .secondary)
  }

  // MARK: Search

  mutating func searchScreen(_ screen: ScreenNode) {
    var room = app
    var bar = room.take(.top, Grid.bar).inset(Grid.gap, 0)
    if let back = screen.children.first(where: { $0.kind == .back }) {
      let box = bar.take(.leading, Grid.target)
      list.items.append(.symbol(.back, box.centered(Grid.symbol, Grid.symbol), .accent))
      ring(back, box.inset(2, 4), corner: 8)
      target(box, back)
    }
    let field = bar.inset(0, 5)
    list.items.append(.fill(field, corner: 10, .control))
    var inner = field.inset(Grid.gap, 0)
    list.items.append(.symbol(.search, inner.take(.leading, Grid.symbol).centered(16, 16), .secondary))
    _ = inner.take(.leading, Grid.gap)
    let words = screen.children.first { $0.kind == .field }?.title ?? ""
    text(
      words.isEmpty ? "Search" : words, in: inner.centered(inner.width, TextStyle.body.lineHeight), .body,
      words.isEmpty ? .secondary : .text, on: .control)
    let results = screen.children.filter { $0.kind == .result }
    if let keyboard = screen.children.first(where: { $0.kind == .keyboard }) {
      let height = min(room.height - (results.isEmpty ? 0 : Grid.tallRow), 4 * (Grid.target + 2))
      self.keyboard(keyboard, in: room.take(.bottom, max(0, height)))
    }
    if screen.children.contains(where: { $0.kind == .spinner }), results.isEmpty {
      return spinner(in: room.take(.top, Grid.row))
    }
    rows(of: ScreenNode(.list, children: results), in: room)
  }

  /// Draws the keys of a page: as many letters as fit, each with a target. Delete, the next page and the search key are
  /// at the ends of the rows. With a knob there is one row.
  private mutating func keyboard(_ part: ScreenNode, in whole: Box) {
    guard part.isEnabled else {
      return text(
        part.title, in: whole.centered(whole.width - 2 * Grid.margin, TextStyle.body.lineHeight), .body, .secondary,
        alignment: .center)
    }
    let columns = max(2, Int((whole.width - Grid.gap) / (Grid.target + 2)))
    let rows = look.movesFocus ? 1 : max(1, min(4, Int(whole.height / (Grid.target + 2))))
    var room = whole.inset(Grid.gap / 2, 0)
    if look.movesFocus { room = room.take(.bottom, Grid.target + 2) }
    var letters = Array("abcdefghijklmnopqrstuvwxyz")[...]
    let ends: [Symbol] = [.left, .more, .search]
    for row in 0..<rows {
      let line = room.take(.top, Grid.target + 2)
      for (column, cell) in line.columns(columns, gap: 2).enumerated() {
        let key = Box(cell.x, cell.y, cell.width, Grid.target)
        let isEnd = column == columns - 1 && row < ends.count
        guard isEnd || !letters.isEmpty else { continue }
        list.items.append(.fill(key, corner: 8, .control))
        if isEnd {
          let symbol = rows == 1 ? .search : ends[row]
          list.items.append(.symbol(symbol, key.centered(Grid.symbol, Grid.symbol), .text))
          target(key, name: symbol.rawValue)
        } else {
          let letter = String(letters.removeFirst())
          text(
            letter, in: key.centered(key.width, TextStyle.body.lineHeight), .body, .text, on: .control,
            alignment: .center)
          target(key, name: letter)
        }
      }
    }
  }

  // MARK: Now Playing

  mutating func nowPlayingScreen(_ screen: ScreenNode) {
    let artwork = screen.children.first { $0.kind == .artwork }
    if let id = artwork?.image { list.items.append(.backdrop(id, app)) }
    var room = navigationBar(screen, in: app).inset(Grid.margin, Grid.gap)
    let commands = screen.children.filter { $0.kind == .command }
    let transport = room.take(.bottom, Grid.target)
    for (part, cell) in cells(commands, in: transport, columns: 3) {
      command(part, in: cell)
    }
    let options = screen.children.filter { $0.kind == .option }
    let hasRoom = room.height >= Grid.target + 70
    if !options.isEmpty, hasRoom {
      let line = room.take(.bottom, Grid.target)
      for (part, cell) in cells(options, in: line, columns: 5) { command(part, in: cell) }
    } else {
      list.hiddenCount += options.count
    }
    let side = min(room.height, room.width * 0.36)
    let cover = room.take(.leading, side)
    list.items.append(
      .image(
        DrawnImage(
          artwork?.title ?? "none", id: artwork?.image,
          in: Box(cover.x, cover.y + (cover.height - side) / 2, side, side), corner: 8, fills: true)))
    _ = room.take(.leading, Grid.margin)
    let title = screen.children.first { $0.kind == .title }
    let progress = screen.children.first { $0.kind == .progress }
    var lines = room.centered(
      room.width, min(room.height, TextStyle.title.lineHeight + TextStyle.detail.lineHeight * 2 + Grid.gap + 4))
    text(
      title?.title ?? "", in: lines.take(.top, TextStyle.title.lineHeight), .title, .text, isCut: title?.isCut ?? false)
    text(title?.detail ?? "", in: lines.take(.top, TextStyle.detail.lineHeight), .detail, .secondary)
    if let progress { self.progress(progress, in: lines) }
  }

  private mutating func progress(_ part: ScreenNode, in room: Box) {
    var rest = room
    _ = rest.take(.top, Grid.gap)
    if !part.detail.isEmpty { list.items.append(.fill(rest.take(.top, 4), corner: 2, .control)) }
    var line = rest.take(.top, TextStyle.detail.lineHeight)
    let end = line.take(.trailing, line.width / 2)
    text(part.title, in: line, .detail, .secondary)
    text(part.detail, in: end, .detail, .secondary, alignment: .trailing)
  }

  /// Draws a key of the transport or an option of the app: a symbol if one exists, otherwise its words.
  private mutating func command(_ part: ScreenNode, in cell: Box) {
    let ink: Ink = part.isFocused ? .onAccent : part.isSelected ? .accent : Self.ink(part)
    if part.isFocused { list.items.append(.fill(cell, corner: 10, .accent)) }
    if let id = part.image {
      let box = cell.centered(Grid.barImage, Grid.barImage)
      list.items.append(.image(DrawnImage(part.title, id: id, in: box, corner: 0, ink: ink)))
    } else if let symbol = Symbol(command: part.title) {
      list.items.append(.symbol(symbol, cell.centered(Grid.symbol, Grid.symbol), ink))
    } else {
      text(
        part.title, in: cell.centered(cell.width, TextStyle.detail.lineHeight), .detail, ink,
        on: part.isFocused ? .accent : .ground, alignment: .center, isCut: part.isCut)
    }
    target(cell, part)
  }
}
