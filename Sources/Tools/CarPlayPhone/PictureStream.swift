// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayDrawing
import CarPlayPlatform

/// The encoded pictures of one display: which one is due next, and when.
struct PictureStream {
  /// The content of a picture.
  struct Content: Hashable {
    var screen: ScreenContent
    /// The number of steps of the spinners.
    var phase = 0
  }

  private var program: DrawingProgram
  private let stop: StopRequest
  /// Whether the drawing program was started again and has drawn nothing since.
  private var isRestarted = false
  /// Whether the head unit takes pictures, and whether it shows the phone's screen and not its own.
  var isRunning = false, isShown = true
  /// Whether the last picture is still on its way to the session.
  private var isSending = false
  /// Whether the next picture must stand alone.
  var needsKeyFrame = true
  /// The content of the last picture, and its values.
  private(set) var last: (content: Content, film: ScreenFilm)?
  /// The shortest time between two pictures, by the display.
  private let interval: Duration
  /// The earliest time of the next picture.
  private var nextTime = ContinuousClock.now

  /// The time after which a head unit that reads too slowly gets another picture.
  private static let pause = Duration.milliseconds(100)
  /// The numbers of pictures per second that the phone draws.
  private static let rates = 1...120

  /// Creates the pictures of a display.
  ///
  /// - Parameters:
  ///   - program: The program that draws them.
  ///   - rate: The most pictures per second of the display.
  ///   - stop: Ends a drawing.
  init(_ program: DrawingProgram, rate: Int, stop: StopRequest) {
    (self.program, self.stop) = (program, stop)
    interval = .seconds(1) / min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
  }

  /// Takes the report that the last picture was sent, or that it was dropped.
  mutating func taken(isSent: Bool) {
    isSending = false
    guard !isSent else { return }
    // The pictures after a dropped one depend on it.
    needsKeyFrame = true
    nextTime = ContinuousClock.now.advanced(by: Self.pause)
  }

  /// The time at which a content is due; nil if it is not.
  func time(of content: Content?) -> ContinuousClock.Instant? {
    guard isRunning, isShown, !isSending, let content, needsKeyFrame || content != last?.content else { return nil }
    return nextTime
  }

  /// Draws and encodes a content, if it is due.
  ///
  /// - Parameters:
  ///   - content: The content; nil for none.
  ///   - images: The images that it may show.
  ///   - note: Receives a note for the user.
  mutating func next(
    _ content: Content?, images: [String: CarImage], note: (String) -> Void
  ) throws(CarFailure) -> (AppPicture, ScreenFilm)? {
    let now = ContinuousClock.now
    guard let content, let time = time(of: content), now >= time else { return nil }
    let picture = try drawn(content, images, note)
    guard let film = picture.film else {
      throw CarFailure(.unavailable, "iap2-screen sent no film; build it again with tools/screen-program")
    }
    last = (content, film)
    (isSending, needsKeyFrame, nextTime) = (true, false, now.advanced(by: interval))
    return (AppPicture(bytes: picture.bytes, isKeyFrame: film.isKeyFrame), film)
  }

  /// Draws a picture. A drawing program that has ended is started again, once.
  private mutating func drawn(
    _ content: Content, _ images: [String: CarImage], _ note: (String) -> Void
  ) throws(CarFailure) -> DrawingProgram.Picture {
    do throws(DrawingProblem) {
      let picture = try program.draw(
        content.screen, images: images, as: .h264, phase: content.phase, isKeyFrame: needsKeyFrame,
        stop: stop.descriptor)
      isRestarted = false
      return picture
    } catch {
      if case .picture(let text) = error { throw CarFailure(.unavailable, "the screen is not drawn: \(text)") }
      guard case .program(let text) = error, !isRestarted else { throw CarFailure(error) }
      note("\(text); it is started again")
      isRestarted = true
      do { program = try DrawingProgram() } catch { throw CarFailure(error) }
      // The new program has no earlier picture.
      needsKeyFrame = true
      return try drawn(content, images, note)
    }
  }
}
