// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Dispatch
import MapKit

extension CarHost {
  private static let pointDelegate = "points' delegate"

  /// Reports the region of the system's map to the app, after the template is shown and after each move.
  func reportRegion(_ template: CPPointOfInterestTemplate, offset: Double = 0) {
    let center = template.pointsOfInterest.first?.location.placemark.coordinate
    let region = MKCoordinateRegion(
      center: CLLocationCoordinate2D(
        latitude: center?.latitude ?? 0, longitude: (center?.longitude ?? 0) + offset),
      span: MKCoordinateSpan(latitudeDelta: 0.1, longitudeDelta: 0.1))
    events.after(settings.behavior.ipcDelay, .effect) { [weak self, weak template] in
      guard let self, let template else { return }
      self.callDelegate(
        template.pointOfInterestDelegate, Self.pointDelegate, "pointOfInterestTemplate(_:didChangeMapRegion:)"
      ) { delegate in
        guard self.faults.offMainCallbacks else {
          return delegate.pointOfInterestTemplate(template, didChangeMapRegion: region)
        }
        self.report(
          CarDiagnostic(
            .thread, what: "pointOfInterestTemplate(_:didChangeMapRegion:) is called away from the main thread",
            carShows: "a trap in an app built with Swift 6 whose method is on the main actor (seen in iOS 26)",
            remedy: "make the method nonisolated and hop to the main actor in it"))
        self.callAwayFromMain { delegate.pointOfInterestTemplate(template, didChangeMapRegion: region) }
      }
    }
  }

  /// The longest wait in real time for a call of the app away from the main thread. Ours: Dispatch needs a second to
  /// start another thread when all of its threads are blocked.
  private static let awayLimit = DispatchTimeInterval.seconds(5)

  /// Calls the app on another thread while the main thread waits. On a phone, Swift's check of the main actor would end
  /// an app that uses the framework there, so the app is ended here.
  private func callAwayFromMain(_ body: @escaping @MainActor () -> Void) {
    // Unsafe: the main thread is idle meanwhile. Running the body on another thread is the emulated fault.
    nonisolated(unsafe) let call = unsafe unsafeBitCast(body, to: (() -> Void).self)
    let done = DispatchSemaphore(value: 0)
    awayFromMain = .calling
    DispatchQueue.global().async {
      unsafe call()
      done.signal()
    }
    // An app that waits for the main queue there would otherwise wait forever.
    _ = done.wait(timeout: .now() + Self.awayLimit)
    defer { awayFromMain = .no }
    guard awayFromMain == .used else { return }
    end(.killed(signal: 5, reason: "a method of the main actor ran away from the main thread"))
  }

  /// Selects a point of interest.
  func select(_ point: CPPointOfInterest, at index: Int, of template: CPPointOfInterestTemplate) {
    template.selectedIndex = index
    callDelegate(
      template.pointOfInterestDelegate, Self.pointDelegate, "pointOfInterestTemplate(_:didSelectPointOfInterest:)",
      point.title
    ) { $0.pointOfInterestTemplate(template, didSelectPointOfInterest: point) }
  }

  /// Moves the map of the points of interest.
  package func movePointMap() {
    guard front == .app, let template = app?.car?.stack.front as? CPPointOfInterestTemplate else { return }
    note(.car, "move map")
    reportRegion(template, offset: 0.05)
  }
}
