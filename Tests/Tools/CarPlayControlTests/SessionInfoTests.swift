// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlayProfiles
import CarPlaySession
import Testing

/// A car as a head unit's answer to `/info`, and back.
struct SessionInfoTests {
  @Test(arguments: CarProfiles.names)
  func `the phone sees the car that the head unit is`(name: String) throws {
    let car = try CarProfiles.settings(name)
    let seen = try HeadUnitScreen(car.sessionInfo(generation: .current, deviceID: "02:00:00:00:00:01")).settings
    #expect(seen.screen.pixelWidth == car.screen.pixelWidth && seen.screen.pixelHeight == car.screen.pixelHeight)
    #expect(seen.screen.safeArea == car.screen.safeArea)
    #expect(seen.screen.drivingSide == car.screen.drivingSide)
    #expect(seen.appearance == car.appearance)
    // A car with a touch screen and a knob names the one that comes first.
    let points = car.inputs.contains(where: \.points)
    #expect(seen.inputs.subtracting([.keys]) == car.inputs.subtracting([.keys]).filter { !points || $0.points })
  }

  private static func info(_ change: (inout SessionInfo) -> Void) -> SessionInfo {
    var info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    change(&info)
    return info
  }

  @Test func `a screen that the phone does not draw is named`() {
    for width in [0, 16, 199, 8193, Int.max] {
      let info = Self.info {
        $0.displays?[0].width = width
        $0.displays?[0].viewAreas = nil
      }
      let problem = #expect(throws: ValueProblem.self) { try HeadUnitScreen(info) }
      #expect(problem?.description.contains("\(width) × 720") == true, "\(width)")
    }
    #expect(throws: ValueProblem.self) { try HeadUnitScreen(Self.info { $0.displays = [] }) }
  }

  @Test func `areas that do not fit are left out`() throws {
    let odd = try HeadUnitScreen(
      Self.info {
        $0.displays?[0].width = 1281
        $0.displays?[0].viewAreas = [ViewArea(x: 0, y: 0, width: 1281, height: 720)]
        $0.displays?[0].initialViewArea = 9
      })
    #expect(odd.settings.screen.pixelWidth == 1280)
    let outside = try HeadUnitScreen(
      Self.info { info in
        var area = ViewArea(width: 1280, height: 720)
        area.values["safeArea"] = ViewArea(x: -5, y: 0, width: 4000, height: 720).propertyValue
        info.displays?[0].viewAreas = [area]
      })
    #expect(outside.settings.screen.safeArea == CarInsets())
  }

  @Test func `a fine screen has three pixels a point`() throws {
    #expect(try HeadUnitScreen(Self.info { _ in }).settings.screen.scale == 2)
    #expect(try HeadUnitScreen(Self.info { $0.displays?[0].physicalWidth = 120 }).settings.screen.scale == 3)
  }

  @Test func `a view area has its own size and place, and a display its rate`() throws {
    let screen = try HeadUnitScreen(
      Self.info {
        $0.displays?[0].type = nil
        $0.displays?[0].maximumFrameRate = 30
        $0.displays?[0].viewAreas = [ViewArea(x: 320, y: 20, width: 800, height: 600)]
      })
    #expect((screen.x, screen.y, screen.rate) == (320, 20, 30))
    #expect(screen.settings.screen.pixelWidth == 800 && screen.settings.screen.pixelHeight == 600)
    // The place of the safe area counts from the display, like that of the area.
    #expect(screen.settings.screen.safeArea == CarInsets())
  }
}
