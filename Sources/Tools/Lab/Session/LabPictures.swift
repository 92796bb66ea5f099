// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayDrawing
import CarPlayPlatform

/// The pictures of an emulated car's displays, as H.264, whenever they change.
struct LabPictures {
  private struct Content: Hashable {
    var screen: ScreenContent
    var phase: Int
  }

  private var programs: [LabPicture.Display: DrawingProgram] = [:]
  private var shown: [LabPicture.Display: Content] = [:]
  private var needsKeyFrame = Set(LabPicture.Display.allCases)
  private var number: UInt32 = 0
  private let stop: StopRequest
  /// Whether each picture is drawn as PNG, too, for a page that decodes no H.264.
  var alsoPNG = false
  /// The values of the main screen's last picture.
  private(set) var film: ScreenFilm?

  init(stop: StopRequest) { self.stop = stop }

  /// Makes the next pictures stand alone.
  mutating func requestKeyFrames() { needsKeyFrame = Set(LabPicture.Display.allCases) }

  /// Draws the displays that have changed.
  ///
  /// - Parameters:
  ///   - contents: What each display shows. One without a content shows nothing.
  ///   - images: The images that the contents may have.
  ///   - phase: The number of steps of the spinners.
  mutating func next(
    _ contents: [LabPicture.Display: ScreenContent], _ images: [String: CarImage] = [:], phase: Int = 0
  ) throws(CarFailure) -> [LabPicture] {
    var pictures: [LabPicture] = []
    for display in LabPicture.Display.allCases {
      guard let screen = contents[display] else {
        shown[display] = nil
        continue
      }
      let content = Content(screen: screen, phase: screen.screen.turns ? phase : 0)
      guard content != shown[display] || needsKeyFrame.contains(display) else { continue }
      let picture = try draw(content, images, on: display)
      shown[display] = content
      needsKeyFrame.remove(display)
      guard let film = picture.film else { continue }
      if display == .screen { self.film = film }
      number &+= 1
      pictures.append(
        LabPicture(display, film.isKeyFrame ? .keyFrame : .nextFrame, number: number, bytes: picture.bytes))
      if alsoPNG {
        let still = try still(screen, images, on: display)
        pictures.append(LabPicture(display, .png, number: number, bytes: still))
      }
    }
    return pictures
  }

  /// Draws a content as PNG.
  mutating func still(
    _ content: ScreenContent, _ images: [String: CarImage] = [:], on display: LabPicture.Display = .screen
  ) throws(CarFailure) -> [UInt8] {
    do { return try program(display).draw(content, images: images, as: .png, stop: stop.descriptor).bytes } catch {
      lose(display)
      throw CarFailure(error)
    }
  }

  /// Draws a picture. A program that has ended is started again, once.
  private mutating func draw(
    _ content: Content, _ images: [String: CarImage], on display: LabPicture.Display, isSecond: Bool = false
  ) throws(CarFailure) -> DrawingProgram.Picture {
    do throws(DrawingProblem) {
      return try program(display).draw(
        content.screen, images: images, as: .h264, phase: content.phase,
        isKeyFrame: needsKeyFrame.contains(display), stop: stop.descriptor)
    } catch {
      lose(display)
      if case .program = error, !isSecond { return try draw(content, images, on: display, isSecond: true) }
      throw CarFailure(error)
    }
  }

  /// Lets the next picture come from a new program.
  private mutating func lose(_ display: LabPicture.Display) {
    programs[display] = nil
    needsKeyFrame.insert(display)
  }

  private mutating func program(_ display: LabPicture.Display) throws(DrawingProblem) -> DrawingProgram {
    if let program = programs[display] { return program }
    let program = try DrawingProgram()
    programs[display] = program
    return program
  }
}

extension CarState {
  /// What the displays of an app's car show.
  ///
  /// - Parameter scroll: The rows of the list above the first one that is shown.
  func contents(scroll: Int) -> [LabPicture.Display: ScreenContent] {
    guard let look else { return [:] }
    var small = look.dashboard
    // H.264 has even sides.
    small.screen.pixelWidth &= ~1
    var contents = [LabPicture.Display.screen: ScreenContent(screen, look, map: map, scroll: scroll)]
    contents[.dashboard] = dashboard.map { ScreenContent($0, small) }
    contents[.cluster] = cluster.map { ScreenContent($0, small) }
    return contents
  }
}
