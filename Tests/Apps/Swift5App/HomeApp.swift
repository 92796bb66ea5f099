// swift-iap2 · Apache-2.0

import CarPlay

/// A driving task app: pages of a list that the car cuts, alerts that close themselves, and a grid.
public class PagedList {
  public let template: CPListTemplate
  private let rows: [CPListItem]
  private var page = 0

  public init(rows: [CPListItem]) {
    self.rows = rows
    template = CPListTemplate(title: "Devices", sections: [])
    template.trailingNavigationBarButtons = [
      CPBarButton(title: "Next") { [weak self] _ in self?.show(page: (self?.page ?? 0) + 1) }
    ]
    show(page: 0)
  }

  public func show(page: Int) {
    let size = CPListTemplate.maximumItemCount
    let first = min(page * size, rows.count)
    let last = min(first + size, rows.count)
    self.page = page
    template.updateSections([CPListSection(items: Array(rows[first..<last]))])
  }
}

public class HomeScreens {
  public let controller: CPInterfaceController
  public private(set) var log: [String] = []

  public init(controller: CPInterfaceController) { self.controller = controller }

  public func askToConfirm() {
    let yes = CPAlertAction(title: "Open", style: .destructive) { [weak self] _ in self?.close("open") }
    let no = CPAlertAction(title: "Cancel", style: .cancel) { [weak self] _ in self?.close("cancel") }
    let alert = CPAlertTemplate(titleVariants: ["Open the garage door?", "Open?"], actions: [yes, no])
    if controller.presentedTemplate != nil { controller.dismissTemplate(animated: false) }
    controller.presentTemplate(alert, animated: true, completion: nil)
  }

  public func showGrid() {
    let buttons = (1...CPGridTemplateMaximumItems).map { number in
      CPGridButton(titleVariants: ["Scene \(number)"], image: UIImage()) { [weak self] button in
        self?.log.append(button.titleVariants.first ?? "")
      }
    }
    controller.pushTemplate(CPGridTemplate(title: "Scenes", gridButtons: buttons), animated: true)
  }

  public func showChoices() {
    let sheet = CPActionSheetTemplate(title: "Mode", message: nil, actions: [])
    controller.presentTemplate(sheet, animated: true, completion: nil)
  }

  private func close(_ name: String) {
    log.append(name)
    controller.dismissTemplate(animated: true, completion: nil)
  }

  /// Loads in the background, and then opens a screen with the asynchronous form of a call.
  @MainActor
  public func openLater() async throws {
    let title = await Self.load()
    let list = CPListTemplate(title: title, sections: [])
    try await controller.pushTemplate(list, animated: true)
    if controller.topTemplate === list { _ = try await controller.popTemplate(animated: false) }
    try await controller.popToRootTemplate(animated: false)
  }

  private static func load() async -> String { "Loaded" }
}
