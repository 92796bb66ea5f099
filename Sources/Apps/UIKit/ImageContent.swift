// swift-iap2 · Apache-2.0

package import Foundation

/// The size of an image in pixels.
package struct PixelSize: Hashable, Sendable {
  package var width, height: Int

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// Where an image comes from.
package enum ImageOrigin: Hashable, Sendable {
  /// `UIImage()`.
  case empty
  /// A symbol of the system, by its name.
  case symbol(String)
  /// An image of the app's bundle, by its name.
  case asset(String)
  /// A name without an image. The app gets a placeholder, because its assets are seldom beside its tests.
  case missing(String)
  /// Bytes or a file that the app read.
  case data(ImageFormat)
  /// A picture that the app drew.
  case drawn
  /// Frames.
  case animated
}

/// A format of images whose header is read.
package enum ImageFormat: String, Hashable, Sendable {
  case png = "PNG"
  case jpeg = "JPEG"
}

/// The content of an image: origin, size, scale and bytes.
package struct ImageContent: Sendable {
  package var origin: ImageOrigin
  /// The size before the image is turned.
  package var pixels: PixelSize
  package var scale: CGFloat = 1
  package var orientation = UIImage.Orientation.up
  package var renderingMode = UIImage.RenderingMode.automatic
  package var tint: UIColor?
  package var frames: [UIImage] = []
  /// The time of a cycle of the frames, in seconds.
  package var duration: TimeInterval = 0
  /// The bytes of the image's file.
  package var data: Data?

  /// Whether the size is the real one. That of a symbol, a vector or a missing image is made up.
  package var hasKnownSize = true

  /// An image whose size is not known.
  package init(ofUnknownSize origin: ImageOrigin) {
    self.init(origin: origin, pixels: PixelSize(width: 60, height: 60), scale: 3)
    hasKnownSize = false
  }

  package init(origin: ImageOrigin, pixels: PixelSize, scale: CGFloat = 1) {
    self.origin = origin
    self.pixels = pixels
    self.scale = scale
  }

  /// The name of the symbol or of the bundle's image.
  package var name: String? {
    switch origin {
    case .symbol(let name), .asset(let name), .missing(let name): name
    case .empty, .data, .drawn, .animated: nil
    }
  }

  /// The size after the image is turned, in points.
  package var size: CGSize {
    let (width, height) = (CGFloat(pixels.width) / scale, CGFloat(pixels.height) / scale)
    switch orientation {
    case .up, .down, .upMirrored, .downMirrored: return CGSize(width: width, height: height)
    case .left, .right, .leftMirrored, .rightMirrored: return CGSize(width: height, height: width)
    }
  }

  package var text: String {
    let pixels = "\(pixels.width)x\(pixels.height) px"
    switch origin {
    case .empty: return "empty image"
    case .symbol(let name): return "symbol \(name)"
    case .asset(let name): return "image \(name), \(pixels)"
    case .missing(let name): return "missing image \(name)"
    case .data(let format): return "\(format.rawValue), \(pixels)"
    case .drawn: return "drawn image, \(pixels)"
    case .animated: return "\(frames.count) frames, \(pixels)"
    }
  }
}
