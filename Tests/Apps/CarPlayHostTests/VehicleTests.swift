// swift-iap2 · Apache-2.0

import CarPlayTesting
import CoreLocation
import Foundation
import IAP2Roles
import Testing

@testable import CarPlayHost

extension CarTests {
  /// Tests of the head unit's reports about the car. They reach the phone, and the position also reaches the app.
  @Suite @MainActor
  struct VehicleTests {
    /// The location code of a navigation app.
    private final class Tracker: NSObject, CLLocationManagerDelegate {
      let manager = CLLocationManager()
      var locations: [CLLocation] = []

      override init() {
        super.init()
        manager.delegate = self
      }

      func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
      }

      func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        self.locations += locations
      }
    }

    private static let update = "locationManager(_:didUpdateLocations:)"

    private func launch(_ change: (inout CarSettings) -> Void = { _ in }) async -> Car {
      var settings = CarSettings.standard
      change(&settings)
      let car = Car(settings)
      await car.attachHeadUnit()
      await car.launch(.navigation) { MapScene() }
      return car
    }

    private func close(_ a: Double?, _ b: Double, by limit: Double) -> Bool { abs((a ?? .infinity) - b) <= limit }

    // MARK: The position

    @Test func thePositionReachesTheAppWhileItWantsLocations() async {
      let car = await launch()
      await car.reportLocation(latitude: 52.5, longitude: 13.4, altitude: 34, course: 90, speed: 13)
      await car.wait(.seconds(5))
      // The phone requests positions only for an app that wants them.
      #expect(car.headUnit.vehicle?.location == nil && !car.calls.contains(Self.update))
      let tracker = Tracker()
      tracker.start()
      await car.settle()
      let first = tracker.locations.last
      #expect(tracker.locations.count == 1 && car.calls.contains { $0.hasPrefix(Self.update) })
      #expect(first?.course == 90 && close(first?.speed, 13, by: 0.05) && first?.altitude == 34)
      // The car continues at its speed: 5 s to the east.
      let start = CLLocation(latitude: 52.5, longitude: 13.4)
      #expect(close(first.map(start.distance), 65, by: 1))
      await car.wait(.seconds(10))
      #expect(tracker.locations.count == 11)
      #expect(close(tracker.locations.last.map(start.distance), 195, by: 1))
      let times = tracker.locations.map(\.timestamp.timeIntervalSince1970)
      #expect(zip(times, times.dropFirst()).allSatisfy { close($1 - $0, 1, by: 0.02) })
      #expect(close(times.first, Date().timeIntervalSince1970 + 5, by: 60))
      // A new position is reported immediately.
      await car.reportLocation(latitude: -33.9, longitude: 151.2)
      #expect(tracker.locations.count == 12 && close(tracker.locations.last?.coordinate.latitude, -33.9, by: 1e-5))
      #expect(tracker.locations.last?.speed == 0 && car.headUnit.vehicle?.location?.longitude == 151.2)
      tracker.manager.stopUpdatingLocation()
      await car.wait(.seconds(10))
      #expect(tracker.locations.count == 12)
    }

    @Test func anAppWithoutPermissionGetsNoLocation() async {
      let car = await launch()
      let tracker = Tracker()
      tracker.manager.startUpdatingLocation()
      await car.reportLocation(latitude: 52.5, longitude: 13.4)
      await car.wait(.seconds(3))
      #expect(tracker.locations.isEmpty && car.headUnit.vehicle == nil)
      tracker.manager.requestWhenInUseAuthorization()
      await car.wait(.seconds(1))
      #expect(!tracker.locations.isEmpty)
    }

    @Test func aReleasedManagerEndsTheRequest() async {
      let car = await launch()
      var tracker: Tracker? = Tracker()
      tracker?.start()
      await car.reportLocation(latitude: 52.5, longitude: 13.4)
      #expect(tracker?.locations.count == 1)
      tracker = nil
      await car.wait(.seconds(2))
      #expect(car.log.last { $0.object == "location manager" }?.name == "wants no locations")
    }

    @Test func aPhoneThatAlwaysAsksKnowsThePositionWithoutAnApp() async {
      let car = await launch { $0.behavior.locationOnDemand = false }
      await car.reportLocation(latitude: 52.5, longitude: 13.4)
      #expect(close(car.headUnit.vehicle?.location?.latitude, 52.5, by: 1e-6))
      #expect(!car.calls.contains { $0.hasPrefix(Self.update) })
    }

    @Test(arguments: [CarLink.wired, .wireless]) func thePositionComesBackAfterAReconnect(link: CarLink) async {
      let car = await launch { $0.link = link }
      let tracker = Tracker()
      tracker.start()
      await car.reportLocation(latitude: 52.5, longitude: 13.4)
      await car.reportVehicle(range: 300)
      await car.unplug()
      await car.wait(.seconds(20))
      let count = tracker.locations.count
      #expect(car.headUnit.vehicle == nil)
      await car.replug()
      await car.wait(.seconds(3))
      #expect(tracker.locations.count > count && car.headUnit.vehicle?.range == 300)
    }

    @Test func aPulledCableWithoutANoticeBringsNoPosition() async {
      let car = await launch()
      let tracker = Tracker()
      tracker.start()
      await car.reportLocation(latitude: 52.5, longitude: 13.4)
      await car.unplug(noticed: false)
      await car.wait(.seconds(1800))
      #expect(tracker.locations.count == 1 && car.hasGhostConnection)
    }

    // MARK: The status

    @Test func theStatusReachesThePhoneAndNoApp() async {
      let car = await launch()
      #expect(car.headUnit.vehicle == nil)
      let told = car.calls.count
      await car.reportVehicle(range: 40, outsideTemperature: -3, rangeWarning: true)
      let vehicle = car.headUnit.vehicle
      #expect(vehicle?.range == 40 && vehicle?.outsideTemperature == -3 && vehicle?.rangeWarning == true)
      #expect(car.log.last?.detail == "range 40 km, outside -3 °C, range warning" && car.calls.count == told)
      await car.reportVehicle(range: 320, rangeWarning: false)
      #expect(car.headUnit.vehicle?.range == 320 && car.headUnit.vehicle?.outsideTemperature == -3)
      #expect(car.headUnit.vehicle?.rangeWarning == false)
    }

    // MARK: Faults of a scenario

    @Test func whatTheHeadUnitCannotReportIsNamed() async {
      #expect(VehicleMotion(latitude: 91, longitude: 0) == nil && VehicleMotion(latitude: 0, longitude: .nan) == nil)
      #expect(VehicleMotion(latitude: 0, longitude: 0, course: 0, speed: -1) == nil)
      let host = CarHost(.standard)
      let motion = VehicleMotion(latitude: 1, longitude: 2)
      #expect(motion.flatMap(host.reportLocation)?.hasPrefix("there is no iAP2 connection") == true)
      var settings = CarSettings.standard
      (settings.behavior.offersLocation, settings.behavior.offersVehicleStatus) = (false, false)
      let poor = CarHost(settings)
      poor.follow(policy: .notification, batteryPercent: 60, otherCurrent: 0, seed: 1)
      #expect(motion.flatMap(poor.reportLocation) == "the head unit of this car reports no position")
      #expect(
        poor.reportVehicle(range: 1, outsideTemperature: nil, rangeWarning: nil)
          == "the head unit of this car reports no status")
      host.follow(policy: .notification, batteryPercent: 60, otherCurrent: 0, seed: 1)
      #expect(host.reportVehicle(range: -1, outsideTemperature: nil, rangeWarning: nil) != nil)
      #expect(host.reportVehicle(range: nil, outsideTemperature: 1000, rangeWarning: nil) != nil)
    }

    @Test func aCarGoesOnOverThePoleAndTheDateLine() {
      let east = VehicleMotion(latitude: 0, longitude: 179.9999, course: 90, speed: 100)?.fix(after: 10, unixTime: 0)
      #expect(close(east?.longitude, -179.991, by: 0.001) && close(east?.latitude, 0, by: 1e-9))
      let north = VehicleMotion(latitude: 89.9999, longitude: 10, course: 0, speed: 100)?.fix(after: 1000, unixTime: 0)
      #expect(close(north?.longitude, -170, by: 0.001) && close(north?.latitude, 89.1, by: 0.01))
      let still = VehicleMotion(latitude: 52.5, longitude: 180)?.fix(after: 1e6, unixTime: 0)
      #expect(still?.latitude == 52.5 && still?.longitude == 180)
    }

    // MARK: The step

    /// Sends steps to the host of a program and returns the problems and the last state.
    private func play(_ actions: [CarAction]) async throws -> (problems: [String?], state: CarState?) {
      var answers: [CarReport.Done] = []
      let server = CarServer(app: CarApp([.navigation], name: "App") { MapScene() }) { report in
        if case .done(let done) = report { answers.append(done) }
      }
      let (lines, continuation) = AsyncStream<[UInt8]>.makeStream()
      for (id, action) in ([CarAction(.begin)] + actions).enumerated() {
        continuation.yield([UInt8](try JSONEncoder().encode(CarRequest(id: id, action))))
      }
      continuation.finish()
      await server.serve(lines)
      return (answers.dropFirst().map(\.problem), answers.last?.state)
    }

    @Test func oneStepHasThePositionAndTheStatus() async throws {
      let result = try await play([
        CarAction(.policy, ["name": .text("notification")]),
        CarAction(.headUnit, ["latitude": .number(1), "longitude": .number(2), "range": .number(40)]),
        CarAction(.launch), CarAction(.headUnit, ["request": .text("night")]),
        CarAction(.headUnit, ["request": .text("limit")]),
      ])
      #expect(result.problems == [nil, nil, nil, nil, nil])
      #expect(result.state?.headUnit?.vehicle?.range == 40 && result.state?.headUnit?.vehicle?.location == nil)
      #expect(result.state?.look?.appearance == .dark && result.state?.look?.contentStyle == .dark)
      #expect(result.state?.isDriving == true)
      let faults = try await play([
        CarAction(.policy, ["name": .text("notification")]), CarAction(.launch), CarAction(.headUnit),
        CarAction(.headUnit, ["latitude": .number(1)]), CarAction(.headUnit, ["speed": .number(1)]),
        CarAction(.headUnit, ["request": .text("night"), "range": .number(1)]),
        CarAction(.headUnit, ["position": .number(1), "range": .number(1)]),
        CarAction(.headUnit, ["latitude": .number(91), "longitude": .number(1)]),
        CarAction(.headUnit, ["range": .number(0.5)]),
      ])
      #expect(faults.problems.prefix(2) == [nil, nil] && !faults.problems.dropFirst(2).contains(nil))
    }
  }
}
