// swift-iap2 · Apache-2.0

import CarPlay

/// The app's templates on one car: tabs with lists, and Now Playing.
@MainActor
final class CarScreen: NSObject, CPTabBarTemplateDelegate, CPNowPlayingTemplateObserver {
  private let controller: CPInterfaceController
  private let radio: Radio
  private let recent = CPListTemplate(title: "Recent", sections: [])

  init(_ controller: CPInterfaceController, _ radio: Radio) {
    self.controller = controller
    self.radio = radio
  }

  func start() {
    let genres = CPListTemplate(title: "Stations", sections: [CPListSection(items: radio.catalog.genres.map(row))])
    genres.tabImage = UIImage(systemName: "radio")
    recent.tabImage = UIImage(systemName: "clock")
    recent.emptyViewTitleVariants = ["Nothing was played yet", "Nothing yet"]
    let tabs = CPTabBarTemplate(templates: [genres, recent])
    tabs.delegate = self
    setUpNowPlaying()
    controller.setRootTemplate(tabs, animated: true, completion: nil)
  }

  func tabBarTemplate(_ tabBarTemplate: CPTabBarTemplate, didSelect selectedTemplate: CPTemplate) {
    if selectedTemplate === recent { update(recent, radio.player.recent) }
  }

  // MARK: Lists

  /// The row of a genre: loads its stations and pushes them. The spinner turns until the completion is called, so every
  /// path calls it.
  private func row(_ genre: String) -> CPListItem {
    let item = CPListItem(
      text: genre, detailText: nil, image: nil, accessoryImage: nil, accessoryType: .disclosureIndicator)
    item.handler = { [weak self] _, completion in
      Task { [weak self] in
        await self?.open(genre)
        completion()
      }
    }
    return item
  }

  private func open(_ genre: String) async {
    do {
      let stations = try await radio.catalog.load(genre)
      let list = CPListTemplate(title: genre, sections: [])
      list.emptyViewTitleVariants = ["No station sends now"]
      update(list, stations)
      try await controller.pushTemplate(list, animated: true)
    } catch { await show("The stations cannot be loaded") }
  }

  /// Fills a list with as many stations as this car shows now.
  private func update(_ list: CPListTemplate, _ stations: [Station]) {
    let shown = stations.prefix(CPListTemplate.maximumItemCount)
    list.updateSections([CPListSection(items: shown.map { row($0, of: stations) })])
  }

  private func row(_ station: Station, of stations: [Station]) -> CPListItem {
    let item = CPListItem(text: station.name, detailText: station.program, image: UIImage(systemName: "radio"))
    item.isPlaying = station == radio.player.station
    item.handler = { [weak self] _, completion in
      guard let self else { return completion() }
      self.radio.player.play(station, of: stations)
      self.showNowPlaying(completion)
    }
    return item
  }

  /// An alert over the list, which its button takes away.
  private func show(_ text: String) async {
    let close = CPAlertAction(title: "Close", style: .cancel) { [controller] _ in
      controller.dismissTemplate(animated: true, completion: nil)
    }
    let alert = CPAlertTemplate(titleVariants: [text], actions: [close])
    // The car may show another alert, or be gone: then there is nothing to tell.
    _ = try? await controller.presentTemplate(alert, animated: true)
  }

  // MARK: Now Playing

  private func setUpNowPlaying() {
    let template = CPNowPlayingTemplate.shared
    template.add(self)
    template.isUpNextButtonEnabled = true
    template.upNextTitle = "Up next"
    let shuffle = CPNowPlayingShuffleButton { [radio] _ in radio.player.shuffle() }
    let favourite = CPNowPlayingImageButton(image: UIImage(systemName: "star") ?? UIImage()) { [radio] button in
      guard let station = radio.player.station else { return }
      if radio.player.favourites.remove(station) == nil { radio.player.favourites.insert(station) }
      button.isSelected = radio.player.favourites.contains(station)
    }
    template.updateNowPlayingButtons([shuffle, favourite])
  }

  /// Shows Now Playing. The shared template must not be on the stack twice.
  private func showNowPlaying(_ completion: @escaping () -> Void) {
    let template = CPNowPlayingTemplate.shared
    if controller.templates.contains(template) {
      controller.pop(to: template, animated: true) { _, _ in completion() }
    } else {
      controller.pushTemplate(template, animated: true) { _, _ in completion() }
    }
  }

  func nowPlayingTemplateUpNextButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate) {
    let list = CPListTemplate(title: "Up next", sections: [])
    update(list, radio.player.queue)
    controller.pushTemplate(list, animated: true, completion: nil)
  }
}
