// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// An image with its bytes, name and size. The pixels are not decoded. Images never change, so any thread may use them.
///
/// Invariant for `@unchecked Sendable`: the content is constant, and the asset is used under its lock only.
open class UIImage: NSObject, @unchecked Sendable {
  /// The mode in which an image is drawn.
  public enum RenderingMode: Int, Sendable {
    /// By the place where the image is shown.
    case automatic = 0
    /// With the image's own colors.
    case alwaysOriginal = 1
    /// As a shape in the color of the place; only the opacity of the pixels counts.
    case alwaysTemplate = 2
  }

  /// The rotation and mirroring of the pixels.
  public enum Orientation: Int, Sendable {
    /// As they are.
    case up = 0
    /// By 180 degrees.
    case down = 1
    /// By 90 degrees counterclockwise.
    case left = 2
    /// By 90 degrees clockwise.
    case right = 3
    /// Mirrored.
    case upMirrored = 4
    /// By 180 degrees and mirrored.
    case downMirrored = 5
    /// By 90 degrees counterclockwise and mirrored.
    case leftMirrored = 6
    /// By 90 degrees clockwise and mirrored.
    case rightMirrored = 7
  }

  /// The content: origin, size, scale and bytes.
  package let content: ImageContent
  private let asset: Mutex<UIImageAsset?>

  /// Creates an image of its content.
  package init(_ content: ImageContent, asset: UIImageAsset? = nil) {
    self.content = content
    self.asset = Mutex(asset)
    super.init()
  }

  /// Creates an image without pixels.
  public convenience override init() { self.init(ImageContent(origin: .empty, pixels: PixelSize(width: 0, height: 0))) }

  /// Creates an image of the bytes of a file, with one point for a pixel; nil if they are no image.
  public convenience init?(data: Data) { self.init(data: data, scale: 1) }

  /// Creates an image of the bytes of a file; nil if they are no image.
  public convenience init?(data: Data, scale: CGFloat) {
    do throws(ImageProblem) {
      self.init(try ImageContent(data: data, scale: scale))
    } catch {
      ImageProblem.report(error)
      return nil
    }
  }

  /// Creates an image of a file; nil if the file cannot be read or is no image.
  ///
  /// `@2x` and `@3x` at the end of the file's name give the scale.
  public convenience init?(contentsOfFile path: String) {
    do throws(ImageProblem) {
      self.init(try ImageContent(file: path, name: nil))
    } catch {
      ImageProblem.report(error)
      return nil
    }
  }

  /// Creates an image of the app's bundle, by its name in an asset catalog or by the name of its file.
  ///
  /// If there is none, the image is a placeholder with the name, unless the host asks for nil.
  public convenience init?(named name: String) { self.init(named: name, in: nil, compatibleWith: nil) }

  /// Creates an image of a bundle, by its name in an asset catalog or by the name of its file, for traits.
  public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traitCollection: UITraitCollection?) {
    do throws(ImageProblem) {
      let asset = try AssetCatalog.image(named: name, in: bundle)
      guard let content = asset.content(for: traitCollection ?? .current) else { throw .noImage(named: name) }
      self.init(content, asset: asset)
    } catch {
      ImageProblem.report(error)
      guard AssetCatalog.usesPlaceholders else { return nil }
      self.init(ImageContent(ofUnknownSize: .missing(name)))
    }
  }

  /// Creates the image of a symbol of the system. It has the symbol's name, and a size that is not the real one.
  public convenience init?(systemName name: String) {
    do throws(ImageProblem) {
      self.init(try ImageContent(symbol: name))
    } catch {
      ImageProblem.report(error)
      return nil
    }
  }

  /// The size after the image is turned, in points.
  open var size: CGSize { content.size }
  /// The pixels of a point.
  open var scale: CGFloat { content.scale }
  /// The rotation and mirroring of the pixels.
  open var imageOrientation: UIImage.Orientation { content.orientation }
  /// The mode in which the image is drawn.
  open var renderingMode: UIImage.RenderingMode { content.renderingMode }
  /// Whether the image is a symbol of the system.
  open var isSymbolImage: Bool { if case .symbol = content.origin { true } else { false } }
  /// The frames of an animated image.
  open var images: [UIImage]? { content.frames.isEmpty ? nil : content.frames }
  /// The time of a cycle of an animated image, in seconds.
  open var duration: TimeInterval { content.duration }

  /// The images for other traits.
  open var imageAsset: UIImageAsset? {
    asset.withLock { asset in
      if asset == nil { asset = UIImageAsset(of: content) }
      return asset
    }
  }

  /// Returns an animated image; nil if there is no frame.
  open class func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? {
    guard let first = images.first else { return nil }
    var content = first.content
    content.origin = .animated
    content.frames = images
    content.duration = duration
    return UIImage(content)
  }

  /// Returns the same image, drawn in another way.
  open func withRenderingMode(_ renderingMode: UIImage.RenderingMode) -> UIImage {
    changed { $0.renderingMode = renderingMode }
  }

  /// Returns the image in a color.
  open func withTintColor(_ color: UIColor) -> UIImage { changed { $0.tint = color } }

  /// Returns the image in a color, drawn in another way.
  open func withTintColor(_ color: UIColor, renderingMode: UIImage.RenderingMode) -> UIImage {
    changed {
      $0.tint = color
      $0.renderingMode = renderingMode
    }
  }

  private func changed(_ change: (inout ImageContent) -> Void) -> UIImage {
    var content = content
    change(&content)
    return UIImage(content, asset: asset.withLock { $0 }?.changed(change))
  }

  /// Returns the image for traits: the one that the asset has for them, or this one.
  package func resolved(for traits: UITraitCollection) -> UIImage {
    guard let asset = asset.withLock({ $0 }), let content = asset.content(for: traits) else { return self }
    return UIImage(content, asset: asset)
  }

  /// A short description: the name, or the format and size.
  open override var description: String { content.text }
}
