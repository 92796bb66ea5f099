// swift-iap2 · Apache-2.0

public import Basics
public import CarPlayPlatform
import Foundation
import YAMLForms

extension CarSettings {
  /// Reads a profile.
  ///
  /// - Parameters:
  ///   - yaml: The text of the file.
  ///   - file: The name of the file, for error messages.
  /// - Throws: The fault with file, line, key and the allowed values.
  public init(yaml: String, file: String) throws(CarFileProblem) {
    self.init()
    guard yaml.utf8.count <= CarVerbForm.maximumProfileByteCount else {
      throw CarFileProblem(file: file, text: "the file is larger than \(CarVerbForm.maximumProfileByteCount) bytes")
    }
    let fields = try YAMLValue(yaml, file: file).fields([
      "name", "screen", "inputs", "limits", "limitedWhileDriving", "iOS", "link", "appearance", "contentStyle",
      "accessoryProtocols", "behavior", "imageSizes",
    ])
    name = try fields["name"]?.text() ?? name
    if let value = fields["screen"] { screen = try CarScreen(value) }
    if let value = fields["inputs"] { inputs = Set(try Form<[CarInput]>.list(Form<CarInput>.choice).read(value)) }
    if let value = fields["limits"] { try limits.read(value) }
    if let value = fields["limitedWhileDriving"] {
      limitedWhileDriving = Set(
        try Form<[CarBehavior.LimitedInterface]>.list(Form<CarBehavior.LimitedInterface>.choice).read(value))
    }
    if let value = fields["iOS"] {
      guard let version = IOSVersion(try value.text()), version >= IOSVersion(12) else {
        throw value.problem("expected a version from 12, such as 17.4")
      }
      iOSVersion = version
    }
    if let value = fields["link"] { link = try Form<CarLink>.choice.read(value) }
    if let value = fields["appearance"] { appearance = try Form<CarStyle>.choice.read(value) }
    if let value = fields["contentStyle"] { contentStyle = try Form<CarStyle>.choice.read(value) }
    if let value = fields["accessoryProtocols"] {
      accessoryProtocols = []
      for entry in try value.list() { accessoryProtocols.append(try entry.text()) }
    }
    if let value = fields["behavior"] { try behavior.read(value) }
    if let value = fields["imageSizes"] { try imageSizes.read(value) }
  }
}

extension CarScreen {
  init(_ value: YAMLValue) throws(CarFileProblem) {
    self.init()
    let fields = try value.fields([
      "pixelWidth", "pixelHeight", "scale", "safeArea", "drivingSide", "dock", "dockThickness",
    ])
    if let value = fields["pixelWidth"] { pixelWidth = try value.integer(Self.sides) }
    if let value = fields["pixelHeight"] { pixelHeight = try value.integer(Self.sides) }
    if let value = fields["scale"] { scale = try value.integer(Self.scales) }
    if let value = fields["drivingSide"] { drivingSide = try Form<DrivingSide>.choice.read(value) }
    if let value = fields["dock"] { dock = try Form<DockPlace>.choice.read(value) }
    if let value = fields["dockThickness"] { dockThickness = try value.integer(0...200) }
    if let value = fields["safeArea"] {
      let edges = try value.fields(["top", "left", "bottom", "right"])
      if let value = edges["top"] { safeArea.top = try value.integer(0...(pixelHeight / 2)) }
      if let value = edges["left"] { safeArea.left = try value.integer(0...(pixelWidth / 2)) }
      if let value = edges["bottom"] { safeArea.bottom = try value.integer(0...(pixelHeight / 2)) }
      if let value = edges["right"] { safeArea.right = try value.integer(0...(pixelWidth / 2)) }
    }
    let area = appArea
    guard min(area.width, area.height) >= Self.leastSide else {
      throw value.problem(
        "the safe area and the dock leave \(Int(area.width)) x \(Int(area.height)) points for apps, and "
          + "\(Int(Self.leastSide)) are the least on each side")
    }
  }

  /// The shortest side of the area for apps in points. It fits a bar and a target of a tap.
  private static let leastSide = 88.0
}

extension CarLimits {
  /// The limits by their names in profiles, which are the names of the properties.
  static let names: [String: any WritableKeyPath<CarLimits, Int> & Sendable] = [
    "maximumItemCount": \.maximumItemCount, "maximumItemCountWhileLimited": \.maximumItemCountWhileLimited,
    "maximumSectionCount": \.maximumSectionCount, "maximumMapButtons": \.maximumMapButtons,
    "maximumPanningMapButtons": \.maximumPanningMapButtons, "maximumBarButtons": \.maximumBarButtons,
    "maximumGridButtons": \.maximumGridButtons, "maximumHeaderGridButtons": \.maximumHeaderGridButtons,
    "maximumGridImages": \.maximumGridImages, "maximumAlertActions": \.maximumAlertActions,
    "maximumInformationItems": \.maximumInformationItems,
    "maximumInformationActions": \.maximumInformationActions,
    "maximumPointsOfInterest": \.maximumPointsOfInterest, "maximumVoiceStates": \.maximumVoiceStates,
    "maximumVoiceActionButtons": \.maximumVoiceActionButtons, "maximumDashboardButtons": \.maximumDashboardButtons,
    "maximumNowPlayingButtons": \.maximumNowPlayingButtons, "maximumTrips": \.maximumTrips,
    "maximumRouteChoices": \.maximumRouteChoices, "maximumContactActions": \.maximumContactActions,
    "enforcedContentItems": \.enforcedContentItems, "enforcedContentDepth": \.enforcedContentDepth,
    "maximumContentTabs": \.maximumContentTabs, "searchRowsWithKeyboard": \.searchRowsWithKeyboard,
  ]

  mutating func read(_ value: YAMLValue) throws(CarFileProblem) {
    let fields = try value.fields(Array(Self.names.keys) + ["maximumTabCount", "maximumSheetActions"])
    for (name, path) in Self.names {
      if let value = fields[name] { self[keyPath: path] = try value.integer(0...100_000) }
    }
    if let value = fields["maximumTabCount"] { maximumTabCount = try value.integer(0...100) }
    if let value = fields["maximumSheetActions"] { maximumSheetActions = try value.integer(0...100) }
  }
}

extension CarImageSizes {
  /// The sizes by their names in profiles, which are the names of the properties.
  static let names: [String: any WritableKeyPath<CarImageSizes, CGSize> & Sendable] = [
    "gridButton": \.gridButton, "tab": \.tab, "nowPlayingButton": \.nowPlayingButton, "contactAction": \.contactAction,
    "voiceControl": \.voiceControl, "maneuverSymbol": \.maneuverSymbol, "secondManeuverSymbol": \.secondManeuverSymbol,
    "symbolOnly": \.symbolOnly, "junction": \.junction, "dashboardButton": \.dashboardButton, "listItem": \.listItem,
    "imageRow": \.imageRow, "listSection": \.listSection, "messageItem": \.messageItem, "pin": \.pin,
    "selectedPin": \.selectedPin, "mapButton": \.mapButton, "barButton": \.barButton,
  ]
  /// The largest side in points. No screen of a car is larger.
  private static let maximumSide = 8192.0

  mutating func read(_ value: YAMLValue) throws(CarFileProblem) {
    let fields = try value.fields(Array(Self.names.keys))
    for (name, path) in Self.names {
      guard let value = fields[name] else { continue }
      let sides = try value.text().split(separator: "x", omittingEmptySubsequences: false).compactMap { Double($0) }
      guard sides.count == 2, sides.allSatisfy({ (1...Self.maximumSide).contains($0) }) else {
        throw value.problem("expected width and height in points, such as 40x40, each from 1 to 8192")
      }
      self[keyPath: path] = CGSize(width: sides[0], height: sides[1])
    }
  }
}

extension CarBehavior {
  static let flags: [String: any WritableKeyPath<CarBehavior, Bool> & Sendable] = [
    "alertAutoDismiss": \.alertAutoDismiss, "tabCallsInnerTemplate": \.tabCallsInnerTemplate,
    "firstTabCalls": \.firstTabCalls, "untitledTabsShowMore": \.untitledTabsShowMore,
    "playbackStateDecides": \.playbackStateDecides,
    "reselectingTabCalls": \.reselectingTabCalls, "tabBarCountsAsLevel": \.tabBarCountsAsLevel,
    "modalCoversTemplate": \.modalCoversTemplate, "foregroundBeforeConnect": \.foregroundBeforeConnect,
    "phoneToBackgroundOnConnect": \.phoneToBackgroundOnConnect, "allowWhileLocked": \.allowWhileLocked,
    "listsWithoutEntitlement": \.listsWithoutEntitlement, "searchAsRoot": \.searchAsRoot,
    "maneuversResumeTrip": \.maneuversResumeTrip, "panGestures": \.panGestures,
    "offersLocation": \.offersLocation, "offersVehicleStatus": \.offersVehicleStatus,
    "locationOnDemand": \.locationOnDemand,
  ]

  /// The times in seconds, and the fractions.
  static let numbers: [String: any WritableKeyPath<CarBehavior, Double> & Sendable] = [
    "panThreshold": \.panThreshold, "ipcDelay": \.ipcDelay, "disconnectDelay": \.disconnectDelay,
    "animationDelay": \.animationDelay,
    "spinnerDelay": \.spinnerDelay, "handlerReportDelay": \.handlerReportDelay,
    "navigationBarHideDelay": \.navigationBarHideDelay, "contentTimeout": \.contentTimeout, "watchdog": \.watchdog,
    "minimumNavigationAlertDuration": \.minimumNavigationAlertDuration, "nowPlayingThrottle": \.nowPlayingThrottle,
    "drivingTaskRefresh": \.drivingTaskRefresh, "pointOfInterestRefresh": \.pointOfInterestRefresh,
    "voiceStateInterval": \.voiceStateInterval, "rootDelay": \.rootDelay,
  ]

  mutating func read(_ value: YAMLValue) throws(CarFileProblem) {
    let fields = try value.fields(
      Array(Self.flags.keys) + Array(Self.numbers.keys) + [
        "depthExceeded", "delegateOrder", "voiceMisuse", "rowUpdatesPerSecond", "contentQuestions",
      ])
    for (name, path) in Self.flags { if let value = fields[name] { self[keyPath: path] = try value.flag() } }
    for (name, path) in Self.numbers {
      if let value = fields[name] { self[keyPath: path] = try value.number(0...3600) }
    }
    if let value = fields["depthExceeded"] { depthExceeded = try Form<DepthExceeded>.choice.read(value) }
    if let value = fields["delegateOrder"] { delegateOrder = try Form<DelegateOrder>.choice.read(value) }
    if let value = fields["voiceMisuse"] { voiceMisuse = try Form<VoiceMisuse>.choice.read(value) }
    if let value = fields["rowUpdatesPerSecond"] { rowUpdatesPerSecond = try value.integer(1...1000) }
    if let value = fields["contentQuestions"] { contentQuestions = try value.integer(1...1_000_000) }
  }
}
