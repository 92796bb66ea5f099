// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import UIKit

/// A builder of the screen's tree from templates and settings. It reports every cut and every shortened text to the
/// host.
@MainActor
struct ScreenBuilder {
  let host: CarHost
  let connection: CarConnection

  var settings: CarSettings { host.settings }
  var limits: CarLimits { settings.limits }
  var width: Double { settings.screen.appArea.width }
  var height: Double { settings.screen.appArea.height }

  /// Returns the app's part of the screen. A template below a modal one is not shown.
  func app() -> Element {
    guard let front = connection.stack.front else {
      return Element(ScreenNode(.error, "No root template"))
    }
    return template(front)
  }

  private func template(_ template: CPTemplate) -> Element {
    switch template {
    case let list as CPListTemplate: framed(.list, list, self.list(list), title: list.title)
    case let grid as CPGridTemplate: framed(.grid, grid, self.grid(grid), title: grid.title)
    case let alert as CPAlertTemplate: self.alert(alert)
    case let sheet as CPActionSheetTemplate: self.sheet(sheet)
    case let map as CPMapTemplate: self.map(map)
    case let playing as CPNowPlayingTemplate: framed(.nowPlaying, playing, nowPlaying(playing), title: nil)
    case let search as CPSearchTemplate: framed(.search, search, self.search(search), title: nil)
    case let voice as CPVoiceControlTemplate: self.voice(voice)
    case let information as CPInformationTemplate:
      framed(.information, information, self.information(information), title: information.title)
    case let points as CPPointOfInterestTemplate:
      framed(.pointsOfInterest, points, self.points(points), title: points.title)
    case let contact as CPContactTemplate: framed(.contact, contact, self.contact(contact), title: nil)
    case let tabs as CPTabBarTemplate where tabs.templates.isEmpty: Element(ScreenNode(.tabs))
    default: Element(ScreenNode(.error, template.logName))
    }
  }

  /// Returns a template with its navigation bar, or with the tab bar if it is the root of a tab.
  private func framed(_ kind: ScreenNode.Kind, _ template: CPTemplate, _ content: [Element], title: String?) -> Element
  {
    if let tabBar = connection.stack.tabBar, connection.stack.above.isEmpty, connection.stack.presented == nil {
      return Element(ScreenNode(.tabs), children: [Element(ScreenNode(kind), children: content)] + tabs(tabBar))
    }
    let shown = text(title, of: template, "title", in: TextRoom(points: width - 4 * SystemLayout.bar))
    return Element(
      ScreenNode(kind, shown?.text ?? "", isCut: shown?.isCut ?? false), children: bar(template) + content)
  }

  // MARK: Bars

  /// Returns the back button and the bar buttons.
  func bar(_ template: CPTemplate) -> [Element] {
    let provider = template as? any CPBarButtonProviding
    var parts: [Element] = []
    if let custom = provider?.backButton {
      parts.append(barButton(custom, .back))
    } else if !connection.stack.above.isEmpty {
      let below = connection.stack.templates.dropLast().last
      let name = (below as? CPTabBarTemplate)?.selectedTemplate?.ownTitle ?? below?.ownTitle ?? "Back"
      let title = FittedText(name, in: TextRoom(points: width / 4))
      parts.append(
        Element(ScreenNode(.back, title.text, isCut: title.isCut), title, focusGroup: 0) { [host] in host.back() })
    }
    guard let provider else { return parts }
    parts += buttons(provider.leadingNavigationBarButtons, template, "leadingNavigationBarButtons")
    parts += buttons(provider.trailingNavigationBarButtons, template, "trailingNavigationBarButtons")
    return parts
  }

  private func buttons(_ buttons: [CPBarButton], _ template: CPTemplate, _ property: String) -> [Element] {
    let kept = limits.maximumBarButtons
    host.reportCut(
      property == "leadingNavigationBarButtons" ? "leading bar buttons" : "trailing bar buttons", given: buttons.count,
      kept: kept, of: template, property, remedy: "put the most important \(kept) first, and others into a list")
    return buttons.prefix(kept).map { barButton($0, .button) }
  }

  private func barButton(_ button: CPBarButton, _ kind: ScreenNode.Kind) -> Element {
    host.reporting { plainBarButton(button, kind) }
  }

  private func plainBarButton(_ button: CPBarButton, _ kind: ScreenNode.Kind) -> Element {
    let title = text(button.title, of: button, "title", in: TextRoom(points: width / 4))
    let image = button.title == nil ? self.image(button.image, settings.imageSizes.barButton, of: button, "image") : nil
    if button.title == nil, button.image == nil {
      host.report(
        CarDiagnostic(
          .image, what: "a bar button has no title and no image", carShows: "an empty button",
          remedy: "set a title or an image", place: host.places.place(of: button) ?? .unknown))
    }
    let marks: [ScreenMark] = button.buttonStyle == .rounded ? [.rounded] : []
    return Element(
      ScreenNode(
        kind, title?.text ?? image ?? "", isEnabled: button.isEnabled, isCut: title?.isCut ?? false, marks: marks),
      title, focusGroup: 0
    ) { [host] in
      if button is CPMessageComposeBarButton { return host.note(.car, "siri", "compose a message") }
      host.run("bar button", button.title ?? image ?? "") { button.handler?(button) }
    }
    .showing(button.title == nil ? button.image : nil, of: host)
  }

  private func tabs(_ tabBar: CPTabBarTemplate) -> [Element] {
    let selected = tabBar.templates.firstIndex { $0 === tabBar.selectedTemplate }
    return tabBar.templates.enumerated().map { index, tab in
      host.reporting { self.tab(tab, index, of: tabBar, isSelected: index == selected) }
    }
  }

  private func tab(_ tab: CPTemplate, _ index: Int, of tabBar: CPTabBarTemplate, isSelected: Bool) -> Element {
    let name = tabName(tab)
    let room = TextRoom(points: width / Double(max(tabBar.templates.count, 1)) - settings.imageSizes.tab.width)
    let title = text(name, of: tab, "tabTitle", in: room)
    let image = self.image(tab.tabImage, settings.imageSizes.tab, of: tab, "tabImage")
    return Element(
      ScreenNode(
        .tab, title?.text ?? image ?? "", isSelected: isSelected, isCut: title?.isCut ?? false,
        marks: tab.showsTabBadge ? [.badge] : []),
      title, focusGroup: 3
    ) { [host] in
      host.note(.car, "tap tab", title?.text ?? "")
      host.selectTab(tabBar, index, byUser: true)
    }
  }

  /// Returns the title of a tab. The settings decide for a tab that the app does not describe.
  private func tabName(_ tab: CPTemplate) -> String? {
    if let given = tab.tabTitle { return given }
    if let item = tab.givenTabSystemItem { return tab.ownTitle ?? item.title }
    if tab.tabImage != nil { return tab.ownTitle }
    if let own = tab.ownTitle, !settings.behavior.untitledTabsShowMore { return own }
    host.report(
      CarDiagnostic(
        .cut, what: "a tab has no tabTitle, no tabImage and no tabSystemItem",
        carShows: "three dots and \"More\", also for a template with a title",
        remedy: "set tabTitle, and tabImage if the tab has one", place: host.places.place(of: tab) ?? .unknown))
    return tab.tabSystemItem.title
  }

  // MARK: Texts and images

  /// Returns a text as it is shown, and reports the cut part.
  func text(_ source: String?, of object: AnyObject, _ property: String, in room: TextRoom) -> FittedText? {
    guard let source, !source.isEmpty else { return nil }
    let fitted = FittedText(source, in: room)
    host.report(fitted, of: object, property)
    return fitted
  }

  /// Returns the first variant that fits, or the last one shortened if none does.
  func variant(_ variants: [String], of object: AnyObject, _ property: String, in room: TextRoom) -> FittedText? {
    host.variant(variants, of: object, property, in: room)
  }

  /// Returns the name of an image, and reports an image that the car draws badly.
  func image(_ image: UIImage?, _ maximum: CGSize, of object: AnyObject, _ property: String) -> String? {
    guard let image else { return nil }
    let content = image.content
    if let problem = imageProblem(content, maximum) {
      host.report(
        CarDiagnostic(
          .image, what: "\(property), \(content.text): \(problem.what)", carShows: problem.shows,
          remedy: problem.remedy, place: host.places.place(of: object, property) ?? .unknown))
    }
    if host.failedImages.contains(ObjectIdentifier(image)) { return "placeholder" }
    return content.name ?? content.text
  }

  private func imageProblem(_ content: ImageContent, _ maximum: CGSize)
    -> (what: String, shows: String, remedy: String)?
  {
    if case .missing = content.origin { return nil }
    switch content.orientation {
    case .upMirrored, .downMirrored, .leftMirrored, .rightMirrored:
      return ("mirrored by its orientation", "the pixels as they are, not mirrored", "mirror the pixels themselves")
    default: break
    }
    guard content.hasKnownSize else { return nil }
    let size = content.size
    if size.width <= 0 || size.height <= 0 { return ("empty", "nothing", "give an image with pixels") }
    if size.width > maximum.width || size.height > maximum.height {
      let limit = "\(Int(maximum.width))x\(Int(maximum.height)) points"
      return ("larger than \(limit)", "the image scaled down", "draw it in \(limit)")
    }
    if content.scale < CGFloat(settings.screen.scale), content.scale < 2 {
      return ("of scale \(Int(content.scale))", "a blurred image", "provide it in 2x and 3x")
    }
    return nil
  }
}
