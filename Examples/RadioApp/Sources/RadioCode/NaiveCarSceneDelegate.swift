// swift-iap2 · Apache-2.0

import CarPlay

/// A delegate of the car's scene with three mistakes. The tests show what each of them does.
///
/// - When the stations cannot be loaded, it does not call the row's completion.
/// - It pushes Now Playing although that is on the stack.
/// - It gives a list every station, and does not ask how many the car shows.
final class NaiveCarSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate, CPNowPlayingTemplateObserver {
  private let radio: Radio
  private var controller: CPInterfaceController?

  init(_ radio: Radio) {
    self.radio = radio
    super.init()
  }

  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) {
    controller = interfaceController
    let items = radio.catalog.genres.map { genre in
      let item = CPListItem(text: genre, detailText: nil)
      item.handler = { [weak self] _, completion in
        Task { [weak self] in
          guard let radio = self?.radio else { return }
          do { self?.push(try await radio.catalog.load(genre), genre) } catch { return }
          completion()
        }
      }
      return item
    }
    CPNowPlayingTemplate.shared.isUpNextButtonEnabled = true
    CPNowPlayingTemplate.shared.upNextTitle = "Up next"
    CPNowPlayingTemplate.shared.add(self)
    let list = CPListTemplate(title: "Stations", sections: [CPListSection(items: items)])
    interfaceController.setRootTemplate(list, animated: true, completion: nil)
  }

  func nowPlayingTemplateUpNextButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate) {
    push(radio.player.queue, "Next stations")
  }

  private func push(_ stations: [Station], _ title: String) {
    let items = stations.map { station in
      let item = CPListItem(text: station.name, detailText: station.program)
      item.handler = { [weak self] _, completion in
        self?.radio.player.play(station, of: stations)
        self?.controller?.pushTemplate(CPNowPlayingTemplate.shared, animated: true, completion: nil)
        completion()
      }
      return item
    }
    let list = CPListTemplate(title: title, sections: [CPListSection(items: items)])
    controller?.pushTemplate(list, animated: true, completion: nil)
  }
}
