// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Foundation

extension ScreenBuilder {
  func information(_ template: CPInformationTemplate) -> [Element] {
    host.reportCut(
      "information items", given: template.items.count, kept: limits.maximumInformationItems, of: template, "items",
      remedy: "show the most important items")
    host.reportCut(
      "information actions", given: template.actions.count, kept: limits.maximumInformationActions, of: template,
      "actions", remedy: "show at most \(limits.maximumInformationActions) buttons")
    let columns: Double = template.layout == .twoColumn ? 2 : 1
    let room = TextRoom(points: width / columns / 2)
    let items = template.items.prefix(limits.maximumInformationItems).map { item in
      host.reporting {
        let title = text(item.title, of: item, "title", in: room)
        let detail = text(item.detail, of: item, "detail", in: room)
        return Element(
          ScreenNode(
            .item, title?.text ?? "", detail: detail?.text ?? "",
            isCut: (title?.isCut ?? false) || (detail?.isCut ?? false), marks: rating(item)))
      }
    }
    return items + template.actions.prefix(limits.maximumInformationActions).map(textButton)
  }

  private func rating(_ item: CPInformationItem) -> [ScreenMark] {
    guard let item = item as? CPInformationRatingItem, let rating = item.rating, let maximum = item.maximumRating else {
      return []
    }
    return [.other("\(rating) of \(maximum)")]
  }

  func textButton(_ button: CPTextButton) -> Element { host.reporting { plainTextButton(button) } }

  private func plainTextButton(_ button: CPTextButton) -> Element {
    let title = text(button.title, of: button, "title", in: TextRoom(points: width / 3))
    let style: [ScreenMark] =
      switch button.textStyle {
      case .normal: []
      case .cancel: [.cancel]
      case .confirm: [.confirm]
      }
    return Element(ScreenNode(.action, title?.text ?? "", isCut: title?.isCut ?? false, marks: style), title) {
      [host] in
      host.run("text button", title?.text ?? "") { button.handler?(button) }
    }
  }

  func contact(_ template: CPContactTemplate) -> [Element] {
    let contact = template.contact
    let room = TextRoom(points: width - SystemLayout.rowImage)
    let title = host.reporting {
      let name = self.text(contact.name, of: contact, "name", in: room)
      let subtitle = self.text(contact.subtitle, of: contact, "subtitle", in: room)
      return Element(ScreenNode(.title, name?.text ?? "", detail: subtitle?.text ?? "", isCut: name?.isCut ?? false))
        .showing(contact.image, of: host)
    }
    let (text, reports) = host.collectingReports {
      self.text(contact.informativeText, of: contact, "informativeText", in: room)
    }
    let actions = contact.actions ?? []
    host.reportCut(
      "contact actions", given: actions.count, kept: limits.maximumContactActions, of: contact, "actions",
      remedy: "show at most \(limits.maximumContactActions)")
    var parts = [title]
    if let text { parts.append(Element(ScreenNode(.text, text.text)).with(reports: reports)) }
    return parts + actions.prefix(limits.maximumContactActions).map { button($0, .action) }
  }

  func points(_ template: CPPointOfInterestTemplate) -> [Element] {
    let points = template.pointsOfInterest
    host.reportCut(
      "points of interest", given: points.count, kept: limits.maximumPointsOfInterest, of: template,
      "setPointsOfInterest", remedy: "show the nearest \(limits.maximumPointsOfInterest)")
    return points.prefix(limits.maximumPointsOfInterest).enumerated().map { index, point in
      host.reporting { self.point(point, at: index, of: template) }
    }
  }

  private func point(_ point: CPPointOfInterest, at index: Int, of template: CPPointOfInterestTemplate) -> Element {
    let room = TextRoom(points: width * SystemLayout.card)
    let isSelected = index == template.selectedIndex
    let title = text(isSelected ? point.detailTitle ?? point.title : point.title, of: point, "title", in: room)
    let subtitle = text(
      isSelected ? point.detailSubtitle ?? point.subtitle : point.subtitle, of: point, "subtitle", in: room)
    _ = image(point.pinImage, settings.imageSizes.pin, of: point, "pinImage")
    _ = image(point.selectedPinImage, settings.imageSizes.selectedPin, of: point, "selectedPinImage")
    let buttons = isSelected ? [point.primaryButton, point.secondaryButton].compactMap { $0.map(textButton) } : []
    return Element(
      ScreenNode(
        .point, title?.text ?? "", detail: subtitle?.text ?? "", isSelected: isSelected,
        isCut: title?.isCut ?? false), title, subtitle, children: buttons
    ) { [host] in host.select(point, at: index, of: template) }
  }

  func search(_ template: CPSearchTemplate) -> [Element] {
    let state = connection.search
    let isBlocked = host.session.limitedUserInterfaces.contains(.keyboard)
    let hasKeyboard = state.isKeyboardVisible && !isBlocked
    let field = Element(ScreenNode(.field, FittedText(state.text, in: TextRoom(points: width)).text))
    let visible = hasKeyboard ? limits.searchRowsWithKeyboard : maximumItems
    if state.results.count > visible {
      host.report(
        CarDiagnostic(
          .cut, what: "\(state.results.count) search results, \(visible) visible with the keyboard",
          carShows: "the first \(visible) until the keyboard goes away", remedy: "put the best result first",
          place: host.places.place(of: template) ?? .unknown))
    }
    let results = state.results.prefix(visible).map { item in
      host.reporting { listRow(item, .result) { [host] in host.choose(item, of: template) } }
    }
    let keyboard = Element(
      ScreenNode(.keyboard, isBlocked ? "disabled while driving" : "", isEnabled: !isBlocked))
    let keyboards = hasKeyboard || isBlocked ? [keyboard] : []
    return [field] + (state.isWaiting ? [Element(ScreenNode(.spinner, hasSpinner: true))] : []) + results + keyboards
  }
}
