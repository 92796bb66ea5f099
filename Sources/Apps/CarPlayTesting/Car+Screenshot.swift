// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlayHost
import CarPlayPlatform
public import Foundation

/// A reason why there is no picture of the screen.
public struct ScreenshotProblem: Error, CustomStringConvertible {
  /// The reason, with what to do.
  public let description: String
}

extension Car {
  /// The format of a picture.
  public enum PictureFormat: String, Sendable, Hashable, CaseIterable {
    /// Pixels, as many as the car's screen has.
    case png
    /// Lines and letters.
    case svg
  }

  /// Returns a picture of the screen that the driver sees.
  ///
  /// The program `iap2-screen` draws it: `tools/screen-program` of swift-iap2 builds it and prints its path, which the
  /// variable `IAP2_SCREEN` of the environment must have. Where it is set, a verb that fails attaches a picture to its
  /// test.
  ///
  /// - Throws: ``ScreenshotProblem`` if nothing draws.
  public func screenshot(as format: PictureFormat = .png) throws(ScreenshotProblem) -> Data {
    // From now on the host keeps images; the screen is built again with their names.
    if host.images == nil { host.images = ImageStore() }
    return try picture(
      of: CarSight(screen, settings.look, map: host.mapBelow() ?? host.makersWindow()), as: format)
  }

  /// Returns a picture of the app's part of the dashboard; nil without the app's scene there.
  ///
  /// - Throws: ``ScreenshotProblem`` if nothing draws.
  public func dashboardScreenshot(as format: PictureFormat = .png) throws(ScreenshotProblem) -> Data? {
    guard let dashboard else { return nil }
    return try picture(of: CarSight(dashboard, settings.look.dashboard), as: format)
  }

  /// Returns a picture of the app's part of the instrument cluster; nil without the app's window there.
  ///
  /// - Throws: ``ScreenshotProblem`` if nothing draws.
  public func clusterScreenshot(as format: PictureFormat = .png) throws(ScreenshotProblem) -> Data? {
    guard let cluster else { return nil }
    return try picture(of: CarSight(cluster, settings.look.dashboard), as: format)
  }

  private func picture(of sight: CarSight, as format: PictureFormat) throws(ScreenshotProblem) -> Data {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appending(path: "car-\(UUID().uuidString).\(format.rawValue)")
    defer { _ = unsafe unlink(file.path()) }
    do throws(DrawingProblem) {
      if Self.program == nil { Self.program = try DrawingProgram() }
      try Self.program?.draw(sight, images: host.images?.images ?? [:], to: file.path())
    } catch {
      // The next picture tries again.
      Self.program = nil
      switch error {
      case .program(let text), .picture(let text): throw ScreenshotProblem(description: text)
      case .stopped: throw ScreenshotProblem(description: "stopped")
      }
    }
    do { return try Data(contentsOf: file) } catch {
      throw ScreenshotProblem(description: "the picture cannot be read: \(error)")
    }
  }

  /// The program that draws for all cars of the process.
  private static var program: DrawingProgram?

  /// A picture for a failing test; nil where no program draws.
  func pictureOfFailure() -> Data? {
    guard ProcessInfo.processInfo.environment[DrawingProgram.variable] != nil else { return nil }
    do { return try screenshot() } catch { return nil }
  }
}
