// swift-iap2 · Apache-2.0

public import UIKit

/// The artwork of a content. The app gives an image for each size that is asked for.
///
/// Invariant for `@unchecked Sendable`: the properties are constant. The system calls the app's closure on any thread.
open class MPMediaItemArtwork: NSObject, @unchecked Sendable {
  private let requestHandler: (CGSize) -> UIImage

  /// The rectangle of the largest image, in points.
  public let bounds: CGRect

  /// Creates an artwork.
  ///
  /// - Parameters:
  ///   - boundsSize: The size of the largest image, in points.
  ///   - requestHandler: Returns the image for a size. The system calls it on any thread.
  public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
    bounds = CGRect(origin: .zero, size: boundsSize)
    self.requestHandler = requestHandler
    super.init()
  }

  /// Returns the image for a size, in points.
  open func image(at size: CGSize) -> UIImage? { requestHandler(size) }
}
