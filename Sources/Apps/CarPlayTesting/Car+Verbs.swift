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
  ///   - text: The title or detail as it is shown or as the app gave it, or the name of a button's image. A text that the
  ///     car cuts, or shows in a shorter variant, may be given whole, so that one test fits all cars.
  ///   - kind: The kind of the part, if the text stands in several.
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

  /// Presses the back button on the screen, or the back key.
  public func back() async { await act { host.back() } }

  /// Touches the map beside buttons and cards.
  public func touchMap() async { await act { host.touchMap() } }

  /// Drags a finger over the map by a distance in points.
  public func pan(x: Double, y: Double) async { await act { host.dragMap(x: x, y: y) } }

  /// Presses an arrow of the panning interface.
  ///
  /// - Parameters:
  ///   - direction: The direction; two directions are a diagonal.
  ///   - isHeld: Whether the arrow is held, which begins and ends a pan.
  public func pan(_ direction: CPMapTemplate.PanDirection, isHeld: Bool = false) async {
    await act { host.panButton(direction, isHeld: isHeld) }
  }

  /// Moves the map of the points of interest.
  public func movePointMap() async { await act { host.movePointMap() } }

  // MARK: Knob, keyboard, keys

  /// Turns the knob by a number of steps; negative steps turn back.
  public func turn(_ steps: Int = 1) async { await act { host.turn(steps) } }

  /// Presses the knob: the part with the focus reacts.
  public func press() async { await act { host.press() } }

  /// Types a text into the search field, replacing what is there. A disabled keyboard takes nothing.
  public func type(_ text: String) async { _ = await act { host.type(text) } }

  /// Presses the search key of the keyboard.
  public func pressSearchKey() async { await act { host.pressSearchKey() } }

  /// Opens the Now Playing screen by a key or from the home screen.
  public func openNowPlaying() async { await act { host.openNowPlaying() } }

  /// Sends a key of the steering wheel.
  public func key(_ key: MediaKey) async { await act { host.send(RemoteCommandRequest(key)) } }

  /// A key of the steering wheel for media.
  public typealias MediaKey = CarMediaKey

  // MARK: The car and the phone

  /// Connects phone and car, without opening an app.
  public func plugIn() async { await act { host.plugIn() } }

  /// Opens the app from the home screen.
  public func open() async { await act { host.open() } }

  /// Disconnects phone and car: the cable is pulled, or the radio is lost.
  ///
  /// - Parameters:
  ///   - noticed: Whether the phone notices. Without it the app is not told, and goes on believing.
  ///   - powerNoticed: Whether the battery state follows, as it does with a cable.
  public func unplug(noticed: Bool = true, powerNoticed: Bool = true) async {
    await act { host.unplug(noticed: noticed, powerNoticed: powerNoticed) }
  }

  /// Lets the phone notice late that the car went away: the app is told now.
  public func noticeUnplug() async { await act { if host.hasGhostConnection { host.disconnect() } } }

  /// Connects again. The app that was in front opens again, with new objects.
  public func replug() async { await act { host.replug() } }

  /// Goes to the home screen. The app goes to the background and keeps its templates.
  public func goHome() async { await act { host.setForeground(false, other: .home) } }

  /// Opens another app, such as a call.
  public func openOtherApp() async { await act { host.setForeground(false, other: .otherApp) } }

  /// Brings the app back to the front.
  public func bringBack() async { await act { host.setForeground(true) } }

  /// Declares a file of the app that has complete protection: while the phone is locked, reading it fails.
  public func protect(_ file: URL) async { await act { host.protect(file) } }

  /// Presses the voice key of the steering wheel, which opens Siri. The app is not told.
  public func pressVoiceKey() async { await act { host.pressVoiceKey() } }

  /// Locks the phone.
  public func lock() async { await act { host.setLocked(true) } }

  /// Unlocks the phone.
  public func unlock() async { await act { host.setLocked(false) } }

  /// Opens a question about a permission on the phone's screen. The car shows nothing of it.
  public func askForPermission() async { await act { host.setQuestion(true) } }

  /// Answers the question about a permission.
  public func answerPermission() async { await act { host.setQuestion(false) } }

  /// Drives: the car's limits apply.
  public func drive() async { await act { host.setDriving(true) } }

  /// Stops.
  public func park() async { await act { host.setDriving(false) } }

  /// Changes the style of the user interface.
  public func setAppearance(_ style: CarStyle) async { await act { host.setAppearance(style) } }

  /// Changes the style of maps.
  public func setContentStyle(_ style: CarStyle) async { await act { host.setContentStyle(style) } }

  /// Changes the driver's side.
  public func setDrivingSide(_ side: DrivingSide) async { await act { host.setDrivingSide(side) } }

  /// Shows the app's dashboard scene.
  public func showDashboard() async { await act { host.connectDashboard() } }

  /// Takes the dashboard away.
  public func hideDashboard() async { await act { host.hideDashboard() } }

  /// Shows the app in the instrument cluster.
  public func showCluster() async { await act { host.connectCluster() } }

  /// Takes the instrument cluster away.
  public func hideCluster() async { await act { host.hideCluster() } }

  /// The driver ends the guidance by the car's own button.
  public func cancelNavigation() async { await act { host.cancelNavigation() } }

  /// Tells the car that the app's renderer draws a frame on the GPU. A test's renderer calls it.
  public func submitFrame() { host.submitFrame() }
}
