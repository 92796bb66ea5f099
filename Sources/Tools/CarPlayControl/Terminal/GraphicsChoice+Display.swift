// swift-iap2 · Apache-2.0

import CarPlayDrawing

extension GraphicsChoice {
  /// Returns the display of the choice, and the keys that the user pressed while the terminal was queried.
  ///
  /// - Returns: No display if the screen is shown as text, because the terminal shows no pictures or because no drawing
  ///   program is available.
  /// - Throws: The reason why pictures that the user requested cannot be drawn.
  func display(
    on terminal: TerminalLine, stop: StopRequest, writer: TerminalDisplay.Writer
  ) throws(CarFailure) -> (display: TerminalDisplay?, keys: [UInt8]) {
    switch self {
    case .none: return (nil, [])
    case .kitty: return (try TerminalDisplay(.kitty, on: terminal, stop: stop, writer: writer), [])
    case .sixel: return (try TerminalDisplay(.sixel, on: terminal, stop: stop, writer: writer), [])
    case .auto:
      guard DrawingProgram.isThere, terminal.canAnswer else { return (nil, []) }
      let answer = terminal.ask(TerminalAnswer.question, stop: stop.descriptor, write: writer.write)
      guard let graphics = answer.graphics else { return (nil, answer.keys) }
      var (keys, colors) = (answer.keys, Int?.none)
      if graphics == .sixel {
        let more = terminal.ask(TerminalAnswer.colorQuestion, stop: stop.descriptor, write: writer.write)
        (keys, colors) = (keys + more.keys, more.colors)
      }
      do throws(CarFailure) {
        return (try TerminalDisplay(graphics, colors: colors, on: terminal, stop: stop, writer: writer), keys)
      } catch {
        guard error.kind != .stopped else { throw error }
        writer.print("The screen is shown as text: \(error)", .dim)
        return (nil, keys)
      }
    }
  }
}
