// swift-iap2 · Apache-2.0

import CarPlayPlatform

extension ScreenLayout {
  mutating func mapScreen(_ screen: ScreenNode) {
    let hasRoute = screen.children.contains { $0.kind == .guidance || $0.kind == .trip }
    let isMirrored = look.screen.drivingSide == .right
    // The car is in the middle of the area that the cards leave free.
    let free = (1 - Grid.card) / 2
    list.items.append(.map(DrawnMap(box: app, map: map, hasRoute: hasRoute, place: isMirrored ? free : 1 - free)))
    var room = app
    let hasBar = screen.children.contains { $0.kind == .back || $0.kind == .button }
    if hasBar { mapBar(screen, in: room.take(.top, Grid.bar)) }
    // Below a bar, four map buttons fill the smallest legal screen except for 8 points.
    room = room.inset(Grid.gap, 4)
    // Cards are on the driver's side, map buttons on the other side.
    let column = room.take(isMirrored ? .leading : .trailing, Grid.target)
    mapButtons(screen, in: column)
    let card = room.take(isMirrored ? .trailing : .leading, app.width * Grid.card)
    if screen.children.contains(where: { $0.kind == .pan }) { pan(screen, in: room) }
    cards(screen, in: card)
  }

  /// Draws the bar over the map. Each of its buttons has its own background.
  private mutating func mapBar(_ screen: ScreenNode, in whole: Box) {
    var bar = whole.inset(Grid.gap, 0)
    if let back = screen.children.first(where: { $0.kind == .back }) {
      let width = min(bar.width * 0.3, max(Grid.target, TextEstimate.width(back.title, .body) + 2 * Grid.margin))
      button(back, in: bar.take(.leading, width), isSmall: true)
      _ = bar.take(.leading, Grid.gap)
    }
    for part in screen.barButtons {
      let isSymbol = part.image != nil || Symbol(imageNamed: part.title) != nil
      let wanted = isSymbol ? Grid.target : TextEstimate.width(part.title, .body) + 2 * Grid.margin
      button(part, in: bar.take(.leading, min(max(Grid.target, wanted), whole.width / 4)), isSmall: true)
      _ = bar.take(.leading, Grid.gap)
    }
  }

  private mutating func mapButtons(_ screen: ScreenNode, in whole: Box) {
    var column = whole
    for part in screen.children.filter({ $0.kind == .mapButton }).reversed() {
      guard column.height >= Grid.target - 0.01 else {
        list.hiddenCount += 1
        continue
      }
      let box = column.take(.bottom, Grid.target)
      list.items.append(.fill(box.inset(1, 1), corner: Grid.target / 2, part.isFocused ? .accent : .card))
      image(part.title, id: part.image, in: box.centered(26, 26), part.isFocused ? .onAccent : Self.ink(part))
      target(box, part)
    }
  }

  private mutating func pan(_ screen: ScreenNode, in room: Box) {
    let boxes = [
      "left": Box(room.x, room.y + (room.height - Grid.target) / 2, Grid.target, Grid.target),
      "right": Box(room.right - Grid.target, room.y + (room.height - Grid.target) / 2, Grid.target, Grid.target),
      "up": Box(room.x + (room.width - Grid.target) / 2, room.y, Grid.target, Grid.target),
      "down": Box(room.x + (room.width - Grid.target) / 2, room.bottom - Grid.target, Grid.target, Grid.target),
    ]
    for part in screen.children where part.kind == .pan {
      guard let box = boxes[part.title], let symbol = Symbol(rawValue: part.title) else { continue }
      list.items.append(.fill(box, corner: Grid.target / 2, part.isFocused ? .accent : .card))
      list.items.append(
        .symbol(symbol, box.centered(Grid.symbol, Grid.symbol), part.isFocused ? .onAccent : .text))
      target(box, part)
    }
  }

  /// Draws the cards on the driver's side: an alert from below, then the guidance or the trips from above.
  private mutating func cards(_ screen: ScreenNode, in whole: Box) {
    var room = whole
    if let alert = screen.children.first(where: { $0.kind == .alert }) { mapAlert(alert, in: &room) }
    if let estimates = screen.children.first(where: { $0.kind == .estimates }), room.height > 90 {
      let box = room.take(.bottom, 34)
      card(box)
      var inner = box.inset(Grid.margin, 0)
      let detail = inner.take(.trailing, inner.width / 2)
      text(
        estimates.title, in: inner.centered(inner.width, TextStyle.body.lineHeight), .body, .text, on: .card)
      text(
        estimates.detail, in: detail.centered(detail.width, TextStyle.body.lineHeight), .body, .secondary, on: .card,
        alignment: .trailing)
      _ = room.take(.bottom, Grid.gap)
    }
    if let guidance = screen.children.first(where: { $0.kind == .guidance }) {
      self.guidance(guidance, in: room)
    } else {
      trips(screen.children.filter { $0.kind == .trip }, in: room)
    }
  }

  private mutating func card(_ box: Box) { list.items.append(.fill(box, corner: 12, .card)) }

  private mutating func guidance(_ part: ScreenNode, in room: Box) {
    var room = room
    if part.hasSpinner || !part.title.isEmpty {
      let box = room.take(.top, 64)
      card(box)
      if part.hasSpinner { spinner(in: box) }
      return text(
        part.title, in: box.inset(Grid.margin, 0).centered(box.width, TextStyle.body.lineHeight * 2), .body, .text,
        on: .card, alignment: .center, lines: 2, isCut: part.isCut)
    }
    guard let first = part.children.first else { return }
    let isTall = room.height >= 130
    // A high screen is often narrow, so an instruction needs a third line there.
    let wanted = room.height >= 220 ? 116.0 : isTall ? 96 : 70
    let box = room.take(.top, min(room.height, wanted))
    card(box)
    maneuver(first, in: box, isTall: isTall)
    guard let second = part.children.dropFirst().first, room.height >= 36 + Grid.gap else { return }
    _ = room.take(.top, Grid.gap)
    let small = room.take(.top, 36)
    card(small)
    var inner = small.inset(Grid.margin, 0)
    image(
      second.imageName ?? "straight", id: second.image, in: inner.take(.leading, Grid.symbol).centered(20, 20),
      .secondary)
    _ = inner.take(.leading, Grid.gap)
    text(
      second.title, in: inner.centered(inner.width, TextStyle.detail.lineHeight), .detail, .secondary, on: .card,
      isCut: second.isCut)
  }

  private mutating func maneuver(_ part: ScreenNode, in box: Box, isTall: Bool) {
    var inner = box.inset(Grid.margin, Grid.gap)
    let side = isTall && box.width >= 170 ? 40.0 : 28
    image(
      part.imageName ?? "straight", id: part.image, in: inner.take(.leading, side).centered(side, side), .text,
      size: side)
    _ = inner.take(.leading, Grid.gap)
    if !part.detail.isEmpty {
      let style = Self.style(
        of: part.detail, from: isTall ? [.large, .title, .body] : [.title, .body], in: inner.width)
      text(part.detail, in: inner.take(.top, style.lineHeight), style, .text, on: .card)
    }
    let lines = max(1, min(3, Int(inner.height / TextStyle.detail.lineHeight)))
    text(
      part.title, in: inner.take(.top, TextStyle.detail.lineHeight * Double(lines)), .detail, .text, on: .card,
      lines: lines, isCut: part.isCut)
  }

  private mutating func trips(_ trips: [ScreenNode], in room: Box) {
    guard !trips.isEmpty else { return }
    var rest = room
    // A single trip or a single route offers no choice, so its line is not a target.
    let routeCount = trips.reduce(0) { $0 + $1.children.count { $0.kind == .route } }
    let tripHeight = trips.count > 1 ? Grid.row : 28
    func height(_ part: ScreenNode) -> Double {
      part.kind == .action ? Grid.target + 4 : part.kind == .route && routeCount > 1 ? Grid.target : 20
    }
    let wanted = trips.reduce(Grid.gap * 2) { $0 + tripHeight + $1.children.reduce(0) { $0 + height($1) } }
    let box = rest.take(.top, min(wanted, rest.height))
    card(box)
    var inner = box.inset(Grid.margin, Grid.gap)
    // On a small card the actions have priority: without them the driver cannot start.
    var actions: [(ScreenNode, Box)] = []
    for trip in trips {
      for action in trip.children.filter({ $0.kind == .action }).reversed()
      where inner.height >= Grid.target + tripHeight {
        actions.append((action, inner.take(.bottom, Grid.target)))
        _ = inner.take(.bottom, 4)
      }
    }
    var hidden = trips.flatMap(\.children).count { $0.kind == .action } - actions.count
    for trip in trips {
      guard inner.height >= tripHeight else {
        hidden += 1
        continue
      }
      let line = inner.take(.top, tripHeight)
      text(
        trip.title, in: line.centered(line.width, TextStyle.title.lineHeight), .title,
        trip.isSelected ? .accent : .text, on: .card, isCut: trip.isCut)
      ring(trip, line, corner: 6)
      if trips.count > 1 { target(line, trip) }
      for part in trip.children where part.kind != .action {
        guard inner.height >= height(part) else {
          hidden += 1
          continue
        }
        let line = inner.take(.top, height(part))
        let words = part.detail.isEmpty ? part.title : "\(part.title) · \(part.detail)"
        text(
          words, in: line.centered(line.width, TextStyle.detail.lineHeight), .detail,
          part.isSelected ? .accent : .secondary, on: .card, isCut: part.isCut)
        ring(part, line, corner: 6)
        if part.kind == .route, routeCount > 1 { target(line, part) }
      }
    }
    list.hiddenCount += hidden
    for (action, box) in actions {
      button(action, in: box, isProminent: action.title == trips[0].children.first { $0.kind == .action }?.title)
    }
  }

  private mutating func mapAlert(_ part: ScreenNode, in room: inout Box) {
    let isTall = room.height >= 150
    let lines = part.detail.isEmpty ? 0.0 : isTall ? 2 : 1
    let texts = TextStyle.body.lineHeight + lines * TextStyle.detail.lineHeight
    let box = room.take(.bottom, min(room.height, texts + Grid.target + 3 * Grid.gap))
    _ = room.take(.bottom, Grid.gap)
    card(box)
    var inner = box.inset(Grid.gap, Grid.gap)
    let buttons = inner.take(.bottom, Grid.target)
    inner = inner.inset(Grid.gap, 0)
    for (action, cell) in cells(part.children, in: buttons) {
      button(action, in: cell, isProminent: action == part.children.first)
    }
    text(
      part.title, in: inner.take(.top, TextStyle.body.lineHeight), .body, .text, on: .card, isCut: part.isCut)
    text(
      part.detail, in: inner.take(.top, TextStyle.detail.lineHeight * lines), .detail, .secondary, on: .card,
      lines: Int(lines))
  }

  /// Draws the app's part of the car's dashboard or instrument cluster: its map, with the next maneuver, a text or two
  /// buttons.
  mutating func dashboardScreen(_ screen: ScreenNode) {
    let hasRoute = screen.children.contains { $0.kind == .maneuver }
    list.items.append(.map(DrawnMap(box: app, map: map, hasRoute: hasRoute)))
    var room = app.inset(Grid.gap, Grid.gap)
    if !screen.title.isEmpty {
      let box = room.take(.top, min(room.height, 56))
      card(box)
      text(
        screen.title, in: box.inset(Grid.margin, 0).centered(box.width, TextStyle.body.lineHeight * 2), .body, .text,
        on: .card, alignment: .center, lines: 2, isCut: screen.isCut)
    }
    if let next = screen.children.first(where: { $0.kind == .maneuver }) {
      let box = room.take(.top, min(room.height, 70))
      card(box)
      maneuver(next, in: box, isTall: false)
    }
    for part in screen.children.filter({ $0.kind == .button }).reversed() {
      button(part, in: room.take(.bottom, Grid.target))
      _ = room.take(.bottom, 4)
    }
  }

  mutating func pointScreen(_ screen: ScreenNode) { points(screen, in: navigationBar(screen, in: app)) }

  /// Draws the list of points on the driver's side, beside the system's map.
  mutating func points(_ screen: ScreenNode, in room: Box) {
    var rest = room
    let panel = rest.take(look.screen.drivingSide == .right ? .trailing : .leading, room.width * Grid.card)
    list.items.append(.map(DrawnMap(box: rest, map: CarMap())))
    var column = panel
    if let selected = screen.children.first(where: \.isSelected), !selected.children.isEmpty {
      var buttons = column.take(.bottom, (Grid.target + 4) * Double(selected.children.count)).inset(Grid.gap, 0)
      for action in selected.children {
        button(action, in: buttons.take(.top, Grid.target))
        _ = buttons.take(.top, 4)
      }
    }
    rows(of: ScreenNode(.list, children: screen.children.filter { $0.kind == .point }), in: column)
  }
}
