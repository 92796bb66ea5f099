// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of search, voice, information, points of interest, and contacts.
  @Suite @MainActor
  struct OtherTemplateTests {
    final class Searcher: NSObject, CPSearchTemplateDelegate {
      var answers: [([CPListItem]) -> Void] = []
      var texts: [String] = []
      var chosen: [String] = []
      var isPressed = false
      var answersAtOnce = true

      func searchTemplate(
        _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
        completionHandler: @escaping ([CPListItem]) -> Void
      ) {
        texts.append(searchText)
        guard answersAtOnce else { return answers.append(completionHandler) }
        completionHandler((1...5).map { CPListItem(text: "\(searchText) \($0)", detailText: nil) })
      }
      func searchTemplate(
        _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void
      ) {
        chosen.append(item.text ?? "")
        completionHandler()
      }
      func searchTemplateSearchButtonPressed(_ searchTemplate: CPSearchTemplate) { isPressed = true }
    }

    private func search(_ settings: CarSettings = .standard, _ faults: CarFaults = CarFaults(), _ searcher: Searcher)
      async -> Car
    {
      let car = Car(settings, faults: faults)
      if !searcher.answersAtOnce { car.patience = .zero }
      await car.launch(.navigation) {
        MapScene { scene in
          let template = CPSearchTemplate()
          template.delegate = searcher
          scene.controller?.pushTemplate(template, animated: true, completion: nil)
        }
      }
      return car
    }

    // Fault 26; row 53, row 58
    @Test func theKeyboardLeavesRoomForOneResult() async {
      let searcher = Searcher()
      let car = await search(.standard, CarFaults(), searcher)
      await car.type("cafe")
      #expect(car.screen.rows == ["cafe 1"])
      #expect(car.diagnostics(.cut).count == 1)
      await car.pressSearchKey()
      #expect(searcher.isPressed)
      #expect(car.screen.rows.count == 5)
      await car.tap("cafe 3")
      #expect(searcher.chosen == ["cafe 3"])
    }

    // Fault 24
    @Test func theKeyboardIsBlockedWhileDriving() async {
      let searcher = Searcher()
      let car = await search(.standard, CarFaults(), searcher)
      await car.drive()
      await withKnownIssue { await car.type("cafe") }
      #expect(searcher.texts.isEmpty)
      #expect(car.screen.first(.keyboard)?.isEnabled == false)
    }

    @Test func typingBringsTheKeyboardBackAfterTheSearchKey() async {
      let searcher = Searcher()
      let car = await search(.standard, CarFaults(), searcher)
      await car.type("ca")
      await car.pressSearchKey()
      await car.type("cafe")
      #expect(searcher.texts == ["ca", "cafe"])
    }

    @Test func theKeyboardComesBackWhenTheCarParks() async {
      let searcher = Searcher()
      let car = await search(.standard, CarFaults(), searcher)
      await car.drive()
      await car.park()
      await car.type("cafe")
      #expect(searcher.texts == ["cafe"])
      #expect(car.screen.first(.keyboard)?.isEnabled == true)
    }

    // Fault 25
    @Test func aLockTakesTheKeyboardAwayWhereTheFaultIsOn() async {
      for isOn in [false, true] {
        var faults = CarFaults()
        faults.dismissKeyboard = isOn
        let car = await search(.standard, faults, Searcher())
        await car.lock()
        #expect((car.screen.first(.keyboard) == nil) == isOn)
      }
    }

    @Test func aLateAnswerReplacesANewerOneOnlyOnSystemsWithTheFault() async {
      for isOn in [false, true] {
        var faults = CarFaults()
        faults.lateSearchAnswers = isOn
        let searcher = Searcher()
        searcher.answersAtOnce = false
        let car = await search(.standard, faults, searcher)
        await car.type("ca")
        await car.type("cafe")
        searcher.answers[1]([CPListItem(text: "Cafe", detailText: nil)])
        searcher.answers[0]([CPListItem(text: "Car wash", detailText: nil)])
        await car.settle()
        #expect(car.screen.rows == [isOn ? "Car wash" : "Cafe"])
        #expect(car.diagnostics(.order).contains { $0.what.contains("older text") })
      }
    }

    @Test func anAnswerToAnEarlierSearchFillsNoNewOne() async {
      let searcher = Searcher()
      searcher.answersAtOnce = false
      var controller: CPInterfaceController?
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene { controller = $0.controller } }
      for text in ["old", "new"] {
        let template = CPSearchTemplate()
        template.delegate = searcher
        controller?.pushTemplate(template, animated: false, completion: nil)
        await car.settle()
        await car.type(text)
        if text == "old" { await car.back() }
      }
      searcher.answers[0]([CPListItem(text: "Old result", detailText: nil)])
      await car.settle()
      #expect(!car.screen.shows("Old result"))
      #expect(car.diagnostics(.order).count == 1)
    }

    @Test func aSearchWithoutAnswerIsReported() async {
      let searcher = Searcher()
      searcher.answersAtOnce = false
      let car = await search(.standard, CarFaults(), searcher)
      await car.type("cafe")
      await car.wait(.seconds(6))
      #expect(car.diagnostics(.completion).count == 1)
      #expect(car.screen.first(.spinner) != nil)
    }

    @Test func aSearchThatWasLeftIsNoMissingAnswer() async {
      let searcher = Searcher()
      searcher.answersAtOnce = false
      let car = await search(.standard, CarFaults(), searcher)
      await car.type("cafe")
      await car.back()
      await car.wait(.seconds(60))
      #expect(car.diagnostics(.completion).isEmpty)
      #expect(searcher.texts == ["cafe"])
    }

    @Test func aSearchWithoutADelegateIsASetupFault() async {
      let car = Car(.standard)
      await car.launch(.navigation) {
        MapScene { $0.controller?.pushTemplate(CPSearchTemplate(), animated: true, completion: nil) }
      }
      await car.type("cafe")
      await car.wait(.seconds(60))
      #expect(car.diagnostics(.setup).map(\.what) == ["the search template has no delegate"])
      #expect(car.diagnostics(.completion).isEmpty && car.screen.first(.spinner) == nil)
    }

    @Test func aVoiceStateMayBeActivatedWhileTheTemplateAppears() async {
      final class Activator: NSObject, CPInterfaceControllerDelegate {
        func templateWillAppear(_ template: CPTemplate, animated: Bool) {
          (template as? CPVoiceControlTemplate)?.activateVoiceControlState(withIdentifier: "found")
        }
      }
      let activator = Activator()
      let template = CPVoiceControlTemplate(
        voiceControlStates: ["listening", "found"].map {
          CPVoiceControlState(identifier: $0, titleVariants: [$0], image: nil, repeats: false)
        })
      let car = Car(.standard)
      await car.launch(.navigation) {
        MapScene { scene in
          scene.controller?.delegate = activator
          scene.controller?.presentTemplate(template, animated: true, completion: nil)
        }
      }
      #expect(car.screen.title == "found")
      #expect(car.diagnostics(.ignored).isEmpty)
    }

    @Test func voiceStatesChangeOnlyWhilePresented() async {
      let frames = (0..<12).map { _ in UIImage(systemName: "waveform")! }
      let template = CPVoiceControlTemplate(voiceControlStates: [
        CPVoiceControlState(
          identifier: "listening", titleVariants: ["Listening"],
          image: UIImage.animatedImage(with: frames, duration: 0.96), repeats: true),
        CPVoiceControlState(
          identifier: "found", titleVariants: ["Found"], image: UIImage.animatedImage(with: frames, duration: 9),
          repeats: true),
      ])
      let scene = MapScene()
      let car = Car(.standard)
      await car.launch(.navigation) { scene }
      template.activateVoiceControlState(withIdentifier: "found")
      #expect(template.activeStateIdentifier == nil)
      #expect(car.diagnostics(.ignored).count == 1)
      scene.controller?.presentTemplate(template, animated: true, completion: nil)
      await car.settle()
      #expect(car.screen.title == "Listening")
      template.activateVoiceControlState(withIdentifier: "found")
      template.activateVoiceControlState(withIdentifier: "listening")
      #expect(car.diagnostics(.rate).count == 1)
      await car.wait(.seconds(1))
      template.activateVoiceControlState(withIdentifier: "found")
      await car.settle()
      #expect(car.screen.title == "Found")
      #expect(car.diagnostics(.image).map(\.what).contains { $0.contains("a cycle of 9.0 s") })
    }

    @Test func informationContactsAndPointsAreCutAtTheirLimits() async {
      let car = Car(.standard)
      let point = MKMapItem(placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2)))
      let points = CPPointOfInterestTemplate(
        title: "Chargers",
        pointsOfInterest: (1...14).map {
          CPPointOfInterest(
            location: point, title: "P\($0)", subtitle: nil, summary: nil, detailTitle: nil, detailSubtitle: nil,
            detailSummary: nil, pinImage: nil)
        }, selectedIndex: NSNotFound)
      var controller: CPInterfaceController?
      await car.launch(.charging) {
        PlainScene {
          controller = $0
          $0.setRootTemplate(points, animated: false, completion: nil)
        }
      }
      #expect(car.screen.all(.point).count == 12)
      await car.tap("P2")
      #expect(points.selectedIndex == 1)
      var isPressed = false
      let information = CPInformationTemplate(
        title: "Charger", layout: .leading, items: (1...12).map { CPInformationItem(title: "I\($0)", detail: "d") },
        actions: (1...4).map { number in
          CPTextButton(title: "A\(number)", textStyle: .confirm) { _ in isPressed = true }
        })
      controller?.pushTemplate(information, animated: true, completion: nil)
      await car.settle()
      #expect(car.screen.all(.item).count == 10)
      #expect(car.screen.buttons == ["A1", "A2", "A3"])
      await car.tap("A3")
      #expect(isPressed)
      #expect(car.diagnostics(.cut).count == 3)
    }

    // An alert without actions is shown, with a warning.
    @Test func anAlertWithoutActionsIsShownWithAWarning() async {
      let car = Car(.standard)
      await car.launch(.navigation) {
        MapScene { $0.controller?.presentTemplate(alert("Download a city"), animated: true, completion: nil) }
      }
      #expect(car.screen.title == "Download a city")
      #expect(car.diagnostics(.note).contains { $0.what == "an alert has no action" })
    }

    // Fault 31; row 57
    @Test func anAppThatExplainsAPermissionToTheDriverIsNotReported() async {
      for explains in [false, true] {
        let scene = MapScene()
        let car = Car(.standard)
        await car.launch(.navigation) { scene }
        if explains {
          Task { @MainActor in
            scene.controller?.presentTemplate(alert("Use the phone to allow the microphone", "OK"), animated: false) {
              _, _ in
            }
          }
        }
        await car.askForPermission()
        #expect(car.diagnostics(.note).isEmpty == explains)
      }
    }

    // Fault 19
    @Test func aMirroredImageIsReported() async throws {
      let png = try #require(UIImage(data: TestImages.png(width: 40, height: 40), scale: 2))
      var content = png.content
      content.orientation = .upMirrored
      for (image, isMirrored) in [(png, false), (UIImage(content), true)] {
        let car = Car(.standard)
        let scene = MapScene { scene in
          let button = CPMapButton { _ in }
          button.image = image
          scene.map.mapButtons = [button]
        }
        await car.launch(.navigation) { scene }
        #expect(car.diagnostics(.image).isEmpty == !isMirrored)
      }
    }

    // Fault 16
    @Test func anAppThatAsksThePhoneForTheStyleShowsTheWrongImage() async {
      for asksPhone in [true, false] {
        var faults = CarFaults()
        faults.splitStyles = true
        let car = Car(.standard, faults: faults)
        await car.launch(.navigation) {
          MapScene { scene in
            let traits = asksPhone ? UITraitCollection.current : scene.controller?.carTraitCollection
            scene.map.mapButtons = mapButtons([traits?.userInterfaceStyle == .dark ? "night" : "day"])
          }
        }
        #expect(car.screen.shows("night") == asksPhone)
      }
    }
  }
}
