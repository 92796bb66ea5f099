// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlayHost
import CarPlayPlatform
public import Foundation

/// The reason why a picture of the screen cannot be drawn.
public struct ScreenshotProblem: Error, CustomStringConvertible {
  /// The reason, with a remedy.
  public let description: String
}

extension Car {
  /// The format of a picture.
  public enum PictureFormat: String, Sendable, Hashable, CaseIterable {
    /// Pixels, as many as the car's screen has.
    case png
    /// Vector graphics.
    case svg
  }

  /// Returns a picture of the screen that the driver sees.
  ///
  /// The program `iap2-screen` draws it. `tools/screen-program` of swift-iap2 builds the program and prints its path,
  /// which the environment variable `IAP2_SCREEN` must contain. If the variable is set, a verb that fails attaches a
  /// picture to its test.
  ///
  /// - Throws: ``ScreenshotProblem`` if no picture can be drawn.
  public func screenshot(as format: PictureFormat = .png) throws(ScreenshotProblem) -> Data {
    try picture(of: screenContent(), as: format)
  }

  /// Returns the pixels of the screen that the driver sees, such as for the color at a place.
  ///
  /// - Throws: ``ScreenshotProblem`` if nothing can be drawn.
  public func pixels() throws(ScreenshotProblem) -> ScreenPixels {
    let content = screenContent()
    let images = host.images?.images ?? [:]
    return try draw { program throws(DrawingProblem) in
      try program.drawPixels(content, images: images)
      return program.pixels
    }
  }

  /// Returns the content of the screen with the identifiers of its images.
  private func screenContent() -> ScreenContent {
    // From now on the host stores images. The screen is then built again with their identifiers.
    if host.images == nil { host.images = ImageStore() }
    return ScreenContent(screen, settings.look, map: host.mapBelow() ?? host.makersWindow())
  }

  /// Returns a picture of the app's part of the dashboard; nil without the app's dashboard scene.
  ///
  /// - Throws: ``ScreenshotProblem`` if no picture can be drawn.
  public func dashboardScreenshot(as format: PictureFormat = .png) throws(ScreenshotProblem) -> Data? {
    guard let dashboard else { return nil }
    return try picture(of: ScreenContent(dashboard, settings.look.dashboard), as: format)
  }

  /// Returns a picture of the app's part of the instrument cluster; nil without the app's window there.
  ///
  /// - Throws: ``ScreenshotProblem`` if no picture can be drawn.
  public func clusterScreenshot(as format: PictureFormat = .png) throws(ScreenshotProblem) -> Data? {
    guard let cluster else { return nil }
    return try picture(of: ScreenContent(cluster, settings.look.dashboard), as: format)
  }

  private func picture(of content: ScreenContent, as format: PictureFormat) throws(ScreenshotProblem) -> Data {
    let images = host.images?.images ?? [:]
    let format: DrawingProgram.Format = format == .png ? .png : .svg
    return try draw { program throws(DrawingProblem) in
      Data(try program.draw(content, images: images, as: format).bytes)
    }
  }

  private func draw<Result>(
    _ body: (DrawingProgram) throws(DrawingProblem) -> Result
  ) throws(ScreenshotProblem) -> Result {
    do throws(DrawingProblem) {
      if let program = Self.program { return try body(program) }
      let program = try DrawingProgram()
      Self.program = program
      return try body(program)
    } catch {
      // The next picture starts the program again.
      Self.program = nil
      switch error {
      case .program(let text), .picture(let text): throw ScreenshotProblem(description: text)
      case .stopped: throw ScreenshotProblem(description: "stopped")
      }
    }
  }

  /// The drawing program for all cars of the process.
  private static var program: DrawingProgram?

  /// Returns a picture for a failing test; nil without a drawing program.
  func pictureOfFailure() -> Data? {
    guard ProcessInfo.processInfo.environment[DrawingProgram.variable] != nil else { return nil }
    do { return try screenshot() } catch { return nil }
  }
}
