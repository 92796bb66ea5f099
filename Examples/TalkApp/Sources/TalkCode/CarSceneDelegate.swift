// swift-iap2 · Apache-2.0

import CarPlay

/// The delegate of the car's scene: a list of people to call. Messages are Siri's matter.
public final class CarSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate {
  private let talk: Talk

  init(_ talk: Talk) {
    self.talk = talk
    super.init()
  }

  public convenience override init() { self.init(.shared) }

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) {
    talk.calls.askForNotifications()
    let people = Person.all.map { person in row(person.name, person.number) { $0.calls.call(person) } }
    // The test call of the app's server: it calls back a second later.
    let test = row("Test call", "Ann calls back") { talk in
      DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { talk.calls.ring(.ann) }
    }
    let list = CPListTemplate(title: "Talk", sections: [CPListSection(items: people + [test])])
    interfaceController.setRootTemplate(list, animated: false, completion: nil)
  }

  private func row(_ text: String, _ detail: String, _ action: @escaping @MainActor (Talk) -> Void) -> CPListItem {
    let item = CPListItem(text: text, detailText: detail)
    item.handler = { [talk] _, completion in
      action(talk)
      completion()
    }
    return item
  }
}
