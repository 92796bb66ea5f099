// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// The place of a picture in a terminal: as wide as the window, if its height leaves some lines for the calls.
struct PicturePlace: Hashable {
  /// The number of cells of the picture in each direction.
  let columns: Int
  let rows: Int
  /// The width of the picture in pixels.
  let width: Int

  /// The number of lines of the window that stay free: for the legend, the cursor, and the last calls.
  private static let freeRows = 6
  /// The longest side in pixels. A terminal shows larger pictures with a delay, and each change draws a picture.
  private static let maximumSide = 1920.0
  /// The size of a cell in pixels, for a terminal that reports none. With a larger actual cell, the picture has free
  /// space beside it. With a smaller one, sixels would take more rows than planned.
  private static let usualCell = (width: 8.0, height: 16.0)
  /// The size of a window in cells, for a terminal that reports none: that of a VT100.
  private static let usualWindow = (columns: 80, rows: 24)

  init(of screen: CarScreen, in window: TerminalSize) {
    let hasCells = window.columns > 0 && window.rows > 0
    let lines = hasCells ? (columns: window.columns, rows: window.rows) : Self.usualWindow
    let hasPixels = hasCells && window.width >= lines.columns && window.height >= lines.rows
    let cell =
      hasPixels
      ? (width: Double(window.width) / Double(lines.columns), height: Double(window.height) / Double(lines.rows))
      : Self.usualCell
    // An app's host may report any number. The drawing program refuses sizes that no car has.
    let shape = Double(max(1, screen.pixelWidth)) / Double(max(1, screen.pixelHeight))
    let most = (rows: max(1, lines.rows - Self.freeRows), columns: lines.columns)
    let wide = min(Double(most.columns) * cell.width, Double(most.rows) * cell.height * shape)
    columns = max(1, min(most.columns, Int(wide / cell.width)))
    let whole = Double(columns) * cell.width
    rows = max(1, min(most.rows, Int((whole / shape / cell.height).rounded(.up))))
    width = max(1, Int(min(whole, Self.maximumSide, Self.maximumSide * shape)))
  }
}
