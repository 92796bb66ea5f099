// swift-iap2 · Apache-2.0

package import CarPlayDrawing
import CarPlayPlatform
import Foundation
import Glibc

/// The pictures of the screen that a run writes.
public struct CarPictureChoice: Sendable, Hashable {
  /// The folder, which is created if it is missing.
  public var folder: String
  /// Whether the pictures are SVG; otherwise they are PNG.
  public var isSVG: Bool
  /// Whether one picture always shows the current screen; otherwise each screen has its own picture.
  public var isLatest: Bool
  /// Whether the run goes on without pictures where no program draws them.
  public var isOptional: Bool

  /// Creates a choice.
  public init(folder: String, isSVG: Bool = false, isLatest: Bool = false, isOptional: Bool = false) {
    (self.folder, self.isSVG, self.isLatest, self.isOptional) = (folder, isSVG, isLatest, isOptional)
  }

  /// Returns the choice for a subfolder.
  func inside(_ name: String) -> Self {
    var choice = self
    choice.folder += "/\(name)"
    return choice
  }
}

/// The pictures of a run.
final class CarPictures {
  private let choice: CarPictureChoice
  private let folder: PictureFolder
  private let program: DrawingProgram
  private let stop: StopRequest
  private let drawn: (_ file: String) -> Void
  private var count = 0
  /// The paths of the pictures, in the order of drawing.
  private(set) var files: [String] = []
  /// The pictures whose texts were shortened in drawing, and that were not taken yet.
  private var shortened: [(file: String, texts: [String])] = []
  /// The last content of each display.
  private var shown: [Display: Content] = [:]

  private struct Content: Hashable {
    var screen: ScreenContent
    /// The animation phase of the spinners.
    var phase: Int
  }

  private var phase = 0

  /// The maximum number of pictures of a run, because people read the folder.
  private static let maximumCount = 9999

  /// Creates the folder and starts the drawing program.
  ///
  /// - Parameter drawn: Receives the path of each picture when it is written.
  init(
    _ choice: CarPictureChoice, stop: StopRequest, drawn: @escaping (_ file: String) -> Void
  ) throws(CarFailure) {
    do { program = try DrawingProgram() } catch { throw CarFailure(error) }
    folder = try PictureFolder(choice.folder)
    self.choice = choice
    self.stop = stop
    self.drawn = drawn
  }

  /// Takes the pictures with shortened texts that were added since the last call.
  func takeShortened() -> [(file: String, texts: [String])] {
    defer { shortened = [] }
    return shortened
  }

  /// A display of the car.
  private enum Display: String, CaseIterable { case screen, dashboard, cluster }

  /// Draws the displays of the car that changed.
  ///
  /// - Parameter images: The images of the app by their identifiers.
  func draw(_ state: CarState, _ images: [String: CarImage]) throws(CarFailure) {
    let look = try state.knownLook
    for display in Display.allCases {
      let screen: ScreenContent? =
        switch display {
        case .screen: ScreenContent(state.screen, look, map: state.map)
        case .dashboard: state.dashboard.map { ScreenContent($0, look.dashboard) }
        case .cluster: state.cluster.map { ScreenContent($0, look.dashboard) }
        }
      let content = screen.map { Content(screen: $0, phase: $0.screen.turns ? phase : 0) }
      guard content != shown[display] else { continue }
      shown[display] = content
      if let content { try draw(content, images, on: display) }
    }
  }

  private func draw(_ content: Content, _ images: [String: CarImage], on display: Display) throws(CarFailure) {
    count += 1
    guard choice.isLatest || count <= Self.maximumCount else { return }
    let end = choice.isSVG ? "svg" : "png"
    let kind = content.screen.screen.kind.rawValue.replacing(" ", with: "-")
    let name = choice.isLatest ? display.rawValue : String(format: "%04d-", count) + kind
    let file = "\(choice.folder)/\(name).\(end)"
    let picture: DrawingProgram.Picture
    do {
      picture = try program.draw(
        content.screen, images: images, as: choice.isSVG ? .svg : .png, phase: content.phase, stop: stop.descriptor)
    } catch { throw CarFailure(error) }
    if choice.isLatest {
      try folder.replace(picture.bytes, in: "\(name).\(end)")
    } else {
      try folder.add("\(name).\(end)")
      try folder.write(picture.bytes, to: "\(name).\(end)")
    }
    if !picture.cut.isEmpty, content.phase == 0 { shortened.append((file, picture.cut)) }
    if !choice.isLatest || !files.contains(file) { files.append(file) }
    drawn(file)
  }

  /// Advances the spinners and draws a state again, if one picture shows the current screen.
  func turn(_ state: CarState, _ images: [String: CarImage]) throws(CarFailure) {
    guard choice.isLatest else { return }
    phase += 1
    try draw(state, images)
  }
}

extension CarState {
  /// The look of the car, which drawing needs.
  var knownLook: CarLook {
    get throws(CarFailure) {
      if let look { return look }
      throw CarFailure(
        .app, "the app's host does not tell how the car looks; build both from one version of swift-iap2")
    }
  }
}

extension CarFailure {
  package init(_ problem: DrawingProblem) {
    switch problem {
    case .program(let text): self.init(.unavailable, text)
    case .picture(let text): self.init(.noOutput, "the picture is not drawn: \(text)")
    case .stopped: self.init(.stopped, "stopped")
    }
  }
}
