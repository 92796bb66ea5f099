// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlayPlatform

/// The car's screen as a picture below the lines of a terminal, with a legend of the marks.
///
/// Lines are printed in place of the picture. The picture is then shown again below them, so the lines scroll as usual.
final class TerminalDisplay {
  /// The functions that write to the terminal: raw bytes, and lines.
  struct Writer: Sendable {
    var write: @Sendable ([UInt8]) -> Void
    var print: @Sendable (String, CarTone) -> Void
  }

  /// The content that determines a picture and its legend.
  private struct Content: Hashable {
    var screen: ScreenContent
    var place: PicturePlace
    /// The indices of the parts with a mark.
    var reacting: [Int] = []
    var phase = 0
  }

  private let graphics: TerminalGraphics
  private let colors: Int?
  private let program: DrawingProgram
  private let terminal: TerminalLine
  private let stop: StopRequest
  private let writer: Writer
  /// The last picture's content, and the sequences that show it.
  private var last: (content: Content, bytes: [UInt8])?
  /// The number of rows from the top of the picture to the cursor; 0 without a picture.
  private var rows = 0
  private var phase = 0

  /// Starts the drawing program, and tests it with a picture.
  ///
  /// - Parameter colors: The maximum number of colors of sixels; nil if it is unknown.
  init(
    _ graphics: TerminalGraphics, colors: Int? = nil, on terminal: TerminalLine, stop: StopRequest, writer: Writer
  ) throws(CarFailure) {
    do { program = try DrawingProgram() } catch { throw CarFailure(error) }
    self.colors = colors
    (self.graphics, self.terminal, self.stop, self.writer) = (graphics, terminal, stop, writer)
    let look = CarLook()
    _ = try draw(
      Content(screen: ScreenContent(ScreenNode(.off), look), place: PicturePlace(of: look.screen, in: terminal.size)),
      [:])
  }

  /// Shows the screen of a state, if it is not shown already.
  ///
  /// - Parameter images: The images of the app by their identifiers.
  func show(_ state: CarState, _ images: [String: CarImage]) throws(CarFailure) {
    let look = try state.knownLook
    let place = PicturePlace(of: look.screen, in: terminal.size)
    let content = Content(
      screen: ScreenContent(state.screen, look, map: state.map), place: place, reacting: state.reacting, phase: phase)
    guard rows == 0 || last?.content != content else { return }
    if last?.content != content {
      let bytes = try draw(content, images)
      if last?.content.place != place { clear() }
      last = (content, bytes)
    }
    let legend = ConsoleState.legend(state, columns: max(terminal.size.columns, place.columns))
    let up = rows > 0 ? "\u{1B}[\(rows)A\r" : "\r"
    // Lines for the picture are printed first, because a picture that makes a terminal scroll leaves the cursor at an
    // undefined place.
    let lines = String(repeating: "\n", count: place.rows) + "\u{1B}[\(place.rows)A"
    writer.write(
      Array((up + lines + "\u{1B}7").utf8) + (last?.bytes ?? []) + Array("\u{1B}8\u{1B}[\(place.rows)B\u{1B}[J".utf8))
    for line in legend { writer.print(line, .screen) }
    rows = place.rows + legend.count
  }

  /// Advances the spinners of the shown screen.
  func turn(_ state: CarState, _ images: [String: CarImage]) throws(CarFailure) {
    guard rows > 0 else { return }
    phase += 1
    try show(state, images)
  }

  /// Removes the picture, so that lines can be printed in its place.
  func clear() {
    guard rows > 0 else { return }
    writer.write(Array("\u{1B}[\(rows)A\r\u{1B}[J".utf8) + (graphics == .kitty ? KittyImage.hiding : []))
    rows = 0
  }

  /// Removes the picture from the terminal and from its memory.
  func end() {
    clear()
    if graphics == .kitty, last != nil { writer.write(KittyImage.deleting) }
  }

  private func draw(_ content: Content, _ images: [String: CarImage]) throws(CarFailure) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try program.draw(
        content.screen, images: images, as: graphics == .kitty ? .png : .sixel, width: content.place.width,
        phase: content.phase, colors: colors, stop: stop.descriptor
      ).bytes
    } catch { throw CarFailure(error) }
    return graphics == .kitty ? KittyImage.showing(bytes, columns: content.place.columns) : bytes
  }
}
