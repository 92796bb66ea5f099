// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of verbs that have no effect in the current state. Each is a mistake of its test.
  @Suite @MainActor
  struct VerbTests {
    private func expectIssue(_ reason: String, _ verb: () async -> Void) async {
      await withKnownIssue {
        await verb()
      } matching: { issue in
        issue.comments.contains { $0.rawValue.hasPrefix(reason) }
      }
    }

    @Test("A verb without a connection is an issue")
    func withoutAConnection() async {
      let car = Car(.standard)
      let reason = "phone and car are not connected; "
      await expectIssue(reason) { await car.unplug() }
      await expectIssue("the phone has no app: ") { await car.open() }
      await expectIssue(reason) { await car.openNowPlaying() }
      await expectIssue(reason) { await car.key(.play) }
      await expectIssue(reason) { await car.pressVoiceKey() }
      await expectIssue(reason) { await car.turn() }
      await expectIssue(reason) { await car.press() }
      await expectIssue(reason) { await car.type("a") }
      await expectIssue(reason) { await car.pressSearchKey() }
      await expectIssue(reason) { await car.back() }
      await expectIssue(reason) { await car.goHome() }
      await expectIssue(reason) { await car.openOtherApp() }
      await expectIssue(reason) { await car.bringBack() }
      await expectIssue(reason) { await car.cancelNavigation() }
      await expectIssue("no disconnection waits for its notice; ") { await car.noticeUnplug() }
      await expectIssue("the phone asks no question; ") { await car.answerPermission() }
    }

    @Test("A verb without its part of the screen or of the car is an issue")
    func withoutAPart() async {
      let car = Car(.standard)
      await car.launch(.audio) { PlainScene { $0.setRootTemplate(list("A"), animated: false, completion: nil) } }
      await expectIssue("phone and car are already connected; ") { await car.plugIn() }
      await expectIssue("no search is in front; ") { await car.type("a") }
      await expectIssue("no search is in front; ") { await car.pressSearchKey() }
      await expectIssue("there is nothing to go back to; ") { await car.back() }
      await expectIssue("the app is already in front; ") { await car.bringBack() }
      await expectIssue("no guidance runs; ") { await car.cancelNavigation() }
      await expectIssue("the car \(car.settings.name) has neither a knob nor a touchpad; ") { await car.turn() }
      await expectIssue("the car \(car.settings.name) has neither a knob nor a touchpad; ") { await car.press() }
      await car.unplug()
      await expectIssue("phone and car are not connected; ") { await car.unplug() }
    }

    @Test("A verb whose effect is on what covers the app, or on an app that has ended, is no issue")
    func hiddenEffects() async {
      let car = Car(.standard)
      await car.launch(.audio) {
        PlainScene { controller in
          let root = list("A", ["Map"]) { _ in
            controller.pushTemplate(CPMapTemplate(), animated: false, completion: nil)
          }
          controller.setRootTemplate(root, animated: false, completion: nil)
        }
      }
      await car.openNowPlaying()
      await car.bringBack()
      #expect(car.screen.title == "A")
      await car.openNowPlaying()
      await car.back()
      #expect(car.screen.title == "A")
      await car.tap("Map")
      #expect(car.exception != nil && !car.showsApp)
      await car.open()
      #expect(car.screen.title == "A")
    }

    @Test("A knob without a part that takes the focus presses nothing, and this is an issue")
    func withoutAFocus() async {
      var settings = CarSettings.standard
      settings.inputs = [.knob]
      let car = Car(settings)
      await car.launch(.audio) { PlainScene { $0.setRootTemplate(list("A"), animated: false, completion: nil) } }
      await expectIssue("no part of the screen has the focus; ") { await car.press() }
      await car.turn()
    }
  }
}
