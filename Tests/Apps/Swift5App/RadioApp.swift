// swift-iap2 · Apache-2.0

import CarPlay

/// A radio app: one list of stations as the root, and the Now Playing screen for a selected station.
public class RadioSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate {
  public var interfaceController: CPInterfaceController?
  public private(set) var stations = ["North", "Harbour", "Night"]
  public private(set) var playing: String?
  private var list: CPListTemplate?

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) {
    self.interfaceController = interfaceController
    let list = CPListTemplate(title: "Stations", sections: [section()])
    list.emptyViewTitleVariants = ["No stations were found", "No stations"]
    self.list = list
    interfaceController.setRootTemplate(list, animated: true, completion: nil)
  }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene,
    didDisconnectInterfaceController interfaceController: CPInterfaceController
  ) {
    self.interfaceController = nil
  }

  public func stationsDidChange(to stations: [String]) {
    self.stations = stations
    list?.updateSections([section()])
  }

  private func section() -> CPListSection {
    let items = stations.map { station -> CPListItem in
      let item = CPListItem(text: station, detailText: "Live", image: UIImage(systemName: "radio"))
      item.isPlaying = station == playing
      item.handler = { [weak self] _, completion in
        self?.playing = station
        self?.interfaceController?.pushTemplate(CPNowPlayingTemplate.shared, animated: true) { _, _ in
          completion()
        }
      }
      return item
    }
    return CPListSection(items: items, header: "All", sectionIndexTitle: "A")
  }
}
