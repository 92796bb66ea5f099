// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import CarPlayScreen
import UIKit

extension ScreenBuilder {
  /// The maximum number of rows of a list in the current state of the car.
  var maximumItems: Int {
    host.session.limitedUserInterfaces.contains(.lists)
      ? min(limits.maximumItemCount, limits.maximumItemCountWhileLimited) : limits.maximumItemCount
  }

  func list(_ list: CPListTemplate) -> [Element] {
    host.reportCut(
      "rows", given: list.itemCount, kept: maximumItems, of: list, "updateSections",
      remedy: "read CPListTemplate.maximumItemCount before each update and put the most important rows first")
    host.reportCut(
      "sections", given: list.sectionCount, kept: limits.maximumSectionCount, of: list, "updateSections",
      remedy: "read CPListTemplate.maximumSectionCount before each update")
    var left = maximumItems
    var parts: [Element] = []
    for section in list.sections.prefix(limits.maximumSectionCount) where left > 0 {
      let items = section.items.prefix(left)
      left -= items.count
      let rows = items.map { row($0, list) }
      let (made, reports) = host.collectingReports { sectionHeader(section) }
      guard var header = made else {
        parts += rows
        continue
      }
      header.reports += reports
      header.children += rows
      parts.append(header)
    }
    let top = headerGrid(list) + siriRow(list, at: .top)
    let bottom = siriRow(list, at: .bottom)
    guard list.itemCount > 0 else { return top + [host.reporting { empty(list) }] + bottom }
    return top + pages(parts, of: list, beside: top + bottom) + bottom
  }

  /// Reports fault 34. No reproducible cause is published, so the host does not emulate it.
  private func reportImageRows(_ list: CPListTemplate) {
    guard list.sections.flatMap(\.items).contains(where: { $0 is CPListImageRowItem }) else { return }
    host.report(
      CarDiagnostic(
        .note, what: "a list with image rows is longer than the screen",
        carShows: "on some systems a list that scrolls the wrong way (Apple forum 817326)",
        remedy: "try it on a device; keep image rows in lists that need no scrolling",
        place: host.places.place(of: list) ?? .unknown))
  }

  private func sectionHeader(_ section: CPListSection) -> Element? {
    guard section.header != nil || section.headerSubtitle != nil else { return nil }
    let title = text(section.header, of: section, "header", in: TextRoom(points: width - SystemLayout.accessory))
    let subtitle = text(section.headerSubtitle, of: section, "headerSubtitle", in: TextRoom(points: width / 2))
    _ = image(section.headerImage, settings.imageSizes.listSection, of: section, "headerImage")
    let buttons = section.headerButton.map { [button($0, .button)] } ?? []
    return Element(
      ScreenNode(
        .section, title?.text ?? "", detail: subtitle?.text ?? "", isCut: title?.isCut ?? false,
        marks: section.sectionIndexTitle.map { [.index(String($0.prefix(1)))] } ?? []), children: buttons)
  }

  private func empty(_ list: CPListTemplate) -> Element {
    if list.showsSpinnerWhileEmpty { return Element(ScreenNode(.spinner, hasSpinner: true)) }
    let room = TextRoom(points: width - SystemLayout.bar)
    let title = variant(list.emptyViewTitleVariants, of: list, "emptyViewTitleVariants", in: room)
    let subtitle = variant(list.emptyViewSubtitleVariants, of: list, "emptyViewSubtitleVariants", in: room)
    return Element(ScreenNode(.empty, title?.text ?? "", detail: subtitle?.text ?? ""))
  }

  private func headerGrid(_ list: CPListTemplate) -> [Element] {
    let buttons = list.headerGridButtons ?? []
    host.reportCut(
      "header grid buttons", given: buttons.count, kept: limits.maximumHeaderGridButtons, of: list,
      "headerGridButtons", remedy: "read CPListTemplate.maximumHeaderGridButtonCount")
    guard !buttons.isEmpty else { return [] }
    return [
      Element(ScreenNode(.header), children: buttons.prefix(limits.maximumHeaderGridButtons).map(gridButton))
    ]
  }

  private func siriRow(_ list: CPListTemplate, at position: CPListItem.AssistantCellPosition) -> [Element] {
    guard let cell = list.assistantCellConfiguration, cell.position == position else { return [] }
    let isLimited = !host.session.limitedUserInterfaces.isEmpty
    guard cell.visibility == .always || (cell.visibility == .whileLimitedUIActive && isLimited) else { return [] }
    let title = cell.assistantAction == .playMedia ? "Ask Siri to play" : "Ask Siri to call"
    return [Element(ScreenNode(.siri, title)) { [host] in host.note(.car, "siri", title) }]
  }

  /// Returns the rows, or one page of them with arrows on screens that cannot scroll by a drag. The layout of the screen
  /// decides what fits.
  private func pages(_ parts: [Element], of list: CPListTemplate, beside others: [Element]) -> [Element] {
    let isPaged = settings.inputs.contains(.lowFidelityTouch) && !settings.inputs.contains(.touch)
    guard isPaged || list.sections.contains(where: { $0.items.contains { $0 is CPListImageRowItem } }) else {
      return parts
    }
    let rows = parts.flatMap { part in
      guard part.node.kind == .section else { return [part] }
      var header = part
      header.children = part.children.filter { $0.node.kind == .button }
      return [header] + part.children.filter { $0.node.kind != .button }
    }
    let values = { (elements: [Element]) in elements.map { $0.screen(focus: nil) } }
    let pages = ScreenLayout.pages(of: values(rows), beside: values(others), height: height)
    guard pages.count > 1 else { return parts }
    reportImageRows(list)
    guard isPaged else { return parts }
    let page = min(connection.page, pages.count - 1)
    let arrows = [
      Element(ScreenNode(.page, "up", isEnabled: page > 0)) { [connection] in connection.page = max(0, page - 1) },
      Element(ScreenNode(.page, "down", isEnabled: page < pages.count - 1)) { [connection] in
        connection.page = page + 1
      },
    ]
    return Array(rows[pages[page]]) + arrows
  }

  // MARK: Rows

  private func row(_ item: any CPListTemplateItem, _ list: CPListTemplate) -> Element {
    host.reporting { plainRow(item, list) }
  }

  private func plainRow(_ item: any CPListTemplateItem, _ list: CPListTemplate) -> Element {
    switch item {
    case let item as CPListItem: listRow(item) { [host] in host.tap(item, of: list) }
    case let item as CPListImageRowItem: imageRow(item, list)
    case let item as CPMessageListItem: messageRow(item)
    default: Element(ScreenNode(.row, textOf(item) ?? "", isEnabled: item.isEnabled))
    }
  }

  func listRow(_ item: CPListItem, _ kind: ScreenNode.Kind = .row, action: @escaping @MainActor () -> Void) -> Element {
    let run = connection.run
    let room = TextRoom(
      points: width - SystemLayout.accessory - (item.image == nil ? 0 : SystemLayout.rowImage))
    let title = text(item.text, of: item, "text", in: room)
    let detail = text(item.detailText, of: item, "detailText", in: room)
    let image = self.image(item.image, settings.imageSizes.listItem, of: item, "setImage")
    var marks: [ScreenMark] = []
    if let image { marks.append(.image(image)) }
    if item.isPlaying { marks.append(.playing) }
    if item.isExplicitContent { marks.append(.explicit) }
    if item.playbackProgress > 0 { marks.append(.progress(item.playbackProgress)) }
    if let accessory = self.image(item.accessoryImage, settings.imageSizes.listItem, of: item, "setAccessoryImage") {
      marks.append(.accessory(accessory))
    } else if item.accessoryType == .disclosureIndicator {
      marks.append(.disclosure)
    } else if item.accessoryType == .cloud {
      marks.append(.cloud)
    }
    return Element(
      ScreenNode(
        kind, title?.text ?? "", detail: detail?.text ?? "", isEnabled: item.isEnabled,
        isCut: (title?.isCut ?? false) || (detail?.isCut ?? false),
        hasSpinner: run?.item === item && run?.showsSpinner == true, marks: marks), title, detail, action: action
    ).showing(item.image, accessory: item.accessoryImage, of: host)
  }

  private func imageRow(_ item: CPListImageRowItem, _ list: CPListTemplate) -> Element {
    let title = text(item.text, of: item, "text", in: TextRoom(points: width - SystemLayout.accessory))
    let names = item.elements.isEmpty ? imageNames(item) : elementNames(item)
    host.reportCut(
      "images in a row", given: names.count, kept: limits.maximumGridImages, of: item, "update",
      remedy: "read CPMaximumNumberOfGridImages")
    let fitting = max(1, Int(width / max(1, settings.imageSizes.imageRow.width / 2)))
    let kept = item.allowsMultipleLines ? limits.maximumGridImages : min(limits.maximumGridImages, fitting)
    let pictures = names.prefix(kept).enumerated().map { index, picture in
      let name = picture.title?.text ?? picture.image
      let isEnabled =
        item.elements.indices.contains(index) ? item.elements[index].isEnabled && item.isEnabled : item.isEnabled
      return Element(
        ScreenNode(
          .picture, name, isEnabled: isEnabled, isCut: picture.title?.isCut ?? false,
          marks: picture.title == nil || picture.image.isEmpty ? [] : [.image(picture.image)]), picture.title
      ) { [host] in
        host.tap(item, picture: index, name)
      }
      .showing(picture.source, of: host)
      .with(reports: picture.reports)
    }
    let run = connection.run
    return Element(
      ScreenNode(
        .row, title?.text ?? "", isEnabled: item.isEnabled, isCut: title?.isCut ?? false,
        hasSpinner: run?.item === item && run?.showsSpinner == true), title, children: pictures
    ) { [host] in host.tap(item, of: list) }
  }

  /// The label of a picture in a row: its title, or its image's name; and the reports about it.
  private typealias PictureName = (title: FittedText?, image: String, source: UIImage?, reports: [Int])

  private func imageNames(_ item: CPListImageRowItem) -> [PictureName] {
    item.gridImages.enumerated().map { index, image in
      let ((title, name), reports) = host.collectingReports {
        let title = item.imageTitles.indices.contains(index) ? item.imageTitles[index] : nil
        let name = self.image(image, settings.imageSizes.imageRow, of: item, "update") ?? ""
        return (pictureTitle(title, item), name)
      }
      return (title, name, image, reports)
    }
  }

  private func elementNames(_ item: CPListImageRowItem) -> [PictureName] {
    item.elements.map { element in
      let title: String? =
        switch element {
        case let element as CPListImageRowItemRowElement: element.title
        case let element as CPListImageRowItemCardElement: element.title
        case let element as CPListImageRowItemCondensedElement: element.title
        case let element as CPListImageRowItemImageGridElement: element.title
        default: nil
        }
      let ((shown, name), reports) = host.collectingReports {
        let name = self.image(element.image, settings.imageSizes.imageRow, of: element, "image") ?? ""
        return (pictureTitle(title, element), name)
      }
      return (shown, name, element.image, reports)
    }
  }

  private func pictureTitle(_ title: String?, _ object: AnyObject) -> FittedText? {
    text(title, of: object, "title", in: TextRoom(points: settings.imageSizes.imageRow.width))
  }

  private func textOf(_ item: any CPListTemplateItem) -> String? {
    text(item.text, of: item, "text", in: TextRoom(points: width - SystemLayout.accessory))?.text
  }

  private func messageRow(_ item: CPMessageListItem) -> Element {
    let room = TextRoom(points: width - SystemLayout.accessory - SystemLayout.rowImage)
    let title = text(item.text, of: item, "text", in: room)
    let detail = text(item.detailText, of: item, "detailText", in: room)
    var marks: [ScreenMark] = []
    let (leading, trailing) = (item.leadingConfiguration, item.trailingConfiguration)
    let size = settings.imageSizes.messageItem
    if let image = self.image(leading.leadingImage, size, of: item, "leadingConfiguration") {
      marks.append(.image(image))
    }
    if leading.isUnread { marks.append(.unread) }
    switch leading.leadingItem {
    case .none: break
    case .pin: marks.append(.pin)
    case .star: marks.append(.star)
    }
    if trailing?.trailingItem == .mute { marks.append(.mute) }
    if let image = self.image(trailing?.trailingImage, size, of: item, "trailingConfiguration") {
      marks.append(.accessory(image))
    }
    if let trailing = item.trailingText { marks.append(.other(FittedText(trailing, in: TextRoom(points: 80)).text)) }
    return Element(
      ScreenNode(
        .row, title?.text ?? "", detail: detail?.text ?? "", isEnabled: item.isEnabled, isCut: title?.isCut ?? false,
        marks: marks), title, detail
    ) { [host] in host.note(.car, "siri", "messages of \(title?.text ?? "")") }
    .showing(leading.leadingImage, accessory: trailing?.trailingImage, of: host)
  }

  // MARK: Grids

  func grid(_ grid: CPGridTemplate) -> [Element] {
    host.reportCut(
      "grid buttons", given: grid.gridButtons.count, kept: limits.maximumGridButtons, of: grid, "updateGridButtons",
      remedy: "show at most CPGridTemplateMaximumItems, and the rest in a list")
    return grid.gridButtons.prefix(limits.maximumGridButtons).compactMap { button in
      guard button.titleVariants.contains(where: { !$0.isEmpty }) else {
        host.report(
          CarDiagnostic(
            .cut, what: "a grid button has no title", carShows: "no button", remedy: "give an image and a title",
            place: host.places.place(of: grid) ?? .unknown))
        return nil
      }
      return gridButton(button)
    }
  }

  func gridButton(_ button: CPGridButton) -> Element { host.reporting { plainGridButton(button) } }

  private func plainGridButton(_ button: CPGridButton) -> Element {
    let columns = Double(max(1, min(4, limits.maximumGridButtons)))
    let title = variant(button.titleVariants, of: button, "updateTitleVariants", in: TextRoom(points: width / columns))
    let image = self.image(button.image, settings.imageSizes.gridButton, of: button, "updateImage")
    let name = title?.text ?? image ?? ""
    return Element(
      ScreenNode(
        .button, name, isEnabled: button.isEnabled, isCut: title?.isCut ?? false,
        marks: image.map { [.image($0)] } ?? []
      ), title
    ) { [host] in host.run("grid button", name) { button.handler?(button) } }
    .showing(button.image, of: host)
  }

  func button(_ button: CPButton, _ kind: ScreenNode.Kind) -> Element {
    host.reporting { plainButton(button, kind) }
  }

  private func plainButton(_ button: CPButton, _ kind: ScreenNode.Kind) -> Element {
    let image = self.image(button.image, settings.imageSizes.contactAction, of: button, "image")
    let system =
      switch button {
      case is CPContactCallButton: "Call"
      case is CPContactDirectionsButton: "Directions"
      case is CPContactMessageButton: "Message"
      default: image ?? ""
      }
    let title = text(button.title, of: button, "title", in: TextRoom(points: width / 4))
    let name = title?.text ?? system
    return Element(ScreenNode(kind, name, isEnabled: button.isEnabled, isCut: title?.isCut ?? false), title) { [host] in
      if button is CPContactMessageButton { return host.note(.car, "siri", "message") }
      host.run("button", name) { button.handler?(button) }
    }
    .showing(button.image, of: host)
  }
}
