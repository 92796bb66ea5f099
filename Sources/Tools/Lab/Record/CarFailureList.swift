// swift-iap2 · Apache-2.0

import CarPlayPlatform

extension LabHello.Failure {
  /// The failures of an app in a car, by their numbers in Documentation/Tasks/CarPlayFailures.md.
  static let ofCars: [Self] = (connection + changes + content + sound + conditions + others)
    .sorted { $0.number < $1.number }

  /// Returns the failure with a number; nil without one.
  static func ofCars(_ number: Int) -> Self? { ofCars.first { $0.number == number } }

  private static let connection = [
    Self(
      1, "the disconnect is lost", .faults(["loseDisconnect": .number(1)]),
      "Then unplug and plug in: the app gets no didDisconnect before its next connect."),
    Self(
      2, "a watchdog ends a slow disconnect", .behavior(["watchdog": .number(0.5)]),
      "The system ends an app that works for half a second in a call of its life cycle, in place of 10 s."),
    Self(
      3, "a disconnect under an alert kills", .faults(["killOnModalDisconnect": .flag(true)]),
      "Then present an alert and unplug: an app that still presents it is killed."),
    Self(
      4, "no GPU in the background", .faults(["denyGPUInBackground": .flag(true)]),
      "Then go home: an app that still submits frames is ended."),
    Self(
      5, "objects of an earlier connection", .steps(["unplug: true", "plug: true"]),
      "The car connects again with new objects. A call on an old controller is reported and raises an exception."),
    Self(
      6, "connect before disconnect", .faults(["overlapReconnect": .flag(true)]),
      "Then unplug and plug in: didConnect of the new connection comes before didDisconnect of the old one."),
    Self(
      7, "a cold start without the phone scene", .coldStart,
      "The car starts the app. What an app sets up in its phone scene is missing."),
  ]

  private static let changes = [
    Self(
      8, "a completion is never called",
      .reports(Evidence(kind: .completion, words: ["the completion of"])),
      "The row keeps its spinner, and five seconds after the tap a report names the handler."),
    Self(
      9, "two presents at once", .steps(["alert: A second alert"]),
      "An alert opens over the app. What the app presents now is a second one, which the system refuses."),
    Self(
      10, "a push right after a pop", .faults(["strictOrder": .flag(true), "stuckChange": .number(0.2)]),
      "A change during another one is refused, and one change of five never ends."),
    Self(
      11, "a stack that is too deep", .behavior(["depthExceeded": .text(CarBehavior.DepthExceeded.ignore.rawValue)]),
      "A push beyond the category's depth is a dead tap and a report, in place of an exception."),
    Self(
      12, "too many tabs", .reports(Evidence(kind: nil, words: ["A tab bar template has"])),
      "A tab bar with more tabs than the app's category allows raises an exception, which ends the app."),
    Self(
      33, "two levels after a change of the tab",
      .reports(Evidence(kind: .note, words: ["two templates are pushed at once"])),
      "On some systems the second level is lost. The car shows it and reports the pushes."),
  ]

  private static let content = [
    Self(
      13, "new sections lose the focus",
      .reports(Evidence(kind: .focus, words: ["updateSections while the focus"])),
      "In a car with a knob, such as knob: new sections move the focus to the first part."),
    Self(
      14, "a remote image does not come", .faults(["imageFailure": .number(1)]),
      "The images of rows that come later stay placeholders."),
    Self(
      15, "rows that change too often",
      .reports(Evidence(kind: .rate, words: ["a row was changed more than"])),
      "In the field, images degraded in rows that changed more than four times a second."),
    Self(
      16, "the style of phone and car differ", .faults(["splitStyles": .flag(true), "lateContentStyle": .flag(true)]),
      "The phone has the other style at once. Then unplug and plug in: the car corrects its content style late."),
    Self(
      17, "the scale is 0 before the traits", .faults(["lateTraits": .flag(true)]),
      "Then unplug and plug in: the display scale is 0 in didConnect."),
    Self(
      18, "images of the wrong size",
      .reports(Evidence(kind: .image, words: ["larger than", "of scale"])),
      "A larger image is scaled down, and one of a smaller scale is blurred."),
    Self(
      19, "mirrored images", .reports(Evidence(kind: .image, words: ["mirrored by its orientation"])),
      "A car draws the pixels as they are, without the orientation's mirror."),
    Self(
      26, "the keyboard leaves one row", .reports(Evidence(kind: .cut, words: ["search results, "])),
      "Type into a search: the first results are visible, the others only without the keyboard."),
    Self(
      34, "image rows in a long list", .reports(Evidence(kind: .note, words: ["image rows is longer than the screen"])),
      "On some systems a list with image rows scrolls the wrong way."),
  ]

  private static let sound = [
    Self(
      20, "Now Playing is empty", .steps(["nowPlaying: true"]),
      "The Now Playing screen opens. It has what the app has written into the information center, or nothing."),
    Self(
      21, "artwork is asked for off the main thread", .faults(["artworkOffMain": .flag(true)]),
      "The next artwork is missing if its provider needs the main thread."),
    Self(
      22, "too many Now Playing updates", .behavior(["nowPlayingThrottle": .number(5)]),
      "The system accepts one write of the information in 5 s, in place of 0.2 s. Dropped writes are reported."),
    Self(
      23, "commands without a user", .faults(["spontaneousCommands": .number(1)]),
      "Then unplug and plug in: a shuffle or repeat command comes that nobody pressed."),
    Self(
      35, "content that never comes", .behavior(["contentTimeout": .number(1)]),
      "For apps with MPPlayableContentManager: loading fails after 1 s, in place of 10 s."),
  ]

  private static let conditions = [
    Self(
      24, "limits while driving", .steps(["drive: true"]),
      "Lists are shortened and the keyboard is disabled. The step Park ends it."),
    Self(
      25, "the keyboard goes when the phone locks", .faults(["dismissKeyboard": .flag(true)]),
      "Then open a search and lock the phone: the keyboard closes."),
    Self(
      30, "protected files of a locked phone", .steps(["lock: true", "unplug: true", "plug: true"]),
      "The phone connects while it is locked. An app that reads protected files at connect shows nothing of them."),
    Self(
      31, "a permission is asked for on the phone", .steps(["ask: true"]),
      "The phone asks, and the car shows nothing of it. The step answer ends it."),
    Self(
      32, "no entitlement", .reports(Evidence(kind: .setup, words: ["entitlement"])),
      "An app without the entitlement is not on the car's home screen. Its signature decides, so no switch removes it."),
  ]

  private static let others = [
    Self(
      27, "a delegate off the main thread", .faults(["offMainCallbacks": .flag(true)]),
      "Then move the map of points of interest: an app that uses the framework in that callback is ended."),
    Self(
      28, "no pan gestures", .behavior(["panGestures": .flag(false)]),
      "A finger does not move the map. Only the arrows of the panning interface do."),
    Self(
      29, "a pan needs a quarter of the screen", .behavior(["panThreshold": .number(0.5)]),
      "A drag begins only after half of the screen, in place of a quarter."),
    Self(
      36, "the simulator differs", .car(.simulator),
      "Xcode's simulator shows twelve rows and calls sceneWillEnterForeground before didConnect."),
  ]
}
