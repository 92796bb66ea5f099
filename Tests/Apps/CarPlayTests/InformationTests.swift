// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import MapKit
import PortingSupport
import Testing
import UIKit

@MainActor
struct InformationTests {
  @Test("An information template keeps all items and actions, and its texts can change")
  func information() {
    RecordingSystem.use { system in
      let template = CPInformationTemplate(
        title: "Charger", layout: .twoColumn,
        items: (0..<15).map { CPInformationItem(title: "Row \($0)", detail: nil) },
        actions: (0..<6).map { CPTextButton(title: "\($0)", textStyle: .confirm) })
      #expect(template.items.count == 15)
      #expect(template.actions.count == 6)
      #expect(template.layout.rawValue == 1)
      let names = system.changes(of: template) {
        template.title = "Station"
        template.items = []
        template.actions = []
      }
      #expect(names == ["title", "items", "actions"])
    }
  }

  @Test("A rating item is an item with stars")
  func rating() {
    let item: CPInformationItem = CPInformationRatingItem(
      rating: 3.5, maximumRating: 5, title: "Rating", detail: "80 votes")
    #expect((item as? CPInformationRatingItem)?.rating == 3.5)
    #expect(item.title == "Rating")
  }

  @Test("Buttons give themselves to their handlers")
  func handlers() {
    var pressed: [NSObject] = []
    let text = CPTextButton(title: "Start", textStyle: .normal) { pressed.append($0) }
    let call = CPContactCallButton { pressed.append($0) }
    let map = CPMapButton { pressed.append($0) }
    text.handler?(text)
    call.handler?(call)
    map.handler?(map)
    #expect(pressed == [text, call, map])
  }

  @Test("A contact reports changes, and its system buttons have no image of the app")
  func contact() {
    RecordingSystem.use { system in
      let contact = CPContact(name: "Garage", image: .sample)
      #expect(contact.actions == nil)
      let names = system.changes(of: contact) {
        contact.subtitle = "Open"
        contact.actions = [CPContactDirectionsButton(), CPContactMessageButton(phoneOrEmail: "+49 30 1")]
      }
      #expect(names == ["subtitle", "actions"])
      #expect(contact.actions?.map(\.image) == [nil, nil])
      #expect(contact.actions?.map(\.isEnabled) == [true, true])
      let template = CPContactTemplate(contact: contact)
      #expect(system.changes(of: template) { template.contact = contact } == ["contact"])
    }
  }

  @Test("Sizes and counts of buttons and pins are the car's")
  func sizes() {
    RecordingSystem.use { system in
      system.settings.imageSizes.contactAction = CGSize(width: 31, height: 32)
      system.settings.imageSizes.pin = CGSize(width: 33, height: 34)
      system.settings.limits.maximumVoiceActionButtons = 7
      #expect(CPButton.maximumImageSize == CGSize(width: 31, height: 32))
      #expect(CPButtonMaximumImageSize == CPButton.maximumImageSize)
      #expect(CPPointOfInterest.pinImageSize == CGSize(width: 33, height: 34))
      #expect(CPVoiceControlState.maximumActionButtonCount == 7)
    }
  }

  @Test("A point of interest template keeps all places and the index, also without a selection")
  func pointsOfInterest() {
    RecordingSystem.use { system in
      let places = (0..<14).map { index in
        CPPointOfInterest(
          location: .place("P\(index)", 55, 37), title: "P\(index)", subtitle: nil, summary: nil, detailTitle: nil,
          detailSubtitle: nil, detailSummary: nil, pinImage: nil)
      }
      let template = CPPointOfInterestTemplate(title: "Chargers", pointsOfInterest: places, selectedIndex: NSNotFound)
      #expect(template.pointsOfInterest == places)
      #expect(template.selectedIndex == NSNotFound)
      template.setPointsOfInterest([places[2]], selectedIndex: 0)
      #expect(template.pointsOfInterest == [places[2]])
      #expect(template.selectedIndex == 0)
      #expect(system.changes(of: places[2]) { places[2].primaryButton = nil } == ["primaryButton"])
    }
  }

  @Test("The choice of a place is optional for a delegate, the region of the map is not")
  func pointOfInterestDelegate() {
    let delegate = RegionDelegate()
    let template = CPPointOfInterestTemplate(title: "", pointsOfInterest: [], selectedIndex: NSNotFound)
    template.pointOfInterestDelegate = delegate
    template.pointOfInterestDelegate?.pointOfInterestTemplate(
      template, didChangeMapRegion: MKCoordinateRegion(center: .init(latitude: 55, longitude: 37), span: .init()))
    #expect(delegate.latitude == 55)
    let place = CPPointOfInterest(
      location: .place("P", 55, 37), title: "P", subtitle: nil, summary: nil, detailTitle: nil, detailSubtitle: nil,
      detailSummary: nil, pinImage: nil)
    #expect(
      !OptionalMethod.isImplemented(
        "pointOfInterestTemplate(_:didSelectPointOfInterest:)", by: template.pointOfInterestDelegate
      ) { $0.pointOfInterestTemplate(template, didSelectPointOfInterest: place) })
  }

  @Test("A voice control template asks the host for a state and keeps the active one")
  func voiceControl() {
    RecordingSystem.use { system in
      let states = (0..<7).map {
        CPVoiceControlState(identifier: "\($0)", titleVariants: ["Listening"], image: nil, repeats: true)
      }
      let template = CPVoiceControlTemplate(voiceControlStates: states)
      #expect(template.voiceControlStates == states)
      #expect(template.activeStateIdentifier == nil)
      template.activateVoiceControlState(withIdentifier: "1")
      #expect(template.activeStateIdentifier == nil)
      #expect(system.takeNavigation() == ["activateVoiceState"])
    }
  }

  @Test("A search delegate answers texts and choices, and the search key is optional")
  func search() {
    let template = CPSearchTemplate()
    let delegate = PlaceSearch()
    template.delegate = delegate
    var rows: [CPListItem] = []
    template.delegate?.searchTemplate(template, updatedSearchText: "har") { rows = $0 }
    #expect(rows.map(\.text) == ["Harbour", "Harvest"])
    var isDone = false
    template.delegate?.searchTemplate(template, selectedResult: rows[1]) { isDone = true }
    #expect(isDone)
    #expect(delegate.chosen == "Harvest")
    #expect(
      !OptionalMethod.isImplemented("searchTemplateSearchButtonPressed(_:)", by: template.delegate) {
        $0.searchTemplateSearchButtonPressed(template)
      })
  }

  @Test("Templates do not retain their delegates")
  func delegatesAreWeak() {
    let search = CPSearchTemplate()
    let map = CPMapTemplate()
    var delegate: PlaceSearch? = PlaceSearch()
    search.delegate = delegate
    map.mapDelegate = delegate
    #expect(search.delegate != nil)
    delegate = nil
    #expect(search.delegate == nil)
    #expect(map.mapDelegate == nil)
  }
}

private final class RegionDelegate: NSObject, CPPointOfInterestTemplateDelegate {
  var latitude: Double?

  func pointOfInterestTemplate(
    _ pointOfInterestTemplate: CPPointOfInterestTemplate, didChangeMapRegion region: MKCoordinateRegion
  ) { latitude = region.center.latitude }
}

private final class PlaceSearch: NSObject, CPSearchTemplateDelegate, CPMapTemplateDelegate {
  var chosen: String?

  func searchTemplate(
    _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
    completionHandler: @escaping ([CPListItem]) -> Void
  ) {
    let places = ["Harbour", "Harvest", "Castle"].filter { $0.lowercased().hasPrefix(searchText) }
    completionHandler(places.map { CPListItem(text: $0, detailText: nil) })
  }

  func searchTemplate(
    _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void
  ) {
    chosen = item.text
    completionHandler()
  }
}
