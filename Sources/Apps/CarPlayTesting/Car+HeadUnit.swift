// swift-iap2 · Apache-2.0

import CarPlayHost
public import CarPlayPlatform
import IAP2Roles

extension Car {
  // MARK: The head unit over iAP2

  /// Attaches a head unit over iAP2, before the car connects. The head unit gets the app's information and sends
  /// requests to the app. The phone follows the head unit's notifications, as with the policy `notification` of
  /// ``follow(_:batteryPercent:powerBank:seed:)``.
  public func attachHeadUnit() async { await follow(.notification) }

  /// The head unit's display of the phone's apps over iAP2: the song, the next maneuver, the calls. It is empty without
  /// the head unit that ``attachHeadUnit()`` attaches.
  ///
  /// ```swift
  /// let car = Car(.standard)
  /// await car.attachHeadUnit()
  /// await car.launch(.audio) { RadioScene() }
  /// await car.tap("Jazz")
  /// #expect(car.headUnit.song?.title == "Blue Monk")
  /// await car.ask(.next)
  /// ```
  public var headUnit: HeadUnitDisplay { host.headUnit ?? HeadUnitDisplay() }

  /// Sends a request of the head unit to the phone over iAP2, as its own keys do. The app gets a remote command, or an
  /// action on its call. The requests for night mode and limits do the same as ``setAppearance(_:)``,
  /// ``setContentStyle(_:)``, ``drive()`` and ``park()``, and need no head unit over iAP2.
  public func ask(
    _ request: HeadUnitRequest, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    guard let problem = await act({ host.askPhone(request) }) else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Makes the head unit set the position in the song, in seconds.
  public func seek(
    to seconds: Double, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    guard let problem = await act({ host.seekFromHeadUnit(to: seconds) }) else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Makes the head unit report the car's position over iAP2, in degrees, with its course in degrees from north and its
  /// speed in meters per second. The car continues with this course and speed. Each second the app gets a location, if
  /// its location manager updates locations with the user's permission.
  ///
  /// ```swift
  /// let car = Car(.standard)
  /// await car.attachHeadUnit()
  /// await car.launch(.navigation) { MapScene() }
  /// await car.reportLocation(latitude: 52.5, longitude: 13.4, course: 90, speed: 13)
  /// await car.wait(.seconds(10))
  /// ```
  public func reportLocation(
    latitude: Double, longitude: Double, altitude: Double = 0, course: Double = 0, speed: Double = 0,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    let motion = VehicleMotion(
      latitude: latitude, longitude: longitude, altitude: altitude, course: course, speed: speed)
    guard let motion else {
      return fail(
        "a car cannot be at \(latitude), \(longitude), \(altitude) m, with \(course)° and \(speed) m/s",
        fileID: fileID, filePath: filePath, line: line, column: column)
    }
    guard let problem = await act({ host.reportLocation(motion) }) else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Makes the head unit report the car's status over iAP2: the range in kilometers, the outside temperature in degrees
  /// Celsius and whether it warns of a short range. A nil argument leaves its value unchanged. iOS passes the status to
  /// no app; `headUnit.vehicle` has it.
  public func reportVehicle(
    range: Int? = nil, outsideTemperature: Int? = nil, rangeWarning: Bool? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    let problem = await act {
      host.reportVehicle(range: range, outsideTemperature: outsideTemperature, rangeWarning: rangeWarning)
    }
    guard let problem else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  // MARK: Notifications

  /// Switches the app's banners in the car on or off, as the user does in the settings of the phone. They are on by
  /// default.
  public func setNotificationsInCar(_ isOn: Bool) async { await act { host.setNotificationsInCar(isOn) } }

  // MARK: Siri

  /// Asks Siri to read the new messages of the app.
  public func readMessages(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    guard let problem = await act({ host.readMessages() }) else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Asks Siri to send a message with the app.
  public func send(
    _ text: String, to name: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    guard let problem = await act({ host.sendMessage(text, to: name) }) else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Asks Siri to send a message to a group with the app. The intent has the name of the group and no recipients.
  public func send(
    _ text: String, toGroup name: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    guard let problem = await act({ host.sendMessage(text, to: name, isGroup: true) }) else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Asks Siri to call a person with the app.
  public func call(
    _ name: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    guard let problem = await act({ host.startCall(to: name) }) else { return }
    fail(problem, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
