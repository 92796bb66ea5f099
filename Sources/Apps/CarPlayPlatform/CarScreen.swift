// swift-iap2 · Apache-2.0

public import Foundation

/// The distances of a safe area from the edges of the screen, in pixels.
public struct CarInsets: Sendable, Codable, Hashable {
  /// The distance from the top edge.
  public var top: Int
  /// The distance from the left edge.
  public var left: Int
  /// The distance from the bottom edge.
  public var bottom: Int
  /// The distance from the right edge.
  public var right: Int

  /// Creates distances, which are zero by default.
  public init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }
}

/// The screen of a car.
public struct CarScreen: Sendable, Codable, Hashable {
  /// The width in pixels.
  public var pixelWidth: Int
  /// The height in pixels.
  public var pixelHeight: Int
  /// The number of pixels per point: 2 or 3.
  public var scale: Int
  /// The distances of the safe area from the edges. Only backgrounds and maps may use the part outside it.
  public var safeArea: CarInsets
  /// The side of the driver.
  public var drivingSide: DrivingSide
  /// The place of the dock.
  public var dock: DockPlace
  /// The thickness of the dock in points. Ours: Apple publishes no number.
  public var dockThickness: Int

  /// The allowed pixels of a side. The legal minimum of a car is 748 x 456 (G); instrument clusters are smaller.
  package static let sides = 200...8192
  /// The largest encoded picture in pixels, upright or not: that of H.264's level 5.2.
  package static let filmSides = (longer: 4096, shorter: 2304)
  /// The allowed numbers of pixels per point.
  package static let scales = 2...3

  /// Creates a screen. The default is the simulator's screen, 800 × 480 pixels at 2 pixels per point.
  public init(
    pixelWidth: Int = 800, pixelHeight: Int = 480, scale: Int = 2, safeArea: CarInsets = .init(),
    drivingSide: DrivingSide = .left, dock: DockPlace = .leading, dockThickness: Int = 48
  ) {
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.scale = scale
    self.safeArea = safeArea
    self.drivingSide = drivingSide
    self.dock = dock
    self.dockThickness = dockThickness
  }

  /// The size of the screen in points.
  public var pointSize: CGSize {
    CGSize(width: Double(pixelWidth) / Double(max(scale, 1)), height: Double(pixelHeight) / Double(max(scale, 1)))
  }

  /// The part of the screen that the app's window gets, in points: the safe area without the dock.
  ///
  /// The window's origin is the corner of this area.
  public var appArea: CGRect {
    let scale = Double(max(scale, 1))
    let size = pointSize
    var left = Double(safeArea.left) / scale
    var right = Double(safeArea.right) / scale
    let top = Double(safeArea.top) / scale
    var bottom = Double(safeArea.bottom) / scale
    switch (dock, drivingSide) {
    case (.bottom, _): bottom += Double(dockThickness)
    case (.leading, .left): left += Double(dockThickness)
    case (.leading, .right): right += Double(dockThickness)
    }
    return CGRect(
      x: left, y: top, width: max(0, size.width - left - right), height: max(0, size.height - top - bottom))
  }
}
