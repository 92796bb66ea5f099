// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of the phone's stack of templates.
  @Suite @MainActor
  struct InterfaceTests {
    private func audio(_ onConnect: @escaping @MainActor (CPInterfaceController) -> Void) async -> Car {
      let car = Car(.standard)
      await car.launch(.audio) { PlainScene(onConnect) }
      return car
    }

    @Test func aHandlerPushesAListAndItsCompletionEndsTheSpinner() async {
      let car = await audio { controller in
        let root = list("Library", ["Albums"]) { _ in
          controller.pushTemplate(list("Albums", ["First"]), animated: true, completion: nil)
        }
        controller.setRootTemplate(root, animated: true, completion: nil)
      }
      await car.tap("Albums")
      #expect(car.screen.description == "list \"Albums\"\n  back \"Library\"\n  row \"First\"")
      #expect(car.end == nil)
      await car.back()
      #expect(car.screen.rows == ["Albums"])
    }

    @Test func aPushTellsTheDelegateInTheOrderOfTheSettings() async {
      for order in CarBehavior.DelegateOrder.allCases {
        var settings = CarSettings.standard
        settings.behavior.delegateOrder = order
        let car = Car(settings)
        let notes = AppearanceNotes()
        await car.launch(.audio) {
          PlainScene { controller in
            controller.setRootTemplate(list("A"), animated: false) { _, _ in
              controller.delegate = notes
              controller.pushTemplate(list("B"), animated: true, completion: nil)
            }
          }
        }
        #expect(
          notes.notes
            == (order == .disappearFirst
              ? ["will disappear A", "will appear B", "did disappear A", "did appear B"]
              : ["will appear B", "will disappear A", "did appear B", "did disappear A"]))
      }
    }

    @Test func theStackChangesOnlyAfterTheCall() async {
      var counts: [Int] = []
      let car = await audio { controller in
        controller.setRootTemplate(list("A"), animated: false) { _, _ in
          controller.pushTemplate(list("B"), animated: false) { succeeded, error in
            counts.append(controller.templates.count)
            #expect(succeeded && error == nil)
          }
          counts.append(controller.templates.count)
        }
        counts.append(controller.templates.count)
      }
      #expect(counts == [0, 1, 2])
      #expect(car.diagnostics(.order).isEmpty)
    }

    @Test func aSubclassRaisesWithTheAllowedClassesOfIOS12() async throws {
      final class OwnMap: CPMapTemplate {}
      let car = Car(try .profile("ios12"))
      let app = OldAppDelegate()
      await car.launch(.navigation, appDelegate: { app })
      app.push(OwnMap())
      await car.settle()
      let reason = try #require(car.exception?.reason)
      #expect(car.exception?.name == "NSInvalidArgumentException")
      #expect(reason.hasPrefix("Unsupported object <OwnMap: 0x"))
      #expect(
        reason.hasSuffix(
          "passed to pushTemplate:animated:. Allowed classes: "
            + "{( CPGridTemplate, CPListTemplate, CPMapTemplate, CPSearchTemplate )}"))
      #expect(!car.showsApp)
    }

    @Test func aPushedAlertRaises() async {
      let car = await audio { $0.setRootTemplate(list("A"), animated: false, completion: nil) }
      let scene = PlainScene { controller in
        controller.setRootTemplate(list("A"), animated: false) { _, _ in
          controller.pushTemplate(alert("Stop?", "Yes"), animated: true, completion: nil)
        }
      }
      await car.launch(.audio) { scene }
      #expect(car.exception == .mustBePresented("CPAlertTemplate"))
    }

    // Audio templates only.
    @Test func aMapInAnAudioAppRaises() async {
      let car = await audio { $0.setRootTemplate(CPMapTemplate(), animated: false, completion: nil) }
      #expect(car.exception?.reason.contains("Allowed classes: {( CPGridTemplate, CPListTemplate") == true)
      #expect(car.exception?.reason.contains("CPMapTemplate )}") == false)
    }

    // Fault 11
    @Test func aSixthLevelRaisesForAnAppThatDoesNotCount() async {
      @MainActor func go(_ controller: CPInterfaceController, counts: Bool) {
        let row = list("Level \(controller.templates.count)", ["deeper"]) { _ in
          if !counts || controller.templates.count < 5 { go(controller, counts: counts) }
        }
        if controller.templates.isEmpty {
          controller.setRootTemplate(row, animated: false, completion: nil)
        } else {
          controller.pushTemplate(row, animated: false, completion: { _, _ in })
        }
      }
      for counts in [false, true] {
        let car = await audio { go($0, counts: counts) }
        for _ in 0..<6 where car.end == nil { await car.tap("deeper") }
        #expect((car.exception == .tooDeep) == !counts)
        #expect(car.diagnostics(.depth).isEmpty == counts)
      }
    }

    // Fault 11, as a dead tap
    @Test func aSixthLevelIsADeadTapWhereTheSystemIgnoresIt() async {
      var settings = CarSettings.standard
      settings.behavior.depthExceeded = .ignore
      let car = Car(settings)
      @MainActor func go(_ controller: CPInterfaceController) {
        let level = list("Level \(controller.templates.count)", ["deeper"]) { _ in go(controller) }
        if controller.templates.isEmpty { return controller.setRootTemplate(level, animated: false, completion: nil) }
        controller.pushTemplate(level, animated: false, completion: nil)
      }
      await car.launch(.audio) { PlainScene { go($0) } }
      for _ in 0..<6 { await car.tap("deeper") }
      #expect(car.end == nil)
      #expect(car.screen.title == "Level 4")
      #expect(car.diagnostics(.depth).count == 1)
    }

    @Test func theSameTemplateTwiceRaises() async {
      let car = await audio { controller in
        let one = list("A")
        controller.setRootTemplate(one, animated: false) { _, _ in
          controller.pushTemplate(one, animated: false) { _, _ in }
        }
      }
      #expect(car.exception == .sameTemplate)
    }

    @Test func theEndHasThePlaceOfTheCallThatCausedIt() async {
      let row = CPListItem(text: "Again", detailText: nil)
      let one = CPListTemplate(title: "A", sections: [CPListSection(items: [row])])
      var line = 0
      let car = await audio { controller in
        row.handler = { _, completion in
          line = #line + 1
          controller.pushTemplate(one, animated: false) { _, _ in }
          completion()
        }
        controller.setRootTemplate(one, animated: false) { _, _ in }
      }
      await car.tap("Again")
      #expect(car.exception == .sameTemplate)
      #expect(car.endPlace.description.hasSuffix("InterfaceTests.swift:\(line)"), "\(car.endPlace)")
    }

    @Test func aPopWithNothingToPopIsAnErrorOrAnException() async {
      var texts: [String] = []
      let car = await audio { controller in
        controller.setRootTemplate(list("A"), animated: false) { _, _ in
          controller.popTemplate(animated: false) { succeeded, error in
            #expect(!succeeded)
            texts.append((error as NSError?)?.localizedDescription ?? "")
          }
        }
      }
      #expect(texts == ["No templates were available to be popped."])
      #expect(car.end == nil)
      let other = await audio { controller in
        controller.setRootTemplate(list("A"), animated: false) { _, _ in
          controller.popToRootTemplate(animated: false, completion: nil)
        }
      }
      #expect(other.exception == .noCompletion(error: TemplateError.nothingToPop.printed))
    }

    // Fault 9
    @Test func twoPresentsBreakAnAppThatDoesNotWait() async {
      let naive = await audio { controller in
        controller.setRootTemplate(list("A"), animated: false) { _, _ in
          controller.presentTemplate(alert("One", "OK"), animated: true, completion: nil)
          controller.presentTemplate(alert("Two", "OK"), animated: true, completion: nil)
        }
      }
      #expect(naive.exception == .noCompletion(error: TemplateError.alreadyPresenting.printed))
      #expect(!naive.diagnostics(.order).isEmpty)
      let careful = await audio { controller in
        controller.setRootTemplate(list("A"), animated: false) { _, _ in
          controller.presentTemplate(alert("One", "OK"), animated: true) { _, _ in
            controller.dismissTemplate(animated: true) { _, _ in
              controller.presentTemplate(alert("Two", "OK"), animated: true, completion: nil)
            }
          }
        }
      }
      #expect(careful.end == nil)
      #expect(careful.screen.title == "Two")
    }

    // Fault 10
    @Test func aPushRightAfterAPopBreaksAnAppThatDoesNotWait() async {
      for waits in [false, true] {
        var faults = CarFaults()
        faults.strictOrder = true
        let car = Car(.standard, faults: faults)
        await car.launch(.audio) {
          PlainScene { controller in
            controller.setRootTemplate(list("A"), animated: false) { _, _ in
              controller.pushTemplate(list("B"), animated: false) { _, _ in
                controller.popTemplate(animated: true) { _, _ in
                  if waits { controller.pushTemplate(list("C"), animated: false, completion: nil) }
                }
                if !waits { controller.pushTemplate(list("C"), animated: false, completion: nil) }
              }
            }
          }
        }
        #expect((car.exception == .noCompletion(error: TemplateError.changeInProgress.printed)) == !waits)
        if waits { #expect(car.screen.title == "C") }
      }
    }

    @Test func anAppThatTriesAgainAtOnceDoesNotHangACarThatRefuses() async {
      var faults = CarFaults()
      faults.strictOrder = true
      let car = Car(.standard, faults: faults)
      var tries = 0
      @MainActor func push(_ controller: CPInterfaceController) {
        tries += 1
        controller.pushTemplate(list("B"), animated: true) { isDone, _ in if !isDone { push(controller) } }
      }
      await car.launch(.audio) {
        PlainScene { controller in
          controller.setRootTemplate(list("A"), animated: false, completion: { _, _ in })
          push(controller)
        }
      }
      #expect(tries > 1 && car.screen.title == "B")
    }

    @Test func aChangeInDidDisconnectIsAnswered() async {
      var answers: [Bool] = []
      let car = Car(.standard)
      await car.launch(.navigation) {
        let scene = MapScene()
        scene.onDisconnect = { _, controller in
          controller.popToRootTemplate(animated: false) { isDone, _ in answers.append(isDone) }
        }
        return scene
      }
      await car.unplug()
      #expect(answers == [false])
    }

    @Test func nowPlayingGoesAwayWithTheNextScreen() async {
      let car = await audio { $0.setRootTemplate(list("A"), animated: false, completion: nil) }
      await car.openNowPlaying()
      #expect(car.screen.kind == .nowPlaying)
      await car.goHome()
      #expect(car.screen.kind == .home)
      await car.openNowPlaying()
      await car.unplug()
      await car.replug()
      await car.open()
      #expect(car.screen.title == "A")
    }

    @Test func anAsyncCallThrowsTheError() async {
      var thrown: String?
      let car = await audio { controller in
        Task { @MainActor in
          do {
            try await controller.setRootTemplate(list("A"), animated: false)
            try await controller.popTemplate(animated: true)
          } catch { thrown = (error as NSError).localizedDescription }
        }
      }
      #expect(await car.wait(until: { thrown != nil }))
      #expect(thrown == "No templates were available to be popped.")
    }

    @Test func anAlertStaysUntilTheAppDismissesIt() async {
      for dismisses in [false, true] {
        let car = await audio { controller in
          controller.setRootTemplate(list("A", ["row"]), animated: false) { _, _ in
            let alert = alert("Stop?", "Yes") { _ in
              if dismisses { controller.dismissTemplate(animated: true, completion: nil) }
            }
            controller.presentTemplate(alert, animated: true, completion: nil)
          }
        }
        await car.tap("Yes")
        #expect((car.screen.kind == .alert) == !dismisses)
        #expect(car.diagnostics(.modal).isEmpty == dismisses)
      }
    }

    @Test func ofTooManyAlertActionsTheLastOnesStay() async {
      let car = await audio { controller in
        controller.setRootTemplate(list("A"), animated: false) { _, _ in
          controller.presentTemplate(alert("Which?", "One", "Two", "Three"), animated: true, completion: nil)
        }
      }
      #expect(car.screen.buttons == ["Two", "Three"])
      #expect(car.diagnostics(.cut).map(\.what) == ["3 alert actions, 2 shown"])
    }

    /// A text that one car shortens finds the same part on every car.
    @Test func aPartIsTappedByItsWholeTextOrAnyVariant() async throws {
      for profile in ["minimum", "standard", "ultra-wide"] {
        var tapped: [String] = []
        let long = "The songs that were played most in the last thirty days by everybody"
        let car = Car(try .profile(profile))
        await car.launch(.audio) {
          PlainScene { controller in
            let variants = ["Everything that was downloaded to this phone", "Downloads"]
            let button = CPGridButton(titleVariants: variants, image: UIImage(systemName: "tray")!) { _ in
              tapped.append("grid")
            }
            let root = list("Library", [long]) { _ in
              tapped.append("row")
              let grid = CPGridTemplate(title: "Grid", gridButtons: [button])
              controller.pushTemplate(grid, animated: false, completion: nil)
            }
            controller.setRootTemplate(root, animated: false, completion: nil)
          }
        }
        await car.tap(long)
        await car.tap("Everything that was downloaded to this phone")
        await car.tap("Downloads")
        #expect(tapped == ["row", "grid", "grid"], "\(profile)")
      }
    }

    @Test func aTaskGoesOnWhenItsAppWasEnded() async {
      let car = await audio { $0.setRootTemplate(list("A"), animated: false, completion: nil) }
      var controller: CPInterfaceController?
      await car.launch(.audio) {
        PlainScene {
          controller = $0
          $0.setRootTemplate(list("A"), animated: false, completion: nil)
        }
      }
      for template in [alert("Stop?", "Yes"), list("B")] as [CPTemplate] {
        // The first error is an exception, which ends the app. The second call comes after the app's end.
        await #expect(throws: CancellationError.self) { try await controller?.pushTemplate(template, animated: true) }
      }
      #expect(car.exception == .mustBePresented("CPAlertTemplate"))
    }

    @Test func aStuckChangeAndALostDisconnectAreAnsweredAtTheEndOfTheConnection() async {
      for noticed in [true, false] {
        var faults = CarFaults()
        let car = Car(.standard)
        var controller: CPInterfaceController?
        await car.launch(.audio) {
          PlainScene {
            controller = $0
            $0.setRootTemplate(list("A"), animated: false, completion: nil)
          }
        }
        faults.stuckChange = 1
        car.faults = faults
        let first = controller
        var isAnswered = false
        let task = Task { @MainActor in
          defer { isAnswered = true }
          return try await first?.pushTemplate(list("B"), animated: true)
        }
        await car.wait(.seconds(60))
        #expect(!isAnswered && car.diagnostics(.completion).count == 1)
        car.faults.stuckChange = 0
        await car.unplug(noticed: noticed)
        await car.replug()
        #expect(await car.wait(until: { isAnswered }))
        await #expect(throws: (any Error).self) { try await task.value }
      }
    }

    @Test func changesThatWaitAreAnsweredWhenTheCarGoesAway() async {
      var answers: [Bool] = []
      var controller: CPInterfaceController?
      var settings = CarSettings.standard
      settings.behavior.ipcDelay = 60
      let car = Car(settings)
      await car.launch(.audio) {
        PlainScene {
          controller = $0
          $0.setRootTemplate(list("A"), animated: false, completion: nil)
        }
      }
      controller?.pushTemplate(list("B"), animated: true) { isDone, error in
        answers.append(isDone)
        #expect(error?.localizedDescription == TemplateError.disconnected.text)
        // An app that continues anyway is not ended for it.
        controller?.pushTemplate(list("C"), animated: true) { isDone, _ in answers.append(isDone) }
      }
      var isAnswered = false
      let task = Task { @MainActor in
        defer { isAnswered = true }
        return try await controller?.pushTemplate(list("D"), animated: true)
      }
      await car.unplug()
      #expect(answers == [false, false])
      #expect(await car.wait(until: { isAnswered }))
      await #expect(throws: (any Error).self) { try await task.value }
      #expect(car.end == nil)
    }
  }
}
