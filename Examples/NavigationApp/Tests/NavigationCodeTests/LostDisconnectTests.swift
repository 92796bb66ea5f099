// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

@testable import NavigationCode

extension NavigationTests {
  /// The phone may not learn that the car went away, or learn it late. The tests play the naive and the careful app.
  @MainActor @Suite struct LostDisconnect {
    private let navigator = Navigator()

    private var phoneHasMap: Bool { navigator.map.view.window === navigator.phoneWindow }
    private var carHasMap: Bool { navigator.car.map { navigator.map.view.window === $0.window } ?? false }

    private func drive(_ settings: CarSettings = .standard, isNaive: Bool, faults: CarFaults = CarFaults()) async -> Car
    {
      let car = Car(settings, faults: faults)
      await car.launch(.navigation) { [navigator] () -> any UISceneDelegate in
        if isNaive { NaiveCarSceneDelegate(navigator) } else { CarSceneDelegate(navigator) }
      }
      return car
    }

    @Test("A noticed disconnect gives the map back to the phone", arguments: [true, false])
    func noticedDisconnect(isNaive: Bool) async {
      let car = await drive(isNaive: isNaive)
      #expect(carHasMap && !phoneHasMap)
      await car.unplug()
      #expect(phoneHasMap && navigator.car == nil)
      await car.replug()
      #expect(carHasMap && car.screen.kind == .map)
    }

    @Test("After a lost notice the naive app has no map on the phone, and an empty screen in the next car")
    func naiveAppAfterALostNotice() async {
      let car = await drive(isNaive: true)
      await car.unplug(noticed: false)
      #expect(!phoneHasMap)
      await car.replug()
      #expect(car.screen.kind == .error)
      await car.wait(.seconds(2))
      #expect(car.diagnostics(.lifecycle).contains { $0.what == "no root template was set after didConnect" })
    }

    @Test("The naive app asks a question on the car that is gone, and the system ends it")
    func naiveAppTalksToACarThatIsGone() async {
      let car = await drive(isNaive: true)
      await car.unplug(noticed: false)
      await car.replug()
      navigator.suggest(Route.routes(to: .harbour)[1])
      await car.settle()
      #expect(car.exception == .staleController)
    }

    @Test("A system that ends apps with an alert up ends the naive app, and the careful one closes its alert in time")
    func alertWhileTheCableIsPulled() async {
      for isNaive in [true, false] {
        var faults = CarFaults()
        faults.killOnModalDisconnect = true
        let car = await drive(isNaive: isNaive, faults: faults)
        navigator.suggest(Route.routes(to: .harbour)[1])
        await car.settle()
        #expect(car.screen.kind == .alert)
        await car.unplug(noticed: false)
        await car.noticeUnplug()
        #expect((car.end != nil) == isNaive)
        #expect(car.diagnostics(.modal).isEmpty == !isNaive)
      }
    }

    @Test("The careful app sees by the charger that the cable was pulled")
    func carefulAppAfterALostNotice() async {
      let car = await drive(isNaive: false)
      await car.unplug(noticed: false)
      #expect(phoneHasMap && car.hasGhostConnection)
      await car.replug()
      #expect(carHasMap && car.screen.kind == .map && car.diagnostics(.lifecycle).isEmpty)
    }

    @Test("Over a wireless connection the charger says nothing, and the next connection repairs the app")
    func wirelessConnection() async {
      var settings = CarSettings.standard
      settings.link = .wireless
      let car = await drive(settings, isNaive: false)
      await car.unplug(noticed: false)
      #expect(!phoneHasMap, "this is a limit of the workaround")
      await car.replug()
      #expect(carHasMap && car.screen.kind == .map)
    }

    @Test("The late end of the first connection takes the map from the naive app's second car")
    func lateDisconnect() async {
      var faults = CarFaults()
      faults.overlapReconnect = true
      let naive = await drive(isNaive: true, faults: faults)
      await naive.unplug(powerNoticed: false)
      await naive.replug()
      #expect(phoneHasMap, "the map is on the phone while the car is connected")

      let careful = await drive(isNaive: false, faults: faults)
      await careful.unplug(powerNoticed: false)
      await careful.replug()
      #expect(carHasMap && careful.screen.kind == .map)
    }
  }
}
