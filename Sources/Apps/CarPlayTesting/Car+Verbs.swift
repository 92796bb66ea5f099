// swift-iap2 · Apache-2.0

public import CarPlay
import CarPlayHost
public import CarPlayPlatform
import Foundation
import MediaPlayer

extension Car {
  // MARK: Touch

  /// Taps the first part of the screen that shows a text.
  ///
  /// - Parameters:
  ///   - text: The title or detail as it is shown or as the app gave it, or the name of a button's image. A text that
  ///     the car shortens, or shows in a shorter variant, can be given in full, so that one test fits all cars.
  ///   - kind: The kind of the part, if several parts show the text.
  ///   - fileID: The file of the test, as module and name, for the report of a missing part.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public func tap(
    _ text: String, _ kind: ScreenNode.Kind? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) async {
    let isFound = await act { host.tap(text, kind: kind) }
    guard !isFound else { return }
    fail(
      "nothing that reacts shows \"\(text)\"; the screen is\n\(screen)", fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Taps the part with an index among those of a kind, such as the third map button.
  public func tap(
    _ kind: ScreenNode.Kind, at index: Int, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) async {
    let isFound = await act { host.tap(kind, at: index) }
    guard !isFound else { return }
    fail(
      "the screen has no \(kind.rawValue) \(index); it is\n\(screen)", fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Taps a button of the dashboard.
  public func tapDashboard(
    _ title: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    let isFound = await act { host.tapDashboard(title) }
    guard !isFound else { return }
    fail(
      "the dashboard has no button \"\(title)\"", fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Performs a verb. Records an issue if it has no effect in the current state.
  private func act(
    _ verb: CarVerb, _ fileID: String, _ filePath: String, _ line: Int, _ column: Int, _ body: () -> Void
  ) async {
    await act(CarServer.obstacle(to: verb, on: host), fileID, filePath, line, column, body)
  }

  private func act(
    _ obstacle: String?, _ fileID: String, _ filePath: String, _ line: Int, _ column: Int, _ body: () -> Void
  ) async {
    if let obstacle {
      fail("\(obstacle); the screen is\n\(screen)", fileID: fileID, filePath: filePath, line: line, column: column)
    }
    await act(body)
  }

  /// Presses the back button on the screen, or the back key.
  public func back(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.back, fileID, filePath, line, column) { host.back() }
  }

  /// Touches the map beside buttons and cards.
  public func touchMap(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.touchMap, fileID, filePath, line, column) { host.touchMap() }
  }

  /// Drags a finger over the map by a distance in points.
  public func pan(
    x: Double, y: Double, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    await act(.pan, fileID, filePath, line, column) { host.dragMap(x: x, y: y) }
  }

  /// Presses an arrow of the panning interface.
  ///
  /// - Parameters:
  ///   - direction: The direction; two directions are a diagonal.
  ///   - isHeld: Whether the arrow is held, which begins and ends a pan.
  ///   - fileID: The file of the test, as module and name, for the report of a missing part.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public func pan(
    _ direction: CPMapTemplate.PanDirection, isHeld: Bool = false, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.panButton, fileID, filePath, line, column) { host.panButton(direction, isHeld: isHeld) }
  }

  /// Moves the map of the points of interest.
  public func movePointMap(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.movePointMap, fileID, filePath, line, column) { host.movePointMap() }
  }

  // MARK: Knob, keyboard, keys

  /// Turns the knob by a number of steps; negative steps turn back.
  public func turn(
    _ steps: Int = 1, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    await act(.turn, fileID, filePath, line, column) { host.turn(steps) }
  }

  /// Presses the knob, which taps the part with the focus.
  public func press(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.press, fileID, filePath, line, column) { host.press() }
  }

  /// Types a text into the search field, replacing its content. A text that no keyboard takes is an issue: without a
  /// search in front, and while driving with the limit.
  public func type(
    _ text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.type, fileID, filePath, line, column) { host.type(text) }
  }

  /// Presses the search key of the keyboard.
  public func pressSearchKey(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.searchKey, fileID, filePath, line, column) { host.pressSearchKey() }
  }

  /// Opens the Now Playing screen by a key or from the home screen.
  public func openNowPlaying(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.nowPlaying, fileID, filePath, line, column) { host.openNowPlaying() }
  }

  /// Sends a key of the steering wheel.
  public func key(
    _ key: MediaKey, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.key, fileID, filePath, line, column) { host.send(RemoteCommandRequest(key)) }
  }

  /// A key of the steering wheel for media.
  public typealias MediaKey = CarMediaKey

  // MARK: The car and the phone

  /// Connects phone and car, without opening an app.
  public func plugIn(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.plug, fileID, filePath, line, column) { host.plugIn() }
  }

  /// Opens the app from the home screen.
  public func open(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.open, fileID, filePath, line, column) { host.open() }
  }

  /// Disconnects phone and car, as a pulled cable or a lost radio connection does.
  ///
  /// - Parameters:
  ///   - noticed: Whether the phone is notified. Without it the app gets no call and keeps its connection.
  ///   - powerNoticed: Whether the battery state follows, as it does with a cable.
  ///   - fileID: The file of the test, as module and name, for the report of a missing connection.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public func unplug(
    noticed: Bool = true, powerNoticed: Bool = true, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) async {
    await act(.unplug, fileID, filePath, line, column) {
      host.unplug(noticed: noticed, powerNoticed: powerNoticed)
    }
  }

  /// Notifies the phone of an earlier disconnect, which now reaches the app.
  public func noticeUnplug(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.notice, fileID, filePath, line, column) { if host.hasGhostConnection { host.disconnect() } }
  }

  /// Connects again. The app that was in front opens again, with new objects.
  public func replug() async { await act { host.replug() } }

  /// Goes to the home screen. The app goes to the background and keeps its templates.
  public func goHome(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.home, fileID, filePath, line, column) { host.setForeground(false, other: .home) }
  }

  /// Opens another app, such as a call.
  public func openOtherApp(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.otherApp, fileID, filePath, line, column) { host.setForeground(false, other: .otherApp) }
  }

  /// Brings the app back to the front.
  public func bringBack(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.bringBack, fileID, filePath, line, column) { host.setForeground(true) }
  }

  /// Declares a file of the app that has complete protection. A read fails while the phone is locked.
  public func protect(_ file: URL) async { await act { host.protect(file) } }

  /// Presses the voice key of the steering wheel, which opens Siri. The app gets no call.
  public func pressVoiceKey(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.voiceKey, fileID, filePath, line, column) { host.pressVoiceKey() }
  }

  /// Locks the phone.
  public func lock() async { await act { host.setLocked(true) } }

  /// Unlocks the phone.
  public func unlock() async { await act { host.setLocked(false) } }

  /// Opens a permission question on the phone's screen. The car does not show it.
  public func askForPermission() async { await act { host.setQuestion(true) } }

  /// Answers the permission question.
  public func answerPermission(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.answer, fileID, filePath, line, column) { host.setQuestion(false) }
  }

  /// Starts driving, so that the car's limits apply.
  public func drive() async { await act { host.setDriving(true) } }

  /// Stops driving.
  public func park() async { await act { host.setDriving(false) } }

  /// Interrupts the app's sound, as a call or the car does, or gives it back with the advice to play on.
  public func interruptSound(
    _ isInterrupted: Bool, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    await act(.interrupt, fileID, filePath, line, column) { host.interruptSound(isInterrupted) }
  }

  /// Changes the style of the user interface.
  public func setAppearance(_ style: CarStyle) async { await act { host.setAppearance(style) } }

  /// Changes the style of maps.
  public func setContentStyle(_ style: CarStyle) async { await act { host.setContentStyle(style) } }

  /// Changes the driver's side.
  public func setDrivingSide(_ side: DrivingSide) async { await act { host.setDrivingSide(side) } }

  /// Gives the app another part of the display, as a car with several view areas does.
  ///
  /// - Parameters:
  ///   - width: Its width in pixels: at least 200, and at most that of the display.
  ///   - height: Its height in pixels, likewise.
  ///   - fileID: The file of the test, as module and name, for the report of a refused area.
  ///   - filePath: The path of that file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public func setViewArea(
    width: Int, height: Int, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    let action = CarAction(.viewArea, ["width": .number(Double(width)), "height": .number(Double(height))])
    let problem = action.problem
    let reason = await act { problem ?? host.setViewArea(width: width, height: height) }
    if let reason { fail(reason, fileID: fileID, filePath: filePath, line: line, column: column) }
  }

  /// Shows the app's dashboard scene.
  public func showDashboard(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(CarServer.otherScene(.dashboard, isShown: true, host), fileID, filePath, line, column) {
      host.connectDashboard()
    }
  }

  /// Hides the dashboard.
  public func hideDashboard(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(CarServer.otherScene(.dashboard, isShown: false, host), fileID, filePath, line, column) {
      host.hideDashboard()
    }
  }

  /// Shows the app in the instrument cluster.
  public func showCluster(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(CarServer.otherScene(.cluster, isShown: true, host), fileID, filePath, line, column) {
      host.connectCluster()
    }
  }

  /// Hides the instrument cluster.
  public func hideCluster(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(CarServer.otherScene(.cluster, isShown: false, host), fileID, filePath, line, column) {
      host.hideCluster()
    }
  }

  /// Cancels the guidance by the car's own button.
  public func cancelNavigation(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await act(.endGuidance, fileID, filePath, line, column) { host.cancelNavigation() }
  }

  /// Reports to the car that the app's renderer draws a frame on the GPU. A test's renderer calls it.
  public func submitFrame() { host.submitFrame() }
}
